#!/bin/bash
# lane: works
# The manifest of docs/cluster for Kubernetes, held against the schema, and run index by index. TAP.
cd "$(dirname "$0")/.." || exit 1
exec python3 tests/kubernetes.py "${BUILD:-build}/talon"
