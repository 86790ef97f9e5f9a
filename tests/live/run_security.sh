#!/bin/bash
# lane: waits
# Security on the wire, and of the process: every sealed encapsulation over UDP, over raw frames, in lockstep; keys that
# rotate, replays and SPIs live; PSP on its own port; what talon may do is given up once its links are open, and what it lacks
# is one clear error.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
suite=scenarios/9.2.2-security

calm() { no_finding "$dir/out"; }
exec_sut="exec:$talon sut --lockstep"
lockstep() { "$talon" run --verbose "$suite" --sut "$exec_sut" --encap "$1" --shard "$2" >"$dir/out" && calm; }
i=0
start_sut whole "$talon" sut
for encap in psp_transport psp_tunnel esp_transport esp_tunnel; do
    i=$((i + 1))
    live() { "$talon" run --verbose "$suite" --sut "$frames" --control "$control" --encap "$encap" --shard "$i/16" --retries 4 >"$dir/out" && calm; }
    is "UDP, $encap" live
    is "lockstep, $encap" lockstep "$encap" "$i/8"
done
rotations() { "$talon" run --verbose "$suite" --id 'rotation-*' --id 'spi-two-rotations*' --shard 1/3 --sut "$frames" --control "$control" --encap "$1" --retries 4 >"$dir/out" && calm; }
is "UDP: keys rotate in mid-run, PSP" rotations psp_transport
is "UDP: keys rotate in mid-run, ESP" rotations esp_tunnel
stop_sut "$sut"

# ---- faults of who seals ----

told() { # fault, scenarios: what a fault does shows on the wire
    local status
    start_sut "bad-$1" "$talon" sut --fault "$1"
    for _ in 1 2 3; do # a tester that came late says nothing
        "$talon" run --verbose "$suite" --id "$2" --sut "$frames" --control "$control" --retries 6 --fail-fast >"$dir/out"
        [ $? = 1 ] && grep -q "^FAIL *${2%?}" "$dir/out"
        status=$?
        [ $status -eq 0 ] && break
    done
    stop_sut "$sut"
    return $status
}
is "a replay that is taken is told" told replay-unchecked 'replay-dropped*'
is "an SPI that is taken is told" told spi-unchecked 'spi-unknown*'
is "an SPI that is forgotten too soon is told" told previous-spi-refused 'spi-previous*'

# ---- keys by file ----

echo '{"master_keys": ["'"$(printf '%064d' 1)"'", "'"$(printf '%064d' 2)"'"]}' >"$dir/psp.json"
python3 -c '
import json
print(json.dumps({"sas": [{"spi": hex(0x1000 + n), "algorithm": "aes-gcm-128", "key": "%032x" % n, "salt": "%08x" % n} for n in range(1, 400)]}))' >"$dir/esp.json"
start_sut keyed "$talon" sut --psp-keys "$dir/psp.json" --esp-keys "$dir/esp.json"
by_file() { # encapsulation, scenarios
    "$talon" run --verbose "$suite" --id "$2" --sut "$frames" --control "$control" --encap "$1" --psp-keys "$dir/psp.json" --esp-keys "$dir/esp.json" --out "$dir/filed" --keep all \
        --retries 4 >"$dir/out" && calm
}
is "PSP's keys by file, derived from master keys" by_file psp_tunnel 'sealed-requests*'
unsaid() { ! cat "$dir"/filed/*/timeline.jsonl | grep '"event":"reply"' | grep -q '"key'; }
is "the control channel names no key of the SUT" unsaid
rm -rf "$dir/filed"
is "they rotate" by_file psp_transport 'rotation-under-traffic-sut@mode=transport,count=20,*'
rm -rf "$dir/filed"
is "ESP's keys by file, SA by SA" by_file esp_tunnel 'sealed-answers*'
rm -rf "$dir/filed"
other_keys() {
    sed 's/1"/3"/' "$dir/psp.json" >"$dir/other.json"
    "$talon" run --verbose "$suite" --id 'sealed-requests*' --shard 1/8 --sut "$frames" --control "$control" --encap psp_transport --psp-keys "$dir/other.json" --retries 0 >"$dir/out"
    [ $? != 0 ]
}
is "other keys open nothing" other_keys
no_file() { "$talon" run --verbose "$suite" --id 'sealed-requests*' --shard 1/8 --sut "$frames" --control "$control" --encap psp_transport >"$dir/out" 2>"$dir/err"; [ $? = 4 ] && [ ! -s "$dir/out" ] && grep -q -- '--encap psp_transport: .*no key for SPI.*--psp-keys' "$dir/err"; }
is "an SPI without key or file is an error" no_file
bad_file() { "$talon" run --verbose "$suite" --psp-keys "$dir/esp.json" >"$dir/out" 2>&1; [ $? = 2 ] && grep -q 'psp-keys:.*esp.json' "$dir/out" && [ "$(wc -l <"$dir/out")" = 1 ]; }
is "a file that is none is told" bad_file
stop_sut "$sut"

# ---- PSP on its own port ----

port_1000() {
    "$talon" sut --listen udp:127.0.0.2:1000 --control tcp:127.0.0.1:0 --port-file "$dir/psp.ports" 2>"$dir/psp.log" &
    sut=$!
    suts+=("$sut")
    for _ in $(seq 200); do [ -s "$dir/psp.ports" ] && break; kill -0 "$sut" 2>/dev/null || return 1; sleep 0.02; done
    read -r frames control <"$dir/psp.ports"
    "$talon" run --verbose "$suite" --id 'sealed-requests*' --shard 1/4 --sut "$frames,from=127.0.0.1:1000" --control "$control" --encap psp_transport >"$dir/out" && calm
    local status=$?
    stop_sut "$sut"
    return $status
}
if [ "$(id -u)" = 0 ]; then
    is "PSP from port 1000 to port 1000, two addresses of one host" port_1000
else
    is "PSP from port 1000 to port 1000 # SKIP needs root" true
fi

# ---- privileges ----

given_up() { # pid
    grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$1/status" &&
        [ "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):[[:space:]]*0+$' "/proc/$1/status")" = 4 ]
}
start_sut calm "$talon" sut
is "talon sut: no capability is left, and none to be had" given_up "$sut"
while_it_runs() {
    "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "$frames" --control "$control" --repeat 100 "$@" >"$dir/out" 2>&1 &
    local pid=$! i
    for i in $(seq 100); do
        given_up "$pid" 2>/dev/null && break
        sleep 0.02
    done
    kill -0 "$pid" && given_up "$pid"
    local status=$?
    kill "$pid"
    wait "$pid"
    return $status
}
is "talon run: the same" while_it_runs
laid_aside() {
    "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "$frames" --control "$control" --repeat 100 --sut-exec true >"$dir/out" 2>&1 &
    local pid=$!
    sleep 0.5
    grep -qE '^CapEff:[[:space:]]*0+$' "/proc/$pid/status"
    local status=$?
    kill "$pid"
    wait "$pid"
    return $status
}
is "with --sut-exec they are laid aside" laid_aside
stop_sut "$sut"

lacks() { # words, options...
    local words=$1
    shift
    setpriv --bounding-set=-all --inh-caps=-all "$talon" "$@" >"$dir/out" 2>&1
    [ $? -ge 2 ] && grep -q "$words" "$dir/out" && return 0
    head -n 3 "$dir/out" | cut -c1-200 | sed 's/^/# /'
    return 1
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    is "raw without CAP_NET_RAW names it and the command" lacks 'needs CAP_NET_RAW: sudo setcap cap_net_raw+ep /' \
        run scenarios/8-transactions/push-target.json --sut raw:lo,127.0.0.1 --control tcp:127.0.0.1:1
    if setpriv --bounding-set=-all --inh-caps=-all timeout 1 "$talon" sut --listen udp:127.0.0.2:1000 --control tcp:127.0.0.1:0 2>/dev/null; [ $? = 124 ]; then
        is "port 1000 without privilege # SKIP this system gives it to everybody" true
    else
        is "port 1000 without CAP_NET_BIND_SERVICE likewise" lacks 'needs CAP_NET_BIND_SERVICE: sudo setcap cap_net_bind_service+ep /.*sysctl' \
            sut --listen udp:127.0.0.2:1000 --control tcp:127.0.0.1:0
    fi
else
    is "lacking privileges # SKIP needs root and setpriv" true
fi
unwritable() { "$talon" run --verbose scenarios/8-transactions/push-target.json --report "json:$dir/no/such" >"$dir/out" 2>&1; [ $? = 4 ] && ! grep -q pass "$dir/out"; }
is "a report that cannot be written is told before anything runs" unwritable
done_testing
