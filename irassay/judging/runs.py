"""Whatever a user calls runs and judgements, judged one run at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from irassay.errors import InputError, argument, order_of_files
from irassay.io.detection import detected, read_judgements, run_inputs
from irassay.io.input_files import NamedRuns, open_inputs
from irassay.io.passage_qrels import PassageQrels
from irassay.io.reader import Input, Reader
from irassay.io.run_names import Names, called_alone, distinct, is_same
from irassay.io.sources import Source, ahead
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.judged import Judged
from irassay.judging.kinds import KINDS
from irassay.judging.policy import JudgingPolicy
from irassay.judging.pool import JudgedPool, build_pool
from irassay.prose import first_few


@dataclass(frozen=True)
class RunFile:
    """A run still to be read, and what it will be called."""

    given: Input
    reader: Reader
    tag: str  # what it calls itself
    name: str  # what it is called here

    def read(self, policy: JudgingPolicy) -> Run:
        """The run, with the columns that the policy needs."""
        columns = ["rank"] * (policy.order == "rank") + ["kind"] * (policy.costs is not None)
        run = self.reader.read_run(self.given, columns)
        return run if self.name == self.tag else replace(run, name=self.name)


@dataclass(frozen=True, eq=False)
class RunByRun:
    """Runs and their judgements, which are put together when one goes through them; few are in memory at a time."""

    runs: tuple[Run | RunFile, ...]
    judgements: Qrels | PassageQrels
    policy: JudgingPolicy

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def pool(self) -> JudgedPool:
        """The judgements as a pool."""
        weights: Any = self.policy.weights
        return build_pool(self.judgements, self.policy.qrels_format == "subtopic", weights, self.policy.passage_grade)

    @property
    def ragged(self) -> bool:
        """Whether all judgements as one pool would take far more room than there are."""
        return len(self.pool.groups) > 1

    def __iter__(self) -> Iterator[Judged]:
        _ = self.pool.pool  # built before threads ask for it
        yield from self._each(self.judged)

    def apart(self) -> Iterator[Judged]:
        """The runs, their batches with pools of their own where one would take far more room than the judgements."""
        _ = self.pool.groups
        yield from self._each(lambda run: self.judged(run, apart=True))

    def _each(self, judged: Callable[[Run | RunFile], Judged]) -> Iterator[Judged]:
        files = any(isinstance(run, RunFile) and isinstance(run.given, Source) for run in self.runs)
        return ahead(judged, self.runs) if files else map(judged, self.runs)

    def judged(self, run: Run | RunFile, apart: bool = False) -> Judged:
        """One of the runs, judged."""
        return judge(run if isinstance(run, Run) else run.read(self.policy), self.judgements, self.policy, apart)


def judged_runs(
    runs: Any, qrels: Any, policy: JudgingPolicy | None = None, needs: frozenset[str] = frozenset()
) -> RunByRun:
    """The runs with their judgements, of whatever kind they are; `needs` is what metrics need of them."""
    policy = policy or JudgingPolicy()
    runs, qrels = open_inputs(runs, qrels)
    _refuse_both(runs, qrels)
    reader = detected(runs, qrels, policy.run_format)
    policy = KINDS[reader.kind].policy(policy)
    judgements = read_judgements(qrels, reader, policy.qrels_file)
    if isinstance(judgements, Qrels) and reader.kind == "trec":
        policy = replace(policy, qrels_format=_column_2(judgements, policy, needs))
    return RunByRun(tuple(_listed(runs, reader, policy.run_format != "auto", policy.names)), judgements, policy)


def _refuse_both(runs: Any, qrels: Any) -> None:
    """Says which file is given as judgements and as a run."""
    for run in runs if isinstance(runs, list) and isinstance(qrels, Source) else ():
        if isinstance(run, NamedRuns) and is_same(run.path, qrels.path) and not run.is_folder:
            name = qrels.name if run.name == "-" else run.name
            raise InputError(f"{name} is given as judgements and as a run; {order_of_files()}")


def _column_2(qrels: Qrels, policy: JudgingPolicy, needs: frozenset[str]) -> Any:
    """What column 2 of the judgements means: the subtopic where metrics need one, unless it is said."""
    if policy.column_2 != "auto" or "aspects" not in needs:
        return policy.qrels_format
    if not qrels.varied and "turns" not in needs:
        raise InputError(
            f"{qrels.source} has one value in column 2 for each topic: these are ad hoc judgements, and a diversity "
            f"metric needs judgements by subtopic; if it is the subtopic, say {argument('qrels_format', 'subtopic')}"
        )
    if not qrels.subtopical and "turns" not in needs:
        found = first_few(tuple(qrels.frame["subtopic"].unique(maintain_order=True)), 3)
        raise InputError(
            f"column 2 of {qrels.source} (it has {found}) varies between documents, but no document is judged for two "
            "of its values, so it is hardly the subtopic, which a diversity metric needs, but a judging round or the "
            f"like; if it is the subtopic, say {argument('qrels_format', 'subtopic')}"
        )
    return "subtopic"


def _listed(runs: Any, reader: Reader, told: bool, by: Names) -> list[Run | RunFile]:
    """The runs one by one: files still to be read, everything else as Run."""
    if isinstance(runs, Run):
        runs = [runs]
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        inner = next(iter(first.values()), None) if isinstance(first, Mapping) else first
        if isinstance(first, Mapping) and not isinstance(inner, Mapping):
            return [Run.of(runs)]
        return [run for name, given in runs.items() for run in _called(given, str(name), reader, told, by)]
    if not isinstance(runs, list | tuple):
        return [Run.of(runs)]
    if all(isinstance(run, NamedRuns) for run in runs):
        return list(_files(runs, reader, told, by))
    found: list[Run | RunFile] = []
    for i, run in enumerate(runs, 1):
        if isinstance(run, NamedRuns):
            found += _files([run], reader, told, by)
        else:
            own = getattr(run, "name", None)  # of a run of ranx
            found.append(run if isinstance(run, Run) else Run.of(run, own if isinstance(own, str) else f"run{i}"))
    return found


def _called(run: Any, name: str, reader: Reader, told: bool, by: Names) -> list[Run | RunFile]:
    """A run, in memory or in a file, under the name that it was given."""
    if not isinstance(run, NamedRuns):
        return [Run.of(run, name)]
    files = list(_files([run], reader, told, by))
    if len(files) > 1:
        raise InputError(f"{run} holds {len(files)} runs, and one name was given, {name}; name one file for each")
    return [replace(files[0], name=name)]


def _files(named: Sequence[NamedRuns], reader: Reader, told: bool, by: Names) -> Iterator[RunFile]:
    inputs = run_inputs(named, reader, told)
    tags = [own.name_run(given) for given, own in inputs]
    places = [given.given if isinstance(given, Source) else str(given) for given, _ in inputs]
    own_tag = dict(zip(places, tags, strict=True))
    names = distinct(called_alone(places, by, lambda place: own_tag[place]), places)
    for (given, own), tag, name in zip(inputs, tags, names, strict=True):
        yield RunFile(given, own, tag, name)
