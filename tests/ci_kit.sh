#!/bin/bash
# lane: works
# The CI kit of docs/ci: each command in it exists with its options, and all of them, one after another, do what docs/ci.md says.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
[ "${talon#/}" = "$talon" ] && talon=$PWD/$talon
top=$PWD
kit=(docs/ci/github-workflow.yml docs/ci/gitlab-ci.yml docs/ci/Jenkinsfile)

commands() { # FILE: each talon command on a line of its own
    sed -e ':a' -e '/\\$/{N;s/\\\n */ /;ba' -e '}' "$1" | sed -nE 's/^ *(- |run: )?(talon (run|report|diff|certify) .*)$/\2/p'
}
options_exist() { # FILE: each option is one that the verb's help names
    local line verb option n=0
    while read -r line; do
        verb=$(cut -d' ' -f2 <<<"$line")
        "$talon" "$verb" --help >"$dir/help" || return 1
        for option in $(grep -oE -- '(^| )--?[a-z][a-z-]*' <<<"$line"); do
            grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" "$dir/help" || { echo "# $1: talon $verb has no $option" >&2; return 1; }
            n=$((n + 1))
        done
    done < <(commands "$1")
    [ $n -gt 12 ]
}
for file in "${kit[@]}"; do
    is "$file: its options exist" options_exist "$file"
done

yaml() {
    python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "${kit[@]:0:2}" 2>"$dir/err" && return 0
    grep -q "No module named 'yaml'" "$dir/err"
}
is "the YAML files are YAML" yaml

# Its commands, with the built-in implementation for the SUT, in a folder of its own.
whole() { # FILE SHARD-VARIABLE STATUS
    local line shard status=0 sut=${4:-builtin}
    rm -rf "$dir/job" && mkdir -p "$dir/job/ci" && cd "$dir/job" || return 1
    "$talon" list ics --proforma >ci/ics.json
    "$talon" list ixit --proforma >ci/ixit.json
    echo '{"schema": "talon/waivers/1", "entries": []}' >ci/waivers.json
    while read -r line; do
        line=${line/talon run/\"$talon\" run $top\/scenarios\/9.1.6-ack-generation} && line=${line/talon report/\"$talon\" report}
        line=${line/ --sut \"\$SUT\" --control \"\$CONTROL\"/ --sut $sut}
        line=${line//\$\{\{ matrix.shard \}\}/\$SHARD} && line=${line//\$CI_NODE_INDEX/\$SHARD} && line=${line//\$CI_NODE_TOTAL/4}
        line=${line% || true} && line=${line% || status=\$?}
        case $line in
        *--shard*) for shard in 1 2 3 4; do SHARD=$shard bash -c "$line" >>log 2>&1; done ;;
        *merge*) bash -c "$line" >>log 2>&1 || status=$? ;;
        *) bash -c "$line" >>log 2>&1 || { tail -n 3 log >&2; return 1; } ;;
        esac
    done < <(commands "$top/$1")
    cd "$top" || return 1
    [ $status -eq "$2" ] || { echo "# $1: status $status, due $2" >&2; tail -n 5 "$dir/job/log" >&2; return 1; }
    for line in all.json report.html junit.xml talon.sarif; do
        [ -s "$dir/job/$line" ] || { echo "# $1: no $line" >&2; return 1; }
    done
    ! grep -q '^talon: \|usage:' "$dir/job/log"
}
for file in "${kit[@]}"; do
    is "$file: four shards, merged and reported" whole "$file" 0
done
fails() {
    whole "${kit[0]}" 1 - builtin:fault=eack-omitted-on-hole && grep -q '<failure' "$dir/job/junit.xml" &&
        [ -s "$dir/job/summary.md" ] && xmllint --noout "$dir/job/junit.xml"
}
is "what fails in a shard fails the job, and is published" fails
unsplit() { # the merged run is the one that nobody split
    "$talon" run --verbose scenarios/9.1.6-ack-generation --sut builtin --report "json:$dir/one.json" >/dev/null
    whole "${kit[1]}" 0 && "$talon" diff "$dir/one.json" "$dir/job/all.json" --strict >"$dir/out" || { cat "$dir/out" >&2; return 1; }
}
is "together they are the whole run" unsplit
named() { for file in "${kit[@]}"; do grep -qF "(ci/${file##*/})" docs/ci.md || return 1; done; }
is "docs/ci.md names each" named
done_testing
