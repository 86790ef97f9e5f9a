#!/bin/bash
# What oracles/catalogue/kills.txt says is still so: each rule still tells its faults, on the same seeds, and no
# requirement lost the faults that prove it. `make kill-matrix` writes the file anew.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
kills=oracles/catalogue/kills.txt

still() {
    "$BUILD/tests/kill_matrix" --check "$kills" >"$dir/lost" || { sed 's/^/# lost: /' "$dir/lost"; return 1; }
}
is "every kill of the matrix still happens" still

well_formed() {
    ! grep -vE '^[a-z0-9-]+ [A-Z]+[0-9]+ (FTP|RDMA|NVME)-[0-9.]+-[0-9]+ [0-9]+$' "$kills" && [ "$(wc -l <"$kills")" -ge 700 ]
}
is "the matrix is well formed, and has not shrunk" well_formed
done_testing
