#!/bin/bash
# lane: works
# talon lab: what it prints, that the same seed gives the same bytes, and the words of wrong commands. TAP.
# tests/lab.sh --bless writes the hashes of tests/data/lab/golden.txt and the pictures of docs/images anew: after a
# change of windows or plots that was intended.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# status N, TEXT, ARGUMENTS...: the exit status, and a line of output with the text.
status() {
    local due=$1 text=$2
    shift 2
    "$talon" lab "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
same() { # the same bytes for a seed, other ones for another
    "$talon" lab incast --flows 40 --time 2ms --seed 7 >"$dir/a" && "$talon" lab incast --flows 40 --time 2ms --seed 7 >"$dir/b" &&
        "$talon" lab incast --flows 40 --time 2ms --seed 8 >"$dir/c" && cmp -s "$dir/a" "$dir/b" && ! cmp -s "$dir/a" "$dir/c"
}
no_space() { ! grep -n ' $' "$dir/out"; }

# Lines of golden.txt are HASH ARGUMENTS: of every window of these runs, from the program.
golden=tests/data/lab/golden.txt
hashes() {
    local args
    sed -n 's/^[0-9a-f]\{16\} //p' "$golden" | while read -r args; do
        # shellcheck disable=SC2086 # a list of words
        echo "$("$talon" lab $args --trace | awk '$1 == "trace" {print $2}') $args"
    done
}
same_hashes() {
    hashes >"$dir/hashes"
    grep -v '^#' "$golden" | diff - "$dir/hashes" | sed 's/^/# /' | grep . || return 0
    echo "# windows differ; if that is intended: tests/lab.sh --bless, and commit $golden"
    return 1
}
# The pictures of docs/congestion.md are plots of these runs.
pictures() { # the directory of the files
    "$talon" lab join-leave --plots "$dir/pictures" --quiet >/dev/null && "$talon" lab plb --plots "$dir/pictures" --set runs=1 --quiet >/dev/null &&
        cp "$dir/pictures/join-leave-2-fcwnd.svg" "$1/lab-join-leave.svg" && cp "$dir/pictures/plb-1-delay.svg" "$1/lab-plb.svg"
}
same_pictures() {
    pictures "$dir" && cmp "$dir/lab-join-leave.svg" docs/images/lab-join-leave.svg && cmp "$dir/lab-plb.svg" docs/images/lab-plb.svg && return 0
    echo "# a plot of the documentation differs; if that is intended: tests/lab.sh --bless, and commit docs/images"
    return 1
}
if [ "${1:-}" = --bless ]; then
    pictures docs/images
    hashes >"$dir/hashes"
    { grep '^#' "$golden" && cat "$dir/hashes"; } >"$dir/golden" && cat "$dir/golden" >"$golden"
    exit
fi

is "the windows of golden runs are as they were" same_hashes
is "the pictures of the documentation are as the program draws them" same_pictures
is "incast" status 0 "queueing delay, median                 32.309 us      band: 24.008 to 40.014" incast --flows 32
is "... has a heading" grep -qx '32 flows, 18 ms, seed 1, ecn_kb=400' "$dir/out"
is "... nothing to warn of" grep -qx '0 values outside their band' "$dir/out"
is "... no space at the end of a line" no_space
is "a value outside its band" status 0 "  warn" incast --flows 1 --param max_fcwnd=1
is "... is no failure, but counted" grep -qE '^[1-9] values? outside' "$dir/out"
is "--quiet prints what is outside" status 0 "1 flow:  utilisation" incast --flows 1 --param max_fcwnd=1 --quiet
is "... and no more" [ "$(grep -vc warn "$dir/out")" = 1 ]
is "the same seed gives the same bytes" same
is "join-leave" status 0 "equal shares after joining            400.000 us      band: at most 2000.000" join-leave
is "... names its settings" grep -qx '2 flows, 18 ms, seed 1, join_us=5000, stay_us=7000, ecn_kb=400' "$dir/out"
is "plb" status 0 "runs without a draw                         0         band: 0" plb --set runs=3
is "slow-receiver" status 0 "level of the buffer, median                15         band: 11 to 19" slow-receiver
is "staircase" status 0 "0 values outside their band" staircase --flows 5
is "mixed-rtt" status 0 "share of a far flow to a near one       0.999 x" mixed-rtt --flows 2 --set far_us=10
is "a setting counts" status 0 "2 flows, 13 ms, seed 1, join_us=2000, stay_us=5000" join-leave --set join_us=2000 --set=stay_us=5000
is "endpoints play incast" status 0 "0 values outside their band" incast --flows 8 --player endpoint
is "... and say so" grep -qx '8 flows, 18 ms, seed 1, endpoints, ecn_kb=400' "$dir/out"
is "... a slow receiver, too" status 0 "0 values outside their band" slow-receiver --set buffer=64 --player endpoint
is "congestion spreads without DCQCN" status 0 "share of X                              0.158" spreading
is "... and not with it" status 0 "share of X                              0.790" spreading-dcqcn
is "... whose flows no other player takes" status 2 "'spreading' has flows of DCQCN" spreading --player endpoint
is "... and which has no plots" status 2 "'spreading' has no plots" spreading --report "html:$dir/no.html"
is "an incast of DCQCN" status 0 "0 values outside their band" incast-dcqcn --flows 8
is "an unknown player" status 2 "--player 'nobody'; expected model or endpoint" incast --player nobody
page() { # each experiment that has plots gives a page that is XML but for its first line, the same for the same seed
    local name
    for name in $("$talon" lab --list | awk '/^[a-z]/ && $2 < "L7" {print $1}'); do
        "$talon" lab "$name" --quiet --report "html:$dir/page.html" --plots "$dir/svg" >/dev/null &&
            "$talon" lab "$name" --quiet --report "html:$dir/page2.html" >/dev/null && cmp "$dir/page.html" "$dir/page2.html" || return 1
        python3 tests/lab_page.py "$dir/page.html" "$dir"/svg/"$name"-*.svg || return 1
    done
}
is "--report and --plots: all pages and plots are well formed" page
is "... have no script, and load nothing" sh -c "! grep -lE '<script|<link|src=|url[(][^#]|@import' '$dir'/page.html '$dir'/svg/*.svg"
is "... no number that is none" sh -c "! grep -lE 'nan|inf[^oi]' '$dir'/svg/*.svg"
is "... name what to look for" grep -qF '<figcaption>' "$dir/page.html"
is "--plots has a file for each plot" [ -s "$dir/svg/incast-512-fcwnd.svg" ]
is "a command on the page" grep -qF 'talon lab mixed-rtt --flows 8 --seed 1 --rate 100000Mb/s --set near_us=10 --set far_us=40 --set ecn_kb=400' "$dir/page.html"
is "--report of another format" status 2 "--report: expected html:FILE, found 'svg:x'" incast --report svg:x
is "--report to no directory" status 4 "--report: $dir/none/x.html: No such file or directory" incast --report "html:$dir/none/x.html"
is "--plots to no directory" status 4 "--plots: $dir/none/x: No such file or directory" incast --plots "$dir/none/x"
is "--plots to a file" status 4 "$dir/out/incast-1-fcwnd.svg: Not a directory" incast --flows 1 --plots "$dir/out"
is "--report to a full disk" status 4 "--report: /dev/full: cannot write" incast --flows 1 --time 1ms --report html:/dev/full
marks() { # as text and as JSON: with a threshold, and none without
    "$talon" lab incast --flows 8 --time 3ms --set ecn_kb=200 --player "$1" --format json >"$dir/marks.json" && python3 - "$dir/marks.json" <<'EOF'
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
values = {v["name"]: v for v in case["values"]}
assert case["settings"] == {"ecn_kb": 200} and case["flows"] == 8
assert values["ECN marks"]["value"] > 1000 and 0 < values["ECN marks told by ACKs"]["value"] <= values["ECN marks"]["value"]
assert values["queueing delay, median"]["least"] < values["queueing delay, median"]["value"] and not values["queueing delay, median"]["outside"]
EOF
}
is "ECN marks of model flows are counted" marks model
is "... of endpoints, too" marks endpoint
is "... and as text" status 0 "ECN marks told by ACKs" incast --flows 8 --time 3ms
is "... but not without a threshold" sh -c "! '$talon' lab incast --flows 8 --time 3ms --set ecn_kb=0 | grep ECN"
is "a plot has the threshold as a line" grep -qF '>ECN mark</text>' "$dir/svg/incast-512-queue.svg"
is "... and the timeout with its ticks" grep -qF '>retransmissions</text>' "$dir/svg/incast-512-loss.svg"
is "an unknown format" status 2 "--format 'xml'; expected text or json" incast --format xml
# Implementations from outside as senders: the examples, the built-in SUT as a process, and SUTs that fail.
lite="lib:$BUILD/examples/lite_sut.so"
swift="exec:$talon sut --lockstep --cc swift"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
share() { # the share of flow 1 to the mean: least, most, arguments
    local least=$1 most=$2
    shift 2
    "$talon" lab incast --flows 2 --time 6ms "$@" >"$dir/out" || return 1
    awk -v least="$least" -v most="$most" '/share of the foreign/ {s = $6} END {exit !(s >= least && s <= most)}' "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
is "a library sends in one of two flows" share 0.5 1.5 --foreign "1=$lite"
is "... which the heading says" grep -qx '2 flows, 6 ms, seed 1, foreign senders, ecn_kb=400' "$dir/out"
is "Swift in a process gets its share, on sealed links" share 0.7 1.4 --foreign "1=$swift"
"${CC:-gcc}" -O2 -shared -fPIC -I harness/cc -o "$dir/rue.so" docs/examples/rue/rue.c -lm || exit 1
other="exec:python3 tests/suts/other_swift.py $dir/rue.so $talon sut --lockstep --cc gen1-lsb"
is "Swift of another hand gets its share" share 0.7 1.4 --foreign "1=$other"
is "... and comes to rest where theory says" status 0 "0 values outside their band" incast --flows 1 --time 8ms --sut "$other"
is "... elsewhere with another target" sh -c "'$talon' lab incast --flows 1 --time 8ms --sut '$other' --param base_delay_target=120 | grep -q 'queueing delay, median *9[.].* us'"
is "the Python example, too" share 0.2 1.8 --foreign "2=exec:python3 docs/examples/lite_sut.py --lockstep" --time 2ms
is "a library sends in all flows" status 0 "utilisation                             1.000" incast --flows 4 --time 6ms --sut "$lite"
is "Swift in processes comes to rest where theory says" status 0 "0 values outside their band" incast --flows 2 --time 8ms --sut "$swift"
is "... and keeps a slow receiver half full" status 0 "0 values outside their band" slow-receiver --sut "$swift"
twice() { # the same bytes for a seed
    "$talon" lab join-leave --time 7ms --foreign "2=$swift" --report "html:$dir/1.html" >"$dir/1" && "$talon" lab join-leave --time 7ms --foreign "2=$swift" --report "html:$dir/2.html" >"$dir/2" &&
        cmp "$dir/1" "$dir/2" && cmp "$dir/1.html" "$dir/2.html" && grep -qF '>flow 2 (SUT)</text>' "$dir/1.html"
}
is "the same seed gives the same bytes" twice
is "the page has the SUT in its command" grep -qF -- "--foreign '2=$swift'" "$dir/1.html"
stops() { # mode of bad_exec.py, answers before, words: one line that names the flow
    timeout 60 "$talon" lab incast --flows 2 --time 2ms --timeout 3 --foreign "2=exec:python3 tests/suts/bad_exec.py $1 $2 $talon sut --lockstep" >"$dir/out" 2>"$dir/err"
    [ $? = 4 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q '^talon lab: flow 2 (exec:' "$dir/err" && grep -qE -- "$3" "$dir/err" || { sed 's/^/# /' "$dir/err"; false; }
}
is "a SUT that ends at once" stops die 0 "ended with exit status 3"
is "... or while it sends" stops die 40 "ended with exit status 3"
is "a SUT that hangs" stops hang 40 "has not answered for 3 s"
is "a SUT that floods" stops flood 40 "keeps sending without end"
is "a SUT that sends garbage" stops garble 40 "not a JSON object"
is "... or frames that are none" stops frames 40 "hex digits"
is "... or answers nothing" stops twice 40 "has not answered"
is "a SUT whose timer stays" stops back 40 "its timer does not move"
is "a SUT without post" status 4 "flow 1 (exec:$talon sut --lockstep --offer L1): it does not offer level L2" incast --flows 1 --sut "exec:$talon sut --lockstep --offer L1"
is "a library that is none" status 4 "flow 1 (lib:/dev/null): " incast --flows 1 --sut lib:/dev/null
is "a SUT that is not in virtual time" status 2 "--sut: expected lib:FILE or exec:COMMAND, found 'builtin'" incast --sut builtin
is "a flow without a number" status 2 "--foreign: expected N=lib:FILE or N=exec:COMMAND, N from 1 on, found 'lib:x'" incast --foreign lib:x
is "a flow that no case has" status 2 "no case has foreign flow 9" join-leave --foreign "9=$lite"
is "an experiment about paths" status 2 "'plb' is about paths" plb --sut "$lite"
is "too many of them" status 2 "at most 64 foreign flows" incast --flows 65 --sut "$lite"

is "--list" status 0 "incast-loss    L1  N flows begin together" --list
is "no experiment" status 2 "expected one EXPERIMENT; talon lab --list shows them"
is "an unknown experiment" status 2 "no experiment 'incst'; did you mean 'incast'?" incst
is "a setting of another experiment" status 2 "--set: 'incast' has no setting 'paths'; talon lab --list shows its settings" incast --set paths=3
is "a setting out of range" status 2 "--set: paths: expected a whole number from 2 to 8, found '9'" plb --set paths=9
is "a setting that is no number" status 2 "--set: paths: expected a whole number from 2 to 8, found '-3'" plb --set paths=-3
is "a setting without a value" status 2 "--set: expected NAME=N, found 'paths'" plb --set paths
is "... prints nothing else" [ "$(wc -l <"$dir/out")" = 1 ]
is "a number of flows that an experiment has itself" status 2 "--flows: 'plb' has flows of its own" plb --flows 3
is "an unknown parameter" status 2 "--param: there is no parameter 'fcwnd'; see talon help swift" incast --param fcwnd=3
is "a parameter out of range" status 2 "min_ncwnd: expected a whole number from 1 to 2047" incast --param min_ncwnd=0
is "limits that exclude each other" status 2 "--param: " incast --param min_fcwnd=9 --param max_fcwnd=8
is "a parameter without a value" status 2 "expected NAME=VALUE, found 'min_fcwnd'" incast --param min_fcwnd
is "a rate without a unit" status 2 "expected a rate from 1Mb/s to 1600Gb/s, found '100'" incast --rate 100
is "a rate too large" status 2 "expected a rate from 1Mb/s" incast --rate 99999999999Gb/s
is "a time too long" status 2 "--time: expected at most 10s" incast --time 11s
done_testing
