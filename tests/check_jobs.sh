#!/bin/bash
# lane: works
# talon check --jobs N prints the same bytes for every N. TAP. check_jobs.py says how the captures are made.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/check_jobs.py "${BUILD:-build}/talon"
