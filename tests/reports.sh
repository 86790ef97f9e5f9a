#!/bin/bash
# lane: works
# Reports as documents: each format against its schema, from a run and from what it saved; shards merged
# are the run; what is hostile in a file stays text; the page in a browser where there is one. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
set -u
unset NO_COLOR SOURCE_DATE_EPOCH

faulty=(--sut "builtin:fault=eack-omitted-on-hole,own-never-set" --seed 5 --date 2026-01-01)
suite=scenarios/9.1.6-ack-generation
formats="html json junit sarif markdown tap text"

# A Python that has Debian's validator of JSON Schema.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema' 2>/dev/null && break
done
valid() { # SCHEMA FILE
    "$python" - "$1" "$2" <<'P'
import json, sys
import jsonschema
schema, document = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
jsonschema.Draft7Validator.check_schema(schema)
wrong = list(jsonschema.Draft7Validator(schema).iter_errors(document))
for e in wrong[:5]:
    print("/".join(map(str, e.path)) + ": " + e.message[:200], file=sys.stderr)
sys.exit(bool(wrong))
P
}

# What GitHub's reader asks beyond the schema.
github() {
    "$python" - "$1" <<'P'
import json, sys
run = json.load(open(sys.argv[1], encoding="utf-8"))["runs"][0]
rules = run["tool"]["driver"]["rules"]
for r in rules:
    for key in ("shortDescription", "fullDescription", "help"):
        assert 0 < len(r[key]["text"]) <= 1100, r["id"]
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"] and r["message"]["text"]
    place = r["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] and place["region"]["startLine"] > 0
    assert r["partialFingerprints"]["primaryLocationLineHash"]
assert run["results"] and run["automationDetails"]["id"]
P
}
grouped() { # SARIF JSON: a result is a cause of the results, with the number of its cases, which are all related locations
    "$python" - "$1" "$2" <<'P'
import json, sys
found = [r for r in json.load(open(sys.argv[1], encoding="utf-8"))["runs"][0]["results"] if "occurrenceCount" in r]
causes = [c for c in json.load(open(sys.argv[2], encoding="utf-8"))["causes"]]
assert [r["occurrenceCount"] for r in found] == [c["cases"] for c in causes], (found, causes)
for r, c in zip(found, causes):
    related = r.get("relatedLocations", [])
    assert len(related) == min(c["cases"] - 1, 100) and len({x["message"]["text"] for x in related}) == len(related)
    assert r["properties"]["case"] == c["examples"][0] and (r["level"] == "note") == ("follows" in c)
    assert all(x["physicalLocation"]["region"]["startLine"] > 0 for x in related)
prints = [r["partialFingerprints"]["primaryLocationLineHash"] for r in found]
assert len(set(prints)) == len(prints) and max(r["occurrenceCount"] for r in found) > 1
P
}

# ---- from a run, and from what it left ----

# What this fault does to one scenario is agreed to.
"$talon" run --verbose "$suite" "${faulty[@]}" --id 'data-bits@far=3,*' --report "json:$dir/first.json" >/dev/null
prints=$(grep -o '"fingerprint": "[0-9a-f]*"' "$dir/first.json" | cut -d'"' -f4 | sort -u | sed 's/.*/"&"/' | paste -sd,)
cat >"$dir/waivers.json" <<J
{"schema": "talon/waivers/1", "entries": [
 {"id": "W-1", "kind": "waiver", "scenario": "data-bits@far=3,*", "fingerprint": [$prints], "reason": "<agreed> & so", "approver": "QA",
  "link": "https://example.org/1?a=1&b=2", "expires": "2030-01-01"}]}
J
reports=()
for f in $formats; do reports+=(--report "$f:$dir/run.$f"); done
"$talon" run --verbose "$suite" "${faulty[@]}" --waivers "$dir/waivers.json" --out "$dir/ev" "${reports[@]}" >"$dir/console"
is "the run fails" [ $? -eq 1 ]
for f in $formats; do
    "$talon" report "$dir/ev" --format "$f" -o "$dir/saved.$f"
    cmp -s "$dir/run.$f" "$dir/saved.$f"
    is "$f of the evidence is that of the run" [ $? -eq 0 ]
    "$talon" report "$dir/ev/results.json" --format "$f" >"$dir/stdout.$f"
    is "$f to standard output" [ -s "$dir/stdout.$f" ]
done
is "text is the console's" cmp -s "$dir/console" "$dir/saved.text"
"$talon" report - --format tap <"$dir/ev/results.json" >"$dir/stdin.tap"
is "from standard input" cmp -s "$dir/stdin.tap" "$dir/saved.tap"

is "results are valid" valid scenarios/schema/results.json "$dir/saved.json"
is "SARIF is valid" valid tests/data/sarif-2.1.0.json "$dir/saved.sarif"
is "SARIF has what GitHub asks for" github "$dir/saved.sarif"
is "SARIF has a result for each cause" grouped "$dir/saved.sarif" "$dir/saved.json"
is "JUnit is valid" xmllint --noout --schema tests/data/junit.xsd "$dir/saved.junit" 2>"$dir/log"
for flavor in gitlab rich; do
    "$talon" report "$dir/ev" --format junit --junit-flavor $flavor -o "$dir/$flavor.xml"
    is "JUnit for $flavor is XML" xmllint --noout "$dir/$flavor.xml"
done
is "attachments of GitLab are there" test -e "$dir/$(grep -o 'ATTACHMENT|[^]]*' "$dir/gitlab.xml" | head -1 | cut -d'|' -f2)"
cases=$(grep -c '"duration_ns"' "$dir/ev/results.json")
is "TAP plans what it tells" [ "$(grep -cE '^(not )?ok ' "$dir/saved.tap")" -eq "$cases" ]
is "Markdown says it in the first line" grep -q '^# .*Talon: fail$' <(head -n 1 "$dir/saved.markdown")
is "Markdown fits a job's summary" [ "$(wc -c <"$dir/saved.markdown")" -lt 1048576 ]
is "the page asks for nothing" grep -q "default-src 'none'" "$dir/saved.html"
grep -oE '(src|href|action)="[^"]*"|url\([^)]*\)|@import' "$dir/saved.html" |
    grep -vE '^href="(#|\./ev/|data:,)|^url\(#|^href="https://example.org/1\?a=1&amp;b=2"$' >"$dir/asks"
is "and leads nowhere but to its evidence and what waivers name" [ ! -s "$dir/asks" ]
is "evidence that the page leads to is there" test -e "$dir/$(grep -oE '\./ev/[^"]*packets.pcapng' "$dir/saved.html" | head -1 |
    sed 's/%40/@/; s/%3D/=/g; s/%2C/,/g')"
"$talon" check tests/data/sample.pcap "${reports[@]}" >/dev/null 2>&1
is "check writes SARIF" valid tests/data/sarif-2.1.0.json "$dir/run.sarif"
is "check writes JUnit" xmllint --noout --schema tests/data/junit.xsd "$dir/run.junit" 2>"$dir/log"
is "what check writes is read" "$talon" report "$dir/run.json" --format html -o "$dir/check.html"

# ---- merge ----

all=()
for i in 1 2 3; do
    "$talon" run --verbose "$suite" "${faulty[@]}" --waivers "$dir/waivers.json" --shard $i/3 --report "json:$dir/s$i.json" >/dev/null
    all+=("$dir/s$i.json")
done
"$talon" run --verbose "$suite" "${faulty[@]}" --waivers "$dir/waivers.json" --report "json:$dir/whole.json" >/dev/null
"$talon" report merge "${all[@]}" -o "$dir/merged.json"
is "merge ends with the status of the run" [ $? -eq 1 ]
is "shards merged are the run that nobody split" cmp "$dir/merged.json" "$dir/whole.json"
"$talon" report merge "${all[2]}" "${all[0]}" "${all[1]}" -o "$dir/merged.json"
is "in any order" cmp "$dir/merged.json" "$dir/whole.json"
"$talon" report merge "${all[@]}" --format html -o "$dir/merged.html"
"$talon" report "$dir/whole.json" --format html -o "$dir/whole.html"
is "so is a page of theirs" cmp "$dir/merged.html" "$dir/whole.html"
said() { # STATUS TEXT COMMAND...
    local status=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$status" ] && grep -qF -- "$text" "$dir/err"
}
is "a missing shard is missed" said 2 "shard 2 of 3 is missing" "$talon" report merge "${all[0]}" "${all[2]}"
"$talon" run --verbose "$suite" --sut builtin --seed 5 --report "json:$dir/other.json" >/dev/null
is "two SUTs are not merged" said 2 "not of one --sut" "$talon" report merge "$dir/whole.json" "$dir/other.json"

# ---- what only some runs have: findings of a probe, copies, times on a wire, a SUT without control ----
again() { # name, MEMBER that its results have
    grep -q "\"$2\"" "$dir/$1.json" && valid scenarios/schema/results.json "$dir/$1.json" &&
        "$talon" report "$dir/$1.json" --format json -o "$dir/again.json" && cmp "$dir/again.json" "$dir/$1.json"
}
for name in swift psp; do
    "$talon" run --verbose scenarios/10-congestion --probe --ics <(echo '{"schema": "talon/ics/1", "items": {"swift": false}}') --report "json:$dir/probe-$name.json" >/dev/null
done
is "a probe's results come back to the byte" again probe-swift probe
"$talon" report "$dir/probe-swift.json" --format html -o "$dir/probe.html"
is "the page tells what it found" grep -q '<td class="long">ability denied' "$dir/probe.html"
is "it stays whole" said 2 "a probe" "$talon" report merge "$dir/probe-swift.json" "$dir/probe-psp.json"
"$talon" run --verbose scenarios/9.2.3-ack-processing --copies 3 --sut builtin:fault=base-goes-back --report "json:$dir/copies.json" >/dev/null
is "so do those of copies" again copies copies
start_sut wire "$talon" sut
"$talon" run --verbose scenarios/6-overview --sut "$frames" --control "$control" --report "json:$dir/live.json" --report "html:$dir/live.html" >/dev/null
stop_sut "$sut"
is "and of a run on a wire, with what was measured" again live measured
is "and each case's times" again live allowance_ns
is "the page tells what was measured" grep -q "control answers in" "$dir/live.html"

# ---- diff ----

sed -i 's/"sut": "[^"]*"/"sut": "x"/' "$dir/other.json"
"$talon" diff "$dir/other.json" "$dir/whole.json" >"$dir/diff"
is "a regression is status 1" [ $? -eq 1 ]
is "it names what fails anew" grep -q '^new failure  *data-bits@far=31' "$dir/diff"
is "the other way round all is fixed" "$talon" diff "$dir/whole.json" "$dir/other.json" -o "$dir/fixed"
is "and says so" grep -q '^fixed  *data-bits@far=31' "$dir/fixed"
"$talon" diff "$dir/whole.json" "$dir/s1.json" >"$dir/diff"
is "cases that are gone are no regression" [ $? -eq 0 ]
"$talon" diff "$dir/whole.json" "$dir/s1.json" --strict >"$dir/diff"
is "but with --strict" [ $? -eq 1 ]
"$talon" diff "$dir/other.json" "$dir/whole.json" --format json >"$dir/diff.json"
is "differences as JSON are valid" valid scenarios/schema/diff.json "$dir/diff.json"
"$talon" diff "$dir/other.json" "$dir/whole.json" --format markdown >"$dir/diff.md"
is "as Markdown" grep -q '^# Talon: regressions$' "$dir/diff.md"

"$talon" report "$dir/whole.json" --format html --stamp "on <Monday>" --against "$dir/other.json" -o "$dir/first.html"
is "the first screen: the verdict in one sentence" grep -qE '^<p class="lead">The device failed [0-9]+ of [0-9]+ cases' "$dir/first.html"
is "the first screen: what changed since another run" grep -qE '<dt>since the other run<dd>[0-9]+ × new failure' "$dir/first.html"
is "the first screen: when" grep -q '<dt>when<dd>on &lt;Monday' "$dir/first.html"
is "the first screen: how many requirements are decided" grep -qE '<dt>requirements<dd>[0-9]+ of [0-9]+ decided' "$dir/first.html"
is "without --stamp the page says neither" [ "$(grep -cE '<dt>(when|since the other run)<dd>' "$dir/whole.html")" -eq 0 ]
is "failures come before passes" "$python" - "$dir/first.html" <<'P'
import re, sys
shown = re.findall(r'class="case" id="[^"]*" data-v="([^"]*)"', open(sys.argv[1], encoding="utf-8").read())
first_pass = shown.index("pass")
assert "fail" in shown[:first_pass] and "fail" not in shown[first_pass:]
P
is "shards are compared once merged" said 2 "--against needs results that are merged" "$talon" report merge "$dir/s1.json" --against "$dir/other.json"

# ---- what is wrong, and what is hostile ----

is "no such file" said 2 "No such file" "$talon" report "$dir/none"
echo '{"schema": "talon/run/1"}' >"$dir/not.json"
is "another document" said 2 "not talon/results/1" "$talon" report "$dir/not.json"
is "an unknown format" said 2 "no format 'pdf'" "$talon" report "$dir/whole.json" --format pdf
is "an unknown flavor" said 2 "--junit-flavor 'x'; expected jenkins, gitlab or rich" "$talon" report "$dir/whole.json" --junit-flavor x
is "nothing to merge" said 2 "merge: no RESULTS given" "$talon" report merge
is "one file is not two" said 2 "expected two RESULTS" "$talon" diff "$dir/whole.json"
sed '0,/"fail": [0-9]*/s//"fail": 0/' "$dir/whole.json" >"$dir/forged.json"
is "counts that are not those of the cases" said 2 "its cases come to" "$talon" report "$dir/forged.json"
sed '0,/"verdict": "fail"/s//"verdict": "pass"/' "$dir/whole.json" >"$dir/forged.json"
is "a verdict that is not theirs" said 2 "its verdict is pass" "$talon" report "$dir/forged.json"
head -c 100000 "$dir/whole.json" >"$dir/cut.json"
is "a file that was cut" said 2 "cut.json:" "$talon" report "$dir/cut.json"
cp "$dir/whole.json" "$dir/kept.json"
is "what is read is not written to" said 2 "would overwrite an input" "$talon" report "$dir/kept.json" --format json -o "$dir/kept.json"
is "nor by merge" said 2 "would overwrite an input" "$talon" report merge "$dir/kept.json" "$dir/whole.json" -o "$dir/kept.json"
is "nor by diff" said 2 "would overwrite an input" "$talon" diff "$dir/whole.json" "$dir/kept.json" -o "$dir/kept.json"
is "and is as it was" cmp "$dir/kept.json" "$dir/whole.json"
is "a full disk" said 4 "cannot be written" "$talon" report "$dir/whole.json" -o /dev/full

"$python" - "$dir/whole.json" "$dir/evil.json" <<'P'
import json, sys
evil = ["]]>", "<script>alert(1)</script>", "\0", "\x1b[31m\x07", "\u202e\u2028", "\ufffe", "-->", "</pre></details>",
        "' onclick='x", '" onload="x', "| `x` | **y**", "#\\", "\n...\nBail out!\nnot ok 1\n", "@everyone ![x](http://x)"]
mega = "<&" * (1 << 19)
results = json.load(open(sys.argv[1], encoding="utf-8"))
results["sut"] = results["product"] = "".join(evil)
results["identity"] = {k: "".join(evil) for k in ("vendor", "product", "firmware")}
for n, c in enumerate(results["cases"]):
    e = evil[n % len(evil)]
    c["title"] += e
    c["id"] += e
    c["file"] = "scenarios/" + e.replace("\0", "") + "/x.json"
    for p in c["problems"]:
        for key in ("expected", "seen", "why", "text"):
            p[key] = e + (mega if n < 40 and key == "seen" else "")
        for packet in p.get("packets", []):
            packet["packet"] += e
    for item in c.get("flow", []):
        item["text"] = item.get("text", "") + e
    for step in c.get("steps", []):
        step["text"] += e
    for key in ("repeat", "evidence", "reason"):
        c[key] = "javascript:alert(1)//" + e
json.dump(results, open(sys.argv[2], "w", encoding="utf-8"))
P
for f in $formats; do
    is "hostile texts: $f" "$talon" report "$dir/evil.json" --format "$f" -o "$dir/hostile.$f"
    [ "$f" = json ] || is "hostile texts: $f keeps its size" [ "$(wc -c <"$dir/hostile.$f")" -lt 6000000 ]
    is "hostile texts: $f holds no control characters" [ "$(LC_ALL=C tr -d '[:print:]\n\t\200-\377' <"$dir/hostile.$f" | wc -c)" -eq 0 ]
    iconv -f UTF-8 -t UTF-8 "$dir/hostile.$f" >/dev/null 2>&1
    is "hostile texts: $f is UTF-8" [ $? -eq 0 ]
done
is "hostile texts: SARIF is valid" valid tests/data/sarif-2.1.0.json "$dir/hostile.sarif"
is "hostile texts: JUnit is valid" xmllint --noout --schema tests/data/junit.xsd "$dir/hostile.junit" 2>"$dir/log"
is "hostile texts: results are valid" valid scenarios/schema/results.json "$dir/hostile.json"
is "hostile texts: one script, ours" [ "$(grep -o '<script' "$dir/hostile.html" | wc -l)" -eq 1 ]
is "hostile texts: no handler" [ "$(grep -cE '<[a-z][^>]* on(click|load|error)=' "$dir/hostile.html")" -eq 0 ]
is "hostile texts: no script in an address" [ "$(grep -c 'href="javascript' "$dir/hostile.html")" -eq 0 ]
is "hostile texts: TAP goes on" [ "$(grep -cE '^(not )?ok ' "$dir/hostile.tap")" -eq "$cases" ]
is "hostile texts: nothing bails out" [ "$(grep -c '^Bail out' "$dir/hostile.tap")" -eq 0 ]

# ---- the same of a run, and only where it shows ----

"$talon" run "$suite" "${faulty[@]}" --stamp "on <Monday>" --against "$dir/other.json" --report "html:$dir/now.html" \
    --report "markdown:$dir/now.md" --report "junit:$dir/now.xml" >/dev/null
is "a run, too, says when it was" grep -q '<dt>when<dd>on &lt;Monday&gt;$' "$dir/now.html"
is "and what changed" grep -qE '<dt>since the other run<dd>[0-9]+ × ' "$dir/now.html"
is "Markdown says when" grep -q '^| when | `on <Monday>` |$' "$dir/now.md"
is "JUnit says when, too" grep -q '<property name="stamp" value="on &lt;Monday&gt;"/>$' "$dir/now.xml"
is "and how long it took by the wall clock" grep -qE '<property name="wall_time" value="[0-9]+\.[0-9]{3}"/>$' "$dir/now.xml"
is "and of which clock the times of cases are" grep -q '<property name="clock" value="virtual"/>$' "$dir/now.xml"
is "Markdown says what changed" grep -qE '^\*\*Since the other run:\*\* [0-9]+ × ' "$dir/now.md"
is "Markdown is readable as text" [ "$(grep -cE '&#(45|58|61);' "$dir/now.md")" -eq 0 ]
"$talon" run "$suite" "${faulty[@]}" --brief --report "markdown:$dir/brief.md" >/dev/null
is "a brief one has the causes" grep -qE '^1\. ❌ \*\*FTP-' "$dir/brief.md"
is "and no list of cases" [ "$(grep -cE '^## |^\| chapter|<details>' "$dir/brief.md")" -eq 0 ]
"$talon" run "$suite" "${faulty[@]}" --report "json:$dir/brief.json" >/dev/null
"$talon" report "$dir/brief.json" --format markdown --brief -o "$dir/brief2.md"
is "from saved results, too" cmp "$dir/brief.md" "$dir/brief2.md"
for option in "--stamp x" "--against $dir/other.json" --brief; do
    # shellcheck disable=SC2086 # two words
    is "run: no report shows ${option%% *}" said 2 "${option%% *} needs --report" "$talon" run "$suite" $option --report "json:$dir/no.json"
    # shellcheck disable=SC2086
    is "report: no other format shows ${option%% *}" said 2 "${option%% *} needs --format" "$talon" report "$dir/brief.json" $option --format tap
done
is "what --against names is looked for before the run" said 2 "no-such-file" \
    "$talon" run "$suite" --against "$dir/no-such-file" --report "html:$dir/no.html"

# ---- diagrams ----

"$talon" run "$suite" --sut builtin:fault=eack-omitted-on-hole,own-never-set --report "html:$dir/ladder.html" >/dev/null
is "what was due is a dashed arrow" grep -qE '<g class="g"><path[^>]*/><text[^>]*>due: an EACK with the OWN bit' "$dir/ladder.html"
is "and the field that differs is stressed" grep -qE '▶ <tspan class="v">back</tspan> dbase=0r' "$dir/ladder.html"
is "no label is cut" [ "$(grep -cE '…</text>|…</tspan></text>' "$dir/ladder.html")" -eq 0 ]
is "repetitions are folded" grep -qE '<details class="fold"><summary>[0-9]+ more times: ' "$dir/ladder.html"
is "a legend says what the signs mean" grep -qE '⇠ due</b>: was due and did not come' "$dir/ladder.html"
"$talon" run scenarios --tag '!nvme' --sut builtin:fault=ack-before-ulp --report "html:$dir/many.html" >/dev/null
is "the simplest case of a cause has its diagram" [ "$(grep -c '<figure>' "$dir/many.html")" -gt 500 ]

# ---- the page in a browser ----

"$BUILD/tests/bench/bench_report" 2000 "$dir/whole.json" "$dir/2000.json"
"$talon" report "$dir/2000.json" --format html -o "$dir/2000.html"
is "2000 cases are under 10 MB" [ "$(wc -c <"$dir/2000.html")" -lt 10000000 ]

browse() { # WIDTH FILE NAME: its document after scripts ran in NAME.dom, a picture in NAME.png, what it said in NAME.log
    local common=(--headless --no-sandbox --disable-gpu --hide-scrollbars --disable-dev-shm-usage
        --user-data-dir="$dir/chromium" --enable-logging=stderr --v=0 "--window-size=$1,1600")
    timeout 120 chromium "${common[@]}" --dump-dom "file://$2" >"$dir/$3.dom" 2>"$dir/$3.log"
    timeout 120 chromium "${common[@]}" "--screenshot=$dir/$3.png" "file://$2" >>"$dir/$3.log" 2>&1
}
if command -v chromium >/dev/null; then
    sed '/^<script>$/,/^<\/script>/d' "$dir/saved.html" >"$dir/plain.html"
    for width in 1280 420; do
        browse $width "$dir/saved.html" "with-$width"
        is "$width pixels: scripts run" grep -q "of $cases cases</output>" "$dir/with-$width.dom"
        is "$width pixels: no error on the console" [ "$(grep -c 'CONSOLE' "$dir/with-$width.log")" -eq 0 ]
        is "$width pixels: it shows" [ -s "$dir/with-$width.png" ]
        browse $width "$dir/plain.html" "plain-$width"
        is "$width pixels: without scripts no filters, and all else" grep -q '<form class="js" id="cf" hidden' "$dir/plain-$width.dom"
        is "$width pixels: without scripts no error either" [ "$(grep -c 'CONSOLE' "$dir/plain-$width.log")" -eq 0 ]
        is "$width pixels: without scripts it shows" [ -s "$dir/plain-$width.png" ]
    done
    # A click on each packet: its header in fields, as the decoder has them.
    "$talon" run --verbose "$suite" --sut builtin:fault=rx-bitmap-shifted --report "html:$dir/eacks.html" >/dev/null
    cat >"$dir/click.js" <<'J'
<script>
const said = document.createElement("pre");
for (const a of document.querySelectorAll("a.k")) {
  a.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
  const row = document.getElementById(a.getAttribute("href").slice(1));
  said.textContent += "CLICK " + row.cells[3].textContent.trim();
  for (const r of a.closest("figure").querySelectorAll(".o tr"))
    said.textContent += " " + r.cells[0].textContent + "=" + r.cells[1].textContent.split(" ")[0];
  said.textContent += "\n";
}
document.body.append(said);
</script>
J
    sed "/^<\/script><\/body>/{s|</body></html>||;r $dir/click.js
}" "$dir/eacks.html" >"$dir/clicked.html"
    browse 1280 "$dir/clicked.html" clicked
    grep -oE 'CLICK [0-9a-f]+ .*' "$dir/clicked.dom" | sort -u >"$dir/clicks"
    sed -E 's/CLICK ([0-9a-f]+) .*/> hex:\1/' "$dir/clicks" >"$dir/headers.txt"
    "$talon" encode "$dir/headers.txt" --out "$dir/headers.pcap"
    "$talon" decode --format json "$dir/headers.pcap" >"$dir/headers.json"
    is "a click shows a header in fields, those of the decoder" "$python" - "$dir/clicks" "$dir/headers.json" <<'P'
import json, sys
clicks, decoded = (open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:3])
assert len(clicks) == len(decoded) > 10
types = set()
for click, line in zip(clicks, decoded):
    shown = dict(word.split("=") for word in click.split()[2:])
    falcon = json.loads(line)["falcon"]
    types.add(falcon["packet_type"])
    for name, value in falcon.items():
        if name.endswith("_text"):
            continue
        value = falcon.get(name + "_text", value)
        value = str(int(value, 16)) if str(value).startswith("0x") else str(value)
        assert shown[name] == value, (name, shown[name], value)
assert len(types) > 3 and "eack" in types, types
P
    browse 1280 "$dir/hostile.html" hostile
    is "hostile texts: scripts run, and only ours" grep -q "of $cases cases</output>" "$dir/hostile.dom"
    is "hostile texts: no error on the console" [ "$(grep -c 'CONSOLE' "$dir/hostile.log")" -eq 0 ]
else
    echo "# SKIP no chromium here: the page was not opened"
fi

done_testing
