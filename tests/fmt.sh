#!/bin/bash
# lane: works
# talon fmt: the suite keeps its cases and their verdicts, a second time changes nothing, and files with errors stay.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
copy=$dir/copy
cp -r scenarios "$copy"
spoil() { # gives every scenario another layout, whatever it has in the suite
    python3 -c 'import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.json"):
    if "schema" not in path.parts and "profiles" not in path.parts:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=1, ensure_ascii=False))' "$copy"
}

status() { # STATUS, arguments of fmt
    local expected=$1
    shift
    "$talon" fmt "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$expected" ] || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
# The results of all cases without places: file names and lines.
results() { # WHERE, arguments of run
    local where=$1
    shift
    "$talon" run "$where" --sut builtin "$@" --report "json:$dir/results.json" >/dev/null
    python3 -c 'import json, sys
def kept(v):
    if isinstance(v, list): return [kept(x) for x in v]
    return {k: kept(x) for k, x in v.items() if k not in ("line", "file", "repeat")} if isinstance(v, dict) else v
r = json.load(open(sys.argv[1]))
print(len(r["cases"]))
print(json.dumps(kept(r["cases"]), indent=0, sort_keys=True))' "$dir/results.json"
}
same_cases() {
    results scenarios >"$dir/before" && results "$copy" >"$dir/after" && [ "$(head -n 1 "$dir/before")" -gt 4000 ] &&
        cmp "$dir/before" "$dir/after"
}
same_failures() { # of a SUT with a fault
    results scenarios/9.1.6-ack-generation --sut builtin:fault=acks-unsent >"$dir/before"
    results "$copy/9.1.6-ack-generation" --sut builtin:fault=acks-unsent >"$dir/after"
    grep -q '"verdict": "fail"' "$dir/before" && cmp "$dir/before" "$dir/after"
}
same_values() { # but for blanks in texts, files of both have the same JSON
    python3 -c 'import json, pathlib, sys
def kept(v):
    if isinstance(v, list): return [kept(x) for x in v]
    if isinstance(v, dict): return {k: kept(x) for k, x in v.items()}
    return " ".join(v.split()) if isinstance(v, str) else v
n = 0
for a in pathlib.Path(sys.argv[1]).rglob("*.json"):
    b = pathlib.Path(sys.argv[2]) / a.relative_to(sys.argv[1])
    assert kept(json.loads(a.read_text())) == kept(json.loads(b.read_text())), b
    n += 1
assert n > 500' scenarios "$copy"
}
first_order() { # members of the file in the order of the reference
    printf '{"steps":["> push_data psn=0r"],"version":1,"covers":["FTP-9.1.6-03"],"class":"valid","purpose":"p","title":"t","id":"f","schema":"talon/scenario/1"}' >"$dir/f.json"
    status 0 "$dir/f.json" && grep -n '"schema"\|"id"\|"covers"\|"steps"' "$dir/out" | cut -d'"' -f2 | tr '\n' ' ' | grep -qx 'schema id covers steps '
}

is "every scenario has another layout" spoil
is "the whole suite is laid out" status 0 --write "$copy"
is "files were changed" [ -s "$dir/out" ]
is "a second time changes nothing" status 0 --check "$copy"
is "and names nothing" [ ! -s "$dir/out" ]
is "each file has the values that it had" same_values
from_other() { # the layout does not depend on the one before
    cp -r scenarios "$dir/direct" && "$talon" fmt --write "$dir/direct" >/dev/null && diff -r "$dir/direct" "$copy"
}
is "and the layout that it gets without a detour" from_other
is "the suite has this layout" status 0 --check scenarios
examples() { # of the documents
    python3 -c 'import pathlib, re, subprocess, sys
seen = 0
for path in [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").glob("*.md"))]:
    for text in re.findall(r"```json\n(.*?)```", path.read_text(encoding="utf-8"), re.S):
        if "\"talon/scenario/1\"" in text:
            file = pathlib.Path(sys.argv[2]) / "example.json"
            file.write_text(text, encoding="utf-8")
            laid_out = subprocess.run([sys.argv[1], "fmt", file], capture_output=True, text=True, check=True).stdout
            assert laid_out == text, f"{path}: {text[:200]}"
            seen += 1
assert seen >= 10, seen' "$talon" "$dir"
}
is "examples of documents have this layout" examples
is "every case has the result that it had" same_cases
is "so have cases that fail" same_failures
is "files of profiles and schemas are left alone" diff -r scenarios/profiles "$copy/profiles"
is "standard output has members in the order of the reference" first_order
is "the file itself stays" [ "$(wc -l <"$dir/f.json")" = 0 ]
is "--check finds that its layout differs" status 1 --check "$dir/f.json"
is "and names it" grep -qx "$dir/f.json" "$dir/out"
chmod 640 "$dir/f.json"
is "--write replaces it" status 0 --write "$dir/f.json"
is "with the permissions that it had" [ "$(stat -c %a "$dir/f.json")" = 640 ]
ln -s f.json "$dir/link.json" && sed -i 's/^  "id"/ "id"/' "$dir/f.json"
linked() { status 0 --write "$dir/link.json" && [ -L "$dir/link.json" ] && status 0 --check "$dir/f.json"; }
is "the file behind a symbolic link is replaced, not the link" linked
is "no other file is left behind" [ "$(find "$dir" -maxdepth 1 -name 'f*.json*' | wc -l)" = 1 ]

printf '{"schema":"talon/scenario/1", "id": ' >"$dir/cut.json"
cp tests/data/scenarios-bad/bad-line.json "$dir/bad.json"
cp scenarios/profiles/core.json "$dir/profile.json"
stays() { # FILE, MESSAGE: one error, and the file is as it was
    cp "$dir/$1" "$dir/kept"
    status 2 --write "$dir/$1" && [ "$(grep -c "^$dir/$1:" "$dir/err")" = 1 ] && grep -q -- "$2" "$dir/err" &&
        cmp "$dir/kept" "$dir/$1" || { cat "$dir/err" >&2; return 1; }
}
is "a file that is cut has one error and stays" stays cut.json ':1:36: '
is "so does one with a wrong step" stays bad.json "no field 'pns'; did you mean 'psn'"
is "and one of another kind" stays profile.json 'no scenario: expected the member "schema"'
is "no such file" status 2 "$dir/none.json"
is "is named once" [ "$(wc -l <"$dir/err")" = 1 ]
is "no file given" status 2 --check
is "--check and --write exclude each other" status 2 --check --write "$dir/f.json"
mkdir "$dir/fixed" && cp "$dir/f.json" "$dir/fixed/f.json" && sed -i 's/  "id"/ "id"/' "$dir/fixed/f.json" && chmod 555 "$dir/fixed"
refused() { [ "$(id -u)" = 0 ] || { status 4 --write "$dir/fixed/f.json" && [ "$(wc -l <"$dir/err")" = 1 ]; }; }
is "a folder that cannot be written to is an error" refused
chmod 755 "$dir/fixed"
done_testing
