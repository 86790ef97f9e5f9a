#!/bin/bash
# lane: works
# talon cc golden and judge. golden: the vectors are those of tests/data/cc, agree with the reference model, and a
# result that was changed is named by its first field. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
data=tests/data/cc

prints() { # FORMAT
    "$talon" cc golden --format "$1" >"$dir/out" && diff "$dir/out" "$data/golden-$1.jsonl" >&2
}
# status N, TEXT, ARGUMENTS...: the exit status, and a line of output that begins with TEXT.
status() {
    local due=$1 text=$2
    shift 2
    "$talon" cc "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
# change ID, MEMBER, BIT: $dir/changed with one bit of an entry of the vector inverted (bit 0 is
# the most significant bit of byte 0).
change() {
    python3 - "$@" "$data/golden-table-msb.jsonl" "$dir/changed" <<'END'
import json
import sys

vector, member, bit, source, target = sys.argv[1:]
with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
    for text in lines:
        line = json.loads(text)
        if line["id"] == vector:
            line[member] = f"{int(line[member], 16) ^ 1 << 511 - int(bit):0128x}"
        out.write(json.dumps(line) + "\n")
END
}
differs() { # ID, BIT, TEXT: the only difference
    change "$1" result "$2" && status 1 "$dir/changed:$(grep -n "\"id\": \"$1\"" "$dir/changed" | cut -d: -f1): $1: $3" \
        golden --check "$dir/changed" && grep -q '^1 of 39 vectors differ' "$dir/out"
}
one() { # TEXT...: a file with the lines
    printf '%s\n' "$@" >"$dir/one"
}
wrong() { # POSITION: SENTENCE; the line is in $dir/one
    status 2 "talon cc: $dir/one:$1" golden --check "$dir/one"
}
line=$(head -n 1 "$data/golden-table-msb.jsonl")

is "golden prints table-msb" prints table-msb
is "golden prints gen1-lsb" prints gen1-lsb
is "table-msb is the default" cmp -s <("$talon" cc golden) "$data/golden-table-msb.jsonl"
is "the vectors agree" status 0 "39 vectors agree with the reference model" golden --check "$data/golden-table-msb.jsonl"
is "... and those of gen1-lsb" status 0 "39 vectors agree with the reference model" golden --check "$data/golden-gen1-lsb.jsonl"
is "a file in the other format differs" status 1 "39 of 39 vectors differ" golden --format gen1-lsb --check <(sed 's/"format":"table-msb",//' "$data/golden-table-msb.jsonl")
is "a window that is too large by 1/1024 is found" differs G3 58 "fcwnd: expected 22487/1024 packet, found 22486/1024 packet"
is "a wrong marker is found" differs G9 148 "fabric_window_time_marker: expected 16776966, found 16776967"
is "a wrong direction is found" differs N1 173 "ncwnd_direction: expected increase, found decrease"
is "a path that is not drawn is found" differs P1.05 24 "randomize_path: expected 1, found 0"
is "reserved bits are found" differs R1 511 "reserved_2: expected 0, found bits that are not 0"
change N4 result 173
is "the direction of a window that stays is free" status 0 "39 vectors agree" golden --check "$dir/changed"
change P1.01 event 263
is "events are calculated anew, not looked up" status 0 "39 vectors agree" golden --check "$dir/changed"

one "$line" '{"id": "X", '
is "a broken line has its place" wrong "2:12: expected a JSON object"
one "${line/\"event\":\"/\"event\":\"0}"
is "an entry of 129 digits" wrong "1:$(($(grep -ob '"event":' <<<"$line" | cut -d: -f1) + 9)): event: expected 128 hex digits, found 129 characters"
one "${line/\"event\":\"0/\"event\":\"x}"
is "an entry that is no hex" wrong "1:$(($(grep -ob '"event":' <<<"$line" | cut -d: -f1) + 9)): event: expected 128 hex digits, found another character"
one "${line/\"now_ticks\":100000,/}"
is "a missing member" wrong "1:1: the member 'now_ticks' is missing"
one "${line/now_ticks/now_tick}"
is "an unknown member" wrong "1:$(($(grep -ob '"now_ticks":' <<<"$line" | cut -d: -f1) + 1)): there is no member 'now_tick'; did you mean 'now_ticks'?"
one "${line/now_ticks\":100000/now_ticks\":16777216}"
is "a time beyond 24 bits" wrong "1:$(($(grep -ob '"now_ticks":' <<<"$line" | cut -d: -f1) + 13)): now_ticks: expected a number from 0 to 16777215"
one "${line/\"max_fcwnd\":256/\"max_fcwnd\":4096}"
is "a parameter out of range" wrong "1:$(($(grep -ob '"max_fcwnd":' <<<"$line" | cut -d: -f1) + 13)): max_fcwnd: expected a number from 1 to 2047"
one "${line/\"max_fcwnd\":256/\"max_fcwd\":256}"
is "an unknown parameter" wrong "1:$(($(grep -ob '"max_fcwnd":' <<<"$line" | cut -d: -f1) + 1)): params: there is no parameter 'max_fcwd'; did you mean max_fcwnd"
one "${line/\"max_fcwnd\":256/\"max_fcwnd\":0.001}"
is "a limit below its range" wrong "1:$(($(grep -ob '"max_fcwnd":' <<<"$line" | cut -d: -f1) + 13)): max_fcwnd: expected a number from 1 to 2047"
one "${line/table-msb/msb}"
is "an unknown format" wrong "1:$(($(grep -ob '"format":' <<<"$line" | cut -d: -f1) + 10)): format: expected \"table-msb\" or \"gen1-lsb\""
one "${line/reset/new}"
is "an unknown state" wrong "1:$(($(grep -ob '"state":' <<<"$line" | cut -d: -f1) + 9)): state: expected \"reset\" or \"keep\""
one '[1]'
is "a line that is no object" wrong "1:1: expected a JSON object"
one ''
is "a file without a vector" status 2 "there is no vector in it" golden --check "$dir/one"
is "a file that is not there" status 2 "talon cc: $dir/none: No such file" golden --check "$dir/none"
echo '{"schema": "talon/ics/1", "items": {"swift": false}}' >"$dir/ics.json"
echo '{"schema": "talon/ixit/1", "params": {}, "swift": {"base_delay_target": 250}}' >"$dir/ixit.json"
echo '{"schema": "talon/ixit/1", "params": {}, "swift": {"bta": 250}}' >"$dir/bad.json"
is "measure: the defaults are inside" status 0 "target_rx_buffer_level" measure --sut builtin:cc=swift
is "measure: a wrong value is outside" status 1 "230  outside" measure --sut builtin:cc=swift --declared base_delay_target=230
is "measure: a mistake is outside" status 1 "8  outside" measure --sut builtin:cc=swift,fault=hops-not-scaled
is "measure: no SUT" status 2 "expected --sut builtin:cc=swift" measure
is "measure: windows are fixed" status 2 "the SUT has no Swift" measure --sut builtin
is "measure: a parameter is set" status 1 "191  outside" measure --sut builtin:cc=swift --set base_delay_target=230 --declared base_delay_target=191
is "measure: no seal, no T1" status 2 "there are none; expected psp_transport" measure --sut builtin:cc=swift --encap udp
is "measure: a live SUT without control" status 2 "need --control" measure --sut udp:127.0.0.1:9
is "measure: windows of a program are fixed" status 4 "window does not fall" measure --sut "exec:$talon sut --lockstep"
is "measure: a program that ends" status 4 "ended with exit status 1" measure --sut exec:false
is "measure: the ICS denies Swift" status 4 "ICS item 'swift'" measure --sut builtin:cc=swift --ics "$dir/ics.json"
is "measure: the IXIT declares" status 1 "250  outside" measure --sut builtin:cc=swift --ixit "$dir/ixit.json"
is "measure: the IXIT is wrong" status 2 "expected names of talon help swift, found 'bta'" measure --sut builtin:cc=swift --ixit "$dir/bad.json"
json_of_measure() {
    "$talon" cc measure --sut builtin:cc=swift --json >"$dir/out" && python3 - "$dir/out" <<'PY'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["schema"] == "talon/cc-measure/1" and len(told["parameters"]) == 6 and len(told["falls"]) > 5, told
assert all(p["low"] <= p["declared"] <= p["high"] and p["outside"] is False for p in told["parameters"]), told
PY
}
is "measure: as JSON" json_of_measure
pictures() { # the same bytes for a seed, and each is XML
    for n in 1 2; do
        "$talon" cc measure --sut builtin:cc=swift --report "html:$dir/page$n" --plots "$dir/plots$n" >/dev/null || return 1
    done
    cmp "$dir/page1" "$dir/page2" && diff -r "$dir/plots1" "$dir/plots2" && [ "$(ls "$dir/plots1" | tr '\n' ' ')" = "measure-fall.svg measure-level.svg measure-rise.svg measure-target.svg " ] &&
        python3 - "$dir/page1" "$dir"/plots1/*.svg <<'PY'
import re, sys, xml.etree.ElementTree as xml
page = open(sys.argv[1]).read()
assert page.count("<svg") == 4 and page.count(">inside<") == 6 and ">outside<" not in page
for path in sys.argv[2:]:
    root = xml.parse(path).getroot()
    shapes = [e.tag.split("}")[1] for e in root.iter()]
    assert shapes.count("polyline") == 2 and shapes.count("circle") > 2, (path, shapes)
    for number in re.findall(r'(?:cx|cy)="([0-9.]+)"', open(path).read()):
        assert 0 <= float(number) <= 720, (path, number)
PY
}
is "measure: pictures" pictures
is "measure: a picture cannot be written" status 4 "page: No such file or directory" measure --sut builtin:cc=swift --report "html:$dir/none/page"
is "measure: no such report" status 2 "expected html:FILE" measure --sut builtin:cc=swift --report pdf:x
live() { # over UDP and PSP; the target is far above what a busy machine adds to a delay. A machine that is too busy is no failure.
    "$talon" sut --listen udp:127.0.0.1:0 --control tcp:127.0.0.1:0 --cc swift --port-file "$dir/ports" 2>/dev/null &
    local sut=$! port control rc
    for _ in $(seq 100); do
        [ -s "$dir/ports" ] && break
        sleep 0.1
    done
    read -r port control <"$dir/ports"
    "$talon" cc measure --sut "$port" --control "$control" --set base_delay_target=16000 --set topology_scaling_per_hop=600 --timeout 90 --json >"$dir/out" 2>"$dir/err"
    rc=$?
    "$talon" cc measure --sut "$port" --control "$control" --timeout 1 >"$dir/out2" 2>&1
    grep -q "took more than 1 s" "$dir/out2" || return 1
    kill "$sut"
    wait "$sut"
    grep -q "took more than 90 s" "$dir/err" && return 0
    [ $rc -eq 0 ] && python3 - "$dir/out" <<'PY'
import json, sys
told = {p["name"]: p for p in json.load(open(sys.argv[1]))["parameters"]}
target, hop = told["base_delay_target"], told["topology_scaling_per_hop"]
assert target["outside"] is False and hop["outside"] is False, told
assert 8000 < target["low"] and target["high"] < 32000, target
assert told["target_rx_buffer_level"]["declared"] is None, told
PY
}
is "measure: a live SUT over PSP" live
silent() { # a SUT that stops answering: one error, in time
    rm -f "$dir/ports"
    "$talon" sut --listen udp:127.0.0.1:0 --control tcp:127.0.0.1:0 --cc swift --port-file "$dir/ports" 2>/dev/null &
    local sut=$! port control rc
    for _ in $(seq 100); do
        [ -s "$dir/ports" ] && break
        sleep 0.1
    done
    read -r port control <"$dir/ports"
    (sleep 2 && kill -STOP "$sut") &
    timeout 60 "$talon" cc measure --sut "$port" --control "$control" --timeout 40 >"$dir/out" 2>&1
    rc=$?
    kill -KILL "$sut"
    wait
    [ $rc -eq 4 ] && [ "$(wc -l <"$dir/out")" -eq 1 ] && grep -q "talon cc: measure: the SUT" "$dir/out"
}
is "measure: a live SUT that stops" silent
is "measure: no such parameter" status 2 "there is no parameter 'beta'" measure --sut builtin:cc=swift --declared beta=1
is "measure: a file that cannot be" status 2 "--out $dir: Is a directory" measure --sut builtin:cc=swift --out "$dir"
is "no action" status 2 "no action given; expected 'golden', 'judge' or 'measure'"
is "an unknown action" status 2 "no action 'silver'; expected 'golden', 'judge' or 'measure'" silver
random() { # nothing that is read makes it crash
    local i
    for i in $(seq 20); do
        head -c $((i * 37)) /dev/urandom >"$dir/noise"
        "$talon" cc golden --check "$dir/noise" >"$dir/out" 2>&1
        [ $? = 2 ] || return 1
    done
}
is "noise is refused" random
parameters() {
    "$talon" help swift >"$dir/out" && [ "$(grep -c ' 10\.5\.[1-4] ' "$dir/out")" = 24 ] &&
        grep -qE '^min_fcwnd +0\.01 +0\.0009765625\.\.2047 +packets +10\.5\.1 ' "$dir/out"
}
is "help swift prints the parameters" parameters

# ---- judging ----

is "the model is allowed" status 0 "all 2000 results are what 10.3 and 10.4 allow" judge model --events 500
is "... and its readings are told" grep -q '^reading AMB-77: a real delay target$' "$dir/out"
is "... and the width of the band" grep -qE '^fcwnd +[0-9]+/1024 +2000 +9[0-9.]+ %$' "$dir/out"
is "a fault is told with its requirement" status 1 "violated FTP-10.3.1-08: " judge model:fault=marker-kept --events 300
is "... ten results at most, one by one" [ "$(grep -c '^round ' "$dir/out")" = 10 ]
repeated() { # a trace of an engine is judged like the engine
    "$talon" cc judge model:fault=guard-ignored --events 200 --rounds 1 --out "$dir/trace" | sed 's/^round 1, event /: 1./' >"$dir/told"
    "$talon" cc judge "$dir/trace" | sed 's/^[^ ]*: 1[.]/: 1./' | diff "$dir/told" - >&2
}
is "its trace is judged in the same way" repeated
is "golden vectors are judged" status 0 "all 39 results are" judge tests/data/cc/golden-gen1-lsb.jsonl
is "an unknown fault" status 2 "did you mean 'guard-ignored'?" judge model:fault=guard-ignord
is "faults are listed" grep -q '^guard-ignored  *FTP-10.3.1-05 ' <("$talon" help swift)
is "neither engine nor file" status 2 "expected a FILE of results, or an engine" judge modle
is "no engine" status 2 "judge: expected one engine" judge
is "a line that is wrong" status 2 "2:12: expected a JSON object" judge <(printf '%s\n{"id": "X", \n' "$line")

mkdir "$dir/kit"
cp harness/cc/talon_rue.h docs/examples/rue/rue.c "$dir/kit"
engine() { # NAME, OPTIONS...: the example as a library, compiled without anything else of Talon
    local name=$1
    shift
    (cd "$dir/kit" && "${CC:-cc}" -Wall -Wextra -Werror -O1 -shared -fPIC "$@" -I. -o "$name.so" rue.c -lm) 2>&1 | sed 's/^/# /'
    [ -s "$dir/kit/$name.so" ]
}
is "the example compiles with talon_rue.h alone" engine rue
is "the header is C++" "${CXX:-c++}" -Wall -Wextra -Werror -fsyntax-only -x c++ harness/cc/talon_rue.h
is "the example is allowed" status 0 "all 4000 results are" judge "lib:$dir/kit/rue.so" --format gen1-lsb --events 1000
sed -i 's/since(t->now, t->fmark) >= t->rtt)$/true)/' "$dir/kit/rue.c"
is "without its guard" engine unguarded
is "... it is not" status 1 "violated FTP-10.3.1-05: " judge "lib:$dir/kit/unguarded.so" --format gen1-lsb --events 500
is "a format that it has not" status 4 "it refuses: configure() did not return 0" judge "lib:$dir/kit/rue.so"
sed -i 's/^    memset(result, 0, TALON_RUE_ENTRY);/    if (now_ticks % 97 == 0) *(volatile int *)8 = 0;\n&/' "$dir/kit/rue.c"
is "one that crashes" engine crashing
is "... is told" status 4 "the engine's process ended by signal 11" judge "lib:$dir/kit/crashing.so" --format gen1-lsb
is "... with what was judged before" grep -q ' results are ' "$dir/out"
is "a library without the function" status 4 "exports no talon_rue_api_v1" judge "lib:$(realpath "$BUILD")/examples/lite_sut.so"
is "a library that is not there" status 4 "cannot open shared object file" judge lib:/none.so
is "the program in Python is judged" status 1 "violated FTP-10.3.4-06: " judge "exec:python3 docs/examples/rue/rue.py" --events 50 --rounds 1
is "a program that refuses" status 4 "it refuses: this engine has table-msb only" judge "exec:python3 docs/examples/rue/rue.py" --format gen1-lsb
is "a program that is silent" status 4 "has not answered for 1 s" judge "exec:sleep 9" --timeout 1
is "a program that ends" status 4 "ended with exit status 3" judge "exec:exit 3"
is "a program that talks nonsense" status 4 "a line that is no JSON object" judge "exec:yes"
is "a program without a result" status 4 "has no \"result\" of 128 hex digits" judge "exec:while read -r _; do echo '{}'; done"
done_testing
