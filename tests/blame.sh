#!/bin/bash
# lane: works
# Causes of failures: the console stays within 100 lines of 100 columns, only violated requirements are booked, and the
# measure tests/blame.py finds what it should.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
list=$dir/list

# ack-before-ulp makes hundreds of cases fail, by eight rules and many steps.
"$talon" run scenarios --sut builtin:fault=ack-before-ulp --report "html:$dir/out.html" --report "markdown:$dir/out.md" \
    --report "junit:$dir/out.xml" --report "sarif:$dir/out.sarif" --report "json:$dir/out.json" >"$dir/console"
failed=$(python3 -c 'import json, sys; print(sum(c["verdict"] == "fail" for c in json.load(open(sys.argv[1]))["cases"]))' "$dir/out.json")

small() { [ "$failed" -ge 389 ] && [ "$(wc -l <"$dir/console")" -le 100 ] && [ "$(wc -L <"$dir/console")" -le 100 ]; }
is "a run with hundreds of failures takes at most 100 lines of 100 columns" small
first() { grep -q '^1\. *FAIL FTP-9.2.2.4-08, ' "$dir/console" && ! grep -qE '^[2-9][0-9]*\. *FAIL' "$dir/console"; }
is "... names one cause; the others follow from it" first
reproduces() { # the command of the first block shows the failure again
    local command
    command=$(sed -n '/reproduce with:/,/more like it/p' "$dir/console" | grep -v 'more like it' | tr -d '\\' | tr '\n' ' ' | sed 's/.*reproduce with: *talon//')
    eval "$talon $command" >"$dir/again"
    grep -q '^1\. *FAIL FTP-9.2.2.4-08, 1 case' "$dir/again"
}
is "... and gives a command that reproduces its simplest case" reproduces
booked() { # requirements that are booked as violated are among those of the fault
    grep -o 'id="r-FTP[^"]*" data-v="fail"' "$dir/out.html" | sed 's/id="r-//; s/".*//' | sort >"$dir/booked"
    [ -s "$dir/booked" ] && ! grep -vxFf <(grep '^ack-before-ulp' tests/data/fault-tags.txt | cut -f3 | tr ' ' '\n') "$dir/booked"
}
is "HTML books only requirements of the fault as violated" booked
is "... and Markdown fits into a comment of 65,536 characters" test "$(wc -m <"$dir/out.md")" -le 65536
junit() { [ "$(grep -o "<failure type=\"FTP-9.2.2.4-08\"" "$dir/out.xml" | wc -l)" -gt $((failed / 2)) ]; }
is "JUnit files failures under the requirement of their cause" junit
sarif() { python3 - "$dir/out.sarif" <<'P'
import json, sys
results = json.load(open(sys.argv[1]))["runs"][0]["results"]
errors = {r["ruleId"] for r in results if r["level"] == "error"}
sys.exit(not (errors and "FTP-9.2.2.4-08" in errors and len(errors) <= 5 and any(r["level"] == "note" for r in results)))
P
}
is "SARIF shows consequences as notes" sarif
json() { python3 - "$dir/out.json" <<'P'
import json, sys
causes = json.load(open(sys.argv[1]))["causes"]
sys.exit(not (causes[0]["requirement"] == "FTP-9.2.2.4-08" and "follows" not in causes[0] and all("follows" in c for c in causes[1:])))
P
}
is "JSON lists the causes" json
again() { # from the file, as from the run itself
    "$talon" report "$dir/out.json" --format markdown >"$dir/again.md" && cmp "$dir/again.md" "$dir/out.md"
}
is "talon report finds the same causes in a file" again

few() { # each case is listed; a block shows the simplest
    "$talon" run scenarios --id 'push-flow-target*' --sut builtin:fault=ar-ignored >"$dir/few"
    [ "$(grep -cE '^(FAIL|pass) ' "$dir/few")" -eq 6 ] && grep -q '^1\. *FAIL FTP-9.1.6-03' "$dir/few" && grep -q '^    expected ' "$dir/few"
}
is "a run of few cases lists each" few
verbose() { "$talon" run scenarios --id 'push-target*' --sut builtin:fault=ar-ignored --verbose >"$dir/verbose"; grep -q '^FAIL ' "$dir/verbose" && ! grep -q '^1\.' "$dir/verbose"; }
is "--verbose shows each case whole instead" verbose

measure() { # lines of the list (a string), options..., talon
    printf '%b' "$1" >"$list"
    shift
    python3 tests/blame.py --file "$list" "$@" >"$dir/out" 2>&1
}
found() { measure "" --only ack-before-ulp --only ar-ignored "$talon" && grep -q '^first *2 of 2, 100.0 %' "$dir/out"; }
is "blame.py finds the requirements of two faults" found
listed() { ! measure "ar-ignored FTP-1 because\n" --only ar-ignored "$talon" && grep -q 'error: ar-ignored: found, though it is listed' "$dir/out"; }
is "... a line of a fault that is found is an error" listed
cat >"$dir/wrong" <<EOF
#!/bin/bash
"$talon" "\$@" | sed 's/^1\. *FAIL FTP-[^,]*/1.  FAIL FTP-7.1-01/'
EOF
chmod +x "$dir/wrong"
missed() { ! measure "" --only ar-ignored "$dir/wrong" && grep -q 'error: ar-ignored: the first cause names FTP-7.1-01, and it is not listed' "$dir/out"; }
is "... and so is a fault that is missed and not listed" missed
tags() { # the tags are those that were frozen
    sed 's/^HASH = .*/HASH = "0"/' tests/blame.py >"$dir/blame.py" && ! python3 "$dir/blame.py" --only ar-ignored "$talon" >"$dir/out" && grep -q 'fault-tags.txt was changed' "$dir/out"
}
is "... and a change of the tags" tags
reasons() { ! grep -n ' ?$' tests/data/blame-missed.txt; }
is "each fault that is missed has its reason" reasons
by_day() { # another part each day
    [ "$(python3 -c 'import sys; sys.path.insert(0, "tests"); import blame; a, b = (blame.chosen(list(range(9)), 3, d) for d in ("2026-01-01", "2026-01-02")); print(len(a), len(set(a) & set(b)))')" = "3 0" ]
}
is "CI measures other faults each day" by_day
