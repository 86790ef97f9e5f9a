#!/bin/bash
# lane: works
# Certification: what is certified, what is refused and why, and that nothing of it can be changed unseen.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
tiny=tests/data/certify/tiny.json
ics=$dir/ics.json
key=$dir/key.pem
# What the built-in implementation says of itself in its reply to `hello`.
firmware=$("$talon" --version | cut -d ' ' -f 2)

# A statement: that of the built-in implementation, changed by a sed script.
statement() {
    "$talon" list ics --format json |
        awk '/"item":/ {item = $2} /"builtin":/ {v = $2; sub(",", "", v); sub(",", "", item); printf "%s%s: %s", n++ ? ", " : "", item, v}' |
        sed 's/^/{"schema": "talon\/ics\/1", "vendor": "Talon", "product": "built-in endpoint", "firmware": "'"$firmware"'", "items": {/; s/$/}}/' | sed "$1" >"$ics"
}
statement ''
openssl genpkey -algorithm ed25519 -out "$key" 2>/dev/null || exit 1
openssl pkey -in "$key" -pubout -out "$dir/public.pem"
openssl genpkey -algorithm ed25519 -out "$dir/other.pem" 2>/dev/null

# certify STATUS, OPTIONS...: to $dir/c.
certify() {
    local due=$1
    shift
    "$talon" certify --suite scenarios --ics "$ics" --key "$key" --out "$dir/c" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    local status=$?
    [ $status -eq "$due" ] || { echo "# status $status, due $due: $*" >&2; tail -n 5 "$dir/out" "$dir/err" >&2; return 1; }
}
verify() {
    local due=$1
    shift
    "$talon" certify --verify "$@" >"$dir/out" 2>"$dir/err" </dev/null
    local status=$?
    [ $status -eq "$due" ] || { echo "# status $status, due $due: --verify $*" >&2; tail -n 5 "$dir/out" "$dir/err" >&2; return 1; }
}
# A case that an adapter does not let play is named with the reason.
limited() {
    certify 1 --profile $tiny --challenge c-1 --sut builtin:without=policy &&
        says 'refused: rnr-target: skipped: needs `policy` (rnr), which the adapter answered with "unsupported'
}
says() { grep -qF -- "$1" "$dir/out" || { echo "# not said: $1" >&2; tail -n 5 "$dir/out" >&2; return 1; }; }
has() { grep -qF -- "$1" "$dir/c/certificate.json" || { echo "# the certificate lacks: $1" >&2; return 1; }; }

# ---- what is certified ----
sound() {
    certify 0 --profile $tiny --challenge c-1 &&
        has '"vendor": "Talon"' && has "\"firmware\": \"$firmware\"" && has '"text": "c-1"' && has '"class": "self"' &&
        grep -q '<h1>Certificate of conformance of a model in virtual time</h1>' "$dir/c/certificate.html" &&
        grep -q '^<title>Certificate of a model in virtual time: ' "$dir/c/certificate.html" &&
        says "certified as a model in virtual time: Talon" && has '"specification": "OCP Falcon Transport Protocol, Rev 0.9"' && has '"retries": 2' && has '"told": true' &&
        [ -s "$dir/c/certificate.html" ] && [ -s "$dir/c/report.html" ]
}
is "a correct implementation is certified" sound
# Its results go into a history with who signed them; results that are not those of the certificate do not.
historic() {
    "$talon" history add --db "$dir/h.db" "$dir/c/certificate.json" >"$dir/out" && says "added as run 1" &&
        "$talon" history list --db "$dir/h.db" --format json >"$dir/out" && says '"certificate": "Talon"' || return 1
    cp -r "$dir/c" "$dir/other" && echo >>"$dir/other/evidence/results.json"
    ! "$talon" history add --db "$dir/h.db" "$dir/other" 2>"$dir/err" && grep -q "not the results of the certificate" "$dir/err"
}
is "the history takes a certificate" historic
# The tester is qualified on this host first, which takes minutes: not for a device that is not there.
unreached() {
    certify 4 --profile $tiny --sut udp:127.0.0.1:9 --control tcp:127.0.0.1:9 &&
        grep -q "cannot connect to tcp:127.0.0.1:9" "$dir/err" && ! grep -q "qualified" "$dir/err"
}
is "a device that cannot be reached is told at once" unreached
is "and its certificate verified" verify 0 "$dir/c"
is "by the signer's public key, the challenge, and the bench again" \
    verify 0 "$dir/c" --key "$dir/public.pem" --challenge c-1 --suite scenarios
another_place() { rm -rf "$dir/elsewhere" && cp -r "$dir/c" "$dir/elsewhere" && (cd / && verify 0 "$dir/elsewhere"); }
[ "${talon#/}" = "$talon" ] && talon=$PWD/$talon
is "in another place, from its folder alone" another_place
is "another key is told" verify 1 "$dir/c" --key "$dir/other.pem"
is "another challenge is told" verify 1 "$dir/c" --challenge c-2
same() { # but for when, where and by whom
    cp "$dir/c/evidence/results.json" "$dir/first.json"
    cp "$dir/c/evidence/manifest.sha256" "$dir/first.manifest"
    certify 0 --profile $tiny --challenge c-1 && cmp "$dir/first.json" "$dir/c/evidence/results.json" &&
        cmp "$dir/first.manifest" "$dir/c/evidence/manifest.sha256"
}
is "one challenge, one run: the evidence is the same to the byte" same
drawn() {
    certify 0 --profile $tiny && has '"given": false' && seed=$(grep -m1 '"seed"' "$dir/c/certificate.json") &&
        certify 0 --profile $tiny && [ "$seed" != "$(grep -m1 '"seed"' "$dir/c/certificate.json")" ]
}
is "without a challenge the seed is drawn, each time another" drawn
laboratory() {
    certify 2 --profile $tiny --signer laboratory:L && certify 0 --profile $tiny --signer laboratory:L --challenge z &&
        has '"class": "laboratory"' && has '"name": "L"' && verify 0 "$dir/c"
}
is "a laboratory's needs a challenge" laboratory
page() {
    xmllint --html --noout "$dir/c/certificate.html" 2>"$dir/lint"
    ! grep -vE 'Tag (main|svg) invalid|^\s*\^|<main>' "$dir/lint" | grep -q error && grep -q 'built-in endpoint' "$dir/c/certificate.html" &&
        ! grep -qE 'src=|https?://|<script' "$dir/c/certificate.html"
}
is "its page is HTML and loads nothing" page

for python in python3 /usr/bin/python3; do # one that has Debian's validator of JSON Schema
    "$python" -c 'import jsonschema' 2>/dev/null && break
done
valid() { # DOCUMENT, SCHEMA
    "$python" -c 'import json, sys, jsonschema
jsonschema.Draft7Validator(json.load(open(sys.argv[2]))).validate(json.load(open(sys.argv[1])))' "$1" "scenarios/schema/$2.json" 2>&1 | tail -n 3 >&2
    return "${PIPESTATUS[0]}"
}
schemas() {
    "$talon" list ics --proforma >"$dir/p1.json" && "$talon" list ixit --proforma >"$dir/p2.json" &&
        valid "$dir/c/certificate.json" certificate && valid "$dir/p1.json" ics && valid "$dir/p2.json" ixit &&
        valid scenarios/profiles/core.json profile && valid scenarios/profiles/security.json profile
}
is "certificate, proformas and profiles are valid by their schemas" schemas
ixit() { # a value of the SUT's goes into the run, and into its evidence
    sed 's/"max_attempts": null/"max_attempts": 6/' "$dir/p2.json" >"$dir/ixit.json"
    certify 0 --profile $tiny --ixit "$dir/ixit.json" && grep -q '"max_attempts": 6' "$dir/c/evidence/ixit.json" &&
        grep -q '"max_attempts":6' "$dir/c/evidence/push-target/timeline.jsonl" && verify 0 "$dir/c"
}
is "the IXIT's values are the run's" ixit

# ---- what is refused ----
refuses() { # line, options...
    local line=$1
    shift
    certify 1 "$@" && says "refused: $line" && says "NOT certified" && [ ! -e "$dir/c/certificate.json" ] &&
        [ ! -e "$dir/c/certificate.html" ]
}
is "a failure, and the old certificate is gone" refuses "push-target: the profile requires this case to pass; its verdict is fail" --profile $tiny --sut builtin:fault=payload-corrupted
sed 's/"FTP-8.5.3.4-10"/"FTP-9.2.2.4-08"/' $tiny >"$dir/gap.json"
is "what stays inconclusive" refuses "FTP-9.2.2.4-08: inconclusive" --profile "$dir/gap.json"
sed 's/"FTP-8.5.3.4-10"/"FTP-9.2.2.3-01"/' $tiny >"$dir/gap.json"
is "what was not exercised" refuses "FTP-9.2.2.3-01: not exercised" --profile "$dir/gap.json"
sed 's/"push-\*"/"no-such-*"/' $tiny >"$dir/gap.json"
is "a case that must pass and is not there" refuses "no case 'no-such-*' passed; the profile requires at least one" --profile "$dir/gap.json"
implausible() { # a declared turnaround far above what the SUT needs, whether the profile needs the rules that lose by it or not
    sed 's/"turnaround": null/"turnaround": "1s"/' "$dir/p2.json" >"$dir/ixit-slow.json"
    sed 's/"FTP-9.1.6-03", /"FTP-9.2.4-11", /' $tiny >"$dir/wire.json"
    certify 1 --profile "$dir/wire.json" --ixit "$dir/ixit-slow.json" &&
        says "turnaround 1 s is more than 125 us: rules C5 " || return 1
    sed 's/"requirements": \["FTP-9.1.6-03".*/"requirements": ["FTP-7.2-02"],/' $tiny >"$dir/wire.json"
    sed 's/"turnaround": null/"turnaround": "100us"/' "$dir/p2.json" >"$dir/ixit-slow.json"
    certify 1 --profile "$dir/wire.json" --ixit "$dir/ixit-slow.json" &&
        says "a declared value is implausible: turnaround 100 us is more than 8 us" && says "declare what the SUT needs"
}
is "a turnaround that takes rules their power" implausible
excused() { # more answers lost than the path loses; no case fails, and no requirement of the profile needs them
    cp -r scenarios "$dir/suite"
    cat >"$dir/suite/asks.json" <<'END'
{"schema": "talon/scenario/1", "id": "asks", "title": "Many pushes", "purpose": "All complete.", "class": "valid",
 "covers": ["FTP-8.5.3.3-02"], "version": 1, "connection": {"params": {"fcwnd": "8", "coalescing": "400us"}},
 "workload": [{"side": "tester", "count": 400, "pulls": "0%", "length": "1", "outstanding": 1, "within": "60s"}],
 "steps": [{"await": "workload"}]}
END
    sed 's/"stale-\*-initiator"/"asks"/; s/"FTP-9.1.6-03", //' $tiny >"$dir/excused.json"
    certify 0 --profile "$dir/excused.json" --suite "$dir/suite" --network loss=0.0001% --sut builtin &&
        certify 3 --profile "$dir/excused.json" --suite "$dir/suite" --challenge c-1 --network loss=0.0001% --sut builtin:fault=ar-ignored:one-in=8 &&
        says "refused: rule A3 reads inconclusive over the run: it needed out-loss for" && says "NOT certified, for 1 reasons"
}
is "answers that no such path loses, though no case fails" excused
unstated() {
    statement 's/"ordered-connections": true/"ordered-connections": null/'
    certify 1 --profile $tiny && says "ICS item 'ordered-connections' is not answered (null). The profile needs it" || return 1
    statement 's/"transport-mode": true/"transport-mode": false/'
    certify 1 --profile $tiny && says "ICS item 'transport-mode' is not claimed" || return 1
    statement "s/\"firmware\": \"$firmware\"/\"firmware\": null/"
    certify 1 --profile $tiny && says "the ICS does not give vendor, product and firmware"
}
is "a statement with holes, before any packet" unstated
denied() {
    statement 's/"multipath": false/"multipath": true/'
    certify 1 --profile $tiny && says "ICS item 'multipath': the ICS claims it, but the SUT's own answer"
}
is "a statement that the SUT itself denies" denied
another() { # SED, WHO: the ICS is of another device than the one that replies to `hello`
    statement "$1"
    certify 1 --profile $tiny &&
        says "refused: the SUT replied to \`hello\` that it is 'Talon built-in endpoint $firmware'; the ICS is of '$2'." &&
        says "correct vendor, product and firmware of the ICS" && [ ! -e "$dir/c/certificate.json" ]
}
is "the ICS of another vendor's device" another 's/"vendor": "Talon"/"vendor": "Acme"/' "Acme built-in endpoint $firmware"
is "... of another product" another 's/"product": "built-in endpoint"/"product": "F1"/' "Talon F1 $firmware"
is "... of another firmware" another "s/\"firmware\": \"$firmware\"/\"firmware\": \"1.5\"/" "Talon built-in endpoint 1.5"
statement ''

waivers() { # PROFILE, KIND: an entry for what rnr-target shows
    local prints
    prints=$("$talon" run --verbose scenarios --profile "$1" --ics "$ics" --sut builtin:fault=nack-rnr-timeout-short |
        sed -n 's/^ *fingerprint *\([0-9a-f]*\).*/"\1"/p' | sort -u | paste -sd, -)
    echo "{\"schema\": \"talon/waivers/1\", \"entries\": [{\"id\": \"W-1\", \"kind\": \"$2\", \"scenario\": \"rnr-target\", \"fingerprint\": [$prints], \"reason\": \"known <b>\", \"approver\": \"QA\", \"link\": \"https://example.org/1\", \"expires\": \"2999-12-31\"}]}" >"$dir/w.json"
}
waived() {
    waivers $tiny waiver
    certify 0 --profile $tiny --sut builtin:fault=nack-rnr-timeout-short --waivers "$dir/w.json" && has '"id": "W-1"' &&
        grep -q 'known &lt;b&gt;' "$dir/c/certificate.html" && verify 0 "$dir/c"
}
is "a waiver that the profile allows is on the certificate" waived
sed 's/, "requirements": \["FTP-8.5.3.4-\*"\]//' $tiny >"$dir/strict.json"
is "one that it does not allow" refuses "rnr-target: the profile does not allow waiver W-1 to waive" --profile "$dir/strict.json" \
    --sut builtin:fault=nack-rnr-timeout-short --waivers "$dir/w.json"
sed 's/"most": 1/"most": 0/' $tiny >"$dir/strict.json"
is "too many" refuses "1 waivers were used; the profile allows 0" --profile "$dir/strict.json" \
    --sut builtin:fault=nack-rnr-timeout-short --waivers "$dir/w.json"
waivers $tiny expected-failure
is "an expected failure certifies nothing" refuses "rnr-target: expected failure" --profile $tiny \
    --sut builtin:fault=nack-rnr-timeout-short --waivers "$dir/w.json"
unfit() { # a network that no implementation can stand
    certify 1 --profile $tiny --network loss=100% || certify 3 --profile $tiny --network loss=100% || return 1
    says "the bench self-test failed"
}
is "a bench that tells nothing" unfit
wrong_uses() {
    certify 2 --profile smoke && grep -q "cannot be used for certification" "$dir/err" && certify 2 --profile no-such &&
        certify 2 --profile $tiny --id 'push-*' && certify 2 --profile $tiny --shard 1/2 &&
        certify 2 --profile $tiny --key "$ics" && certify 2 --profile $tiny --key "$dir/public.pem"
}
is "options that leave something out, keys that are none, profiles that demand nothing: status 2" wrong_uses

listed() { # the list says which profiles certify: those of which certify does not say that they cannot
    local name can
    "$talon" list profiles >"$dir/profiles" && [ "$(wc -l <"$dir/profiles")" -ge 15 ] || return 1
    while read -r name can _; do
        "$talon" certify --profile "$name" --ics "$dir/none" --key "$key" --out "$dir/d" >/dev/null 2>"$dir/err"
        if grep -q "cannot be used for certification" "$dir/err"; then [ "$can" = no ]; else [ "$can" = yes ]; fi ||
            { echo "# $name: $can" >&2; return 1; }
    done <"$dir/profiles"
    grep -q '^full  *yes ' "$dir/profiles"
}
is "the list of profiles says which certify; full does" listed

# ---- nothing can be changed unseen ----
certify 0 --profile $tiny --challenge c-1
logged() {
    local n
    n=$(wc -l <"$dir/c/attempts.jsonl")
    certify 1 --profile $tiny --sut builtin:fault=payload-corrupted && certify 0 --profile $tiny --challenge c-1 &&
        [ "$(wc -l <"$dir/c/attempts.jsonl")" -eq $((n + 2)) ] && verify 0 "$dir/c" || return 1
    cp -r "$dir/c" "$dir/less" && sed -i 3d "$dir/less/attempts.jsonl"
    verify 1 "$dir/less" && says "attempts.jsonl: the lines before line 3 were changed"
}
is "each attempt is remembered, and none can be taken out" logged

flip() { # FILE, OFFSET: its lowest bit
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # the byte itself
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
tampered() {
    local file size n=0
    while read -r file; do
        size=$(stat -c %s "$dir/c/$file")
        flip "$dir/c/$file" $((size * (n % 7 + 1) / 9))
        verify 1 "$dir/c" && says "${file#evidence/}" || { echo "# not told: $file" >&2; return 1; }
        flip "$dir/c/$file" $((size * (n % 7 + 1) / 9))
        n=$((n + 1))
    done < <(cd "$dir/c" && find . -type f -printf '%P\n' | sort)
    [ $n -gt 40 ] && verify 0 "$dir/c"
}
is "a byte flipped in each file in turn is told, and where" tampered
everywhere() {
    local size i at
    size=$(stat -c %s "$dir/c/certificate.json")
    for ((i = 0; i < 60; i++)); do
        at=$((size * i / 60 + i % 13))
        flip "$dir/c/certificate.json" $at
        verify 1 "$dir/c" && says certificate.json || { echo "# not told: byte $at" >&2; return 1; }
        flip "$dir/c/certificate.json" $at
    done
}
is "in the certificate wherever it is" everywhere
missing() {
    local file
    for file in certificate.html statement.json attempts.jsonl evidence/run.json evidence/results.json evidence/push-target/timeline.jsonl; do
        mv "$dir/c/$file" "$dir/kept"
        verify 1 "$dir/c" && says "${file#evidence/}" || { echo "# not told: $file" >&2; return 1; }
        mv "$dir/kept" "$dir/c/$file"
    done
    echo more >"$dir/c/evidence/push-target/more.txt"
    verify 1 "$dir/c" && says "evidence/push-target/more.txt: the certificate does not list this file" || return 1
    rm "$dir/c/evidence/push-target/more.txt"
    verify 0 "$dir/c"
}
is "what is missing and what is more is told" missing
forged() { # all hashes put right again, but for the signature
    cp -r "$dir/c" "$dir/forged"
    sed -i "s/\"firmware\": \"$firmware\"/\"firmware\": \"99\"/" "$dir/forged/certificate.json"
    verify 1 "$dir/forged" && says "the signature does not match the signer's key" && says "'sut' differs from the result of judging the evidence again"
}
is "another firmware on the certificate" forged

# ---- over a wire ----
# On a machine that has no time for it a bench tells no fault, and says so: another try is due then.
over_udp() {
    local try
    start_sut wire "$talon" sut
    statement ''
    sed 's/"retries"/"qualify_live": 6, "retries"/; s/"waivers"/"qualify_live": 6, "waivers"/' $tiny >"$dir/live.json"
    for try in 1 2 3; do
        certify 0 --profile "$dir/live.json" --sut "$frames" --control "$control" && break
        [ "$try" -lt 3 ] && says "it detected none of" || return 1
    done
    stop_sut "$sut"
    grep -q '<h1>Certificate of conformance</h1>' "$dir/c/certificate.html" && says "certified: Talon" || return 1
    has '"live": true' && has '"link": "udp over loopback"' && verify 0 "$dir/c"
}
is "a SUT over UDP is certified, on a bench that was qualified over UDP" over_udp
is "a case that the adapter cannot play is named with its reason" limited
done_testing
