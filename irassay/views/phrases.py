"""Phrases that several views share."""

from collections.abc import Sequence

from irassay.bibliography import cited_works, plain_text
from irassay.prose import count_phrase, name_list
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import equivalent_test

CORRECTIONS = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction (of the false discovery rate)",
    "by": "Benjamini and Yekutieli's correction (of the false discovery rate)",
    "max-t": "the max-T correction",
}

NO_SPREAD = "the difference is the same on every topic, so it has no spread"
ORDER_NOT_TESTED = "Which metrics are first or last is not tested: the differences between them may be chance."


def p_phrase(p: float) -> str:
    """A p-value in words, to four decimals.

    >>> p_phrase(0.0312), p_phrase(0.00004)
    ('p = 0.0312', 'p < 0.0001')
    """
    return f"p = {p:.4f}" if p >= 0.00005 else "p < 0.0001"


def count_are(number: int, noun: str) -> str:
    """The start of a sentence: a number with its noun and verb.

    >>> count_are(1, "system"), count_are(2, "system")
    ('1 system is', '2 systems are')
    """
    return f"{count_phrase(number, noun)} {'is' if number == 1 else 'are'}"


def other_metrics_sentences(close: int, others: int) -> list[str]:
    """How many other metrics do not differ significantly from the best one; nothing if there are no others.

    >>> [*other_metrics_sentences(0, 0), *other_metrics_sentences(1, 1), *other_metrics_sentences(2, 7)]
    ['The other metric does not differ significantly.', '2 of 7 others do not differ significantly from it.']
    """
    if not others:
        return []
    if others == 1:
        return [f"The other metric {'does not differ' if close else 'differs'} significantly."]
    if not close:
        return [f"{'Both' if others == 2 else f'All {others}'} others differ significantly from it."]
    if close == others:
        return [f"None of the {others} others differs significantly from it."]
    return [f"{close} of {others} others {'does' if close == 1 else 'do'} not differ significantly from it."]


def test_description(test: PairTests, correction: str, pairs: int, alpha: float) -> str:
    """A test with its correction, family and level, as in a caption or methods section."""
    sides = "two-sided" if test.alternative == "two-sided" else f"one-sided ({test.alternative})"
    name = f"{sides} {equivalent_test(test.test, pairs).label}"
    if pairs == 1:
        return f"{name}, p < {alpha:g}"
    if correction != "none":
        how = f"with {CORRECTIONS.get(correction, correction)} for {pairs:,} comparisons"
    elif test.test.family:
        how = f"of all {pairs:,} comparisons together"
    else:
        how = f"without correction for {pairs:,} comparisons"
    return f"{name} {how}, p < {alpha:g}"


def all_names(names: Sequence[str]) -> str:
    """All names, as an enumeration in a sentence.

    >>> all_names(["AP"]), all_names(["AP", "RR", "P@5"])
    ('AP', 'AP, RR and P@5')
    """
    return name_list(names, len(names))


def author_year(key: str) -> str:
    """A work as a text cites it; empty if it is not in the bibliography.

    >>> author_year("westfall1993"), author_year("student1908")
    ('Westfall and Young, 1993', 'Student, 1908')
    """
    works, _ = cited_works([key] if key else [])
    if not works:
        return ""
    fields = works[0].fields
    family = [plain_text(author.split(",")[0]) for author in fields["author"].split(" and ")]
    return f"{f'{family[0]} et al.' if len(family) > 2 else all_names(family)}, {fields['year']}"
