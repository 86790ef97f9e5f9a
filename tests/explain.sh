#!/bin/bash
# lane: works
# talon explain knows every id and every word that the program shows, and states for each id what checks it and what
# violates it. The lists, the glossary and the explanations agree. TAP.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

ids() { # list, member
    "$talon" list "$1" --format json | sed -n "s/^  \"$2\": \"\(.*\)\",\{0,1\}$/\1/p"
}
all_known() { # list, member, kind
    ids "$1" "$2" >"$dir/ids"
    [ -s "$dir/ids" ] || return 1
    # shellcheck disable=SC2046 # ids have no spaces
    "$talon" explain $(cat "$dir/ids") >"$dir/out" 2>"$dir/err"
    local status=$?
    [ $status = 0 ] && [ "$(grep -c "^$3 " "$dir/out")" -ge "$(sort -u "$dir/ids" | wc -l)" ] && return 0
    head -3 "$dir/err" | sed 's/^/# /'
    return 1
}
is "every requirement" all_known requirements id requirement
is "every rule" all_known rules id rule
is "every fault" all_known faults name fault
is "every twin" all_known twins name twin
is "every issue" all_known issues code issue
is "every excuse" all_known excuses name excuse
is "every unclear sentence" all_known readings id reading
scenarios_known() {
    ids scenarios id >"$dir/ids"
    [ ! -s "$dir/ids" ] || all_known scenarios id scenario
}
is "every scenario of the suite that is there" scenarios_known


# ---- words ----

words_known() {
    mapfile -t words < <(ids words word)
    [ "${#words[@]}" -gt 200 ] && "$talon" explain "${words[@]}" >"$dir/out"
}
is "every word of the glossary" words_known
known() { # all words of stdin; complains about those that are not explained
    local list
    mapfile -t list
    [ "${#list[@]}" -gt 0 ] && "$talon" explain "${list[@]}" >/dev/null 2>"$dir/err" && return 0
    sed 's/^/# /' "$dir/err"
    return 1
}
# The words of reports/results/reason.c, the one table of reasons.
reasons() {
    grep -oE '"[a-z-]+"' reports/results/reason.c | tr -d '"' | sort -u
}
reasons_known() { [ "$(reasons | wc -l)" -ge 25 ] && reasons | known; }
is "every reason that the program gives" reasons_known
# Labels, verdicts, reasons, packet types, fields and flags of the failures that tests compare.
shown() {
    local golden=tests/data/golden/console.txt
    grep -oE '^    [a-z]+ ' $golden
    grep -oE '^[A-Za-z]+' $golden | tr '[:upper:]' '[:lower:]'
    grep -oE '^  step [0-9]+, [^ ]*: [a-z-]+$' $golden | grep -oE '[a-z-]+$'
    grep -oE '^  bench, [a-z-]+' $golden | sed 's/.*, //'
    grep -E '^ *(packets )?[ *]* @' $golden | grep -oE '[<>] [a-z_]+| [a-z_-]+=| (ar|[rd]-own)( |$)' | tr -d '<>='
    grep -oE 'FTP-[0-9.]+-[0-9]+|[0-9]r\b' $golden
}
shown_known() {
    local words
    words=$(shown | tr -d ' ' | sort -u)
    [ "$(wc -l <<<"$words")" -ge 20 ] && known <<<"$words"
}
is "every word of a failure" shown_known
codes_known() { # of the fields of Falcon packets, and the parameters, ICS items and profiles
    "$talon" help notation | sed -n 's/^  [a-z]*_code .*; \(.*\)/\1/p' | tr ',' '\n' | sed 's/ *\([a-z_]*\).*/\1/' | known &&
        ids ixit name | known && ids ics item | known && ids profiles name | known
}
is "every code, parameter, ICS item and profile" codes_known
glossary_current() {
    "$talon" list words --format markdown | diff - docs/glossary.md >"$dir/diff" && return 0
    head -5 "$dir/diff" | sed 's/^/# /'
    echo "# run: make glossary"
    return 1
}
is "docs/glossary.md is what the program prints" glossary_current

says() { # id, patterns...
    "$talon" explain "$1" >"$dir/out" || return 1
    shift
    for pattern; do
        grep -qE -- "$pattern" "$dir/out" && continue
        echo "# no $pattern"
        return 1
    done
}
is "a requirement: text, place, level, checks, faults" says FTP-9.1.6-03 '^requirement FTP-9.1.6-03$' '^  text ' \
    '^  section +9\.1\.6$' '^  level +MUST$' '^  on breach +fail$' '^  rules +A3' '^  faults +.*ar-ignored' '^  proven by '
is "in any case of letters" says ftp-9.1.6-03 '^requirement FTP-9.1.6-03$'
is "a rule: doc, needs, role, excuses, faults" says R1 '^rule R1$' '^  text ' '^  role +receiver' '^  needs +wire' \
    '^  excuses +.*capture-gap' '^  requirements .*FTP-' '^  faults +.*[a-z]'
is "a fault: what it violates, what detects it" says acks-unsent '^  requirements +FTP-9' '^  rules +R1' '^  switched on'
is "a twin: which reading it shows" says completion-at-nack '^twin ' '^  reading +AMB-47'
is "an issue" says base-acknowledged '^  severity +error' '^  requirement +FTP-7.7.2-07'
is "an excuse: which rules use it" says stale-nack '^  rules +.*RN1'
is "an unclear sentence: question, reading, what else is tolerated" says AMB-47 '^  reading +when' '^  tolerated +at once'
is "a field by its short name" says drx '^field data_rx_bitmap$' '^  aliases +drx' '^  headers +eack'
is "any relative number" says 17r '^notation 0r$'
is "a word of two kinds: both" says psp '^ics psp$'
is "a section: a line each" says 9.2.5 '^FTP-9.2.5-01 +fail '
is "a pattern" says 'FTP-9.2.5-0[12]' '^FTP-9.2.5-02 '

unknown() { # id, suggestion
    "$talon" explain "$1" >"$dir/out" 2>"$dir/err"
    [ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$2" "$dir/err"
}
is "an unknown id is an error, with what may have been meant" unknown acks-unsend acks-unsent
is "so is a word of the glossary" unknown fingerprnt 'did you mean fingerprint?'
is "so is a requirement's" unknown FTP-9.1.6-3 FTP-9.1.6-03
is "and nonsense, without" unknown zzzzzzzzzzzzzzz 'talon help explain'
is "no id: one line, status 2" [ "$("$talon" explain 2>&1 >/dev/null | wc -l)" = 1 ]
json() {
    "$talon" explain R1 AMB-12 --format json >"$dir/out" && head -1 "$dir/out" | grep -q '^\[$' &&
        [ "$(grep -c '"kind"' "$dir/out")" = 2 ]
}
is "JSON: an array of objects with their kind" json
is "help" [ "$("$talon" help explain | head -1 | cut -c1-20)" = "usage: talon explain" ]

# The excuses of a rule are those that its file has use for, at least.
excuses_told() {
    local name file ids
    ids=$(sed -n 's/^RULE(\(.*\))$/\1/p' oracles/rules/rule_list.h)
    for name in $ids; do
        file=$(find oracles/rules -name "${name}_*.c" ! -name '*_test.c')
        [ -f "$file" ] || { echo "${name^^} has-no-single-file"; continue; }
        grep -o 'FAL_EXCUSE_[A-Z_]*' "$file" | grep -v COUNT | sed 's/FAL_EXCUSE_//' | tr '[:upper:]_' '[:lower:]-' | sed "s/^/${name^^} /"
    done | sort -u >"$dir/used"
    # shellcheck disable=SC2086 # ids have no spaces
    "$talon" explain ${ids^^} --format json | python3 -c '
import json, sys
told = {about["id"]: json.dumps(about) for about in json.load(sys.stdin)}
bad = [line.strip() for line in open(sys.argv[1]) if "\"%s\"" % line.split()[1] not in told.get(line.split()[0], "")]
for line in bad:
    print("#", line)
sys.exit(bool(bad))' "$dir/used" && [ "$(wc -l <"$dir/used")" -ge 60 ]
}
is "the excuses of every rule are told" excuses_told
done_testing
