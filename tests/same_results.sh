#!/bin/bash
# lane: works
# The suite, planted faults and captures come to the results of which tests/data/same-results.txt has hashes. TAP.
# same_results.py says what is compared, what is left out, and how to find a difference.
cd "$(dirname "$0")/.." || exit 1
# Of the twenty faults three, and of the timelines an eighth, unless TALON_WHOLE says all; and a landing may say less.
[ -n "${TALON_WHOLE:-}" ] || export TALON_SAME_FAULTS="${TALON_SAME_FAULTS:-3}" TALON_SAME_TIMELINES="${TALON_SAME_TIMELINES:-8}"
exec python3 tests/same_results.py "${BUILD:-build}/talon"
