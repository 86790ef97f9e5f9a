#!/bin/bash
# lane: works
# The measure of faults that act seldom or late (tests/lives.py) finds what it should, and fails if its list of the missed
# faults is not true.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
list=$dir/list

measure() { # lines of the list (a string), options..., talon
    printf '%b' "$1" >"$list"
    shift
    python3 tests/lives.py --jobs 1 --file "$list" "$@" >"$dir/out" 2>&1
}
says() { # text, arguments of measure...: it fails, and says so
    local text=$1
    shift
    ! measure "$@" && grep -q "error: $text" "$dir/out"
}
# A program that finds nothing: its SUT has no fault.
cat >"$dir/blind" <<EOF
#!/bin/bash
exec "$talon" "\${@/builtin:fault=*/builtin}"
EOF
chmod +x "$dir/blind"
seldom=(--only error-nack-fatal --form one-in=20 --form one-in=1000)
soak=(--only error-nack-fatal --form one-in=1000)
line="error-nack-fatal one-in=1000 5000 5"

found() { measure "" "${seldom[@]}" "$talon" && [ "$(grep -c '1 of 1 found, 100.0 %' "$dir/out")" -eq 2 ]; }
is "a fault that acts seldom is found" found
is "a line of a fault that is found is an error" says "found, though it is listed: remove the line" "$line it hides\n" "${soak[@]}" "$talon"
is "a fault that is missed and not listed is an error" says "missed, and not listed" "" "${soak[@]}" "$dir/blind"
is "a missed fault must have had opportunities" says "had 0 opportunities, at least 3000 are due" "$line it hides\n" "${soak[@]}" "$dir/blind"
is "... or a reason why it has few" measure "$line few opportunities: none acts\n" "${soak[@]}" "$dir/blind"
is "a line without a reason is an error" says "the reason is missing" "$line ?\nerror-nack-fatal one-in=20 1 1 ?\n" "${soak[@]}" "$dir/blind"
is "a line of a fault that does not exist is an error" says ".*line 1: there is no fault error-nack-fatel" "error-nack-fatel one-in=20 1 1 a\n" "${soak[@]}" "$talon"
by_date() { # day: what is measured
    measure "" --dry-run --faults 12 --date "$1" "$talon" && cat "$dir/out"
}
turns() {
    [ "$(by_date 2026-01-01 | wc -l)" -eq 12 ] && [ "$(by_date 2026-01-01)" != "$(by_date 2026-01-02)" ] &&
        [ "$(by_date 2026-01-01)" = "$(by_date 2026-01-01)" ]
}
is "--faults measures others each day" turns
unlisted() { # a fault that is listed is left out
    local first
    first=$(by_date 2026-01-01 | head -n 1)
    measure "$first 1 1 it hides\n" --dry-run --faults 12 --date 2026-01-01 "$talon" && [ "$(wc -l <"$dir/out")" -eq 11 ] && ! grep -q "^$first" "$dir/out"
}
is "... but none that is listed" unlisted
done_testing
