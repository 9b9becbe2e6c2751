"""The thesis' claims about AWARE (TH 4.6), as quantities that are positive where a claim holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from hungjury.base.records import Record
from hungjury.judges.weights import ESTIMATORS
from hungjury.studies.claims import Claim, Quantity, least, mean_of_all, most
from hungjury.studies.combining import BASELINES
from hungjury.studies.gold import TupleStudy

EM = ("em-mv", "em-neu")
BEST_ORDER = ("sgl_tau_msd", "sgl_apc_msd", "tpc_apc_msd", "sgl_tau_md")
BEST_SCORES = ("sgl_rmse_med", "tpc_rmse_med", "tpc_fro_med", "sgl_fro_med", "sgl_kld_md")
HARMFUL = 16  # judges after whom more are harmful for scores by mv; EM never gains
ORDER, SCORES = "order of systems", "scores"


class Approaches(Record, eq=False):
    """Means of approaches over sizes and measures; larger is better.

    estimators, others: the studies that have the estimators, and the other approaches.
    """

    estimators: TupleStudy
    others: TupleStudy

    @property
    def sizes(self) -> list[int]:
        return self.others.sizes

    @property
    def measures(self) -> list[str]:
        return self.others.measures

    @cached_property
    def _largest(self) -> Mapping[str, float]:
        """RMSE of the measures is divided by its largest value, as in the analyses of variance."""
        return {m: max(r.rmse for r in self.others.rows if r.measure == m) for m in self.measures}

    def of(
        self, what: str, approach: str, measure: str | None = None, size: int | None = None
    ) -> Quantity:
        """tau_ap, or RMSE with its sign changed."""
        study = self.estimators if "_" in approach else self.others
        sizes = self.sizes if size is None else [size]
        each = []
        for name in self.measures if measure is None else [measure]:
            found = study.quantity(what, name, approach, sizes)
            if what == "rmse":
                scale = -1 / self._largest[name]
                found = Quantity(found.value * scale, found.draws * scale)
            each.append(found)
        return mean_of_all(each)

    def all_of(self, what: str, approaches: Iterable[str]) -> list[Quantity]:
        return [self.of(what, one) for one in approaches]

    def level(self, what: str, part: str, *levels: str) -> Quantity:
        """The mean over estimators with one of these levels of a part."""
        mine = [n for n, one in ESTIMATORS.items() if getattr(one, part) in levels]
        return mean_of_all(self.all_of(what, mine))


def aware_claims(found: Approaches, votes: Iterable[str] = ()) -> list[Claim]:
    """All claims; votes: weights that weigh votes too."""
    return [*_of_order(found), *_of_scores(found), *_of_votes(found, votes)]


def _claim(text: str, case: str, measured: str, quantity: Quantity) -> Claim:
    return Claim(text, case, measured, quantity, "tuples, topics")


def _of_order(found: Approaches) -> list[Claim]:
    def of(approach: str) -> Quantity:
        return found.of("tau_ap", approach)

    estimators = dict(zip(ESTIMATORS, found.all_of("tau_ap", ESTIMATORS), strict=True))
    em, mv, uni = most(*map(of, EM)), of("mv"), of("uni")
    worst = estimators["sgl_rmse_msd"]
    rest = [one for name, one in estimators.items() if name != "sgl_rmse_msd"]
    best = [estimators[name] for name in BEST_ORDER]
    others = [one for name, one in estimators.items() if name not in BEST_ORDER]
    return [
        _claim("Estimators are better than mv and EM", ORDER,
               "mean of the 30 - the best of mv, em-mv and em-neu",
               mean_of_all(estimators.values()) - most(em, mv)),
        _claim("Every estimator is better than EM", ORDER, "the worst of the 30 - the better EM",
               least(*estimators.values()) - em),
        _claim("mv is the best of mv and EM", ORDER, "mv - the better EM", mv - em),
        _claim("uni is better than mv", ORDER, "uni - mv", uni - mv),
        _claim("sgl_rmse_msd is the worst estimator", ORDER, "the worst of the others - it",
               least(*rest) - worst),
        _claim(f"{', '.join(BEST_ORDER)} are the best", ORDER, "their worst - the best other",
               least(*best) - most(*others)),
        *_of_more_judges(found),
        *_of_measures(found),
        _claim("apc and tau are the best gaps", ORDER, "their mean - that of the others",
               found.level("tau_ap", "gap", "apc", "tau")
               - found.level("tau_ap", "gap", "kld", "fro", "rmse")),
        _claim("med and md are better weights than msd", ORDER, "the worse of both - msd",
               least(*(found.level("tau_ap", "weight", w) for w in ("med", "md")))
               - found.level("tau_ap", "weight", "msd")),
    ]  # fmt: skip


def _of_more_judges(found: Approaches) -> list[Claim]:
    few, many = found.sizes[0], found.sizes[-1]
    return [
        _claim("More judges are better", f"{approach}, order", f"{many} judges - {few}",
               found.of("tau_ap", approach, size=many) - found.of("tau_ap", approach, size=few))
        for approach in ("uni", "sgl_tau_msd", *BASELINES)
    ]  # fmt: skip


def _of_measures(found: Approaches) -> list[Claim]:
    """AP against the measures of the first ranks, where they were studied."""
    first, *top = found.measures

    def drop(approach: str, measure: str) -> Quantity:
        return found.of("tau_ap", approach, first) - found.of("tau_ap", approach, measure)

    harder = [
        _claim(f"{measure} is harder than {first}", ORDER, f"{first} - {measure}, all approaches",
               mean_of_all(drop(a, measure) for a in ("uni", *ESTIMATORS, *BASELINES)))
        for measure in top
    ]  # fmt: skip
    more = [
        _claim("mv and EM lose more than uni by going to it", measure,
               f"{first} - {measure}: the least loss of mv and EM - that of uni",
               least(*(drop(a, measure) for a in BASELINES)) - drop("uni", measure))
        for measure in top if measure.startswith("ERR")
    ]  # fmt: skip
    return harder + more


def _of_scores(found: Approaches) -> list[Claim]:
    def of(approach: str) -> Quantity:
        return found.of("rmse", approach)

    best = found.all_of("rmse", BEST_SCORES)
    others = found.all_of("rmse", (name for name in ESTIMATORS if name not in BEST_SCORES))
    weights = {w: found.level("rmse", "weight", w) for w in ("md", "msd", "med")}
    few, many = found.sizes[0], found.sizes[-1]
    until = max(size for size in found.sizes if size <= HARMFUL or size == few)
    return [
        _claim("uni is better than mv and EM", SCORES, "RMSE of the best of the three - uni",
               of("uni") - most(*map(of, BASELINES))),
        _claim(f"{', '.join(BEST_SCORES)} are the best", SCORES, "the best other - their worst",
               least(*best) - most(*others)),
        _claim("kld and fro are the best gaps", SCORES, "mean of the others - theirs",
               found.level("rmse", "gap", "kld", "fro")
               - found.level("rmse", "gap", "rmse", "tau", "apc")),
        _claim("med is the best weight", SCORES, "the better of md and msd - med",
               weights["med"] - most(weights["md"], weights["msd"])),
        *(
            _claim("More judges are better", f"{approach}, scores", f"{few} judges - {up_to}",
                   found.of("rmse", approach, size=up_to) - found.of("rmse", approach, size=few))
            for approach, up_to in (("uni", many), ("sgl_tau_msd", many), ("mv", until))
        ),
    ]  # fmt: skip


def _of_votes(found: Approaches, votes: Iterable[str]) -> list[Claim]:
    """The next step of the authors: weighing votes instead of measures."""
    claims = []
    for weights in votes:
        for what, case in (("tau_ap", ORDER), ("rmse", SCORES)):
            weighed = found.of(what, f"votes({weights})")
            claims += [
                _claim(f"Votes weighted by {weights} are better than votes", case,
                       "weighted votes - mv", weighed - found.of(what, "mv")),
                _claim(f"Measures weighted by {weights} are better than votes so weighted", case,
                       "AWARE - weighted votes", found.of(what, weights) - weighed),
            ]  # fmt: skip
    return claims
