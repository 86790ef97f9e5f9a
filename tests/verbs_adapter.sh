#!/bin/bash
# lane: works
# The verbs adapter (docs/verbs-adapter.md): its files and sut_client.[ch] alone, in an empty folder, compile without a
# warning, and without a device it says which one is missing. Then it plays the scenarios of verbs over a provider whose
# queue pairs are Talon's own (tests/verbs_mock). tests/guest/guest runs it over soft RoCE.
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
fake=(-g -O0 -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -I"$dir/kit" "$dir"/kit/*.c tests/guest/fake_verbs.c -ljansson)
is "it is built with a device of the test's own" "${CC:-cc}" -o "$dir/fake_adapter" "${flags[@]}" "${fake[@]}"
python3 tests/guest/mistakes.py "$dir/fake_adapter" >"$dir/mistakes" 2>&1
while IFS= read -r line; do
    case $line in
    "ok - "*) is "${line#ok - }" true ;;
    "not ok - "*) is "${line#not ok - }" false ;;
    *) echo "# $line" ;;
    esac
done <"$dir/mistakes"

# Over Talon's own queue pairs, in virtual time: the adapter between `talon run` and the built-in endpoint.
mock=$BUILD/verbs_mock
plays() { # OPTIONS...: talon run with the adapter; the turnaround is declared, so that an event that is missing is a failure
    "$talon" run --sut "exec:$mock" --param turnaround=0 --param pipeline=0 "$@" >"$dir/run" 2>&1
}
last() { # REGEX of the last line of the run
    tail -n 1 "$dir/run" | grep -qE -- "$1" && return 0
    tail -n 40 "$dir/run" | sed 's/^/# /'
    return 1
}
suite() { # each scenario of verbs gets a verdict, and each verdict is pass
    plays scenarios/rdma-initiator scenarios/rdma-target scenarios/rdma-target-order &&
        last '^[0-9]{3,} cases: [0-9]{3,} passed, 0 failed \(seed 1\)$'
}
is "it plays the scenarios of verbs over Talon's own queue pairs" suite
raw() { # it has no raw connections: cases that need them are skipped
    plays scenarios/rdma-headers
    last ' 0 passed, 0 failed, [0-9]+ skipped'
}
is "and what it does not have is skipped" raw
detects() { # FAULT, CASES: a fault of the queue pairs behind the adapter is detected
    VERBS_MOCK=":fault=$1" plays scenarios/rdma-* --id "$2"
    [ $? -eq 1 ] && last ' [1-9][0-9]* failed'
}
is "a completion without its immediate data is detected" detects imm-lost 'rdma-send-imm-received*'
is "a completion that is missing" detects flush-missing rdma-errors-flush
is "data that are placed elsewhere" detects oeth-ignored 'rdma-send-any-order-*'
is "a key that stays valid" detects inv-ignored rdma-invalidate
checks() { "$talon" sut-check "exec:$mock" >"$dir/run" 2>&1 && last '^[0-9]+ checks: [0-9]+ passed, 0 failed'; }
is "talon sut-check finds no mistake" checks
done_testing
