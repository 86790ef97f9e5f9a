#!/bin/bash
# lane: works
# The verbs adapter (docs/verbs-adapter.md): its files and sut_client.[ch] alone, in an empty folder, compile without a
# warning, and without a device it says which one is missing. tests/guest/guest runs it over soft RoCE.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

if ! pkg-config --exists libibverbs; then
    echo "ok 1 - the verbs adapter # SKIP libibverbs-dev is not installed"
    echo "1..1"
    exit 0
fi

mkdir "$dir/kit"
cp adapters/verbs/*.[ch] harness/sut/sut_client.[ch] "$dir/kit"
flags=(-std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wswitch-enum -Wpointer-arith -Wwrite-strings -Werror)

compiles() { # COMPILER OPTIONS...: it says nothing
    ! (cd "$dir/kit" && "$@" "${flags[@]}" ./*.c 2>&1 || echo "$1 ended with an error") | sed 's/^/# /' | grep .
}
is "its files and sut_client.[ch] compile by themselves" compiles "${CC:-cc}" -o verbs_adapter -Wl,--no-as-needed -ljansson -libverbs
is "and with clang, if it is there" compiles "$(command -v clang || echo true)" -fsyntax-only

says() { # TEXT, OPTIONS...: the adapter ends with status 1 and this text
    local text=$1
    shift
    "$dir/kit/verbs_adapter" "$@" >"$dir/out" 2>&1 </dev/null
    [ $? -eq 1 ] && grep -qF -- "$text" "$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
is "a device that is not there is named" says '--device none0: not found' --device none0
is "an unknown option shows what there is" says 'usage: verbs_adapter [--device NAME]' --divice rxe0
# Over a device without a wire: what the adapter says of mistakes, under sanitizers.
fake=(-g -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -I"$dir/kit" "$dir"/kit/*.c tests/guest/fake_verbs.c -ljansson)
is "it is built with a device of the test's own" "${CC:-cc}" -o "$dir/fake_adapter" "${flags[@]}" "${fake[@]}"
python3 tests/guest/mistakes.py "$dir/fake_adapter" >"$dir/mistakes" 2>&1
while IFS= read -r line; do
    case $line in
    "ok - "*) is "${line#ok - }" true ;;
    "not ok - "*) is "${line#not ok - }" false ;;
    *) echo "# $line" ;;
    esac
done <"$dir/mistakes"
done_testing
