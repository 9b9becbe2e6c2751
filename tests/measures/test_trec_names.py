"""Measures by the names of trec_eval."""

import pytest

import hungjury as hj
from builders.paths import SHARED
from hungjury.base.errors import HungjuryError, UnknownName
from hungjury.measures.catalogue import measure_list, trec_name

TREC_DATA = SHARED / "trec_eval"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("num_q", ["NumQ"]),
        ("num_ret", ["NumRet"]),
        ("num_rel", ["NumRel"]),
        ("num_rel_ret", ["NumRelRet"]),
        ("num_nonrel_judged_ret", ["NumNonrelJudgedRet"]),
        ("map", ["AP"]),
        ("gm_map", ["GMAP"]),
        ("Rprec", ["Rprec"]),
        ("bpref", ["Bpref"]),
        ("recip_rank", ["RR"]),
        ("infAP", ["infAP"]),
        ("11pt_avg", ["IPrec11"]),
        ("ndcg", ["nDCG"]),
        ("ndcg.1=3.5,2=9.0", ["nDCG(gains={1: 3.5, 2: 9})"]),
        ("set_P", ["SetP"]),
        ("set_recall", ["SetR"]),
        ("set_F", ["SetF"]),
        ("set_F.0.5", ["SetF(beta=0.5)"]),
        ("ndcg_cut.10", ["nDCG@10"]),
        ("ndcg_cut_10", ["nDCG@10"]),
        ("map_cut_100", ["AP@100"]),
        ("map_cut.5,100", ["AP@5", "AP@100"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("P_5", ["P@5"]),
        ("recall_1000", ["R@1000"]),
        ("success_5", ["Success@5"]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("iprec_at_recall_0.10", ["IPrec@0.1"]),
        ("iprec_at_recall.0.10,.5", ["IPrec@0.1", "IPrec@0.5"]),
    ],
)
def test_the_names_of_trec_eval(text, ours):
    assert [str(m) for m in measure_list(text)] == ours


def test_plain_cut_names_mean_trec_evals_own_cuts():
    cuts = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    for theirs, ours in (("P", "P"), ("recall", "R"), ("ndcg_cut", "nDCG"), ("map_cut", "AP")):
        assert [str(m) for m in measure_list(theirs)] == [f"{ours}@{k}" for k in cuts]
    levels = measure_list("iprec_at_recall")
    assert [m.recall for m in levels] == [i / 10 for i in range(11)]


def test_the_sets_of_trec_eval():
    official = [trec_name(m) for m in measure_list("official")]
    assert official[:9] == ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map",
                            "Rprec", "bpref", "recip_rank"]  # fmt: skip
    assert official[9:20] == [f"iprec_at_recall_{i / 10:.2f}" for i in range(11)]
    assert official[20:] == [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    everything = [trec_name(m) for m in measure_list("all_trec")]
    assert len(set(everything)) == len(everything)
    assert set(official) < set(everything)


def test_trec_names_go_there_and_back():
    for one in measure_list("all_trec"):
        assert trec_name(one) != str(one) or one.name in ("Rprec", "infAP")
        assert hj.measure(trec_name(one)) == one
    assert trec_name(hj.measure("IPrec@0.125")) != "iprec_at_recall_0.12"
    for name in ("AP(rel=2)", "GMAP@5", "RBP(p=0.9)", "nDCG(base=2)@10", "R", "Judged@10"):
        assert trec_name(hj.measure(name)) == name


@pytest.mark.skipif(not TREC_DATA.exists(), reason="../shared/data/trec_eval is not here")
def test_every_name_that_trec_eval_prints_is_known_or_refused_by_name():
    lines = (TREC_DATA / "out.test.aq").read_text().splitlines()
    printed = [line.split()[0] for line in lines if line.split()[1] == "all"]
    known = []
    for name in printed:
        try:
            known.append(trec_name(hj.measure(name)))
        except UnknownName as error:
            assert f"trec_eval's '{name}' is not available" in str(error)  # noqa: PT017
    assert known == [trec_name(m) for m in measure_list("all_trec")]


@pytest.mark.parametrize(
    "text",
    ["gm_bpref", "Rprec_mult", "Rprec_mult_0.20", "utility", "utility.1,-1,0,0", "binG", "G",
     "ndcg_rel", "Rndcg", "relative_P_5", "relative_P.5,10", "set_relative_P", "set_map",
     "relstring", "relstring.20", "rbp", "rbp.0.8", "rbp_resid", "unj_10", "prefs_simp",
     "prefs_pair_ret", "prefs_num_prefs_poss", "map_avgjg", "P_avgjg.5", "yaap", "runid"],
)  # fmt: skip
def test_trec_eval_measures_we_do_not_have_are_refused_by_name(text):
    with pytest.raises(UnknownName, match="trec_eval's") as caught:
        hj.measure(text)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["official", "P.5,10", "P", "success"])
def test_a_name_for_several_measures_is_not_one_measure(text):
    with pytest.raises(HungjuryError) as caught:
        hj.measure(text)
    assert caught.value.remedy
    assert "unknown measure" not in str(caught.value)  # there are several
