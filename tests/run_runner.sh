#!/bin/bash
# lane: works
# The runner's options: what is picked, what becomes of each case, what the run comes to, and what it leaves behind.
# shellcheck disable=SC2046,SC2086 # files, options
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
cases=tests/data/scenarios
# Reading all scenarios takes a sixth of a second of a processor: what needs one, or some, names the file or the folders.
push=scenarios/8-transactions/push-target.json
few="scenarios/8-transactions scenarios/8.5.3.4-rnr scenarios/9.1.6-ack-generation"
unset NO_COLOR SOURCE_DATE_EPOCH

# run STATUS, ARGUMENTS...: talon run, its output in $dir/out and $dir/err.
run() {
    local due=$1
    shift
    "$talon" run --verbose "$@" >"$dir/out" 2>"$dir/err" </dev/null
    local status=$?
    [ $status -eq "$due" ] || { echo "# status $status, due $due: $*" >&2; tail -n 5 "$dir/out" "$dir/err" >&2; return 1; }
}
says() { grep -qF -- "$1" "$dir/out" || { echo "# not said: $1" >&2; return 1; }; }
complains() { [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qF -- "$1" "$dir/err" || { cat "$dir/err" >&2; return 1; }; }
ids() { awk '/^(run|pass|warn|FAIL|inconclusive|ERROR) / {print $2}' "$dir/out" | sort; }
# Whether the results hold each of these lines.
holds() {
    local line
    for line; do
        grep -qF -- "$line" "$dir/r.json" || { echo "# results lack: $line" >&2; return 1; }
    done
}

prints() { sed -n 's/^ *fingerprint *\([0-9a-f]*\).*/\1/p' "$dir/out" | sort -u; }
entry() { # id, kind, more
    echo "{\"id\": \"$1\", \"kind\": \"$2\", $3, \"reason\": \"known\", \"approver\": \"QA\", \"link\": \"https://example.org/1\", \"expires\": \"2026-12-31\"}"
}
waive() { # entries
    echo "{\"schema\": \"talon/waivers/1\", \"entries\": [$1]}" >"$dir/w.json"
}

# ---- what is picked ----
picks() { # number of cases of the few, options...
    local due=$1
    shift
    run 0 $few --dry-run "$@" && [ "$(ids | wc -l)" -eq "$due" ] || { cat "$dir/out" >&2; return 1; }
}
all=$("$talon" run scenarios --list | wc -l)
"$talon" run $few --list >"$dir/list"
those=$(wc -l <"$dir/list")
pushes=$(grep -c '^push-' "$dir/list")
initiators=$(sed 's/[@ ].*//' "$dir/list" | grep -cxFf <(grep -lE '"tags".*"initiator"' -r $few --include='*.json' | xargs -n 1 basename -s .json))
takes_all() { run 0 scenarios --dry-run && [ "$(ids | wc -l)" -eq "$all" ] && [ "$pushes" -gt 2 ] && [ "$initiators" -gt 20 ]; }
is "--dry-run without a choice takes all" takes_all
is "--id takes a pattern" picks "$pushes" --id 'push-*'
is "several take any of them" picks $((pushes + 1)) --id 'push-*' --id pull-target
is "! takes out" picks $((those - pushes)) --id '!push-*'
is "--tag" picks "$initiators" --tag initiator
is "kinds must agree" picks 1 --tag initiator --id push-initiator --class valid --chapter 8
is "--requirement" picks 1 --requirement FTP-9.1.6-03 --id push-target
nothing_selected() { run 2 scenarios --id nothing-like-it && complains "no case matches --id 'nothing-like-it'" && run 2 scenarios --id push-target --tag soak && complains "no case is selected"; }
is "nothing selected is status 2" nothing_selected
listed() { run 0 $few --list --id push-target && [ "$(cut -d' ' -f1 "$dir/out")" = push-target ]; }
is "--list lists what is selected" listed

shards() {
    local n i
    run 0 $few --dry-run && ids >"$dir/whole" || return 1
    for n in 1 2 7; do
        : >"$dir/union"
        for ((i = 1; i <= n; i++)); do
            run 0 $few --dry-run --shard "$i/$n" || return 1
            ids >>"$dir/union"
        done
        diff "$dir/whole" <(sort "$dir/union") >&2 || return 1
    done
}
is "shards are the whole, and no case is in two" shards
stays() { # a case stays in its shard when others are not selected
    local i
    for i in 1 2 3; do
        run 0 $few --dry-run --shard "$i/3" && ids >"$dir/all-$i" && run 0 $few --dry-run --shard "$i/3" --id 'push*' && ids >"$dir/some-$i" || return 1
        [ -z "$(comm -13 <(sort "$dir/all-$i") <(sort "$dir/some-$i"))" ] || return 1
    done
    [ -s "$dir/some-1" ] && [ -s "$dir/some-2" ] && [ -s "$dir/some-3" ]
}
is "a case stays in its shard, whatever else is selected" stays
empty_shard() { # one case of three shards: two have none
    local i
    for i in 1 2 3; do run 0 scenarios --id push-target --shard "$i/3" --report json:"$dir/of-three-$i.json" || return 1; done
    run 0 scenarios --id push-target --report json:"$dir/of-none.json" &&
        "$talon" report merge "$dir"/of-three-[321].json | cmp - "$dir/of-none.json"
}
is "a shard without a case has results, and is merged" empty_shard
one_of_one() {
    run 0 $push --shard 1/1 --report json:"$dir/one.json" && run 0 $push --report json:"$dir/whole.json" &&
        cmp "$dir/one.json" "$dir/whole.json" && "$talon" report merge "$dir/one.json" | cmp - "$dir/whole.json" &&
        "$talon" history add "$dir/one.json" --db "$dir/history.db" >/dev/null
}
is "one shard of one is the whole run" one_of_one
auto() { # STATUS TEXT VARIABLE=VALUE...
    local due=$1 text=$2
    shift 2
    env "$@" "$talon" run $few --dry-run --shard auto >"$dir/out" 2>"$dir/err"
    [ $? -eq "$due" ] && if [ "$due" -eq 0 ]; then run 0 $few --dry-run --shard "$text" && [ -s "$dir/out" ]; else complains "$text"; fi
}
is "--shard auto: a task of a Slurm array" auto 0 3/8 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=8
is "--shard auto: an index of a Kubernetes job" auto 0 3/8 JOB_COMPLETION_INDEX=2 TALON_SHARDS=8
is "--shard auto: without a count" auto 2 "set TALON_SHARDS" JOB_COMPLETION_INDEX=2
is "--shard auto: neither" auto 2 "neither SLURM_ARRAY_TASK_ID" TALON_SHARDS=8
wrong_shards() {
    local s
    for s in 0/3 4/3 1/0 1 /3 1/ a/b 1/3x; do
        run 2 $push --shard "$s" && complains "--shard '$s'" || return 1
    done
}
is "a shard that is none is refused" wrong_shards

# Beside the program the suite's profiles are found by name.
make -s BUILD="$BUILD" PREFIX="$dir/prefix" install >/dev/null
installed="$dir/prefix/bin/talon"
profiles() {
    local p
    "$installed" list profiles >"$dir/profiles" && [ "$(wc -l <"$dir/profiles")" -ge 4 ] || return 1
    for p in $(cut -d' ' -f1 "$dir/profiles"); do
        # a run of RoCEv2 has no parts
        "$installed" run --profile "$p" $([ "$p" = roce ] || part 1/24) >"$dir/out" 2>&1 || { cat "$dir/out" >&2; return 1; }
    done
    "$installed" run --profile smoke $(part 2/24) >"$dir/out" && says "not selected" &&
        "$installed" run --profile ordered --dry-run >"$dir/out"
}
is "each profile of the suite runs" profiles
# A build folder within another has the suite two folders up; a program that lies elsewhere has none.
elsewhere() {
    mkdir -p "$dir/tree/build/asan" "$dir/alone/x/y" && cp "$talon" "$dir/tree/build/asan/" && cp "$talon" "$dir/alone/x/y/" &&
        ln -s "$PWD/scenarios" "$dir/tree/scenarios" && "$dir/tree/build/asan/talon" run --profile smoke >/dev/null &&
        ! "$dir/alone/x/y/talon" run --profile smoke 2>"$dir/err" && complains "'smoke' is not found, because no suite is beside the program"
}
is "a program finds the suite above its build folder, or says that it has none" elsewhere
profile_wrong() {
    "$installed" run --profile smok 2>"$dir/err"
    [ $? -eq 2 ] && complains "no profile 'smok'" &&
        echo '{"schema": "talon/profile/1", "name": "x", "title": "y", "selekt": {}}' >"$dir/p.json" &&
        run 2 scenarios --profile "$dir/p.json" && complains "p.json:1:58: selekt: unknown; did you mean 'select'?"
}
is "a profile that is none, or wrong, is refused" profile_wrong
no_suite() { (cd / && "$dir/prefix/bin/talon" run --list | wc -l) | grep -qx "$all"; }
is "the installed program finds its suite" no_suite

# ---- dispositions ----
needing() { # needs, tags: a scenario of its own
    sed -e "s/\"id\": \"pass-all-verbs\"/\"id\": \"own\", \"needs\": $1, \"tags\": $2/" -e '/^ *"tags":/d' "$cases/pass-all-verbs.json" >"$dir/own.json"
}
statement() { # items
    echo "{\"schema\": \"talon/ics/1\", \"vendor\": \"Acme\", \"product\": \"F1\", \"firmware\": \"1.5\", \"items\": $1}" >"$dir/ics.json"
}
not_applicable() {
    needing '["multipath", "psp"]' '[]' && run 2 "$dir/own.json" --report json:"$dir/r.json" && says "n/a" && says "multipath" &&
        holds '"disposition": "not applicable"' '"verdict": "none"' '"status": 2'  &&
        statement '{"multipath": true}' && run 0 "$dir/own.json" --ics "$dir/ics.json" --report json:"$dir/r.json" &&
        says "the ICS states true, the SUT's own answer to \`hello\` states the opposite" && [ "$(grep -A1 ics_denied_by_sut "$dir/r.json" | tail -n 1 | tr -d ' ')" = '"multipath"' ] &&
        run 0 "$dir/own.json" "$cases/pass-all-verbs.json" && says "1 passed, 0 failed, 1 not applicable" &&
        run 0 "$dir/own.json" --dry-run && says "not applicable own (multipath)" && # nobody has spoken for a SUT on a wire
        run 0 "$dir/own.json" --dry-run --sut udp:127.0.0.1:9 && says "1 of 1 cases would run"
}
is "what the ICS denies is not applicable, and said" not_applicable
ics_wrong() {
    statement '{"pps": true}' && run 2 scenarios --ics "$dir/ics.json" && complains "items.pps: unknown; did you mean 'psp'?" &&
        echo '{' >"$dir/ics.json" && run 2 scenarios --ics "$dir/ics.json" && complains "ics.json:" &&
        head -c 5000000 /dev/zero | tr '\0' '[' >"$dir/ics.json" && run 2 scenarios --ics "$dir/ics.json" && complains "larger than" &&
        run 2 scenarios --ics "$dir/none" && complains "No such file"
}
is "an ICS file that is wrong is refused" ics_wrong
proforma() {
    "$talon" list ics --proforma >"$dir/ics.json" && run 0 "$cases/pass-all-verbs.json" --ics "$dir/ics.json"
}
is "the proforma is read as it is printed" proforma
wedge() {
    needing '[]' '["may-wedge"]' && run 2 "$dir/own.json" && says "skipped" && says "may-wedge" &&
        run 0 "$dir/own.json" --allow may-wedge && run 2 "$dir/own.json" --allow all && complains "expected may-wedge"
}
is "what may wedge a device runs when it is asked for" wedge

fault=builtin:fault=acks-unsent
with_params() { # each combination is a case: picked, repeated, waived and kept by its own name
    sed -e 's/"id": "push-target"/"id": "own", "params": {"len": [64, 65, 66]}/' -e 's/len=64/len=${len}/' \
        -e 's/"length": 64/"length": "${len}"/' scenarios/8-transactions/push-target.json >"$dir/own.json"
    run 0 "$dir/own.json" && says "3 passed" && run 0 "$dir/own.json" --id own && says "3 passed" &&
        run 0 "$dir/own.json" --id 'own@len=65' && says "1 passed" && says "2 not selected" &&
        run 1 "$dir/own.json" --sut $fault --out "$dir/params" && [ "$(prints | wc -l)" -le 4 ] &&
        says "--id own@len=66" && [ -s "$dir/params/own@len=65/timeline.jsonl" ] || return 1
    waive "$(entry W-1 waiver "\"scenario\": \"own\", \"fingerprint\": [$(prints | sed 's/.*/"&"/' | paste -sd,)]")"
    run 0 "$dir/own.json" --sut $fault --waivers "$dir/w.json" --date 2026-11-21 && says "3 waived" &&
        "$talon" check "$dir/params" >"$dir/out"; [ $? -eq 1 ] && says "3 of them played again"
}
fail_fast() {
    local jobs
    for jobs in 1 2 7; do
        run 1 $few --sut $fault --fail-fast --jobs $jobs --out "$dir/ff-$jobs" --report json:"$dir/ff-$jobs.json" || return 1
        [ "$(grep -c '^FAIL' "$dir/out")" -eq 1 ] && says "not run" || return 1
    done
    cmp "$dir/ff-1.json" "$dir/ff-2.json" && cmp "$dir/ff-1.json" "$dir/ff-7.json" &&
        diff -r --exclude run.json "$dir/ff-1" "$dir/ff-7" && [ "$(find "$dir/ff-1" -name timeline.jsonl | wc -l)" -eq 1 ]
}
is "cases by parameters" with_params
is "--fail-fast stops after the first failure, whatever --jobs" fail_fast

run 1 $push --sut $fault
quoted=$(prints | sed 's/.*/"&"/' | paste -sd,)
agreed="\"scenario\": \"push-target\", \"fingerprint\": [$quoted]"
date="--date 2026-11-21"
waived() {
    [ -n "$quoted" ] && waive "$(entry W-1 waiver "$agreed")" &&
        run 0 $push --sut $fault --waivers "$dir/w.json" $date --report json:"$dir/r.json" --report junit:"$dir/r.xml" &&
        says "waived: W-1; verdict fail" && grep -q '<skipped type="waived" message="waived: W-1">' "$dir/r.xml" &&
        holds '"verdict": "fail"' '"status": 0' '"disposition": "waived"' '"state": "used"'  &&
        run 0 $push --sut $fault --seed 77 --waivers "$dir/w.json" $date
}
is "a failure that is waived does not fail the run, whatever the seed" waived
other_failure() {
    run 1 $push --sut builtin:fault=ar-ignored --waivers "$dir/w.json" $date && grep -q '^FAIL' "$dir/out"
}
is "a different failure is not waived" other_failure
expired() {
    run 1 $push --sut $fault --waivers "$dir/w.json" --date 2027-01-01 && says "it has expired" &&
        SOURCE_DATE_EPOCH=1800000000 run 1 $push --sut $fault --waivers "$dir/w.json" &&
        SOURCE_DATE_EPOCH=1790000000 run 0 $push --sut $fault --waivers "$dir/w.json"
}
is "after its last day an entry applies no more" expired
strict() {
    run 0 $push --waivers "$dir/w.json" $date && says "no failure of this run matches" &&
        run 1 $push --waivers "$dir/w.json" $date --strict-waivers &&
        run 1 $push --waivers "$dir/w.json" --date 2027-01-01 --strict-waivers &&
        run 0 scenarios/8-transactions/pull-target.json --waivers "$dir/w.json" $date --strict-waivers && says "no case that it names has run" &&
        run 2 scenarios --strict-waivers && complains "--strict-waivers needs --waivers"
}
is "an entry without use is told, and fails a strict run" strict
expected() {
    waive "$(entry W-2 expected-failure "$agreed")" &&
        run 0 $push --sut $fault --waivers "$dir/w.json" $date && says "expected failure: W-2" &&
        run 0 $push --waivers "$dir/w.json" $date && says "unexpected pass: W-2" &&
        run 1 $push --waivers "$dir/w.json" $date --strict-waivers --report junit:"$dir/r.xml" &&
        grep -q '<failure type="unexpected pass"' "$dir/r.xml"
}
is "an expected failure, and its unexpected pass" expected
firmware() {
    waive "$(entry W-3 waiver "$agreed, \"vendor\": \"Acme\", \"firmware\": \">=1.2 <2.0\"")" && statement '{}' &&
        run 0 $push --sut $fault --waivers "$dir/w.json" $date --ics "$dir/ics.json" &&
        sed -i 's/"1.5"/"2.0"/' "$dir/ics.json" &&
        run 1 $push --sut $fault --waivers "$dir/w.json" $date --ics "$dir/ics.json" &&
        says "another vendor, product or firmware" &&
        run 1 $push --sut $fault --waivers "$dir/w.json" $date
}
is "another firmware is not waived" firmware
waivers_wrong() {
    waive "$(entry W-4 wavier "$agreed")" && run 2 scenarios --waivers "$dir/w.json" && complains "entries[0].kind: expected waiver" &&
        echo '[[[' >"$dir/w.json" && run 2 scenarios --waivers "$dir/w.json" && complains "w.json:" &&
        run 2 scenarios --waivers "$dir" && run 2 scenarios --waivers "$dir/none" && complains "No such file" &&
        run 2 scenarios --date 2026-02-30 && complains "--date"
}
is "a waiver file that is wrong is refused" waivers_wrong

# A fault that acts at times: some seeds pass.
sometimes="builtin:fault=acks-unsent:one-in=3"
repeat() {
    waive "$(entry F-1 flaky '"scenario": "push-*", "passes": "1 of 20"')" || return 1
    run 1 $push --sut $sometimes --repeat 20 --report json:"$dir/r.json" || return 1
    [ "$(grep -c '"seed": "0x' "$dir/r.json")" -eq 21 ] && holds '"verdict": "pass"' '"verdict": "fail"' &&
        says "of 20 times)" &&
        run 0 $push --sut $sometimes --repeat 20 --waivers "$dir/w.json" $date && says "(flaky: F-1: passed" &&
        run 0 $push --repeat 20 --waivers "$dir/w.json" $date && says "1 passed"
}
worst() { # whatever the first comes to
    local seed
    for seed in $(seq 40); do
        "$talon" run --verbose $push --sut $sometimes --seed "$seed" >/dev/null && break
    done
    run 0 $push --sut $sometimes --seed "$seed" && run 1 $push --sut $sometimes --seed "$seed" --repeat 20
}
is "of several runs the worst counts" worst
is "--repeat tells how often it passed; flaky is what is listed" repeat
same_for_jobs() {
    local jobs
    for jobs in 1 5; do
        run 1 $(part_of 2/24) --sut $sometimes --repeat 5 --jobs $jobs --waivers "$dir/w.json" $date --report json:"$dir/j-$jobs.json" --out "$dir/j-$jobs" || return 1
    done
    cmp "$dir/j-1.json" "$dir/j-5.json" && diff -r --exclude run.json "$dir/j-1" "$dir/j-5"
}
mixed() { # what fails now in one way and then in another is not waived by what one run showed
    local many=builtin:fault=header-field-corrupted
    run 1 $push --sut $many --repeat 10 --report json:"$dir/r.json" && holds '"mixed": true' || return 1
    waive "$(entry W-9 waiver "\"scenario\": \"push-target\", \"fingerprint\": [$(prints | head -n 16 | sed 's/.*/"&"/' | paste -sd,)]")"
    run 1 $push --sut $many --repeat 10 --waivers "$dir/w.json" $date
}
is "nothing is waived of runs that fail in different ways" mixed
is "with waivers and repetitions --jobs cannot be seen either" same_for_jobs
again() { # of one repetition, by its own seed
    run 1 $push --sut $sometimes --repeat 20 --report json:"$dir/r.json" || return 1
    local command
    command=$(sed -n 's/^ *reproduce with: talon run //p' "$dir/out")
    # shellcheck disable=SC2086 # a command line
    run 1 $command && says "FAIL"
}
is "the command that repeats it, repeats that one" again

interrupted() { # what there is by then is reported
    # A shell's background job ignores SIGINT; SIGTERM is heard.
    "$talon" run --verbose scenarios --repeat 1000 --report json:"$dir/r.json" --out "$dir/cut" >"$dir/out" 2>"$dir/err" </dev/null &
    local run=$! status
    for _ in $(seq 400); do # however busy the machine is: until it has begun
        [ -d "$dir/cut" ] && break
        sleep 0.05
    done
    sleep 0.5
    kill -TERM $run
    wait $run
    status=$?
    [ $status -eq 4 ] && says "interrupted" && holds '"interrupted": true' '"disposition_why": "interrupted"' &&
        (cd "$dir/cut" && sha256sum --quiet -c manifest.sha256)
}
is "an interruption ends with the case, and reports what there is" interrupted

# ---- exit status ----
precedence() {
    local wrong=tests/data/scenarios-bad/bad-line.json pass=$cases/pass-all-verbs.json
    local fail=$cases/fail-expect.json unclear error=$cases/error-answer.json
    unclear=$(find $cases -name 'inconclusive-*.json' | sort | head -1)
    run 0 "$pass" && run 3 "$pass" "$unclear" && run 1 "$unclear" "$fail" && run 2 "$fail" "$wrong" "$unclear" &&
        run 4 "$wrong" "$error" "$fail" "$pass"
}
is "4 goes before 2, 1, 3" precedence

# ---- reports ----
jenkins() {
    waive "" && run 4 $cases --report junit:"$dir/r.xml" --report json:"$dir/r.json" --waivers "$dir/w.json" &&
        { ! command -v xmllint >/dev/null || xmllint --noout --schema tests/data/junit.xsd "$dir/r.xml" 2>"$dir/err"; } &&
        ! grep -qE 'inconclusive-.*/>$' "$dir/r.xml" &&
        [ "$(grep -A1 'name="inconclusive-' "$dir/r.xml" | grep -c '<error type="inconclusive"')" -eq \
            "$(find $cases -name 'inconclusive-*.json' | wc -l)" ]
}
is "JUnit is valid, and no inconclusive case is without a child" jenkins
to_stdout() {
    "$talon" run --verbose "$cases/pass-all-verbs.json" --report json:- 2>/dev/null | sed -n '/^{/,$p' | tail -n 1 | grep -qx '}' 
}
is "a report to standard output" to_stdout
full() {
    [ ! -w /dev/full ] || {
        run 4 "$cases/pass-all-verbs.json" --report json:/dev/full && complains "/dev/full: cannot be written" &&
            run 4 "$cases/pass-all-verbs.json" --report junit:/dev/full &&
            { "$talon" run --verbose "$cases/pass-all-verbs.json" >/dev/full 2>"$dir/err"; [ $? -eq 4 ]; }
    }
}
is "a full disk is an error" full
colours() {
    run 0 "$cases/pass-all-verbs.json" && ! grep -q $'\033' "$dir/out" &&
        run 0 "$cases/pass-all-verbs.json" --colour always && grep -q $'\033\[32m' "$dir/out" || return 1
    command -v script >/dev/null || return 0
    TERM=xterm script -qec "$talon run $cases/fail-expect.json $cases/pass-all-verbs.json" /dev/null >"$dir/tty" </dev/null
    grep -q $'\033\[31m' "$dir/tty" || return 1
    TERM=xterm NO_COLOR=1 script -qec "$talon run --verbose $cases/fail-expect.json" /dev/null >"$dir/tty" </dev/null
    ! grep -q $'\033' "$dir/tty"
}
is "colours on a terminal, unless NO_COLOR" colours
chapters() {
    local folder=8.5.3.4-rnr n
    n=$("$talon" run "scenarios/$folder" --list | wc -l)
    run 0 $few && says "chapter " && grep -qE "^$folder +$n +$n" "$dir/out"
}
is "a summary by chapter" chapters

# ---- evidence ----
some="$push scenarios/9.1.6-ack-generation"
[ -z "${TALON_WHOLE:-}" ] || some=scenarios
evidence() {
    run 1 $some --sut $fault --out "$dir/ev" || return 1
    (cd "$dir/ev" && sha256sum --quiet -c manifest.sha256) &&
        [ "$(sha256sum <"$dir/ev/manifest.sha256" | cut -d' ' -f1)" = "$(sed -n 's/.*"manifest_sha256": "\(.*\)".*/\1/p' "$dir/ev/run.json")" ] &&
        [ "$(find "$dir/ev" -type f | wc -l)" -eq $(($(wc -l <"$dir/ev/manifest.sha256") + 2)) ] &&
        "$talon" decode "$dir/ev/push-target/packets.pcapng" >"$dir/out" && grep -q '# comment: fail: ' "$dir/out" &&
        grep -q '# comment: sent by step' "$dir/out" && grep -q '^@0 push_data ' "$dir/out" && grep -q ' back ' "$dir/out" &&
        ! grep -qE '"host"|"began"|T[0-9:]{8}Z' "$dir/ev/results.json"
}
commented() { # a comment for each event that shows a problem
    run 1 $push --sut $fault --out "$dir/ev" && "$talon" decode "$dir/ev/push-target/packets.pcapng" >"$dir/out" &&
        [ "$(grep -c '# comment: fail: ' "$dir/out")" -eq "$(awk '/"events": \[/ {on = 1; next} /\]/ {on = 0} on' "$dir/ev/results.json" | wc -l)" ]
}
is "each packet that shows a problem has a comment" commented
is "--out keeps packets with what is wrong at them, and hashes of everything" evidence
anew() {
    local before
    before=$(find "$dir/ev" -name timeline.jsonl | wc -l)
    run 0 $some --out "$dir/ev" && [ "$before" -gt 0 ] && [ "$(find "$dir/ev" -name timeline.jsonl | wc -l)" -eq 0 ] &&
        (cd "$dir/ev" && sha256sum --quiet -c manifest.sha256)
}
is "evidence of two runs is not mixed" anew
hostile_manifest() {
    mkdir -p "$dir/hm/sub" && echo keep >"$dir/kept" &&
        printf '%064d  ../kept\n%064d  %s\n%064d  sub/../../kept\n' 0 0 "$dir/kept" 0 >"$dir/hm/manifest.sha256" &&
        run 0 "$cases/pass-all-verbs.json" --out "$dir/hm" && [ -s "$dir/kept" ]
}
is "a manifest removes nothing outside its directory" hostile_manifest
no_place() {
    touch "$dir/file" && run 4 "$cases/pass-all-verbs.json" --out "$dir/file" && complains "$dir/file" &&
        run 4 "$cases/pass-all-verbs.json" --out /proc/nowhere && complains "/proc/nowhere"
}
is "a place that cannot be written is an error, before anything runs" no_place

# ---- talon check DIR ----
rechecks() { # status, directory
    "$talon" check "$2" >"$dir/out" 2>"$dir/err"
    local status=$?
    [ $status -eq "$1" ] || { echo "# status $status, due $1" >&2; tail -n 5 "$dir/out" "$dir/err" >&2; return 1; }
}
checked() {
    run 1 $(part_of 1/16) --sut $fault --out "$dir/ev" --seed 5 && (cd / && rechecks 1 "$dir/ev") && says "all as recorded" &&
        run 0 $(part_of 3/24) --out "$dir/ev" --keep all && rechecks 0 "$dir/ev" &&
        says "$(find "$dir/ev" -name timeline.jsonl | wc -l) cases judged again" &&
        run 4 $cases --out "$dir/ev" && rechecks 4 "$dir/ev"
}
talon=$(realpath "$talon")
is "talon check DIR comes to the same verdicts, by playing and judging again" checked
checked_options() { # what the run was given, the directory holds
    echo '{"schema": "talon/profile/1", "name": "p", "title": "t", "select": {"id": ["push-*"]}, "params": {"rto": "7ms"}}' >"$dir/p.json"
    waive "$(entry W-1 waiver "$agreed")"
    run 0 $push --sut $fault --waivers "$dir/w.json" $date --out "$dir/ev" --keep all &&
        rm "$dir/w.json" && rechecks 0 "$dir/ev" && says "waived" &&
        run 0 $few --profile "$dir/p.json" --param coalescing=9us --network latency=5us --twins random --out "$dir/ev" --keep all &&
        rm "$dir/p.json" && rechecks 0 "$dir/ev" && says "all as recorded" &&
        run 1 $push --sut $sometimes --repeat 20 --out "$dir/ev" && rechecks 1 "$dir/ev"
}
is "with profile, parameters, waivers and repetitions too" checked_options
tampered() {
    run 1 $push --sut $fault --out "$dir/ev" || return 1
    local results=$dir/ev/results.json file
    resign() { (cd "$dir/ev" && find . -type f ! -name run.json ! -name manifest.sha256 -printf '%P\n' | xargs sha256sum >manifest.sha256 &&
        sed -i "s/\"manifest_sha256\": \".*\"/\"manifest_sha256\": \"$(sha256sum <manifest.sha256 | cut -d' ' -f1)\"/" run.json); }
    cp -r "$dir/ev" "$dir/good"
    sed -i 's/"verdict": "fail"/"verdict": "pass"/; s/"status": 1/"status": 0/' "$results" && rechecks 2 "$dir/ev" && says "its hash differs from" &&
        resign && rechecks 2 "$dir/ev" && says "push-target: " || return 1
    for file in push-target/timeline.jsonl push-target/scenario.json manifest.sha256; do
        rm -rf "$dir/ev" && cp -r "$dir/good" "$dir/ev" && rm "$dir/ev/$file" && rechecks 2 "$dir/ev" || return 1
    done
    rm -rf "$dir/ev" && cp -r "$dir/good" "$dir/ev" && sed -i 's/"evidence": "push-target"/"evidence": "..\/good\/push-target"/' "$results" &&
        resign && rechecks 2 "$dir/ev" && says "outside the directory" &&
        rm -rf "$dir/ev" && cp -r "$dir/good" "$dir/ev" && sed -i 's/"name":"c1"/"name":"c7"/' "$dir/ev/push-target/timeline.jsonl" &&
        resign && rechecks 2 "$dir/ev" && says "another timeline" &&
        rm -rf "$dir/ev" && cp -r "$dir/good" "$dir/ev" && sed -i 's/"holds": [1-9]/"holds": 77/' "$results" &&
        resign && rechecks 2 "$dir/ev" && says "gives another result" &&
        rm -rf "$dir/ev" && cp -r "$dir/good" "$dir/ev" && sed -i '0,/"t_ns":[1-9]/s//"t_ns":/' "$dir/ev/push-target/timeline.jsonl" &&
        resign && rechecks 2 "$dir/ev" && echo '[' >"$results" && rechecks 2 "$dir/ev"
}
is "what was changed is told" tampered
checked_live() {
    start_sut live "$talon" sut --fault acks-unsent
    "$talon" run --verbose scenarios --id 'push-*' $(part 1/4) --sut "$frames" --control "$control" --retries 0 --out "$dir/live" >/dev/null 2>&1
    local status=$?
    stop_sut "$sut"
    rechecks $status "$dir/live" && says "steps as recorded"
}
beside "a live run is judged again, too" checked_live # it waits more than it works

documented() { # what docs/formats.md shows is read
    local form
    for form in ics profile waivers; do
        awk -v form="$form" '/^    {"schema": "talon\// {on = index($0, "talon/" form "/1") > 0} /^$/ {on = 0} on' docs/formats.md >"$dir/$form.json"
        [ -s "$dir/$form.json" ] || return 1
    done
    run 0 scenarios --ics "$dir/ics.json" --profile "$dir/profile.json" --waivers "$dir/waivers.json" $date --seed 3
}
is "the examples of docs/formats.md are read" documented

bounded() { # by parameter
    run 0 $push --param rto=2ms && run 2 $push --param rot=2ms && complains "did you mean 'rto'?"
}
is "--param" bounded
done_beside
done_testing
