#!/bin/bash
# lane: works
# The editor files without an editor and without network: what the extension names exists, its schemas are those of the
# program, snippets make valid scenarios, and colours know the words of the notation. tests/editors/check tries them in
# editors.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
editors=$dir/root/usr/share/talon/editors # as they are installed
vscode=$editors/vscode
is "make install" make -s BUILD="$BUILD" DESTDIR="$dir/root" PREFIX=/usr install
cat >"$dir/part.py" <<'END'
import glob, json, os, re, subprocess, sys
talon, vscode, work, editors = sys.argv[2:6]
load = lambda path: json.load(open(path, encoding="utf-8"))
package = load(f"{vscode}/package.json")["contributes"]

def valid():
    paths = [p for p in glob.glob(f"{vscode}/**/*.json", recursive=True)]
    assert len(paths) > 25, paths
    for path in paths: load(path)

def names():
    paths = [r["url"] for r in package["jsonValidation"]] + [r["path"] for r in package["grammars"] + package["snippets"]]
    paths += [r["configuration"] for r in package["languages"]]
    missing = [p for p in paths if not os.path.isfile(f"{vscode}/{p}")]
    assert not missing and len(paths) > 10, missing

def schemas():
    for row in package["jsonValidation"]:
        name = os.path.basename(row["url"])[:-len(".json")]
        printed = subprocess.run([talon, "help", "schema", name], stdout=subprocess.PIPE, check=True).stdout
        assert printed == open(f"{vscode}/{row['url']}", "rb").read(), name

def wired(): # the files that talon new and talon init write
    matches = {r["fileMatch"]: r["url"] for r in package["jsonValidation"]}
    for name in ("scenario", "profile", "ics"):
        assert matches[f"*.{name}.json"] == f"./schemas/{name}.json", matches
    assert matches["talon.json"] == "./schemas/bench.json"

def expanded(body, choice): # a snippet with its defaults, and of each list of choices one
    text = "\n".join(body)
    defaults = {}
    def field(m):
        number, rest = m.group(1), m.group(2)
        if rest.startswith("|"):
            words = rest[1:-1].split(",")
            defaults[number] = words[choice % len(words)]
        elif rest.startswith(":"): defaults[number] = rest[1:]
        return defaults[number]
    text = re.sub(r"(?<!\\)\$\{(\d)((?:\|[^}]*\||:(?:[^}\\]|\\.)*)?)\}", field, text)
    return text.replace("\\$", "$")

def snippets():
    n = 0
    for name, snippet in load(f"{vscode}/snippets/scenario.json").items():
        choices = max([len(m.split(",")) for m in re.findall(r"\|([^|}]*)\|", "\n".join(snippet["body"]))] or [1])
        for choice in range(choices):
            text = expanded(snippet["body"], choice)
            if not text.startswith("{\n  \"schema\""):
                text = f'''{{"schema": "talon/scenario/1", "id": "s", "title": "t", "purpose": "p", "class": "valid",
                  "covers": ["FTP-9.1.6-03"], "version": 1, "exercises": ["A3"], "steps": [{text}]}}'''
            path = f"{work}/s.json"
            open(path, "w", encoding="utf-8").write(text)
            run = subprocess.run([talon, "run", "--check-only", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert run.returncode == 0, (name, text, run.stdout)
            n += 1
    assert n > 30, n

def packets():
    for snippet in load(f"{vscode}/snippets/packets.json").values():
        path = f"{work}/s.packets"
        open(path, "w", encoding="utf-8").write(expanded(snippet["body"], 0) + "\n")
        line = open(path).read()
        assert re.match(r"[<>] \w+ ", line), line

def grammar(): # each include is there, each scope is named after the language
    rules = load(f"{vscode}/syntaxes/talon-packets.tmLanguage.json")
    text = json.dumps(rules)
    for name in re.findall(r'"include": "#(\w+)"', text): assert name in rules["repository"], name
    scopes = re.findall(r'"name": "([a-z.-]+)"', text)
    assert len(scopes) > 25 and all(s.endswith(".talon-packets") for s in scopes), scopes

def words(): # types and flags of the notation, in each editor
    notation = subprocess.run([talon, "help", "notation"], stdout=subprocess.PIPE, text=True, check=True).stdout
    types = re.findall(r"^(\w+) \(FTP [0-9.]+, type \d+", notation, re.M)
    flags = re.findall(r"^  ([a-z-]+) +\w+, the bit", notation, re.M)
    assert len(types) == 7 and len(flags) == 3, (types, flags)
    files = glob.glob(f"{vscode}/syntaxes/*.json") + [f"{editors}/vim/syntax/talonpackets.vim", f"{editors}/vim/after/syntax/json.vim",
        f"{editors}/emacs/talon.el", f"{vscode}/snippets/packets.json"]
    assert len(files) == 6
    for path in files:
        text = open(path, encoding="utf-8").read()
        due = types + (flags if "-in-json" not in path and "after/" not in path and "snippets" not in path else [])
        assert not [w for w in due if not re.search(rf"(?<![\w-]){w}(?![\w-])", text)], (path, due)

def tasks(): # each command line of the tasks is one that talon takes
    for task in load(f"{vscode}/settings/tasks.json")["tasks"]:
        args = [a.replace("${relativeFile}", f"{work}/s.json") for a in task["args"]]
        run = subprocess.run([talon, *args, "--help"], stdout=subprocess.PIPE)
        assert run.returncode == 0, args
    matcher = package["problemMatchers"][0]["pattern"]
    m = re.match(matcher["regexp"], "tests/x.json:10:18: steps[0]: push_data has no field 'pns'")
    assert m.group(matcher["file"]) == "tests/x.json" and m.group(matcher["line"]) == "10" and m.group(matcher["column"]) == "18"

globals()[sys.argv[1]]()
END
part() { python3 "$dir/part.py" "$1" "$talon" "$vscode" "$dir" "$editors"; }

is "all JSON files are valid" part valid
is "every file that package.json names is there" part names
is "the schemas are those that the program prints" part schemas
is "files that talon new and talon init write have their schemas" part wired
is "each snippet makes a valid scenario, with each choice" part snippets
is "snippets of packets are packets" part packets
is "the rules of the grammar refer to rules, and name their scopes" part grammar
is "colours know the types and flags of the notation" part words
is "tasks are commands of talon, and errors have their places" part tasks
leaves_out() { # without any editor
    mkdir "$dir/bin"
    for tool in bash cp dirname mktemp rm sed grep realpath timeout tail; do ln -s "$(command -v $tool)" "$dir/bin/$tool"; done
    PATH=$dir/bin bash tests/editors/check >"$dir/out" && [ "$(grep -c ': left out: .* installed$' "$dir/out")" = 3 ] &&
        grep -qx '0 parts played' "$dir/out"
}
is "tests/editors/check names what it leaves out" leaves_out
done_testing
