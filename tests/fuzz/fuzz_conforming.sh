#!/bin/bash
# lane: works
# The stateful fuzzer finds nothing in a few random conforming devices, and finds a fault that is planted in them. `make
# nightly` does the first with many more, from another seed. TAP.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fuzz/conforming.py check "${BUILD:-build}/talon"
