"""How fast the lab is: 143 runs of 1,000 results on 30 topics, simulated, on a server of its own.

    python benchmarks/lab.py [QRELS RUN...]

prints a table: what is asked, the median and the largest time at the server (Server-Timing), and the limit.
"""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np

SYSTEMS, TOPICS, RESULTS, POOL = 143, 30, 1000, 400
REPEATS = 21


def simulated_files(folder: Path) -> list[str]:
    """Judgements and runs of the size in the title."""
    rng = np.random.default_rng(1)
    qrels, runs = [], []
    grades = rng.choice([0, 1, 2], size=(TOPICS, POOL), p=[0.7, 0.2, 0.1])
    for t in range(TOPICS):
        qrels += [f"{t + 1} 0 d{d} {grades[t, d]}" for d in range(POOL)]
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    for s in range(SYSTEMS):
        lines = []
        for t in range(TOPICS):
            quality = np.zeros(3 * RESULTS)
            quality[:POOL] = grades[t] * (0.5 + s / SYSTEMS)
            order = np.argsort(-(quality + rng.normal(size=3 * RESULTS)))[:RESULTS]
            lines += [f"{t + 1} Q0 d{d} {n + 1} {RESULTS - n} s{s}" for n, d in enumerate(order)]
        path = folder / f"s{s:03d}.txt"
        path.write_text("\n".join(lines) + "\n")
        runs.append(str(path))
    return [str(folder / "qrels.txt"), *runs]


def server_time(answer: httpx.Response) -> float:
    """Milliseconds that the server took."""
    answer.raise_for_status()
    found = re.search(r"app;dur=([\d.]+)", answer.headers["server-timing"])
    assert found
    return float(found[1])


def memory(pid: int) -> float:
    """MiB of memory that a process and its children use."""
    children = subprocess.run(["ps", "-o", "rss=", "--ppid", str(pid), "-p", str(pid)], capture_output=True, text=True)
    return sum(map(int, children.stdout.split())) / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        files = sys.argv[1:] or simulated_files(Path(temporary))
        started = time.perf_counter()
        command = [sys.executable, "-m", "irassay", "lab", "--no-browser", "--port", "0", *files]
        lab = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert lab.stdout
        address = lab.stdout.readline().strip()
        print(f"files read, lab answers: {time.perf_counter() - started:.1f} s")
        base, token = address.split("/?token=")
        client = httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=120)
        measure(client, base, token, lab.pid)
        lab.send_signal(2)
        lab.wait(10)


def measure(client: httpx.Client, base: str, token: str, pid: int) -> None:
    collection = client.get("/api/collections").json()[0]["id"]
    rows: list[tuple[str, list[float], str]] = []
    page = [server_time(client.get("/leaderboard")) for _ in range(5)]
    rows.append(("first page", page, "1000"))

    def bench(metrics: list[str]) -> float:
        return server_time(client.post(f"/api/collections/{collection}/bench", json={"metrics": metrics}))

    bench(["RBP(p=0.8)"])  # reads the runs
    values = np.linspace(0.5, 0.95, REPEATS)
    static = {"RBP": [f"RBP(p={p:.3f})" for p in values], "INSQ": [f"INSQ(T={4 * p:.3f})" for p in values]}
    static["SDCG"] = [f"SDCG@{round(40 * p)}" for p in values]
    adaptive = {"INST": [f"INST(T={4 * p:.3f})" for p in values], "IFT": [f"IFT(T={4 * p:.3f})" for p in values]}
    adaptive["BPM"] = [f"BPM(T={4 * p:.3f},K=10)" for p in values]
    for models, limit in ((static, "100"), (adaptive, "200")):
        for name, metrics in models.items():
            rows.append((f"drag {name}", [bench([metric]) for metric in metrics], limit))

    def release(metric: str, parameter: str, steps: list[float]) -> float:
        body = {"collection": collection, "metric": metric, "parameter": parameter, "values": steps}
        return server_time(client.post("/lab/release", json=body))

    steps = [round(x, 3) for x in np.linspace(0.05, 0.95, 12).tolist()]
    rows.append(("release RBP", [release(f"RBP(p={p:.3f})", "p", steps) for p in values[:5]], "2000"))
    steps = [round(x, 3) for x in np.linspace(0.5, 5, 12).tolist()]
    rows.append(("release INST", [release(f"INST(T={4 * p:.3f})", "T", steps) for p in values[:5]], "2000"))
    before = memory(pid)
    for n in range(1000):
        bench([f"RBP(p={0.5 + n / 2500:.4f})@10"])
    growth = memory(pid) - before

    def one_client(n: int) -> float:
        headers = {"Authorization": f"Bearer {token}"}
        url, body = f"{base}/api/collections/{collection}/bench", {"metrics": [f"RBP(p={0.5 + n / 200:.3f})"]}
        started = time.perf_counter()
        httpx.post(url, json=body, headers=headers, timeout=120).raise_for_status()
        return 1000 * (time.perf_counter() - started)

    with ThreadPoolExecutor(50) as clients:
        rows.append(("50 clients at once", list(clients.map(one_client, range(50))), ""))
    print(f"\n{'':20} {'median ms':>10} {'largest ms':>11} {'limit ms':>9}")
    for name, times, limit in rows:
        print(f"{name:20} {statistics.median(times):10.0f} {max(times):11.0f} {limit:>9}")
    print(f"\nmemory: {before:.0f} MiB, {growth:+.0f} MiB after 1,000 interactions")
    script = client.get("/static/vega.js", headers={"Accept-Encoding": "gzip"})
    print(f"vega.js: {len(script.content) / 1e6:.2f} MB unpacked, {script.num_bytes_downloaded / 1e6:.2f} MB sent")


if __name__ == "__main__":
    main()
