#!/bin/bash
# lane: works
# Excuses do not add up to a pass (docs/judging.md, sections 3 and 18): a SUT that answers 30 of 3,000 packets, over a path
# that loses practically nothing, passes neither a run nor the judgement of a capture. Each lost answer by itself is excused.
# TAP.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

# ---- a run ----

scenario() { # id, parameters of the connection
    cat >"$dir/$1.json" <<END
{"schema": "talon/scenario/1", "id": "$1", "title": "3,000 pushes, one after another", "purpose": "All pushes complete.",
 "class": "valid", "covers": ["FTP-8.5.3.3-02"], "version": 1, "connection": {"params": {$2, "coalescing": "400us"}},
 "workload": [{"side": "tester", "count": 3000, "pulls": "0%", "length": "1", "outstanding": 1, "within": "60s"}],
 "steps": [{"await": "workload"}]}
END
}
scenario each-asks '"fcwnd": "8", "ar_threshold": "8"'                      # each push has AR
scenario none-asks '"fcwnd": "64", "ar_threshold": "1", "ar_percent": "1"' # one in 100 has
path=latency=50us,loss=0.0001%
ran() { # status due, words of the console that are due (a pattern), scenario, options of talon run...
    local due=$1 words=$2 scenario=$3 got
    shift 3
    rm -rf "$dir/evidence"
    "$talon" run --verbose "$dir/$scenario.json" --network "$path" --out "$dir/evidence" --keep all --report markdown:"$dir/run.md" \
        --report html:"$dir/run.html" "$@" >"$dir/out"
    got=$?
    [ $got = "$due" ] && tr '\n' ' ' <"$dir/out" | grep -q -- "$words" && return 0
    sed 's/^/# /' "$dir/out"
    echo "# status $got"
    return 1
}
reads() { # rule, its verdict, held, excused by out-loss: in the results of the case
    python3 - "$dir/evidence/results.json" "$@" <<'END'
import json, sys
file, rule, verdict, held, lost = sys.argv[1:]
cases = json.load(open(file))["cases"]
got = [r for r in cases[0]["rules"] if r["rule"] == rule and r["subject"] == "sut"]
seen = [(r["verdict"], r["holds"], r["excused"].get("out-loss", 0)) for r in got]
if cases[0]["verdict"] != "pass" or seen != [(verdict, int(held), int(lost))]:
    sys.exit(f"# {cases[0]['verdict']}, {rule}: {seen}")
END
}
proof() { # requirement, what the report says of it; and its heading
    grep -q "id=\"r-$1\" data-v=\"$2\"" "$dir/run.html" && grep -q "<title>Talon: $3," "$dir/run.html" && grep -q "^# .* Talon: $3\$" "$dir/run.md" && return 0
    grep -o "^# .* Talon.*\|id=\"r-$1\" data-v=\"[^\"]*\"" "$dir/run.md" "$dir/run.html" | sed 's/^/# /'
    return 1
}
again() { # status: the evidence, and a report of it, come to the same
    "$talon" check "$dir/evidence" >"$dir/out"
    [ $? = "$1" ] && tail -1 "$dir/out" | grep -q 'all as recorded$' && "$talon" report merge "$dir/evidence/results.json" >/dev/null
    [ $? = "$1" ]
}
alone='1 case: 1 passed, 0 failed (seed 1)'
beyond='1 case: 1 passed, 0 failed; 1 rule inconclusive over the run (seed 1)'
is "each push is answered at once: pass" ran 0 "$alone" each-asks --sut builtin
is "... A2 held" reads A2 pass 3000 0
is "... A3 held" reads A3 pass 3000 0
is "... the requirement is watched, the headings say pass" proof FTP-9.1.6-03 watched pass
is "... the evidence comes to the same" again 0
is "30 of 3,000 are answered at once: inconclusive" \
    ran 3 "rule A3 reads inconclusive over the run: it needed out-loss for 2970 of 3000 packets.*$beyond" each-asks --sut builtin:fault=ar-ignored:from=31
is "... A3 does not read pass" reads A3 inconclusive 30 2970
is "... the requirement is undecided, the headings say inconclusive" proof FTP-9.1.6-03 undecided inconclusive
is "... the evidence comes to the same" again 3
is "one in 40 is not answered at once, more than the path loses: inconclusive" \
    ran 3 "rule A3 reads inconclusive over the run: it needed out-loss for [0-9]* of 3000 packets.*$beyond" each-asks --sut builtin:fault=ar-ignored:one-in=40
is "60 of 3,000 are acknowledged in time: inconclusive" \
    ran 3 "rule A2 reads inconclusive over the run: it needed out-loss for 2940 of 3000 packets.*$beyond" none-asks --sut builtin:fault=coalescing-doubled:from=31
is "... A2 does not read pass" reads A2 inconclusive 60 2940
is "... the requirement is undecided, the headings say inconclusive" proof FTP-9.1.6-07 undecided inconclusive
path=latency=50us,loss=3%
is "a path that loses ACKs, and was measured, is believed: pass" \
    ran 0 "[1-9][0-9]* of [0-9]* on the way from the SUT $alone" each-asks --sut builtin

# ---- a capture ----

cat >"$dir/c.json" <<'END'
[{"name": "c", "sut": {"cid": 273, "address": "10.0.0.2", "req_psn": 70, "data_psn": 50, "rsn": 9},
  "tester": {"cid": 546, "address": "10.0.0.1", "req_psn": 200, "data_psn": 100, "rsn": 1}}]
END
for lost in 0 100; do
    printf '{"schema": "talon/path-check/1", "limits": {"delay_max_ns": 1000}, "paths": [{"sent": 10000, "received": %d}]}\n' \
        $((10000 - lost)) >"$dir/lost-$lost.json"
done
capture() { # pulls with AR, how many of them are answered in time
    for ((i = 0; i < $1; i++)); do
        printf '@%dus > pull_request cid=0x111 psn=%d rsn=%d dbase=100 rbase=70 len=4 ar\n' $((i * 10000)) $((200 + i)) $((1 + i))
        printf '@%dus < back cid=0x222 dbase=100 rbase=%d\n' $((i * 10000 + (i < $2 ? 10 : 9000))) $((201 + i))
    done >"$dir/capture.txt"
    "$talon" encode "$dir/capture.txt" --out "$dir/capture.pcap"
}
judged() { # pulls, answered, verdict of A2 and A3, status due, options...
    local verdict=$3 due=$4 got
    capture "$1" "$2"
    shift 4
    "$talon" check "$dir/capture.pcap" --connections "$dir/c.json" --turnaround 0 --pipeline 0 --lossless-in --delay-max 1us \
        --param coalescing=5ms "$@" >"$dir/out"
    got=$?
    [ $got = "$due" ] && grep -q "^ *$verdict  *A2 .*10.0.0.2" "$dir/out" && grep -q "^ *$verdict  *A3 .*10.0.0.2" "$dir/out" && return 0
    grep ' A[23] \|judged$' "$dir/out" | sed 's/^/# /'
    echo "# status $got"
    return 1
}
is "30 of 3,000 answered, the path is not known: inconclusive" judged 3000 30 inconclusive 3
for lost in 0 100; do
    is "30 of 3,000 answered, the path lost $lost of 10,000: inconclusive" judged 3000 30 inconclusive 3 --path-check "$dir/lost-$lost.json"
done
# The least number of losses that is not believed, of a path that lost so many of 10,000 probes.
for row in "0 100 3" "0 300 4" "0 1000 6" "0 3000 10" "100 100 10" "100 300 16" "100 1000 31" "100 3000 67"; do
    read -r lost n k <<<"$row"
    is "$((k - 1)) of $n lost, as are $lost of 10,000 probes: pass" judged "$n" $((n - k + 1)) pass 0 --path-check "$dir/lost-$lost.json"
    is "$k of $n lost, as are $lost of 10,000 probes: the capture is inconclusive" judged "$n" $((n - k)) pass 3 --path-check "$dir/lost-$lost.json"
done
# How much a rule must have decided. The status counts what was beyond belief alone.
is "58 decided, 1 open: no pass" judged 59 58 inconclusive 0
is "59 decided, 1 open: pass" judged 60 59 pass 0
is "58 decided, none open: pass" judged 58 58 pass 0

done_testing
