#!/bin/bash
# lane: waits
# The example adapters of each level, in C and in Python, in virtual time and over UDP loopback: no case fails or is an error, what
# needs more is skipped with a line that names it, and nothing that an adapter does not support is tried again.
# shellcheck source=tests/run-lib disable=SC2154,SC2016,SC2317,SC2031 # names of commands stand in backquotes
. "$(dirname "$0")/../run-lib"
profile=(--profile docs/examples/lite.json)
few=(scenarios/6-overview scenarios/9.1.6-ack-generation)

# late STATUS: the status is 0; or it is 3, and in each inconclusive case the tester or the SUT came too late, as they may on
# a busy machine.
late() {
    [ "$1" -eq 0 ] || { [ "$1" -eq 3 ] && python3 - "$dir/results.json" <<'EOF'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
other = [(c["id"], c.get("reason")) for c in cases if c.get("verdict") == "inconclusive" and c.get("reason") not in ("late", "tester-late", "sut-late")]
print("#", other[:3])
sys.exit(bool(other))
EOF
    }
}
# quiet LEAST LINE OPTIONS...: at least so many cases pass, none fails, and one is skipped for LINE ("": none is).
quiet() {
    local least=$1 line=$2 last
    shift 2
    timeout 200 "$talon" run --verbose "$@" --report "json:$dir/results.json" >"$dir/out" 2>"$dir/err"
    late $? || ! tail -n 20 "$dir/out" "$dir/err" | sed 's/^/# /' || return 1
    last=$(tail -n 1 "$dir/out")
    echo "# $last"
    [[ $last == *" 0 failed"* && $last != *"in error"* ]] || return 1
    if [ -n "$line" ]; then grep -qF "(skipped: $line" "$dir/out"; else ! grep -q '(skipped: ' "$dir/out"; fi || return 1
    [ "$(printf '%s' "$last" | sed -n 's/^[0-9]* cases: \([0-9]*\) passed.*/\1/p')" -ge "$least" ]
}

# library LEVEL FILE [CONN.c]
library() {
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -I. -Idocs/examples -fPIC -shared "-DLITE_LEVEL=$1" -o "$2" docs/examples/lite_sut.c \
        "${3:-docs/examples/lite_conn.c}" harness/sut/sut_client.c -ljansson
}
in_c() { # level, least, line
    library "$1" "$dir/l$1.so" && quiet "$2" "$3" scenarios "${profile[@]}" --sut "lib:$dir/l$1.so"
}
is "C, L1" in_c 1 200 'needs `post` (level L2); the adapter offers L1)'
is "C, L2" in_c 2 800 'needs `policy` (level L3); the adapter offers L2)'
is "C, L3" in_c 3 1200 ""

broken() { # a break by hand in the acknowledgements shows through L1
    sed 's/p.type = fill_bitmaps(conn, &p) ? LITE_EACK : LITE_BACK;/p.type = LITE_BACK;/' docs/examples/lite_conn.c >"$dir/lite_conn.c"
    ! cmp -s "$dir/lite_conn.c" docs/examples/lite_conn.c && library 1 "$dir/broken.so" "$dir/lite_conn.c" || return 1
    "$talon" run --verbose scenarios "${profile[@]}" --sut "lib:$dir/broken.so" >"$dir/out"
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out"
}
is "a break behind L1 is detected" broken

in_python() { # level, least, line
    quiet "$2" "$3" "${few[@]}" "${profile[@]}" --shard 1/5 --sut "exec:python3 docs/examples/lite_sut.py --lockstep --level $1"
}
is "Python, L1" in_python 1 5 'needs `post` (level L2); the adapter offers L1)'
is "Python, L2" in_python 2 12 'needs '

# once: no case was attempted again for what the adapter does not support (for another reason it may be).
once() {
    python3 - "$dir/results.json" <<'EOF'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
skipped = [(c["id"], [a.get("reason") for a in c.get("attempts", [])]) for c in cases if c.get("disposition") == "skipped"]
again = [case for case, reasons in skipped if reasons and reasons[-1] in reasons[:-1]]
print("#", len(skipped), "skipped;", len(again), "tried again:", again[:3])
sys.exit(bool(again))
EOF
}
live() { # least, line, command of the SUT...
    local least=$1 line=$2 result options=()
    shift 2
    [ "$1" = python3 ] && options=("${profile[@]}")
    start_sut live "$@"
    quiet "$least" "$line" "${few[@]}" "${options[@]}" --sut "$frames" --control "$control" --retries 2 && once
    result=$?
    stop_sut "$sut"
    return "$result"
}
beside "Python, L1, live" live 10 'needs `post` (level L2); the adapter offers L1)' python3 docs/examples/lite_sut.py --level 1
beside "L1, live" live 40 'needs `post` (level L2); the adapter offers L1)' "$talon" sut --offer L1
beside "L2, live" live 100 'needs `policy` (level L3); the adapter offers L2)' "$talon" sut --offer L2
beside "without policy, live" live 100 'needs `policy` (withhold), which the adapter answered with "unsupported' "$talon" sut --without policy
beside "without barrier and counters, live" live 120 "" "$talon" sut --without barrier,counters
beside "without local, live" live 100 "the SUT has " "$talon" sut --without local
beside "a fixed MTU and window, live" live 100 "the SUT has " "$talon" sut --fixed mtu=1500,tx_window_data=512
done_beside
done_testing
