"""Stand-ins for a metric: chosen on one half of the topics, reported on the other."""

from dataclasses import replace

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.alternatives import CHOSEN_HALF, REPORTED_HALF, alternatives
from irassay.meta.discrimination import discrimination
from irassay.meta.similarity import similarity
from irassay.meta.split_taus import split_halves
from irassay.parallel import context
from irassay.scores import Scores
from irassay.views.view import view_of
from tests.support.collections import simulated


def candidates(seed: int = 0) -> Scores:
    """A noisy reference, the same with less noise, one that ranks otherwise, one that is constant."""
    rng = np.random.default_rng(seed)
    level = np.linspace(0.1, 0.9, 15)[:, None]
    noise = rng.standard_normal((15, 40))
    cube = [level + 0.15 * noise, level + 0.05 * noise, 1 - level + 0.01 * noise, np.full((15, 40), 0.5)]
    names = [tuple(f"s{i}" for i in range(15)), tuple(map(str, range(40)))]
    return Scores(np.stack(cube, axis=2), *names, ("reference", "quiet", "contrary", "flat"))


def test_the_quieter_twin_is_found_and_confirmed() -> None:
    found = alternatives(candidates(), reference="reference", trials=500, splits=100)
    assert found.chosen() == found.confirmed() == ["quiet"]
    assert (found.tau[:, 2] < 0).all() and found.constant.tolist() == [False, False, False, True]
    assert (found.powers[:, 1] > found.powers[:, 0]).all() and (found.consistency[:, 1] > found.consistency[:, 0]).all()
    assert (found.gain_low[:, 1] <= found.consistency[:, 1] - found.consistency[:, 0]).all()
    assert any("flat" in note for note in found.notes)


def test_each_half_is_what_the_other_methods_say_of_it() -> None:
    scores = candidates().with_sorted_topics()  # drawn by name
    found = alternatives(scores, reference="reference", trials=300, splits=50, seed=3)
    first = split_halves(40, 1, 3)[0]
    for half, mask in ((CHOSEN_HALF, first), (REPORTED_HALF, ~first)):
        part = scores.select(topics=[topic for topic, yes in zip(scores.topics, mask, strict=True) if yes])
        assert found.tau[half] == pytest.approx(similarity(part, subsets=5).tau[0], nan_ok=True)
        assert found.powers[half] == pytest.approx(discrimination(part, trials=300, seed=3).power())
    assert found.topics == (20, 20)


def test_what_is_gained_in_one_must_not_be_lost_in_the_other() -> None:
    found = alternatives(candidates(), reference="reference", trials=200, splits=30)
    halves, gain = np.ones((2, 1)), np.zeros((2, 4))
    told = {"tau": halves * [1, 1, 1, 1.0], "constant": np.zeros(4, dtype=bool), "gain_low": gain - 0.3}
    stronger = {"powers": halves * [0.5, 0.6, 0.6, 0.4], "consistency": halves * [0.8, 0.7, 0.7, 0.9]}
    made = replace(found, **told, **stronger, gain_high=halves * [0, -0.01, 0.1, 0.2])
    # More power but clearly less consistent; more power and perhaps as consistent; more consistent with less power.
    assert made.confirmed() == made.chosen() == ["contrary"]
    assert any("must not lie below 0" in note for note in view_of(made).notes)


def test_no_metric_is_similar_enough() -> None:
    assert alternatives(candidates(), reference="quiet", similar=1.0, trials=200, splits=20).confirmed() == []


def test_luck_on_one_half_is_not_confirmed() -> None:
    scores = simulated(10, 24, 30, seed=4)  # thirty metrics that differ by noise alone
    found = alternatives(scores, reference="m0", similar=0.5, test="t", splits=30)
    assert set(found.confirmed()) < set(found.chosen())
    (failed,) = (text for text in view_of(found).sentences if "only on the topics used to choose" in text)
    assert failed.startswith(next(name for name in found.chosen() if name not in found.confirmed()))


def test_the_same_answer_for_any_number_of_jobs() -> None:
    one = alternatives(candidates(), reference="reference", trials=200, splits=30)
    with context(jobs=2):
        two = alternatives(candidates(), reference="reference", trials=200, splits=30)
    assert (one.powers == two.powers).all() and (one.consistency[:, :3] == two.consistency[:, :3]).all()


def test_bad_requests_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="no metric MAP; they have reference"):
        alternatives(candidates(), reference="MAP")
    with pytest.raises(InputError, match="flat gives every system the same mean"):
        alternatives(candidates(), reference="flat", trials=50, splits=10)
    with pytest.raises(InputError, match="at least 8 topics"):
        alternatives(simulated(5, 6, 2), reference="m0")
    with pytest.raises(InputError, match="only metric"):
        alternatives(simulated(5, 12, 1), reference="m0")
    with pytest.raises(InputError, match="similar must be a number from -1 to 1; found 90"):
        alternatives(simulated(5, 12, 2), reference="m0", similar=90)
