"""The API: collections, jobs, problem documents, and who is let in."""

import gzip
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest

from irassay.declarations import index
from irassay.lab.arguments import is_accepted, is_api_method, takes_files
from irassay.simulation import simulate
from tests.lab.conftest import ADHOC, OURS, RunningLab

pytest.importorskip("uvicorn", reason="needs the extra lab")

QRELS, RUN = ADHOC / "qrels_nonneg.txt", OURS / "runs" / "sys1.txt"
MANY = [f"{name}@{k}" for name in ("P", "nDCG") for k in range(1, 51)]
SLOW = {"metrics": MANY, "settings": {"trials": 10_000_000, "test": "bootstrap"}}  # minutes on any machine


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The problem document of an answer, checked for what all have."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["status"] == status and document["detail"] and "Traceback" not in answer.text
    return document


# Collections


def test_a_collection_is_uploaded_listed_and_removed(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", RUN), name="mine")
    assert uploaded["name"] == "mine" and [file["role"] for file in uploaded["files"]] == ["qrels", "run"]
    import hashlib

    assert uploaded["files"][1]["sha256"] == hashlib.sha256(RUN.read_bytes()).hexdigest()
    assert uploaded in lab.client.get("/api/collections").json()
    path = f"/api/collections/{uploaded['id']}"
    assert lab.client.get(path).json() == uploaded
    assert lab.client.delete(path).status_code == 204
    problem(lab.client.get(path), 404)


def test_an_upload_reports_what_validate_reports_with_file_and_line(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", ("odd.txt", b"1 Q0 d1 1 high tag\n")))
    assert any(note.startswith("odd.txt:1: error") for note in uploaded["notes"]), uploaded["notes"]


def test_compressed_files_are_read(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", ("sys1.txt.gz", gzip.compress(RUN.read_bytes()))))
    answer = lab.finished(lab.client.post(f"/api/collections/{uploaded['id']}/score", json={"metrics": ["AP"]}))
    assert {row["run"] for row in answer.json()["results"]} == {"sys1"}


@pytest.mark.parametrize("field", ["unknown", "define", "output", "save"])
def test_an_unknown_field_is_refused(lab: RunningLab, field: str) -> None:
    answer = lab.client.post("/api/collections", files=[("qrels", ("q", b"1 0 a 1\n")), (field, ("x", b"x"))])
    assert problem(answer, 422)["errors"][0]["pointer"] == f"/{field}"


@pytest.mark.parametrize("name", ["../../escape.txt", "/etc/passwd", "..\\..\\escape.txt", "a/b/../../c.txt"])
def test_names_never_become_paths(lab: RunningLab, name: str) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", (name, RUN.read_bytes())))
    assert "/" not in uploaded["files"][1]["name"] and "\\" not in uploaded["files"][1]["name"]


def test_names_may_have_any_letters(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", ("système 検索 😀.txt", RUN.read_bytes())), name="Überblick")
    assert uploaded["name"] == "Überblick" and uploaded["files"][1]["name"] == "système 検索 😀.txt"
    answer = lab.finished(lab.client.post(f"/api/collections/{uploaded['id']}/score", json={"metrics": ["AP"]}))
    assert {row["run"] for row in answer.json()["results"]} == {"système 検索 😀"}


@pytest.mark.parametrize("name", ["..", ".", "-", "s3:", "a\u202eb", "x" * 300])
def test_names_that_no_file_should_have_are_refused(lab: RunningLab, name: str) -> None:
    answer = lab.client.post("/api/collections", files=[("run", (name, b"1 Q0 a 1 1 t\n"))])
    problem(answer, 422)


def test_a_bomb_is_refused(lab: RunningLab) -> None:
    bomb = gzip.compress(b"0" * (100 << 20))
    problem(lab.client.post("/api/collections", files=[("run", ("bomb.gz", bomb))]), 413)
    assert not list((Path(lab.process.args[-1]) / "incoming").iterdir())  # type: ignore[index]


def test_a_form_that_ends_early_leaves_nothing(lab: RunningLab) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="run"; filename="r"\r\n\r\n1 Q0 a 1 1 t\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    problem(lab.client.post("/api/collections", content=body, headers=headers), 400)
    problem(lab.client.post("/api/collections", json={}), 415)
    headers["Content-Type"] = f"multipart/form-data; boundary={'x' * 5000}"
    problem(lab.client.post("/api/collections", content=body, headers=headers), 400)


# Methods


def test_what_is_not_http_is_answered_with_a_problem_document(lab: RunningLab) -> None:
    with socket.create_connection(("127.0.0.1", int(lab.base.rpartition(":")[2])), timeout=120) as client:
        client.sendall(b"GET / nothing\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400") and b"application/problem+json" in head and b"app;dur=" in head
    assert json.loads(body)["status"] == 400


def test_a_refused_body_is_answered_even_if_it_is_still_being_sent(lab: RunningLab, collection: dict[str, Any]) -> None:
    port = int(lab.base.rpartition(":")[2])
    head = f"POST /api/collections/{collection['id']}/score HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    head += f"Authorization: Bearer {lab.token}\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
        client.sendall(head.encode() + b" " * 200_000)  # the rest never comes
        assert client.recv(1000).startswith(b"HTTP/1.1 413")


def test_no_setting_takes_a_path_without_a_collection(lab: RunningLab) -> None:
    for name in ("runs", "qrels", "data"):
        answer = lab.client.post("/api/reproduce", json={"settings": {"paper": "moffat2012", name: ["/etc/passwd"]}})
        assert problem(answer, 422)["errors"][0]["pointer"] == f"/settings/{name}"


def test_what_is_described_as_files_takes_files_of_the_collection() -> None:
    for command, entry in index()["commands"].items():
        for argument in entry["arguments"] if is_api_method(entry) else ():
            if is_accepted(argument) and argument["kind"] == "text" and re.search(r"\bfiles?\b", argument["help"]):
                is_name = "its name, file or tag" in argument["help"]  # of a run that is given
                assert takes_files(argument) or is_name, (command, argument["name"])


def test_statuses_of_errors(lab: RunningLab, collection: dict[str, Any]) -> None:
    base = f"/api/collections/{collection['id']}"
    problem(lab.client.post(f"{base}/nothing", json={}), 404)
    problem(lab.client.post("/api/score", json={}), 404)
    problem(lab.client.post(f"{base}/axioms", json={}), 404)
    problem(lab.client.get("/api/nowhere"), 404)
    assert problem(lab.client.get("/api/axioms"), 405) and problem(lab.client.delete(f"{base}/compare"), 405)
    problem(lab.client.put("/api/collections"), 405)
    problem(lab.client.post(f"{base}/score", content=b"{", headers={"Content-Type": "application/json"}), 400)
    problem(lab.client.post(f"{base}/score", content=b"{}", headers={"Content-Type": "text/plain"}), 415)
    problem(lab.client.post(f"{base}/score", json={"metrics": ["AP" * 600_000]}), 413)
    problem(lab.client.get("/api/jobs/none"), 404)


def test_a_request_can_be_answered_later(lab: RunningLab, collection: dict[str, Any]) -> None:
    url = f"/api/collections/{collection['id']}/score"
    answer = lab.client.post(url, json={"metrics": ["AP"]}, headers={"Prefer": "respond-async"})
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/api/jobs/{job['id']}" and job["state"] in ("queued", "running")
    finished = lab.finished(answer)
    assert finished.status_code == 200
    now = lab.finished(lab.client.post(url, json={"metrics": ["AP"]}))
    assert now.json() == finished.json()
    for form, start in (
        ("csv", b"run,"),
        ("latex", b"\\begin"),
        ("markdown", b"## "),
        ("html", b"<!doctype"),
        ("svg", b"<svg"),
        ("png", b"\x89PNG"),
    ):
        content = lab.client.get(f"/api/jobs/{job['id']}/result", params={"format": form})
        assert content.status_code == 200 and content.content.lstrip()[:10].lower().startswith(start.lower()), form
    problem(lab.client.get(f"/api/jobs/{job['id']}/result", params={"format": "exe"}), 422)


def test_a_job_under_way_is_cancelled(lab: RunningLab, collection: dict[str, Any]) -> None:
    answer = lab.client.post(
        f"/api/collections/{collection['id']}/compare", json=SLOW, headers={"Prefer": "respond-async"}
    )
    path = answer.headers["location"]
    problem(lab.client.get(f"{path}/result"), 409)
    while not (job := lab.client.get(path).json())["progress"]:  # it is not under way yet
        assert job["state"] in ("queued", "running")
        time.sleep(0.05)
    assert lab.client.delete(path).json()["state"] == "cancelled"
    with lab.client.stream("GET", f"{path}/events") as events:
        last = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")][-1]
    assert last["state"] == "cancelled"
    problem(lab.client.get(f"{path}/result"), 409)


def test_every_answer_says_how_long_it_took(lab: RunningLab) -> None:
    for path in ("/api/metrics", "/api/nothing", "/"):
        assert "app;dur=" in lab.client.get(path).headers["server-timing"]


def test_metrics_and_methods_are_those_of_the_index(lab: RunningLab) -> None:
    metrics = {each["name"]: each for each in lab.client.get("/api/metrics").json()}
    assert metrics.keys() == index()["metrics"].keys()
    p = metrics["RBP"]["parameters"]["properties"]["p"]
    assert (p["type"], p["default"]) == ("number", 0.8) and p["description"]
    methods = {each["path"]: each for each in lab.client.get("/api/methods").json()}
    assert {"score", "compare", "meta/consistency", "axioms", "report"} <= methods.keys()
    assert methods["meta/consistency"]["settings"]["properties"]["splits"]["minimum"] == 1


def test_openapi_describes_every_method(lab: RunningLab) -> None:
    document = lab.client.get("/api/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for method in lab.client.get("/api/methods").json():
        path = f"/api/collections/{{id}}/{method['path']}" if method["collection"] else f"/api/{method['path']}"
        assert "post" in document["paths"][path]


def test_answers_are_as_openapi_describes_them(lab: RunningLab, collection: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    description = lab.client.get("/api/openapi.json").json()
    base = f"/api/collections/{collection['id']}"

    def check(path: str, answer: httpx.Response, verb: str = "get") -> None:
        responses = description["paths"][path][verb]["responses"]
        described = responses.get(str(answer.status_code)) or description["components"]["responses"]["Problem"]
        schema = described["content"][answer.headers["content-type"].partition(";")[0]]["schema"]
        Draft202012Validator(schema | {"components": description["components"]}).validate(answer.json())
        assert answer.headers["server-timing"]
        assert ("location" in answer.headers) == ("Location" in described["headers"])

    for path in ("metrics", "methods", "openapi.json", "collections"):
        check(f"/api/{path}", lab.client.get(f"/api/{path}"))
    check("/api/collections/{id}", lab.client.get(base))
    for metrics in (["RBP", "INST"], ["AP"], ["nope"], []):
        check("/api/collections/{id}/bench", lab.client.post(f"{base}/bench", json={"metrics": metrics}), "post")
    later = {"Prefer": "respond-async"}
    good, bad = ({"metrics": ["AP"]}, {"metrics": ["AP"], "settings": {"baseline": "nobody"}})
    for body in (good, bad, {"metrics": ["nope"]}):
        answer = lab.client.post(f"{base}/compare", json=body, headers=later)
        check("/api/collections/{id}/compare", answer, "post")
        if answer.status_code == 202:
            check("/api/jobs/{id}/result", lab.finished(answer))
            check("/api/jobs/{id}", lab.client.get(answer.headers["location"]))
            check("/api/jobs/{id}", lab.client.delete(answer.headers["location"]), "delete")
    explained = lab.finished(lab.client.post("/api/explain", json={"metrics": ["AP"]}))
    check("/api/explain", explained, "post")
    check("/api/collections", lab.client.post("/api/collections", files=[("qrels", ("q", b"1 0 a 1\n"))]), "post")
    check("/api/collections", lab.client.post("/api/collections", files=[("x", ("q", b""))]), "post")
    check("/api/collections/{id}", lab.client.get("/api/collections/none"))


def test_declarations_have_valid_schemas(lab: RunningLab) -> None:
    from jsonschema import Draft202012Validator

    for method in lab.client.get("/api/methods").json():
        Draft202012Validator.check_schema(method["request"])
        Draft202012Validator.check_schema(method["settings"])
    for metric in lab.client.get("/api/metrics").json():
        Draft202012Validator.check_schema(metric["parameters"])


def test_the_bench_gives_means_order_and_curves(lab: RunningLab, collection: dict[str, Any]) -> None:
    body = {"metrics": ["RBP(p=0.5)", "AP"], "settings": {"ranks": 5}}
    answer = lab.client.post(f"/api/collections/{collection['id']}/bench", json=body).json()
    scored = lab.finished(
        lab.client.post(f"/api/collections/{collection['id']}/score", json={"metrics": ["RBP(p=0.5)"]})
    )
    means = {row["run"]: row["value"] for row in scored.json()["results"]}
    user = answer["users"][0]
    assert dict(zip(answer["systems"], user["means"], strict=True)) == pytest.approx(means, rel=1e-12)
    assert [user["means"][s] for s in user["order"]] == sorted(user["means"], reverse=True)
    assert user["curves"]["C"] == [0.5] * len(user["curves"]["C"]) and user["expected_depth"] == pytest.approx(2)
    problem(lab.client.post(f"/api/collections/{collection['id']}/bench", json={"metrics": ["RBP(p=2)"]}), 422)


def test_pages_use_the_files_that_say_how_to_read_runs(lab: RunningLab, tmp_path: Path) -> None:
    simulate(2, 6, 3).write(tmp_path)
    (tmp_path / "topic_params.tsv").write_text("topic T\n" + "".join(f"{t} {1 + t % 3}\n" for t in range(101, 107)))
    runs = sorted((tmp_path / "runs").iterdir())
    roles = {"qrels": "qrels.txt", "lengths": "lengths.tsv", "topic-params": "topic_params.tsv"}
    collection = lab.upload(*((role, tmp_path / name) for role, name in roles.items()), *(("run", run) for run in runs))
    ids = {file["role"]: file["id"] for file in collection["files"]}
    metrics = ["TBG", "RBP(effort='words')", "INST(T='@T')", "AP"]
    settings = {"lengths": ids["lengths"], "topic_params": ids["topic-params"]}
    scored = lab.finished(
        lab.client.post(f"/api/collections/{collection['id']}/score", json={"metrics": metrics, "settings": settings})
    ).json()["results"]
    bench = lab.client.post(f"/api/collections/{collection['id']}/bench", json={"metrics": metrics}).json()
    assert bench["reading"] == ["lengths", "topic_params"]
    means = {(s, u["metric"]): m for u in bench["users"] for s, m in zip(bench["systems"], u["means"], strict=True)}
    assert means == pytest.approx({(row["run"], row["metric"]): row["value"] for row in scored}, rel=1e-12)
    plain = lab.client.post(f"/api/collections/{collection['id']}/bench", json={"metrics": ["AP"]}).json()
    assert plain["reading"] == []


# Who is let in


def test_without_the_token_nothing_is_told(lab: RunningLab) -> None:
    static = [f"/static/{file.name}" for file in (files("irassay.lab") / "static").iterdir()]
    for path in ("/", "/api/collections", "/api/openapi.json", "/data", "/static/report.css", *static):
        problem(httpx.get(lab.base + path), 401)
        for verb in ("HEAD", "OPTIONS", "POST", "DELETE", "TRACE"):
            assert httpx.request(verb, lab.base + path).status_code in (401, 405), (verb, path)
    page = httpx.get(f"{lab.base}/data", headers={"Accept": "text/html"})
    assert page.status_code == 401 and "<style>" in page.text and "/static/" not in page.text
    problem(httpx.get(lab.base + "/api/metrics", headers={"Authorization": "Bearer wrong"}), 401)
    problem(httpx.get(lab.base + "/?token=wrong"), 401)


def test_the_token_leaves_the_address_for_a_cookie(lab: RunningLab) -> None:
    visit = httpx.get(lab.base + f"/data?token={lab.token}&x=1")
    assert visit.status_code == 303 and visit.headers["location"] == "/data?x=1"
    cookie = visit.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    name, value = cookie.split(";")[0].split("=", 1)
    others = 'a={"json": [1, 2]}; "; =; '  # of other servers of this host
    for cookies in (f"{name}={value}", f"{others}{name}={value}", f"{name}={value}; {others}b"):
        assert httpx.get(lab.base + "/api/metrics", headers={"Cookie": cookies}).status_code == 200
    for cookies in (f"{name}x={value}", f"{name}={value}x", others.strip(), name):
        problem(httpx.get(lab.base + "/api/metrics", headers={"Cookie": cookies}), 401)


def test_other_hosts_and_origins_are_refused(lab: RunningLab) -> None:
    problem(lab.client.get("/api/metrics", headers={"Host": "evil.example"}), 400)
    problem(lab.client.get("/api/metrics", headers={"Host": "127.0.0.1:1"}), 400)
    problem(lab.client.post("/api/axioms", json={}, headers={"Origin": "http://evil.example"}), 403)
    problem(lab.client.post("/api/axioms", json={}, headers={"Origin": "null"}), 403)
    ours = lab.client.post("/api/explain", json={"metrics": ["AP"]}, headers={"Origin": lab.base})
    assert lab.finished(ours).status_code == 200


def test_answers_have_the_headers_of_security(lab: RunningLab) -> None:
    headers = lab.client.get("/").headers
    policy = headers["content-security-policy"]
    assert "unsafe-eval" not in policy and "script-src 'self';" in policy
    assert all(part in policy for part in ("base-uri", "form-action", "frame-ancestors"))
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"]


@pytest.mark.parametrize(
    "options",
    [("--no-token", "--allow-code"), ("--no-token", "--host", "0.0.0.0"), ("--allow-code", "--host", "0.0.0.0")],
)
def test_dangerous_combinations_are_refused(options: tuple[str, ...]) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "irassay", "lab", *options], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2 and done.stderr.startswith("irassay: ") and not done.stdout


def test_two_hundred_clients_are_answered(lab: RunningLab) -> None:
    limits = httpx.Limits(max_connections=None)
    with (
        ThreadPoolExecutor(200) as clients,
        httpx.Client(headers=lab.client.headers, timeout=120, limits=limits) as client,
    ):
        answers = clients.map(lambda _: client.get(f"{lab.base}/api/methods").status_code, range(200))
        assert set(answers) == {200}


# What is kept


def test_a_killed_lab_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    first = RunningLab("--workspace", str(tmp_path / "w"))
    uploaded = first.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
    done = first.client.post(f"/api/collections/{uploaded['id']}/score", json={}, headers={"Prefer": "respond-async"})
    document = first.finished(done).json()
    slow = first.client.post(
        f"/api/collections/{uploaded['id']}/compare", json=SLOW, headers={"Prefer": "respond-async"}
    )
    port = int(first.base.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as half:  # an upload that is under way
        head = f"POST /api/collections HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {first.token}\r\n"
        head += "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n"
        body = '--x\r\nContent-Disposition: form-data; name="run"; filename="r"\r\n\r\n1 Q0 a 1 1 t\n'
        half.sendall((head + body).encode())
        while not list((tmp_path / "w" / "incoming").iterdir()):
            time.sleep(0.05)
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
    first.stop()
    second = RunningLab("--workspace", str(tmp_path / "w"))
    assert second.client.get("/api/collections").json() == [uploaded]
    assert second.client.get(f"{done.headers['location']}/result").json() == document
    assert second.client.get(slow.headers["location"]).json()["state"] == "failed"
    assert not list((tmp_path / "w" / "incoming").iterdir())
    assert second.stop() == 0
    assert sqlite3.connect(tmp_path / "w" / "index.sqlite").execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_workspace_of_an_earlier_lab_is_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    first = RunningLab("--workspace", str(folder))
    uploaded = first.upload(
        ("qrels", QRELS),
        ("run", ("r.txt", RUN.read_bytes())),
        ("run", OURS / "runs" / "sys2.txt"),
        ("other", ("r.txt", QRELS.read_bytes())),
    )
    assert first.stop() == 0
    apart = folder / "collections" / uploaded["id"] / "other"
    apart.rename(apart.with_name("~2"))  # as folders were called
    with sqlite3.connect(folder / "index.sqlite") as index:
        index.execute("UPDATE files SET path = '~2/r.txt' WHERE path LIKE 'other/%'")
        index.execute("ALTER TABLE files DROP COLUMN given")
    second = RunningLab("--workspace", str(folder))
    assert second.client.get("/api/collections").json() == [uploaded]
    answer = second.finished(second.client.post(f"/api/collections/{uploaded['id']}/judges", json={}))
    assert {each["path"] for each in answer.json()["inputs"]} == {QRELS.name, "r.txt", "sys2.txt"}, answer.text
    assert "~2" not in answer.text
    assert second.stop() == 0
    with sqlite3.connect(folder / "index.sqlite") as index:
        index.execute("ALTER TABLE jobs ADD COLUMN later TEXT")
    command = [sys.executable, "-m", "irassay", "lab", "--no-browser", "--port", "0", "--workspace", str(folder)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "was not written by this version of the lab; give another folder with --workspace." in refused.stderr


def test_a_metric_of_the_editor_is_kept(tmp_path: Path) -> None:
    code = 'import irassay as ia\n\n\n@ia.user_model("Calm")\ndef Calm(r):\n    """Reads on."""\n    return 0.9 + 0 * r.rank\n'
    options = ("--workspace", str(tmp_path / "w"), "--allow-code")
    first = RunningLab(*options)
    uploaded = first.upload(("qrels", QRELS), ("run", RUN))
    assert first.client.post("/lab/code", json={"code": code}).json()["metrics"] == ["Calm"]
    url, body = f"/api/collections/{uploaded['id']}/score", {"metrics": ["Calm"]}
    before = first.finished(first.client.post(url, json=body)).json()["results"]
    assert first.stop() == 0
    second = RunningLab(*options)
    assert second.finished(second.client.post(url, json=body)).json()["results"] == before
    assert second.client.post("/lab/code", json={"code": "x ="}).json()["line"] == 1
    assert second.stop() == 0
    third = RunningLab(*options)  # which starts although the code is wrong, with what ran before
    assert "Calm" in {each["name"] for each in third.client.get("/api/metrics").json()}
    assert third.finished(third.client.post(url, json=body)).json()["results"] == before
    assert '"code": "x ="' in third.client.get("/users").text  # the editor has what was typed
    assert third.stop() == 0


def test_users_metrics_and_methods_are_there_with_no_line_of_lab_code(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        '"""Mine."""\nfrom typing import Annotated\n\nimport irassay as ia\n\n\n'
        '@ia.user_model("Bored")\ndef Bored(r, q: Annotated[float, ia.Domain("number", 0, 1), "Patience."] = 0.5):\n'
        '    """Continues with probability q."""\n    return q + 0 * r.rank\n\n\n'
        '@ia.method("Which is first?")\ndef first(scores: ia.Scores, *, times: Annotated[int, "How often."] = 1) -> ia.Scores:\n'
        '    """The scores again."""\n    return scores\n'
    )
    mine = RunningLab("--define", "mine.py", cwd=tmp_path)
    try:
        uploaded = mine.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
        metrics = {each["name"]: each for each in mine.client.get("/api/metrics").json()}
        assert metrics["Bored"]["parameters"]["properties"]["q"]["description"] == "Patience."
        base = f"/api/collections/{uploaded['id']}"
        answer = mine.finished(mine.client.post(f"{base}/score", json={"metrics": ["Bored(q=0.8)", "RBP(p=0.8)"]}))
        by_metric = {(row["run"], row["metric"]): row["value"] for row in answer.json()["results"]}
        assert by_metric["sys1", "Bored(q=0.8)"] == pytest.approx(by_metric["sys1", "RBP"])
        assert {"path": "mine.py"}.items() <= answer.json()["inputs"][-1].items() and answer.json()["inputs"][-1][
            "sha256"
        ]
        bench = mine.client.post(f"{base}/bench", json={"metrics": ["Bored(q=0.8)"]}).json()
        assert bench["users"][0]["expected_depth"] == pytest.approx(5)
        assert "meta/first" in {each["path"] for each in mine.client.get("/api/methods").json()}
        assert mine.finished(mine.client.post(f"{base}/meta/first", json={"metrics": ["AP"]})).status_code == 200
        assert problem(mine.client.post(f"{base}/meta/first", json={"settings": {"times": "x"}}), 422)
        page = mine.client.get("/metrics").text
        assert "<b>Bored</b>" in page and "<b>meta first</b>" in page
        assert 'name="times"' in mine.client.get("/metrics?method=meta/first").text
        docs = mine.client.get("/api/docs").text
        assert "Bored" in docs and "/meta/first" in docs
    finally:
        assert mine.stop() == 0
