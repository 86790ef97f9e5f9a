#!/bin/bash
# lane: works
# data/readings.txt says of each unclear sentence how another reading than Talon's is judged: every sentence and every
# variant that takes a reading stands there, each warning is given with the id where the file says so, and nothing fails.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
list=tests/data/readings.txt

whole() { # every sentence, and no other
    diff <("$talon" list readings | awk '/^AMB-/ {print $1}' | sort -u) <(awk '/^AMB/ {print $1}' "$list" | sort -u)
}
is "every unclear sentence is judged" whole
variants() { # every variant that takes another reading, with its sentence
    local twin id bad=0
    for twin in $("$talon" list twins | awk '{print $1}'); do
        id=$("$talon" explain "$twin" | sed -n 's/^  reading *\(AMB-[RN]\{0,1\}[0-9]*\).*/\1/p')
        [ -z "$id" ] || grep -q "^$id $twin " "$list" || { echo "# $twin takes another reading of $id"; bad=1; }
    done
    for twin in $(awk '/^AMB/ && $2 != "-" {print $2}' "$list"); do
        "$talon" list twins | grep -q "^$twin " || { echo "# no variant $twin"; bad=1; }
    done
    return $bad
}
is "every variant that takes another reading stands there" variants

warns() { # id, variant, rule, scenario: the variant is warned of and the built-in SUT is not; nothing fails
    "$talon" run --verbose scenarios --id "$4" --sut "builtin:twin=$2" --report json:"$dir/run.json" >"$dir/out"
    ! grep -E '^(FAIL|ERROR) ' "$dir/out" | sed 's/^/# /' | grep . || return 1
    grep -q '^warn ' "$dir/out" || { echo "# no case warns"; return 1; }
    grep -q "reading *$1: .*event [0-9]* at [0-9]* ns shows it\|^ .*$1" "$dir/out" || { echo "# no warning of $1"; return 1; }
    python3 - "$dir/run.json" "$3" <<'END' || return 1
import json, sys
rules = [r for c in json.load(open(sys.argv[1]))["cases"] for r in c["rules"]]
sys.exit(not any(r["rule"] == sys.argv[2] and r["subject"] == "sut" and r["verdict"] == "warn" for r in rules))
END
    "$talon" run --verbose scenarios --id "$4" --sut builtin >"$dir/out" && ! grep -q '^warn ' "$dir/out"
}
while read -r id twin how rest; do
    case $id in AMB-*) ;; *) continue ;; esac
    case $how in
    silent | none | unjudged) is "$id${twin:+ ($twin)}: $how, with a reason" test -n "$rest" ;;
    unit) is "$id: a unit test of rule ${rest%% *} shows the warning" grep -rqi "START_TEST(reading_${id/-/_}" oracles/rules ;;
    *) is "$id ($twin): rule $how warns in $rest" warns "$id" "$twin" "$how" "$rest" ;;
    esac
done <"$list"

done_testing
