"""Correlations, overlaps, resampling and tests: arrays in, numbers out."""

from hungjury.stats.bootstrap import bootstrap_means, percentile_interval, resample_counts
from hungjury.stats.correlation import (
    MARKS,
    kendall,
    kendall_cross,
    marks_reached,
    rmse,
    tau_ap,
    tau_ap_cross,
)
from hungjury.stats.multiple import benjamini_hochberg, bonferroni, holm
from hungjury.stats.overlap import rbo
from hungjury.stats.paired_sizes import (
    bootstrap_interval,
    cohens_d,
    randomisation_interval,
    rank_biserial,
    t_interval,
)
from hungjury.stats.paired_tests import (
    StudentisedBootstrap,
    bootstrap_test,
    randomisation_test,
    studentised_bootstrap,
    t_test,
    wilcoxon,
)
from hungjury.stats.tukey import RandomisedTukey, TukeyGroups, randomised_tukey, tukey_groups

__all__ = [
    "MARKS",
    "RandomisedTukey",
    "StudentisedBootstrap",
    "TukeyGroups",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_interval",
    "bootstrap_means",
    "bootstrap_test",
    "cohens_d",
    "holm",
    "kendall",
    "kendall_cross",
    "marks_reached",
    "percentile_interval",
    "randomisation_interval",
    "randomisation_test",
    "randomised_tukey",
    "rank_biserial",
    "rbo",
    "resample_counts",
    "rmse",
    "studentised_bootstrap",
    "t_interval",
    "t_test",
    "tau_ap",
    "tau_ap_cross",
    "tukey_groups",
    "wilcoxon",
]
