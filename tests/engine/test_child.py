from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.report import Progress, Silent, Stopped
from app.engine.child import Child, ChildBug
from tests.engine import handlers

ROOT = Path(__file__).resolve().parents[2]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are told apart on POSIX only")


class Listener:
    """Keeps what is reported; raises Stopped from the moment `stop_when` says so."""

    def __init__(self, stop_when: Callable[[Listener], bool] = lambda _: False) -> None:
        self.told: list[Progress] = []
        self.partials: list[Any] = []
        self._stop_when = stop_when

    def progress(self, progress: Progress) -> None:
        self.told.append(progress)

    def partial(self, result: object) -> None:
        self.partials.append(result)

    def check(self) -> None:
        if self._stop_when(self):
            raise Stopped


def once_begun(listener: Listener) -> bool:
    return bool(listener.partials)


@pytest.fixture(scope="module")
def shared() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()


def gone(pid: int, within: float = 20.0) -> bool:
    """Whether a process ends; one that its parent has yet to collect counts as ended."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_one_process_answers_all_requests_and_keeps_its_state(shared: Child) -> None:
    first = shared.run(("pid",), Silent())
    before = shared.run(("count",), Silent())
    assert first != os.getpid()
    assert shared.pid == first
    assert shared.run(("count",), Silent()) == before + 1
    assert shared.run(("pid",), Silent()) == first
    assert shared.alive


def test_large_texts_cross_whole(shared: Child) -> None:
    text = "Wort 🤷🏽‍♀️ \0 ﬁ \u202e ترتيب\n" * 200_000
    assert shared.run(("echo", text), Silent()) == text


def test_progress_is_thinned_and_its_end_arrives_and_every_partial_result(shared: Child) -> None:
    listener = Listener()
    assert shared.run(("tell", 20_000), listener) == "told"
    assert listener.told[-1] == Progress(20_000, 20_000, "telling")
    assert len(listener.told) < 2_000
    assert [p.done for p in listener.told] == sorted(p.done for p in listener.told)
    assert listener.partials == list(range(100, 20_001, 100))


def test_a_new_phase_is_told_at_once(shared: Child) -> None:
    listener = Listener()
    shared.run(("phases", ("one", "two", "two", "three")), listener)
    assert [p.what for p in listener.told] == ["one", "two", "three"]


def test_a_stop_is_seen_by_the_work_and_the_process_lives_on(shared: Child) -> None:
    before = shared.run(("pid",), Silent())
    with pytest.raises(Stopped):
        shared.run(("until_stopped",), Listener(once_begun))
    assert shared.run(("pid",), Silent()) == before
    assert shared.run(("echo", 1), Silent()) == 1, "a stop is for one request only"


def test_work_that_never_checks_is_killed_and_the_next_request_starts_anew(child: Child) -> None:
    before = child.run(("pid",), Silent())
    with pytest.raises(Stopped):
        child.run(("never_checks",), Listener(once_begun))
    assert gone(before)
    assert not child.alive
    assert child.run(("pid",), Silent()) != before


def test_a_stop_while_the_process_starts_is_immediate_and_wastes_nothing(child: Child) -> None:
    with pytest.raises(Stopped):
        child.run(("pid",), Listener(lambda _: True))
    started = child.pid
    assert child.run(("pid",), Silent()) == started


@pytest.mark.parametrize(
    "error", [RuntimeError("a view is broken"), KeyboardInterrupt()], ids=["bug", "ctrl-c"]
)
def test_an_error_in_the_listener_stops_the_work(shared: Child, error: BaseException) -> None:
    class Broken(Listener):
        def partial(self, result: object) -> None:
            raise error

    with pytest.raises(type(error)):
        shared.run(("until_stopped",), Broken())
    assert shared.run(("echo", "still here"), Silent()) == "still here"


@POSIX
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (-9, "memory ran out"),
        (-11, "crashed"),
        (3, "ended while it was at work"),
        (0, "ended while it was at work"),
    ],
)
def test_a_process_that_ends_at_work_is_said_in_a_sentence_and_started_again(
    child: Child, how: int, said: str
) -> None:
    listener = Listener()
    with pytest.raises(EngineLost) as caught:
        child.run(("end", how), listener)
    assert said in caught.value.message
    assert caught.value.message.startswith("The helper process ")
    assert caught.value.hint
    assert listener.partials == ["begun"]
    assert child.run(("echo", "again"), Silent()) == "again"


@POSIX
def test_a_process_killed_from_outside_in_mid_answer_is_replaced(child: Child) -> None:
    class Killer(Listener):
        def partial(self, result: object) -> None:
            os.kill(child.pid or 0, signal.SIGKILL)

    with pytest.raises(EngineLost):
        child.run(("until_stopped",), Killer())
    assert child.run(("echo", 2), Silent()) == 2


@POSIX
def test_a_process_lost_between_two_requests_is_replaced_in_silence(child: Child) -> None:
    first = child.run(("pid",), Silent())
    os.kill(first, signal.SIGKILL)
    assert gone(first)
    assert child.run(("pid",), Silent()) != first


def test_faults_cross_as_themselves(shared: Child) -> None:
    with pytest.raises(SpanlightError) as caught:
        shared.run(("fault",), Silent())
    assert (caught.value.message, caught.value.hint) == ("The file is broken.", "Take another.")
    with pytest.raises(handlers.FileFault, match="The file is locked"):
        shared.run(("own_fault",), Silent())
    with pytest.raises(SpanlightError, match="too little free memory"):
        shared.run(("memory",), Silent())


def test_a_bug_crosses_with_its_traceback_and_the_process_lives_on(shared: Child) -> None:
    before = shared.run(("pid",), Silent())
    with pytest.raises(ChildBug, match="nobody thought of this") as caught:
        shared.run(("bug",), Silent())
    assert "handlers.py" in str(caught.value)
    assert "in bug" in str(caught.value)
    with pytest.raises(ChildBug, match="pickle"):
        shared.run(("unpicklable",), Silent())
    assert shared.run(("pid",), Silent()) == before


def test_a_handler_that_cannot_be_made_is_a_bug_that_is_said() -> None:
    child = Child(handlers.make_badly, title="helper process")
    try:
        for _ in range(2):
            with pytest.raises(ChildBug, match="no such library"):
                child.run(("pid",), Silent())
    finally:
        child.close()


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
def test_nor_while_it_starts(child: Child) -> None:
    with pytest.raises(Stopped):
        child.run(("pid",), Listener(lambda _: True))
    started = child.pid or 0
    os.kill(started, signal.SIGINT)
    assert child.run(("pid",), Silent()) == started


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells whom it ends first")
def test_it_goes_before_the_window_when_memory_runs_out(shared: Child) -> None:
    assert shared.run(("environment",), Silent()) == (os.getpid(), "500")


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
