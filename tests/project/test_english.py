"""Plain English in the package and the docs: phrases that readers stumble over do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "hungjury"

# Each is a habit with a plainer way to say it, which stands beside it.
PHRASES = {
    r"\bso that\b": "so, which, or two sentences",
    r"\bin the place of\b": "instead of",
    r"\bis off from another\b": "differs from another",
    r"\bby gold \d+ %": "and gold 43 %",
    r"\bhave not the same\b": "have different",
    r"\bholds? (a|an|the|one|two|all|no|any|only|what|every|each|its|their|several|many|\d+)\b": (
        "contains"
    ),
    r"\bcannot stand\b|\bstands? (in|here|for|at|on|beside|under|over|out|there|alone|twice)\b": (
        "is, is in, appears"
    ),
    r"\bcheck how it was made\b": "check the command that produced it",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bbelongs? to no\b": "unexpected",
    r"\bchoose rel from 1 to 1\b": "labels are binary; rel must be 1",
    r"\b[Ww]here the draws come from\b": "random seed",
    r"\bTwo systems have to differ by\b": "smallest detectable difference",
    r"\bwhich it has not\b": "not supported",
    r"\bno cheap mean\b": "does not support",
    r"\ba test walks the imports\b": "a test enforces it",
    r"\bjudges more, which\b": "more judges (see ...)",
    r"\bbrought to the cache while\b": "prefetch",
    r"\bwho leaves is no error\b": "ignore",
    r"\bare no whole numbers\b": "are not whole numbers",
    r"(?<!here )\bis no (?!longer|more|less|better|worse|smaller|larger|need\b|way\b)": (
        "is not a"
    ),
    r"\btells? of\b": "describes, reports",
    r"\bbehind @": "after @",
    r"\bfrom [01] on\b": "at least 0",
    r"\b(stopping|invariant|stationary|normal|binomial) laws?\b": "distribution",
    r"\bheld against\b": "compared with",
    r"\bmakes? up a collection\b": "simulates",
}
PATTERNS = {re.compile(re.sub(r"(?<!here) ", " +", one)): two for one, two in PHRASES.items()}
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
    for pattern, advice in PATTERNS.items():
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
