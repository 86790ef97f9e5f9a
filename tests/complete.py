#!/usr/bin/env python3
"""Types the beginning of a command and a tab into a shell on a terminal, as a person does, and
prints TAP: whether the shell completed it. Usage: complete.py SHELL PREFIX, where PREFIX is an
installation of Talon (make install), or / for the one of this machine."""
import os
import pty
import re
import select
import sys
import tempfile
import time

START_S, LINE_S = 120.0, 30.0  # at most; a busy machine takes its time

# Commands to the terminal, as fish 4 writes them also before the output of a command: strings such as a title, modes, sets.
ESCAPES = re.compile(r"\x1b\].*?(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>]|\r|\x07")

# What is typed, and what the shell makes of it. A line has one possible end, so that one tab does.
LINES = [
    ("a verb", "talon fu", "talon fuzz"),
    ("an option", "talon run --verb", "talon run --verbose"),
    ("an option of an action with its own table", "talon logic check --vanta", "talon logic check --vantage"),
    ("an action", "talon capture scr", "talon capture scrub"),
    ("a scenario", "talon run --id own-outlives-p", "talon run --id own-outlives-piggyback"),
    ("a fault", "talon run --sut builtin:fault=own-never-s", "talon run --sut builtin:fault=own-never-set"),
    ("a twin", "talon run --sut builtin:twin=eack-alw", "talon run --sut builtin:twin=eack-always"),
    ("a profile", "talon run --profile=cor", "talon run --profile=core"),
    ("a requirement", "talon run --requirement NVME-8.1.1", "talon run --requirement NVME-8.1.1-01"),
    ("a word to explain", "talon explain own-cleared-by-r", "talon explain own-cleared-by-rnr"),
    ("a file", "talon decode first_cap", "talon decode first_capture.pcap"),
]


def start(shell, prefix, folder):
    """A shell on a terminal of its own, with completion as its package installs it."""
    share = os.path.join(prefix, "share")
    env = {
        "PATH": os.path.join(prefix, "bin") + ":" + os.environ["PATH"],
        "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "> ", "COLUMNS": "200",
        "XDG_DATA_DIRS": share + ":/usr/share", "fish_greeting": "", "fish_features": "no-query-term",
    }
    if shell == "bash":
        with open(os.path.join(folder, "rc"), "w", encoding="ascii") as rc:
            rc.write(". %s/bash-completion/completions/talon\nPS1='> '\n" % share)
        command = ["bash", "--noprofile", "--rcfile", os.path.join(folder, "rc"), "-i"]
    elif shell == "zsh":
        places = [d for d in ("site-functions", "vendor-completions") if os.path.isdir(os.path.join(share, "zsh", d))]
        with open(os.path.join(folder, ".zshrc"), "w", encoding="ascii") as rc:
            rc.write("fpath=(%s $fpath)\nautoload -U compinit\ncompinit -u -d %s/dump\nPS1='> '\n"
                     % (" ".join(os.path.join(share, "zsh", d) for d in places), folder))
        command = ["zsh", "-i"]
    else:
        command = ["fish", "--no-config", "-i"]
        with open(os.path.join(folder, "rc"), "w", encoding="ascii") as rc:
            rc.write("source %s/fish/vendor_completions.d/talon.fish\n" % share)
        command += ["-C", "source " + os.path.join(folder, "rc")]
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, env)
    return pid, fd


def read_until(fd, pattern, seconds):
    """What the terminal shows until the pattern matches or the time is over; escape sequences are removed."""
    end, got = time.monotonic() + seconds, b""
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.05)[0]:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            got += piece
            if b"\x1b[c" in piece or b"\x1b[0c" in piece:  # fish asks which terminal this is
                os.write(fd, b"\x1b[?1;2c")
        text = ESCAPES.sub("", got.decode("utf-8", "replace"))
        if re.search(pattern, text):
            return text, True
    return text, False


def main():
    shell, prefix = sys.argv[1], os.path.abspath(sys.argv[2])
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "first_capture.pcap"), "wb").close()
        pid, fd = start(shell, prefix, folder)
        text, started = read_until(fd, r"[>#] *$", START_S)
        if not started:
            print("not ok 1 - %s: no prompt\n# %s" % (shell, text[-200:]))
            return 1
        for i, (what, typed, becomes) in enumerate(LINES, 1):
            # The keys home and end put `echo` before the line: what the shell prints then is compared, not how it draws.
            os.write(fd, typed.encode() + b"\t\x01echo '<'\x05'>'\n")
            pattern = r"\n< ?" + re.escape(becomes) + r" ?>"
            text, found = read_until(fd, pattern, LINE_S)
            bad += not found
            print("%s %d - %s: %s" % ("ok" if found else "not ok", i, shell, what))
            if not found:
                print("".join("# %s\n" % line for line in text.splitlines()[-20:]))
        os.write(fd, b"exit\n")
        os.close(fd)
        os.waitpid(pid, 0)
    print("1..%d" % len(LINES))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
