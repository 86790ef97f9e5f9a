#!/bin/bash
# lane: works
# Random networks, parameters and conforming variants: no case fails or is an error. `make nightly` plays a million cases
# from another seed. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/networks/random_cases.py "${BUILD:-build}/talon" 1 12
