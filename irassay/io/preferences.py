"""Files of preferences, as trec_eval -R prefs reads them."""

import numpy as np

from irassay.errors import InputError
from irassay.io.lines import Layout, read_table, valid_table
from irassay.io.sources import Source
from irassay.io.trec import Qrels, deduplicated_qrels

PREFERENCE_LAYOUT = Layout(("topic", "subtopic", "subgroup", "doc", "grade"), frozenset({"grade"}), validated=False)
FIELDS = "topic group subgroup document level"


def read_preferences(source: Source) -> Qrels:
    """The judgements in a file of preferences: `topic group subgroup document level`.

    Within a subgroup a document is preferred to those of lower levels; the groups are in the column of subtopics.
    """
    table = read_table(source, PREFERENCE_LAYOUT)
    if table.faults and len(table.samples[0]) != len(PREFERENCE_LAYOUT.fields):
        found = f"found {len(table.samples[0])} fields per line"
        raise InputError(file=source.name, found=found, expected=f"5 fields, as in preferences: {FIELDS}")
    table = valid_table(table, source, PREFERENCE_LAYOUT)
    below = np.flatnonzero(table.frame["grade"].to_numpy() < 0)
    if len(below):
        line, level = table.line_number(int(below[0])), table.frame["grade"][int(below[0])]
        raise InputError(file=source.name, line=line, found=f"found the level {level:g}", expected="0 or more")
    return deduplicated_qrels(table, source.name, in_file=True)
