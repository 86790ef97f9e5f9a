#!/bin/bash
# lane: works
# Adapters of each level, and with each optional thing absent: no case may fail or be an error; a case that needs
# more is skipped with a line that names it; and enough cases pass. A planted fault behind such an adapter is detected.
# shellcheck source=tests/run-lib disable=SC2154,SC2016 # names of commands stand in backquotes
. "$(dirname "$0")/run-lib"
suite=${SUITE:-scenarios}

# Of each scenario one case: the first of its cases for the first row, the second for the second, and so on. Rows of fixed
# parameters play them of every other scenario, since tests/adapter_params.py plays the whole suite with each parameter
# every night. With TALON_WHOLE every row plays everything.
"$talon" run "$suite" --list | awk '{print $1}' >"$dir/cases"
sample() { # ROW HALF: the options, into the array `some`; HALF yes: every other scenario
    some=("$suite")
    [ -n "${TALON_WHOLE:-}" ] && return
    awk -F@ -v row="$1" '
        { if (!($1 in count)) names[n++] = $1; id[$1, count[$1]++] = $0 }
        END { for (i = 0; i < n; i++) printf "%s\"%s\"", i ? ", " : "", id[names[i], row % count[names[i]]] }' "$dir/cases" |
        sed 's|.*|{"schema": "talon/profile/1", "name": "row", "title": "A case of each scenario", "select": {"id": [&]}}|' >"$dir/row.json"
    [ "$2" = yes ] && [ "$suite" = scenarios ] && mapfile -t some < <(split $(($1 % 2 + 1))/2)
    some+=(--profile "$dir/row.json")
}

# plays SUT, LEAST, LINE, OPTION...: at least so many percent of the cases pass and none fails; some case is skipped for
# LINE ("": none is). If none of the sample is, the whole suite is played.
half=no
plays() {
    local some
    sample "$tests" "$half"
    "$talon" run --verbose "${some[@]}" --sut "$1" "${@:4}" >"$dir/out" 2>"$dir/err" || [ "$2" = 0 ] || return 1
    passes_enough "$1 ${*:4}" "$2" || return 1
    skipped_for "$3" || {
        "$talon" run --verbose "$suite" --sut "$1" "${@:4}" >"$dir/out" 2>"$dir/err"
        passes_enough "$1 ${*:4}" "$2" && skipped_for "$3"
    }
}
passes_enough() { # NAME, LEAST
    local total passed last
    last=$(tail -n 1 "$dir/out")
    read -r total passed <<<"$(sed -n 's/^\([0-9]*\) cases: \([0-9]*\) passed.*/\1 \2/p' <<<"$last")"
    echo "# $1: $last"
    [[ $last == *" 0 failed"* ]] && [[ ! $last =~ in\ error|inconclusive ]] && [ "${total:-0}" -ge 200 ] && [ $((passed * 100)) -ge $((total * $2)) ]
}
skipped_for() { # LINE
    if [ -n "$1" ]; then grep -qF "(skipped: $1" "$dir/out"; else ! grep -q '(skipped: ' "$dir/out"; fi
}
said() { echo ", which the adapter answered with \"unsupported"; }

is "L3" plays builtin:offer=L3 99 ""
is "L2" plays builtin:offer=L2 50 'needs `policy` (level L3); the adapter offers L2)'
is "L2: events" plays builtin:offer=L2 50 'needs the event `request` (level L3); the adapter offers L2; its packets conform)'
is "L1" plays builtin:offer=L1 5 'needs `post` (level L2); the adapter offers L1)'
is "L0" plays builtin:offer=L0 0 'needs `reset` (level L1); the adapter offers L0)'
# The hashes of memory in the cases of RDMA follow a barrier.
is "without barrier" plays builtin:without=barrier 90 "needs \`barrier\`$(said)"
is "without counters, state and clock" plays builtin:without=counters,state,clock 99 ""
is "without policy" plays builtin:without=policy 72 "needs \`policy\` (rnr)$(said)"
is "without respond" plays builtin:without=respond 85 "needs \`respond\` (data)$(said)"
is "without set" plays builtin:without=set 92 "needs \`set\` (fcwnd)$(said)"
is "without rotate_keys" plays builtin:without=rotate_keys 91 "needs \`rotate_keys\` (spi)$(said)"
is "without close" plays builtin:without=close 96 "needs \`close\`$(said)"
is "without post" plays builtin:without=post 36 "needs \`post\`$(said)"
is "without reset" plays builtin:without=reset 0 "needs \`reset\`$(said)"
is "without open" plays builtin:without=open 0 'the adapter answered `open` with "unsupported'
is "without local" plays builtin:without=local 80 "the SUT has "

# A SUT may have one role of NVMe alone (NVME-6.2-01).
initiator_alone() {
    "$talon" run --verbose "$suite" --tag nvme --sut builtin:without=dev_format >"$dir/out" 2>"$dir/err" || return 1
    passes_enough "an initiator of NVMe" 72 && skipped_for 'needs `dev_format` (level L3n); the adapter offers L2n)'
}
is "an initiator of NVMe alone" initiator_alone

# What the SUT reports in its reply to `open` counts (tests/adapter_params.py has a row for each parameter).
half=yes
is "a larger transmit window" plays builtin:fixed=tx_window_req=1024,tx_window_data=1024 95 "the SUT has tx_window_req 1024"
# Of the 990 cases of RDMA 581 are skipped at an MTU of 1,024 bytes, and 911 at one of 64: their path MTU needs more.
# None of the 1,092 of NVMe plays then, so they are left out here. Of the others 3,679 of 4,622 pass at 64 bytes, 79.6 %.
is "a small MTU" plays builtin:fixed=mtu=1024 86 "the SUT has mtu 1024; this case needs mtu " --tag '!nvme'
is "a small congestion window" plays builtin:fixed=fcwnd=4 80 "the SUT has fcwnd 4; this case needs fcwnd 64)"
is "unordered connections only" plays builtin:fixed=ordered=false 55 "the SUT has ordered false; this case needs ordered true)"
is "one request is held at a time" plays builtin:fixed=net_pkt_rx=1 82 "the SUT has net_pkt_rx 1; this case needs net_pkt_rx 0)"
is "one request is held at a time, as the user says" plays builtin 84 "the SUT has net_pkt_rx 1; this case needs net_pkt_rx 0)" \
    --param net_pkt_rx=1
is "a drop filter, as the user says" plays builtin 55 "the SUT has xlr_target 3; this case needs xlr_target 0)" --param xlr_target=3
is "a credit for one request of all connections" plays builtin:twin=pools-of-device 67 "the SUT has credit_req_pkt_tx 1; this case needs credit_req_pkt_tx 0)" \
    --param credit_req_pkt_tx=1
is "a short transaction timeout" plays builtin:fixed=transaction_timeout=10ms 57 "the SUT has transaction_timeout 10ms"

is "a long transaction timeout: attempts run out first" plays builtin:fixed=transaction_timeout=27s 95 \
    "the SUT has transaction_timeout 27s"
is "the smallest MTU" plays builtin:fixed=mtu=64 79 "the SUT has mtu 64; this case needs mtu " --tag '!nvme'

# The Vendor Defined word of Resyncs is the vendor's: of a SUT that states that it uses the word, or states nothing, no
# rule fails it.
echo '{"schema": "talon/ics/1", "vendor": "V", "product": "P", "firmware": "1", "items": {"resync-vendor-defined": true}}' >"$dir/vendor.json"
is "a vendor's word, as the adapter reports" plays builtin:fault=resync-vendor-set:fixed=resync_vendor=true 95 ""
is "a vendor's word, as the ICS states" plays builtin:fault=resync-vendor-set 95 "" --ics "$dir/vendor.json"
vendor_word() { # pattern of the last line, SUT
    "$talon" run --verbose "$suite"/9.2.5-resync --sut "$2" >"$dir/out" 2>"$dir/err"
    tail -n 1 "$dir/out" | grep -q "$1" || { tail -n 1 "$dir/out" | sed 's/^/# /'; return 1; }
}
is "a vendor's word, of which nothing is stated" vendor_word ' 0 failed' \
    "exec:python3 tests/suts/no_ics.py $talon sut --lockstep --fault resync-vendor-set"
is "a vendor's word that the ICS denies" vendor_word ' [1-9][0-9]* failed' builtin:fault=resync-vendor-set
is "... is named by rule L1" grep -q '^    FTP-7.6-13 ' "$dir/out"

# A case plays with a value that it only wishes: an RTO, an ACK timer, a number of attempts.
for row in "rto=20us 72" "rto=1ms 74" "rto=20ms 90" "rto=4s 86" "coalescing=1us 94" "coalescing=50ms 94" \
    "max_attempts=3 92" "initial_rtt=1s 91" "ooo_threshold=10 93" "fcwnd=256 86"; do
    is "fixed ${row% *}" plays "builtin:fixed=${row% *}" "${row#* }" "the SUT has ${row%%=*} "
done

# A probe of the SUT may cross the last ACK on a path that is longer than the ACK timer. (On such a path, steered ACKs do not
# tell the delay that the SUT computes.)
is "a short ACK timer on a long path" plays builtin:fixed=coalescing=5us:twin=rack-tlp 94 "the SUT has coalescing 5us" \
    --network out:latency=620us --tag '!steered'

# Behind a long path a SUT with a short RTO gives up before any ACK can arrive.
is "an RTO that is shorter than a round trip" plays builtin:fixed=rto=20us 40 \
    "the SUT has rto 20us, and a round trip takes 10ms; this case needs rto " --network latency=5ms

# skips SUT LINE STEPS: the case of these steps passes with the built-in SUT, and is skipped for LINE with SUT.
skips() {
    cat >"$dir/few.json" <<END
{"schema": "talon/scenario/1", "id": "few", "title": "T", "purpose": "P", "class": "valid", "covers": ["FTP-11-07"],
 "version": 1, $3}
END
    "$talon" run --verbose "$dir/few.json" --sut builtin >"$dir/out" && "$talon" run --verbose "$dir/few.json" --sut "$1" >"$dir/out"
    grep -qF "(skipped: the SUT has $2" "$dir/out"
}
# The tester's own endpoint keeps to the SUT's number of attempts: what it gives up after so few is not the SUT's fault.
for packet in "< back" "> push_data"; do
    is "few attempts of the tester, each '$packet' is dropped" skips builtin:fixed=max_attempts=2 "max_attempts 2" '"steps": [
        {"on": "'"$packet"'", "do": "drop", "times": 3}, {"ulp": {"do": "post", "op": "push", "length": 64, "tag": 1}, "side": "tester"},
        {"expect_ulp": {"event": "completion", "tag": 1, "code": 0}, "side": "tester", "within": "$rto * 40"}]'
done
# A step that waits for the timeout that the case wished.
is "a transaction that times out later than was wished" skips builtin:fixed=transaction_timeout=20s "transaction_timeout 20s" '
    "connection": {"params": {"transaction_timeout": "1s", "rto": "400ms"}}, "steps": [{"on": "> packet", "do": "drop", "times": 0},
        {"ulp": {"do": "post", "op": "pull", "length": 64, "tag": 1}},
        {"expect_ulp": {"event": "completion", "tag": 1, "code": 8}, "within": "1100ms"}]'

# opens SUT: plays a case whose parameters the built-in SUT can never have.
opens() {
    cat >"$dir/open.json" <<'END'
{"schema": "talon/scenario/1", "id": "open", "title": "T", "purpose": "P", "class": "valid", "covers": ["FTP-9.1.6-03"],
 "version": 1, "connection": {"params": {"tx_window_req": 100000}}, "steps": ["> push_data psn=0r rsn=0r len=64 ar"]}
END
    "$talon" run --verbose "$dir/open.json" --sut "$1" >"$dir/out"
}
open_unsupported() {
    opens builtin
    grep -qF '(skipped: the adapter answered `open` with "unsupported: open: the endpoint refuses it: out of range"' "$dir/out"
}
is "open is answered unsupported" open_unsupported
# The adapter tried to open the connection and could not: no verdict, and the text of the SUT.
open_failed() {
    opens "exec:$talon sut --lockstep | sed -u s/unsupported/failed/"
    [ $? -eq 3 ] && grep -qF 'the adapter answered `open` with "failed: open: the endpoint refuses it: out of range"' "$dir/out"
}
is "open is answered failed" open_failed

# What the user gives, and the SUT cannot have: every case is skipped, those of several connections too.
given_out_of_range() {
    local some
    sample "$tests" no
    "$talon" run --verbose "${some[@]}" --sut builtin --param net_buf_rx=1 >"$dir/out" 2>"$dir/err"
    echo "# net_buf_rx=1: $(tail -n 1 "$dir/out")"
    ! grep -qE '^(FAIL|ERROR|inconclusive)' "$dir/out" && grep -qF '(skipped: the adapter answered `open` with "unsupported' "$dir/out"
}
is "the user gives what the SUT cannot have" given_out_of_range

# detects SUT: a fault shows through the adapter: in a few scenarios that detect it behind any (oracles/catalogue/suite-kills.txt),
# else somewhere in the suite.
detects() {
    local fault=${1#*fault=} known
    mapfile -t known < <(awk -v fault="${fault%%:*}" '
        FILENAME == "-" { id = $1; sub(/.*[/]/, "", id); sub(/[.]json$/, "", id); file[id] = $1; next }
        $1 == fault && $3 == "fail" && $2 in file { those[n++] = file[$2] }
        END { for (i = 0; i < 4 && i < n; i++) print those[int(i * n / 4)] }' \
        - oracles/catalogue/suite-kills.txt < <(find "$suite" -name '*.json'))
    [ "${#known[@]}" -gt 0 ] && fails_behind "$1" "${known[@]}" || fails_behind "$1" "$suite"
}
fails_behind() { # SUT, FILE...
    "$talon" run --verbose "${@:2}" --sut "$1" --fail-fast >"$dir/out" 2>&1
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out"
}
for fault in acks-unsent base-goes-back eack-omitted-on-hole nack-omitted ar-ignored coalescing-never bases-exchanged; do
    is "$fault behind L1" detects "builtin:fault=$fault:offer=L1"
done
for fault in retransmit-never psn-skipped completion-lost fcwnd-ignored early-never; do
    is "$fault behind L2" detects "builtin:fault=$fault:offer=L2"
done
for fault in fcwnd-ignored eack-omitted-on-hole retransmit-never; do
    is "$fault behind a larger transmit window" detects "builtin:fault=$fault:fixed=tx_window_req=1024"
done
for fault in tx-window-ignored own-never-set completion-lost; do
    is "$fault behind a small congestion window" detects "builtin:fault=$fault:fixed=fcwnd=16"
done
for fault in transaction-never-times-out rto-halved ack-base-ignored own-never-set; do
    is "$fault behind a fixed RTO" detects "builtin:fault=$fault:fixed=rto=20ms"
done
for row in "initial_ttl=128 own-not-heeded" "xlr_initiator=1000 cie-nack-once" "net_pkt_rx=64 retransmit-data-first" \
    "tick=10us transaction-never-times-out" "ordered=false cie-nack-once" "rto_varies=true own-not-heeded"; do
    is "${row#* } behind ${row% *}" detects "builtin:fault=${row#* }:fixed=${row% *}"
done
is "early-one-window behind a fixed RTO" detects builtin:fault=early-one-window:fixed=rto=50ms
for fault in payload-corrupted psn-skipped; do
    is "$fault behind its own initial numbers" detects "builtin:fault=$fault:without=local"
done
done_testing
