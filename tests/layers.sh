#!/bin/bash
# lane: works
# The layer check passes on this tree and finds each kind of breach in a copy of it. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

BUILD=${BUILD:-build} .ci/check-layers >&2
ok $? "this tree keeps the layers"

cp -r .ci codecs oracles reports harness fuzz "$dir"
breach() { # file, line, name
    cp "$dir/$1" "$dir/saved"
    echo "$2" >>"$dir/$1"
    ! BUILD=none "$dir/.ci/check-layers" >"$dir/log"
    local status=$?
    grep -q "^$1:" "$dir/log" || status=1
    ok $status "$3"
    mv "$dir/saved" "$dir/$1"
}
breach codecs/header/falcon.c '#include "harness/link/link.h"' "a codec that includes the harness is found"
breach oracles/rules/judge/judge.c '#include "oracles/endpoint/endpoint.h"' "a rule that includes the endpoint is found"
breach oracles/rules/facts/track.c '#include "oracles/rules/judge/order.h"' "facts that include an inference are found"
breach oracles/rules/judge/judge.c '#include "oracles/cc/swift.h"' "a rule that includes congestion control is found"
breach oracles/cc/swift.c '#include "oracles/endpoint/base/clock.h"' "congestion control that includes the endpoint is found"
breach oracles/params.c 'int x(void) { return printf("hello"); }' "a core that prints is found"
breach codecs/base/bits.h '#include <time.h>' "a core that reads the clock is found"
breach harness/wire/sealer.c '#include "harness/session/session.h"' "a room that includes a later room is found"
breach codecs/text/text_parse.c '#include "codecs/json/json.h"' "a codec that includes a later room is found"
breach reports/results/diff.c '#include "reports/formats/report.h"' "results that include a format are found"
breach oracles/endpoint/base/txwin.c '#include "oracles/endpoint/connection.h"' "a data structure that includes the connection is found"
breach fuzz/seeds/seeds_suite.c '#include "fuzz/hunt/hunt.h"' "a seed that includes the stateful fuzzer is found"
for file in oracles/endpoint/*.c oracles/endpoint/{delivery,transaction}/*.c; do
    case $file in *_test.c) continue ;; esac
    for i in {1..20}; do echo "/* fault $i */"; done >"$dir/lines"
    breach "$file" "$(cat "$dir/lines")" "more than one line in twenty about faults is found in ${file#oracles/endpoint/}"
done
breach oracles/endpoint/transaction/target.c 'bool x = fal_fault(conn, FAL_FAULT_CID_IGNORED);' "a fault that acts outside the seams is found"
mkdir "$dir/harness/cellar" && echo 'int tl_cellar;' >"$dir/harness/cellar/cellar.c"
! BUILD=none "$dir/.ci/check-layers" >"$dir/log" && grep -q '^harness/cellar/cellar.c:' "$dir/log"
ok $? "a room that is not in the list is found"
rm -r "$dir/harness/cellar"

# Calls and globals are read from objects: a build of three small files, each with one breach.
object() { # file, C text
    mkdir -p "$dir/b/${1%/*}"
    echo "$2" >"$dir/$1"
    "${CC:-gcc}" -c -o "$dir/b/${1%.c}.o" "$dir/$1"
}
object harness/cli/layers_a.c 'int tl_layers_a(void) { return 1; }'
object harness/wire/layers_b.c 'int tl_layers_a(void); int tl_layers_b(void) { return tl_layers_a(); }'
object codecs/layers_c.c 'int tl_layers_b(void); int fal_layers_c(void) { return tl_layers_b(); }'
object oracles/layers_d.c 'int fal_layers_d = 1; int fal_layers_e(void); int fal_layers_e(void) { static int n; return ++n; }'
mkdir -p "$dir/b/oracles/rules/facts" "$dir/b/oracles/rules/judge"
object oracles/rules/judge/layers_f.c 'int fal_layers_f(void); int fal_layers_f(void) { return 1; }'
object oracles/rules/facts/layers_g.c 'int fal_layers_f(void); int fal_layers_g(void); int fal_layers_g(void) { return fal_layers_f(); }'
mkdir -p "$dir/b/oracles/cc"
object oracles/cc/layers_h.c 'int fal_layers_f(void); int fal_layers_h(void); int fal_layers_h(void) { return fal_layers_f(); }'
object oracles/rules/judge/layers_i.c 'int fal_layers_h(void); int fal_layers_i(void); int fal_layers_i(void) { return fal_layers_h(); }'
ar rcs "$dir/b/libcodecs.a" "$dir/b/codecs/layers_c.o"
ar rcs "$dir/b/liboracles.a" "$dir/b/oracles/layers_d.o"
BUILD=b "$dir/.ci/check-layers" >"$dir/log"
grep -q '^harness/wire/layers_b.c: may not use tl_layers_a of harness/cli/layers_a.c' "$dir/log"
ok $? "a call of a later room is found"
grep -q '^codecs/layers_c.c: may not use tl_layers_b' "$dir/log"
ok $? "a call of a later folder is found"
grep -q '^oracles/rules/facts/layers_g.c: may not use fal_layers_f of oracles/rules/judge/layers_f.c' "$dir/log"
ok $? "facts that call an inference are found"
grep -q '^oracles/cc/layers_h.c: congestion control stands apart: may not use fal_layers_f' "$dir/log"
ok $? "congestion control that calls a rule is found"
grep -q '^oracles/rules/judge/layers_i.c: congestion control stands apart: may not use fal_layers_h' "$dir/log"
ok $? "a rule that calls congestion control is found"
[ "$(grep -c 'liboracles.a.*mutable global' "$dir/log")" -eq 2 ]
ok $? "mutable globals are found, in .data and in .bss"
echo "1..$n"
