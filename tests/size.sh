#!/bin/bash
# lane: works
# The size check passes on this tree and finds each kind of breach in a small tree. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

.ci/check-size >&2
ok $? "this tree keeps the limits"

cp .ci/check-size "$dir"
cd "$dir" || exit 1
mkdir a
function_of() { # lines, the first and the last among them
    printf 'static int f(int a)\n{\n'
    for ((i = 2; i < $1; i++)); do echo '    a++; /* } */'; done
    printf '}\n'
}
red() { # file:line or folder, name
    ! ./check-size a >log && grep -q "^$1:" log
    ok $? "$2"
}
function_of 60 >a/a.c
./check-size a >&2
ok $? "a function of 60 lines passes"
function_of 61 >a/a.c
red a/a.c:2 "a function of 61 lines is found"
{ function_of 3; echo; function_of 70; } >a/a.c
red a/a.c:7 "the second function of a file is found"

six='int a, char *b, void (*c)(int x, int y), int d[2], const char *format, long e'
echo "int f($six);" >a/a.c
./check-size a >&2
ok $? "6 parameters pass, commas inside one of them do not count"
echo "int f($six, int g);" >a/a.c
red a/a.c:1 "7 parameters of a declaration are found"
printf 'static int f(%s,\n             int g)\n{\n    return 0;\n}\n' "$six" >a/a.c
red a/a.c:1 "7 parameters of a definition are found"
echo "int __attribute__((format(printf, 1, 2))) f(const char *text, ...); /* f(1, 2, 3, 4, 5, 6, 7) */" >a/a.c
./check-size a >&2
ok $? "attributes and comments do not count"

echo >a/a.c
for ((i = 1; i < 45; i++)); do echo >"a/f$i.h"; done
./check-size a >&2
ok $? "45 code files in a folder pass"
echo >a/f45.h
red a "46 code files in a folder are found"

mkdir scenarios
for ((i = 1; i <= 45; i++)); do echo >"scenarios/s$i.json"; done
./check-size scenarios >&2
ok $? "45 scenarios in a folder pass"
echo >scenarios/s46.json
! ./check-size scenarios >log && grep -q '^scenarios: has 46 scenarios' log
ok $? "46 scenarios in a folder are found"
echo "1..$n"
