"""The metrics of the catalogue, one family a file; importing a file registers its metrics."""

# In the order in which metrics are listed.
FAMILIES = tuple(
    f"{__name__}.{family}"
    for family in (
        "static", "adaptive", "classic", "cube", "intent", "diversity", "global_gain", "effort", "ntcir",
        "session", "sets", "trec", "preferences", "truncated", "utility",
    )
)  # fmt: skip
