"""Phrases that several views share."""

from collections.abc import Sequence

from irassay.bibliography import cited_works, plain_text
from irassay.prose import listed
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import amounts_to

CORRECTIONS = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg, which is of the false discovery rate",
    "by": "the correction of Benjamini and Yekutieli, which is of the false discovery rate",
    "max-t": "the max-T correction",
}


def beside(close: int, others: int, by: str = "") -> str:
    """How many of the other metrics do not differ significantly from the best one, as the end of a sentence.

    >>> beside(0, 0), beside(1, 1), beside(2, 7)
    ('', '; the other metric does not differ significantly', '; 2 of 7 others do not differ significantly from it')
    """
    if not others:
        return ""
    if others == 1:
        return f"; the other metric {'does not differ' if close else 'differs'} significantly{by}"
    if not close:
        return f"; {'both' if others == 2 else f'all {others}'} others differ significantly from it{by}"
    if close == others:
        return f"; none of {others} others differs significantly from it{by}"
    return f"; {close} of {others} others {'does' if close == 1 else 'do'} not differ significantly from it{by}"


def test_in_words(test: PairTests, correction: str, pairs: int, alpha: float) -> str:
    """A test as a caption or a section on methods names it: with its correction, its family and its level."""
    sides = "two-sided" if test.alternative == "two-sided" else f"one-sided ({test.alternative})"
    name = f"{sides} {amounts_to(test.test, pairs).label}"
    if pairs == 1:
        return f"{name}, p < {alpha:g}"
    if correction != "none":
        how = f"with {CORRECTIONS.get(correction, correction)} for {pairs:,} comparisons"
    elif test.test.family:
        how = f"of all {pairs:,} comparisons together"
    else:
        how = f"without correction for {pairs:,} comparisons"
    return f"{name} {how}, p < {alpha:g}"


def among(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> among(["AP"]), among(["AP", "RR", "P@5"])
    ('AP', 'AP, RR and P@5')
    """
    return listed(names, len(names))


def author_year(key: str) -> str:
    """A work as a text cites it; nothing where the bibliography does not know it.

    >>> author_year("westfall1993"), author_year("student1908")
    ('Westfall and Young, 1993', 'Student, 1908')
    """
    known, _ = cited_works([key] if key else [])
    if not known:
        return ""
    fields = known[0].fields
    family = [plain_text(author.split(",")[0]) for author in fields["author"].split(" and ")]
    return f"{f'{family[0]} et al.' if len(family) > 2 else among(family)}, {fields['year']}"
