"""Runs and judgements of any kind, judged one run at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from irassay.errors import InputError, argument, order_of_files
from irassay.io.detection import detected_reader, read_judgements, run_inputs
from irassay.io.frames import is_ranked_lists
from irassay.io.input_files import NamedRuns, open_inputs
from irassay.io.order_settings import Ties
from irassay.io.passage_qrels import PassageQrels
from irassay.io.reader import FileOrFolder, Reader
from irassay.io.run_names import Names, is_same_file, names_of_runs
from irassay.io.sources import Source
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.kinds import KINDS
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import JudgedPool, policy_pool
from irassay.parallel import prefetched
from irassay.prose import first_few


@dataclass(frozen=True)
class RunFile:
    """A run still to be read, and its name."""

    given: FileOrFolder
    reader: Reader
    tag: str  # the name in the file
    name: str  # the name in results

    def read(self, policy: JudgingPolicy) -> Run:
        """The run, with the columns that the policy needs."""
        columns = ["rank"] * (policy.order == "rank") + ["kind"] * (policy.costs is not None)
        run = self.reader.read_run(self.given, columns)
        return run if self.name == self.tag else replace(run, name=self.name)


@dataclass(frozen=True, eq=False)
class RunByRun:
    """Runs and their judgements, joined during iteration, so that few runs are in memory at a time."""

    runs: tuple[Run | RunFile, ...]
    judgements: Qrels | PassageQrels
    policy: JudgingPolicy

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def pool(self) -> JudgedPool:
        """The judgements as a pool."""
        return policy_pool(self.judgements, self.policy)

    @property
    def is_ragged(self) -> bool:
        """Whether one pool of all judgements would need far more memory than the judgements."""
        return len(self.pool.groups) > 1

    def with_ties(self, ties: Ties) -> "RunByRun":
        """The same runs with equal scores in another order."""
        return replace(self, policy=replace(self.policy, ties=ties))

    def __iter__(self) -> Iterator[JudgedRun]:
        _ = self.pool.pool  # built before threads ask for it
        yield from self._judged_in_turn(self.judged_run)

    def with_separate_pools(self) -> Iterator[JudgedRun]:
        """The runs, with separate pools for batches if one pool would need far more memory than the judgements."""
        _ = self.pool.groups
        yield from self._judged_in_turn(lambda run: self.judged_run(run, separate_pools=True))

    def _judged_in_turn(self, judged: Callable[[Run | RunFile], JudgedRun]) -> Iterator[JudgedRun]:
        files = any(isinstance(run, RunFile) and isinstance(run.given, Source) for run in self.runs)
        return prefetched(judged, self.runs) if files else map(judged, self.runs)

    def judged_run(self, run: Run | RunFile, separate_pools: bool = False) -> JudgedRun:
        """One of the runs, judged."""
        run = run if isinstance(run, Run) else run.read(self.policy)
        return judge(run, self.judgements, self.policy, separate_pools)


def judged_runs(
    runs: Any, qrels: Any, policy: JudgingPolicy | None = None, needs: frozenset[str] = frozenset()
) -> RunByRun:
    """The runs with their judgements, of any kind; `needs` is what the metrics need."""
    policy = policy or JudgingPolicy()
    runs, qrels = open_inputs(runs, qrels)
    refuse_shared_files(runs, qrels)
    reader = _run_reader(runs, qrels, policy)
    policy = KINDS[reader.kind].full_policy(policy)
    judgements = read_judgements(qrels, reader, policy.qrels_file)
    if isinstance(judgements, Qrels) and reader.kind == "trec":
        policy = replace(policy, qrels_format=_meaning_of_column_2(judgements, policy, needs))
    return RunByRun(tuple(_run_list(runs, reader, policy.run_format != "auto", policy.names)), judgements, policy)


def document_judgements(runs: Any, qrels: Any, policy: JudgingPolicy) -> Qrels:
    """Judgements of whole documents, read as those of these runs; an error for judgements of passages."""
    judgements = read_judgements(qrels, _run_reader(runs, qrels, policy), policy.qrels_file)
    if isinstance(judgements, Qrels):
        return judgements
    expected = "one grade for each document of a topic, as in a qrels file (topic 0 document grade)"
    raise InputError(file=judgements.source, found="found judgements of passages", expected=expected)


def _run_reader(runs: Any, qrels: Any, policy: JudgingPolicy) -> Reader:
    """The reader of these runs, which also says how their judgements are read."""
    return detected_reader(runs, None if policy.preferences else qrels, policy.run_format)


def refuse_shared_files(runs: Any, qrels: Any) -> None:
    """An error if a file is given both as judgements and as a run."""
    for run in runs if isinstance(runs, list) and isinstance(qrels, Source) else ():
        if isinstance(run, NamedRuns) and is_same_file(run.path, qrels.path) and not run.is_folder:
            name = qrels.name if run.name == "-" else run.name
            raise InputError(f"{name} is given both as judgements and as a run; ", order_of_files(), ".")


def _meaning_of_column_2(qrels: Qrels, policy: JudgingPolicy, needs: frozenset[str]) -> Any:
    """The format that says what column 2 means: by default the subtopic if metrics need one."""
    if policy.column_2 != "auto" or "aspects" not in needs:
        return policy.qrels_format
    if "turns" in needs or (qrels.varied_topics and qrels.has_subtopics):
        return "subtopic"
    if qrels.varied_topics:
        values = first_few(tuple(qrels.frame["subtopic"].unique(maintain_order=True)), 3)
        no_two = "no document is judged for two of its values, so it is probably a judging round"
        found = f"(it has {values}) varies between documents, but {no_two}"
    else:
        found = "has one value per topic, so these are ad hoc judgements"
    needed = "A diversity metric needs subtopics; if column 2 is the subtopic, use "
    pieces = (f"Column 2 of {qrels.source} {found}. {needed}", argument("qrels_format", "subtopic"), ".")
    raise InputError(*pieces, code="no-subtopics")


def _run_list(runs: Any, reader: Reader, format_given: bool, naming: Names) -> list[Run | RunFile]:
    """The runs as a list: files still to be read, all others as Run."""
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        is_nested = isinstance(first, Mapping) and not isinstance(next(iter(first.values()), None), Mapping)
        if is_ranked_lists(runs) or (is_nested and not is_ranked_lists(first)):
            return [Run.of(runs)]
        return [
            run for name, given in runs.items() for run in _named_run(given, str(name), reader, format_given, naming)
        ]
    if not isinstance(runs, list | tuple):
        return [Run.of(runs)]
    if all(isinstance(run, NamedRuns) for run in runs):
        return list(_run_files(runs, reader, format_given, naming))
    result: list[Run | RunFile] = []
    for i, run in enumerate(runs, 1):
        if isinstance(run, NamedRuns):
            result += _run_files([run], reader, format_given, naming)
        else:
            own = getattr(run, "name", None)  # of a run of ranx
            result.append(Run.of(run, own if isinstance(own, str) else f"run{i}"))
    return result


def _named_run(run: Any, name: str, reader: Reader, format_given: bool, naming: Names) -> list[Run | RunFile]:
    """A run, in memory or in a file, with the given name."""
    if not isinstance(run, NamedRuns):
        return [Run.of(run, name)]
    files = list(_run_files([run], reader, format_given, naming))
    if len(files) > 1:
        raise InputError(f"{run} holds {len(files)} runs, but only one name was given, {name}. Name one file for each.")
    return [replace(files[0], name=name)]


def _run_files(named: Sequence[NamedRuns], reader: Reader, format_given: bool, naming: Names) -> Iterator[RunFile]:
    inputs = run_inputs(named, reader, format_given)
    tags = [own.name_run(given) for given, own in inputs]
    places = [given.path_text if isinstance(given, Source) else str(given) for given, _ in inputs]
    own_tag = dict(zip(places, tags, strict=True))
    aliases = {given.path_text: given.alias for given, _ in inputs if isinstance(given, Source)}
    names = names_of_runs(places, naming, lambda place: own_tag[place], aliases)
    for (given, own), tag, name in zip(inputs, tags, names, strict=True):
        yield RunFile(given, own, tag, name)
