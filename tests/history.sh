#!/bin/bash
# lane: works
# The history of many runs: results added once, trends, flake rate, comparison, matrix and page; upgrades; files that are no
# history, locked, read-only or cut; writers side by side and killed.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
program=$(realpath "$talon")
db=$dir/h.db

history() { "$program" history "$@" >"$dir/out" 2>"$dir/err"; }
status() { # STATUS, arguments of history
    local expected=$1
    shift
    history "$@"
    [ $? -eq "$expected" ] || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
says() { grep -q -- "$1" "$dir/out" "$dir/err" || { cat "$dir/out" "$dir/err" >&2; return 1; }; }
one_error() { [ "$(wc -l <"$dir/err")" = 1 ] && says "$1"; }
sql() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(*[v for r in c.execute(sys.argv[2]) for v in r]); c.commit()' "$@"; }

push=scenarios/8-transactions/push-target.json ack=scenarios/9.1.6-ack-generation/ack-request.json
good() { "$talon" run "$push" --sut builtin --seed "$1" --report "json:$dir/good$1.json" >/dev/null; }
good 1
good 2
"$talon" run "$push" "$ack" --sut builtin:fault=acks-unsent --out "$dir/bad" >/dev/null
"$talon" run "$push" "$ack" --sut builtin --report "json:$dir/both.json" >/dev/null
f1=(--db "$db" --device F1 --profile core)

is "results are added" status 0 add "$dir/good1.json" "${f1[@]}" --firmware 1.0 --time 2026-11-01
is "under a number" says 'added as run 1$'
is "the same once more" status 0 add "$dir/good1.json" "${f1[@]}" --firmware 1.0 --time 2026-11-01
is "are already there" says 'already there as run 1, nothing added'
is "a directory of evidence" status 0 add "$dir/bad" "${f1[@]}" --firmware 1.0
is "other results" status 0 add "$dir/both.json" "${f1[@]}" --firmware 1.1 --time now
is "what the results state labels them" status 0 add "$dir/good2.json" --db "$db"
is "list" status 0 list --db "$db"
is "shows the runs" says '^    1  2026-11-01  F1  *1.0  *core  *pass'
is "and the device that the results state" says 'Talon built-in endpoint'
is "the time of evidence is when it was made" grep -q "^    2  $(date -u +%Y-%m-%d) " "$dir/out"
is "trend" status 0 trend "${f1[@]}"
is "shows a requirement" says '^    \.F\.  FTP-9'
is "a cause" says 'The SUT violates'
is "a case" says '-F\.  ack-request'
is "and its flake rate" says 'push-target'
is "compare" status 1 compare 1 2 --db "$db"
is "names the runs" says '^new: run 2, .*F1, firmware 1.0'
is "and what changed" says '^new failure *push-target '
is "the last two by themselves" status 0 compare "${f1[@]}"
is "are a repair" says 'fixed *push-target'
is "as JSON" status 0 compare "${f1[@]}" last-1 last --format json
is "it is talon/diff/1" says 'talon/diff/1'
is "no such run" status 2 compare --db "$db" 1 77
is "is named" one_error "there is no run '77'; talon history list shows the runs"
is "matrix" status 0 matrix --db "$db"
is "has a line for each firmware" says '^F1 *1.1 *pass'
is "html" status 0 html --db "$db" -o "$dir/page.html"
page_is_alone() { ! grep -qE '<script|<link[^>]*stylesheet|src=|https?:' "$dir/page.html" && grep -q 'id="run-2"' "$dir/page.html"; }
is "the page needs no network and no script" page_is_alone
is "cells name their columns, for narrow screens" grep -q '<td data-head="profile core"><a class="b pass"' "$dir/page.html"
is "the matrix of files alone" status 0 html --matrix "$dir/good1.json" "$dir/bad" -o "$dir/matrix.html"
is "needs no database" grep -q 'id="matrix"' "$dir/matrix.html"
is "the output may not be an input" status 2 html --db "$db" -o "$db"

valid() {
    local action
    for action in list trend matrix; do
        status 0 "$action" --db "$db" --format json && mv "$dir/out" "$dir/$action.out" || return 1
    done
    python3 -c 'import json, jsonschema, sys
schema = json.load(open("scenarios/schema/history.json"))
for path in sys.argv[1:]: jsonschema.validate(json.load(open(path)), schema)' "$dir"/{list,trend,matrix}.out
}
is "list, trend and matrix as JSON are valid by their schema" valid

for action in list trend compare matrix html; do
    is "$action: no such file" status 2 "$action" --db "$dir/none.db"
    is "$action: says what to do" one_error 'no such file; make it by talon history add RESULTS'
done
is "no file was made" [ ! -e "$dir/none.db" ]
head -c 3000 "$dir/good1.json" >"$dir/cut.json"
before=$(sql "$db" 'SELECT count(*) FROM run')
is "cut results" status 2 add --db "$db" "$dir/cut.json"
is "are one error" one_error 'cut.json'
echo '{"schema": "talon/diff/1"}' >"$dir/foreign.json"
is "foreign JSON" status 2 add --db "$db" "$dir/foreign.json"
is "is one error" one_error '"schema" is talon/diff/1, not talon/results/1'
is "the history is unchanged" [ "$before" = "$(sql "$db" 'SELECT count(*) FROM run')" ]
is "not a database" status 2 add --db "$dir/both.json" "$dir/good1.json"
is "is one error, too" one_error 'is not a history: it is no SQLite database'
is "and stays what it was" cmp -s "$dir/both.json" <("$talon" report "$dir/both.json" --format json)
printf x >"$dir/short.db"
is "a file of one byte" status 2 add --db "$dir/short.db" "$dir/good1.json"
is "is no database either" one_error 'is not a history: it is no SQLite database'
is "and stays as it was" [ "$(cat "$dir/short.db")" = x ]
sql "$dir/other.db" 'CREATE TABLE t (x)' >/dev/null
is "a database of another program" status 2 add --db "$dir/other.db" "$dir/good1.json"
is "is named as such" one_error 'a SQLite database of another program'
cp "$db" "$dir/new.db"
sql "$dir/new.db" "INSERT INTO version VALUES (99, '9', '')" >/dev/null
is "a newer version" status 2 list --db "$dir/new.db"
is "says which one" one_error 'has version 99; this Talon reads versions up to 2'
cp "$db" "$dir/less.db"
is "remove: a run that is not there" status 2 remove 1 77 --db "$dir/less.db"
is "is named" one_error 'has no run 77, nothing is removed'
is "no number" status 2 remove last --db "$dir/less.db"
is "is an error" one_error "expected the number of a run (talon history list), found 'last'"
is "remove" status 0 remove 1 2 --db "$dir/less.db"
is "leaves the others" [ "$(sql "$dir/less.db" 'SELECT id FROM run ORDER BY id')" = "$(sql "$db" 'SELECT id FROM run WHERE id > 2 ORDER BY id')" ]
is "the run can be added again, under a new number" status 0 add "$dir/good1.json" --db "$dir/less.db" --device F1
is "which no run had" says "added as run $(($(sql "$db" 'SELECT max(id) FROM run') + 1))$"
python3 - "$db" >"$dir/lock" <<'PY' &
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(60)
PY
suts+=($!)
while [ ! -s "$dir/lock" ]; do sleep 0.02; done
is "a locked history" status 4 add --db "$db" "$dir/good1.json" --device X --wait 0
is "says so" one_error 'is locked by another program'
stop_sut "${suts[-1]}"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir "$dir/fixed" && cp "$db" "$dir/fixed/h.db" && chmod 755 "$dir" "$dir/fixed" && chmod 444 "$dir/fixed/h.db" && chmod 644 "$dir"/*.json
    nobody() { setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all "$program" history "$@" >"$dir/out" 2>"$dir/err"; }
    is "a read-only history can be read" nobody list --db "$dir/fixed/h.db"
    nobody add --db "$dir/fixed/h.db" "$dir/good1.json" --device X
    is "adding to it is an error" one_error 'cannot be written: the file or its directory is read-only'
else
    is "read-only # SKIP needs root and setpriv" true
    is "read-only # SKIP needs root and setpriv" true
fi

# Writers side by side, some of them killed: what was acknowledged is there, and the file is whole.
together=$dir/together.db
"$talon" run "$push" --sut builtin --report "json:$dir/one.json" >/dev/null
writer() { # number
    local i
    for i in 1 2 3 4 5; do
        "$program" history add --db "$together" "$dir/one.json" --device "W$1" --time "2026-11-0$i" >"$dir/w$1.$i" 2>&1 &
        [ $(((i + $1) % 3)) != 0 ] || { sleep "0.00$1"; kill -9 $! 2>/dev/null; }
        wait $! 2>/dev/null
    done
}
together_ok() {
    local n acknowledged
    for n in 1 2 3 4; do writer "$n" 2>/dev/null & writers+=($!); done
    wait "${writers[@]}"
    acknowledged=$(cat "$dir"/w?.? | grep -c 'added as run')
    [ "$(sql "$together" 'PRAGMA integrity_check')" = ok ] && [ "$acknowledged" -ge 8 ] &&
        [ "$(sql "$together" 'SELECT count(*) FROM run')" -ge "$acknowledged" ]
}
is "4 writers and kills: every acknowledged run is there" together_ok
load() { python3 tests/history_load.py "$talon" --runs 12 --cases 200 --writers 4 --kills 10 --seed 23 >"$dir/load" || { sed 's/^/# /' "$dir/load" && return 1; }; }
is "a small part of tests/history_load.py" load
done_testing
