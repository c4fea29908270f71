"""Requests that cannot be answered are refused before a job starts, with the product's message and a pointer."""

import re
from typing import Any

import pytest

from irassay.declarations import index
from tests.lab.conftest import ADHOC, OURS, RunningLab
from tests.lab.test_api import QRELS, problem

pytest.importorskip("uvicorn", reason="needs the extra lab")

RUNS = sorted((OURS / "runs").iterdir())
LATER = {"Prefer": "respond-async"}
HOSTILE = (
    b'{"settings": {"depth": ' + b"[" * 500 + b"]" * 500 + b"}}",
    b'{"settings": {"\\udfff": 1}}',
    b'{"metrics": ["\\ud800"]}',
)


def test_bad_requests_have_pointers(lab: RunningLab, collection: dict[str, Any]) -> None:
    base = f"/api/collections/{collection['id']}"
    cases: list[tuple[str, Any, str]] = [
        ("meta/consistency", {"settings": {"splitz": 5}}, "/settings/splitz"),
        ("meta/consistency", {"metrics": ["AP"], "settings": {"splits": -1}}, "/settings/splits"),
        ("score", {"metrics": ["AP", "nDGC@10"]}, "/metrics/1"),
        ("bench", {"metrics": ["AP", "nDGC@10"]}, "/metrics/1"),
        ("bench", {"metrics": ["RBP"], "settings": {"ranks": "x"}}, "/settings/ranks"),
        ("bench", {"metrics": ["RBP"], "settings": {"rank": 5}}, "/settings/rank"),
        ("score", {"metrics": "AP"}, "/metrics"),
        ("score", {"a/b~": 1}, "/a~1b~0"),
        ("score", {"settings": {"a/b~": 1}}, "/settings/a~1b~0"),
        ("score", {"metric": ["AP"]}, "/metric"),
        ("score", {"settings": {"lengths": "/etc/passwd"}}, "/settings/lengths"),
        ("score", {"settings": {"define": "x.py"}}, "/settings/define"),
        ("score", {"settings": {"output": "x.tsv"}}, "/settings/output"),
        ("score", {"settings": {"format": "csv"}}, "/settings/format"),
        ("compare", {"settings": {"scores": ["s3://bucket/x"]}}, "/settings/scores"),
        ("compare", {"settings": {"cluster": "tcp://127.0.0.1:8786"}}, "/settings/cluster"),
        ("compare", {"settings": {"jobs": 4}}, "/settings/jobs"),
        ("compare", {"settings": {"plot": "x.png"}}, "/settings/plot"),
        ("compare", {"settings": {"save": "x.json"}}, "/settings/save"),
        ("compare", {"settings": {"inputs": ["irds:vaswani", "/etc/passwd"]}}, "/settings/inputs"),
        ("claim", {"settings": {"other": "../../qrels.txt"}}, "/settings/other"),
        ("diff", {}, "/settings/first"),
        ("diff", {"settings": {"first": "https://example.org/x"}}, "/settings/first"),
        ("score", {"settings": {"digits": "x"}}, "/settings/digits"),
        ("score", {"settings": {"by_topic": 1}}, "/settings/by_topic"),
        ("score", {"settings": {"judged_only": "yes"}}, "/settings/judged_only"),
        ("meta/discrimination", {"metrics": ["AP"], "settings": {"levels": 0.1}}, "/settings/levels"),
    ]
    for path, body, pointer in cases:
        for headers in ({}, {"Prefer": "respond-async"}):
            answer = lab.client.post(f"{base}/{path}", json=body, headers=headers)
            errors = problem(answer, 422)["errors"]
            assert errors[0]["pointer"].startswith(pointer), (path, body, errors)


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("compare", {"settings": {"baseline": "nobody"}}, "/settings/baseline"),
        ("compare", {"settings": {"alpha": 2}}, "/settings/alpha"),
        ("compare", {"settings": {"alpha": 1e-16}}, "/settings/alpha"),
        ("compare", {"settings": {"margin": 0}}, "/settings/margin"),
        ("compare", {"settings": {"margin": 0.1, "margin_d": 0.1}}, "/settings/margin"),
        ("compare", {"settings": {"correction": "holm"}}, "/settings/correction"),
        ("compare", {"settings": {"band": 1}}, "/settings/band"),
        ("compare", {"settings": {"lower": ["AP"]}}, "/settings/lower"),
        ("compare", {"settings": {"rel": -1}}, "/settings/rel"),
        ("compare", {"settings": {"max_grade": 0}}, "/settings/max_grade"),
        ("compare", {"settings": {"run_format": "x"}}, "/settings/run_format"),
        ("topics", {"settings": {"pair": ["sys1", "nobody"]}, "metrics": ["AP"]}, "/settings/pair"),
        ("plan", {"settings": {"power": 1}}, "/settings/power"),
        ("meta/generalizability", {"metrics": ["AP"], "settings": {"reliability": 1.5}}, "/settings/reliability"),
        ("meta/unanimity", {"metrics": ["AP"], "settings": {"simple": ["nope"]}}, "/settings/simple"),
        ("meta/robustness", {"metrics": ["AP"]}, "/settings/other"),
        ("/api/reproduce", {"settings": {"paper": "moffat2012", "tables": ["99"]}}, "/settings/tables"),
        ("plan", {"settings": {"margin": 0.1}}, "/settings/margin"),
        ("meta/discrimination", {"metrics": ["AP"], "settings": {"levels": [0]}}, "/settings/levels"),
        ("meta/discrimination", {"metrics": ["AP"], "settings": {"levels": []}}, "/settings/levels"),
        ("meta/discrimination", {}, "/metrics"),
        ("meta/alternatives", {"metrics": ["AP", "RR"], "settings": {"reference": "P@5"}}, "/settings/reference"),
        ("meta/dominance", {"settings": {"show": [""]}}, "/settings/show"),
        ("meta/unanimity", {"metrics": ["AP"]}, "/settings/simple"),
        ("meta/multiverse", {"settings": {"add": ["x=1"]}}, "/settings/add"),
        ("meta/preference", {"metrics": ["AP"]}, "/settings/choices"),
        ("claim", {"metrics": ["AP"]}, "/settings/inputs"),
        ("check", {"metrics": ["AP"]}, "/settings/inputs"),
        ("check", {"metrics": ["AP"], "settings": {"new": "sys1", "old": "nobody"}}, "/settings/old"),
        ("/api/axioms", {"settings": {"axioms": ["x"]}}, "/settings/axioms"),
        ("/api/axioms", {"settings": {"weights": [1]}}, "/settings/weights"),
        ("/api/explain", {"metrics": ["AP"], "settings": {"ranking": "1,a"}}, "/settings/ranking"),
        ("/api/explain", {"metrics": ["AP"], "settings": {"ranks": 10**9}}, "/settings/ranks"),
        ("/api/explain", {"metrics": ["alpha_nDCG@5"], "settings": {"ranking": "1,0"}}, "/settings/ranking"),
        ("/api/metrics", {"settings": {"pattern": "zzz"}}, "/settings/pattern"),
        ("/api/reproduce", {"settings": {"paper": "jiang2016"}}, "/settings/paper"),
        ("table", {"metrics": ["AP"], "settings": {"label": "a}b"}}, "/settings/label"),
        ("topics", {"metrics": ["AP"], "settings": {"topic": "none"}}, "/settings/topic"),
        ("topics", {"metrics": ["AP"], "settings": {"topic": "1", "texts": True}}, "/settings/texts"),
        ("plan", {"metrics": ["AP"], "settings": {"difference": 3}}, "/settings/difference"),
        ("meta/similarity", {"metrics": ["AP"]}, "/metrics"),
        ("meta/alternatives", {"metrics": ["AP"], "settings": {"reference": "AP"}}, "/metrics"),
        ("meta/unanimity", {"metrics": ["AP"], "settings": {"simple": ["AP"]}}, "/metrics"),
        (
            "meta/intuitiveness",
            {"metrics": ["AP"], "settings": {"simple": ["RR"], "tested": ["RBP"]}},
            "/settings/tested",
        ),
        ("meta/fragility", {"metrics": ["AP_IA"]}, "/metrics"),
        ("plan", {"metrics": ["AP"], "settings": {"trials": 10}}, "/settings/trials"),
        ("validate", {"settings": {"paths": []}}, "/settings/paths"),
        ("score", {"metrics": ["AP", "alpha_nDCG@10"]}, "/settings/qrels_format"),
        ("score", {"metrics": ["TBG"]}, "/settings/lengths"),
        ("compare", {"metrics": ["sDCG"]}, "/settings/run_format"),
        ("compare", {"metrics": [f"P@{k}" for k in range(1, 1002)]}, "/metrics"),
    ],
)
def test_what_a_method_would_refuse_is_refused_before_a_job(
    lab: RunningLab, collection: dict[str, Any], path: str, body: dict[str, Any], pointer: str
) -> None:
    url = path if path.startswith("/") else f"/api/collections/{collection['id']}/{path}"
    refused = lab.client.post(url, json=body, headers=LATER)
    error = problem(refused, 422)["errors"][0]
    assert error["pointer"] == pointer, error
    assert not re.search(r"(?<!\w)--\w", error["detail"]), error["detail"]  # no option of the command line


def test_too_few_runs_are_refused_before_a_job(lab: RunningLab) -> None:
    collection = lab.upload(("qrels", ADHOC / "qrels_nonneg.txt"), ("run", OURS / "runs" / "sys1.txt"))
    commands = {name: entry for name, entry in index()["commands"].items() if entry["least_runs"] > 1}
    assert {"compare", "report", "meta consistency"} <= commands.keys()
    for command in commands:
        url = f"/api/collections/{collection['id']}/{command.replace(' ', '/')}"
        refused = lab.client.post(url, json={"metrics": ["AP"]}, headers=LATER)
        error = problem(refused, 422)["errors"][0]
        assert error == {"pointer": "/settings/inputs", "detail": error["detail"]}
        assert error["detail"] == f"{command} needs at least 2 runs; found 1 run. Give more runs."


def test_files_are_looked_at_before_a_job(lab: RunningLab) -> None:
    extra = lab.upload(
        ("qrels", QRELS),
        *(("run", run) for run in RUNS),
        ("groups", ("groups.txt", b"sys1\n")),
        ("other", RUNS[0]),
    )
    ids = {file["role"]: file["id"] for file in extra["files"]}
    qrels, run = ids["qrels"], ids["run"]
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("score", {"lengths": run}, "/settings/lengths"),
        ("score", {"weights": qrels}, "/settings/weights"),
        ("score", {"topic_params": qrels}, "/settings/topic_params"),
        ("score", {"qrels": run}, "/settings/runs"),
        ("score", {"runs": []}, "/settings/runs"),
        ("score", {"run_format": "json"}, "/settings/runs"),
        ("score", {"max_grade": 0.5}, "/settings/max_grade"),
        ("compare", {"inputs": [qrels, run, run]}, "/settings/inputs"),
        ("compare", {"scores": [qrels]}, "/settings/scores"),
        ("plan", {"groups": ids["groups"]}, "/settings/groups"),
        ("meta/robustness", {"other": ids["other"]}, "/settings/other"),
        ("claim", {"inputs": [qrels, run, qrels]}, "/settings/inputs"),
    ]
    for path, settings, pointer in cases:
        body = {"metrics": ["AP"], "settings": settings}
        url = f"/api/collections/{extra['id']}/{path}"
        error = problem(lab.client.post(url, json=body, headers=LATER), 422)["errors"][0]
        assert error["pointer"] == pointer, (path, settings, error)


def test_files_of_one_method_are_looked_at_before_a_job(lab: RunningLab) -> None:
    tables = ("ratings", ("ratings.tsv", b"no header\n")), ("log", ("log.tsv", b"no header\n"))
    teams = ("groups", ("groups.tsv", b"sys1\tA\nsys2\tB\n"))
    made = lab.upload(
        ("qrels", QRELS), *(("run", run) for run in RUNS), ("other", ("m.txt", b"none 0 d1 1\n")), *tables, teams
    )
    ids = {file["role"]: file["id"] for file in made["files"]}
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("judges", {}, "/settings/others"),
        ("judges", {"runs": [ids["run"]]}, "/settings/runs"),
        ("meta/effort", {}, "/settings/log"),
        ("report", {"ratings": ids["ratings"]}, "/settings/ratings"),
        ("report", {"groups": ids["groups"]}, "/settings/groups"),
        ("meta/robustness", {"groups": ids["groups"]}, "/settings/groups"),
    ]
    for path, settings, pointer in cases:
        url = f"/api/collections/{made['id']}/{path}"
        error = problem(lab.client.post(url, json={"settings": settings}, headers=LATER), 422)["errors"][0]
        assert error["pointer"] == pointer, (path, settings, error)
    some_teams = lab.client.post(f"/api/collections/{made['id']}/plan", json={"settings": {"groups": ids["groups"]}})
    assert lab.finished(some_teams).status_code == 200  # a plan leaves out the others


@pytest.mark.parametrize("paper", ["albahem2019", "jiang2016"])
def test_papers_that_need_files_are_for_the_command_line(lab: RunningLab, paper: str) -> None:
    refused = problem(lab.client.post("/api/reproduce", json={"settings": {"paper": paper}}), 422)
    assert refused["detail"].endswith(" That is not possible over HTTP; run the command irassay reproduce.")


def test_what_only_other_files_say_ends_the_job(lab: RunningLab) -> None:
    damaged = ("sys9.txt", b"1 Q0 d1 1 high tag\n")
    made = lab.upload(("qrels", QRELS), ("run", RUNS[0]), ("run", damaged))
    started = lab.client.post(f"/api/collections/{made['id']}/compare", json={"metrics": ["AP"]}, headers=LATER)
    assert started.status_code == 202
    assert problem(lab.finished(started), 409)["detail"].startswith("sys9.txt, line 1: ")


def test_tables_are_looked_at_before_a_job(lab: RunningLab) -> None:
    rows = "".join(f"s1,{topic},AP,{topic / 10}\n" for topic in range(9))
    made = lab.upload(("scores", ("scores.csv", f"run,topic,metric,value\n{rows}".encode())))
    url = f"/api/collections/{made['id']}"
    for path, body in (
        ("compare", {"metrics": ["P@10"]}),
        ("compare", {}),
        ("plan", {"settings": {"baseline": "s2"}}),
        ("meta/similarity", {}),
    ):
        problem(lab.client.post(f"{url}/{path}", json=body, headers=LATER), 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("leaderboard", {}),
        ("leaderboard", {"metrics": "AP"}),
        ("leaderboard", {"metrics": [1]}),
        ("leaderboard", {"metrics": ["AP"], "values": [1]}),
        ("topics", {"metric": ["AP"]}),
        ("release", {"metrics": ["AP"]}),
        ("release", {"metric": "RBP", "pair": ["a"]}),
        ("release", {"metric": "nDCG@10", "parameter": "cutoff", "values": ["x"]}),
        ("bench", {"metrics": ["RBP"], "settings": 5}),
    ],
)
def test_what_no_page_sends_is_refused(
    lab: RunningLab, collection: dict[str, Any], path: str, body: dict[str, Any]
) -> None:
    answer = lab.client.post(f"/lab/{path}", json={"collection": collection["id"], **body}).json()
    assert answer["refused"]["status"] == 422, answer


def test_a_body_that_readers_would_disagree_about_is_refused(lab: RunningLab, collection: dict[str, Any]) -> None:
    headers = {"Content-Type": "application/json"}
    bodies = [b'{"metrics": ["AP"], "metrics": ["RR"]}', b'{"settings": {"depth": 3, "depth": 4}}', b"[" * 100_000]
    for body in (*bodies, b'{"settings": {"depth": ' + b"9" * 5000 + b"}}", b"\xff", b'{"metrics": ["AP"],}', *HOSTILE):
        answer = lab.client.post(f"/api/collections/{collection['id']}/score", content=body, headers=headers)
        assert "python" not in problem(answer, 400)["detail"].lower() and "sys." not in answer.text
