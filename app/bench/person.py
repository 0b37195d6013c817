"""A simulated user who works in the window by an order, and waits for the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.bench.gaps import Heartbeat
from app.core.requests import TrainingRequest
from app.flows.train import train
from app.ui.ask.run import RunState
from app.ui.kit.jobs import Job
from app.ui.window.window import MainWindow

_KEY_MS = 90.0  # between two keys of a fast typist
_SCROLL_MS = 40.0
_SETTLE_MS = 500.0


@dataclass(frozen=True, slots=True)
class Order:
    """What a simulated user does.

    The file `text` is opened, and each of `questions` is asked about it until its first answer is on the page. While
    the reading for the last one goes on, another question is typed and the page scrolled. `classify` is a file for the
    page Classify, `train` the fields of a TrainingRequest. Reading, classifying and training are stopped after
    `seconds` each; everything else must be done within `longest` seconds. `model` is the reader's folder, `device` is
    empty for that of the settings.
    """

    text: str
    questions: tuple[str, ...]
    classify: str
    train: dict[str, Any]
    model: str
    device: str
    seconds: float
    longest: float


@dataclass(frozen=True, slots=True)
class Wait:
    """A condition to wait for, for at most `seconds`; `planned` is whether running out of time is expected."""

    ready: Callable[[], bool]
    seconds: float
    planned: bool = False


class Person:
    """A simulated user, who opens, types, scrolls and waits.

    `stopped` are the phases that were stopped after their time, as planned. `late` is the phase whose condition did not
    come true in time, which ends everything; None without one. `facts` are other findings.
    """

    def __init__(self, window: MainWindow, order: Order) -> None:
        self._window = window
        self._order = order
        self._heart: Heartbeat | None = None
        self._steps: Iterator[Wait] = self._all()
        self._wait = Wait(lambda: True, 0.0)
        self._until = float("inf")
        self._acts: list[tuple[float, Callable[[], None]]] = []
        self._next: list[float] = []
        self._painted: list[bool] = []
        window.painted.first.connect(lambda: self._painted.append(True))
        self.stopped: list[str] = []
        self.late: str | None = None
        self.facts: dict[str, Any] = {}

    def begin(self, heart: Heartbeat) -> None:
        """Take the heartbeat, which must call `beat` at every tick."""
        self._heart = heart

    def beat(self) -> None:
        """Perform the actions that are due, and take the next step once the condition is true."""
        now = time.perf_counter()
        for at, (every, act) in enumerate(self._acts):
            if now >= self._next[at]:
                self._next[at] = now + every / 1000
                act()
        if not self._wait.ready():
            if now <= self._until:
                return
            phase = self._heart.phase if self._heart is not None else ""
            if not self._wait.planned:
                self.late = phase
                self._end()
                return
            self.stopped.append(phase)
        try:
            self._wait = next(self._steps)
        except StopIteration:
            self._end()
            return
        self._until = now + self._wait.seconds

    def _end(self) -> None:
        self._wait, self._until = Wait(lambda: False, 0.0), float("inf")
        self._do()
        QApplication.exit()

    # Phases

    def _all(self) -> Iterator[Wait]:
        window, order = self._window, self._order
        self._phase("paint")
        yield Wait(lambda: bool(self._painted), order.longest)
        self._phase("load")
        yield Wait(lambda: window.status.state().startswith("Reader ready"), order.longest)
        yield from self._rest("at rest")
        self._phase("")
        window.show_page("ask")
        yield from self._rest()
        self._phase("open")
        window.open_files([Path(order.text)])
        yield Wait(self._opened, order.longest)
        yield from self._settle()
        yield from self._ask()
        yield from self._classify()
        yield from self._train()

    def _ask(self) -> Iterator[Wait]:
        view: Any = self._window.page
        field = view.panel.box.field
        took: list[float] = []
        self.facts["first answers"], self.facts["not answered"] = took, 0
        for number, question in enumerate(self._order.questions):
            if number:
                view.stop()
            field.setPlainText(question)
            yield from self._rest()
            self._phase("first answers")
            shown = _Shown(view.sheets.current(), question)
            began = time.perf_counter()
            _press(field, Qt.Key.Key_Return)
            yield Wait(shown.over, self._order.seconds, planned=True)
            shown.stop()
            if shown.painted:
                took.append(time.perf_counter() - began)
            else:
                self.facts["not answered"] += 1
        yield from self._read(view, field)

    def _read(self, view: Any, field: Any) -> Iterator[Wait]:
        self._phase("read")
        typed = iter("And what became of them in the end, after all that was said of it before? " * 20)
        field.clear()
        scroll = view.sheets.current().pane.verticalScrollBar()

        def type_on() -> None:
            letter = next(typed, " ")
            _press(field, Qt.Key.Key_A, letter)

        def scroll_on() -> None:
            scroll.setValue((scroll.value() + scroll.singleStep() * 3) % max(1, scroll.maximum()))

        self._do((_KEY_MS, type_on), (_SCROLL_MS, scroll_on))
        yield Wait(self._idle, self._order.seconds, planned=True)
        self._do()
        run = view.sheets.current().session.run
        if run is None:
            self.facts["read"] = 0.0
        else:
            self.facts["read"] = 1.0 if run.state is RunState.DONE else run.fraction
        self._phase("stop")
        view.stop()
        yield from self._settle()

    def _classify(self) -> Iterator[Wait]:
        self._phase("pages")
        self._window.show_page("classify")
        yield from self._rest()
        self._phase("classify")
        page: Any = self._window.page
        page.open_files([Path(self._order.classify)])
        yield Wait(self._idle, self._order.longest)
        page.run()
        yield Wait(self._idle, self._order.seconds, planned=True)
        page.stop()
        yield from self._settle()

    def _train(self) -> Iterator[Wait]:
        self._phase("pages")
        self._window.show_page("ask")
        yield from self._rest()
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self._order.train.items()
        }
        request = TrainingRequest(**fields)
        self._phase("train")
        job: Job = self._window.lanes.work.start(train, self._window.workspace, request)
        failed: list[BaseException] = []
        job.failed.connect(failed.append)
        yield Wait(lambda: not job.running, self._order.seconds, planned=True)
        if failed:
            raise failed[0]
        job.stop()
        yield from self._settle()

    # Conditions

    def _idle(self) -> bool:
        lanes = self._window.lanes
        return all(lane.idle for lane in (lanes.work, lanes.documents, lanes.files, lanes.lookups))

    def _opened(self) -> bool:
        view: Any = self._window.page
        return self._idle() and view.sheets.current().is_open

    def _settle(self) -> Iterator[Wait]:
        """Wait for a phase's remaining work, which still counts for it."""
        until = time.perf_counter() + _SETTLE_MS / 1000
        yield Wait(lambda: time.perf_counter() > until and self._idle(), self._order.longest)

    def _rest(self, phase: str = "") -> Iterator[Wait]:
        self._phase(phase)
        yield from self._settle()

    def _phase(self, name: str) -> None:
        if self._heart is not None:
            self._heart.begin(name)

    def _do(self, *acts: tuple[float, Callable[[], None]]) -> None:
        self._acts, self._next = list(acts), [0.0] * len(acts)


class _Shown(QObject):
    """Watches a sheet's page until it is painted with an answer to a question."""

    def __init__(self, sheet: Any, question: str) -> None:
        super().__init__()
        self._sheet, self._question = sheet, question.strip()
        self.painted = False
        self._watched: QWidget = sheet.pane.viewport()
        self._watched.installEventFilter(self)

    def over(self) -> bool:
        """Whether an answer is shown, or all was read and there is none."""
        run = self._run()
        return self.painted or (run is not None and not run.is_running and not any(run.lit))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note when the page is painted with an answer; blocks no event."""
        if event.type() == QEvent.Type.Paint:
            run = self._run()
            self.painted = self.painted or (run is not None and any(run.lit))
        return False

    def stop(self) -> None:
        """Stop watching."""
        self._watched.removeEventFilter(self)

    def _run(self) -> Any:
        run = self._sheet.session.run
        return run if run is not None and run.question == self._question else None


def _press(widget: QWidget, key: Qt.Key, text: str = "") -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))
