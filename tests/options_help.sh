#!/bin/bash
# lane: works
# The help of each verb names each of its options, and no option that the verb refuses.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
program=$(realpath "$talon") # it runs where a file named --help does no harm: --out takes the word as its value

# The verbs, as the program's overview names them; and the sources of their option tables.
mapfile -t verbs < <("$talon" help | sed -n 's/^  talon \([a-z-]*\) .*/\1/p' | grep -vx help | sort -u)
declare -A source=([capture]=fuzz/field/cmd_capture.c [explore]=fuzz/explore/cmd_explore.c [run]=harness/run/request.c [check]=harness/check/check_options.c [decode]=harness/cli/decode_options.c
    [fuzz]=fuzz/hunt/cmd_fuzz.c [shrink]=fuzz/hunt/cmd_shrink.c [diff]=harness/cli/cmd_report.c
    [lab]=harness/lab/cmd_lab.c [logic]=harness/logic/cmd_logic.c [eventpipe]=harness/eventpipe/cmd_eventpipe.c
    [history]=harness/cli/history/cmd_history.c [fmt]=harness/cli/author/cmd_fmt.c [new]=harness/cli/author/cmd_new.c)

listed() { grep -oE '^  --[a-z-]+' "$dir/help" | tr -d ' ' | sort -u; }
mentioned() { grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' "$dir/help" | grep -oE -- '--[a-z-]+' | sort -u; }

# Of the options of other verbs that the text may speak of, the verb stands before them.
foreign() { tr -s "\n " " " <"$dir/help" | grep -oE 'talon [a-z-]+ ([^;()]* )?--[a-z-]+' | grep -v "^talon $1 " | grep -oE -- '--[a-z-]+' | sort -u; }

known() { # VERB, OPTION: the verb does not call it unknown
    [ "$2" = --help ] && return 0
    ! (cd "$dir" && "$program" "$1" "$2" --help 2>&1 </dev/null) | grep -q "no option '$2'"
}
names_no_other() {
    local option
    for option in $(mentioned); do
        known "$1" "$option" || foreign "$1" | grep -qx -- "$option" || { echo "# talon $1 has no $option" >&2; return 1; }
    done
}
names_each() { # those of the table's source that the verb knows
    local option file=${source[$1]:-harness/cli/cmd_${1//-/_}.c} n=0
    for option in $(grep -ohE '(\.name = |TL_[A-Z]+\()"--[a-z-]+"' "$file" | grep -oE -- '--[a-z-]+'); do
        known "$1" "$option" || continue
        listed | grep -qx -- "$option" || { echo "# the help of talon $1 lacks $option" >&2; return 1; }
        n=$((n + 1))
    done
    [ $n -gt 0 ]
}
narrow() { ! grep -nE '^.{103}' "$dir/help" >&2; }
ends_well() { # the same by talon help VERB
    "$talon" help "$1" >"$dir/same" && cmp -s "$dir/help" "$dir/same" && grep -q "^usage: talon $1" "$dir/help"
}
is "the overview names verbs" [ "${#verbs[@]}" -ge 15 ]
for verb in "${verbs[@]}"; do
    "$talon" "$verb" --help >"$dir/help" 2>"$dir/err"
    is "$verb: --help and talon help $verb" ends_well "$verb"
    is "$verb: the help names each option" names_each "$verb"
    is "$verb: and no other" names_no_other "$verb"
    is "$verb: no line is too long" narrow
done
done_testing
