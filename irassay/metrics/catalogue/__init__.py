"""The metrics of the catalogue, one family a file; importing a file registers its metrics."""

# The heading of each family by its module, in the order in which metrics are listed.
FAMILIES = {
    f"{__name__}.{file}": heading
    for file, heading in {
        "static": "User models: fixed browsing",
        "adaptive": "User models: adaptive browsing",
        "classic": "Classic metrics",
        "cube": "The Cube Test",
        "intent": "Intent-aware metrics",
        "diversity": "Diversity and novelty",
        "global_gain": "D and D# metrics",
        "effort": "Time and effort",
        "ntcir": "NTCIREVAL",
        "session": "Sessions",
        "sets": "Sets and counts",
        "trec": "More of trec_eval",
        "preferences": "Preferences",
        "truncated": "Lists that end on purpose",
        "utility": "Expected utility",
    }.items()
}
