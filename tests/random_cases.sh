#!/bin/bash
# lane: works
# Random networks, parameters and conforming variants: no case fails or is an error. `make nightly` plays a million cases
# from another seed. Of seed 14 no path is slower than 88 Mbit/s: a run over 1 Mbit/s takes two minutes. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/networks/random_cases.py "${BUILD:-build}/talon" 14 12
