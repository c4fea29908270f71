"""Labels: short names of metrics for people. Metrics of one name show only what differs; a legend has the rest."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError
from irassay.notes import Note
from irassay.prose import name_list
from irassay.saving import SAVED

if TYPE_CHECKING:
    from irassay.metrics.metric import Metric

LONG_LABEL, MANY_METRICS = 24, 6  # characters that are too many for a label, if there are this many metrics
MAX_VARIANT_LABEL = 40  # characters; longer strings of metrics are shortened to their name with a star
NOT_METRICS = {"systems", "topics", "judges", "baseline", "settings"}  # fields of results that never name metrics


class MetricName(str):
    """A metric's canonical string with its label: formatted text has the label, everything else the string.

    Table cells, sentences and chart data contain it; machine formats write the string itself.

    >>> name = MetricName("RBP(p=0.5)", "RBP p=0.5")
    >>> f"By {name} they differ", name == "RBP(p=0.5)", str(name)
    ('By RBP p=0.5 they differ', True, 'RBP(p=0.5)')
    """

    __slots__ = ("kinds", "label", "model")

    label: str
    model: str  # the label of its browsing model
    kinds: tuple[str, ...]  # what its label shares with others: its name, then parameters; (): a user's own name

    def __new__(cls, canonical: str, label: str, model: str = "", kinds: tuple[str, ...] = ()) -> "MetricName":
        """The string of a metric with its label."""
        name = super().__new__(cls, canonical)
        name.label, name.model, name.kinds = label, model, kinds
        return name

    def __format__(self, form: str) -> str:
        return format(self.label, form)

    def __reduce__(self) -> tuple[type["MetricName"], tuple[str, str, str, tuple[str, ...]]]:
        return type(self), (str(self), self.label, self.model, self.kinds)


def model_name(metric: str) -> str:
    """The browsing model of a metric, with a label if the metric has one; '' if it is unknown."""
    from irassay.metrics.grids import browsing_model

    model = browsing_model(metric)
    return MetricName(model, metric.model) if isinstance(metric, MetricName) and metric.model else model


@dataclass(frozen=True)
class MetricLabels:
    """The labels of the metrics of a result, and what is needed to identify the metric behind each."""

    labels: Mapping[str, str] = field(default_factory=dict)  # by canonical string, if they or their models' differ
    shared: str = ""  # the parameters that labels leave out
    aliases: Mapping[str, str] = field(default_factory=dict)  # metrics by the user's names for them
    models: Mapping[str, str] = field(default_factory=dict)  # labels of browsing models by canonical string
    short: frozenset[str] = frozenset()  # the labels that leave something out
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of `MetricName`, by canonical string

    def with_labels(self, value: Any) -> Any:
        """The same value with a `MetricName` for every metric and browsing model that has a label.

        Whole strings are replaced: in results, their parts, and the metrics of notes.
        """
        if not self.labels:
            return value
        if isinstance(value, Note):
            return value.about_metrics(self.with_labels(value.metrics)) if value.metrics else value
        if isinstance(value, str):
            return self.by_string.get(value, value)
        if type(value) in (tuple, list):
            return type(value)(map(self.with_labels, value))
        if type(value) is dict:
            return {self.with_labels(key): self.with_labels(each) for key, each in value.items()}
        if not is_dataclass(value) or type(value) not in SAVED.values():
            return value
        changed = copy(value)
        for name, each in vars(value).items():
            if name not in NOT_METRICS:
                object.__setattr__(changed, name, self.with_labels(each))
        return changed

    @cached_property
    def by_string(self) -> dict[str, MetricName]:
        """The names of metrics and browsing models, by canonical string."""
        from irassay.metrics.grids import browsing_model

        models = {model: MetricName(model, label, label) for model, label in self.models.items()}
        return models | {
            name: MetricName(name, label, self.models.get(browsing_model(name), ""), self.kinds.get(name, ()))
            for name, label in self.labels.items()
        }

    def legend_for(self, texts: Iterable[str]) -> str:
        """The legend of these texts: parameters that their labels leave out, and the metrics behind their aliases."""
        full_texts = [f"{text}" for text in texts]
        shared = self.shared if any(label in text for text in full_texts for label in self.short) else ""
        used = [alias for alias in self.aliases if any(alias in text for text in full_texts)]
        return self._legend(shared, used)

    @property
    def legend(self) -> str:
        """The legend of all labels: parameters they leave out, and the metrics behind aliases."""
        return self._legend(self.shared, self.aliases)

    def _legend(self, shared: str, aliases: Iterable[str]) -> str:
        return "; ".join(filter(None, (shared, *(f"{alias} is {self.aliases[alias]}" for alias in aliases))))


def metric_labels(metrics: Sequence[str], given: Mapping[str, str] | None = None) -> MetricLabels:
    """The labels for a list of metrics; `given` has aliases, and metrics as they were typed, by canonical string.

    A metric that is the only one of its name is shown as typed, unless there are many metrics and some are long.
    Several of one name are shown with their cutoff and the parameters in which they differ: those that are not the
    default, or were typed. No two metrics have the same label, and none has the name of another metric: if what the
    label leaves out changes the score, the name has a star, which the legend explains.

    >>> result = metric_labels(["INST(T=1.0,A='MAX')", "INST(T=2.25,A='MAX')", "RBP@10", "RBP(p=0.5)@10", "AP"])
    >>> list(result.labels.values()), result.shared
    (['INST* T=1', 'INST* T=2.25', 'RBP@10', 'RBP@10 p=0.5'], "INST* has A='MAX'")
    """
    from irassay.metrics.grids import browsing_model

    given = given or {}
    labels: dict[str, str] = {}
    families: dict[str, dict[str, Metric]] = defaultdict(dict)
    aliases: dict[str, str] = {}
    for name in dict.fromkeys(metrics):
        labels[name] = given.get(name, name)
        metric = _labelled_metric(labels[name], name)
        if metric is not None:
            families[metric.name][name] = metric
        elif labels[name] != name:
            aliases[labels[name]] = name
    full_labels, models = dict(labels), dict[str, str]()
    own_names: dict[str, tuple[str, ...]] = {
        name: (metric.name,) for family in families.values() for name, metric in family.items()
    }
    kinds = dict(own_names)
    shared: dict[str, list[str]] = defaultdict(list)
    shortened: set[str] = set()
    single = [labels[min(family)] for family in families.values() if len(family) == 1]
    too_long = len(labels) >= MANY_METRICS and max(map(len, single), default=0) > LONG_LABEL
    for family in families.values():
        if len(family) > 1 or too_long:
            shown_name, parts, short_models, same = _short_labels(family)
            short = {name: " ".join(each) for name, each in parts.items()}
            labels |= short
            models |= short_models
            kinds |= {name: (shown_name, *each[1:]) for name, each in parts.items() if each != (name,)}
            if same and (shorter := {label for label in short.values() if label not in family}):
                shared[same].append(shown_name)
                shortened |= shorter
    if _has_duplicates(labels):  # an alias equals the short label of another metric
        labels, models, shortened, kinds = full_labels, {}, set(), own_names
        shared.clear()
    if _has_duplicates(labels):
        return MetricLabels()
    sentences = [f"{name_list(of, len(of))} {'have' if of[1:] else 'has'} {what}" for what, of in shared.items()]
    models = {} if _has_duplicates(models) else models
    of_model = {name for name in labels if models and browsing_model(name) in models}
    different = {name: label for name, label in labels.items() if label != name or name in of_model}
    kinds = {name: kinds[name] for name in different if name in kinds}
    return MetricLabels(different, "; ".join(sentences), aliases, models, frozenset(shortened), kinds)


def _has_duplicates(labels: Mapping[str, str]) -> bool:
    """Whether two have the same label."""
    return len(set(labels.values())) < len(labels)


def typed_labels(metrics: Sequence[Any]) -> dict[str, str]:
    """Aliases, and metrics as they were typed, by canonical string; nothing if some are metrics of other tools.

    >>> typed_labels(["user=AP", "RBP(p=0.8)", "RR"]), typed_labels(["mystery"])
    ({'AP': 'user', 'RBP': 'RBP(p=0.8)'}, {})
    """
    if not metrics:
        return {}
    from irassay.metrics.grammar import parse_each

    try:
        return {str(metric): metric.label for metric in parse_each(metrics) if metric.label != str(metric)}
    except InputError:
        return {}


def _labelled_metric(label: str, name: str) -> "Metric | None":
    """The metric with this label; None if the label is the user's own name, or not a metric of ours."""
    from irassay.metrics.grammar import metric_or_none  # slow to import, and not needed by commands without metrics

    metric = metric_or_none(label)
    return metric if metric and metric.label == label and name in (label, str(metric)) else None


def _short_labels(family: Mapping[str, "Metric"]) -> tuple[str, dict[str, tuple[str, ...]], dict[str, str], str]:
    """Labels of metrics of one name: that name, their labels, those of their models, and the parameters they share.

    Labels are by canonical string, those of metrics in parts: the name with its cutoff, and parameters. The name has a
    star if its metrics share a parameter that is not the default.
    """
    from irassay.metrics.grammar import parse
    from irassay.metrics.grids import AGGREGATION_PARAMETERS, browsing_model
    from irassay.rankings.gain import compact

    all_params = [metric.params for metric in family.values()]
    same = {
        key: value
        for metric in family.values()
        for key, value in metric.shown_parameters.items()
        if all(key in params and params[key] == value for params in all_params)
    }
    own_name = min(metric.name for metric in family.values())  # one name
    default = parse(own_name).params
    shown_name = own_name + ("*" if any(default.get(key) != value for key, value in same.items()) else "")
    varied = dict.fromkeys(key for metric in family.values() for key in metric.shown_parameters if key not in same)
    labels: dict[str, tuple[str, ...]] = {}
    models: dict[str, str] = {}
    for name, metric in family.items():
        base = shown_name + ("" if metric.cutoff is None else f"@{metric.cutoff}")
        differ = {key: parameter_text(key, value) for key, value in metric.shown_parameters.items() if key not in same}
        labels[name] = (base, *differ.values()) if differ else _variant_label(name, base, varied)
        models[browsing_model(name)] = " ".join(
            [base, *(part for key, part in differ.items() if key not in AGGREGATION_PARAMETERS)]
        )
    return shown_name, labels, models, ", ".join(f"{key}={compact(value)}" for key, value in same.items())


def _variant_label(name: str, base: str, varied: Iterable[str] = ()) -> tuple[str, ...]:
    """The label of a metric that shows no parameter: `base`, or with a star also the parameters that others vary.

    If others vary none that it has, a short string of a metric is its own label.

    >>> _variant_label("RBP(p=0.8)", "RBP"), _variant_label("RBP(end='stop')@10", "RBP*@10", ["A"])
    (('RBP',), ('RBP*@10', 'A=ERG'))
    >>> _variant_label("P(gain='linear',end='stop')@10", "P*@10")
    ("P(gain='linear',end='stop')@10",)
    """
    from irassay.metrics.grammar import parse

    if "*" not in base:
        return (base,)
    metric = parse(name)
    values = {key: metric.params.get(key) for key in varied}
    if values and None not in values.values():
        return (base, *(parameter_text(key, value) for key, value in values.items()))
    return (base if len(name) > MAX_VARIANT_LABEL else name,)


def parameter_text(key: str, value: Any) -> str:
    """A parameter with its value, as people write it.

    >>> parameter_text("A", "MAX"), parameter_text("T", 2.0), parameter_text("gain", (0, 0.4, 1.0))
    ('A=MAX', 'T=2', 'gain=(0,0.4,1)')
    """
    from irassay.rankings.gain import compact

    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{key}={int(value)}"
    return f"{key}={value if isinstance(value, str) else compact(value)}"
