#!/bin/bash
# lane: works
# Worlds of random NVMe commands (tests/world/world_nvme.c) show every fault of NVMe, but for those of which
# nvme_worlds.c says why they cannot.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"

worlds() {
    "$BUILD/tests/matrix/nvme_worlds" "$@" >"$dir/table" || { sed 's/^/# /' "$dir/table"; return 1; }
}
is "random NVMe commands show every fault of NVMe" worlds
listed() {
    "$talon" list faults | awk '/ NVME / {print $1}' | sort >"$dir/faults"
    awk '{print $1}' "$dir/table" | sort | diff - "$dir/faults" | sed 's/^/# /'
    [ "${PIPESTATUS[2]}" -eq 0 ]
}
is "the table has each of them" listed
missing() {
    "$BUILD/tests/matrix/nvme_worlds" "$1" 2>"$dir/err"
    [ $? -eq 2 ] && grep -q "$1" "$dir/err"
}
is "a fault of another layer is refused" missing ack-before-ulp
done_testing
