#!/bin/bash
# lane: works
# talon check --shard by any number of processes, merged in any order, gives the bytes of one process. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/check_shards.py "${BUILD:-build}/talon"
