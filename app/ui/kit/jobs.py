"""The thread boundary: lanes run flows in threads, and jobs report on them in the window's thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot

from app.core.report import Progress, Report, Stopped
from app.ui.kit.translation import localised

_log = logging.getLogger(__name__)

_INTERVAL_MS = 50  # the least time between two deliveries to the window

Flow = Callable[..., object]
Receiver = Callable[..., object] | SignalInstance | None


class _Work:
    """A flow with the reports that the window has not received yet; the flow takes it as its Report.

    The lane's thread refers to this only, not to the Job: a QObject must not be destroyed in another thread.
    """

    def __init__(self, flow: Callable[[_Work], object], wake: Callable[[], None]) -> None:
        self._flow = flow
        self._wake = wake
        self._lock = threading.Lock()
        self._running = threading.Lock()  # held by the thread that runs the flow
        self._stop = threading.Event()
        self._progress: Progress | None = None
        self._partials: list[object] = []
        self._notices: list[str] = []
        self._started = False
        self._outcome: tuple[str, Any] | None = None

    def progress(self, progress: Progress) -> None:
        """Store the latest progress for the window."""
        with self._lock:
            self._progress = progress
        self._wake()

    def partial(self, result: object) -> None:
        """Store a partial result for the window; all of them arrive, in order."""
        with self._lock:
            self._partials.append(result)
        self._wake()

    def notice(self, sentence: str) -> None:
        """Store a notice for the window."""
        with self._lock:
            self._notices.append(sentence)
        self._wake()

    def check(self) -> None:
        """Raise Stopped if the window has requested a stop."""
        if self._stop.is_set():
            raise Stopped

    def request_stop(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """Run the flow to its end; where another thread has begun it, only wait for that end."""
        with self._running:
            if self._outcome is None:
                self._run()

    def _run(self) -> None:
        if self._stop.is_set():
            self._end("stopped", None)
            return
        with self._lock:
            self._started = True
        self._wake()
        try:
            result = self._flow(self)
        except Stopped:
            self._end("stopped", None)
        except BaseException as error:  # every failure is reported to the window
            self._end("failed", error)
        else:
            self._end("done", result)

    def _end(self, kind: str, value: object) -> None:
        with self._lock:
            self._outcome = (kind, value)
        self._wake()

    def take(self) -> tuple[bool, Progress | None, list[object], tuple[str, Any] | None]:
        """Return what was reported since the last call: started, progress, partial results, outcome."""
        with self._lock:
            news = (self._started, self._progress, self._partials, self._outcome)
            self._progress, self._partials = None, []
            return news

    def take_notices(self) -> list[str]:
        """Return the notices since the last call."""
        with self._lock:
            notices, self._notices = self._notices, []
            return notices


class Job(QObject):
    """A flow that is queued or running in a lane. Every signal is sent in the window's thread.

    It ends with exactly one of `done` (result), `failed` (exception) and `stopped`, unless it was dropped: then nothing
    more is sent. `progress` (Progress) is sent at most every 50 ms and carries the latest; `partial` results are all
    sent, in order; `started` is sent when the lane begins it, `moved` when another job of the lane has ended. `name` is
    shown by the jobs that wait for it, `position` numbers the jobs of a lane in the order of its queue. `is_aside`
    marks work that the user did not ask for, `is_write` a flow that runs even if the window closes first.
    """

    started = Signal()
    moved = Signal()
    progress = Signal(object)
    partial = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, work: _Work, *, is_aside: bool = False, is_write: bool = False) -> None:
        super().__init__()
        self._work, self.is_aside, self.is_write = work, is_aside, is_write
        self._over = False
        self._started_sent = False
        self.name = ""
        self.position = 0

    def then(
        self,
        done: Receiver = None,
        failed: Receiver = None,
        stopped: Receiver = None,
        *,
        progress: Receiver = None,
        partial: Receiver = None,
    ) -> Job:
        """Connect the job's ends, progress and partial results to bound slots or signals; returns the job itself."""
        for signal, receiver in (
            (self.done, done), (self.failed, failed), (self.stopped, stopped), (self.progress, progress),
            (self.partial, partial),
        ):  # fmt: skip
            if receiver is not None:
                signal.connect(receiver)
        return self

    def replacing(self, before: Job | None) -> Job:
        """Drop the job that this one replaces, if there is one; returns this job."""
        if before is not None:
            before.drop()
        return self

    @property
    def waiting(self) -> bool:
        """Whether the lane has not begun the job yet."""
        return not self._over and not self._started_sent

    @property
    def running(self) -> bool:
        """Whether the job has not ended yet; true while it is queued, too."""
        return not self._over

    def stop(self) -> None:
        """Stop the flow; `stopped` is sent at once, however long the flow takes to wind down."""
        if not self._over:
            self._over = True
            self._work.request_stop()
            self.stopped.emit()

    @Slot()
    def drop(self) -> None:
        """Stop the flow and send nothing more: another job has replaced this one."""
        self.silence()
        self._work.request_stop()

    def silence(self) -> None:
        """Let the flow run, but send nothing more."""
        self._over = True

    def notices(self) -> list[str]:
        """Return the notices that were not shown yet; none once the job is over."""
        notices = self._work.take_notices()
        return [] if self._over else notices

    def deliver(self) -> bool:
        """Send the signals for what the flow has reported; returns True once the flow has ended."""
        started, progress, partials, outcome = self._work.take()
        if started and not self._started_sent and not self._over:
            self._started_sent = True
            self.started.emit()
        for result in partials:
            if not self._over:
                self.partial.emit(result)
        if progress is not None and outcome is None and not self._over:
            self.progress.emit(progress)
        if outcome is not None and not self._over:
            self._over = True
            kind, value = outcome
            if kind == "done":
                self.done.emit(value)
            elif kind == "failed":
                self.failed.emit(value)
            else:
                self.stopped.emit()
        return outcome is not None

    def finish(self, wait_seconds: float) -> bool:
        """Run the flow now unless the lane has begun it, and deliver; returns whether it ended in the time given."""
        # In a thread of its own, because nothing else bounds the time: the disk may not answer.
        thread = threading.Thread(target=self._work.run, name="finish", daemon=True)
        thread.start()
        thread.join(wait_seconds)
        return self.deliver()


class Lane(QObject):
    """A thread that runs flows one after another, in the order they were started; `finish_writes` runs some before it.

    A flow is called as `flow(*arguments, report, **options)`. The lane must be created in the window's thread.
    `noticed` carries a notice of any flow. `begun` carries a new Job before it is queued, unless it is started aside.
    `rested` is sent when no job is running or queued any more.
    """

    noticed = Signal(str)
    begun = Signal(object)
    rested = Signal()
    _woken = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._jobs: list[Job] = []
        self._started_jobs = 0
        self._awake = threading.Event()
        self._closed = False
        self._last = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._deliver)
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=_run_queue, args=(self._queue,), name=name, daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether no job is running or queued."""
        return not self._jobs

    @property
    def free(self) -> bool:
        """Whether no job that the user asked for is running or queued."""
        return all(job.is_aside for job in self._jobs)

    def start(self, flow: Flow, *arguments: object, **options: object) -> Job:
        """Queue `flow(*arguments, report, **options)` to run as soon as the lane is free."""
        return self._start(flow, arguments, options)

    def start_aside(self, flow: Flow, *arguments: object, **options: object) -> Job:
        """Like `start`, for work that the user did not ask for: a status query, or work in the background."""
        return self._start(flow, arguments, options, is_aside=True)

    def start_write(self, flow: Flow, *arguments: object, **options: object) -> Job:
        """Like `start`, for a flow that saves what the person did: it runs even if the window closes first."""
        return self._start(flow, arguments, options, is_write=True)

    def finish_writes(self, wait_seconds: float = 10.0) -> None:
        """Run all queued writes now, in their order, whatever else the lane runs, and send their signals.

        The writes that receivers start are run too; faults are logged as well. Waits at most `wait_seconds`, by default
        twice as long as a database waits for another process; what is left then runs in the lane, even after `quit`.
        """
        until = time.monotonic() + wait_seconds
        for job in self._jobs:  # to which receivers may add
            if job.is_write and job.running:
                job.failed.connect(_log_fault)
                if not job.finish(max(0.0, until - time.monotonic())):
                    return

    def _start(
        self, flow: Flow, arguments: tuple[object, ...], options: dict[str, object], **kind: bool
    ) -> Job:
        work = _Work(lambda report: flow(*arguments, report, **options), self.wake)
        job = Job(work, **kind)
        self._jobs.append(job)  # most callers keep no reference to it
        if self._closed:
            job.drop()
            return job
        if not job.is_aside:
            self.begun.emit(job)  # a receiver may queue something before it
        self._started_jobs += 1
        job.position = self._started_jobs
        self._queue.put(work)
        return job

    def blocker_of(self, job: Job) -> str:
        """Return the name of the first named job that a queued one waits for; empty if there is none."""
        before = [one for one in self._jobs if one.running and one.position < job.position and one.name]
        return min(before, key=lambda one: one.position).name if job.waiting and before else ""

    def quit(self) -> None:
        """Stop all flows but writes, and end the thread once they have ended; no job sends a signal any more."""
        self._closed = True
        for job in self._jobs:
            if job.is_write:
                job.silence()
            else:
                job.drop()
        self._queue.put(None)

    def close(self, wait_seconds: float = 2.0) -> bool:
        """Quit, and wait for the thread; returns whether it ended in the time given."""
        self.quit()
        self._thread.join(wait_seconds)
        self._timer.stop()
        self._jobs.clear()
        return not self._thread.is_alive()

    def wake(self) -> None:
        """Have the window collect what the jobs have reported; called from the thread that runs a flow."""
        if not self._awake.is_set() and not self._closed:
            self._awake.set()
            try:
                self._woken.emit()
            except RuntimeError:  # the window is gone
                _log.debug("a report after the window was closed")

    @Slot()
    def _on_woken(self) -> None:
        since = (time.monotonic() - self._last) * 1000
        if since >= _INTERVAL_MS:
            self._deliver()
        elif not self._timer.isActive():
            self._timer.start(max(1, int(_INTERVAL_MS - since)))

    @Slot()
    def _deliver(self) -> None:
        self._awake.clear()
        busy = len(self._jobs)
        for job in list(self._jobs):
            for sentence in job.notices():
                self.noticed.emit(localised(sentence))
            if job.deliver() and job in self._jobs:
                self._jobs.remove(job)
        if len(self._jobs) < busy:
            for job in [one for one in self._jobs if one.waiting]:
                job.moved.emit()
            if not self._jobs:
                self.rested.emit()
        # Measured from the end of the delivery: slow receivers still leave the window time in between.
        self._last = time.monotonic()


class Lanes:
    """The window's lanes, a thread each.

    `work` runs models; `documents` opens files, which may take long; `pages` draws pages; `files` reads and writes
    small files (drafts, settings, the history); `folders` counts the files of folders, and saves and removes libraries;
    `library` reads the files of libraries; `recognition` recognises text in pictures; `network` downloads and imports
    models; `lookups` looks models up.
    """

    def __init__(self) -> None:
        self.work = Lane("work")
        self.documents = Lane("documents")
        self.pages = Lane("pages")
        self.files = Lane("files")
        self.library = Lane("library")
        self.recognition = Lane("recognition")
        self.folders = Lane("folders")
        self.network = Lane("network")
        self.lookups = Lane("lookups")

    def close(self) -> None:
        """Quit all lanes; waits at most a few seconds for their flows to end."""
        lanes: list[Lane] = list(vars(self).values())
        for lane in lanes:
            lane.quit()
        for lane in lanes:
            lane.close(2.0 if lane in (self.work, self.files) else 0.5)


def _run_queue(queued: queue.SimpleQueue[_Work | None]) -> None:
    """Run what is queued, one after another, until None is taken from the queue."""
    while (work := queued.get()) is not None:
        work.run()
        del work


def _log_fault(error: BaseException) -> None:
    _log.warning("not saved: %s", error)


def do(action: Callable[[], object], report: Report) -> object:
    """Run an action that takes no report as a flow; returns its result."""
    return action()
