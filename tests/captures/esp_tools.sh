#!/bin/bash
# lane: works
# What encode seals with ESP, tshark opens with the same keys: every algorithm and ICV length, IPv4 and IPv6, transport
# and tunnel, in UDP too. It finds a spoilt ICV, and what it decrypts is what decode reads.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
talon="$BUILD/talon"
sample=tests/data/sample.txt
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0

check() { # name, command...
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        head -n 40 "$dir/log" | sed 's/^/# /'
    fi
}

salt=a0a1a2a3
declare -A key=(
    [128]=00112233445566778899aabbccddeeff
    [256]=00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f
)

opened() { # capture, IP version, key bits, ICV length: the ICVs that tshark found good, and what it decrypted
    tshark -r "$1" -o esp.enable_encryption_decode:TRUE -o esp.enable_authentication_check:TRUE \
        -o "uat:esp_sa:\"IPv$2\",\"*\",\"*\",\"*\",\"AES-GCM with $4 octet ICV [RFC4106]\",\"0x${key[$3]}$salt\",\"NULL\",\"\"" \
        -Y "$5" -T fields -e esp.decrypted_data -e data.data 2>/dev/null
}

tshark_opens() { # capture, IP version, key bits, ICV length, frames
    local good
    good=$(opened "$1" "$2" "$3" "$4" 'esp.icv_good == 1' | wc -l)
    [ "$good" = "$5" ] || { echo "tshark found $good ICVs of $5 good"; return 1; }
    [ -z "$(opened "$1" "$2" "$3" "$4" 'esp.icv_bad == 1')" ] || { echo "tshark found a bad ICV"; return 1; }
}

# Each packet as decode reads it, from its first byte on, is among the bytes that tshark decrypted.
agree() { # capture, IP version, key bits, ICV length
    local hex text
    text=$(opened "$1" "$2" "$3" "$4" esp)
    "$talon" decode --esp-keys "$dir/keys.json" "$1" >"$dir/ours" && "$talon" encode --out "$dir/bare.pcap" --encap bare \
        <(sed 's/ *#.*//' "$dir/ours") || return 1
    while read -r hex; do
        grep -q "$hex" <<<"$text" || { echo "tshark has no $hex"; return 1; }
    done < <(tshark -r "$dir/bare.pcap" -T fields -e data.data 2>/dev/null)
}

finds_it() { # command that must complain
    if "$@"; then
        echo "a spoilt capture went unnoticed"
        return 1
    fi
}

spoil() { # capture, new capture: the last byte of the last ICV
    local size byte
    size=$(stat -c %s "$1")
    cp "$1" "$2"
    byte=$(od -An -tu1 -j $((size - 1)) -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\x$(printf %02x $((byte ^ 255)))" | dd of="$2" bs=1 seek=$((size - 1)) conv=notrunc status=none
}

frames=$(grep -cE '^[@+]' "$sample")
for bits in 128 256; do
    for icv in 16 12 8; do
        cat >"$dir/keys.json" <<-END
			{"sas": [{"spi": 1, "algorithm": "aes-gcm-$bits", "key": "${key[$bits]}", "salt": "$salt", "icv_len": $icv}]}
		END
        for encap in esp_transport esp_tunnel; do
            for ip in 4 6; do
                name="$encap over IPv$ip, AES-GCM-$bits, ICV of $icv"
                capture="$dir/esp.pcap"
                check "$name: encode" "$talon" encode "$sample" --out "$capture" --encap "$encap" --ip "$ip" --esp-keys "$dir/keys.json"
                check "$name: tshark opens it" tshark_opens "$capture" "$ip" "$bits" "$icv" "$frames"
                check "$name: no issue of our own" "$talon" decode --fail-on note --esp-keys "$dir/keys.json" "$capture"
                [ "$icv$encap$ip" = 16esp_transport4 ] || continue
                spoil "$capture" "$dir/spoilt.pcap"
                check "$name: tshark finds a spoilt ICV" finds_it tshark_opens "$dir/spoilt.pcap" "$ip" "$bits" "$icv" "$frames"
                check "$name: our own check finds it" finds_it "$talon" decode --fail-on error --esp-keys "$dir/keys.json" "$dir/spoilt.pcap"
            done
        done
        check "AES-GCM-$bits, ICV of $icv: both read the same bytes" agree "$capture" 6 "$bits" "$icv"
    done
done

# Through a NAT: port 4500 is ESP to tshark too.
echo '{"falcon": {"packet_type": "back"}, "esp": {"spi": 1}, "udp": {}}' >"$dir/nat.jsonl"
check "in UDP: encode" "$talon" encode "$dir/nat.jsonl" --out "$dir/nat.pcap" --esp-keys "$dir/keys.json"
check "in UDP: tshark opens it" tshark_opens "$dir/nat.pcap" 4 256 8 1
echo "1..$number"
