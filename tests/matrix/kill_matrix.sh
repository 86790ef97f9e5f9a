#!/bin/bash
# lane: works
# What the kill matrix says is still so (oracles/catalogue/kills.txt, data/kill-views.txt, data/kill-forms.txt): each
# rule still tells its faults in the same worlds, from the same vantages, in the same forms. `make kill-matrix` writes
# the files anew.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
kills=oracles/catalogue/kills.txt
views=tests/data/kill-views.txt
forms=tests/data/kill-forms.txt

still() { # part, file
    "$BUILD/tests/matrix/kill_matrix" --check "$1" "$2" >"$dir/lost" || { sed 's/^/# lost: /' "$dir/lost"; return 1; }
}
# Every third fault; with TALON_WHOLE all.
awk -v whole="${TALON_WHOLE:-}" '!/^#/ { if ($1 != last) n++; last = $1; if (whole != "" || n % 3 == 1) print }' "$kills" >"$dir/kills"
is "every kill of the matrix still happens" still kills "$dir/kills"
# Of the views every eighth fault, since they are many: which, says TALON_SAMPLE (0 to 7; all: "all").
awk -v sample="${TALON_SAMPLE:-${TALON_WHOLE:+all}}" '!/^#/ { if ($1 != last) n++; last = $1; if (sample == "all" || n % 8 == sample + 0) print }' \
    "$views" >"$dir/views"
is "from every vantage, lossy or lossless, with ULP events or without" still views "$dir/views"
awk -v whole="${TALON_WHOLE:-}" '!/^#/ { if ($1 != last) n++; last = $1; if (whole != "" || n % 3 == 2) print }' "$forms" >"$dir/forms"
is "in every form" still forms "$dir/forms"

well_formed() { # file, expression, least number of lines
    ! grep -vE "^#|$2" "$1" && [ "$(grep -vc '^#' "$1")" -ge "$3" ]
}
is "kills are well formed, and have not shrunk" well_formed "$kills" \
    '^[a-z0-9-]+ [A-Z]+[0-9]+ (FTP|RDMA|NVME)-[0-9.]+-[0-9]+ [0-9]+$' 1600
is "views are well formed, and have not shrunk" well_formed "$views" '^[a-z0-9-]+ [A-Z]+[0-9]+( -| [0-9]+){12}$' 600
is "forms are well formed, and have not shrunk" well_formed "$forms" \
    '^[a-z0-9-]+ [a-z0-9=-]+ ([A-Z]+[0-9]+ [0-9]+|- idle|- unseen)$' 550

# Each rule tells some fault. C4 alone only tells a reading (AMB-47), which is lawful: it warns. L2 looks at frames, which
# worlds have not, and N6 at answers that the tester holds, which upper layers of worlds give by themselves; the suite has both.
# Q1 to Q10 look at queue entries, which worlds have not: tests/rue_suite.sh shows a fault of each. V1 to V26 look at RDMA,
# which their upper layers do not speak: of each, data/rule-kills.txt names a fault and a scenario of the suite that shows it.
# V16 and V19 look at several connections, which a case judges one by one: v16_*_test.c and v19_*_test.c. NV2 to NV20 look at
# NVMe, as V1 to V26 do at RDMA.
told() {
    local rule bad=0
    for rule in $("$talon" list rules | awk '$1 !~ /^(C4|L2|N6|Q[0-9]+|V16|V19)$/ {print $1}'); do
        grep -q "^[^ ]* $rule " "$kills" || grep -q "^$rule " tests/data/rule-kills.txt || { echo "# rule $rule tells no fault"; bad=1; }
    done
    return "$bad"
}
of_suite() {
    local rule fault scenario bad=0
    while read -r rule fault scenario; do
        "$talon" run --verbose "$scenario" --sut "builtin:fault=$fault" >"$dir/out"
        grep -q "^  rule $rule, " "$dir/out" || { echo "# rule $rule does not tell $fault in $scenario"; bad=1; }
    done < <(grep -v '^#' tests/data/rule-kills.txt)
    return "$bad"
}
is "each rule of RDMA and NVMe tells its fault in the suite" of_suite
is "each rule tells some fault" told
of_frames() {
    local fault
    for fault in seal-missing seal-next-header seal-crypt-offset seal-other-mode; do
        "$talon" run --verbose scenarios --id 'layers-*' --sut "builtin:fault=$fault" >"$dir/out"
        grep -q '^  rule L2' "$dir/out" || { echo "# $fault"; return 1; }
    done
}
is "rule L2 tells the faults of sealing" of_frames

# And each fault is told by a rule, or data/faults-not-caught.txt says why not.
untold() {
    comm -23 <("$talon" list faults | awk '{print $1}' | sort) <(awk '{print $1}' "$kills" | sort -u) >"$dir/untold"
    sed -n 's/^\([a-z][a-z0-9-]*\)  *[^ ].*/\1/p' tests/data/faults-not-caught.txt | sort | diff "$dir/untold" - | sed 's/^/# /'
    [ "${PIPESTATUS[2]}" -eq 0 ]
}
is "each fault is told by a rule, or data/faults-not-caught.txt says why not" untold
done_testing
