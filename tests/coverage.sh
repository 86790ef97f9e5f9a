#!/bin/bash
# lane: works
# How much of the specification rules and scenarios decide, and how much of that a fault or a twin proves
# (`talon list requirements --coverage`): never less than before. What nothing proves has a reason, and what is proven none.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# Where the program finds its suite, wherever it was built.
mkdir -p "$dir/prefix/bin" "$dir/prefix/share/talon"
cp "$talon" "$dir/prefix/bin/" && cp -r scenarios "$dir/prefix/share/talon/"
"$dir/prefix/bin/talon" list requirements --coverage >"$dir/coverage" 2>"$dir/errors"

is "the suite is found" test ! -s "$dir/errors"

total() { # label: "decided proven"
    sed -n "s/^# $1 *[0-9]*: *\([0-9]*\) decided, *\([0-9]*\) proven .*/\1 \2/p" "$dir/coverage"
}
not_less() { # specification, decided, proven
    local decided proven
    read -r decided proven < <(total "$1, seen from outside, no duty of the bench")
    echo "# $1: $decided decided, $proven proven"
    [ "$decided" -ge "$2" ] && [ "$proven" -ge "$3" ]
}
is "as many are decided and proven as before" not_less FTP 625 606
is "those of RDMA, too" not_less RDMA 136 135
is "those of NVMe, too" not_less NVME 141 141

rows() { # awk condition
    grep -v '^#' "$dir/coverage" | awk "$1"
}
# All of the sections that say how packets are acknowledged.
proven_sections() {
    "$talon" list requirements --format json | tr -d '\n' | sed 's/},* *{/}\n{/g' | grep '"observable": "[^i]' |
        grep -oE 'FTP-(9[.]1[.]6|9[.]1[.]7|9[.]2[.]2[.]4|9[.]2[.]3|9[.]2[.]5)-[0-9]+' | sort -u >"$dir/due"
    rows '$6 != "-" || $7 != "-" {print $1}' | sort >"$dir/proven"
    [ "$(wc -l <"$dir/due")" -ge 45 ] && [ -z "$(comm -23 "$dir/due" "$dir/proven" | tee "$dir/missing")" ] ||
        { sed 's/^/# not proven: /' "$dir/missing"; return 1; }
}
is "9.1.6, 9.1.7, 9.2.2.4, 9.2.3 and 9.2.5 are proven whole" proven_sections
reasons() {
    ! rows '$6 == "-" && $7 == "-" && $8 == "-"' | grep .
}
is "what nothing proves has its reason" reasons
needless() {
    ! rows '$6 != "-" || $7 != "-" {print $1}' | grep -xFf - <(sed -n 's/^\([A-Z][^ ]*\) .*/\1/p' oracles/catalogue/reasons.txt)
}
is "oracles/catalogue/reasons.txt excuses nothing that is proven" needless
done_testing
