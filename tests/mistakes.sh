#!/bin/bash
# lane: works
# Each mistake in tests/data/mistakes.txt is answered by the words that were written down for it.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
list=tests/data/mistakes.txt
basics='"schema": "talon/scenario/1", "id": "f", "title": "t", "purpose": "p", "class": "valid", "covers": ["FTP-9.1.6-10"], "version": 1'

title='' command='' status='' lacks='' words=()

# answers STATUS COMMAND WORDS...: the status, and that each of the words stands in the output.
answers() {
    local due=$1 command=$2 got word ok=0
    shift 2
    PATH="$(realpath "$BUILD"):$PATH" timeout 60 bash -c "$command" >"$dir/said" 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$due" ] || { echo "# exit status $got instead of $due"; ok=1; }
    printf '\n' | cat - "$dir/said" >"$dir/lines" # so that a line may be asked for whole
    for word in "$@"; do
        [[ "$(cat "$dir/lines"; echo .)" == *"$word"* ]] || { printf '# missing: %s\n' "$word"; ok=1; }
    done
    [ $ok -eq 0 ] || { echo "# $command"; head -n 12 "$dir/said" | sed 's/^/# said: /'; }
    return $ok
}

# A gap that is known. When it is closed, its line ~ in the list goes.
still_lacks() {
    ! answers "$@" >/dev/null || { echo "# the message is right now: remove the line ~"; return 1; }
}

try() {
    [ -n "$title" ] || return 0
    if [ -n "$lacks" ]; then
        is "$title (still lacks: $lacks)" still_lacks "$status" "$command" "${words[@]}"
    else
        is "$title" answers "$status" "$command" "${words[@]}"
    fi
    title='' lacks='' words=()
}

while IFS= read -r line; do
    text=${line:2}
    case $line in
        '= '*) try; title=$text ;;
        '$ '*) command="${text//D\//$dir/}" ;;
        ': '*)
            file=${text%% *} text=${text#* }
            printf '%b\n' "${text//\{B,/{$basics,}" >"$dir/$file"
            ;;
        '~ '*) lacks=$text ;;
        '? '*) status=$text ;;
        '+ '*) words+=("$(printf '%b' "$text")") ;;
    esac
done <"$list"
try
echo "1..$tests"
[ $bad -eq 0 ] && [ $tests -ge 40 ]
