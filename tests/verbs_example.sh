#!/bin/bash
# lane: works
# The example of RDMA verbs in Python: it keeps to the protocol, it and the built-in SUT use RDMA together in both
# directions, and a mistake in it is found.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/run-lib"
shown() { sed 's/^/# /' "$dir/out" >&2; return 1; }
said() { # STATUS, TEXT, ARGUMENTS...
    local due=$1 text=$2
    shift 2
    "$talon" "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qE -- "$text" "$dir/out" || shown
}
has() { grep -qE "^pass +$1 " "$dir/out"; }
together() { # FOLDER of the examples
    python3 tests/verbs_interop.py "$talon" "$1" >"$dir/out" 2>&1
}
mistaken() { # WAS, IS: a copy of the examples with a mistake
    rm -rf "$dir/examples"
    cp -r docs/examples "$dir/examples"
    python3 - "$dir/examples/verbs/verbs_sut.py" "$1" "$2" <<'END'
import sys
path, was, by = sys.argv[1:]
text = open(path).read()
assert was in text, was
open(path, "w").write(text.replace(was, by))
END
}
fails_for() { # WORDS: together does
    ! together "$dir/examples" && grep -q -- "$1" "$dir/out" || shown
}

is "the adapter keeps to the protocol" said 0 ', 0 failed, ' sut-check "exec:python3 docs/examples/verbs/verbs_sut.py --lockstep"
for check in verbs verbs-memory verbs-posts verbs-wrong; do
    is "... $check" has "$check"
done
is "it and the built-in SUT use RDMA together" together docs/examples
is "... of each operation" grep -qx '36 operations' "$dir/out"
mistaken 'self.scatter(qp["rq"][0]["sgl"], offset, data)' 'self.scatter(qp["rq"][0]["sgl"], 0, data)'
is "a device that places segments at offset 0 is found" fails_for "'send', 1, 3073"
mistaken 'head + sink + bytes(memory) + pad' 'head + sink + bytes(len(memory)) + pad'
is "a device that answers reads with zeros is found" fails_for "'read', 1, 1"
done_testing
