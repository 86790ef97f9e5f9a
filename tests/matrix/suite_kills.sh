#!/bin/bash
# lane: works
# What oracles/catalogue/suite-kills.txt says is still so: each scenario still tells its faults, no less sharply, and each
# fault is told by the name of a requirement that it breaks. `make mutants` writes the file anew.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
kills=oracles/catalogue/suite-kills.txt
export LC_ALL=C

# "FAULT REQUIREMENT": what each fault breaks.
"$talon" list faults --format json | awk -F'"' '$2 == "name" {name = $4} $2 ~ /^(FTP|RDMA|NVME)-/ {print name, $2}' |
    sort >"$dir/breaks"
# "FAULT REQUIREMENT fail|warn": the reason that is due, a fail unless the fault breaks nothing but a SHOULD.
"$talon" list requirements | awk '
    FILENAME == "-" { breach[$1] = $2; next }
    { breaks[$1] = breaks[$1] " " $2; if (breach[$2] == "fail") must[$1] }
    END { for (fault in breaks) {
              n = split(breaks[fault], ids, " ")
              for (i = 1; i <= n; i++)
                  if (breach[ids[i]] == "fail") print fault, ids[i], "fail"
                  else if (!(fault in must)) { print fault, ids[i], "warn"; print fault, ids[i], "fail" } } }' \
    - "$dir/breaks" | sort >"$dir/due"

# Of each fault about eight of the scenarios that tell it, others for each fault, and four of those that are about what it
# breaks; with TALON_WHOLE all.
sample=$dir/sample
covers() { # "REQUIREMENT SCENARIO": what each scenario is about
    find scenarios -name '*.json' -not -path '*/schema/*' -not -path '*/profiles/*' -not -path '*/roce-*' -exec awk '
        FNR == 1 { on = 0; id = FILENAME; sub(/.*[/]/, "", id); sub(/[.]json$/, "", id) }
        /"covers"/ { on = 1 }
        on { text = $0; while (match(text, /(FTP|RDMA|NVME)-[0-9.]+-[0-9]+/)) {
                 print substr(text, RSTART, RLENGTH), id; text = substr(text, RSTART + RLENGTH) } }
        on && /\]/ { on = 0 }' {} +
}
if [ -n "${TALON_WHOLE:-}" ]; then
    cp "$kills" "$sample"
else
    covers >"$dir/covers"
    awk -v kills="$kills" '
        function is_about(fault, scenario,   i, n, ids) {
            n = split(breaks[fault], ids, " ")
            for (i = 1; i <= n; i++) if ((ids[i], scenario) in about) return 1
            return 0
        }
        BEGIN { while ((getline line <kills) > 0) { split(line, word, " "); of[word[1]]++ } }
        FILENAME ~ /breaks$/ { breaks[$1] = breaks[$1] " " $2; next }
        FILENAME ~ /covers$/ { about[$1, $2]; next }
        $1 != last { fault++; i = 0; near = 0; last = $1 }
        { step = int((of[$1] + 7) / 8)
          if ((i++ + fault) % step == 0 || (near < 4 && is_about($1, $2) && ++near)) print }' "$dir/breaks" "$dir/covers" "$kills" >"$sample"
fi

still() {
    tests/matrix/mutants --known "$sample" --named "$dir/named" >"$dir/now" || return 1
    # A warning that became a failure is no loss; the reverse is.
    awk 'NR == FNR {now[$1, $2] = $3; next} now[$1, $2] != "fail" && now[$1, $2] != $3 {print "# lost: " $0; bad = 1}
         END {exit bad}' "$dir/now" "$sample"
}
is "every scenario still tells the faults that it told" still

# Whatever else a fault brings about, somewhere a fail gives as its reason what it breaks; a fault that breaks nothing but
# a SHOULD has no fail, and somewhere a warning gives it. Where the sample does not show it, all scenarios that tell the
# fault are played.
# Faults that break it in one reading alone give a warning that names the ambiguity instead.
by_name() {
    cut -d' ' -f1 "$kills" | sort -u | grep -vxF "$(awk '!/^#/ {print $1}' tests/data/faults-that-warn.txt)" >"$dir/told"
    comm -12 "$dir/due" <(sort "$dir/named") | cut -d' ' -f1 | sort -u >"$dir/right"
    mapfile -t unsure < <(comm -23 "$dir/told" "$dir/right")
    if [ "${#unsure[@]}" -gt 0 ]; then
        tests/matrix/mutants --known "$kills" --named "$dir/more" "${unsure[@]}" >"$dir/now"
        comm -12 "$dir/due" <(sort "$dir/named" "$dir/more") | cut -d' ' -f1 | sort -u >"$dir/right"
    fi
    comm -23 "$dir/told" "$dir/right" | sed 's/^/# no fail (or warning, if it breaks a SHOULD only) names what it breaks: /' >"$dir/wrong"
    cat "$dir/wrong"
    [ -s "$dir/right" ] && [ ! -s "$dir/wrong" ]
}
is "a fail names a requirement that the fault breaks, for each fault that breaks a MUST" by_name

well_formed() {
    ! grep -vE '^[a-z0-9-]+ [a-z0-9._-]+ (fail|warn)$' "$kills" && [ -z "$(sort "$kills" | uniq -d)" ] &&
        [ "$(wc -l <"$kills")" -ge "$1" ]
}
is "the matrix is well formed, and has not shrunk" well_formed 14000

# Not those about the Rate Update Engine and its queues, whose faults are the engine's: tests/rue_suite.sh.
told() {
    find scenarios/10.3-rue scenarios/10.6-queues -name '*.json' -exec basename {} .json \; >"$dir/engines"
    tests/matrix/mutants --matrix "$kills" >"$dir/matrix" && [ -s "$dir/engines" ] &&
        ! grep 'fails under 0 faults' "$dir/matrix" | grep -vwFf "$dir/engines" | grep .
}
is "each scenario fails under some fault" told
done_testing
