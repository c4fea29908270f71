"""Judgements to preferences: the groups of each topic."""

import numpy as np
import polars as pl

from irassay.arrays import Bools
from irassay.errors import InputError
from irassay.rankings.preferences import JudgedGroup

ONE_SUBGROUP = pl.lit("0").alias("subgroup")


def judged_groups(frame: pl.DataFrame, size: int, source: str, topic: str) -> tuple[JudgedGroup, ...]:
    """The groups of a topic with `size` documents, from rows of slot, doc, subtopic, grade and maybe subgroup."""
    if "subgroup" not in frame.columns:
        frame = frame.with_columns(ONE_SUBGROUP)
    groups = frame.sort("subtopic", "subgroup").partition_by("subtopic", maintain_order=True)
    return tuple(_judged_group(rows, size, f"{source}, topic {topic}, group {rows['subtopic'][0]}") for rows in groups)


def _judged_group(rows: pl.DataFrame, size: int, where: str) -> JudgedGroup:
    slot, grade = rows["slot"].to_numpy(), rows["grade"].to_numpy()
    names = dict(zip(slot.tolist(), rows["doc"], strict=True))
    level = np.full(size, np.nan)
    level[slot] = grade
    mixed = slot[(level[slot] == 0) != (grade == 0)]
    if len(mixed):
        found = f"document {names[int(mixed[0])]} has the level 0 in one subgroup and a higher one in another"
        raise InputError(f"{where}: {found}. Keep one of the two.")
    parts = rows.partition_by("subgroup", maintain_order=True)
    if len(parts) == 1:
        return JudgedGroup(level)
    preferred = np.zeros((size, size), dtype=bool)
    for part in parts:
        own, grades = part["slot"].to_numpy(), part["grade"].to_numpy()
        preferred[np.ix_(own, own)] |= grades[:, None] > grades
    preferred = _with_implied_preferences(preferred)
    both = np.argwhere(np.triu(preferred & preferred.T, 1))
    if len(both):
        first, second = (names[int(each)] for each in both[0])
        raise InputError(f"{where}: documents {first} and {second} are preferred to each other. Correct their levels.")
    return JudgedGroup(level, preferred)


def _with_implied_preferences(preferred: Bools) -> Bools:
    """[p, p] the preferences with those that follow from them: a over b and b over c give a over c."""
    while True:
        steps = preferred.astype(np.float32)
        more = preferred | (steps @ steps > 0)
        if (more == preferred).all():
            return preferred
        preferred = more
