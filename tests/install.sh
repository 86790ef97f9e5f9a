#!/bin/bash
# lane: works
# `make install` to an empty folder: what is there, that it works from there, the man pages under two checkers, completion
# in three shells, and that `make uninstall` leaves nothing of it.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
prefix=$dir/root/usr

is "make install" make -s BUILD="$BUILD" DESTDIR="$dir/root" PREFIX=/usr install

has() { # each of these
    local f
    for f in "$@"; do [ -s "$prefix/$f" ] || { echo "# not installed: $f" >&2; return 1; }; done
}
is "program, headers, examples, schemas, dissector, documents" has bin/talon include/talon/talon_sut.h include/talon/sut_client.h \
    include/talon/talon_rue.h include/talon/oracles/logic/logic.h share/talon/falcon.lua share/talon/scenarios/schema/results.json \
    share/talon/scenarios/profiles/core.json share/talon/editors/vscode/package.json share/talon/editors/vscode/schemas/scenario.json \
    share/talon/editors/vim/syntax/talonpackets.vim share/talon/editors/emacs/talon.el share/doc/talon/README.md share/doc/talon/docs/formats.md \
    share/doc/talon/docs/images/report.png share/doc/talon/docs/examples/l1/l1_adapter.py share/doc/talon/docs/ci/gitlab-ci.yml
is "pages of formats" has share/man/man5/talon-{formats,scenario,results,capture,timeline,sut-protocol}.5

finds_its_suite() { (cd "$dir" && "$prefix/bin/talon" run --profile smoke >"$dir/out" 2>&1) && [ "$("$prefix/bin/talon" list scenarios | wc -l)" -gt 100 ]; }
is "the installed program runs the installed suite" finds_its_suite

# ---- man pages ----
page_each_verb() {
    local verb
    for verb in $("$talon" --complete '' | cut -f1 | grep -v '^-' | grep -vx help) logic-check logic-tap check-roce; do
        has "share/man/man1/talon-$verb.1" || return 1
    done
    has share/man/man1/talon.1
}
is "a page for each verb" page_each_verb

# names_each_option PAGE COMMAND...: the page has every option of the help.
names_each_option() {
    local page=$1
    shift
    "$talon" "$@" --help | grep -oE '^  --[a-z-]+' | tr -d ' ' | sort -u >"$dir/options"
    mandoc -Tascii "$prefix/share/man/man1/$page.1" | col -b >"$dir/page"
    grep -oE '^ +--[a-z-]+( |,|$)' "$dir/page" | tr -d ' ,' | sort -u >"$dir/in-page"
    comm -23 "$dir/options" "$dir/in-page" | sed "s/^/# $page lacks /" >"$dir/lacks"
    cat "$dir/lacks" >&2
    [ -s "$dir/options" ] && [ ! -s "$dir/lacks" ]
}
all_options() {
    local verb
    for verb in $("$talon" help man pages); do
        case $verb in
        logic-check | logic-tap) names_each_option "talon-$verb" logic "${verb#logic-}" || return 1 ;;
        check-roce) names_each_option talon-check-roce check --protocol roce || return 1 ;;
        *) names_each_option "talon-$verb" "$verb" || return 1 ;;
        esac
    done
}
is "a page has every option" all_options
quiet() { # command...: it prints nothing
    "$@" >"$dir/said" 2>&1
    [ ! -s "$dir/said" ] || { head -n 5 "$dir/said" | sed 's/^/# /' >&2; false; }
}
by_mandoc() { mandoc -Tlint -W warning "$prefix"/share/man/man?/*; }
by_man() { # some cost a second
    local f
    : >"$dir/warnings"
    for f in "$prefix"/share/man/man1/talon{,-run,-logic-check,-history}.1 "$prefix"/share/man/man5/talon-{results,timeline,sut-protocol}.5; do
        LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$f" 2>>"$dir/warnings" >/dev/null
    done
    cat "$dir/warnings"
}
is "mandoc -Tlint has no warning" quiet by_mandoc
is "man --warnings has none" quiet by_man
apropos_line() { mandoc -Tascii "$prefix/share/man/man1/talon-decode.1" | col -b | grep -qE 'talon-decode - print the packets of a capture'; }
is "the line that apropos shows" apropos_line
no_chapter() { ! "$BUILD/man_gen" x y docs/formats.md 'No such chapter' >"$dir/out" 2>"$dir/err" && grep -q "no chapter 'No such chapter'" "$dir/err"; }
is "a page of a chapter that is gone is an error" no_chapter
refused_page() { ! "$talon" help man nothing >"$dir/out" 2>"$dir/err" && grep -q "no man page 'nothing'" "$dir/err"; }
is "so is a page of no verb" refused_page

# ---- completion ----
# offers WORD... -- COMMAND...: the program offers each of the words.
offers() {
    local -a words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    "$talon" --complete "$@" | cut -f1 >"$dir/offers"
    local word
    for word in "${words[@]}"; do grep -qxF -- "$word" "$dir/offers" || { echo "# $*: no offer $word" >&2; return 1; }; done
}
is "requirements, rules, faults, twins, scenarios and words to explain" offers FTP-9.1.6-03 R7 own-never-set eack-always \
    push-target tester -- explain ''
each_list() {
    local list
    for list in $("$talon" --complete list '' | cut -f1); do "$talon" list "$list" >/dev/null || return 1; done
    offers cases words -- list ''
}
is "every list that is offered is there" each_list
is "the words of a choice" offers text json -- check --format ''
is "options of another table" offers --sut -- check --protocol roce --
is "links of a SUT" offers builtin udp: builtin:twin= -- run --sut ''
is "names of files" offers :files -- run --out ''
no_offer() { quiet "$talon" --complete "$@"; }
is "nothing for an unknown verb" no_offer nothing --
is "nothing for a number" no_offer run --seed ''
for shell in bash zsh fish; do # each on a terminal; they mostly wait
    python3 tests/complete.py $shell "$prefix" >"$dir/$shell" 2>&1 &
    eval "pid_$shell=$!"
done
completes() {
    local pid=pid_$1
    wait "${!pid}" || { grep -v '^ok' "$dir/$1" | sed 's/^/# /' >&2; false; }
}
for shell in bash zsh fish; do is "$shell completes" completes $shell; done

# ---- what the build needs, by release ----
names() { TALON_RELEASE=$1 .ci/install-deps ci >"$dir/names" && grep -qx "$2" "$dir/names" && grep -qx libsqlite3-dev "$dir/names"; }
is "names of Debian 12" names debian-12 libclang-rt-14-dev
is "names of Debian 13" names debian-13 libclang-rt-19-dev
ubuntu() { names ubuntu-24.04 libclang-rt-18-dev && ! grep -q chromium "$dir/names"; }
is "names of Ubuntu 24.04" ubuntu
is "a dry run installs nothing" .ci/install-deps --dry-run build

# ---- removal ----
touch "$prefix/share/talon/mine"
uninstalled() {
    make -s BUILD="$BUILD" DESTDIR="$dir/root" PREFIX=/usr uninstall || return 1
    [ "$(find "$dir/root" ! -type d)" = "$prefix/share/talon/mine" ] && [ -z "$(find "$prefix" -path '*talon*' -type d ! -path "$prefix/share/talon")" ]
}
is "make uninstall removes it all, and no file that is not Talon's" uninstalled
done_testing
