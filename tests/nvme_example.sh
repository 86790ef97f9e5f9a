#!/bin/bash
# lane: works
# The examples of NVMe: the templates in Python and in C keep to the protocol, a mistake in one is found, and the scenario
# passes on the built-in SUT.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/run-lib"
passes() { # COMMAND...: the template offers L3n and passes every check
    local pid status
    : >"$dir/log"
    "$@" 0 2>"$dir/log" &
    pid=$!
    for _ in $(seq 500); do
        grep -q '^control ' "$dir/log" && break
        sleep 0.02
    done
    timeout 60 "$talon" sut-check --control "$(sed -n 's/^control //p' "$dir/log")" --flood 100 >"$dir/out" 2>&1
    status=$?
    kill "$pid" && wait "$pid" 2>/dev/null
    [ "$status" = 0 ] && grep -qE '^pass +nvme-devices ' "$dir/out" || { grep -A1 FAIL "$dir/out" | sed 's/^/# /' >&2; return 1; }
}
mistaken() { # WAS, IS: a copy of the template with a mistake does not pass
    cp -r docs/examples "$dir/examples"
    python3 - "$dir/examples/nvme/nvme_adapter.py" "$1" "$2" <<'END'
import sys
path, was, by = sys.argv[1:]
text = open(path).read()
assert was in text, was
open(path, "w").write(text.replace(was, by))
END
    ! passes python3 "$dir/examples/nvme/nvme_adapter.py" 2>"$dir/why" && grep -q 'dev_hash of 2 blocks' "$dir/why"
}
built() {
    "${CC:-cc}" -std=gnu17 -O1 -Wall -Wextra -Iharness/sut -o "$dir/nvme_client" docs/examples/nvme/nvme_client.c \
        harness/sut/sut_client.c -ljansson && passes "$dir/nvme_client"
}
scenario() { "$talon" run docs/examples/nvme/nvme-read.json "$@" >"$dir/out" 2>&1; }
is "the template in Python passes sut-check" passes python3 docs/examples/nvme/nvme_adapter.py
is "... and not if it writes blocks to the wrong place" mistaken 'data[i * length:][:length]' 'data[:length]'
is "the template in C passes sut-check" built
is "the scenario passes on the built-in SUT" scenario
is "... with all of its cases" grep -q '^3 cases: 3 passed' "$dir/out"
done_testing
