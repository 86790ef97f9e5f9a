# SPDX-License-Identifier: Apache-2.0
"""libtalon for Python, by ctypes. It needs Python 3.9 and nothing else.

    from libtalon import Judge, Setup

    with Judge(Setup("--sut", "10.0.0.2")) as judge:
        judge.frames([(1_000, frame_bytes), (2_000, other_bytes)])
        judge.end()
        for finding in judge.findings():
            print(finding.rule, finding.requirement, finding.frames)

As a program it judges a capture: libtalon.py FILE [OPTION OF TALON CHECK...]. The environment
variable LIBTALON names the library, if it is not where the system looks."""
from __future__ import annotations

import ctypes
import enum
import json
import os
import sys
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence


class Verdict(enum.IntEnum):
    NONE = 0
    PASS = 1
    WARN = 2
    INCONCLUSIVE = 3
    FAIL = 4
    ERROR = 5


@dataclass(frozen=True)
class Finding:
    """A violation that a rule found; talon.h says more of each member."""

    verdict: Verdict
    asked: bool
    unsure: bool
    rule: str
    title: str
    requirement: Optional[str]
    requirement_text: Optional[str]
    party: str
    connection: int
    time_ns: int
    expected: str
    seen: str
    frames: tuple[int, ...]


class TalonError(Exception):
    """What a function of the library could not do; `code` is one of enum talon_status."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


# ---- the structures of talon.h ----


class _Error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1020)]


class _Frame(Structure):
    _fields_ = [
        ("time_ns", c_uint64),
        ("bytes", c_char_p),
        ("captured", c_uint32),
        ("length", c_uint32),
        ("linktype", c_uint32),
        ("interface", c_uint32),
        ("drops", c_uint32),
        ("reserved", c_uint32),
    ]


class _Finding(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("flags", c_uint32),
        ("rule", c_char_p),
        ("title", c_char_p),
        ("requirement", c_char_p),
        ("requirement_text", c_char_p),
        ("party", c_char_p),
        ("connection", c_uint32),
        ("time_ns", c_uint64),
        ("expected", c_char_p),
        ("seen", c_char_p),
        ("frames", POINTER(c_uint64)),
        ("num_frames", c_size_t),
    ]


_FindingFn = ctypes.CFUNCTYPE(None, c_void_p, POINTER(_Finding))
_ProgressFn = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_uint64, c_uint64)
_WriteFn = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class _JudgeOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("finding", _FindingFn),
        ("finding_ctx", c_void_p),
        ("progress", _ProgressFn),
        ("progress_ctx", c_void_p),
        ("interfaces", c_uint32),
    ]


def _load() -> ctypes.CDLL:
    lib = ctypes.CDLL(os.environ.get("LIBTALON", "libtalon.so.0"))
    err = POINTER(_Error)
    words = [POINTER(c_char_p), c_size_t, err]
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "talon_version": (c_char_p, []),
        "talon_setup_new": (c_void_p, words),
        "talon_setup_free": (None, [c_void_p]),
        "talon_judge_new": (c_void_p, [c_void_p, POINTER(_JudgeOptions), err]),
        "talon_judge_free": (None, [c_void_p]),
        "talon_judge_frames": (c_int, [c_void_p, POINTER(_Frame), c_size_t, err]),
        "talon_judge_missed": (None, [c_void_p, c_uint64]),
        "talon_judge_event": (c_int, [c_void_p, c_char_p, c_size_t, err]),
        "talon_judge_file": (c_int, [c_void_p, c_char_p, err]),
        "talon_judge_end": (c_int, [c_void_p, err]),
        "talon_judge_verdict": (c_int, [c_void_p]),
        "talon_judge_finding": (POINTER(_Finding), [c_void_p, c_size_t]),
        "talon_judge_report": (c_int, [c_void_p, c_int, _WriteFn, c_void_p]),
        "talon_codec_new": (c_void_p, words),
        "talon_codec_free": (None, [c_void_p]),
        "talon_decode_json": (c_int, [c_void_p, POINTER(_Frame), c_uint64, POINTER(c_void_p), err]),
        "talon_encode": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(_Frame), err]),
        "talon_free": (None, [c_void_p]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


_lib = _load()


def version() -> str:
    return str(_lib.talon_version().decode())


def _words(words: Sequence[str]) -> Any:
    return (c_char_p * (len(words) + 1))(*[word.encode() for word in words])


def _check(code: int, err: _Error) -> None:
    if code != 0:
        raise TalonError(code, err.text.decode(errors="replace"))


def _text(value: Optional[bytes]) -> Optional[str]:
    return value.decode() if value is not None else None


def _finding(f: _Finding) -> Finding:
    return Finding(
        verdict=Verdict(f.verdict),
        asked=bool(f.flags & 1),
        unsure=bool(f.flags & 2),
        rule=f.rule.decode(),
        title=f.title.decode(),
        requirement=_text(f.requirement),
        requirement_text=_text(f.requirement_text),
        party=f.party.decode(),
        connection=f.connection,
        time_ns=f.time_ns,
        expected=f.expected.decode(),
        seen=f.seen.decode(),
        frames=tuple(f.frames[: f.num_frames]),
    )


# ---- the objects ----


class Setup:
    """Settings of judges: options of `talon check` as words."""

    def __init__(self, *words: str) -> None:
        err = _Error()
        self.handle: Optional[int] = _lib.talon_setup_new(_words(words), len(words), byref(err))
        if not self.handle:
            _check(err.code, err)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            _lib.talon_setup_free(self.handle)
            self.handle = None


class Judge:
    """Judges frames, events or files. Use it in one thread at a time."""

    def __init__(self, setup: Optional[Setup] = None, found: Optional[Callable[[Finding], None]] = None) -> None:
        err = _Error()
        self._setup = setup  # it must live as long
        options = _JudgeOptions(size=ctypes.sizeof(_JudgeOptions))
        if found is not None:
            told = found
            self._callback = _FindingFn(lambda _, finding: told(_finding(finding.contents)))
            options.finding = self._callback
        self.handle: Optional[int] = _lib.talon_judge_new(setup.handle if setup else None, byref(options), byref(err))
        if not self.handle:
            _check(err.code, err)

    def frames(self, frames: Iterable[tuple[int, bytes]], linktype: int = 1) -> None:
        """Judges frames, each a time in nanoseconds and its bytes."""
        batch = [_Frame(time_ns=t, bytes=data, captured=len(data), linktype=linktype) for t, data in frames]
        err = _Error()
        _check(_lib.talon_judge_frames(self.handle, (_Frame * len(batch))(*batch), len(batch), byref(err)), err)

    def missed(self, frames: int) -> None:
        """So many frames were missed so far."""
        _lib.talon_judge_missed(self.handle, frames)

    def event(self, event: dict[str, Any]) -> None:
        """Takes a line of talon/ulp/1 or talon/timeline/1; the first one has the schema."""
        line = json.dumps(event).encode()
        err = _Error()
        _check(_lib.talon_judge_event(self.handle, line, len(line), byref(err)), err)

    def file(self, path: str) -> None:
        err = _Error()
        _check(_lib.talon_judge_file(self.handle, os.fsencode(path), byref(err)), err)

    def end(self) -> None:
        err = _Error()
        _check(_lib.talon_judge_end(self.handle, byref(err)), err)

    def verdict(self) -> Verdict:
        return Verdict(_lib.talon_judge_verdict(self.handle))

    def findings(self) -> Iterator[Finding]:
        i = 0
        while finding := _lib.talon_judge_finding(self.handle, i):
            yield _finding(finding.contents)
            i += 1

    def report(self) -> dict[str, Any]:
        """The report of `talon check --format json`."""
        parts: list[bytes] = []

        def write(_: Any, data: int, length: int) -> int:
            parts.append(ctypes.string_at(data, length))
            return 0

        err = _Error(text=b"the report cannot be written")
        _check(_lib.talon_judge_report(self.handle, 1, _WriteFn(write), None), err)
        report: dict[str, Any] = json.loads(b"".join(parts))
        return report

    def close(self) -> None:
        if getattr(self, "handle", None):
            _lib.talon_judge_free(self.handle)
            self.handle = None

    __del__ = close

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


class Codec:
    """Decodes and encodes frames; options as words, such as "--psp-keys", FILE."""

    def __init__(self, *words: str) -> None:
        err = _Error()
        self.handle: Optional[int] = _lib.talon_codec_new(_words(words), len(words), byref(err))
        if not self.handle:
            _check(err.code, err)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            _lib.talon_codec_free(self.handle)
            self.handle = None

    def decode(self, data: bytes, time_ns: int = 0, linktype: int = 1) -> dict[str, Any]:
        """A frame as `talon decode --format json` prints it."""
        frame = _Frame(time_ns=time_ns, bytes=data, captured=len(data), linktype=linktype)
        text = c_void_p()
        err = _Error()
        _check(_lib.talon_decode_json(self.handle, byref(frame), 1, byref(text), byref(err)), err)
        try:
            packet: dict[str, Any] = json.loads(ctypes.string_at(text.value or 0))
            return packet
        finally:
            _lib.talon_free(text)

    def encode(self, line: str) -> tuple[int, bytes]:
        """The time and the bytes of a line that `talon encode` takes."""
        out = ctypes.create_string_buffer(262144)
        frame = _Frame()
        err = _Error()
        _check(_lib.talon_encode(self.handle, line.encode(), out, len(out), byref(frame), byref(err)), err)
        return frame.time_ns, out.raw[: frame.captured]


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: libtalon.py FILE [OPTION OF TALON CHECK...]", file=sys.stderr)
        return 2
    try:
        with Judge(Setup(*sys.argv[2:])) as judge:
            judge.file(sys.argv[1])
            judge.end()
            for finding in judge.findings():
                frames = " ".join(map(str, finding.frames))
                print(f"{finding.rule} violated by {finding.party}, frames {frames}: expected {finding.expected}, seen {finding.seen}")
            print(judge.verdict().name.lower())
            return 1 if judge.verdict() is Verdict.FAIL else 0
    except TalonError as err:
        print(f"libtalon.py: {err}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
