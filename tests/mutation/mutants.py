# SPDX-License-Identifier: Apache-2.0
"""Mutants of C source: small changes of one place, found on tokens. The same source and the same
random numbers give the same mutants. Whether a mutant compiles is for the caller to see."""
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<number>0[xX][0-9a-fA-F]+\w*|\d+\w*)
    |(?P<word>[A-Za-z_]\w*)|(?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.X | re.S,
)
RELATIONS = {"<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
ARITHMETIC = {"+": "-", "-": "+", "++": "--", "--": "++", "+=": "-=", "-=": "+=", "&": "|", "|": "&", "|=": "&=", "&=": "|=", "<<": ">>", ">>": "<<"}
LOGIC = {"&&": "||", "||": "&&"}
# What stands for one of two: windows, sides, directions.
PAIRS = [("req", "data"), ("REQ", "DATA"), ("rx", "tx"), ("RX", "TX"), ("push", "pull"), ("PUSH", "PULL"), ("next", "base"), ("psn", "rsn"), ("min", "max"), ("true", "false"), ("BACK", "EACK"), ("initiated", "received"), ("ack", "rx")]
CONTROL = {"if", "while", "for", "switch", "return", "case", "break", "continue", "goto", "sizeof", "default", "do", "else"}
# Seams of the planted faults and variants are not the specification's; assertions change nothing.
LEFT_ALONE = re.compile(r"\bfal_(decide|proceed|filter|fault|twin|at_\w+)\b|\bassert\b|\bFAL_IGNORE\b|_Static_assert")


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "depth")

    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.end, self.line, self.depth = kind, text, start, start + len(text), line, 0


def tokens_of(source):
    out, line, at = [], 1, 0
    directive = set()
    for number, text in enumerate(source.split("\n"), 1):
        if text.lstrip().startswith("#"):
            directive.add(number)
    while at < len(source):
        m = TOKEN.match(source, at)
        if m is None:
            raise ValueError("line %d: cannot be read: %r" % (line, source[at : at + 20]))
        if m.lastgroup != "space" and line not in directive:
            out.append(Token(m.lastgroup, m.group(), at, line))
        line += m.group().count("\n")
        at = m.end()
    depth = 0
    for t in out:
        if t.text == "}":
            depth -= 1
        t.depth = depth
        if t.text == "{":
            depth += 1
    return out


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in "([{" and tokens[i].kind == "op":
            depth += 1
        elif tokens[i].text in ")]}" and tokens[i].kind == "op":
            depth -= 1
            if depth == 0:
                return i
    return None


def functions(tokens):
    """(name, return type's words, index of the opening brace, index of the closing one)."""
    i, start = 0, 0
    while i < len(tokens):
        t = tokens[i]
        if t.text == "{" and t.depth == 0:
            end = closing(tokens, i)
            head = tokens[start:i]
            if head and head[-1].text == ")":
                opens = next((k for k, h in enumerate(head) if h.text == "("), None)
                if opens is not None and opens > 0:
                    yield head[opens - 1].text, [h.text for h in head[: opens - 1]], i, end
            i = end
            start = end + 1
        elif t.text == ";" and t.depth == 0:
            start = i + 1
        i += 1


class Mutant:
    def __init__(self, path, line, kind, start, end, text):
        self.path, self.line, self.kind, self.start, self.end, self.text = path, line, kind, start, end, text

    def apply(self, source):
        return source[: self.start] + self.text + source[self.end :]


def _swapped(word):
    for a, b in PAIRS:
        for x, y in ((a, b), (b, a)):
            for part in re.finditer(r"(?:(?<=_)|^)%s(?=_|$)" % x, word):
                yield word[: part.start()] + y + word[part.end() :]


def _operators(path, body, add):
    for i, t in enumerate(body):
        before = body[i - 1] if i else None
        binary = before is not None and (before.kind in ("word", "number") and before.text not in CONTROL or before.text in ")]")
        if t.kind == "op" and binary and t.text in RELATIONS:
            for other in RELATIONS[t.text]:
                add("relation", t.line, t.start, t.end, other)
        if t.kind == "op" and t.text in LOGIC:
            add("logic", t.line, t.start, t.end, LOGIC[t.text])
        if t.kind == "op" and t.text in ARITHMETIC and (binary or t.text in ("++", "--")):
            add("arithmetic", t.line, t.start, t.end, ARITHMETIC[t.text])
        if t.text == "!" and t.kind == "op":
            add("negation", t.line, t.start, t.end, "")
        if t.kind == "number" and re.fullmatch(r"\d+", t.text):
            value = int(t.text)
            for other in sorted({value + 1, max(value - 1, 0), value * 2} - {value}):
                add("constant", t.line, t.start, t.end, str(other))
        if t.kind == "word" and re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", t.text) and i + 1 < len(body) and body[i + 1].text not in "(:":
            add("off-by-one", t.line, t.start, t.end, "(%s + 1)" % t.text)


def _conditions(path, body, source, add):
    for i, t in enumerate(body[:-1]):
        if t.text in ("if", "while") and body[i + 1].text == "(":
            end = closing(body, i + 1)
            inside = source[body[i + 1].end : body[end].start]
            if LEFT_ALONE.search(inside):
                continue
            add("condition", t.line, body[i + 1].end, body[end].start, "!(%s)" % inside)
            if t.text == "if":
                add("condition", t.line, body[i + 1].end, body[end].start, "1")
                add("condition", t.line, body[i + 1].end, body[end].start, "0")
    for i, t in enumerate(body[:-1]):
        following = body[i + 1]
        if t.kind == "op" and t.text in RELATIONS and following.kind == "word" and i + 2 < len(body) and body[i + 2].text in (")", "&&", "||", ";", "?"):
            for more in (" + 1", " - 1"):
                add("off-by-one", t.line, following.end, following.end, more)


def _identifiers(path, body, add):
    members = sorted({b.text for a, b in zip(body, body[1:]) if a.text in ("->", ".") and b.kind == "word"})
    for i, t in enumerate(body):
        if t.kind != "word" or t.text in CONTROL:
            continue
        for other in dict.fromkeys(_swapped(t.text)):
            add("identifier", t.line, t.start, t.end, other)
        if i and body[i - 1].text in ("->", "."):
            for other in members:
                if other != t.text and body[i + 1].text != "(":
                    add("member", t.line, t.start, t.end, other)
        if i + 1 < len(body) and body[i + 1].text == "(" and t.text not in CONTROL:
            end, commas, depth = closing(body, i + 1), [], 0
            for k in range(i + 2, end):
                depth += body[k].text in "([{"
                depth -= body[k].text in ")]}"
                if depth == 0 and body[k].text == ",":
                    commas.append(k)
            edges = [i + 1] + commas + [end]
            for k in range(len(edges) - 2):
                yield body[edges[k]].end, body[edges[k + 1]].start, body[edges[k + 1]].end, body[edges[k + 2]].start, t.line


def _statements(body, source, add):
    start = True
    for i, t in enumerate(body):
        if start and t.kind == "word" and t.text not in CONTROL:
            k = i
            while k < len(body) and body[k].text not in (";", "{", "}"):
                k += 1
            text = source[t.start : body[k].start] if k < len(body) else ""
            declares = re.match(r"(?:static |const |struct |enum |u?int\w* |bool |size_t |fal_u128 |char )", text + " ")
            if k < len(body) and body[k].text == ";" and not declares and re.search(r"[=(]|\+\+|--", text):
                add("statement", t.line, t.start, body[k].start, "")
        if start and t.text in ("break", "continue"):
            add("statement", t.line, t.start, t.end, "")
        start = t.text in (";", "{", "}", "else") or (t.text == ")" and i + 1 < len(body) and body[i + 1].kind == "word")


def _early_returns(name, kind, body, add):
    if not body:
        return
    values = [""] if kind[-1:] == ["void"] else ["NULL"] if kind[-1:] == ["*"] else [" true", " false"] if "bool" in kind else [" 0", " 1"]
    for value in values:
        add("return", body[0].line, body[0].start, body[0].start, "if (1) return %s; " % value.strip())
    depth = body[0].depth
    ends = [i for i, t in enumerate(body[:-1]) if t.text in (";", "}") and t.depth == depth]
    for i in ends[len(ends) // 2 : len(ends) // 2 + 1]:
        add("return", body[i + 1].line, body[i + 1].start, body[i + 1].start, "if (1) return %s; " % values[0].strip())


def sites(path, source):
    """All mutants of one file, in the order of the source."""
    tokens = tokens_of(source)
    lines = source.split("\n")
    found = []

    def add(kind, line, start, end, text):
        if not LEFT_ALONE.search(lines[line - 1]) and source[start:end] != text:
            found.append(Mutant(path, line, kind, start, end, text))

    for name, kind, first, last in functions(tokens):
        body = tokens[first + 1 : last]
        _operators(path, body, add)
        _conditions(path, body, source, add)
        for a, b, c, d, line in _identifiers(path, body, add):
            one, two = source[a:b].strip(), source[c:d].strip()
            if one and two and one != two:
                add("arguments", line, a, d, "%s, %s" % (two, one))
        _statements(body, source, add)
        _early_returns(name, kind, body, add)
    return found


class Draw:
    """Mutants in random order: first a kind, then a place, so that no kind is drowned by another."""

    def __init__(self, files, rng):
        self.rng, self.kinds = rng, {}
        for path, source in sorted(files.items()):
            for m in sites(path, source):
                self.kinds.setdefault(m.kind, []).append(m)

    def next(self):
        """None at the end."""
        names = sorted(k for k, left in self.kinds.items() if left)
        if not names:
            return None
        left = self.kinds[self.rng.choice(names)]
        return left.pop(self.rng.randrange(len(left)))
