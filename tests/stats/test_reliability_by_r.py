"""Dependent correlations and the size of topic sets, against what R says of them (tests/oracles/r/reliability.R)."""

from pathlib import Path

import numpy as np

from irassay.stats.compare_correlations import steiger, williams
from irassay.stats.power import topics_for_anova, topics_for_t, topics_for_width
from tests.support.compared import agrees


def rows(oracles: Path, kind: str) -> list[list[float]]:
    lines = (oracles / "r/reliability.tsv").read_text().splitlines()
    return [[float(word) for word in line.split("\t")[1:]] for line in lines if line.startswith(f"{kind}\t")]


def test_williams_is_that_of_psych_and_steiger_that_of_the_paper(oracles: Path) -> None:
    found = rows(oracles, "correlations")
    assert len(found) == 40
    for n, r12, r13, r23, t, p, z, p_of_z in found:
        three = np.array(r12), np.array(r13), np.array(r23)
        ours, p_ours = williams(*three, int(n))
        assert agrees("r", abs(float(ours)), abs(t), 1e-9)  # psych leaves out the sign
        assert agrees("r", float(p_ours), p, 1e-9)
        assert np.sign(ours) == np.sign(r12 - r13)
        for value, by_r in zip(steiger(*three, int(n)), (z, p_of_z), strict=True):
            assert agrees("r", value, by_r, 1e-9)


def test_topics_for_t_anova_and_width_are_those_of_r(oracles: Path) -> None:
    found = {kind: rows(oracles, kind) for kind in ("t", "anova", "width")}
    assert [len(each) for each in found.values()] == [36, 108, 12]
    for difference, residual, alpha, power, topics in found["t"]:
        assert agrees("r", topics_for_t(difference, residual, alpha=alpha, power=power), topics)
    for difference, residual, systems, alpha, power, topics in found["anova"]:
        assert agrees("r", topics_for_anova(difference, residual, int(systems), alpha=alpha, power=power), topics)
    for width, residual, alpha, topics in found["width"]:
        assert agrees("r", topics_for_width(width, residual, alpha=alpha), topics)
