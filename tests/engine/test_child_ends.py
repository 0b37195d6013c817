"""What a child prints, the signals that do not reach it, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from app.engine.child import Child
from tests.conftest import ROOT
from tests.engine import handlers
from tests.helpers.children import POSIX, Listener, gone


def test_what_libraries_print_goes_to_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "child.log"
    child = Child(handlers.make, title="helper process", log=log)
    child.run(("noise",), Silent())
    child.close()
    assert capfd.readouterr() == ("", "")
    said = log.read_text().splitlines()
    assert sorted(said) == [
        "said on standard error",
        "said on standard output",
        "written to descriptor 1",
        "written to descriptor 2",
    ]


def test_a_log_begins_anew_when_it_has_grown_long(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    for size, left in ((100, 100), (2**20 + 1, 0)):
        log.write_bytes(b"x" * size)
        child = Child(handlers.make, title="helper process", log=log)
        child.run(("pid",), Silent())
        child.close()
        assert log.stat().st_size == left


def test_without_a_log_it_is_dropped(shared: Child, capfd: pytest.CaptureFixture[str]) -> None:
    shared.run(("noise",), Silent())
    assert capfd.readouterr() == ("", "")


@POSIX
def test_ctrl_c_in_the_terminal_does_not_reach_it(shared: Child) -> None:
    before = shared.run(("pid",), Silent())
    os.kill(before, signal.SIGINT)
    assert shared.run(("pid",), Silent()) == before


@POSIX
def test_a_stop_or_ctrl_c_while_it_starts_wastes_nothing(child: Child) -> None:
    with pytest.raises(Stopped):
        child.run(("pid",), Listener(lambda _: True))
    started = child.pid or 0
    os.kill(started, signal.SIGINT)
    assert child.run(("pid",), Silent()) == started


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells whom it ends first")
def test_it_goes_before_the_window_when_memory_runs_out(shared: Child) -> None:
    assert shared.run(("environment",), Silent()) == (os.getpid(), "500", True)


def test_closing_ends_the_work_of_another_thread_as_stopped(child: Child) -> None:
    ended: list[BaseException] = []
    begun = threading.Event()

    class Waiting(Listener):
        def partial(self, result: object) -> None:
            begun.set()

    def work() -> None:
        try:
            child.run(("never_checks",), Waiting())
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(30)
    pid = child.pid or 0
    child.close()
    thread.join(30)
    assert [type(error) for error in ended] == [Stopped]
    assert gone(pid)
    with pytest.raises(Stopped):
        child.run(("pid",), Silent())
    assert not child.alive
    child.close()


def test_closing_while_the_process_starts_leaves_none(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing.context import SpawnProcess

    started = []
    start = SpawnProcess.start

    def closing(process: SpawnProcess) -> None:
        child._closed = True  # what close() does first, when it finds no process yet
        start(process)
        started.append(process.pid)

    monkeypatch.setattr(SpawnProcess, "start", closing)
    with pytest.raises(Stopped):
        child.run(("never_checks",), Silent())
    assert len(started) == 1
    assert gone(started[0])


ORPHAN = """
import os, signal, sys
from app.core.report import Silent
from app.engine.child import Child
from tests.engine import handlers

class Doomed(Silent):
    def partial(self, result):
        print(child.pid, flush=True)
        {end}

if __name__ == "__main__":
    child = Child(handlers.make, title="helper process")
    child.run(({work!r},), Doomed())
"""


@POSIX
@pytest.mark.parametrize(
    ("work", "end"),
    [
        ("never_checks", "os.kill(os.getpid(), signal.SIGKILL)"),
        ("until_stopped", "os._exit(1)"),
        ("never_checks", "sys.exit()"),
    ],
)
def test_no_child_outlives_its_parent(tmp_path: Path, work: str, end: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(ORPHAN.format(work=work, end=end))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.wait(30)
    parent.stdout.close()
    try:
        assert gone(pid)
    finally:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def test_a_process_that_cannot_be_started_is_said(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    with pytest.raises(SpanlightError, match="could not be started: Cannot allocate memory"):
        child.run(("pid",), Silent())
    monkeypatch.undo()
    assert child.run(("echo", 3), Silent()) == 3
