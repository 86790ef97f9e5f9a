#!/bin/bash
# lane: waits
# A live run does no harm: it sends to nobody else, no more than is allowed, nothing that may wedge a device unless it
# is asked to, and nothing once nobody watches it; and what it began ends with it.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
case=scenarios/8-transactions/push-target.json

# ---- where to ----
refused() { # words, options...
    local words=$1
    shift
    "$talon" run --verbose "$case" "$@" >"$dir/out" 2>&1
    [ $? -ge 2 ] && grep -q -- "$words" "$dir/out" || ! sed 's/^/# /' "$dir/out"
}
nobody=tcp:127.0.0.1:1 # listens there: no run gets as far as a frame
is "a public address is refused" refused "is refused" --sut udp:203.0.113.9:7777 --control "$nobody"
is "but not one that the user names" refused "cannot connect to tcp:127.0.0.1:1" --sut udp:203.0.113.9:7777 --control "$nobody" --allow 203.0.113.9
is "another one is refused all the same" refused "is refused" --sut udp:203.0.113.8:7777 --control "$nobody" --allow 203.0.113.9
is "so is a public control channel" refused "is refused" --sut udp:127.0.0.1:7777 --control tcp:203.0.113.9:1
is "a public address at an interface" refused "not loopback, private" --sut raw:lo,203.0.113.9 --control "$nobody"
is "IPv6: a public address" refused "is refused" --sut "udp:[2001:db8::9]:7777" --control "$nobody"
for host in 0.0.0.0 255.255.255.255 224.0.0.1 :: ff02::1; do
    is "--allow $host: not a single host" refused "not the address of a single host" --sut udp:127.0.0.1:7777 --control "$nobody" --allow $host
done
is "--allow of what is no address" refused "not a numeric IPv4 or IPv6 address" --sut udp:127.0.0.1:7777 --control "$nobody" --allow example.org

# ---- scenarios of our own ----
scenario() { # id, tags, steps
    cat <<EOF
{"schema": "talon/scenario/1", "id": "$1", "version": 1, "class": "inopportune", "title": "Frames", "purpose": "To be counted.",
 "covers": ["FTP-9.2.2-01"], "tags": [$2], "steps": [$3]}
EOF
}
scenario wedging '"may-wedge"' '"> back"' >"$dir/wedging.json"
scenario many '' '{"repeat": 100, "steps": ["> back"]}' >"$dir/many.json"
scenario long '' '{"repeat": 400, "steps": ["> back", {"wait": "20ms"}]}' >"$dir/long.json"
start_sut plain "$talon" sut

# ---- what ----
wedging() { # words, options...
    local words=$1
    shift
    "$talon" run --verbose "$dir/wedging.json" --sut "$frames" --control "$control" "$@" >"$dir/out" 2>&1
    grep -q "$words" "$dir/out" || ! sed 's/^/# /' "$dir/out"
}
is "what may wedge a device is skipped" wedging '1 skipped'
is "unless it is asked for" wedging '1 passed' --allow may-wedge

# ---- how much ----
paced() { # least milliseconds, options...
    local least=$1 begin=${EPOCHREALTIME/./}
    shift
    "$talon" run --verbose "$dir/many.json" --sut "$frames" --control "$control" --retries 0 "$@" >"$dir/out" 2>&1
    [ $? -ne 1 ] && grep -q '^1 case' "$dir/out" && [ $(((${EPOCHREALTIME/./} - begin) / 1000)) -ge "$least" ] || ! sed 's/^/# /' "$dir/out"
}
is "no more frames a second than are allowed" paced 900 --rate 100
is "no more bytes a second" paced 900 --byte-rate 2000
is "a rate that is none" refused "--rate 'much'; expected 0 to 1000000000000" --sut udp:127.0.0.1:7777 --control "$nobody" --rate much

# ---- for whom ----
# Begins a run by a shell that is then killed; the tester's process is in $dir/pid.
orphan() { # options...
    rm -f "$dir/pid"
    # shellcheck disable=SC2016 # for the shell within
    bash -c '"$@" >"$0/orphan.out" 2>&1 & echo $! >"$0/pid"; wait' "$dir" "$talon" run --verbose "$dir/long.json" --sut "$frames" --control "$control" --timeout 30 "$@" &
    local shell=$!
    for _ in $(seq 200); do
        [ -s "$dir/pid" ] && break
        sleep 0.02
    done
    sleep 1
    kill -KILL "$shell"
    wait "$shell" 2>/dev/null
    sleep 0.5
}
gone() {
    orphan
    for _ in $(seq 100); do
        kill -0 "$(cat "$dir/pid")" 2>/dev/null || break
        sleep 0.05
    done
    ! kill -0 "$(cat "$dir/pid")" 2>/dev/null && grep -q "the process that started talon is gone" "$dir/orphan.out" || ! sed 's/^/# /' "$dir/orphan.out"
}
is "a run whose parent is gone sends nothing more, and ends" gone
stays() {
    orphan --outlive-parent
    kill -0 "$(cat "$dir/pid")" && kill -KILL "$(cat "$dir/pid")"
}
is "unless it is told to outlive it" stays
stop_sut "$sut"

hung_up() {
    start_sut closing "$BUILD/tests/live/hostile_sut" --mode close=14
    "$talon" run --verbose "$dir/long.json" --sut "$frames" --control "$control" --retries 0 >"$dir/out" 2>&1
    local status=$?
    stop_sut "$sut"
    [ $status -eq 4 ] && grep -q 'closed' "$dir/out"
}
is "a run whose control channel is gone sends nothing more" hung_up

# ---- what it began ----
# A SUT that --sut-exec brought back, and a process that hid in a session of its own, end with the tester.
alive() { kill -0 "$(cat "$1")" 2>/dev/null; }
children() { # signal
    rm -f "$dir"/again.* "$dir/hidden.pid"
    start_sut dying "$BUILD/tests/live/hostile_sut" --mode die-after=14
    cat >"$dir/restart" <<EOF
setsid bash -c 'echo \$\$ >"$dir/hidden.pid"; exec sleep 100' >/dev/null 2>&1 </dev/null &
"$talon" sut --listen $frames --control $control --port-file "$dir/again.ports" >/dev/null 2>&1 </dev/null &
echo \$! >"$dir/again.pid"
until [ -s "$dir/again.ports" ]; do sleep 0.05; done
EOF
    "$talon" run --verbose "$dir/long.json" --sut "$frames" --control "$control" --retries 0 --repeat 3 --timeout 30 --sut-exec "bash $dir/restart" >"$dir/out" 2>&1 &
    local tester=$!
    for _ in $(seq 500); do
        [ -s "$dir/again.ports" ] && break
        sleep 0.02
    done
    sleep 0.5
    alive "$dir/again.pid" && alive "$dir/hidden.pid" || return 1
    [ "$1" = none ] || kill "-$1" "$tester"
    wait "$tester" 2>/dev/null
    sleep 0.5
    ! alive "$dir/again.pid" && ! alive "$dir/hidden.pid"
}
is "what --sut-exec left ends with a tester that is killed" children KILL
is "and with one that is asked to end" children TERM
done_testing
