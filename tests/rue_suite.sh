#!/bin/bash
# lane: works
# The scenarios of scenarios/10.3-rue feed events to the Rate Update Engine (RUE) of the built-in SUT. Each mistake of
# the engine fails, with the requirement that the engine's list names; each other reading of chapter 10 passes.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
suite=scenarios/10.3-rue

# Their effects are so wide that a requirement of another section explains more cases.
named_by_another="delay-ignored delay-reverse"

play() { # words of the engine
    "$talon" run "$suite" --sut "builtin:cc=swift,$1" >"$dir/out" 2>&1
}
fails_with() { # fault, requirement
    local status
    play "fault=$1"
    status=$?
    # a requirement that only warns
    [ "$status" -eq 1 ] || { [ "$status" -eq 0 ] && grep -q 'with a warning' "$dir/out"; } || return 1
    case " $named_by_another " in
    *" $1 "*) return 0 ;;
    esac
    grep -qF -- "$2" "$dir/out"
}
passes() { # reading
    play "reading=$1" || return 1
    ! grep -qE '^ *[0-9]+\. +(FAIL|WARN)' "$dir/out"
}

is "the reference model passes" passes increase-by-count
"$talon" help swift >"$dir/swift"
faults=$(sed -n '/^Faults/,/^Other/p' "$dir/swift" | awk '$2 ~ /^FTP-/ { print $1 ":" $2 }')
readings=$(sed -n '/^Other readings/,$p' "$dir/swift" | awk '$2 ~ /^(AMB|FTP)-/ || $1 == "swift-isekai" { print $1 }')
is "there are at least 27 faults" test "$(wc -w <<<"$faults")" -ge 27
is "there are at least 20 readings" test "$(wc -w <<<"$readings")" -ge 20
for fault in $faults; do
    is "fault ${fault%%:*} fails ${fault#*:}" fails_with "${fault%%:*}" "${fault#*:}"
done
for reading in $readings; do
    is "reading $reading passes" passes "$reading"
done
done_testing
