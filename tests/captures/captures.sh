#!/bin/bash
# lane: works
# The sample captures of tests/data/captures: each decodes to the text beside it, comes from its source, and goes
# through JSON and back unchanged. With --update: writes captures and texts anew.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
talon="$BUILD/talon"
data=tests/data/captures
keys=(--psp-keys tests/data/psp-keys.json --esp-keys tests/data/esp-keys.json)
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

# NAME SOURCE OPTION...: how each capture is made.
recipes() {
    local encap ip
    for encap in udp psp_transport psp_tunnel esp_transport esp_tunnel; do
        for ip in 4 6; do
            echo "$encap-$ip.pcap packets.txt --encap $encap --ip $ip"
        done
    done
    echo "bare.pcap packets.txt --encap bare"
    echo "raw-ip-6.pcap packets.txt --linktype 101 --ip 6"
    echo "psp_transport-4.pcapng packets.txt --encap psp_transport"
    echo "layers.pcap layers.jsonl"
    echo "extensions.pcap extensions.jsonl"
    echo "rdma.pcap rdma.jsonl"
    echo "nvme.pcapng nvme.jsonl"
    echo "cooked.pcap cooked.jsonl"
    echo "cooked2.pcapng cooked2.jsonl"
    echo "malformed.pcapng malformed.jsonl"
    echo "unfilled.pcap raw.jsonl --raw"
}

decode_to() { # capture, output, option...
    local capture=$1 out=$2
    shift 2
    "$talon" decode "${keys[@]}" "$@" "$capture" >"$out"
}

is_expected() { # capture
    decode_to "$1" "$dir/text" && diff "${1%.pcap*}.txt" "$dir/text"
}

is_made_of() { # capture, source, option...
    local capture=$1 source=$2 made
    shift 2
    made="$dir/made.${capture##*.}"
    "$talon" encode "$data/$source" --out "$made" "${keys[@]}" "$@" && cmp "$capture" "$made"
}

comes_back() { # capture: through JSON
    local again
    again="$dir/again.${1##*.}"
    decode_to "$1" "$dir/lines" --format json &&
        "$talon" encode "$dir/lines" "${keys[@]}" --out "$again" && cmp "$1" "$again"
}

while read -r name source options; do
    capture="$data/$name" text="$data/${name%.pcap*}.txt"
    # shellcheck disable=SC2086 # options are words
    if [ "${1:-}" = --update ]; then
        "$talon" encode "$data/$source" --out "$capture" "${keys[@]}" $options || exit 1
        decode_to "$capture" "$text" || exit 1
        continue
    fi
    check "$name: decodes to its text" is_expected "$capture"
    # shellcheck disable=SC2086
    check "$name: is made of its source" is_made_of "$capture" "$source" $options
    check "$name: goes through JSON and back" comes_back "$capture"
done < <(recipes)

# What is wrong with the malformed ones, counted.
stats="$data/malformed.stats"
[ "${1:-}" = --update ] && "$talon" decode --stats "$data/malformed.pcapng" >"$stats"
same_stats() {
    "$talon" decode --stats "$data/malformed.pcapng" | diff "$stats" -
}
check "malformed: what is wrong, counted" same_stats
echo "1..$number"
