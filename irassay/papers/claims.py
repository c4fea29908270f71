"""Claims of a paper's text, held against what was recomputed."""

from irassay.papers.reproduction import CheckedClaim


def checked(claim: str, holds: bool | None, evidence: str) -> CheckedClaim:
    """What became of a claim; None where it cannot be checked.

    >>> checked("More is better.", False, "It is not.").verdict
    'does not hold'
    """
    return CheckedClaim(
        claim, "cannot be checked" if holds is None else "holds" if holds else "does not hold", evidence
    )
