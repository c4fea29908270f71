"""What a call in a process of its own returns, raises and survives."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import irassay.subprocess_call as module
from irassay.parallel import Cancelled, context
from irassay.subprocess_call import DiedError, subprocess_call
from tests.support.blocks import wait_for


def test_values_and_exceptions_come_back() -> None:
    assert subprocess_call("math:hypot", 3, 4) == 5
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        subprocess_call("operator:truediv", 1, 0)


def test_a_process_that_ends_is_an_exception_and_the_next_call_is_answered() -> None:
    with pytest.raises(DiedError, match="SIGABRT"):
        subprocess_call("os:abort")
    with pytest.raises(DiedError, match="status 7"):
        subprocess_call("os:_exit", 7)
    assert subprocess_call("os:getpid") == subprocess_call("os:getpid") != os.getpid()


def test_what_a_library_prints_is_no_answer() -> None:
    assert subprocess_call("os:write", 1, b"noise") == 5
    assert subprocess_call("builtins:print", "more noise") is None


def test_an_exception_that_cannot_be_sent_is_told() -> None:
    with pytest.raises(DiedError, match="Odd: told"):
        subprocess_call("builtins:exec", "class Odd(Exception): pass\nraise Odd('told')", {})
    with pytest.raises(TypeError, match="cannot pickle"):
        subprocess_call("threading:Lock")


def test_threads_take_turns() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda n: subprocess_call("operator:mul", n, n), range(50))) == [n * n for n in range(50)]


SLOW = "import time\nopen({begun!r}, 'w').close()\ntime.sleep(60)\nopen({ended!r}, 'w').close()"


def test_a_cancelled_call_does_not_wait_for_its_end_and_the_next_one_is_answered(tmp_path: Path) -> None:
    event, begun, ended = threading.Event(), tmp_path / "begun", tmp_path / "ended"
    thread = threading.Thread(target=lambda: (wait_for(str(begun)), event.set()))
    thread.start()
    with context(cancel=event), pytest.raises(Cancelled):
        subprocess_call("builtins:exec", SLOW.format(begun=str(begun), ended=str(ended)), {})
    assert subprocess_call("math:hypot", 3, 4) == 5
    assert not ended.exists()
    thread.join()


def test_where_no_process_can_be_started_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("", "/no/such/python", "/bin/true"):
        monkeypatch.setattr(sys, "executable", wrong)
        monkeypatch.setattr(module, "_worker", None)
        assert subprocess_call("os:getpid") == os.getpid()


def test_it_ends_with_the_process_that_asked() -> None:
    asks = "from irassay.subprocess_call import subprocess_call; print(subprocess_call('os:getpid'))"
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, cwd=Path(__file__).parents[1])
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("busy", ["time:sleep', 600", "vl_convert:vegalite_to_svg', SPEC"])
def test_it_does_not_outlive_a_process_that_is_ended(how: str, busy: str) -> None:
    values = "[{'x': i % 997, 'y': i} for i in range(200_000)]"
    spec = f"SPEC = {{'data': {{'values': {values}}}, 'mark': 'point', 'encoding': {{'x': {{'field': 'x'}}}}}}"
    imports = "import signal; from irassay.subprocess_call import subprocess_call"
    heard = f"signal.signal(signal.{how}, signal.SIG_DFL)" if how != "SIGKILL" else ""  # nohup and & ignore some
    asks = f"{imports}\n{heard}\n{spec}\nprint(subprocess_call('os:getpid'), flush=True)\nsubprocess_call('{busy})"
    with subprocess.Popen(
        [sys.executable, "-c", asks], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1]
    ) as asking:
        worker = int(asking.stdout.readline())  # type: ignore[union-attr]
        time.sleep(1)
        asking.send_signal(getattr(signal, how))
    for _ in range(300):  # less than the sleep
        if not running(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the process that was asked goes on")


def running(process: int) -> bool:
    """Whether a process is there and no zombie that nobody waits for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
