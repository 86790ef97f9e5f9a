#!/bin/bash
# What oracles/catalogue/suite-kills.txt says is still so: each scenario still tells its faults, no less sharply.
# `make mutants` writes the file anew.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
kills=oracles/catalogue/suite-kills.txt
export LC_ALL=C

still() {
    tests/mutants >"$dir/now" || return 1
    # A warning that became a failure is no loss; the reverse is.
    awk 'NR == FNR {now[$1, $2] = $3; next} now[$1, $2] != "fail" && now[$1, $2] != $3 {print "# lost: " $0; bad = 1}
         END {exit bad}' "$dir/now" "$kills"
}
is "every scenario still tells the faults that it told" still

well_formed() {
    ! grep -vE '^[a-z0-9-]+ [a-z0-9._-]+ (fail|warn)$' "$kills" && [ -z "$(sort "$kills" | uniq -d)" ] &&
        [ "$(wc -l <"$kills")" -ge "$1" ]
}
is "the matrix is well formed, and has not shrunk" well_formed 280

told() {
    tests/mutants --matrix "$kills" >"$dir/matrix" && ! grep -q 'fails under 0 faults' "$dir/matrix"
}
is "each scenario fails under some fault" told
done_testing
