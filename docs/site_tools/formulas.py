"""Formulas of the catalogue as MathML, which browsers typeset without further scripts."""

from __future__ import annotations

import re
from html import escape

TOKEN = re.compile(r"\s+|\d+(?:\.\d+)?|[A-Za-z]+\d*|[^\W\d_]|\.\.\.|\S", re.U)
WORD = re.compile(r"[A-Za-z]{2,}\d*$")
BELOW = {"Σ", "Π", "max", "min"}  # limits go below these, not beside them
SIGNS = {"-": "−", "Σ": "∑", "Π": "∏"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


def typeset(formula: str) -> str:
    """One formula as HTML, with the line that says what its own letters mean."""
    main, rest = _parts(formula)
    shown = f'<math display="block">{_row(TOKEN.findall(main))}</math>'
    if rest:
        shown += f'<p class="letters">{escape(rest)}</p>'
    return f'<div class="formula">{shown}</div>'


def _parts(formula: str) -> tuple[str, str]:
    """The formula and what is said about it: split at the first comma outside of brackets."""
    depth = 0
    for place, sign in enumerate(formula):
        depth += (sign in CLOSING) - (sign in CLOSING.values())
        if sign == "," and not depth:
            return formula[:place], formula[place + 1 :].strip()
    return formula, ""


def _row(tokens: list[str]) -> str:
    """Elements from left to right, each with what is below and above it."""
    out: list[str] = []
    while tokens:
        base = tokens[0]
        element = _element(tokens)
        if not element:
            continue
        low = high = ""
        while tokens and tokens[0] in "_^":
            sign = tokens.pop(0)
            part = _group(tokens, sign)
            low, high = (part, high) if sign == "_" else (low, part)
        out.append(_scripts(element, low, high, under=base in BELOW))
    return f"<mrow>{''.join(out)}</mrow>"


def _scripts(element: str, low: str, high: str, *, under: bool) -> str:
    if not low and not high:
        return element
    names = ("munder", "mover", "munderover") if under else ("msub", "msup", "msubsup")
    name = names[(bool(high) and not low) + 2 * bool(low and high)]
    return f"<{name}>{element}{low}{high}</{name}>"


def _element(tokens: list[str]) -> str:
    token = tokens.pop(0)
    if token.isspace():
        # A blank between two letters is a product, or a gap between words.
        return '<mspace width="0.25em"/>' if tokens else ""
    if token == "(" and (fraction := _fraction(tokens)):
        return fraction
    if token in CLOSING:
        inner = _row(_until(tokens, token))
        return f"<mrow><mo>{token}</mo>{inner}<mo>{CLOSING[token]}</mo></mrow>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token == "log2":
        return "<msub><mtext>log</mtext><mn>2</mn></msub>"
    if WORD.match(token):
        return f"<mtext>{token}</mtext>"
    if token.isalpha() and token not in "ΣΠ":
        return f"<mi>{token}</mi>"
    if re.fullmatch(r"[A-Za-z]\d+", token):  # R0
        return f"<msub><mi>{token[0]}</mi><mn>{token[1:]}</mn></msub>"
    close = ' lspace="0" rspace="0"' if token in "@#" else ""
    return f"<mo{close}>{escape(SIGNS.get(token, token))}</mo>"


def _fraction(tokens: list[str]) -> str:
    """(1/k) as a fraction, where both sides are one thing."""
    end = tokens.index(")") if ")" in tokens else 0
    inside = tokens[:end]
    if inside.count("/") != 1 or any(one.isspace() or one in CLOSING for one in inside):
        return ""
    del tokens[: end + 1]
    middle = inside.index("/")
    return f"<mfrac>{_row(inside[:middle])}{_row(inside[middle + 1 :])}</mfrac>"


def _group(tokens: list[str], sign: str) -> str:
    """What follows _ or ^: something in brackets, which are not shown, or one element.

    An exponent may have an index: 2^l_n is 2 to the power of l_n.
    """
    if tokens[0] in "({":
        return _row(_until(tokens, tokens.pop(0)))
    size = 3 if sign == "^" and tokens[1:2] == ["_"] else 1
    part = tokens[:size]
    del tokens[:size]
    return _row(part)


def _until(tokens: list[str], opening: str) -> list[str]:
    """The tokens up to the bracket that closes this one."""
    depth = 1
    for place, token in enumerate(tokens):
        depth += (token == opening) - (token == CLOSING[opening])
        if not depth:
            inside = tokens[:place]
            del tokens[: place + 1]
            return inside
    raise ValueError(f"no {CLOSING[opening]} in the formula")
