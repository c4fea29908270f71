"""Clients that are slow, disks that are full, and many requests at once: the lab stays whole and says what is wrong."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.lab.conftest import ADHOC, OURS, RunningLab
from tests.lab.test_api import QRELS, RUN, SLOW, problem

pytest.importorskip("uvicorn", reason="needs the extra lab")
LARGEST_FILE = 400_000  # bytes, in a lab whose disk is nearly full


@pytest.fixture(scope="module")
def impatient_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """A lab that disconnects silent clients after half a second."""
    running = RunningLab("--client-seconds", "0.5", "--workspace", str(tmp_path_factory.mktemp("workspace")))
    yield running
    assert running.stop() == 0


def connection(lab: RunningLab) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(lab.base.rpartition(":")[2])), timeout=30)


def head(lab: RunningLab, line: str, *more: str) -> bytes:
    host = lab.base.removeprefix("http://")
    lines = [f"{line} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {lab.token}", *more, "", ""]
    return "\r\n".join(lines).encode()


def send_slowly(client: socket.socket, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        client.sendall(piece)
        time.sleep(0.1)


def collections_of(lab: RunningLab) -> httpx.Response:
    """The answer of an impatient lab, asked again if a busy machine was too slow for it."""
    for _ in range(50):
        try:
            return lab.client.get("/api/collections")
        except httpx.TransportError:
            continue
    return lab.client.get("/api/collections")


def is_disconnected(client: socket.socket) -> bool:
    """Whether the lab closes the connection, before the client's own patience of 30 s ends."""
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_silent_and_slow_heads_are_disconnected(impatient_lab: RunningLab) -> None:
    with connection(impatient_lab) as silent:
        assert is_disconnected(silent)
    with connection(impatient_lab) as slow, pytest.raises(ConnectionError):
        send_slowly(slow, (bytes([byte]) for byte in head(impatient_lab, "GET /api/metrics")))
    assert collections_of(impatient_lab).status_code == 200


def test_a_slow_upload_is_disconnected_and_leaves_nothing(impatient_lab: RunningLab) -> None:
    content = "Content-Type: multipart/form-data; boundary=x", "Content-Length: 1000000"
    with connection(impatient_lab) as slow:
        slow.sendall(head(impatient_lab, "POST /api/collections", *content))
        slow.sendall(b'--x\r\nContent-Disposition: form-data; name="run"; filename="r"\r\n\r\n')
        with pytest.raises(ConnectionError):
            send_slowly(slow, [b"1"] * 300)
    workspace = Path(impatient_lab.process.args[-1])  # type: ignore[index]
    assert not list((workspace / "incoming").iterdir())
    assert collections_of(impatient_lab).json() == []


def test_a_client_that_does_not_read_is_disconnected(impatient_lab: RunningLab) -> None:
    with connection(impatient_lab) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(head(impatient_lab, "GET /static/vega.js") * 40)
        time.sleep(3)
        with pytest.raises(ConnectionError):
            send_slowly(deaf, [head(impatient_lab, "GET /static/vega.js")] * 300)
    assert collections_of(impatient_lab).status_code == 200


def test_clients_beyond_the_limit_are_told_so(impatient_lab: RunningLab) -> None:
    from irassay.lab.connections import MAX_CONNECTIONS

    clients = [connection(impatient_lab) for _ in range(MAX_CONNECTIONS + 100)]
    try:
        clients[-1].sendall(head(impatient_lab, "GET /api/collections"))
        answer = clients[-1].recv(10_000)
        assert answer.startswith((b"HTTP/1.1 503", b"HTTP/1.1 200"))  # 200 if the first ones are disconnected by now
        assert b"server-timing" in answer.lower() and b"json" in answer
    finally:
        for client in clients:
            client.close()
    assert collections_of(impatient_lab).status_code == 200


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    lab = RunningLab("--workspace", str(tmp_path / "w"), before_start=limit_file_size)
    try:
        uploaded = lab.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
        large = b"1 Q0 doc 1 1 tag\n" * (LARGEST_FILE // 10)
        answer = lab.client.post("/api/collections", files=[("run", ("large.txt", large))])
        assert "disk is full" in problem(answer, 507)["detail"]
        assert lab.client.get("/api/collections").json() == [uploaded]
        assert not list((tmp_path / "w" / "incoming").iterdir())
        score = lab.finished(lab.client.post(f"/api/collections/{uploaded['id']}/score", json={"metrics": ["AP"]}))
        assert score.status_code == 200
    finally:
        assert lab.stop() == 0


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs a disk of its own, by mount")
def test_a_disk_without_room_is_said(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        lab = RunningLab("--workspace", str(small / "w"))
        try:
            uploaded = lab.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
            answer = lab.client.post(
                "/api/collections", files=[("run", ("large.txt", b"1 Q0 doc 1 1 tag\n" * 100_000))]
            )
            assert "disk is full" in problem(answer, 507)["detail"]
            room = shutil.disk_usage(small).free
            (small / "filler").write_bytes(b"0" * (room - 4096))
            answer = lab.client.post(f"/api/collections/{uploaded['id']}/compare", json={"metrics": ["AP", "nDCG@10"]})
            failed = lab.finished(answer)
            assert failed.status_code in (409, 507) and "disk is full" in failed.json()["detail"], failed.text
            (small / "filler").unlink()
            assert lab.client.get("/api/collections").json() == [uploaded]
        finally:
            assert lab.stop() == 0
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_removing_a_collection_cancels_all_its_jobs(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
    path = f"/api/collections/{uploaded['id']}"
    asked = [lab.client.post(f"{path}/compare", json=SLOW, headers={"Prefer": "respond-async"}) for _ in range(60)]
    assert {answer.status_code for answer in asked} == {202}
    assert lab.client.delete(path).status_code == 204
    other = lab.upload(("qrels", ADHOC / "qrels_nonneg.txt"), ("run", RUN))
    score = lab.finished(lab.client.post(f"/api/collections/{other['id']}/score", json={"metrics": ["AP"]}))
    assert score.status_code == 200  # no job is before it in the queue


def test_too_many_jobs_are_refused(tmp_path: Path) -> None:
    lab = RunningLab("--queue", "2", "--jobs", "1", "--workspace", str(tmp_path / "w"))
    try:
        uploaded = lab.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
        url, later = f"/api/collections/{uploaded['id']}/compare", {"Prefer": "respond-async"}
        asked = [lab.client.post(url, json=SLOW, headers=later) for _ in range(4)]
        assert [answer.status_code for answer in asked] == [202, 202, 202, 429]
        assert problem(asked[-1], 429) and asked[-1].headers["retry-after"]
    finally:
        assert lab.stop() == 0


def test_two_hundred_clients_ask_methods_and_pages(lab: RunningLab) -> None:
    uploaded = lab.upload(("qrels", QRELS), ("run", RUN), ("run", OURS / "runs" / "sys2.txt"))
    url = f"{lab.base}/api/collections/{uploaded['id']}/bench"

    def answer(n: int, client: httpx.Client) -> int:
        if n % 2:
            return client.get(f"{lab.base}/leaderboard").status_code
        return client.post(url, json={"metrics": [f"RBP(p={0.5 + n / 1000})"]}).status_code

    limits = httpx.Limits(max_connections=None)
    with (
        ThreadPoolExecutor(200) as pool,
        httpx.Client(headers=lab.client.headers, timeout=600, limits=limits) as client,
    ):
        assert set(pool.map(lambda n: answer(n, client), range(200))) == {200}


def test_one_lab_at_a_time_uses_a_workspace(tmp_path: Path) -> None:
    first = RunningLab("--workspace", str(tmp_path / "w"))
    try:
        command = [sys.executable, "-m", "irassay", "lab", "--no-browser", "--port", "0", "--workspace", tmp_path / "w"]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert refused.returncode == 2 and refused.stderr.startswith("irassay: Another lab uses the workspace")
    finally:
        os.kill(first.process.pid, signal.SIGKILL)
        first.stop()
    assert RunningLab("--workspace", str(tmp_path / "w")).stop() == 0  # a lab that was killed holds no lock
