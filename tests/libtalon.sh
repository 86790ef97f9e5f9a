#!/bin/bash
# lane: works
# libtalon (docs/libtalon.md): what is installed is enough to compile and run the examples, shared and static; frames and
# lines that are handed in are judged as `talon check` judges their file, for every sample capture and for the timelines and
# captures of a run; and `talon check` itself needs no other header to judge. TAP.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
equal=$BUILD/tests/lib_equal
tree=$dir/tree
keys=(--psp-keys tests/data/psp-keys.json --esp-keys tests/data/esp-keys.json)
samples=(tests/data/*.pcap tests/data/captures/*.pcap tests/data/captures/*.pcapng)
export LD_LIBRARY_PATH=$tree/usr/local/lib PKG_CONFIG_PATH=$tree/usr/local/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree
shown() { "$@" >"$dir/out" 2>&1 || { head -n 40 "$dir/out" | sed 's/^/# /'; false; }; }

installed() {
    shown make -s BUILD="$BUILD" DESTDIR="$tree" PREFIX=/usr/local install-lib || return 1
    (cd "$tree/usr/local" && find . -type f -o -type l) | sort >"$dir/files"
    diff "$dir/files" - <<'END'
./include/talon/talon.h
./lib/libtalon.a
./lib/libtalon.so
./lib/libtalon.so.0
./lib/pkgconfig/talon.pc
./share/talon/examples/libtalon/judge.c
./share/talon/examples/libtalon/libtalon.py
./share/talon/examples/libtalon/receive.c
END
}
interface() { # nothing else can be seen, in either library, and each function of the header is there
    local so=$tree/usr/local/lib/libtalon.so.0 a=$tree/usr/local/lib/libtalon.a
    grep -oE '\btalon_[a-z_]+\(' harness/lib/talon.h | tr -d '(' | grep -v '_fn$' | sort -u >"$dir/declared"
    nm -D --defined-only "$so" | awk '$3 != "LIBTALON_0" { print $3 }' | sed 's/@@LIBTALON_0$//' | grep -v '^LIBTALON_0$' | sort | diff "$dir/declared" - &&
        nm --defined-only "$a" | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort | diff "$dir/declared" - &&
        readelf -d "$so" | grep -q 'SONAME.*\[libtalon.so.0\]'
}
compiled() { # NAME, OPTIONS...: an example, from what is installed
    local name=$1
    shift
    # shellcheck disable=SC2046 # words
    shown "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -o "$dir/$name" "$tree/usr/local/share/talon/examples/libtalon/$name.c" $(pkg-config --cflags "$@" --libs talon) -lpcap
}
# shellcheck disable=SC2046 # words
for_cpp() { echo '#include <talon.h>' | shown "${CXX:-g++}" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ $(pkg-config --cflags talon) -; }
of_docs() { # the program of docs/libtalon.md is the example
    [ "$(awk '/^    #include <talon.h>/ { on = 1 } on && /^[^ ]/ { exit } on { sub(/^    /, ""); print }' docs/libtalon.md)" = \
        "$(sed -n '/^#include <talon.h>/,$p' docs/examples/libtalon/judge.c)" ]
}
judges() { # the statuses of docs/libtalon.md
    "$dir/judge" tests/data/sample.pcap >"$dir/out" && ! "$dir/judge" /nonexistent 2>"$dir/err" && grep -q '^judge: /nonexistent: ' "$dir/err"
}
statically() { # without the shared library
    # shellcheck disable=SC2046 # words
    shown "${CC:-cc}" -o "$dir/static" -Iharness/lib docs/examples/libtalon/judge.c "$tree/usr/local/lib/libtalon.a" $(sed -n 's/^Libs.private: //p' "$BUILD/lib/talon.pc") || return 1
    LD_LIBRARY_PATH='' "$dir/static" tests/data/sample.pcap | diff - <("$dir/judge" tests/data/sample.pcap)
}
checked() { "$talon" check --jobs 1 --format json "$@" 2>"$dir/err"; }
same_samples() { # the libraries get the same frames as the command reads; files of other traffic print nothing
    checked "${keys[@]}" "${samples[@]}" >"$dir/check"
    "$equal" "${samples[@]}" -- "${keys[@]}" >"$dir/lib" && cmp "$dir/check" "$dir/lib" && [ "$(grep -c '"schema"' "$dir/lib")" -ge 20 ]
}
same_received() { # the receive loop by the shared library, text
    local file
    for file in tests/data/field.pcap tests/data/sample.pcap tests/data/captures/{udp-4,bare,raw-ip-6}.pcap; do
        "$dir/receive" "$file" 2>/dev/null | diff <("$talon" check "$file" 2>/dev/null) - || return 1
    done
}
same_run() { # timelines, with the faults that make findings, and captures of the same run beside their timelines
    local case
    "$talon" run scenarios/9.2.2.4-sliding-window --sut builtin:fault=acks-unsent --keep all --out "$dir/run" >/dev/null 2>&1
    checked "$dir"/run/*/timeline.jsonl >"$dir/check"
    "$equal" "$dir"/run/*/timeline.jsonl >"$dir/lib" && cmp "$dir/check" "$dir/lib" && grep -q '"broken": [1-9]' "$dir/lib" || return 1
    for case in $(printf '%s\n' "$dir"/run/*/ | head -n "${CASES:-5}"); do
        [ -e "$case/packets.pcapng" ] || continue
        checked --ulp "$case/timeline.jsonl" "$case/packets.pcapng" >"$dir/check"
        "$equal" "$case/packets.pcapng" -- --ulp "$case/timeline.jsonl" >"$dir/lib" && cmp "$dir/check" "$dir/lib" || return 1
    done
}
same_events() { # of the upper layer, handed in between the frames
    "$talon" encode - --out "$dir/u.pcap" <<'END' || return 1
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@2us < back cid=0x222 dbase=101 rbase=200
@9us > push_data cid=0x111 psn=101 rsn=2 dbase=50 rbase=70 len=8 ar
@12us < back cid=0x222 dbase=102 rbase=200
END
    cat >"$dir/u.json" <<'END'
[{"name": "c", "sut": {"cid": 273, "address": "10.0.0.2", "req_psn": 70, "data_psn": 50, "rsn": 9},
  "tester": {"cid": 546, "address": "10.0.0.1", "req_psn": 200, "data_psn": 100, "rsn": 1}}]
END
    cat >"$dir/u.jsonl" <<'END'
{"schema": "talon/ulp/1", "ordered_events": true, "complete": true}
{"t_ns": 1000, "seq": 1, "event": "request", "conn": "c", "rsn": 1, "op": "push", "length": 8, "redelivery": false}
{"t_ns": 30000, "seq": 2, "event": "request", "cid": 273, "rsn": 2, "op": "push", "length": 8, "redelivery": false}
END
    checked --ulp "$dir/u.jsonl" --connections "$dir/u.json" "$dir/u.pcap" >"$dir/check"
    [ -s "$dir/err" ] && sed 's/^/# /' "$dir/err"
    "$equal" --ulp "$dir/u.jsonl" "$dir/u.pcap" -- --connections "$dir/u.json" >"$dir/lib" && cmp "$dir/check" "$dir/lib" &&
        grep -q '"ulp_events": 2' "$dir/lib"
}
python() { # the binding: file, frames, findings, codec
    LIBTALON=$tree/usr/local/lib/libtalon.so.0 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tree/usr/local/share/talon/examples/libtalon shown python3 - <<'END'
from libtalon import Codec, Judge, Setup, TalonError, Verdict, version

assert version()
codec = Codec()
frames = [codec.encode(f"@{i}us > push_data cid=0x111 psn={100 + i} rsn={1 + i} dbase=50 rbase=70 len=8") for i in range(3)]
frames.append(codec.encode("@9us > push_data cid=0x111 psn=103 rsn=4 dbase=50 rbase=70 len=8 version=7"))
packet = codec.decode(frames[0][1])
assert packet["falcon"]["psn"] == 100, packet
assert Codec().encode(str(packet).replace("'", '"').replace("True", "true").replace("False", "false").replace("None", "null"))[1] == frames[0][1]
told = []
with Judge(Setup("--only", "L1"), told.append) as judge:
    judge.frames(frames)
    judge.end()
    found = list(judge.findings())
    assert judge.verdict() is Verdict.FAIL and found == told, (found, told)
    assert [(f.rule, f.frames, f.requirement, f.party) for f in found] == [("L1", (4,), "FTP-7.2-02", "10.0.0.1")], found
    assert len(judge.report()["findings"]) == len(found)
for wrong in ("--no-such", "--param=rto=fast"):
    try:
        Setup(wrong)
    except TalonError as err:
        assert err.code == -4 and str(err), err
    else:
        raise AssertionError(wrong)
with Judge() as judge:
    judge.event({"schema": "talon/timeline/1"})
    try:
        judge.event({"event": "nothing"})
    except TalonError as err:
        assert "line 2" in str(err), err
END
}
program() { # the binding as a program
    LIBTALON=$BUILD/lib/libtalon.so.0 PYTHONDONTWRITEBYTECODE=1 shown python3 docs/examples/libtalon/libtalon.py tests/data/sample.pcap
}
alone() { # `talon check` judges with the installed header, and with nothing else of Talon's
    mkdir -p "$dir/alone/harness/lib" "$dir/alone/harness/cli/check"
    cp "$tree/usr/local/include/talon/talon.h" "$dir/alone/harness/lib"
    cp harness/cli/check/check_judge.h "$dir/alone/harness/cli/check"
    shown "${CC:-cc}" -std=c17 -D_GNU_SOURCE -I"$dir/alone" -Wall -Wextra -Werror -c -o "$dir/alone.o" harness/cli/check/check_judge.c &&
        ! nm -u "$dir/alone.o" | grep -E ' (fal|tl)_' && ! grep -nE 'talon_judge_new|tl_check_(start|capture|timeline)\b' harness/cli/cmd_check.c
}

is "make install-lib installs the libraries, the header, talon.pc and the examples" installed
is "both libraries show the functions of talon.h and nothing else" interface
is "the header is one of C++, too" for_cpp
is "the program of docs/libtalon.md is the example" of_docs
is "it has at most 40 lines" test "$(wc -l <docs/examples/libtalon/judge.c)" -le 40
is "it compiles from what is installed" compiled judge
is "and judges" judges
is "it links statically" statically
is "the receive loop compiles" compiled receive
is "every sample capture, frame by frame, is judged as by talon check" same_samples
is "so are those that the receive loop reads" same_received
is "so are timelines of a run, line by line, and its captures beside them" same_run
is "so are events of the upper layer between frames" same_events
is "the binding for Python" python
is "and as a program" program
is "talon check judges by the installed header alone" alone
done_testing
