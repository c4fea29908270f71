"""Scores: those of every system on every topic under every metric."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from irassay.argument_types import checked_argument
from irassay.arrays import TIE, Bools, Floats, Indices, Signs, as_numbers
from irassay.errors import InputError
from irassay.forks import check_polars_works
from irassay.notes import Note, as_notes
from irassay.prose import encodable, first_few
from irassay.results import Result
from irassay.score_names import checked_names, has_repeats, matching_metric, plain_metric, positions, quoted_name

if TYPE_CHECKING:
    import polars as pl

AGGREGATES = frozenset({"all", "amean", "gmean"})  # rows with these names, in any case, are means
SMALLEST_SCORE = 1e-5  # in a geometric mean, as in trec_eval's gm_map
LARGEST_SCORE = 1e300  # so that sums and differences of scores are finite
TOPICS_AT_A_TIME = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """The cube of scores. A topic is identified by its collection and its name, so that collections do not mix.

    >>> scores = Scores(np.array([[[0.5], [0.3]], [[0.4], [np.nan]]]), ("A", "B"), ("1", "2"), ("AP",))
    >>> scores.means().tolist()
    [[0.4], [0.4]]
    >>> scores.complete().topics
    ('1',)
    """

    saved_as: ClassVar[str] = "scores"
    values: Floats  # [system, topic, metric], NaN where there is no score
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    metrics: tuple[str, ...]
    higher_is_better: tuple[bool, ...] = ()  # [metric], all true by default
    collection: tuple[str, ...] = ()  # [topic], '' if there is only one
    over_topics: tuple[str, ...] = ()  # [metric] 'mean', 'sum' or 'geometric'; all 'mean' by default

    def __post_init__(self) -> None:
        values = as_numbers(self.values)
        values = values.copy(order="K") if values.flags.writeable else values.view()  # nobody else can change it
        values.flags.writeable = False
        fields = {
            "values": values,
            "systems": checked_names("systems", self.systems),
            "topics": (topics := checked_names("topics", self.topics)),
            "metrics": (metrics := checked_names("metrics", self.metrics)),
            "higher_is_better": checked_argument("higher_is_better", tuple[bool, ...], self.higher_is_better)
            or (True,) * len(metrics),
            "collection": checked_names("collection", self.collection) or ("",) * len(topics),
            "over_topics": checked_names("over_topics", self.over_topics) or ("mean",) * len(metrics),
            "notes": as_notes(self.notes),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self._check_names_and_values()

    def _check_names_and_values(self) -> None:
        names = (len(self.systems), len(self.topics), len(self.metrics))
        if self.values.shape != names:
            raise InputError(
                f"Scores of shape {self.values.shape} need as many names; found {names} (systems, topics, metrics)."
            )
        if (len(self.collection), len(self.higher_is_better)) != names[1:] or len(self.over_topics) != names[2]:
            raise InputError("Every topic needs a collection, and every metric a direction and a kind of mean.")
        topics = self.keys if any(self.collection) else self.topics
        for kind, names_of_kind in (("system", self.systems), ("topic", topics), ("metric", self.metrics)):
            if has_repeats(names_of_kind):
                repeated = next(name for i, name in enumerate(names_of_kind) if name in names_of_kind[:i])
                raise InputError(f"There are two {kind}s {quoted_name(repeated)}; every {kind} needs its own name.")
        for topic in self.topics:
            if topic.lower() in AGGREGATES:
                raise InputError(f"A topic is named '{topic}', which stands for the mean over topics; leave it out.")
        high, low = (reduce(self.values, axis=None, initial=0.0) for reduce in (np.fmax.reduce, np.fmin.reduce))
        if max(high, -low) > LARGEST_SCORE:  # without a copy of a million topics' scores
            s, t, m = np.argwhere(np.abs(self.values) > LARGEST_SCORE)[0]
            place = f"{self.metrics[m]} of {self.systems[s]} on topic {quoted_name(self.keys[t])}"
            value = "infinite" if np.isinf(self.values[s, t, m]) else f"{self.values[s, t, m]:.3g}"
            raise InputError(f"{place} is {value}; a score is a number up to ±1e300, or NaN if there is none.")

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """[topic] each topic as (collection, topic)."""
        return tuple(zip(self.collection, self.topics, strict=True))

    def means(self) -> Floats:
        """[system, metric] the mean over the topics that the system has; NaN if it has none.

        If a metric declares it, the sum over topics, or the geometric mean, in which scores count as at least 0.00001.
        """
        over = np.array(self.over_topics)
        geometric = over == "geometric"
        total, number = np.zeros((2, len(self.systems), 1, len(self.metrics)))
        for start in range(0, len(self.topics), TOPICS_AT_A_TIME):
            values = self.values[:, start : start + TOPICS_AT_A_TIME]
            is_known = ~np.isnan(values)
            if geometric.any():
                values = np.where(geometric, np.log(np.maximum(values, SMALLEST_SCORE)), values)
            # Summed topic by topic, so that the last bit is trec_eval's and does not depend on the other metrics.
            total = np.add.accumulate(np.concatenate([total, np.where(is_known, values, 0.0)], axis=1), axis=1)[:, -1:]
            number += is_known.sum(axis=1, keepdims=True)
        total, number = total[:, 0], number[:, 0]
        with np.errstate(invalid="ignore"):
            mean = total / np.where((over == "sum") & (number > 0), 1, number)
        return np.exp(mean, out=mean, where=geometric) if geometric.any() else mean

    def __getitem__(self, metric: str) -> "Scores":
        return self.select(metrics=[self.resolved_metric(str(metric))])

    @property
    def labels(self) -> dict[str, str]:
        """The labels of metrics, for people: an alias, what was typed, or what differs among metrics of one name."""
        from irassay.metrics.labels import metric_labels

        return dict(metric_labels(self.metrics, self.settings.inputs.get("labels", {})).labels)

    def resolved_metric(self, metric: str) -> str:
        """The metric of these scores that a name, alias, label or other spelling stands for."""
        if metric not in self.metrics:
            metric = {label: name for name, label in self.labels.items()}.get(metric, metric)
        name = matching_metric(metric, self.metrics)
        if name is None and (self.settings.given.get("rel") is not None or self.settings.given.get("judged_only")):
            plain_names = {plain_metric(other): other for other in self.metrics}
            name = plain_names.get(plain_metric(metric))
        if name is None:
            raise InputError(f"The scores have no metric {metric}; they have {first_few(self.metrics)}.")
        return name

    def with_metrics(self, metrics: Iterable[str]) -> "Scores":
        """The scores of these metrics, in any spelling; `alias=metric` shows a metric under that name."""
        from irassay.metrics.grammar import alias_and_metric

        aliased = [alias_and_metric(metric) for metric in metrics]
        names = [self.resolved_metric(metric) for _, metric in aliased]
        labels = {name: alias for (alias, _), name in zip(aliased, names, strict=True) if alias}
        shown_names = [labels.get(name, name) for name in dict.fromkeys(names)]
        if repeated := next((label for label in shown_names if shown_names.count(label) > 1), ""):
            raise InputError(f"Two metrics are called {repeated}; give one of them another name.")
        selected = self.select(metrics=names)
        if not labels:
            return selected
        inputs = selected.settings.inputs
        inputs = {**inputs, "labels": {**inputs.get("labels", {}), **labels}}
        return replace(selected, settings=replace(selected.settings, inputs=inputs))

    def to_json(self) -> str:
        """What the command line prints with --format json: one row per mean."""
        return self._formatted("json", long=True)

    def _repr_html_(self) -> str:
        """Only the table: a picture takes long to draw."""
        return str(import_module("irassay.views.render").brief_html(self.view()))

    @classmethod
    def from_object(cls, value: Any) -> Any:
        """The scores in a frame of any library, or in a list of ir_measures' results; anything else as it is."""
        tables = import_module("irassay.io.tables")
        return tables.read_scores(value) if tables.is_score_table(value) else value

    def to_dict(self) -> dict[str, Any]:
        """The means of each system by metric: `{"bm25": {"nDCG@10": 0.42}}`."""
        means = self.means().tolist()
        return {name: dict(zip(self.metrics, row, strict=True)) for name, row in zip(self.systems, means, strict=True)}

    def sort(self, column: str, descending: bool = True) -> "Scores":
        """The scores with systems in order of their means by a metric, or of their names (`"system"`)."""
        if column in ("system", "run"):
            order = sorted(range(len(self.systems)), key=lambda s: self.systems[s], reverse=descending)
            return self.select(systems=[self.systems[s] for s in order])._with_row_order("run", descending)
        metric = self.resolved_metric(column)
        mean = self[metric].means()[:, 0]
        order = np.argsort(-mean if descending else mean, kind="stable").tolist()  # NaN is last
        ordered = self.select(systems=[self.systems[s] for s in order])
        return ordered._with_row_order(metric, descending)

    def to_frame(self, by: Literal["score", "system", "topic"] = "score") -> "pl.DataFrame":
        """A polars frame with one row per score: system, topic, metric, value, and collection if there are several.

        `by="system"` gives one row per system and one column per metric, with means; `by="topic"` one row per system
        and topic. Missing scores are left out or, beside others, null.

        >>> scores = Scores(np.array([[[0.5, 1], [0.3, 0]]]), ("A",), ("1", "2"), ("AP", "RR"))
        >>> scores.to_frame(by="system").rows(), scores.to_frame(by="topic").rows()
        ([('A', 0.4, 0.5)], [('A', '1', 0.5, 1.0), ('A', '2', 0.3, 0.0)])
        """
        import polars as pl

        check_polars_works()
        by = checked_argument("by", Literal["score", "system", "topic"], by)
        is_known = ~np.isnan(self.values)
        if by == "score":
            s, t, m = np.nonzero(is_known)
            metric = _texts_at(self.metrics, m)
            return pl.DataFrame({**self._names_at(s, t), "metric": metric, "value": self.values[s, t, m]})
        s, t = np.nonzero(is_known.any(axis=2))
        names = self._names_at(s, t) if by == "topic" else {"system": list(map(encodable, self.systems))}
        values = self.values[s, t] if by == "topic" else self.means()  # [row, metric]
        columns = {encodable(metric): values[:, m] for m, metric in enumerate(self.metrics)}
        return pl.DataFrame({**names, **columns}).with_columns(pl.col(pl.Float64).fill_nan(None))

    def _names_at(self, systems: Indices, topics: Indices) -> dict[str, list[str]]:
        """The names of these systems and topics as columns, with those of collections if there are several."""
        collection = {"collection": _texts_at(self.collection, topics)} if len(set(self.collection)) > 1 else {}
        return {"system": _texts_at(self.systems, systems), **collection, "topic": _texts_at(self.topics, topics)}

    def to_trec_eval(self, *, by_topic: bool = False) -> str:
        """The scores as trec_eval prints them: `measure topic value`, with its names, one run after another."""
        from io import StringIO

        out = StringIO()
        names = tuple(map(import_module("irassay.io.tables.layouts").measure_name, self.metrics))
        printed = replace(self, metrics=names) if len(set(names)) == len(names) else self
        import_module("irassay.io.tables").write_scores(printed, "trec_eval", out, by_topic=by_topic)
        return out.getvalue()

    def of(self, metric: str) -> Floats:
        """[system, topic] the scores under one metric."""
        return self.values[:, :, positions("metric", self.metrics, [metric])[0]]

    def select(
        self,
        systems: Iterable[str] | None = None,
        topics: Iterable[str | tuple[str, str]] | None = None,
        metrics: Iterable[str] | None = None,
    ) -> "Scores":
        """The scores of these systems, topics and metrics, in this order; a bare topic name fits any collection."""
        s = positions("system", self.systems, self.systems if systems is None else systems)
        m = positions("metric", self.metrics, self.metrics if metrics is None else metrics)
        keys_of: dict[str, list[tuple[str, str]]] = {}
        for key in self.keys:
            keys_of.setdefault(key[1], []).append(key)
        keys = (
            keys_of.get(topic, [("", topic)]) if isinstance(topic, str) else [topic]
            for topic in (self.keys if topics is None else topics)
        )
        t = positions("topic", self.keys, chain.from_iterable(keys))
        kept = {"systems": s, "topics": t, "collection": t, "metrics": m, "higher_is_better": m, "over_topics": m}
        selected: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in kept[name]) for name in kept}
        settings = self.settings
        if "metrics" in settings.inputs:
            settings = replace(settings, inputs={**settings.inputs, "metrics": selected["metrics"]})
        return replace(self, values=self.values[np.ix_(s, t, m)], settings=settings, **selected)

    def complete(self) -> "Scores":
        """The scores on topics that every system has under every metric; a note counts those left out."""
        complete: Bools = np.isnan(self.values).sum(axis=(0, 2)) == 0  # [topic]
        if complete.all():
            return self
        text = f"{np.sum(~complete)} of {complete.size} topics left out: some system has no score there."
        note = Note(text, caveat=True)
        return replace(self.select(topics=compress(self.keys, complete.tolist())), notes=(*self.notes, note))

    def with_sorted_topics(self) -> "Scores":
        """The same scores with topics in the order of their names, in which anything random is drawn.

        So the order of topics in the input changes no result. Topics of a collection stay together.

        >>> Scores(np.array([[[0.1], [0.2]]]), ("A",), ("b", "a"), ("AP",)).with_sorted_topics().topics
        ('a', 'b')
        """
        keys = self.keys
        order = sorted(range(len(keys)), key=keys.__getitem__)
        if order == list(range(len(keys))):
            return self
        topics, collection = (tuple(names[t] for t in order) for names in (self.topics, self.collection))
        return replace(self, values=self.values.take(order, axis=1), topics=topics, collection=collection)

    @property
    def has_costs(self) -> bool:
        """Whether results had their own costs when these scores were made."""
        return self.settings.flat().get("costs") is not None

    def costs(self, *metrics: str) -> "Scores":
        """The same scores, with these metrics declared as costs, for which lower is better."""
        lower = set(positions("metric", self.metrics, metrics))
        directions = tuple(up and m not in lower for m, up in enumerate(self.higher_is_better))
        names = tuple(self.metrics[m] for m in sorted(lower))
        settings = replace(self.settings, inputs={**self.settings.inputs, "lower": names})
        return replace(self, higher_is_better=directions, settings=settings)

    def oriented(self) -> "Scores":
        """The same scores with costs negated, so that higher is better under every metric."""
        sign = np.where(self.higher_is_better, 1.0, -1.0)
        return replace(self, values=self.values * sign + 0.0, higher_is_better=())  # + 0.0 leaves no -0.0

    def noise(self) -> Floats:
        """[metric] the largest difference that counts as a tie: 1e-10 of the observed range."""
        high = np.fmax.reduce(self.values, axis=(0, 1), initial=np.nan)
        low = np.fmin.reduce(self.values, axis=(0, 1), initial=np.nan)
        return np.nan_to_num(high - low) * TIE

    def pairs(self) -> tuple[Indices, Indices]:
        """[pair], [pair] the first and the second system of every unordered pair."""
        first, second = np.triu_indices(len(self.systems), k=1)
        return first, second

    def verdicts(self, topics: slice = slice(None)) -> Signs:
        """[pair, topic, metric] 1 where the first system is better, -1 where worse, 0 on a tie or a missing score."""
        first, second = self.pairs()
        values, noise = self.oriented().values[:, topics], self.noise()
        signs = np.empty((len(first), *values.shape[1:]), dtype=np.int8)
        for m in range(len(self.metrics)):
            lead = values[first, :, m] - values[second, :, m]  # [pair, topic]
            signs[:, :, m] = np.subtract(lead > noise[m], lead < -noise[m], dtype=np.int8)
        return signs

    def valid(self, topics: slice = slice(None)) -> Bools:
        """[pair, topic, metric] true where both systems have a score."""
        first, second = self.pairs()
        is_known = ~np.isnan(self.values[:, topics])
        return is_known[first] & is_known[second]

    def blocks(self, cells: int = 50_000_000) -> Iterator[slice]:
        """Slices of topics for `verdicts` and `valid`, each of at most this many cells (or one topic)."""
        systems = len(self.systems)
        step = max(1, cells // max(1, systems * (systems - 1) // 2 * len(self.metrics)))
        for start in range(0, len(self.topics), step):
            yield slice(start, min(start + step, len(self.topics)))


def _texts_at(names: Sequence[str], places: Iterable[int]) -> list[str]:
    """The names at these places, without characters that no file can hold."""
    texts = list(map(encodable, names))
    return [texts[place] for place in places]
