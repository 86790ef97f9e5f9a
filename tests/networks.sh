#!/bin/bash
# lane: works
# What a path does is never the SUT's fault, and it hides few faults: the suite over twelve networks, and a part of the
# reference faults. `make nightly` plays random networks and every reference fault. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/networks/networks.py check "${BUILD:-build}/talon"
