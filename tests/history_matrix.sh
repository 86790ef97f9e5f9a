#!/bin/bash
# lane: works
# The public matrix: four devices from files alone, which are results and histories. Counts are those of the results, every
# link leads somewhere, and results say the same as histories of them.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
program=$(realpath "$talon")

history() { "$program" history "$@" >"$dir/out" 2>"$dir/err"; }
status() { # STATUS, arguments of history
    local expected=$1
    shift
    history "$@"
    [ $? -eq "$expected" ] || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
one_error() { [ "$(wc -l <"$dir/err")" = 1 ] && grep -q -- "$1" "$dir/err" || { cat "$dir/err" >&2; return 1; }; }
# device NAME VENDOR PRODUCT FIRMWARE: an ICS with that identity.
device() {
    "$talon" list ics --proforma | python3 -c 'import json, sys
ics = json.load(sys.stdin)
ics.update(zip(("vendor", "product", "firmware"), sys.argv[1:]))
print(json.dumps(ics))' "$2" "$3" "$4" >"$dir/$1.ics"
}
results() { # FILE DEVICE PROFILE, arguments of run
    "$talon" run --ics "$dir/$2.ics" --profile "$3" --report "json:$dir/$1.json" "${@:4}" >/dev/null 2>&1
    [ -s "$dir/$1.json" ]
}
device f1 Acme F1 1.4
device f2 Acme 'F2 <b>' 0.9
device nic Borealis NIC-7 3.10
device soft Cygnus SoftFalcon 2026.11
results f1-smoke f1 smoke
results f1-order f1 ordered --id 'push-*'
results f2-smoke f2 smoke --sut builtin:fault=acks-unsent
results nic-smoke nic smoke --sut builtin:fault=ar-ignored
printf '{"schema":"talon/scenario/1","id":"push-undecided","title":"t","purpose":"p","class":"valid","covers":["FTP-9.1.6-03"],"version":1,"preamble":["< nack"],"steps":["> push_data ar","< packet dbase=1r # FTP-9.1.6-03"]}' >"$dir/undecided.json"
"$talon" run "$dir/undecided.json" scenarios/8-transactions/push-target.json --ics "$dir/soft.ics" --profile smoke --report "json:$dir/soft-smoke.json" >/dev/null 2>&1
files=("$dir"/{f1-smoke,f1-order,f2-smoke,nic-smoke,soft-smoke}.json)

is "the matrix of results" status 0 html --matrix "${files[@]}" -o "$dir/results.html"
cat >"$dir/look.py" <<'END'
import html.parser, json, re, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.tags, self.text, self.rows = [], [], [], [], []
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if tag == "a" else []
    def handle_data(self, data): self.text.append(data)
text = open(sys.argv[2], encoding="utf-8").read()
page = Page()
page.feed(text)
matrix = text[text.index('<table class="mx">'):text.index('id="details"')]

def links():
    assert len(set(page.ids)) == len(page.ids)
    assert all(l.startswith("#") and l[1:] in page.ids for l in page.links), page.links
    cells = re.findall(r'href="#(cell-\d+)"', matrix)
    assert len(cells) == len(set(cells)) == 5, cells
    assert "script" not in page.tags and not re.search(r"https?:|src=", text)

def devices():
    names = re.findall(r'<th class="dev"[^>]*>([^<]*)', matrix)
    assert names == ["Acme F1", "Acme F2 &lt;b&gt;", "Borealis NIC-7", "Cygnus SoftFalcon"], names
    assert re.findall(r'<th scope="row">([^<]*)', matrix) == ["1.4", "0.9", "3.10", "2026.11"]
    assert re.findall(r'<th scope="col">profile (\w+)', matrix) == ["ordered", "smoke"]
    assert matrix.count(">not run") == 3

def counts(): # of each results file, as its cell has them
    cells = {}
    for row in matrix.split("<tr>")[2:]:
        device = re.search(r'class="dev"[^>]*>([^<]*)', row).group(1)
        for profile, cell in re.findall(r'data-head="profile (\w+)">(.*?)(?=<td|$)', row, re.S):
            found = re.findall(r"(\d+) (pass|warn|fail|undecided)</span>", cell)
            if found: cells[device, profile] = {word: int(n) for n, word in found}
    seen = set()
    for path in sys.argv[3:]:
        results = json.load(open(path))
        ran = [c["verdict"] for c in results["cases"] if c.get("disposition", "ran") == "ran"]
        due = {"pass": ran.count("pass"), "fail": ran.count("fail"), "undecided": ran.count("inconclusive") + ran.count("error")}
        if ran.count("warn"): due["warn"] = ran.count("warn")
        name = path.rsplit("/", 1)[1].split(".")[0]
        device = {"f1": "Acme F1", "f2": "Acme F2 &lt;b&gt;", "nic": "Borealis NIC-7", "soft": "Cygnus SoftFalcon"}[name.split("-")[0]]
        assert cells[device, {"order": "ordered"}.get(name.split("-")[1], "smoke")] == due, (path, cells, due)
        seen |= {word for word, n in due.items() if n > 0}
    assert seen >= {"pass", "fail", "undecided"}, seen

def details(): # the section of a failed run has its causes and cases
    section = re.search(r'<section class="cell" id="cell-3".*?</section>', text, re.S).group(0)
    results = json.load(open([p for p in sys.argv[3:] if "f2-" in p][0]))
    bad = [c["id"] for c in results["cases"] if c["verdict"] == "fail"]
    causes, cases = (re.findall(r'<td class="what"><code>([^<]+)', t) for t in section.split("Cases that did not pass"))
    assert causes and all(c.startswith("FTP-") for c in causes), causes
    more = re.search(r"(\d+) more cases are left out", section)
    assert set(cases) <= set(bad) and len(set(cases)) + int(more.group(1) if more else 0) == len(bad) > 50, (cases, len(bad))
    assert 'href="#matrix"' in section

globals()[sys.argv[1]]()
END
look() { python3 "$dir/look.py" "$1" "$dir/${2:-results}.html" "${files[@]}"; }
is "links lead to the details of each cell, without a script" look links
is "a line for each device and firmware, a column for each profile" look devices
is "counts are those of the results" look counts
is "details have causes and cases" look details

for file in "${files[@]}"; do history add "$file" --db "${file%-*.json}.db"; done
dbs=("$dir"/{f1,f2,nic,soft}.db)
is "the matrix of four histories" status 0 html --matrix "${dbs[@]}" -o "$dir/histories.html"
is "is the same page" cmp "$dir/results.html" "$dir/histories.html"
is "results and histories together" status 0 html --matrix "${files[@]:0:2}" "${dbs[@]:1}" -o "$dir/both.html"
is "too" cmp "$dir/results.html" "$dir/both.html"
is "what comes twice counts once" status 0 html --matrix "${files[@]}" "${dbs[@]}" "${dbs[@]}" -o "$dir/twice.html"
is "in all of it" cmp "$dir/results.html" "$dir/twice.html"
is "trends of histories" status 0 trend "${dbs[1]}" "${dbs[2]}"
cp "$dir/out" "$dir/trend"
is "are those of results" eval 'status 0 trend "${files[2]}" "${files[3]}" && cmp "$dir/out" "$dir/trend"'

head -c 20000 "$dir/f2.db" >"$dir/damaged.db"
is "a damaged history" status 4 html --matrix "$dir/f1.db" "$dir/damaged.db" -o "$dir/none.html"
is "is named" one_error 'damaged.db is damaged'
is "and no page is written" [ ! -e "$dir/none.html" ]
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("CREATE TABLE t (x)")' "$dir/other.db"
is "a database of another program" status 2 html --matrix "$dir/other.db" -o "$dir/none.html"
is "is named, too" one_error 'a SQLite database of another program'
is "the output may not be an input" status 2 html --matrix "$dir/f1.db" -o "$dir/f1.db"
if command -v chromium >/dev/null; then
    wide() { # no part of the page is wider than the screen: the document's width, as the browser lays it out
        sed 's|</body>|<script>document.title = document.documentElement.scrollWidth + " " + innerWidth</script></body>|; s|<meta http-equiv="Content-Security-Policy"[^>]*>||' "$dir/results.html" >"$dir/measured.html"
        timeout 60 chromium --headless --no-sandbox --disable-gpu --window-size="$1,900" --dump-dom "file://$dir/measured.html" 2>/dev/null |
            grep -o '<title>[0-9 ]*' | tr -d '<title>' | awk '{ found = 1; if ($1 > $2) bad = 1 } END { exit !found || bad }'
    }
    for width in 1200 400; do is "the page fits a screen of $width columns" wide $width; done
else
    for width in 1200 400; do is "a screen of $width columns # SKIP no chromium here" true; done
fi
done_testing
