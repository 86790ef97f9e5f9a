#!/bin/bash
# lane: works
# Cases come to the same as text and as structs, and in any order. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/case_forms.py "${BUILD:-build}/talon"
