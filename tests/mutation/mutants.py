# SPDX-License-Identifier: Apache-2.0
"""Mutants of C source: small changes of one place, found on tokens. The same source and the same
random numbers give the same mutants. Whether a mutant compiles is for the caller to see."""
import os
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
# Assertions change nothing.
LEFT_ALONE = re.compile(r"\bassert\b|\bFAL_IGNORE\b|_Static_assert")
# Seams of the planted faults and variants are not the specification's. The value that a seam decides about is.
SEAM = re.compile(r"fal_(decide|proceed|filter|remind|fault|faulty|twin|ep_conn_plain|at_\w+)")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)")


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "depth")

    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.end, self.line, self.depth = kind, text, start, start + len(text), line, 0


def libraries(root):
    """The libraries that talon is linked with, from the Makefile."""
    with open(os.path.join(root, "Makefile")) as makefile:
        return re.search(r"^LDLIBS *= *(.*)$", makefile.read(), re.M)[1].split()


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


def seams(tokens):
    """The parts of the source that belong to seams, as (start, end): whole calls, but not the value of fal_decide(conn,
    point, value, ...)."""
    out = []
    for i, t in enumerate(tokens[:-1]):
        if t.kind != "word" or not SEAM.fullmatch(t.text) or tokens[i + 1].text != "(":
            continue
        end, commas = closing(tokens, i + 1), commas_of(tokens, i + 1)
        if t.text != "fal_decide" or len(commas) < 2:
            out.append((t.start, tokens[end].end))
            continue
        after = commas[2] if len(commas) > 2 else end
        out += [(t.start, tokens[commas[1]].end), (tokens[after].start, tokens[end].end)]
    return out


def commas_of(tokens, opens):
    """The indices of the commas between the arguments of a call."""
    out, depth = [], 0
    for k in range(opens + 1, closing(tokens, opens)):
        depth += tokens[k].text in "([{"
        depth -= tokens[k].text in ")]}"
        if depth == 0 and tokens[k].text == ",":
            out.append(k)
    return out


def allowed(start, end, kept, source):
    """Whether a change of source[start:end] leaves the parts in `kept` as they are, or drops them along with other things."""
    rest, at = "", start
    for lo, hi in kept:
        if end <= lo or start >= hi:
            continue
        if not (start <= lo and hi <= end):
            return False
        rest += source[at:lo]
        at = max(at, hi)
    return at == start or re.search(r"\w", rest + source[at:end]) is not None


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


def function_at(source, place):
    """The name of the function whose body has this place, or None."""
    tokens = tokens_of(source)
    return next((name for name, _, first, last in functions(tokens) if tokens[first].start <= place < tokens[last].end), None)


class Mutant:
    def __init__(self, path, line, kind, start, end, text):
        self.path, self.line, self.kind, self.start, self.end, self.text = path, line, kind, start, end, text
        self.function = None  # that it changes; None: a macro or a table

    def apply(self, source):
        return source[: self.start] + self.text + source[self.end :]


def _swapped(word):
    for a, b in PAIRS:
        for x, y in ((a, b), (b, a)):
            for part in re.finditer(r"(?:(?<=_)|^)%s(?=_|$)" % x, word):
                yield word[: part.start()] + y + word[part.end() :]


def other_numbers(text):
    m = NUMBER.fullmatch(text)
    if m is None:
        return
    value = int(m.group(1), 0) if m.group(1)[:2].lower() == "0x" else int(m.group(1))
    for other in sorted({value + 1, max(value - 1, 0), value * 2} - {value}):
        yield str(other) + m.group(2)


def _constants(source, tokens, taken, add):
    """Numbers of macros and of tables at file scope."""
    line = 1
    for text in source.split("\n"):
        if re.match(r"#define [A-Z_0-9]+ ", text):
            begin = sum(len(x) + 1 for x in source.split("\n")[: line - 1])
            at = re.match(r"#define [A-Z_0-9]+ ", text).end()
            for m in re.finditer(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?!\w)", text):
                if m.start() >= at:
                    for other in other_numbers(m.group()):
                        add("constant", line, begin + m.start(), begin + m.end(), other)
        line += 1
    for t in tokens:
        if t.kind == "number" and not any(lo <= t.start < hi for lo, hi in taken):
            for other in other_numbers(t.text):
                add("constant", t.line, t.start, t.end, other)


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
        if t.kind == "number":
            for other in other_numbers(t.text):
                add("constant", t.line, t.start, t.end, other)
        if t.kind == "word" and re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", t.text) and i + 1 < len(body) and body[i + 1].text not in "(:":
            add("off-by-one", t.line, t.start, t.end, "(%s + 1)" % t.text)


ENDS = {",", ";", "?", ":", "&&", "||", "return", "=", "{", "}"}


def operands(body, i):
    """The first token of what stands to the left of the operator body[i], and the last one to its right."""
    first, depth = i - 1, 0
    while first >= 0:
        depth += body[first].text in ")]}"
        depth -= body[first].text in "([{"
        if depth < 0 or depth == 0 and body[first].text in ENDS:
            break
        first -= 1
    return first + 1, right_end(body, i + 1, ENDS)


def right_end(body, at, ends):
    depth = 0
    while at < len(body):
        if depth == 0 and (body[at].text in ")]}" or body[at].text in ends):
            break
        depth += body[at].text in "([{"
        depth -= body[at].text in ")]}"
        at += 1
    return at - 1


def alternatives(body, i):
    """Of the `?` at body[i]: the index of its colon, and of the last token after it. (None, None): a chain."""
    colon = right_end(body, i + 1, {"?", ":", ";"}) + 1
    if colon >= len(body) - 1 or body[colon].text != ":":
        return None, None
    last = right_end(body, colon + 1, {"?", ":", ";", ","})
    return (None, None) if last + 1 < len(body) and body[last + 1].text == "?" else (colon, last)


def _conditions(path, body, source, add):
    for i, t in enumerate(body[:-1]):
        if t.text in ("if", "while") and body[i + 1].text == "(":
            end = closing(body, i + 1)
            inside = source[body[i + 1].end : body[end].start]
            add("condition", t.line, body[i + 1].end, body[end].start, "!(%s)" % inside)
            if t.text == "if":
                add("condition", t.line, body[i + 1].end, body[end].start, "1")
                add("condition", t.line, body[i + 1].end, body[end].start, "0")
    for i, t in enumerate(body):
        if t.kind == "op" and t.text in LOGIC:
            first, last = operands(body, i)
            for a, b in ((first, i - 1), (i + 1, last)):
                add("condition", t.line, body[a].start, body[b].end, "1" if t.text == "&&" else "0")
        if t.text == "?":
            colon, last = alternatives(body, i)
            if colon is not None:
                one, two = source[body[i + 1].start : body[colon - 1].end], source[body[colon + 1].start : body[last].end]
                add("condition", t.line, body[i + 1].start, body[last].end, "%s : %s" % (two, one))
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
            edges = [i + 1] + commas_of(body, i + 1) + [closing(body, i + 1)]
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
    found, taken, kept = [], [], sorted(seams(tokens))

    def add(kind, line, start, end, text):
        if not LEFT_ALONE.search(lines[line - 1]) and source[start:end] != text and allowed(start, end, kept, source):
            found.append(Mutant(path, line, kind, start, end, text))

    for name, kind, first, last in functions(tokens):
        if SEAM.fullmatch(name):
            continue
        body = tokens[first + 1 : last]
        taken.append((tokens[first].start, tokens[last].end))
        before = len(found)
        _operators(path, body, add)
        _conditions(path, body, source, add)
        for a, b, c, d, line in _identifiers(path, body, add):
            one, two = source[a:b].strip(), source[c:d].strip()
            if one and two and one != two:
                add("arguments", line, a, d, "%s, %s" % (two, one))
        _statements(body, source, add)
        _early_returns(name, kind, body, add)
        for m in found[before:]:
            m.function = name
    if path.endswith(".c"):  # those of headers are sizes, which all objects share
        _constants(source, tokens, taken, add)
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
