"""The commands that the lab shows: they name files as they were given, and do what the lab did."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from irassay.simulation import simulate
from tests.lab.conftest import RunningLab

pytest.importorskip("uvicorn", reason="needs the extra lab")


def shown_and_answered(lab: RunningLab, collection: str, **request: Any) -> tuple[str, dict[str, Any]]:
    """The command that the lab shows for a request, and the document of its answer."""
    job = lab.client.post("/lab/run", json={"collection": collection, **request}).json()
    with lab.client.stream("GET", f"/api/jobs/{job['id']}/events") as events:
        for _ in events.iter_lines():
            pass
    return job["command"], lab.client.get(f"/api/jobs/{job['id']}/result").json()


def printed_document(command: str, folder: Path) -> dict[str, Any]:
    words = [sys.executable, "-m", *shlex.split(command), "--format", "json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_commands_name_files_as_the_command_line_of_the_lab_did(tmp_path: Path) -> None:
    source = simulate(3, 6, 4).write(tmp_path / "source")
    runs = sorted((source / "runs").iterdir())
    for n, run in enumerate(runs):
        folder = tmp_path / ("one", "two")[n % 2]
        folder.mkdir(exist_ok=True)
        run.rename(folder / ("same.txt" if n < 2 else run.name))
    lab = RunningLab("source/qrels.txt", "one/", "two/", "--workspace", str(tmp_path / "workspace"), cwd=tmp_path)
    try:
        collection = lab.client.get("/api/collections").json()[0]
        assert {file["name"] for file in collection["files"]} >= {"qrels.txt", "same.txt"}
        request = {"method": "compare", "metrics": ["AP"], "settings": {"baseline": "two/same"}}
        command, answered = shown_and_answered(lab, collection["id"], **request)
    finally:
        assert lab.stop() == 0
    assert "source/qrels.txt one/" in command and " one/same.txt two/" in command and " two/same.txt " in command
    printed = printed_document(command, tmp_path)
    named = [Path(each["path"]).name for each in printed.pop("inputs")]
    assert [each["path"] for each in answered.pop("inputs")] == named
    assert answered == printed


def test_a_command_that_cannot_be_exact_says_why(lab: RunningLab) -> None:
    run = ("bm25.txt", b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n")
    collection = lab.upload(("qrels", ("qrels.txt", b"1 0 a 1\n1 0 b 0\n")), ("run", run), ("run", run))
    command, _ = shown_and_answered(lab, collection["id"], method="score", metrics=["AP"])
    assert command.startswith("# Several of the uploaded files are called bm25.txt.")
    lab.client.delete(f"/api/collections/{collection['id']}")


def test_files_are_said_to_be_without_problems_only_once_they_are_checked(tmp_path: Path) -> None:
    source = simulate(3, 6, 4).write(tmp_path / "source")
    lab = RunningLab(str(source / "qrels.txt"), str(source / "runs"), "--workspace", str(tmp_path / "workspace"))
    try:
        early = lab.client.get("/data").text
        id = lab.client.get("/api/collections").json()[0]["id"]
        while not lab.client.get(f"/lab/checked/{id}").json()["checked"]:
            pass  # each answer waits for the check
        late = lab.client.get("/data").text
        assert "data-checking" not in late and ("on the files" in late or "No problems were found" in late)
        assert ("data-checking" in early) is not ("on the files" in early or "No problems were found" in early)
    finally:
        assert lab.stop() == 0


def test_score_tables_are_not_said_to_be_checked(lab: RunningLab) -> None:
    table = b"topic\tsystem\tAP\n" + b"".join(b"%d\t%s\t0.5\n" % (t, s) for t in range(5) for s in (b"a", b"b"))
    collection = lab.upload(("scores", ("table.tsv", table)), name="only a table")
    page = lab.client.get(f"/data?collection={collection['id']}").text
    article = page[page.index(f'id="{collection["id"]}"') :].partition("</article>")[0]
    assert "No problems were found" not in article and "checked when a method reads them" in article
    lab.client.delete(f"/api/collections/{collection['id']}")


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("my %22best%22 run.txt", 'my "best" run.txt'),  # as browsers write it
        ("50%25 %41.txt", "50%25 %41.txt"),  # they escape nothing else
        ("é" * 125 + ".txtx", "é" * 125 + ".txtx"),  # 255 bytes
    ],
)
def test_names_are_read_as_browsers_send_them(lab: RunningLab, sent: str, name: str) -> None:
    part = f'--B\r\nContent-Disposition: form-data; name="qrels"; filename="{sent}"\r\n\r\n1 0 a 1\n\r\n--B--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    answer = lab.client.post("/api/collections", content=part.encode(), headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.json()["files"][0]["name"] == name
    lab.client.delete(f"/api/collections/{answer.json()['id']}")


@pytest.mark.parametrize("sent", ["two%0Alines.txt", "two%0D%0Alines.txt", "é" * 126 + ".txt"])
def test_names_that_would_be_unreadable_are_refused(lab: RunningLab, sent: str) -> None:
    part = f'--B\r\nContent-Disposition: form-data; name="qrels"; filename="{sent}"\r\n\r\n1 0 a 1\n\r\n--B--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    assert lab.client.post("/api/collections", content=part.encode(), headers=headers).status_code == 422


def test_the_schema_of_a_level_excludes_its_ends(lab: RunningLab) -> None:
    methods = {each["path"]: each for each in lab.client.get("/api/methods").json()}
    schema = methods["meta/discrimination"]["settings"]["properties"]["levels"]["items"]
    assert (schema["exclusiveMinimum"], schema["exclusiveMaximum"]) == (0, 1)
    schema = methods["compare"]["settings"]["properties"]["alpha"]
    assert (schema["minimum"], schema["exclusiveMaximum"]) == (1e-15, 1)


@pytest.mark.parametrize(
    ("method", "lacking"),
    [("meta/effort", "log ("), ("meta/satisfaction", "sessions, or score tables with ratings"), ("compare", "")],
)
def test_a_method_says_which_files_it_lacks(
    lab: RunningLab, collection: dict[str, Any], method: str, lacking: str
) -> None:
    page = lab.client.get(f"/metrics?method={method}&collection={collection['id']}").text
    assert ("This needs files that the collection does not have" in page) is bool(lacking)
    assert f"does not have: {lacking}" in page or not lacking


def test_the_leaderboard_by_label_set_has_commands_that_run(lab: RunningLab, tmp_path: Path) -> None:
    source = simulate(3, 6, 4).write(tmp_path / "source")
    (source / "model.txt").write_text((source / "qrels.txt").read_text().replace(" 1\n", " 0\n"))
    runs = [run.rename(source / run.name) for run in sorted((source / "runs").iterdir())]
    others = (("qrels", "qrels.txt"), ("other", "model.txt"), ("lengths", "lengths.tsv"))
    collection = lab.upload(*((role, source / name) for role, name in others), *(("run", run) for run in runs))
    answer = lab.client.post("/lab/judges", json={"collection": collection["id"], "metric": "TBG"}).json()
    commands = [line for line in answer["command"].splitlines() if line]
    assert len(commands) == 2 and all("--lengths lengths.tsv" in command for command in commands)
    for command, labels in zip(commands, answer["sets"], strict=True):
        rows = printed_document(command, source)["results"]
        means = {row["run"]: row["value"] for row in rows if row["topic"] == "all"}
        assert means == pytest.approx(labels["means"], abs=1e-9)
    lab.client.delete(f"/api/collections/{collection['id']}")
