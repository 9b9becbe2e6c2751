"""What measures have in common and where they differ, from first principles."""

from hungjury.theory.axioms import AxiomReport, Counterexample, check_axioms
from hungjury.theory.balancing import balancing_curve, balancing_index
from hungjury.theory.catalogue_table import AxiomRow, axiom_markdown, axiom_table
from hungjury.theory.figures import (
    BalancingCurves,
    SignificanceCurve,
    balancing_curves,
    plot_balancing_curves,
    plot_significance_curve,
    significance_curve,
)
from hungjury.theory.ordering import Comparison, Step, compare_lists

__all__ = [
    "AxiomReport",
    "AxiomRow",
    "BalancingCurves",
    "Comparison",
    "Counterexample",
    "SignificanceCurve",
    "Step",
    "axiom_markdown",
    "axiom_table",
    "balancing_curve",
    "balancing_curves",
    "balancing_index",
    "check_axioms",
    "compare_lists",
    "plot_balancing_curves",
    "plot_significance_curve",
    "significance_curve",
]
