#!/bin/bash
# lane: waits
# The documents are true: each link and each path in them exists, lines are at most 100 columns, and the commands of
# README that need no device run as they are printed. TAP.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

documents=(README.md CHANGELOG.md CONTRIBUTING.md docs/*.md)

# Text of a document without code blocks (fenced, or indented by four after an empty line).
prose() {
    awk '/^ *```/ { fence = !fence; blank = 0; next }
         fence { next }
         /^    / && (blank || code) { code = 1; next }
         { code = 0; blank = ($0 ~ /^ *$/); print FILENAME ":" FNR ":" $0 }' "$1"
}

# GitHub's anchors of the headings of a document.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# "FILE:LINE: TARGET" of each link that leads nowhere.
dead_links() {
    local file line target path anchor
    for file in "${documents[@]}"; do
        prose "$file" | grep -oE '^[^:]*:[0-9]+:|\]\([^) ]+\)' | while read -r line; do
            case $line in
            '](http'*) continue ;;
            ']('*) target=${line#*(} target=${target%)} ;;
            *) at=$line && continue ;;
            esac
            path=${target%%#*} anchor=
            case $target in *'#'*) anchor=${target#*#} ;; esac
            path=${path:+$(dirname "$file")/$path}
            path=${path:-$file}
            if [ ! -e "$path" ]; then
                echo "$at $target: no such file"
            elif [ -n "$anchor" ] && ! anchors "$path" | grep -qxF -- "$anchor"; then
                echo "$at $target: no such heading"
            fi
        done
    done
}

# "FILE: PATH" of each path in code spans that does not exist: what begins with a folder of the tree, and names of
# sources. '*' stands for any text; words with NAME or the like in capitals are patterns for the reader.
dead_paths() {
    local file word
    git ls-files 2>/dev/null | sed 's|.*/||' | sort -u >"$dir/names"
    [ -s "$dir/names" ] || find . -type f -not -path './build*' -printf '%f\n' | sort -u >"$dir/names"
    for file in "${documents[@]}"; do
        # what `make checks` writes need not be there
        prose "$file" | grep -oE '`[^`]+`' | grep -vF tests/checks.txt | tr -d '`' | sort -u | while read -r word; do
            case $word in *[[:space:]]* | *[A-Z][A-Z]* | *'<'* | *'{'*) continue ;; esac
            if [[ $word =~ ^(codecs|oracles|reports|harness|fuzz|scenarios|tests|docs|\.ci)/ ]]; then
                compgen -G "${word%/}" >/dev/null || compgen -G "build/$word" >/dev/null || echo "$file: $word"
            elif [[ $word =~ ^[a-z0-9_]+\.[ch]$ ]]; then
                grep -qxF -- "$word" "$dir/names" || echo "$file: $word"
            fi
        done
    done
}

# "FILE: NAME" of each function that a row of a table names beside links, and that none of the linked files contains.
lost_functions() {
    local file
    for file in "${documents[@]}"; do
        grep -E '^\|.*\]\([^)]*\.[ch]\).*`(fal|tl)_[a-z0-9_]+`|^\|.*`(fal|tl)_[a-z0-9_]+`.*\]\([^)]*\.[ch]\)' "$file" | while read -r row; do
            mapfile -t linked < <(grep -oE '\]\([^)]*\.[ch]\)' <<<"$row" | sed "s|^](\(.*\))$|$(dirname "$file")/\1|")
            for name in $(grep -oE '`(fal|tl)_[a-z0-9_]+`' <<<"$row" | tr -d '`'); do
                grep -qw -- "$name" "${linked[@]}" || echo "$file: $name"
            done
        done
    done
}

long_lines() {
    local file
    for file in "${documents[@]}"; do
        prose "$file" | awk '{ at = $0; sub(/:.*/, "", at); text = $0; sub(/^[^:]*:[0-9]+:/, "", text)
            gsub(/[\200-\277]/, "", text)
            if (text ~ /^<!-- talon help .*: begin/) printed = 1 # the program prints it, unwrapped
            if (text ~ /^<!-- talon help .*: end/) printed = 0
            if (!printed && length(text) > 100 && text !~ /^ *\|/ && text !~ /^!?\[[^]]*\]\([^)]*\)$/) print substr($0, 1, 60) }'
    done
}

# "FILE: CELL" of each row of a list of files whose first cell has come before.
double_rows() {
    local file
    for file in "${documents[@]}"; do
        grep -oE '^\| \[[^|]*\]\([^|]*\) \|' "$file" | sort | uniq -d | sed "s|^|$file: |"
    done
}

unlisted() { # each document that README does not link to
    local file
    for file in "${documents[@]}"; do
        [ "$file" = README.md ] || grep -qF "($file)" README.md || echo "$file"
    done
}

none() { # of what a function complains about
    "$1" >"$dir/bad"
    [ -s "$dir/bad" ] || return 0
    head -20 "$dir/bad" | sed 's/^/# /'
    return 1
}
is "links lead somewhere" none dead_links
is "paths exist" none dead_paths
is "functions are where a table says" none lost_functions
is "lines are at most 100 columns" none long_lines
is "no row comes twice" none double_rows
is "README lists each document" none unlisted

# The same functions see what is wrong.
sees() { # function, text: a document with that text is complained about
    printf '# Title\n\n%s\n' "$2" >"$dir/bad.md"
    (documents=("$dir/bad.md") && [ -n "$("$1")" ])
}
is "a dead link is seen" sees dead_links '[x](nowhere.md)'
is "a dead anchor is seen" sees dead_links '[x](#nowhere)'
is "a dead path is seen" sees dead_paths '`harness/nowhere.c`'
is "a dead name is seen" sees dead_paths '`nowhere_at_all.c`'
: >"$dir/bad.c"
is "a lost function is seen" sees lost_functions '| a step played? | [bad.c](bad.c), `tl_nowhere` |'
is "a row that comes twice is seen" sees double_rows "$(printf '| [a](b) | c |\n| [a](b) | d |')"
is "a document without a link is seen" sees unlisted ''
is "a long line is seen" sees long_lines "$(printf 'x%.0s' $(seq 101))"

# Commands of README, one by one and in order, in a fresh copy of the files of this tree. Those with an address of a laboratory
# (192.168), an interface, a model of the reader's or a program with a window are not run.
tree=$PWD
mkdir "$dir/checkout"
if git rev-parse --git-dir >"$dir/out" 2>&1; then
    git ls-files -z -co --exclude-standard | xargs -0 cp --parents -t "$dir/checkout" 2>"$dir/out" # not what is deleted
else
    for name in docs harness scenarios tests; do ln -s "$tree/$name" "$dir/checkout/$name"; done
fi
ln -sfn "$(realpath "$BUILD")" "$dir/checkout/build"
grep -E '^    \$ ' README.md | sed 's/^    \$ //; s/  *#.*//' |
    grep -vE '192\.168|eth1|\./model|wireshark|^openssl|certif' >"$dir/commands"
run_command() { # command: passes, or reports failures of the SUT
    local status pid
    cd "$dir/checkout" || return 1
    case $1 in
    *'&') eval "$1" >"$dir/background" 2>&1 && pid=$!
        suts+=("$pid")
        for _ in $(seq 200); do # a busy machine takes its time
            (: </dev/tcp/127.0.0.1/9000) 2>/dev/null && break
            sleep 0.1
        done
        kill -0 "$pid" ;;
    # In real time a part of the cases, unless all are asked for.
    'build/talon init'*) eval "$1" >"$dir/out" 2>&1 ;;
    *udp:* | "build/talon run --id"*) eval "$1 $(part 1/8)" >"$dir/out" 2>&1
        status=$?
        [ $status = 0 ] || [ $status = 1 ] || [ $status = 3 ] ;; # lite_sut.py is no full implementation
    *) eval "$1" >"$dir/out" 2>&1
        status=$?
        case $1 in
        *fault=* | *field.pcap*) [ $status = 1 ] ;; # the violation is detected
        *) [ $status = 0 ] ;;
        esac || { echo "# status $status" && tail -3 "$dir/out" | sed 's/^/# /'; false; } ;;
    esac
    status=$?
    cd "$tree" || return 1
    return $status
}
is "README has commands" [ "$(wc -l <"$dir/commands")" -ge 18 ]
mapfile -t commands <"$dir/commands"
for command in "${commands[@]}"; do
    is "runs: $command" run_command "$command"
done
done_testing
