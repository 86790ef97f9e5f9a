#!/bin/bash
# lane: works
# Captures of the built-in RoCE player, judged by talon check --protocol roce --transport: each planted fault is found by the rule
# named for it in tests/data/roce-captures.txt; a player without a fault, or of a variant, gives no finding, with several seeds.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
table=tests/data/roce-captures.txt
echo '{"connections": [{"sut": {"ip": "10.0.0.1", "qp": 17}, "peer": {"ip": "10.0.0.2", "qp": 257}},
    {"sut": {"ip": "10.0.0.1", "qp": 18}, "peer": {"ip": "10.0.0.2", "qp": 258}}]}' >"$dir/pairs.json"

# The value of a member of the case's scenario, or else $3.
declared() {
    local value
    value=$(sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" scenarios/roce-*/"$1.json")
    echo "${value:-$3}"
}

# Judges the capture of case $1 at $2, with claims $3: what the scenario declares of the player is declared here, too.
judge() {
    local capture=$dir/cap/$1.$2.pcapng options least
    if [ "$2" = switch ]; then
        options=(--vantage switch --before 0)
    else
        least=$(declared "$1" min_rate "")
        echo "{\"preset\": \"$(declared "$1" dcqcn nic)\"${least:+, \"min_rate_bps\": ${least%Gb/s}000000000}}" >"$dir/rp.json"
        options=(--sut "10.0.0.$([ "$2" = a ] && echo 1 || echo 2)" --rp "$dir/rp.json" --line-rate "$(declared "$1" line_rate 100Gb/s)"
            --burst 1098 --np "$(declared "$1" cnp_interval 50us)" --turnaround "$(declared "$1" answer 500ns)" --mtu 1024 --limiter qp
            --timeout "$(declared "$1" timeout 400us)" --connections "$dir/pairs.json" --complete-capture --from-start
            --claims "congestion-management,alpha-from-cnp,cnp-becn,icrc-captured${3:+,$3}")
    fi
    "$talon" check --protocol roce "$capture" "${options[@]}" --transport >"$dir/out" 2>"$dir/err"
}
play() { # case, options...
    local id=$1
    shift
    rm -rf "$dir/cap"
    "$talon" run --profile roce --id "$id" --out "$dir/cap" "$@" >/dev/null
    [ $? -le 1 ] # a fault may fail the case
}
found() {
    local missed=0 fault rule verdict case where claims
    while read -r fault rule verdict case where claims; do
        case $rule in "" | -) continue ;; esac
        [ "$fault" = "#" ] && continue
        play "$case" --sut "builtin:fault=$fault" && judge "$case" "$where" "$claims"
        grep -q "^$rule *$verdict" "$dir/out" ||
            { echo "# $fault is not found by rule $rule in the capture of $case at $where"; missed=1; }
    done <"$table"
    return $missed
}
is "each fault is found by the rule named for it" found
every() {
    ! for f in $(grep -o '^    X([A-Z0-9_]*, "[a-z0-9-]*", "\(receiver\|sender\|switch\)"' oracles/roce/roce_list.h | cut -d'"' -f2); do
        grep -q "^$f " "$table" || echo "# $f"
    done | grep .
}
is "every fault is in the table" every
without() { # cases, claims, options...
    local case where wrong=0 cases=$1 claims=$2
    shift 2
    for case in $cases; do
        play "$case" "$@"
        for where in a b; do
            judge "$case" "$where" "$claims"
            case $? in 0 | 3) ;; *) wrong=1 ;; esac
            grep -H --label="# $case.$where" -E '^[A-Z0-9]+ +(warn|fail|inconclusive)' "$dir/out" && wrong=1
        done
    done
    return $wrong
}
is "RoCE without congestion gives no warning" without "roce-no-loss roce-many-messages roce-both-ways roce-read-whole" ""
is "nor with losses" without "roce-lost-middle roce-ack-lost roce-read-lost-response roce-two-lost" ""
is "nor with DCQCN" without "roce-rate-additive roce-rate-alpha-decays roce-rate-once-in-m roce-rate-least roce-rate-target" backlogged
for variant in ack-each ack-coalesced nak-after-late copy-asks; do
    is "nor does the variant $variant" without "roce-lost-middle roce-nak-once roce-many-messages" "" --sut "builtin:variant=$variant"
done
is "READs are left out of the K rules, and the report says so" grep -q "^# K rules: 1 flow left out" "$dir/out"
"$talon" check --protocol roce "$dir/cap/roce-many-messages.a.pcapng" --transport --format json >"$dir/json"
is "JSON has both" python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert len(r["rules"]) == 18 and len(r["transport"]["rules"]) == 10' "$dir/json"
play roce-lost-middle --sut builtin:fault=back-too-far
logic() { "$talon" logic check "$dir/cap/roce-lost-middle.a.pcapng" --logic roce --vantage sender --sut 10.0.0.1 "$@" >"$dir/out" 2>&1; }
logic --complete-capture --from-start
is "talon logic check judges captures of RoCE, too" grep -q "^K9 *fail" "$dir/out"
logic --connections "$dir/none.json"
is "a file that is not there is named" grep -q "none.json" "$dir/out"
for seed in 1 2 3; do
    is "nor with a switch that marks (seed $seed)" without "roce-switch-marks roce-switch-ect-only" "" --seed $seed
done
done_testing
