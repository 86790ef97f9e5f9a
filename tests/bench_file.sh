#!/bin/bash
# lane: works
# `talon init` checks what it is given, writes the bench file whole and replaces none without --force; the verbs that name
# a SUT read it and say so; options on the command line replace what it gives; a bad file is one clear error.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/run-lib"
program=$(realpath "$talon") suite=$PWD/scenarios
mkdir "$dir/bench" "$dir/else"
sut="exec:$program sut --lockstep"

in_bench() { (cd "$dir/bench" && "$program" "$@" </dev/null >"$dir/out" 2>"$dir/err"); }
status() { # STATUS, WORDS of the error output or "", the verb...
    local rc
    in_bench "${@:3}"
    rc=$?
    [ $rc -eq "$1" ] && { [ -z "$2" ] || grep -qF -- "$2" "$dir/err"; } || { echo "# status $rc"; sed 's/^/# /' "$dir/err" | head -5; return 1; }
}
no_file() { [ -z "$(ls "$dir/bench")" ]; }

is "no SUT and no terminal" status 2 "--sut is missing" init
is "a SUT of no kind" status 2 "--sut: no SUT kind 'nonsense'" init --sut nonsense
is "an ICS that is not there" status 2 "none.json" init --sut builtin --ics none.json
is "a profile that is not there" status 2 "no profile 'smok'" init --sut builtin --profile smok
is "a control channel of a SUT that has none" status 2 "only udp: and raw:" init --sut builtin --control tcp:127.0.0.1:9
is "an adapter that does not answer" status 4 "start the adapter first" init --sut udp:127.0.0.1:9 --control tcp:127.0.0.1:9
is "an adapter that says no hello" status 4 "answered hello" init --sut "exec:cat"
is "... and no file is written" no_file
is "without talon.json no verb speaks of it" [ "$(in_bench run "$suite/9.1.6-ack-generation" --id none; cat "$dir/err" | grep -c talon.json)" = 0 ]

"$program" list ics --proforma | sed 's/"vendor": *"[^"]*"/"vendor": "Acme"/' >"$dir/bench/ics.json"
is "the file is written" status 0 "" init --sut "$sut" --ics ics.json --profile smoke
is "... who answered is printed" grep -qF "It offers levels up to L3, and RDMA verbs up to L3v, and NVMe up to L3n." "$dir/out"
keeps_to_schema() {
    python3 - "$dir/bench/talon.json" "$suite/schema/bench.json" <<'EOF'
import json, sys
file, schema = (json.load(open(name)) for name in sys.argv[1:])
assert file["schema"] == "talon/bench/1" and file["ics"] == "ics.json" and file["profile"] == "smoke", file
assert set(file) <= set(schema["properties"]) and set(schema["required"]) <= set(file)
EOF
}
is "... and is as its schema says" keeps_to_schema
is "... and nothing else" [ "$(ls "$dir/bench" | tr '\n' ' ')" = "ics.json talon.json " ]
cp "$dir/bench/talon.json" "$dir/first.json"
is "a file that exists is not replaced" status 2 "talon.json exists; --force replaces it" init --sut builtin
is "... and is as it was" cmp -s "$dir/bench/talon.json" "$dir/first.json"

other_name() { # the message says how the verbs find it
    in_bench init --sut builtin --out other.json && grep -qF -e '--bench other.json' "$dir/out" && rm "$dir/bench/other.json"
}
is "a file of another name is given by --bench" other_name
line="read talon.json; options on the command line replace what it gives"
one_line() { [ "$(grep -cF "$line" "$dir/err")" = 1 ]; }
request() { # PYTHON: a condition of the request `r` in the evidence of the run before
    python3 -c "import json, sys; r = json.load(open('$dir/bench/out/run.json'))['request']; sys.exit(not ($1))"
}
is "run reads it" status 0 "talon run: $line" run "$suite" --id 'push-target*' --out out
is "... and says so once" one_line
is "... and has its options" request "r['sut'].startswith('exec:') and r['ics'] == 'ics.json' and r['profile'] == 'smoke'"
rm -r "$dir/bench/out"
is "the command line wins" status 0 "$line" run "$suite" --id 'push-target*' --bench talon.json --sut builtin --profile core --out out
is "... in each option that it gives" request "r.get('sut', 'builtin') == 'builtin' and r['ics'] == 'ics.json' and r['profile'] == 'core'"
is "a command line that names its SUT" status 0 "" run "$suite" --id 'push-target*' --sut builtin
is "... reads no bench" [ "$(grep -c "talon.json" "$dir/err")" = 0 ]
is "a run is resumed with its own options" status 2 "--resume: out/journal.jsonl" run --resume out
is "... and reads no bench" [ "$(grep -c "talon.json" "$dir/err")" = 0 ]
rm -r "$dir/bench/out"
is "--bench none reads no file" status 0 "" run "$suite" --id 'push-target*' --bench none --out out
is "... and has no option of it" request "'ics' not in r and 'profile' not in r and r.get('sut', 'builtin') == 'builtin'"
is "sut-check reads it" status 0 "talon sut-check: $line" sut-check
is "... and takes another adapter" status 0 "" sut-check "exec:$program sut --lockstep --offer L1"
is "... which it checks" grep -qF "the adapter offers L1" "$dir/out"
is "fuzz reads it" status 0 "talon fuzz: $line" fuzz "$suite/9.1.6-ack-generation" --execs 5 --jobs 1
is "explore reads it" status 0 "talon explore: $line" explore --theme timers --depth 1
is "certify reads it" status 2 "talon certify: $line" certify --out certificate
is "... and misses only what it does not give" grep -qE -- "--key" "$dir/err"
is "path-check reads it" status 2 "talon path-check: $line" path-check
is "help reads no file" status 0 "" run --help
from_elsewhere() {
    (cd "$dir/else" && "$program" run "$suite" --id 'push-target*' --bench=../bench/talon.json --keep all --out "$dir/bench/out2" >"$dir/out" 2>"$dir/err") || return 1
    grep -qF 'read ../bench/talon.json' "$dir/err" && grep -qF '"../bench/ics.json"' "$dir/bench/out2/run.json"
}
is "--bench FILE: files are relative to its folder" from_elsewhere
is "a bench file that is not there" status 2 "nowhere.json" run --bench nowhere.json

live() { # a SUT in another process: control is part of the bench
    start_sut builtin "$program" sut
    status 0 "" init --sut "$frames" --control "$control" --force && status 0 "$line" sut-check --flood 100 --events 10 &&
        status 0 "$line" path-check --probes 8
    local rc=$?
    stop_sut "$sut"
    return $rc
}
wrong() { # TEXT, WORDS: a file of that text is refused with these words, in one line
    echo "$1" >"$dir/bench/talon.json"
    status 2 "$2" run && [ "$(wc -l <"$dir/err")" = 1 ]
}
is "a file that is no JSON" wrong '{"schema"' "talon run: talon.json:"
is "a file of another kind" wrong '{"schema": "talon/ics/1"}' "talon/bench/1"
is "a member that there is not" wrong '{"schema": "talon/bench/1", "sut": "builtin", "controll": "x"}' "controll: unknown; did you mean 'control'?"
is "a value of another kind" wrong '{"schema": "talon/bench/1", "sut": 5}' "sut: expected"
is "no SUT" wrong '{"schema": "talon/bench/1"}' "sut"
is "a live SUT" live

asks() { # on a terminal: what no option gives
    python3 - "$program" "$dir/bench" <<'EOF'
import json, os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.chdir(sys.argv[2])
    os.execl(sys.argv[1], "talon", "init", "--profile", "core", "--force")
os.write(fd, b"builtin\nics.json\n\n\n")
said = b""
try:
    while chunk := os.read(fd, 4096):
        said += chunk
except OSError:
    pass
assert os.waitpid(pid, 0)[1] == 0, said
assert json.load(open(sys.argv[2] + "/talon.json")) == {"schema": "talon/bench/1", "sut": "builtin", "ics": "ics.json", "profile": "core"}, said
assert b"ICS file" in said and b"profile (" not in said and b"control channel (" not in said, said
EOF
}
is "on a terminal it asks for what no option gives" asks
done_testing
