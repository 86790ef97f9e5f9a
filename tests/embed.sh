#!/bin/bash
# lane: works
# The build step that turns files into C arrays (codecs/embed_gen.c): every byte comes back, and what cannot be embedded is
# refused.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
gen=$BUILD/embed_gen

comes_back() { # file
    { "$gen" text "$1" && printf '#include <stdio.h>\nint main(void) { return fputs(text, stdout) < 0; }\n'; } >"$dir/a.c" || return 1
    "${CC:-cc}" -Wall -Werror -o "$dir/a" "$dir/a.c" && "$dir/a" | cmp - "$1"
}
printf 'one line\n' >"$dir/plain"
printf '"quotes" \\backslashes\\ ??/ %%d \t\r\n' >"$dir/odd"
printf '\xef\xbf\xbd \xc3\xa4 \xff \x01' >"$dir/high"
: >"$dir/empty"
seq 20000 >"$dir/long"
for f in plain odd high empty long; do is "$f" comes_back "$dir/$f"; done
is "each file of the build" comes_back reports/html/style.css

refuses() { # pattern, options...
    local pattern=$1
    shift
    ! "$gen" "$@" >/dev/null 2>"$dir/err" && grep -q "$pattern" "$dir/err"
}
printf 'a\0b' >"$dir/nul"
is "a NUL" refuses 'byte 1 is 0: only text can be embedded' text "$dir/nul"
is "no such file" refuses 'No such file' text "$dir/none"
is "a folder" refuses . text "$dir"
is "no file" refuses usage text
done_testing
