#!/bin/bash
# lane: waits
# `talon sut` as a process, spoken to by hand: the control protocol over TCP, a Unix socket's absence and
# standard input, its addresses, its signals, its errors. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
talon="$BUILD/talon"
dir=$(mktemp -d)
n=0 sut=
trap '[ -n "$sut" ] && kill "$sut" 2>/dev/null; rm -rf "$dir"' EXIT

ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() {
    n=$((n + 1))
    echo "not ok $n - $1"
    printf '%s\n' "${2:-}" | sed 's/^/# /'
}
# Passes when the text holds the pattern.
has() { # name, text, pattern
    case "$2" in
    *"$3"*) ok "$1" ;;
    *) not_ok "$1" "'$3' is not in: $2" ;;
    esac
}
is() { # name, seen, due
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "seen: $2; due: $3"; fi
}

start() { # options...
    rm -f "$dir/ports"
    "$talon" sut --listen udp:127.0.0.1:0 --port-file "$dir/ports" "$@" 2>"$dir/log" &
    sut=$!
    for _ in $(seq 200); do
        [ -s "$dir/ports" ] && break
        kill -0 "$sut" 2>/dev/null || break
        sleep 0.05
    done
    read -r frames control <"$dir/ports"
}
stop() { # signal; sets status
    kill -"$1" "$sut"
    wait "$sut"
    status=$?
    sut=
}
# Opens the control connection as descriptor 3, and asks one line.
call() {
    local address=${control#tcp:}
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
}
ask() {
    printf '%s\n' "$1" >&3
    reply=
    IFS= read -r -t 10 reply <&3
}
peer='"peer": {"cid": 1, "function": 2, "req_psn": 3, "data_psn": 4, "rsn": 5}'

start --control tcp:127.0.0.1:0 --seed 7
has "says on standard error where it listens" "$(cat "$dir/log")" "talon sut: frames $frames, control $control"
has "port file: frames" "$frames" "udp:127.0.0.1:"
has "port file: control" "$control" "tcp:127.0.0.1:"

call
ask '{"id": 1, "epoch": 1, "do": "hello", "version": 1, "tester": "by hand"}'
has "hello" "$reply" '"id":1,"epoch":1,"ok":true,"version":1,"vendor":"Talon"'
ask "{\"id\": 2, \"epoch\": 1, \"do\": \"open\", \"encap\": \"udp\", \"peer_address\": \"127.0.0.1:9\", $peer}"
has "open" "$reply" '"ok":true,"conn":"c1","local":{"cid":'
ask "{\"id\": 3, \"epoch\": 1, \"do\": \"open\", \"peer_address\": \"8.8.8.8:53\", $peer}"
has "open refuses a public peer" "$reply" 'is not loopback or private'
ask '{"id": 4, "epoch": 1, "do": "policy", "conn": "c1", "rules": [{"request": 1, "answer": "withhold"}]}'
has "policy" "$reply" '"id":4,"epoch":1,"ok":true'
ask '{"id": 5, "epoch": 1, "do": "post", "conn": "c1", "op": "push", "length": 64, "tag": 1, "seed": 2}'
has "post" "$reply" '"ok":true,"rsn":'
ask '{"id": 6, "epoch": 1, "do": "respond", "conn": "c1", "rsn": 9, "answer": "ack"}'
has "respond before the request" "$reply" '"error":"failed","why":"rsn: no request 9 is waiting'
ask 'what?'
has "garbage is answered" "$reply" '"id":0,"epoch":1,"error":"failed"'
ask '{"id": 7, "epoch": 1, "do": "dance"}'
has "an unknown command" "$reply" '"id":7,"epoch":1,"error":"unsupported"'
ask '{"id": 8, "epoch": 1, "do": "barrier"}'
has "barrier" "$reply" '"id":8,"epoch":1,"ok":true'
ask '{"id": 9, "epoch": 1, "do": "counters"}'
has "counters" "$reply" '"frames_received":0,"frames_sent":1'
ask '{"id": 10, "epoch": 1, "do": "reset", "scope": "device"}'
has "reset" "$reply" '"id":10,"epoch":1,"ok":true,"new_epoch":2'
ask '{"id": 11, "epoch": 2, "do": "close", "conn": "c1"}'
has "the old epoch's connection is gone" "$reply" '"error":"failed"'
exec 3>&-

call
ask '{"id": 1, "epoch": 1, "do": "barrier"}'
has "the next control connection begins anew" "$reply" '"id":1,"epoch":1,"ok":true'

# A dead peer: what the SUT posts fails after its retransmissions, and events say so.
ask "{\"id\": 2, \"epoch\": 1, \"do\": \"open\", \"peer_address\": \"127.0.0.1:9\", $peer, \"params\": {\"rto_ns\": 1000000}}"
ask '{"id": 3, "epoch": 1, "do": "post", "conn": "c1", "op": "pull", "length": 8, "tag": 77}'
seen=
for _ in 1 2; do
    IFS= read -r -t 10 line <&3 && seen="$seen$line "
done
has "events come unasked: completion" "$seen" '"event":"completion","conn":"c1"'
has "events come unasked: cm_error" "$seen" '"event":"cm_error","conn":"c1","what":"fatal"'
exec 3>&-
stop TERM
is "SIGTERM ends it well" "$status" 0

start --control "unix:$dir/sock" --fault own-never-set:when=wrap --fault ack-before-ulp --fault-one-in 3 --twin random
is "unix control" "$control" "unix:$dir/sock"
stop INT
is "SIGINT ends it well" "$status" 0
if [ -e "$dir/sock" ]; then not_ok "its socket file is gone"; else ok "its socket file is gone"; fi

out=$(printf '%s\n%s\n' '{"id": 1, "epoch": 1, "do": "hello", "version": 1}' '{"id": 2, "epoch": 1, "do": "barrier"}' |
    timeout 20 "$talon" sut --listen udp:127.0.0.1:0 --control stdio 2>"$dir/log")
is "stdio ends at the end of input" "$?" 0
has "stdio answers" "$out" '{"id":2,"epoch":1,"ok":true}'
is "stdio: standard output has answers only" "$(printf '%s\n' "$out" | grep -c -v '^{"id":')" 0
printf '%s\n' '{"id": 1, "epoch": 1, "do": "barrier"}' >"$dir/in"
out=$(timeout 20 "$talon" sut --listen udp:127.0.0.1:0 --control stdio <"$dir/in" 2>/dev/null)
has "stdio from a file" "$out" '{"id":1,"epoch":1,"ok":true}'

bad() { # name, pattern, options...
    local name=$1 pattern=$2 text
    shift 2
    text=$(timeout 20 "$talon" sut "$@" 2>&1 </dev/null)
    if [ $? -eq 2 ] && [ "$(printf '%s\n' "$text" | wc -l)" -eq 1 ]; then
        has "$name" "$text" "$pattern"
    else
        not_ok "$name" "status or lines: $text"
    fi
}
l=(--listen udp:127.0.0.1:0) c=(--control tcp:127.0.0.1:0)
bad "no arguments" "--listen is missing"
bad "no control" "--control is missing" "${l[@]}"
bad "unknown option" "no option '--frob'" --frob
bad "no value" "--listen needs a value" --listen
bad "listen without udp:" "expected udp:ADDR:PORT" --listen 127.0.0.1:0 "${c[@]}"
bad "a public address" "is refused" --listen udp:8.8.8.8:7777 "${c[@]}"
bad "every address" "is refused" --listen udp:0.0.0.0:7777 "${c[@]}"
bad "a public control address" "is refused" "${l[@]}" --control tcp:8.8.8.8:1
bad "control of another kind" "expected tcp:HOST:PORT or unix:PATH" "${l[@]}" --control http:127.0.0.1:1
bad "a misspelt fault" "did you mean 'own-never-set'?" "${l[@]}" "${c[@]}" --fault own-never-sett
bad "a fault by a part of its name" "did you mean 'coalescing-never'?" "${l[@]}" "${c[@]}" --fault coalescing
bad "no fault at all" "no fault 'zzzzzzzzzzzz' (talon list faults)" "${l[@]}" "${c[@]}" --fault zzzzzzzzzzzz
bad "a misspelt twin" "did you mean 'eack-always'?" "${l[@]}" "${c[@]}" --twin eack-alway
bad "a parameter that is none" "no parameter 'whn'; did you mean 'when'?" "${l[@]}" "${c[@]}" --fault own-never-set:whn=wrap
bad "one in none" "--fault-one-in '0'; expected 1 to " "${l[@]}" "${c[@]}" --fault-one-in 0
bad "a seed that is none" "--seed '-1'; expected a number" "${l[@]}" "${c[@]}" --seed -1
has "help" "$("$talon" sut --help)" "usage: talon sut"

start --control tcp:127.0.0.1:0
timeout 20 "$talon" sut --listen "$frames" --control tcp:127.0.0.1:0 2>"$dir/log2"
is "a port that is taken: status" "$?" 4
has "a port that is taken: why" "$(cat "$dir/log2")" "talon sut: cannot listen at udp:127.0.0.1:"
stop TERM
timeout 20 "$talon" sut --listen udp:127.0.0.1:0 "${c[@]}" --port-file /nonexistent/ports 2>"$dir/log2"
is "a port file that cannot be written" "$?" 4

echo "1..$n"
