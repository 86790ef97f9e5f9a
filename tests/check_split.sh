#!/bin/bash
# lane: works
# One busy pair of addresses: talon capture split, then talon check of each part, finds of each connection what one process does. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/check_split.py "${BUILD:-build}/talon"
