#!/bin/bash
# lane: works
# A farm of four processes of talon fuzz by the recipe docs/cluster/fuzz-farm.sbatch, one of which is killed and started again:
# no cause is lost, none is there twice, and what was found is found again by talon run.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
export TALON=$PWD/$talon OUT=$dir/farm SUT=builtin:fault=acks-unsent TIME=2

task() { SLURM_ARRAY_TASK_ID=$1 bash docs/cluster/fuzz-farm.sbatch >"$dir/$1.log" 2>&1; }
# keys FOLDER...: what the findings in these corpora are of, each line once for each finding.
keys() { python3 -c '
import glob, json, sys
for folder in sys.argv[1:]:
    for name in glob.glob(folder + "/findings/*/finding.json"):
        with open(name, encoding="utf-8") as file:
            finding = json.load(file)
        print(finding["key"], finding["state"], finding["sequence"], sep=" | ")
' "$@" | sort; }
causes() { keys "$@" | sed 's/ | .*//' | sort -u; }
# The process that fuzzes for a task.
fuzzer() {
    grep -lsz -- "$OUT/task-$1" /proc/[0-9]*/cmdline | while IFS=/ read -r _ _ pid _; do
        grep -qsz -- --time "/proc/$pid/cmdline" && echo "$pid" && break
    done
}
farm() {
    local pids=() n status=0 victim
    for n in 0 1 2 3; do
        task "$n" &
        pids+=($!)
    done
    for _ in $(seq 500); do
        victim=$(fuzzer 2) && [ -n "$victim" ] && [ -n "$(ls "$OUT/task-2/findings" 2>/dev/null)" ] && break
        sleep 0.02
    done
    kill -KILL "$victim" || return 1
    for n in 0 1 3; do
        wait "${pids[n]}"
        [ $? -eq 1 ] || { echo "# task $n" >&2; status=1; }
    done
    wait "${pids[2]}"
    [ $? -eq 137 ] && return $status
}
is "four tasks fuzz, one is killed" farm
before=$(find "$OUT/task-2/findings" -mindepth 1 -maxdepth 1 | wc -l)
again() {
    task 2
    [ $? -eq 1 ] && [ "$(find "$OUT/task-2/findings" -mindepth 1 -maxdepth 1 | wc -l)" -ge "$before" ] && [ "$before" -gt 0 ]
}
is "the killed one goes on with what it had" again
is "each cause that a task found is in the shared corpus" [ -z "$(comm -23 <(causes "$OUT"/task-[0-3]) <(causes "$OUT/shared"))" ]
is "none is there twice" [ -z "$(keys "$OUT/shared" | uniq -d)" ]
is "together the tasks found them more often" [ "$(keys "$OUT"/task-[0-3] | wc -l)" -gt "$(keys "$OUT/shared" | wc -l)" ]
# A corpus may lack the case that a finding was minimised to: a merge takes findings, too.
found_alone() {
    mkdir -p "$dir/lost/corpus" && cp -r "$OUT/shared/findings" "$dir/lost/" && cp "$(find "$OUT/shared/corpus" -name '*.json' | sort | head -n 1)" "$dir/lost/corpus/" &&
        { "$talon" fuzz --sut "$SUT" --jobs 1 --quiet --merge "$dir/lost" --corpus "$dir/again" >/dev/null; [ $? -eq 1 ]; } &&
        [ "$(causes "$dir/again")" = "$(causes "$OUT/shared")" ] && [ -n "$(causes "$dir/again")" ]
}
is "a merge takes the findings of a folder whose corpus lacks them" found_alone
replayed() {
    local n=0 scenario
    for scenario in "$OUT"/shared/findings/r*/scenario.json; do
        "$talon" run "$scenario" --sut "$SUT" >/dev/null
        [ $? -eq 1 ] || { echo "# $scenario" >&2; return 1; }
        n=$((n + 1))
    done
    [ $n -gt 3 ]
}
is "each finding of a rule is found again by talon run" replayed
page() {
    "$talon" report merge "$OUT"/shared/findings/*/results.json --format html -o "$dir/farm.html"
    [ $? -eq 1 ] && grep -q "<html" "$dir/farm.html"
}
is "all of them on one page" page
done_testing
