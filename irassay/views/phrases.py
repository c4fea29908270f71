"""Phrases that several views share."""


def tested_by(test: str, correction: str) -> str:
    """A test of pairs of systems, with the correction for their number where there is one.

    >>> tested_by("t", "holm"), tested_by("tukey", "none")
    ('t, holm', 'tukey')
    """
    return test if correction == "none" else f"{test}, {correction}"


def beside(close: int, others: int, by: str = "") -> str:
    """How many of the other metrics cannot be told from the best one, as the end of a sentence.

    >>> beside(0, 0), beside(1, 1), beside(2, 7)
    ('', '; the other metric cannot be told from it', '; 2 of 7 others cannot be told from it')
    """
    if not others:
        return ""
    if others == 1:
        return f"; the other metric {'cannot' if close else 'can'} be told from it{by}"
    if not close:
        return f"; {'both' if others == 2 else f'all {others}'} others can be told from it{by}"
    if close == others:
        return f"; none of {others} others can be told from it{by}"
    return f"; {close} of {others} others cannot be told from it{by}"
