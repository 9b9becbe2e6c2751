"""Reference pages, made from the catalogues and the public names."""

from __future__ import annotations

from pathlib import Path

from hungjury.data.open_scales import SCALINGS
from hungjury.judges.merge import MERGES
from hungjury.judges.weights import ESTIMATORS, GAPS, WEIGHTS
from site_tools.commands import command_pages
from site_tools.measures import measure_pages
from site_tools.names import name_pages
from site_tools.parts import parameter_table, sentences

MERGES_TEXT = """\
# Merges

A merge makes one label of a document out of the labels that several judges gave it. Write its
name where `hj.merge`, `hungjury merge` or a leaderboard asks for one, with parameters in
brackets: `qbinmv(k=10)`. [How to merge labels](../how-to/merge-labels.md) says which to choose;
[decisions](../decisions.md) tells how ties and missing labels are treated.
"""

SCALINGS_TEXT = """\
# Scalings

A scaling makes probabilities of relevance out of labels on an open scale, such as magnitude
estimates. Write its name where `hj.read_qrels`, `hj.read_judgments` or `--scaling` asks for one,
with parameters in brackets: `geometric(by=topic)`. In the formulas x is a label. All of them rise
with the label. [Score with probabilities](../how-to/soft-labels.md) says which to choose.
"""

WEIGHTS_TEXT = """\
# AWARE weights

AWARE scores systems with each judge's labels and takes a weighted mean of the scores. The weights
say how far each judge counts. An estimator's name has three parts, `GRANULARITY_GAP_WEIGHT`, such
as `sgl_tau_msd`; all combinations are listed below. [How to use AWARE](../how-to/aware.md) says
when.
"""


def write_all(folder: Path) -> None:
    """Write the generated pages, leave unchanged ones alone, and remove those of old names."""
    made = {
        "merges": merges_page(),
        "scalings": scalings_page(),
        "aware-weights": weights_page(),
    }
    groups = {"measures": measure_pages(), "commands": command_pages(), "python": name_pages()}
    for group, pages in groups.items():
        made |= {f"{group}/{name}": text for name, text in pages.items()}
        for old in (folder / group).glob("*.md"):
            if old.stem not in pages:
                old.unlink()
    for name, text in made.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def merges_page() -> str:
    lines = [MERGES_TEXT]
    for cls in MERGES:
        lines += [f"## {cls.name}", "", sentences(cls), "", *parameter_table(cls), ""]
    lines += [
        "## crowd-kit's",
        "",
        "Any aggregator object of crowd-kit can be given as method from Python, where that package",
        "is installed: `hj.merge(judgments, GLAD())`.",
    ]
    return "\n".join(lines) + "\n"


def scalings_page() -> str:
    lines = [SCALINGS_TEXT]
    for cls in SCALINGS:
        lines += [f"## {cls.name}", "", sentences(cls), "", *parameter_table(cls), ""]
    return "\n".join(lines) + "\n"


def weights_page() -> str:
    lines = [WEIGHTS_TEXT]
    for cls in WEIGHTS:
        title = "Estimators" if cls.name == "estimator" else cls.name
        lines += [f"## {title}", "", sentences(cls), "", *parameter_table(cls), ""]
        if title == "Estimators":
            lines += ["| gap | closeness of two judges, 1 for equal scores |", "|---|---|"]
            lines += [f"| `{name}` | {sentences(one)} |" for name, one in GAPS.items()]
            lines += ["", "Names: " + ", ".join(f"`{name}`" for name in ESTIMATORS) + ".", ""]
    return "\n".join(lines) + "\n"
