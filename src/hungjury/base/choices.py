"""The words that arguments and options choose from; the default comes first.

Functions are annotated with these types and check their arguments against them; the command line
offers the same words.
"""

from __future__ import annotations

from typing import Literal

# Reading
Duplicates = Literal["error", "first", "last", "max"]
Outside = Literal["error", "clip", "missing"]
Missing = Literal["error", "drop"]
ToolLayout = Literal[
    "promptfoo", "inspect", "opensearch", "labelstudio", "argilla", "prodigy", "umbrela"
]
Repeats = Literal["error", "mean", "majority"]
Ties = Literal["trec", "input", "expected"]
ScorePrecision = Literal["double", "single"]
SystemNames = Literal["tag", "stem"]
OddJudge = Literal["copycat", "constant", "lazy", "reversed", "coder"]

# Scoring
Undefined = Literal["zero", "nan", "drop"]
Unjudged = Literal["nonrelevant", "condensed"]
ScoredTopics = Literal["judged", "retrieved"]
CurveBy = Literal["recall", "rank"]
RecallLevels = Literal["exact", "trec"]
FrameBackend = Literal["pandas", "polars"]
RankCorrelation = Literal["tau", "tau_ap"]

# Comparing systems
SignificanceTest = Literal[
    "t", "wilcoxon", "randomisation", "bootstrap", "tukey", "randomised-tukey"
]
Multiplicity = Literal["holm", "bonferroni", "bh", "none"]
Marks = Literal["dagger", "letters", "none"]
ComparisonTable = Literal["full", "compact"]

# Pictures
ScoresPicture = Literal["topics", "ranking", "scatter", "bump", "distribution", "heat-map"]
ComparisonPicture = Literal["differences", "topics"]
BoardPicture = Literal["intervals", "pairs"]
ScoreBoardPicture = Literal["intervals", "pairs", "collections"]
AgreementPicture = Literal["kappa", "agreement", "tau", "tau_ap", "rankings", "bump"]
GoldPicture = Literal["kappa", "reliability", "errors"]
PanelPicture = Literal[AgreementPicture, GoldPicture]
MergePicture = Literal["judges"]
PlotWidth = Literal["column", "page"]

# Judges and leaderboards
Scope = Literal["topic", "all"]
Prior = Literal["ranks", "flat"]
Orientation = Literal["dissimilarity", "printed"]
Target = Literal["population", "topics"]
Contrary = Literal["drop", "keep"]
Pooling = Literal["shrink", "separate"]
PlanDesign = Literal["influence", "uniform", "topics", "depth"]
GoldDesign = Literal["plan", "random", "topics"]
GoldEstimate = Literal["combined", "direct"]

# Users and rankers
Pages = Literal["all", "moves"]
RatesBy = Literal["class", "query"]
ClickEngine = Literal["duckdb", "spark"]
LabelKind = Literal["grades", "probabilities"]
Objective = Literal["nmcg", "ndcg", "lambdarank", "xgap", "egap"]

# Theory
OrderOf = Literal["rank", "set"]
OrderScale = Literal["ordinal", "ratio"]
ListOrder = Literal["rank", "set", "top"]
SimulatedLabels = Literal["fixed", "independent"]
MissingScores = Literal["error", "drop", "zero"]
RepeatedScores = Literal["error", "first", "last", "mean"]
