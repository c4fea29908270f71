"""Names of metrics in a sentence: kinds of which all are meant, such as "all RBP variants", and single ones."""

from collections import defaultdict
from collections.abc import Sequence

from irassay.metrics.grammar import metric_or_none
from irassay.metrics.labels import MetricName, parameter_text
from irassay.prose import name_list

MAX_NAMED_METRICS = 3  # in most sentences


def kind_names(names: Sequence[str], metrics: Sequence[str]) -> str:
    """Some of the metrics in a sentence: kinds of which they are all there are, then single ones; the first few.

    >>> metrics = ["P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.9)", "AP", "RR"]
    >>> kind_names(metrics[:5], metrics), kind_names(metrics[2:], metrics), kind_names(metrics[:2], metrics)
    ('all RBP variants, P@10 and AP', 'RBP(p=0.8), RBP(p=0.9), AP and RR', 'P@10 and RBP(p=0.5)')
    """
    left, shown = list(names), list[str]()
    for kind in whole_kinds(names, metrics) if len(left) > MAX_NAMED_METRICS + 1 else {}:
        if len(shown) < MAX_NAMED_METRICS and (members := whole_kinds(left, metrics).get(kind)):
            shown.append(f"all {kind}")
            left = [name for name in left if name not in members]
    room = MAX_NAMED_METRICS - len(shown)
    single = left if len(left) <= room + 1 else left[:room]  # four are all named, not three and one more
    parts, more = [f"{name}" for name in (*shown, *single)], len(left) - len(single)
    return f"{', '.join(parts)} and {more} more" if more else name_list(parts, len(parts))


def whole_kinds(names: Sequence[str], metrics: Sequence[str]) -> dict[str, set[str]]:
    """The kinds of at least three metrics that are all among the names."""
    return {
        kind: members for kind, members in _metric_kinds(metrics).items() if len(members) > 2 and members <= {*names}
    }


def _metric_kinds(metrics: Sequence[str]) -> dict[str, set[str]]:
    """The metrics of one name, and those with the same cutoff or parameter in their labels; the largest kind first."""
    members: dict[str, set[str]] = defaultdict(set)
    shown_parameters = {part for name in metrics if isinstance(name, MetricName) for part in name.kinds[1:]}
    for name in metrics:
        metric = metric_or_none(str(name))
        if metric is None:
            continue
        family = name.kinds[:1] if isinstance(name, MetricName) else [metric.name]
        kinds = [f"{each} variants" for each in family]
        kinds += [] if metric.cutoff is None else [f"metrics with cutoff {metric.cutoff}"]
        parameters = (parameter_text(key, value) for key, value in metric.params.items())
        kinds += [f"metrics with {part}" for part in parameters if part in shown_parameters]
        for kind in kinds:
            members[kind].add(name)
    return dict(sorted(members.items(), key=lambda kind: -len(kind[1])))
