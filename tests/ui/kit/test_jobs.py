"""The thread boundary: how jobs end, what they send, and what is dropped."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QObject, QThread
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.report import Progress, Report
from app.ui.kit.jobs import Job, Lane
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.theme import Theme


class Listener:
    """Records everything that a job sends, and in which thread."""

    def __init__(self, job: Job) -> None:
        self.said: list[tuple[str, object]] = []
        self.threads: set[QThread] = set()
        self.times: list[float] = []
        job.started.connect(lambda: self._hear("started", None))
        job.progress.connect(lambda value: self._hear("progress", value))
        job.partial.connect(lambda value: self._hear("partial", value))
        job.done.connect(lambda value: self._hear("done", value))
        job.failed.connect(lambda value: self._hear("failed", value))
        job.stopped.connect(lambda: self._hear("stopped", None))

    def _hear(self, kind: str, value: object) -> None:
        self.said.append((kind, value))
        self.threads.add(QThread.currentThread())
        if kind == "progress":
            self.times.append(time.monotonic())

    def ends(self) -> list[tuple[str, object]]:
        return [one for one in self.said if one[0] in ("done", "failed", "stopped")]


class Gate:
    """A flow that waits, once it has entered, until a test opens the gate."""

    def __init__(self) -> None:
        self._entered, self._open = threading.Event(), threading.Event()
        self.is_entered, self.open = self._entered.is_set, self._open.set

    def __call__(self, report: Report) -> str:
        self._entered.set()
        self._open.wait(10)
        return "too late"


def until_stopped(entered: threading.Event, report: Report) -> None:
    entered.set()
    while True:
        report.check()
        time.sleep(0.001)


@pytest.fixture
def lane(qapp: QCoreApplication) -> Iterator[Lane]:
    lane = Lane("test")
    yield lane
    lane.close()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


def test_a_result_arrives_once_in_the_windows_thread(lane: Lane, qtbot: QtBot) -> None:
    def flow(number: int, report: Report, *, add: int) -> int:
        assert threading.current_thread() is not threading.main_thread()
        return number + add

    ended: list[object] = []
    replaced = lane.start(lambda report: 1)
    job = lane.start(flow, 40, add=2).replacing(replaced).replacing(None).then(ended.append, ended.append)
    heard = Listener(job)
    qtbot.waitUntil(lambda: not job.running)
    qtbot.wait(80)
    assert heard.said == [("started", None), ("done", 42)]
    assert ended == [42] and not replaced.running
    assert heard.threads == {QCoreApplication.instance().thread()}  # type: ignore[union-attr]
    assert lane.idle


@pytest.mark.parametrize("error", [SpanlightError("No such file.", "Choose another."), ValueError("a bug")])
def test_a_failed_job_ends_once_and_the_lane_goes_on(lane: Lane, qtbot: QtBot, error: Exception) -> None:
    def flow(report: Report) -> None:
        raise error

    heard = Listener(lane.start(flow))
    qtbot.waitUntil(lambda: bool(heard.ends()))
    qtbot.wait(80)
    assert heard.ends() == [("failed", error)]
    after = Listener(lane.start(lambda report: "well"))
    qtbot.waitUntil(lambda: after.ends() == [("done", "well")])


def test_stopped_is_sent_once_and_at_once_whatever_the_flow_does(
    lane: Lane, gate: Gate, qtbot: QtBot
) -> None:
    job = lane.start(gate)
    heard = Listener(job)
    qtbot.waitUntil(gate.is_entered)
    job.stop()
    assert heard.ends() == [("stopped", None)]
    job.stop()
    gate.open()
    qtbot.waitUntil(lambda: lane.idle)
    assert heard.ends() == [("stopped", None)]


def test_a_job_stopped_in_the_queue_never_runs(lane: Lane, gate: Gate, qtbot: QtBot) -> None:
    ran: list[str] = []
    lane.start(gate)
    waiting = lane.start(lambda report: ran.append("ran"))
    heard = Listener(waiting)
    waiting.stop()
    gate.open()
    qtbot.waitUntil(lambda: lane.idle)
    assert heard.said == [("stopped", None)]
    assert ran == []


def test_a_dropped_job_sends_nothing_more(lane: Lane, gate: Gate, qtbot: QtBot) -> None:
    def old(report: Report) -> str:
        report.partial("old news")
        gate(report)
        report.progress(Progress(1, 2))
        return "old"

    first = lane.start(old)
    heard_first = Listener(first)
    qtbot.waitUntil(gate.is_entered)
    first.drop()
    before = list(heard_first.said)
    second = Listener(lane.start(lambda report: "new"))
    gate.open()
    qtbot.waitUntil(lambda: bool(second.ends()))
    qtbot.wait(80)
    assert heard_first.said == before
    assert second.ends() == [("done", "new")]


def test_progress_is_sent_at_most_every_50_ms_and_is_the_latest(lane: Lane, gate: Gate, qtbot: QtBot) -> None:
    def flow(report: Report) -> None:
        for number in range(2000):
            report.progress(Progress(number, 2000))
            time.sleep(0.0001)
        gate(report)

    job = lane.start(flow)
    heard = Listener(job)
    qtbot.waitUntil(lambda: ("progress", Progress(1999, 2000)) in heard.said)
    gate.open()
    qtbot.waitUntil(lambda: bool(heard.ends()))
    gaps = [after - before for before, after in zip(heard.times, heard.times[1:], strict=False)]
    assert all(gap >= 0.045 for gap in gaps), gaps
    assert len(heard.times) < 200


def test_all_partial_results_and_notices_arrive_in_order_before_the_end(lane: Lane, qtbot: QtBot) -> None:
    noticed: list[tuple[str, int]] = []
    threads: set[QThread] = set()

    def hear(sentence: str) -> None:
        noticed.append((sentence, len(heard.ends())))
        threads.add(QThread.currentThread())

    def flow(report: Report) -> str:
        for number in range(100):
            report.notice(f"step {number}")
            report.partial(number)
        return "end"

    lane.noticed.connect(hear)
    heard = Listener(lane.start(flow))
    qtbot.waitUntil(lambda: bool(heard.ends()))
    qtbot.wait(80)
    assert noticed == [(f"step {number}", 0) for number in range(100)]
    assert heard.said[1:] == [*(("partial", number) for number in range(100)), ("done", "end")]
    assert threads == {QCoreApplication.instance().thread()}  # type: ignore[union-attr]


@pytest.mark.parametrize("end", ["stop", "drop"])
def test_the_notices_of_a_stopped_or_dropped_job_are_not_sent(
    lane: Lane, gate: Gate, qtbot: QtBot, end: str
) -> None:
    noticed: list[str] = []

    def flow(report: Report) -> None:
        report.notice(gate(report))

    lane.noticed.connect(noticed.append)
    job = lane.start(flow)
    qtbot.waitUntil(gate.is_entered)
    getattr(job, end)()
    gate.open()
    qtbot.waitUntil(lambda: lane.idle)
    lane.start(lambda report: report.notice("in time"))
    qtbot.waitUntil(lambda: lane.idle)
    assert noticed == ["in time"]


def test_closing_stops_a_running_flow_and_sends_nothing(qapp: QCoreApplication, qtbot: QtBot) -> None:
    lane, entered = Lane("closing"), threading.Event()
    heard = Listener(lane.start(until_stopped, entered))
    qtbot.waitUntil(entered.is_set)
    before = list(heard.said)
    assert lane.close()
    qtbot.wait(80)
    assert heard.said == before
    after = lane.start(lambda report: "late")
    assert not after.running


def test_queued_writes_run_after_the_lane_was_closed(qapp: QCoreApplication) -> None:
    lane, entered = Lane("closing"), threading.Event()
    ran: list[str] = []
    lane.start(until_stopped, entered)
    lane.start(lambda report: ran.append("a query"))
    written = Listener(lane.start_write(lambda report: ran.append("a write")))
    lane.start_write(lambda report: ran.append("a write that was dropped")).drop()
    entered.wait(5)
    assert lane.close(10) and ran == ["a write"] and not written.said


def test_queued_writes_are_finished_in_their_order_while_the_lane_is_busy(
    lane: Lane, gate: Gate, qtbot: QtBot
) -> None:
    ran, done = list[str](), list[object]()
    lane.start(gate)
    lane.start(lambda report: ran.append("a query"))

    def follow(result: object) -> None:
        done.append(result)
        lane.start_write(lambda report: ran.append("what follows")).then(done.append)

    def write(report: Report) -> str:
        ran.append("a write")
        return "written"

    first = Listener(lane.start_write(write).then(follow))
    lane.start_write(lambda report: ran.append("a write that was dropped")).drop()
    lane.start_write(lambda report: ran.append("another write"))
    lane.finish_writes()
    assert ran == ["a write", "another write", "what follows"] and done == ["written", None]
    gate.open()
    qtbot.waitUntil(lambda: lane.idle)
    assert ran == ["a write", "another write", "what follows", "a query"], "each once"
    assert first.said == [("started", None), ("done", "written")] and first.threads == {
        QThread.currentThread()
    }


def test_a_write_that_has_begun_is_waited_for_so_long(lane: Lane, gate: Gate, qtbot: QtBot) -> None:
    ran: list[str] = []
    lane.start_write(lambda report: ran.append(gate(report)))
    lane.start_write(lambda report: ran.append("another write"))
    qtbot.waitUntil(gate.is_entered)
    lane.finish_writes(0.05)
    assert not ran
    threading.Timer(0.05, gate.open).start()
    lane.finish_writes()
    assert ran == ["too late", "another write"]


def test_a_write_that_fails_as_the_window_closes_is_logged(
    lane: Lane, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    failed: list[object] = []
    lane.start(gate)
    fault = SpanlightError("The disk is full.", "Free some space.")

    def refuse(report: Report) -> None:
        raise fault

    lane.start_write(refuse).then(failed=failed.append)
    lane.finish_writes()
    assert failed == [fault] and "The disk is full." in caplog.text


def test_a_job_without_references_is_destroyed_in_the_windows_thread(lane: Lane, qtbot: QtBot) -> None:
    died: list[bool] = []

    def watch() -> None:
        job = lane.start(lambda report: None)
        job.destroyed.connect(lambda: died.append(QThread.currentThread() is QObject().thread()))

    for _ in range(20):
        watch()
    qtbot.waitUntil(lambda: lane.idle and len(died) == 20)
    assert all(died)


def test_a_lane_announces_new_work_and_that_none_is_left(lane: Lane, qtbot: QtBot) -> None:
    said: list[str] = []
    lane.begun.connect(lambda job: said.append("begun" if isinstance(job, Job) else "?"))
    lane.rested.connect(lambda: said.append(f"rested, {lane.idle}"))
    lane.start(lambda report: None)
    lane.start(lambda report: None)
    qtbot.waitUntil(lambda: lane.idle)
    assert said == ["begun", "begun", "rested, True"]
    lane.start_aside(lambda report: None)
    qtbot.waitUntil(lambda: lane.idle)
    assert said == ["begun", "begun", "rested, True", "rested, True"]


def test_a_queued_job_knows_what_blocks_it(lane: Lane, qtbot: QtBot) -> None:
    gates = Gate(), Gate()
    first, second = map(lane.start, gates)
    third = lane.start(lambda report: None)
    first.name, second.name, third.name = "the first", "the second", "the third"
    told: list[str] = []
    third.moved.connect(lambda: told.append(lane.blocker_of(third)))
    qtbot.waitUntil(lambda: not first.waiting)
    assert (lane.blocker_of(first), lane.blocker_of(second), lane.blocker_of(third)) == (
        "",
        "the first",
        "the first",
    )
    gates[0].open()
    qtbot.waitUntil(lambda: told == ["the second"])
    second.stop()  # while it winds down, it blocks no other job
    assert lane.blocker_of(third) == ""
    gates[1].open()
    qtbot.waitUntil(lambda: lane.idle)


def test_a_receiver_of_begun_can_queue_something_first(lane: Lane, qtbot: QtBot) -> None:
    ran: list[str] = []

    def put_before(job: Job) -> None:
        lane.begun.disconnect(put_before)
        lane.start(lambda report: ran.append("before")).name = "what comes first"

    lane.begun.connect(put_before)
    job = lane.start(lambda report: ran.append("work"))
    assert lane.blocker_of(job) == "what comes first"
    qtbot.waitUntil(lambda: lane.idle)
    assert ran == ["before", "work"]


def test_a_job_whose_queue_status_was_shown_is_freed_at_its_end(
    lane: Lane, gate: Gate, theme: Theme, qtbot: QtBot
) -> None:
    strip = ProgressStrip(theme)
    qtbot.addWidget(strip)
    before, job = lane.start(gate), lane.start(lambda report: None)
    before.name = "the work on Ask"
    QueueStatus(lane, job, strip, "Getting ready")
    assert strip.words() == "Waits for the work on Ask to end"
    gate.open()
    qtbot.waitUntil(lambda: lane.idle)
    assert strip.words() == "Getting ready"
    gone = weakref.ref(job)
    del before, job
    gc.collect()
    qtbot.waitUntil(lambda: gone() is None)
