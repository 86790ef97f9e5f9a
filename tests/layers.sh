#!/bin/bash
# The layer check passes on this tree and finds each kind of breach in a copy of it. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

BUILD=${BUILD:-build} .ci/check-layers >&2
ok $? "this tree keeps the layers"

cp -r .ci codecs oracles reports harness "$dir"
breach() { # file, line, name
    cp "$dir/$1" "$dir/saved"
    echo "$2" >>"$dir/$1"
    ! BUILD=none "$dir/.ci/check-layers" >"$dir/log"
    local status=$?
    grep -q "^$1:" "$dir/log" || status=1
    ok $status "$3"
    mv "$dir/saved" "$dir/$1"
}
breach codecs/falcon.c '#include "harness/link/link.h"' "a codec that includes the harness is found"
breach oracles/rules/judge.c '#include "oracles/endpoint/endpoint.h"' "a rule that includes the endpoint is found"
breach oracles/params.c 'int x(void) { return printf("hello"); }' "a core that prints is found"
breach codecs/bits.h '#include <time.h>' "a core that reads the clock is found"
echo "1..$n"
