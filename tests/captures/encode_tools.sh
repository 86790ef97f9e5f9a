#!/bin/bash
# lane: works
# What encode writes is read by tools that are not ours: tshark and tcpdump find no bad checksum and no malformed
# packet in it, and do find one that is put there. What decode prints encodes back to the same bytes.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
talon="$BUILD/talon"
keys=tests/data/psp-keys.json
sample=tests/data/sample.txt
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0

# A command as a test: ok when it ends with 0. What it printed is shown when it does not.
check() { # name, command...
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$dir/log"
    fi
}

expert() { # capture: what tshark complains of
    tshark -r "$1" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
        -Y '_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || _ws.expert.severity >= 6291456' \
        -T fields -e frame.number -e _ws.expert.message -e ip.checksum.status -e udp.checksum.status 2>"$dir/tshark.log"
}

# tshark has seen every frame down to UDP, with checksums that it verified, and complains of none.
tshark_is_content() { # capture, frames, IP version
    local bad seen
    bad=$(expert "$1")
    [ -z "$bad" ] || { echo "tshark: $bad"; return 1; }
    seen=$(tshark -r "$1" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
        -Y "udp.checksum.status == 1 && $([ "$3" = 4 ] && echo 'ip.checksum.status == 1' || echo ipv6)" 2>/dev/null | wc -l)
    [ "$seen" = "$2" ] || { echo "tshark verified $seen frames of $2"; return 1; }
}

tcpdump_is_content() { # capture, frames
    local text
    text=$(tcpdump -nn -vv -r "$1" 2>/dev/null) || { echo "tcpdump failed"; return 1; }
    if grep -iE 'bad|trunc|malformed|\[\||invalid' <<<"$text"; then
        return 1
    fi
    [ "$(grep -c 'udp sum ok' <<<"$text")" = "$2" ] || { echo "$text"; return 1; }
}

# The n-th byte from the end of a capture, flipped: in the last frame.
spoil() { # capture, bytes from the end, new capture
    local size byte
    size=$(stat -c %s "$1")
    cp "$1" "$3"
    byte=$(od -An -tu1 -j $((size - $2)) -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\x$(printf %02x $((byte ^ 255)))" | dd of="$3" bs=1 seek=$((size - $2)) conv=notrunc status=none
}

finds_it() { # command that must complain
    if "$@"; then
        echo "a spoilt capture went unnoticed"
        return 1
    fi
}

# decode, then encode: the same bytes from the first frame's header on.
round_trip() { # capture, option...
    local capture=$1
    shift
    "$talon" decode --format json "$capture" "$@" >"$dir/lines" &&
        "$talon" encode "$dir/lines" --out "$dir/again.pcap" "$@" &&
        cmp <(tail -c +25 "$capture") <(tail -c +25 "$dir/again.pcap")
}

lines_are_alike() { # capture, option...: text to capture and back, comments aside
    "$talon" decode "$@" | sed 's/ *#.*//' >"$dir/text" &&
        "$talon" encode "$dir/text" --out "$dir/text.pcap" &&
        "$talon" decode "$dir/text.pcap" | sed 's/ *#.*//' | cmp "$dir/text" -
}

frames=$(grep -cE '^[@+]' "$sample")
for encap in udp psp_transport psp_tunnel; do
    for ip in 4 6; do
        capture="$dir/$encap-$ip.pcap"
        name="$encap over IPv$ip"
        check "$name: encode" "$talon" encode "$sample" --out "$capture" --encap "$encap" --ip "$ip" --psp-keys "$keys"
        check "$name: tshark finds nothing wrong" tshark_is_content "$capture" "$frames" "$ip"
        check "$name: tcpdump finds nothing wrong" tcpdump_is_content "$capture" "$frames"
        spoil "$capture" 1 "$dir/spoilt.pcap"
        check "$name: tshark finds a spoilt byte" finds_it tshark_is_content "$dir/spoilt.pcap" "$frames" "$ip"
        check "$name: tcpdump finds a spoilt byte" finds_it tcpdump_is_content "$dir/spoilt.pcap" "$frames"
        check "$name: no issue of our own" "$talon" decode --fail-on note --psp-keys "$keys" "$capture"
        check "$name: our own check finds a spoilt byte" finds_it "$talon" decode --fail-on note --psp-keys "$keys" "$dir/spoilt.pcap"
        check "$name: decode and encode give the same bytes" round_trip "$capture" --psp-keys "$keys"
        check "$name: the same without keys" round_trip "$capture"
        check "$name: the same of a spoilt capture" round_trip "$dir/spoilt.pcap" --psp-keys "$keys"
        check "$name: printed lines parse back" lines_are_alike "$capture" --psp-keys "$keys"
    done
done

# The IP header alone: the TTL of the last frame, a BACK of 32 bytes behind UDP's 8 and 12 of IPv4.
capture="$dir/udp-4.pcap"
spoil "$capture" 52 "$dir/spoilt.pcap"
check "udp over IPv4: tshark finds a spoilt IP header" finds_it tshark_is_content "$dir/spoilt.pcap" "$frames" 4
check "udp over IPv4: tcpdump finds a spoilt IP header" finds_it tcpdump_is_content "$dir/spoilt.pcap" "$frames"

capture="$dir/bare.pcap"
check "bare: encode" "$talon" encode "$sample" --out "$capture" --encap bare
check "bare: link type and frames as tshark sees them" \
    [ "$(tshark -r "$capture" -T fields -e frame.protocols 2>/dev/null | sort | uniq -c | xargs)" = "$frames user_dlt:data" ]
check "bare: decode and encode give the same bytes" round_trip "$capture"
check "bare: printed lines parse back" lines_are_alike "$capture"
check "raw IP: encode" "$talon" encode "$sample" --out "$dir/raw.pcap" --linktype 101 --ip 6
check "raw IP: tshark finds nothing wrong" tshark_is_content "$dir/raw.pcap" "$frames" 6
check "raw IP: decode and encode give the same bytes" round_trip "$dir/raw.pcap"
check "the sample capture is the sample's" cmp tests/data/sample.pcap "$dir/udp-4.pcap"
echo "1..$number"
