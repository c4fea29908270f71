"""Names of other tools: all that 0.1.0 understood, users' own, and what the index says of them."""

import pytest

import irassay as ia
from irassay.declarations import index, metric_entry
from irassay.errors import InputError
from irassay.metrics.aliases import REGISTERED, known_aliases
from irassay.metrics.grammar import parse
from irassay.metrics.metric import METRICS

# What 0.1.0 understood, by the metric that it stands for.
SPELLINGS = {
    "AP": "map MAP map_cut average_precision",
    "RR": "recip_rank MRR mrr reciprocal_rank",
    "nDCG": "ndcg NDCG ndcg_cut ndcg_at MSnDCG",
    "P": "set_P Precision SetP precision prec",
    "R": "set_recall Recall SetR recall",
    "Rprec": "RPrec r_precision r-precision R-precision R-prec",
    "bpref": "Bpref BPref",
    "Success": "success hit hit_rate HitRate hit-rate",
    "SetF": "F F1 f1",
    "SetAP": "set_map",
    "RelP": "set_relative_P relative_P SetRelP",
    "Hits": "hits",
    "NumQ": "num_q",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumNonrelRet": "num_nonrel_judged_ret",
    "Unj": "unj",
    "RBP_resid": "rbp_resid",
    "RprecMult": "Rprec_mult",
    "GMAP": "gm_map",
    "GMbpref": "gm_bpref",
    "eleven_pt_avg": "11pt_avg 11-pt_avg",
    "nDCG_rel": "ndcg_rel",
    "O": "O-measure O_measure",
    "P_measure": "P-measure",
    "P_plus": "P+ Pplus P-plus",
    "Compat": "compatibility",
    "alpha_DCG": "α_DCG alpha-DCG α-DCG",
    "alpha_nDCG": "α_nDCG alpha-nDCG α-nDCG",
    "AP_IA": "MAP_IA MAP-IA AP-IA",
    "P_IA": "P-IA",
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "StRecall": "strec I-rec",
    "D_nDCG": "D-nDCG",
    "D_Q": "D-Q",
    "Dsharp_nDCG": "D#-nDCG",
    "Dsharp_Q": "D#-Q",
}
WITH_PARAMETERS = {
    "iprec_at_recall": "IPrec(rounding='nearest')",
    "eleven_pt_avg": "AP11(rounding='nearest')",
    "11pt_avg": "AP11(rounding='nearest')",
    "11-pt_avg": "AP11(rounding='nearest')",
    "set_F": "SetF(dialect='trec_eval')",
    "dcg_burges": "DCG(gain='exp')",
    "ndcg_burges": "nDCG(gain='exp')",
    "NCUguP": "NCU(beta=0.0)",
    "NCUguBR": "NCU",
    "NCUrbP": "NCU(stop='rb',beta=0.0)",
    "NCUrbBR": "NCU(stop='rb')",
}


def test_every_name_that_was_understood_still_is() -> None:
    spelled = {other: name for name, others in SPELLINGS.items() for other in others.split()} | WITH_PARAMETERS
    for text, canonical in spelled.items():
        assert str(parse(text)) == canonical
        assert str(parse(f"{text}@7")) == f"{canonical}@7"


def test_aliases_are_those_of_the_index_and_of_the_declarations() -> None:
    declared = {
        (alias, metric.name)
        for metric in ia.catalogue().values()
        for alias in metric.declaration.all_aliases
        if alias != metric.name
    }
    assert {(alias, name) for alias, (name, _) in known_aliases().items()} == declared
    assert {"map", "map_cut"} == {*index()["metrics"]["AP"]["trec_eval"]}


def test_a_users_metric_has_names_and_domains_of_its_own() -> None:
    def own(r: ia.Rankings, weight: float = 0.5) -> object:
        """What the first result is worth."""
        return weight * r.gain[:, 0]

    try:
        ia.metric("FirstGain", aliases="first-gain first_gain", variants={"FullGain": {"weight": 1.0}})(own)
        assert str(parse("first-gain@3")) == "FirstGain@3" and str(parse("FullGain")) == "FirstGain(weight=1.0)"
        with pytest.raises(InputError, match="FirstGain: weight must be a number; found 'x'"):
            parse("FirstGain(weight='x')")
        with pytest.raises(InputError, match="SecondGain: the alias map already stands for AP"):
            ia.metric("SecondGain", aliases="map")(own)
        with pytest.raises(InputError, match="SecondGain: the alias first_gain already stands for FirstGain"):
            ia.metric("SecondGain", aliases="first_gain")(own)
        assert "SecondGain" not in METRICS
    finally:
        METRICS.pop("FirstGain", None)
        for alias in ("first-gain", "first_gain", "FullGain"):
            REGISTERED.pop(alias, None)


def test_the_index_has_what_a_form_needs_of_every_parameter() -> None:
    for name, metric in ia.catalogue().items():
        entry = metric_entry(name)
        known = {each["name"]: each for each in entry["parameters"]}
        assert entry["sentence"] == metric.declaration.summary and entry["cite"] == list(metric.declaration.cite)
        for key, parameter in metric.declaration.parameters.items():
            default = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            assert known[key]["default"] == default and known[key]["sentence"] == parameter.sentence
            assert known[key]["kind"] == parameter.domain.kind
