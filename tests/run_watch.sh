#!/bin/bash
# lane: works
# talon run --watch: runs again after each change, follows files that are renamed, survives broken files, and ends by a
# signal with the status of the last run.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
work=$dir/work
mkdir "$work"
first=$work/first.scenario.json
"$talon" new scenario first --dir "$work" >/dev/null
cp "$first" "$dir/good.json"
sed 's/dbase=1r/dbase=2r/' "$dir/good.json" >"$dir/bad.json"
printf '{"schema": ' >"$dir/broken.json"

watch() { # arguments of run: begins to watch; its process is $pid
    : >"$dir/log"
    seen=0
    "$talon" run --watch "$@" >>"$dir/log" 2>&1 &
    pid=$!
    suts+=("$pid")
}
ended() { grep -c 'waiting for a change' "$dir/log"; }
# shows PATTERN: a run that ended after those seen so far shows it; it is then in $dir/last. On a busy machine one change may
# be two runs.
shows() {
    local n
    for _ in $(seq 1200); do
        n=$(ended)
        # the last run that has ended
        awk '/^---- changed ----$/ { text = "" } { text = text $0 "\n" } /waiting for a change/ { whole = text } END { printf "%s", whole }' "$dir/log" >"$dir/last"
        if [ "$n" -gt "$seen" ] && grep -q -- "$1" "$dir/last"; then
            seen=$n
            return 0
        fi
        sleep 0.05
    done
    sed 's/^/# /' "$dir/log" >&2
    return 1
}
still() { # SECONDS: no run follows
    sleep "$1"
    [ "$(ended)" = "$seen" ]
}
ends() { # SIGNAL, STATUS
    local found
    kill -s "$1" "$pid"
    wait "$pid"
    found=$?
    [ "$found" = "$2" ] || { echo "# status $found" >&2; return 1; }
}

watch "$first"
is "it runs at once" shows '3 cases: 3 passed'
is "and says that it waits" grep -q '^talon run: passed; waiting for a change (Ctrl-C ends)$' "$dir/last"
cat "$dir/bad.json" >"$first"
is "a file that is written" shows '3 cases: 0 passed'
is "is shown with what was expected" grep -q 'dbase=2r' "$dir/last"
cp "$dir/good.json" "$work/new" && mv "$work/new" "$first"
is "a file that is renamed to the name" shows '3 cases: 3 passed'
mv "$first" "$first~" && cp "$dir/bad.json" "$first" # as vim does
is "a file that is moved away and written anew" shows '3 cases: 0 passed'
cat "$dir/broken.json" >"$first"
is "a broken file shows its error" shows 'first.scenario.json:1:'
rm "$first"
is "a file that is gone" shows 'No such file or directory'
cp "$dir/good.json" "$first"
is "and comes back" shows '3 cases: 3 passed'
touch "$work/other.json" "$work/.first.scenario.json.swp"
is "other files do not matter" still 0.7
before=$seen
for _ in $(seq 50); do cat "$dir/good.json" >"$first"; done
is "many changes at once" shows '3 cases: 3 passed'
few() { sleep 0.7 && seen=$(ended) && [ $((seen - before)) -lt 10 ]; }
is "are few runs" few
edit() { # as a person in vim; where there is none, as it writes
    rm "$work/.first.scenario.json.swp"
    if command -v vim >/dev/null; then
        vim -es -u NONE -c 'set writebackup backupcopy=no' -c '%s/dbase=1r/dbase=2r/' -c wq "$first" </dev/null
    else
        mv "$first" "$first~" && cat "$dir/bad.json" >"$first" && rm "$first~"
    fi
}
edit
is "vim writes the file" shows '3 cases: 0 passed'
cp "$dir/good.json" "$work/new" && mv "$work/new" "$first"
is "and it is repaired" shows '3 cases: 3 passed'
is "Ctrl-C ends it with the status of the last run" ends INT 0
rm -f "$work"/*~ "$work/other.json"

cp "$dir/bad.json" "$first"
watch "$first"
is "a scenario that fails" shows '3 cases: 0 passed'
is "ends with status 1" ends INT 1
watch "$work/none.json"
is "a file that is not there yet" shows 'No such file or directory'
cp "$dir/broken.json" "$work/none.json"
is "and comes, broken" shows 'none.json:1:'
is "ends with status 2" ends TERM 2
rm "$work/none.json"

# A directory: new folders, and reports that the run itself writes there.
cp "$dir/good.json" "$first"
watch "$work" --report "json:$work/results.json"
is "a directory, with a report in it" shows '3 cases: 3 passed'
rm -f "$work/results.json"
mkdir "$work/more"
sed 's/"id": "first"/"id": "second"/' "$dir/good.json" >"$work/more/second.json"
is "a new folder is watched, too" shows '6 cases: 6 passed'
settled() { for _ in 1 2 3 4 5; do still 0.7 && return 0; seen=$(ended); done; return 1; }
is "its own report is no change" settled
is "it ends" ends INT 0

mkdir "$work/linked" && mv "$first" "$work/linked/real.json" && ln -s linked/real.json "$first"
watch "$first"
is "a symbolic link" shows '3 cases: 3 passed'
cat "$dir/bad.json" >"$work/linked/real.json"
is "and a change of the file that it names" shows '3 cases: 0 passed'
is "ends with status 1" ends INT 1
cp --remove-destination "$dir/good.json" "$first"

# The profile and the ICS.
"$talon" new profile mine --dir "$work" >/dev/null
watch "$first" --ics "$work/mine.ics.json"
is "with an ICS" shows '3 cases: 3 passed'
echo '{' >"$work/mine.ics.json"
is "that changes" shows 'mine.ics.json:'
is "a bad one is status 2" ends INT 2

# Ctrl-C in the middle of a run that takes long: a SUT that never answers its greeting.
watch "$first" --sut 'exec:sleep 30'
sleep 1
is "a signal in the middle of a run" kill -INT "$pid"
sleep 0.3
kill -INT "$pid" 2>/dev/null
gone() { for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.1; done; return 1; }
is "ends it, the second one at once" gone
is "nothing of it runs on" [ -z "$(pgrep -P "$pid")" ]

refused() { # WORD, arguments
    local word=$1
    shift
    "$talon" run --watch "$@" >"$dir/out" 2>&1
    [ $? = 2 ] && [ "$(wc -l <"$dir/out")" = 1 ] && grep -q -- "--watch.*$word" "$dir/out"
}
is "without scenarios it is refused" refused 'name the scenarios'
is "with --out, too" refused '--out' "$first" --out "$dir/evidence"
is "with --step, too" refused '--step' "$first" --step
done_testing
