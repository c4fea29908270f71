"""The same answer over the API and on the command line, compared as documents, for every method."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from irassay.declarations import index
from irassay.lab.arguments import is_api_method, takes_files, uses_collection
from irassay.lab.requests import api_path
from irassay.simulation import simulate
from tests.lab.conftest import ADHOC, OURS, ROOT, RunningLab
from tests.support.keywords import SMALL
from tests.test_ask import CASES, SHARED, TREC_EVAL, command_line, printed

pytest.importorskip("uvicorn", reason="needs the extra lab")

COMMANDS = index()["commands"]
RUNS = sorted((OURS / "runs").iterdir())
FILES = {  # role to files; names on the command line are those given at upload
    "qrels": [ADHOC / "qrels_nonneg.txt"], "run": RUNS, "other": [OURS / "other_qrels.txt"],
    "choices": [OURS / "all_choices.tsv"], "log": [OURS / "log.tsv"],
}  # fmt: skip
QRELS, NAMES = "qrels_nonneg.txt", [run.name for run in RUNS]
INPUTS: dict[str, Any] = {  # the inputs on a command line, by name
    "inputs": [QRELS, *NAMES], "qrels": QRELS, "runs": NAMES, "human": QRELS, "others": ["other_qrels.txt"],
    "log": "log.tsv", "paths": [QRELS, *NAMES, "other_qrels.txt"],
}  # fmt: skip
TWO_RUNS = ("check", "claim")  # methods about two runs of the collection, given by their ids
OF_OTHER_FILES = ("sessions", "first")  # inputs with a test of their own


@pytest.fixture(scope="module")
def files(lab: RunningLab, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """A collection, and a folder with the same files."""
    folder = tmp_path_factory.mktemp("files")
    for paths in FILES.values():
        for path in paths:
            shutil.copy(path, folder)
    return lab.upload(*((role, path) for role, paths in FILES.items() for path in paths)), folder


@pytest.mark.parametrize(
    "command", [c for c in CASES if is_api_method(COMMANDS[c]) and not {*OF_OTHER_FILES} & {*CASES[c][0]}]
)
def test_the_api_answers_with_the_document_of_the_command(
    command: str,
    lab: RunningLab,
    files: tuple[dict[str, Any], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    collection, folder = files
    entry, (given, settings, _) = COMMANDS[command], CASES[command]
    arguments = {argument["name"]: argument for argument in entry["arguments"] if argument["part"] != "envelope"}
    small = {name: value for name, value in SMALL.items() if name in ("splits", "subsets", "repeats")}
    settings = {name: value for name, value in small.items() if name in arguments} | settings
    ids = {file["name"]: file["id"] for file in collection["files"]}
    settings = {n: Path(v).name if n == "choices" else NAMES if n == "runs" else v for n, v in settings.items()}
    over_http = {
        SHARED.get(name, name) if command == "meta intuitiveness" else name: ids[value] if name == "choices" else value
        for name, value in settings.items()
        if name not in ("metrics", "runs")
    }
    metrics = settings.get("metrics") or given.get("metrics") or ([given["metric"]] if "metric" in given else None)
    words = {name: value for name, value in given.items() if not takes_files(arguments[name])}
    over_http |= {name: value for name, value in words.items() if name not in ("metrics", "metric")}
    if command in TWO_RUNS:
        over_http["inputs"] = [ids[name] for name in (QRELS, *NAMES[:2])]
    body = {"settings": over_http} | ({"metrics": metrics} if metrics else {})
    base = f"/api/collections/{collection['id']}" if uses_collection(entry) else "/api"
    answer = lab.finished(lab.client.post(f"{base}/{api_path(command)}", json=body))
    assert answer.status_code == 200, answer.text
    monkeypatch.chdir(folder)
    on_line = {name: INPUTS[name] for name in given if takes_files(arguments[name]) and name in INPUTS} | words
    on_line |= {"inputs": [QRELS, *NAMES[:2]]} if command in TWO_RUNS else {}
    printed_document = printed(monkeypatch, capsys, *command_line(command, on_line, settings))
    assert answer.json() == printed_document


@pytest.mark.parametrize(
    "settings",
    [
        {"other": "qrels.txt"},
        {"noise": "noise.txt"},
        {"groups": "groups.txt"},
        {"thin": [0.5]},
        {"pool_depth": [5, 10]},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_robustness_by_every_alteration(
    settings: dict[str, Any],
    lab: RunningLab,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The other judgements have the name of the judgements, so that they are in a folder, here and there."""
    (tmp_path / "human").mkdir()
    human = Path(shutil.copy(ADHOC / "qrels_nonneg.txt", tmp_path / "human" / "qrels.txt"))
    roles = {"other": OURS / "other_qrels.txt", "noise": OURS / "noise.txt", "groups": OURS / "groups.txt"}
    side = {
        role: Path(shutil.copy(path, tmp_path / ("qrels.txt" if role == "other" else path.name)))
        for role, path in roles.items()
    }
    for run in RUNS:
        shutil.copy(run, tmp_path)
    collection = lab.upload(("qrels", human), *(("run", run) for run in RUNS), *side.items())
    ids = {file["role"]: file["id"] for file in collection["files"]}
    more = {"repeats": 2, "test": "t"}
    over_http = {name: ids[name] if name in side else value for name, value in settings.items()} | more
    body = {"metrics": ["AP", "P@10"], "settings": over_http}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/meta/robustness", json=body))
    assert answer.status_code == 200, answer.text
    monkeypatch.chdir(tmp_path)
    words = command_line(
        "meta robustness", {"inputs": ["human/qrels.txt", *NAMES], "metrics": ["AP", "P@10"]}, settings | more
    )
    printed_document = printed(monkeypatch, capsys, *words)
    paths = [each["path"] for each in answer.json()["inputs"]]
    assert paths == ["qrels.txt", *(each["path"] for each in printed_document["inputs"][1:])]
    assert answer.json()["parameters"] == printed_document["parameters"]
    assert answer.json()["results"] == printed_document["results"]


@pytest.mark.parametrize("command", [command for command in CASES if "sessions" in CASES[command][0]])
def test_sessions_and_their_ratings_are_inputs(
    command: str, lab: RunningLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(1, 5, 3).write(tmp_path)
    roles = {"sessions": "sessions.tsv", "ratings": "ratings.tsv", "qrels": "session_qrels.txt"}
    collection = lab.upload(*((role, tmp_path / name) for role, name in roles.items()))
    settings = {**CASES[command][1]}
    body = {"metrics": ["RBP", "P@5"] if "trials" in settings else ["RBP"], "settings": settings}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/{api_path(command)}", json=body))
    assert answer.status_code == 200, answer.text
    monkeypatch.chdir(tmp_path)
    words = command_line(command, roles | {"metrics": body["metrics"]}, settings)
    assert answer.json() == printed(monkeypatch, capsys, *words)


@pytest.mark.parametrize("command", [command for command in CASES if "sessions" in CASES[command][0]])
def test_a_folder_of_sessions_is_several_files(
    command: str, lab: RunningLab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given, settings, _ = CASES[command]
    folder = ROOT / given["sessions"]
    collection = lab.upload(*(("sessions", path) for path in sorted(folder.iterdir())))
    assert {file["name"] for file in collection["files"]} == {"qrels", "results", "session"}
    body = {"metrics": given["metrics"], "settings": settings}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/{api_path(command)}", json=body))
    assert answer.status_code == 200, answer.text
    monkeypatch.chdir(folder)
    on_line = {"sessions": ".", "metrics": given["metrics"]}
    assert answer.json() == printed(monkeypatch, capsys, *command_line(command, on_line, settings))


def test_rankings_have_the_texts_of_their_documents(
    lab: RunningLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(1, 5, 2).write(tmp_path)
    run, other = sorted((tmp_path / "runs").iterdir())
    names = {line.split()[2] for line in run.read_text().splitlines()}
    with gzip.open(tmp_path / "texts.tsv.gz", "wt") as file:
        file.writelines(f"{name}\t<i>Text</i> of {name}\n" for name in sorted(names))
    roles = {"qrels": "qrels.txt", "run": f"runs/{run.name}", "documents": "texts.tsv.gz"}
    collection = lab.upload(*((role, tmp_path / name) for role, name in roles.items()), ("run", other))
    texts = next(file["id"] for file in collection["files"] if file["role"] == "documents")
    body = {"metrics": ["nDCG@5"], "settings": {"topic": "101", "documents": texts}}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/topics", json=body))
    for path in (run, other):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["qrels.txt", run.name, other.name, "-m", "nDCG@5", "--topic", "101", "--documents", "texts.tsv.gz"]
    assert answer.json() == printed(monkeypatch, capsys, "topics", *words)
    assert answer.json()["results"][0]["A text"] == f"<i>Text</i> of {answer.json()['results'][0]['A']}"


REGISTRATION = """
from pathlib import Path
from ir_datasets import formats, registry
from ir_datasets.datasets.base import Dataset
from ir_datasets.util import LocalDownload

docs, queries, qrels = (LocalDownload(Path(__file__).parent / name) for name in ("docs", "queries", "qrels"))
parts = (formats.TsvDocs(docs, namespace="irassay-lab", lang="en"), formats.TsvQueries(queries, lang="en"))
registry.register("irassay-lab", Dataset(*parts, formats.TrecQrels(qrels, {1: "Relevant", 0: "Not"})))
"""


def test_a_dataset_on_the_command_line_has_judgements_and_texts(tmp_path: Path) -> None:
    pytest.importorskip("ir_datasets", reason="needs the extra ir-datasets")
    (tmp_path / "sitecustomize.py").write_text(REGISTRATION)  # in every process of the lab
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d2 1\n")
    (tmp_path / "queries").write_text("1\thow to fix a tyre\n2\tpoems\n")
    (tmp_path / "docs").write_text("d1\tTyres are fixed with patches\nd2\tA poem\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d2 1 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 d2 1 2 b\n1 Q0 d1 2 1 b\n2 Q0 d1 1 2 b\n2 Q0 d2 2 1 b\n")
    lab = RunningLab("irds:irassay-lab", "a.run", "b.run", cwd=tmp_path, python_path=tmp_path)
    try:
        (collection,) = lab.client.get("/api/collections").json()
        assert [file["name"] for file in collection["files"]] == ["irds:irassay-lab", "a.run", "b.run"]
        body = {"metrics": ["AP"], "settings": {"topic": "1", "texts": True}}
        answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/topics", json=body)).json()
        assert answer["inputs"][0]["path"] == "irds:irassay-lab"
        assert answer["results"][0]["A text"] == "Tyres are fixed with patches"
        bench = lab.client.post(f"/api/collections/{collection['id']}/bench", json={"metrics": ["RBP"]}).json()
        assert bench["systems"] == ["a", "b"]
    finally:
        assert lab.stop() == 0


def test_tables_of_two_tools_are_inputs(
    lab: RunningLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = {"first": TREC_EVAL[0], "second": TREC_EVAL[1], "qrels": f"{ADHOC}/qrels.txt", "run": f"{ADHOC}/runA.txt"}
    paths = {role: Path(shutil.copy(ROOT / path, tmp_path)) for role, path in roles.items()}
    collection = lab.upload(*paths.items())
    qrels = next(file["id"] for file in collection["files"] if file["role"] == "qrels")
    answer = lab.finished(
        lab.client.post(f"/api/collections/{collection['id']}/diff", json={"settings": {"qrels": qrels}})
    )
    monkeypatch.chdir(tmp_path)
    first, second, qrels_file, run = (path.name for path in paths.values())
    assert answer.json() == printed(monkeypatch, capsys, "diff", first, second, "--qrels", qrels_file, "--runs", run)


@pytest.mark.parametrize("command", ["compare", "topics", "meta consistency"])
def test_tables_may_have_metrics_of_their_own(
    command: str, lab: RunningLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"s{s},{t},{m},{(7 * s + 3 * t) % 10 / 10}\n" for s in range(4) for t in range(12) for m in ("mine", "AP")]
    (tmp_path / "mine.csv").write_text("".join(["run,topic,metric,value\n", *rows]))
    collection = lab.upload(("scores", tmp_path / "mine.csv"))
    body = {"metrics": ["mine"]}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/{api_path(command)}", json=body))
    assert answer.status_code == 200, answer.text
    monkeypatch.chdir(tmp_path)
    words = [*command.split(), "--scores", "mine.csv", "-m", "mine"]
    assert answer.json() == printed(monkeypatch, capsys, *words)


def test_files_with_the_same_name_keep_it(lab: RunningLab) -> None:
    qrels = (ADHOC / "qrels_nonneg.txt").read_bytes()
    collection = lab.upload(
        ("qrels", ("qrels.txt", qrels)),
        ("run", RUNS[0]),
        ("run", RUNS[1]),
        ("other", ("qrels.txt", (OURS / "other_qrels.txt").read_bytes())),
    )
    assert [file["name"] for file in collection["files"]] == ["qrels.txt", *NAMES[:2], "qrels.txt"]
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/judges", json={"metrics": ["AP"]}))
    assert answer.status_code == 200, answer.text
    assert {each["path"] for each in answer.json()["inputs"]} == {"qrels.txt", *NAMES[:2]}
    assert "other/qrels.txt" not in json.dumps(answer.json())


def test_runs_with_the_same_file_name_have_different_names_in_every_format(lab: RunningLab) -> None:
    files = [("run", ("input.run", run.read_bytes())) for run in RUNS[:3]]
    collection = lab.upload(("qrels", ADHOC / "qrels_nonneg.txt"), *files)
    assert [file["name"] for file in collection["files"]][1:] == ["input.run"] * 3
    later = {"Prefer": "respond-async"}
    started = lab.client.post(f"/api/collections/{collection['id']}/score", json={"metrics": ["AP"]}, headers=later)
    document = lab.finished(started).json()
    assert [each["path"] for each in document["inputs"]][1:] == ["input.run"] * 3
    runs = [row["run"] for row in document["results"]]
    assert len(set(runs)) == 3
    table = lab.client.get(f"{started.headers['location']}/result?format=csv").text
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == runs
    settings = {"baseline": runs[2]}
    answer = lab.client.post(f"/api/collections/{collection['id']}/compare", json={"settings": settings})
    assert lab.finished(answer).status_code == 200


def test_documents_named_like_folders_of_the_lab_keep_their_names(lab: RunningLab) -> None:
    qrels = b"".join(b"%d 0 %s 1\n" % (t, d) for t in (1, 2) for d in (b"~2/q.txt", b"c"))
    runs = [
        b"".join(b"%d Q0 %s 1 %d t\n" % (t, d, n) for t in (1, 2) for n, d in enumerate(docs))
        for docs in ((b"c", b"~2/q.txt"), (b"~2/q.txt", b"c"))
    ]
    collection = lab.upload(
        ("qrels", ("q.txt", qrels)),
        ("run", ("r.txt", runs[0])),
        ("run", ("s.txt", runs[1])),
        ("other", ("q.txt", qrels)),
    )
    body = {"metrics": ["P@1"], "settings": {"topic": "1"}}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/topics", json=body))
    assert {answer.json()["results"][0][side] for side in "AB"} == {"~2/q.txt", "c"}


def test_messages_have_the_names_that_files_were_given(lab: RunningLab) -> None:
    files = [("run", ("r.txt", b"1 Q0 d1 1 high tag\n")), ("run", ("r.txt", b"1 Q0 d1 1 low tag\n"))]
    collection = lab.upload(("qrels", ADHOC / "qrels_nonneg.txt"), *files)
    assert sum(note.startswith("r.txt:1: error") for note in collection["notes"]) == 2, collection["notes"]
    runs = {"runs": [collection["files"][2]["id"]]}
    answer = lab.finished(lab.client.post(f"/api/collections/{collection['id']}/score", json={"settings": runs}))
    assert answer.json()["detail"].startswith("r.txt, line 1"), answer.text


def test_names_like_keys_numbers_and_metrics_change_nothing_else(lab: RunningLab) -> None:
    names = ["run", "path", "AP", "1", "results", "0.5"]
    files = [("run", (name, RUNS[n % len(RUNS)].read_bytes())) for n, name in enumerate(names)]
    qrels = (ADHOC / "qrels_nonneg.txt").read_bytes()
    plain, twice = (lab.upload(("qrels", ("run", qrels)), *files, *more) for more in ([], [("other", ("path", qrels))]))
    for made in (plain, twice):
        url = f"/api/collections/{made['id']}/score"
        document = lab.finished(lab.client.post(url, json={"metrics": ["AP"]})).json()
        assert [row["run"] for row in document["results"]] == names
        assert {row["metric"] for row in document["results"]} == {"AP"}
        assert [each["path"] for each in document["inputs"]] == ["run", *names]
