"""BibTeX entries of the works behind metrics, methods and tests, and of irassay itself."""

import re
from importlib.metadata import version
from typing import Annotated

from irassay.bibliography import entries
from irassay.declarations import index
from irassay.errors import InputError, argument
from irassay.method import method
from irassay.metrics.aliases import known_aliases
from irassay.metrics.grammar import metric_or_none, parse
from irassay.prose import did_you_mean
from irassay.settings import Option
from irassay.stats.tests import TESTS

OWN_KEY = "irassay"  # its key in references.bib


@method(
    "Which works should I cite?",
    path="cite",
    without_options="jobs quiet define safe_csv",
    examples=("irassay cite nDCG@10 recip_rank discrimination tukey",),
)
def cite(
    names: Annotated[
        tuple[str, ...],
        Option("Metrics, methods (discrimination) and tests (tukey); if none is given, irassay.", metavar="METRIC"),
    ] = (),
) -> str:
    """Print BibTeX entries to cite: of the works behind metrics, methods and tests, or of irassay itself.

    Each work is printed once. For a command without works of its own, the entry of irassay is printed.
    """
    words = [name for name in names if name != "meta"]  # `meta similarity` is two words
    keys = [key for name in words for key in cited_keys(name) or [OWN_KEY]] or [OWN_KEY]
    return "\n".join(bibtex(key) + "\n" for key in dict.fromkeys(keys))


def bibtex(key: str) -> str:
    """The entry of a work; irassay's with the installed version."""
    entry = entries()[key].bibtex
    return entry if key != OWN_KEY else entry.removesuffix("\n}") + f",\n  version = {{{version('irassay')}}}\n}}"


def cited_keys(name: str) -> list[str]:
    """The keys of the works behind a metric, a command or a test."""
    commands = {word: entry for path, entry in index()["commands"].items() for word in (path, path.split()[-1])}
    tests = {alias: TESTS[ours] for alias, ours in index()["aliases"].items()} | TESTS
    if name in commands:
        return list(commands[name]["cite"])
    if name in tests:
        return tests[name].cite.split()
    if metric_or_none(name) is None and re.fullmatch(r"[\w -]*", name):
        hint = did_you_mean(name, [*index()["metrics"], *known_aliases(), *commands, *tests])
        fix = hint or "irassay metrics and irassay help list them."
        raise InputError(f"There is no metric, command or test {name}; {fix}", argument=argument("names"), value=name)
    metric = parse(name)
    return [*metric.meaning.cite, *(metric.inner.meaning.cite if metric.inner else ())]
