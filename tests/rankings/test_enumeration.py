"""Every ranking there is: counted, spelled, found again, and scored as if it had been read from a file."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.axioms.enumerated_scores import full_scores, tree_scores, visible_part
from irassay.metrics.decorators import metric as new_metric
from irassay.metrics.grammar import parse
from irassay.metrics.metric import METRICS, Metric
from irassay.parallel import context
from irassay.rankings.batch import Rankings
from irassay.rankings.enumeration import EMPTY, Space, string_blocks

SPACES = [
    Space.of(1, 4),
    Space.of(2, 3),
    Space.of(3, 3),
    Space.of(4, 2),
    Space.of(1, 3, grades=2),
    Space.of(2, 2, grades=2),
    Space.of(2, 3, multi_aspect=True),
    Space.of(2, 2, grades=2, multi_aspect=True),
]


@pytest.mark.parametrize("space", SPACES, ids=lambda s: f"{s.aspects}-{s.depth}-{s.q}")
def test_every_string_once_shortest_first(space: Space) -> None:
    expected = [letters for n in range(space.depth + 1) for letters in itertools.product(range(space.q), repeat=n)]
    assert space.size == len(expected)
    assert [space.decoded(i) for i in range(space.size)] == expected
    blocks = list(string_blocks(space, rows=7))
    assert np.concatenate([block.index for block in blocks]).tolist() == list(range(space.size))
    assert [tuple(row) for block in blocks for row in block.letters.tolist()] == expected
    assert [space.index(space.text(i)) for i in range(space.size)] == list(range(space.size))


@pytest.mark.parametrize(("aspects", "depth"), [(1, 10), (2, 10), (3, 6), (4, 5)])
def test_as_many_as_the_paper_says(aspects: int, depth: int) -> None:
    assert Space.of(aspects, depth).size == ((aspects + 1) ** (depth + 1) - 1) // aspects


def test_neighbours_are_found_by_counting() -> None:
    space = Space.of(2, 5)
    strings = space.strings(4)
    texts = [space.text(i) for i in strings.index]
    assert [space.text(i) for i in strings.then(1)] == [text + "b" for text in texts]
    assert [space.text(i) for i in strings.put(1, 2)] == [text[0] + "x" + text[2:] for text in texts]
    assert [space.text(i) for i in strings.exchanged(0, 3)] == [t[3] + t[1:3] + t[0] for t in texts]
    assert strings.below(0, 1).tolist() == [t[0] == "x" and t[1] != "x" for t in texts]
    assert strings.covered.tolist() == [["a" in t, "b" in t] for t in texts]


def test_strings_deeper_than_int64_counts() -> None:
    space = Space.of(2, 60)
    letters = np.random.default_rng(0).integers(3, size=(3, 60)).astype(np.int8)
    strings = space.strings_from_letters(letters)
    assert [space.decoded(i) for i in strings.index] == [tuple(row) for row in letters.tolist()]
    swapped = [space.decoded(i) for i in strings.exchanged(2, 50)]
    assert swapped[0][2] == letters[0, 50] and swapped[0][50] == letters[0, 2]


def test_a_batch_holds_what_the_strings_say() -> None:
    space = Space.of(2, 3, pool=1)
    r = space.strings(3).rankings()
    row = space.index("aab") - space.first(3)
    assert r.retrieved.tolist() == [3] * 27
    assert r.grade[row].tolist() == [1, 0, 1]  # one document about a was judged, so the second is not
    assert r.judged[row].tolist() == [True, False, True]
    assert r.aspects[row].tolist() == [[1, 0], [0, 0], [0, 1]]
    assert r.turns.tolist() == [1] * 27 and r.turn.tolist() == [[1, 1, 1]]
    assert {"aspects", "turns", "weights"} <= r.carries
    assert r.pool.size.tolist() == [1 + 1 + 3]


def test_the_empty_ranking_has_no_results() -> None:
    r = Space.of(2, 3).strings(0).rankings()
    assert len(r) == 1 and r.retrieved.tolist() == [0] and not r.judged.any()
    assert Space.of(2, 3).text(0) == EMPTY


def test_grades_and_several_aspects_a_document() -> None:
    graded = Space.of(1, 2, grades=2)
    assert graded.letters == ("0", "1", "2") and graded.max_grade == 2
    assert graded.strings(2).rankings().grade[graded.index("2,1") - graded.first(2)].tolist() == [2, 1]
    both = Space.of(2, 2, multi_aspect=True)
    assert both.letters == ("a", "b", "ab", "x")
    row = both.index("ab,a") - both.first(2)
    assert both.strings(2).rankings().aspects[row].tolist() == [[1, 1], [1, 0]]
    assert both.worse[both.letters.index("a")].tolist() == [False, False, True, False]


def test_weights_become_shares() -> None:
    space = Space.of(2, 2, weights=(7, 3))
    assert space.weights == pytest.approx((0.7, 0.3)) and not space.even
    assert space.pool.weights.tolist() == [[0.7, 0.3]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": (0.5,)}, "one for each aspect"),
        ({"weights": (1.0, 0.0)}, "above 0"),
    ],
)
def test_bad_spaces_are_refused_in_words(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Space.of(**options)  # type: ignore[arg-type]


def test_a_letter_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="letter 'c'"):
        Space.of(2, 3).index("abc")


@pytest.mark.parametrize("text", ["P@3", "AP", "nDCG@5", "RBP(p=0.6)", "INST", "ERR@2", "RR", "bpref", "Rprec"])
def test_scores_are_those_of_the_same_grades_from_elsewhere(text: str) -> None:
    space, asked = Space.of(1, 5), parse(text)
    scores = tree_scores(asked, space)
    for index in (1, 2, 13, 40, 62):
        grades = [[1, 0][letter] for letter in space.decoded(index)]
        by_hand = Rankings.of(grades, best=[1] * 5 + [0] * 5, max_grade=1)
        assert scores[index] == pytest.approx(asked.score(by_hand)[0], abs=1e-12)


SHORTCUTS = ["P@3", "P", "AP@2", "nDCG", "RBP@2", "ERR", "alpha_nDCG@2", "StRecall@1", "sDCG", "CT", "ACT@1", "bpref"]
SHORTCUTS += ["Terminal(metric='alpha_nDCG')", "Terminal(metric='AP')@2", "AP(judged_only=True)@2", "IA(metric='P@2')"]


@pytest.mark.parametrize("text", SHORTCUTS)
@pytest.mark.parametrize(
    "space",
    [Space.of(2, 4), Space.of(2, 4, pool=1), Space.of(2, 3, multi_aspect=True), Space.of(1, 4, grades=2)],
    ids=["plain", "small pool", "several aspects", "graded"],
)
def test_rankings_that_look_alike_are_scored_once_with_the_same_answer(text: str, space: Space) -> None:
    asked = parse(text)
    assert tree_scores(asked, space) == pytest.approx(full_scores([asked], space)[0], abs=1e-14)
    assert visible_part(asked, space).space.size <= space.size


@pytest.fixture
def careless() -> Iterator[Metric]:
    """A metric that looks at aspects without saying that it needs them."""

    @new_metric("Careless", takes={})
    def Careless(r: Rankings) -> np.ndarray:  # noqa: N802
        """Counts results about the second aspect."""
        return (r.aspects[:, :, -1] > 0).sum(axis=1) / 10

    yield METRICS["Careless"]
    del METRICS["Careless"]


def test_a_shortcut_that_would_lie_is_not_taken(careless: Metric) -> None:
    space = Space.of(2, 4)
    assert visible_part(careless, space).space.size < space.size
    assert tree_scores(careless, space).tolist() == full_scores([careless], space)[0].tolist()


def test_any_number_of_jobs_gives_the_same_scores() -> None:
    space, asked = Space.of(2, 9), parse("alpha_nDCG")
    with context(jobs=1):
        one = tree_scores(asked, space)
    with context(jobs=3):
        three = tree_scores(asked, space)
    assert one.tolist() == three.tolist()
