"""Confidence levels of intervals."""

from irassay.errors import InputError


def alpha_of_level(level: float | None, alpha: float) -> float:
    """The alpha of a confidence level; that of the result if no level is given.

    >>> alpha_of_level(0.99, 0.05), alpha_of_level(None, 0.05)
    (0.01, 0.05)
    """
    if level is None:
        return alpha
    if not 0 < level < 1:
        raise InputError(f"A confidence level must lie between 0 and 1; found {level:g}.")
    return round(1 - level, 12)


def require_level_95(level: float) -> None:
    """Refuses any level but 0.95, at which resampled intervals were computed and stored."""
    if level != 0.95:
        raise InputError(f"These intervals were resampled at 0.95 and are not known at {level:g}; leave out the level.")
