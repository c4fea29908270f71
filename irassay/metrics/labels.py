"""What people are shown for metrics: of those with one name only what differs, and what they share once."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError
from irassay.prose import listed

if TYPE_CHECKING:
    from irassay.metrics.metric import Metric

LONG, MANY = 24, 6  # letters of a metric alone of its name that are too many where there are so many metrics


@dataclass(frozen=True)
class Names:
    """What people are shown for the metrics of a result, and what it takes to know the metric behind each."""

    labels: Mapping[str, str] = field(default_factory=dict)  # by canonical string, where they differ from it
    shared: str = ""  # the parameters that labels leave out
    aliases: Mapping[str, str] = field(default_factory=dict)  # the metrics behind names that the user gave, by these
    models: Mapping[str, str] = field(default_factory=dict)  # what browsing models are called, likewise
    short: frozenset[str] = frozenset()  # the labels that leave something out

    @property
    def said(self) -> dict[str, str]:
        """What people are shown for metrics and for browsing models."""
        return {**self.models, **self.labels}

    def left_out(self, texts: Iterable[str]) -> str:
        """The parameters that labels leave out, and what aliases stand for, where there are such names in texts."""
        found = set(texts)
        shared = self.shared if any(label in text for text in found for label in self.short) else ""
        alone = [alias for alias in self.aliases if any(_has(text, alias) for text in found)]
        return "; ".join(filter(None, (shared, *self._behind(alone))))

    @property
    def legend(self) -> str:
        """What labels leave out and aliases stand for, in a line."""
        return "; ".join(filter(None, (self.shared, *self._behind(self.aliases))))

    def _behind(self, aliases: Iterable[str]) -> list[str]:
        return [f"{alias} is {self.aliases[alias]}" for alias in aliases]


def names(metrics: Sequence[str], given: Mapping[str, str] | None = None) -> Names:
    """The names for a list of metrics; `given` are aliases, and metrics with all that was typed, by canonical string.

    A metric alone of its name is shown as it was typed, unless there are many, and long ones among them. Of several,
    each is shown with its cutoff and the parameters in which they differ: those that are not the default, or were
    typed. No two metrics are shown alike.

    >>> found = names(["INST(T=1.0,A='MAX')", "INST(T=2.25,A='MAX')", "RBP@10", "RBP(p=0.5)@10", "AP"])
    >>> list(found.labels.values()), found.shared
    (['INST T=1', 'INST T=2.25', 'RBP@10 p=0.5'], "INST has A='MAX'")
    """
    given = given or {}
    labels: dict[str, str] = {}
    families: dict[str, dict[str, Metric]] = defaultdict(dict)
    aliases: dict[str, str] = {}
    for name in dict.fromkeys(metrics):
        labels[name] = given.get(name, name)
        metric = _ours(labels[name], name)
        if metric is not None:
            families[metric.name][name] = metric
        elif labels[name] != name:
            aliases[labels[name]] = name
    whole, models = dict(labels), dict[str, str]()
    shared: dict[str, list[str]] = defaultdict(list)
    leave: set[str] = set()
    alone = [labels[min(family)] for family in families.values() if len(family) == 1]
    long = len(labels) >= MANY and max(map(len, alone), default=0) > LONG
    for name, family in families.items():
        if len(family) > 1 or long:
            short, browse, same = _shortened(family)
            labels |= short
            models |= browse
            shared[same] += [name] if same else []
            leave |= set(short.values()) if same else set()
    if _twice(labels):  # an alias is what another metric would be called
        labels, models, leave = whole, {}, set()
        shared.clear()
    if _twice(labels):
        return Names()
    said = [f"{listed(of, len(of))} {'have' if of[1:] else 'has'} {what}" for what, of in shared.items() if of]
    differ = {name: label for name, label in labels.items() if label != name}
    return Names(differ, "; ".join(said), aliases, {} if _twice(models) else models, frozenset(leave))


def _has(text: str, name: str) -> bool:
    """Whether a name stands in a text, not as a part of another word."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _twice(labels: Mapping[str, str]) -> bool:
    """Whether two have the same label."""
    return len(set(labels.values())) < len(labels)


def typed(metrics: Sequence[Any]) -> dict[str, str]:
    """Aliases, and metrics with all that was typed, by canonical string; nothing where some are metrics of other tools.

    >>> typed(["user=AP", "RBP(p=0.8)", "RR"]), typed(["mystery"])
    ({'AP': 'user', 'RBP': 'RBP(p=0.8)'}, {})
    """
    if not metrics:
        return {}
    from irassay.metrics.grammar import parse_each

    try:
        return {str(metric): metric.label for metric in parse_each(metrics) if metric.label != str(metric)}
    except InputError:
        return {}


def _ours(label: str, name: str) -> "Metric | None":
    """The metric that is shown in these words; None where they are a name that the user gave, or no metric of ours."""
    from irassay.metrics.grammar import parse  # what is about no metric, such as `validate`, does without all of them

    try:
        metric = parse(label)
    except InputError:
        return None
    return metric if metric.label == label and name in (label, str(metric)) else None


def _shortened(family: Mapping[str, "Metric"]) -> tuple[dict[str, str], dict[str, str], str]:
    """Labels for metrics of one name and for their models, by canonical string; the parameters that they share."""
    from irassay.metrics.grids import TAKEN_AWAY, browsing
    from irassay.rankings.gain import compact

    told = [metric.shown_parameters for metric in family.values()]
    every = [metric.params for metric in family.values()]
    same = {
        key: value
        for metric in told
        for key, value in metric.items()
        if all(key in params and params[key] == value for params in every)
    }
    labels, models = {}, {}
    for name, metric in family.items():
        whole = metric.name + ("" if metric.cutoff is None else f"@{metric.cutoff}")
        differ = {key: f"{key}={_plain(value)}" for key, value in metric.shown_parameters.items() if key not in same}
        labels[name] = " ".join([whole, *differ.values()])
        models[browsing(name)] = " ".join([whole, *(part for key, part in differ.items() if key not in TAKEN_AWAY)])
    return labels, models, ", ".join(f"{key}={compact(value)}" for key, value in same.items())


def _plain(value: Any) -> str:
    """A parameter's value as people write it.

    >>> _plain("MAX"), _plain(2.0), _plain((0, 0.4, 1.0))
    ('MAX', '2', '(0,0.4,1)')
    """
    from irassay.rankings.gain import compact

    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else compact(value)
