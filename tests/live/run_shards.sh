#!/bin/bash
# lane: waits
# Shards on live links: a map gives each shard a SUT of its own. What they write is merged, and a map that does not fit the
# shards, or gives two of them one device, is one clear error.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
some=(scenarios/6-overview scenarios/8-transactions/push-target.json)
map=$dir/map.json

rows=()
for n in 1 2; do
    start_sut "sut-$n" "$talon" sut
    rows[n]="{\"shard\": $n, \"sut\": \"$frames\", \"control\": \"$control\"}"
    all+=("$frames")
done
write() { # ROW...
    local IFS=,
    echo "{\"schema\": \"talon/sut-map/1\", \"name\": \"two of a kind\", \"shards\": [$*]}" >"$map"
}
# good STATUS: all passed, or a busy machine made some inconclusive.
good() { [ "$1" -eq 0 ] || [ "$1" -eq 3 ]; }
play() { # SHARD, OPTIONS...
    local shard=$1
    shift
    "$talon" run "${some[@]}" --shard "$shard" --sut-map "$map" "$@" >"$dir/out" 2>"$dir/err"
}
write "${rows[2]}" "${rows[1]}"
both() { # side by side
    local first status
    "$talon" run "${some[@]}" --shard 1/2 --sut-map "$map" --report "json:$dir/1.json" >"$dir/1.out" 2>&1 &
    first=$!
    TALON_SHARDS=2 JOB_COMPLETION_INDEX=1 play auto --report "json:$dir/2.json"
    status=$?
    good $status && wait "$first"
    good $? || { cat "$dir/1.out" "$dir/out" "$dir/err" >&2; return 1; }
}
is "two shards play at two SUTs" both
named() { # each case is reproduced at the device that played it
    grep -q "\"sut\": \"two of a kind\"" "$dir/$1.json" && grep -qF -- "--sut ${all[$1 - 1]} " "$dir/$1.json" &&
        ! grep -qF -- "--sut ${all[2 - $1]} " "$dir/$1.json"
}
is "the first at its own" named 1
is "the second at its own" named 2
merged() {
    "$talon" report merge "$dir/2.json" "$dir/1.json" -o "$dir/all.json"
    good $? &&
        [ "$(grep -c '"repeat": "talon run' "$dir/all.json")" = "$("$talon" run "${some[@]}" --list | wc -l)" ] &&
        "$talon" history add "$dir/all.json" --db "$dir/history.db" >/dev/null
}
is "merged they are one run" merged
resumed() { # killed when it has saved some cases; the environment of the array is gone
    local run
    TALON_SHARDS=2 JOB_COMPLETION_INDEX=0 "$talon" run "${some[@]}" --shard auto --sut-map "$map" --out "$dir/killed" --jobs 1 >/dev/null 2>&1 &
    run=$!
    for _ in $(seq 1000); do
        [ "$(grep -c "" "$dir/killed/journal.jsonl" 2>/dev/null)0" -gt 30 ] && break
        sleep 0.01
    done
    kill -KILL "$run"
    wait "$run" 2>/dev/null
    "$talon" run --resume "$dir/killed" >"$dir/out" 2>"$dir/err"
    good $? && grep -q '"sut": "two of a kind"' "$dir/killed/results.json" && "$talon" report merge "$dir/2.json" "$dir/killed/results.json" >/dev/null
    good $? || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
is "a shard that was killed is resumed at its own SUT, without the variables of its array" resumed

wrong() { # MESSAGE, SHARD, OPTIONS...
    local message=$1
    shift
    play "$@"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qF -- "$message" "$dir/err" || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
is "a shard without a SUT" wrong "no SUT for shards 3-4 of 4; expected each shard from 1 to 4 once" 1/4
is "a SUT of no shard" wrong "shards[0] is of shard 2, and the run has 1" 1/1
is "a SUT given twice" wrong "--control 'tcp:127.0.0.1:1': with --sut-map, the map gives it for each shard" 1/2 --control tcp:127.0.0.1:1
write "${rows[1]}" "${rows[2]/2/1}"
is "two SUTs of one shard" wrong "shards[1].shard: shard 1 is there twice" 1/2
write "${rows[1]}" "${rows[1]/1/2}"
is "two shards at one device" wrong "shards[1].sut: shards 1 and 2 would play one device at the same time" 1/2
unsharded() {
    "$talon" run "${some[@]}" --sut-map "$map" >/dev/null 2>"$dir/err"
    [ $? -eq 2 ] && grep -qF -- "--sut-map needs --shard" "$dir/err"
}
is "a map without a shard" unsharded
done_testing
