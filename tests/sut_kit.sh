#!/bin/bash
# lane: works
# What a vendor copies into another tree: sut_client.[ch] and talon_sut.h alone, in an empty folder, compile with Jansson
# and nothing of Talon, as C and as C++, and a program in either language can use them. The templates of docs/examples/l1
# pass `talon sut-check`, and one that lost a line does not.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

kit=$dir/kit
mkdir "$kit"
cp harness/sut/sut_client.h harness/sut/sut_client.c harness/sut/talon_sut.h "$kit"
cat >"$kit/adapter.c" <<'END'
#include "sut_client.h"
#include "talon_sut.h"

#include <stdio.h>
#include <string.h>

static enum talon_client_done reset(void *ctx, const json_t *command, json_t *reply, const char **why)
{
    (void)ctx, (void)command, (void)reply, (void)why;
    return TALON_CLIENT_DONE;
}
static void *create(uint64_t seed)
{
    (void)seed;
    return NULL;
}
const struct talon_sut_api *talon_sut_api_v1(void)
{
    static struct talon_sut_api api;
    api.version = TALON_SUT_VERSION;
    api.create = create;
    return &api;
}
int main(void)
{
    static const char line[] = "{\"id\": 1, \"epoch\": 1, \"do\": \"hello\", \"version\": 1}";
    struct talon_client_config config;
    struct talon_client *client;
    size_t len;
    const char *said;

    memset(&config, 0, sizeof config);
    config.vendor = "Acme", config.product = "F1", config.firmware = "1", config.serial = "1";
    config.level = 1, config.reset = reset;
    client = talon_client_new(&config);
    talon_client_line(client, line, strlen(line));
    said = talon_client_next(client, &len);
    printf("%.*s\n", (int)len, said);
    talon_client_free(client);
    return talon_sut_api_v1()->version == 1 ? 0 : 1;
}
END
flags=(-Wall -Wextra -Werror)
c=${CC:-cc} cxx=${CXX:-c++}

says_hello() { # COMPILERS: builds with them in that folder and runs the adapter
    (cd "$kit" && eval "$1" && ./adapter) 2>&1 | tee "$dir/out" | grep -qF '"vendor":"Acme"' ||
        { sed 's/^/# /' "$dir/out" | head -20; return 1; }
}
is "as C11" says_hello "$c -std=c11 ${flags[*]} -o adapter sut_client.c adapter.c -ljansson"
is "as C17, with every warning of C++ about C" says_hello \
    "$c -std=c17 ${flags[*]} -Wc++-compat -o adapter sut_client.c adapter.c -ljansson"
is "all as C++" says_hello "$cxx -x c++ -std=c++17 ${flags[*]} -o adapter sut_client.c adapter.c -ljansson"
is "a C++ adapter with the library as C" says_hello \
    "$c ${flags[*]} -c sut_client.c && $cxx -x c++ ${flags[*]} -o adapter adapter.c -x none sut_client.o -ljansson"
# Talon looks the symbol up by its plain name.
symbol() { (cd "$kit" && "$cxx" -x c++ -shared -fPIC -o adapter.so adapter.c sut_client.c -ljansson && nm -D adapter.so | grep -q ' T talon_sut_api_v1$'); }
is "a C++ library exports talon_sut_api_v1" symbol

# template_passes COMMAND...: the template offers L1 and passes every check of that level.
template_passes() {
    local pid status
    : >"$dir/log"
    "$@" 0 2>"$dir/log" &
    pid=$!
    suts+=("$pid")
    for _ in $(seq 500); do
        grep -q '^control ' "$dir/log" && break
        sleep 0.02
    done
    timeout 60 "$talon" sut-check --control "$(sed -n 's/^control //p' "$dir/log")" --flood 500 >"$dir/out" 2>&1
    status=$?
    stop_sut "$pid"
    [ "$status" = 0 ] && grep -q 'it offers L1' "$dir/out" || { grep -A1 FAIL "$dir/out" | sed 's/^/# /'; return 1; }
}
built() { # FILE: that C template, compiled as its first lines say, passes
    cp "$1" "$kit/l1_adapter.c"
    (cd "$kit" && "$c" -std=gnu17 "${flags[@]}" -o l1_adapter l1_adapter.c sut_client.c -ljansson) && template_passes "$kit/l1_adapter"
}
is "the template in C passes sut-check" built docs/examples/l1/l1_adapter.c
is "the template in Python passes sut-check" template_passes python3 docs/examples/l1/l1_adapter.py
is "the template with RDMA verbs passes sut-check" template_passes python3 docs/examples/verbs/verbs_adapter.py
is "... with all of its words" grep -qE '^pass +verbs-posts ' "$dir/out"
sed '/self.epoch += 1/d' docs/examples/l1/l1_adapter.py >"$dir/broken.py"
fails() { ! "$@" >/dev/null; }
is "a template that keeps its epoch does not pass" fails template_passes python3 "$dir/broken.py"
done_testing
