"""play.py SOCKET-A SOCKET-B [PATTERN]: plays the programs of programs.py between the adapters at two Unix sockets, and
prints TAP without numbers. A program whose name is in DIFFERENCES must fail in the way that is written there: soft RoCE
does it so, and docs/verbs-adapter.md says what that is."""
import re
import sys
import time

from adapter import Adapter
from programs import Bench, End, programs

# program: text that its error has
DIFFERENCES = {
    "v15 too-long": "status of wr_id 2: got 11, expected 9",
    "v15 dead-entry": "status of wr_id 1: got 2, expected 4",
    "v19 too-long": "a datagram of 4097 bytes: success",
    "v24 told": "inv of wr_id 2: got None",
}

ADDRESSES = ("[fe80::ff:fe00:1]:4791", "[fe80::ff:fe00:2]:4791")
BOOTS = 600.0  # seconds that the guest may take to boot on a busy machine


def report(good, name, lines=()):
    for line in lines:
        print("# %s" % line)
    print("%s - %s" % ("ok" if good else "not ok", name), flush=True)
    return good


def judge(name, error):
    """Whether the program ended as it should; and what to print of it."""
    known = DIFFERENCES.get(name)
    if known is None:
        return error is None, [] if error is None else [error]
    if error is None:
        return False, ["soft RoCE is listed as different here, and is not"]
    return known in error, ["as listed: " + error if known in error else error]


def main():
    start = time.monotonic()
    adapters = [Adapter(path) for path in sys.argv[1:3]]
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    boots = "the guest boots, and both adapters say hello"
    try:
        hellos = [adapter.do("hello", version=1, tester="guest", timeout=BOOTS) for adapter in adapters]
    except (EOFError, OSError) as error:
        report(False, boots, ["%s: %s" % (type(error).__name__, error)])
        return 1
    if not report(all(h.get("upper") == ["verbs"] for h in hellos), boots,
                  ["after %.1f s" % (time.monotonic() - start)]):
        return 1
    ends = [End(adapter, address) for adapter, address in zip(adapters, reversed(ADDRESSES))]
    bad = 0
    start = time.monotonic()
    for name, program in programs():
        if not pattern.search(name):
            continue
        error = None
        try:
            program(Bench(*ends))
        except EOFError as gone:
            report(False, name, [str(gone)])
            return 1
        except Exception as wrong:  # a program's finding, or a mistake in it: both are said
            error = "%s: %s" % (type(wrong).__name__, wrong)
        good, lines = judge(name, error)
        bad += not report(good, name, lines)
    print("# programs took %.1f s" % (time.monotonic() - start))
    return bad > 0


sys.exit(main())
