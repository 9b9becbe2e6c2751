"""Plain English in the package and the docs: phrases that readers stumble over do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "hungjury"

# Each is a habit with a plainer way to say it, which stands beside it.
PHRASES = {
    r"so that\b": "so, which, or two sentences",
    r"in the place of\b": "instead of",
    r"is off from another\b": "differs from another",
    r"by gold \d+ %": "and gold 43 %",
    r"have not the same\b": "have different",
    r"holds? (a|an|the|one|two|all|no|any|only|what|every|each|its|their|several|many|\d+)\b": (
        "contains"
    ),
    r"cannot stand\b|\bstands? (in|here|for|at|on|beside|under|over|out|there|alone|twice)\b": (
        "is, is in, appears"
    ),
    r"check how it was made\b": "check the command that produced it",
    r"mend(s|ed|ing)?\b": "fix",
    r"belongs? to no\b": "unexpected",
    r"choose rel from 1 to 1\b": "labels are binary; rel must be 1",
    r"[Ww]here the draws come from\b": "random seed",
    r"Two systems have to differ by\b": "smallest detectable difference",
    r"which it has not\b": "not supported",
    r"no cheap mean\b": "does not support",
    r"a test walks the imports\b": "a test enforces it",
    r"judges more, which\b": "more judges (see ...)",
    r"brought to the cache while\b": "prefetch",
    r"who leaves is no error\b": "ignore",
    r"are no whole numbers\b": "are not whole numbers",
    r"(?<!here )is no (?!longer|more|less|better|worse|smaller|larger|need\b|way\b)": ("is not a"),
    r"tells? of\b": "describes, reports",
    r"behind @": "after @",
    r"from [01] on\b": "at least 0",
    r"(stopping|invariant|stationary|normal|binomial) laws?\b": "distribution",
    r"held against\b": "compared with",
    r"makes? up a collection\b": "simulates",
}
BLANKS = {re.sub(r"(?<!here) ", " +", one): two for one, two in PHRASES.items()}
PATTERNS = {re.compile(rf"\b(?:{one})"): two for one, two in BLANKS.items()}
ANY = re.compile(rf"\b(?:{'|'.join(BLANKS)})")  # most texts have none, which is seen at once
DOCSTRINGS = re.compile(r"(Those|That|What|Who|Whose|Where|Whether|How) ")


def texts():
    """Every text that people read: (path, its lines)."""
    skipped = {"_build", "_extra", "_static"}
    for folder, endings in ((PACKAGE, (".py", ".pyi", ".html", ".js", ".h", ".cpp")),
                            (ROOT / "docs", (".md", ".py", ".ipynb"))):  # fmt: skip
        for path in sorted(folder.rglob("*")):
            inside = not skipped & set(path.relative_to(folder).parts)
            if path.suffix in endings and inside:
                yield path, path.read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"):
        if (ROOT / name).exists():
            yield ROOT / name, (ROOT / name).read_text(encoding="utf-8")


def phrases_in(text):
    """(line, phrase, advice) of every unwanted phrase, also where a line break is inside it."""
    flat = re.sub(r"\s", " ", re.sub(r"\n\s*(#|//|\*)\s", lambda f: " " * len(f[0]), text))
    for pattern, advice in PATTERNS.items() if ANY.search(flat) else ():
        for found in pattern.finditer(flat):
            line = text.count("\n", 0, found.start()) + 1
            yield line, found[0], advice


def test_no_phrase_that_readers_stumble_over():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r} (write: {advice})"
        for path, text in texts()
        for line, phrase, advice in phrases_in(text)
    ]
    assert not found, "\n".join(found)


def test_docstrings_start_with_what_is_done():
    """A function's docstring starts with a verb, not with a noun phrase or a question."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        maybe = re.search(rf"[\"']\s*{DOCSTRINGS.pattern}", text)
        for node in ast.walk(ast.parse(text)) if maybe else ():
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                said = ast.get_docstring(node) or ""
                if DOCSTRINGS.match(said):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {said.splitlines()[0]}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    ["It is read once, so that\n    nothing is lost.", "# so\n# that", "it holds the labels",
     "a seed from 0 on", "Zero is no grade."],
)  # fmt: skip
def test_a_phrase_is_seen(text):
    assert list(phrases_in(text))
