#!/bin/bash
# lane: works
# tests/contributing.sh: the worked examples of CONTRIBUTING.md work as printed. The code is taken from the page; this
# script only knows where each row goes. It plays the scenario on this build. With TALON_WHOLE (make nightly) it applies all
# the others to a copy of the sources, builds it and runs their commands.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
tree=$dir/tree
mkdir "$tree"

# block HEADING N: the N-th block of code below that heading, without its indentation.
block() {
    awk -v heading="## $1" -v want="$2" '
        /^## / { on = $0 == heading }
        on && /^       / { if (!inside) n++; inside = 1; if (n == want) print substr($0, 8); next }
        on && !/^$/ { inside = 0 }' CONTRIBUTING.md
}

# runs HEADING N: plays that block in the copy of the sources.
runs() {
    local code
    code=$(block "$1" "$2")
    [ -n "$code" ] || { echo "# $1: there is no block $2"; return 1; }
    (cd "$tree" && bash -c "$code" >"$dir/out" 2>&1) || { tail -n 20 "$dir/out" | sed 's/^/# /'; return 1; }
}
says() { # HEADING N PATTERN
    runs "$1" "$2" && grep -q -- "$3" "$dir/out" || { tail -n 5 "$dir/out" | sed 's/^/# /'; return 1; }
}
fails_with() { # HEADING N PATTERN: its last command fails
    (cd "$tree" && bash -c "$(block "$1" "$2")" >"$dir/out" 2>&1) && { echo "# $1: block $2 ends well"; return 1; }
    grep -q -- "$3" "$dir/out" || { tail -n 5 "$dir/out" | sed 's/^/# /'; return 1; }
}
all_say() { # HEADING N LINE: every line is that one
    runs "$1" "$2" && [ -s "$dir/out" ] && ! grep -v -x -F -- "$3" "$dir/out" | head -n 5 | sed 's/^/# /' | grep .
}

# puts HEADING N FILE BEFORE [INSTEAD]: the block goes before the first line of FILE that has the text BEFORE, or instead of it.
puts() {
    block "$1" "$2" >"$dir/block"
    [ -s "$dir/block" ] || { echo "# $1: there is no block $2"; return 1; }
    awk -v at="$4" -v instead="${5:-}" -v block="$dir/block" '
        !done && index($0, at) { while ((getline line < block) > 0) print line; done = 1; if (instead) next }
        { print }
        END { exit !done }' "$tree/$3" >"$dir/edited" || { echo "# $3: no line has '$4'"; return 1; }
    cp "$dir/edited" "$tree/$3"
}

tracked() { # a copy of what is under version control, or of everything but what was built
    git ls-files -z 2>/dev/null || find . -type f -not -path './build/*' -not -path './.git/*' -print0
}
tracked | tar -c --null --files-from=- | tar -x -C "$tree" || exit 1

# ---- rows, wherever they go ----
is "a header field: its rows" puts "Add a header field" 1 codecs/header/headers.h \
    'F(H, uint32_t, reserved_1,         16, FAL_RSVD,   0, NULL, NULL, "FTP-7.3-02"' instead
is "a header field: its member" puts "Add a header field" 2 codecs/header/falcon.h 'uint32_t dest_cid, dest_function;'
is "a fault: its row" puts "Add a fault" 1 oracles/endpoint/faults/fault_list.h 'X(AR_IGNORED, '
is "a fault: its seam" puts "Add a fault" 2 oracles/endpoint/faults/at_ackgen.c \
    'return (now && !fal_fault(conn, FAL_FAULT_AR_IGNORED)) ||' instead
is "a rule: its file" runs "Add a rule" 1
is "a rule: its line" puts "Add a rule" 2 oracles/rules/rule_list.h 'RULE(r3)'
is "a report: its file" runs "Add a report" 1
is "a report: its row" puts "Add a report" 2 reports/formats/report.c '{"sarif", tl_report_sarif}'
sed -i 's/tl_report_tap, /tl_report_tap, tl_report_short, /' "$tree/reports/formats/report.h"
is "a member: its place" puts "Add a member to a JSON format" 1 harness/claims/waivers.h 'bool has_passes;'
is "a member: its row" puts "Add a member to a JSON format" 2 harness/claims/waivers_table.c '{"approver", &text'

# ---- commands ----
if [ -n "${TALON_WHOLE:-}" ]; then
    is "all of them build" runs "Add a header field" 3
else
    mkdir -p "$tree/build" && ln -s "$PWD/$talon" "$tree/build/talon"
fi
is "a scenario: its copy" runs "Add a scenario" 1
is "a scenario: it passes" says "Add a scenario" 2 '1 case: 1 passed, 0 failed (seed 1)'
is "a scenario: it fails a fault" fails_with "Add a scenario" 3 '1 case: 0 passed, 1 failed (seed 1)'
is "a scenario: it spares the variants" all_say "Add a scenario" 4 '1 case: 1 passed, 0 failed (seed 1)'
if [ -n "${TALON_WHOLE:-}" ]; then
    is "a header field: it is decoded" says "Add a header field" 3 'rsn=1 prio=5 len=64'
    is "a fault: it is detected" says "Add a fault" 3 '[7-9][0-9][0-9] failed'
    is "a rule: it detects a fault" says "Add a rule" 3 'rule R99, '
    is "a report: it is written" says "Add a report" 3 'TAP version 14'
    is "a member: it is in the schema" says "Add a member to a JSON format" 3 'the issue that tracks the failure'
fi
done_testing
