"""The real window driven through what people do, its event loop measured: `python -m app.ui.measured ORDER.json`.

The order (`Order`) is a JSON file; what was found goes to standard output, one JSON object. Nothing of the person's is
touched: the caller gives SPANLIGHT_HOME. Without an order a bare event loop is measured, for what the system itself
takes from a process that does nothing: standard input names the phase from now on, a line each, and ends it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.core.models import Head
from app.core.requests import TrainingRequest
from app.flows.train import train
from app.flows.workspace import open_workspace
from app.settings.paths import default_paths
from app.ui.gaps import Culprits, Heartbeat, longest, percentile
from app.ui.jobs import Job
from app.ui.start import make_application, open_window
from app.ui.window import MainWindow

_KEY_MS = 90.0  # between two keys of somebody who types quickly
_SCROLL_MS = 40.0
_SETTLE_MS = 500.0

Ready = Callable[[], bool]
Step = tuple[Ready, float]


@dataclass(frozen=True, slots=True)
class Order:
    """What to drive the window through; an empty path or string leaves a phase out.

    `files` are opened one after another, a phase each; about the last one `question` is asked, and while it is read,
    at most `seconds`, another question is typed and the page scrolled. `classify` is a file for the page Classify,
    `train` the fields of a TrainingRequest. `model` is the folder of the reader. With `watch` above 0 the result tells
    what the window's thread did in gaps longer than so many milliseconds.
    """

    files: tuple[str, ...] = ()
    question: str = ""
    seconds: float = 30.0
    classify: str = ""
    train: dict[str, Any] | None = None
    model: str = ""
    device: str = ""
    pages: bool = True
    watch: float = 0.0
    longest: float = 120.0


class Person:
    """Somebody at the window: opens, types, scrolls, waits. `phases` yields what is waited for, step by step."""

    def __init__(self, window: MainWindow, order: Order) -> None:
        self._window = window
        self._order = order
        self._heart: Heartbeat | None = None
        self._steps: Iterator[Step] = self._all()
        self._ready: Ready = lambda: True
        self._until = 0.0
        self._acts: list[tuple[float, Callable[[], None]]] = []
        self._next: list[float] = []
        self._painted: list[bool] = []
        window.painted.first.connect(lambda: self._painted.append(True))
        self.late: list[str] = []
        self.facts: dict[str, Any] = {}

    def begin(self, heart: Heartbeat) -> None:
        """Start; the heart must call `beat` at every tick."""
        self._heart = heart

    def beat(self) -> None:
        """Do what is due, and go on as soon as what is waited for has come."""
        now = time.perf_counter()
        for at, (every, act) in enumerate(self._acts):
            if now >= self._next[at]:
                self._next[at] = now + every / 1000
                act()
        late = now > self._until
        if not late and not self._ready():
            return
        if late and self._heart is not None and self._until:
            self.late.append(self._heart.phase)
        try:
            self._ready, seconds = next(self._steps)
        except StopIteration:
            self._ready, self._until = (lambda: False), float("inf")
            QApplication.exit()
            return
        self._until = now + seconds

    # The phases

    def _all(self) -> Iterator[Step]:
        window, order = self._window, self._order
        yield (lambda: bool(self._painted)), order.longest
        self._phase("load")
        yield self._state_is("Reader ready"), order.longest
        yield from self._rest("at rest")
        if order.pages:
            for key in ("classify", "fill", "follow", "names", "inspect", "history", "models", "settings"):
                self._phase("pages")
                window.show_page(key)
                yield self._idle, order.longest
        self._phase("")
        window.show_page("ask")
        for path in order.files:
            yield from self._rest()
            self._phase(f"open {Path(path).suffix or 'text'}")
            window.open_files([Path(path)])
            yield self._opened, order.longest
            yield from self._settle()
        if order.question:
            yield from self._ask()
        if order.classify:
            yield from self._classify()
        if order.train:
            yield from self._train()

    def _ask(self) -> Iterator[Step]:
        view: Any = self._window.page
        field = view.panel.box.field
        field.setPlainText(self._order.question)
        yield from self._rest()
        self._phase("first answers")
        began = time.perf_counter()
        _press(field, Qt.Key.Key_Return)
        yield (lambda: _reading(view) is not None), self._order.longest
        self.facts["first answer"] = time.perf_counter() - began
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
        yield self._idle, self._order.seconds
        self._do()
        reading = _reading(view)
        self.facts["windows read"] = reading.windows if reading is not None else 0
        self.facts["read whole"] = bool(reading is not None and reading.complete)
        self._phase("stop")
        self._window.page.stop()
        yield from self._settle()

    def _classify(self) -> Iterator[Step]:
        self._phase("pages")
        self._window.show_page("classify")
        yield from self._rest()
        self._phase("classify")
        page: Any = self._window.page
        page.open_files([Path(self._order.classify)])
        yield self._idle, self._order.longest
        page.run()
        yield self._idle, self._order.seconds
        page.stop()
        yield from self._settle()

    def _train(self) -> Iterator[Step]:
        self._phase("pages")
        self._window.show_page("ask")
        yield from self._rest()
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in (self._order.train or {}).items()
        }
        request = TrainingRequest(**fields)
        self._phase("train")
        job: Job = self._window.lanes.work.start(train, self._window.workspace, request)
        failed: list[BaseException] = []
        job.failed.connect(failed.append)
        yield (lambda: not job.running), self._order.seconds
        if failed:
            raise failed[0]
        job.stop()
        yield from self._settle()

    # What is waited for

    def _idle(self) -> bool:
        lanes = self._window.lanes
        return all(lane.idle for lane in (lanes.work, lanes.documents, lanes.files, lanes.lookups))

    def _opened(self) -> bool:
        view: Any = self._window.page
        return self._idle() and view.sheets.current().is_open

    def _state_is(self, words: str) -> Ready:
        return lambda: self._window.status.state().startswith(words)

    def _settle(self) -> Iterator[Step]:
        """What a phase leaves to do still counts for it."""
        until = time.perf_counter() + _SETTLE_MS / 1000
        yield (lambda: time.perf_counter() > until and self._idle()), self._order.longest

    def _rest(self, phase: str = "") -> Iterator[Step]:
        self._phase(phase)
        yield from self._settle()

    def _phase(self, name: str) -> None:
        if self._heart is not None:
            self._heart.begin(name)

    def _do(self, *acts: tuple[float, Callable[[], None]]) -> None:
        self._acts, self._next = list(acts), [0.0] * len(acts)


def _press(widget: QWidget, key: Qt.Key, text: str = "") -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))


def _reading(view: Any) -> Any:
    outcome = view.sheets.current().outcome
    return outcome.reading if outcome is not None else None


def measure(order: Order) -> dict[str, Any]:
    """Drive a window of its own through an order; gaps by phase in milliseconds, and what came of it."""
    workspace = open_workspace(default_paths())
    if order.model:
        workspace.settings.models[str(Head.QUESTION_ANSWERING)] = order.model
    if order.device:
        workspace.settings.device = order.device
    make_application(workspace)
    window = open_window(workspace)
    person = Person(window, order)
    heart = Heartbeat(QObject(window), person.beat)
    person.begin(heart)
    culprits = Culprits(heart, order.watch) if order.watch else None
    if culprits is not None:
        culprits.start()
    QApplication.exec()
    heart.stop()
    if culprits is not None:
        culprits.stop()
    found = told(heart) | {"late": person.late, "platform": QGuiApplication.platformName()} | person.facts
    if culprits is not None:
        found["seen"] = [[phase, calls, times] for (phase, calls), times in culprits.seen.most_common(60)]
    window.close()
    return found


def told(heart: Heartbeat) -> dict[str, Any]:
    """What a heart has counted of each phase: how long it took, its longest gap, the most work in one, what is rare."""
    return {
        "phases": {
            phase: {
                "seconds": sum(gaps) / 1000,
                "longest": longest(gaps),
                "work": longest(heart.work[phase]),
                "p99": percentile(gaps, 0.99),
                "longer": sorted((gap for gap in gaps if gap > 15.0), reverse=True)[:20],
            }
            for phase, gaps in heart.gaps.items()
            if phase
        }
    }


def measure_bare() -> dict[str, Any]:
    """The gaps of an event loop with nothing to do, by the phases that standard input names."""
    application = QApplication([])
    named: deque[str] = deque()
    heart = Heartbeat(application)

    def follow() -> None:
        while named:
            phase = named.popleft()
            heart.begin(phase)
            if not phase:
                application.exit()

    heart.watched = follow

    def listen() -> None:
        for line in iter(sys.stdin.readline, ""):
            if line.strip():
                named.append(line.strip())
        named.append("")

    threading.Thread(target=listen, daemon=True).start()
    application.exec()
    heart.stop()
    return told(heart)


def main(argv: list[str]) -> int:
    """Measure what the order in a file says, or a bare event loop without one, and print it."""
    if not argv:
        print(json.dumps(measure_bare()))
        return 0
    fields = json.loads(Path(argv[0]).read_text("utf-8"))
    order = Order(**(fields | {"files": tuple(fields.get("files", ()))}))
    print(json.dumps(measure(order) | {"order": asdict(order)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
