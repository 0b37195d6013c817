"""A soak: the real window is used over and over, and what grows meanwhile is a fault (`python3 -m tests --soak 30`).

Its model process and its documents processes are real, with the models that come along; nothing is shown on a screen,
and the user's own data is not touched.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.bench.machine import memory_now
from app.core.errors import SpanlightError
from app.flows.history.history import forget_all
from app.flows.samples import ASK, CLASSIFY, FILL, NAMES, samples
from app.flows.workspace import Workspace, open_workspace
from app.settings.log import start_log
from app.settings.paths import default_paths
from app.ui.kit.messages import log_qt_messages
from app.ui.window.pages import KEYS
from app.ui.window.start import make_application, open_window
from app.ui.window.window import MainWindow
from tests.helpers.furnished import shortcut, shown, wait_until

# The first rounds of a process, in which it loads and fills its caches, are not judged: so many, or a third of all.
WARM_UP = 3
FEWEST = 6  # rounds that can be judged
# Rounds; in the second half of the time none is killed, since memory is judged in one life of a process.
KILL_EVERY, FIRST_KILL = 8, 3
PATIENCE = 300.0  # seconds for one step
_LONG = 120_000  # characters, of which the reader has read no more than the beginning when it is stopped
_TRACEBACK = "Traceback (most recent call last)"


class Bound(NamedTuple):
    """How much a figure may grow: more than this a round, and more than this in all the rounds, is a fault.

    A `share` of what there is may come on top of that: PyTorch's memory comes and goes by a tenth.
    """

    a_round: float
    in_all: float
    share: float = 0.0


BOUNDS = {
    "MB": Bound(0.5, 10, 0.05),
    "handles": Bound(0.1, 2),
    "threads": Bound(0.1, 2),
    "children": Bound(0.05, 0.5),
    "files": Bound(0.05, 0.5),
    "rows": Bound(0.05, 0.5),
}
# A figure by what it is of and its name, with the id of the process that it is of.
Counted = Mapping[tuple[str, str], tuple[int, float]]


def slope(lives: Sequence[int], values: Sequence[float]) -> tuple[float, int]:
    """The growth of a figure in a round, by Theil and Sen, and the number of rounds that it was judged by.

    It is the median of the growth from any round to any later one in the longest life of its process, after the
    first third of it.
    """
    longest = max(dict.fromkeys(lives), key=list(lives).count)
    rounds = [at for at, one in enumerate(lives) if one == longest]
    rounds = rounds[max(WARM_UP, len(rounds) // 3) :]
    slopes = [
        (values[later] - values[one]) / (later - one)
        for at, one in enumerate(rounds)
        for later in rounds[at + 1 :]
    ]
    return (float(np.median(slopes)) if slopes else 0.0), len(rounds)


def growing(rounds: Sequence[Counted]) -> tuple[list[str], list[str]]:
    """A sentence for each figure that grows, and what has figures of too few rounds to be judged."""
    sentences: list[str] = []
    unjudged: dict[str, None] = {}
    for of, figure in dict.fromkeys(key for one in rounds for key in one):
        lives, values = zip(*(one[of, figure] for one in rounds if (of, figure) in one), strict=True)
        a_round, judged = slope(lives, values)
        bound = BOUNDS[figure]
        if judged < FEWEST:
            unjudged[of] = None
        elif a_round > bound.a_round and a_round * (judged - 1) > bound.in_all + bound.share * values[-1]:
            in_all = f"{a_round * (judged - 1):.1f} in {judged} rounds"
            sentences.append(
                f"{of}: {a_round:.2f} {figure} more each round ({bound.a_round:g} are allowed), {in_all}."
            )
    return sentences, list(unjudged)


def figures_of(pid: int) -> dict[str, float]:
    """The memory in MB, handles, threads and children of a process, as far as this system tells them."""
    found: dict[str, float] = {}
    if (used := memory_now(pid)) is not None:
        found["MB"] = used / 1e6
    process = Path(f"/proc/{pid}")
    with suppress(OSError):
        found["handles"] = len(list((process / "fd").iterdir()))
    with suppress(OSError):
        found["threads"] = len(list((process / "task").iterdir()))
    with suppress(OSError):
        if lists := [each.read_text() for each in process.glob("task/*/children")]:
            found["children"] = sum(len(each.split()) for each in lists)
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        kernel, number = ctypes.windll.kernel32, wintypes.DWORD()
        kernel.OpenProcess.restype = wintypes.HANDLE
        handle = wintypes.HANDLE(kernel.OpenProcess(0x1000, False, pid))  # to query a little of it
        if handle and kernel.GetProcessHandleCount(handle, ctypes.byref(number)):
            found["handles"] = number.value
        kernel.CloseHandle(handle)
    return found


def rows_in(file: Path) -> int:
    """The rows in all the tables of a database, without those that SQLite keeps for a search."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
        names = database.execute("SELECT name FROM pragma_table_list WHERE type = 'table'").fetchall()
        return sum(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in names)


class Soak:
    """The window of a soak and how it is used; `files` are those of the last count."""

    def __init__(self, workspace: Workspace, temporary: Path) -> None:
        self.workspace, self._temporary = workspace, temporary
        self.window: MainWindow = open_window(workspace)
        self.files: set[Path] = set()
        bundled = samples(workspace.paths)
        self._texts = {
            kind: next(one.text for one in bundled if one.kind == kind)
            for kind in (ASK, CLASSIFY, FILL, NAMES)
        }
        self._documents = sorted(workspace.paths.known_documents.iterdir())

    def round(self, number: int, *, kill: bool = False) -> None:
        """Use the window once in every way; `kill` ends the model process at work.

        Raises SpanlightError where something does not come to its end.
        """
        window = self.window
        window.theme.choose("dark" if number % 2 else "light", 1.25 if number % 3 == 0 else 1.0)
        window.resize(*((1024, 640) if number % 2 else (1400, 900)))
        view = shown(window, "ask")
        self._rest("coming to rest")
        view.open_files(self._documents)
        self._wait("opening documents", lambda: all(sheet.is_open for sheet in view.sheets.all()))
        for _ in view.sheets.all():
            view.sheets.next()
            self._rest("showing a document")
        self._ask(view, "How high is the lighthouse?")
        text = f"This is round {number}.\n\n{self._texts[ASK]}"
        view.sheets.new().show_text(text, name=f"Round {number}")
        self._ask(view, "Which round is this?")
        shortcut(view, "Ctrl+F")
        view.find_bar.field.setText("the")
        QTest.keyClick(view.find_bar.field, Qt.Key.Key_Return)
        self._rest("finding")
        view.find_bar.put_away()
        for key in KEYS:
            shown(window, key)
            self._rest(f"showing the page {key}")
        for kind in (CLASSIFY, FILL, NAMES):
            page = shown(window, kind)
            page._papers[0].replace(f"{self._texts[kind]} This is round {number}.")
            page.run()
            self._rest(f"the work on the page {kind}")
            if page.result() is None:
                raise SpanlightError(f"The page {kind} shows no result.")
        view = shown(window, "ask")
        view.sheets.new().show_text((text + "\n\n") * (_LONG // len(text)), name=f"Long {number}")
        self._break_off(view, kill=kill)
        view.sheets.close_all()
        view.sheets.save_now()
        window.lanes.files.start(forget_all, self.workspace)
        self._rest("deleting the history")

    def _ask(self, view: Any, question: str) -> None:
        session = self._begin(view, question)
        self._rest(f"the question “{question}”")
        if session.run is None or session.run.reading is None:
            raise SpanlightError(f"The question “{question}” has no answer: {view.panel.notice.sentence()}")

    def _begin(self, view: Any, question: str) -> Any:
        session, field = view.sheets.current().session, view.panel.box.field
        field.setPlainText(question)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self._wait("beginning to read", lambda: session.run is not None and session.run.question == question)
        return session

    def _break_off(self, view: Any, *, kill: bool) -> None:
        """Stop a question in the middle, or kill the model process at it: the next question works."""
        session = self._begin(view, "Which of the rounds is the last one?")
        self._wait("reading", lambda: session.run.fraction > 0)
        pid = self.workspace.engine.pid
        if kill and pid is not None:
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            self._wait("saying that the reader ended", lambda: bool(view.panel.notice.sentence()))
        else:
            view.stop()
        self._rest("breaking off")
        view.sheets.new().show_text(self._texts[ASK], name="After")
        self._ask(view, "What is this text about?")

    def _rest(self, what: str) -> None:
        QTest.qWait(50)
        self._wait(what, lambda: all(lane.idle for lane in vars(self.window.lanes).values()))

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        try:
            wait_until(condition, PATIENCE)
        except AssertionError:
            raise SpanlightError(f"This has not ended after {PATIENCE:.0f} seconds: {what}.") from None

    def count(self) -> Counted:
        """The figures now, garbage collected."""
        QTest.qWait(1500)  # drafts are saved a second later
        self._rest("coming to rest")
        gc.collect()
        reading, drawing = self.workspace.documents.pids
        processes = {
            "window": os.getpid(),
            "model process": self.workspace.engine.pid,
            "reading process": reading,
            "drawing process": drawing,
        }
        found = {
            (of, figure): (pid, value)
            for of, pid in processes.items()
            if pid is not None
            for figure, value in figures_of(pid).items()
        }
        paths = self.workspace.paths
        folders = (self._temporary, paths.config, paths.data)
        self.files = {each for folder in folders for each in folder.rglob("*") if each.is_file()}
        found["disk", "files"] = 0, len(self.files)
        found["disk", "rows"] = 0, sum(rows_in(each) for each in self.files if each.suffix == ".sqlite3")
        return found

    def traceback(self) -> str:
        """The first traceback in the logs, empty without one."""
        for log in sorted(self.workspace.paths.logs.glob("*.log*")):
            _, found, rest = log.read_text("utf-8", "replace").partition(_TRACEBACK)
            if found:
                return f"{log.name}: {found}{rest[:4000]}"
        return ""


def line_of(number: int, seconds: float, counted: Counted) -> str:
    """What is printed of a round."""
    parts = []
    for of in dict.fromkeys(of for of, _ in counted):
        figures = (f"{value:.0f} {figure}" for (one, figure), (_, value) in counted.items() if one == of)
        parts.append(f"{of} {', '.join(figures)}")
    return f"round {number}, {seconds:.1f} s: {'; '.join(parts)}"


def soak(minutes: float) -> int:
    """Use a window for so many minutes, one round at least, and print the figures of each; 1 where there is a fault."""
    with tempfile.TemporaryDirectory(prefix="spanlight-soak-", ignore_cleanup_errors=True) as name:
        temporary = Path(name) / "temporary"
        temporary.mkdir()
        os.environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        os.environ |= {"SPANLIGHT_HOME": str(Path(name) / "home"), "QT_QPA_PLATFORM": "offscreen"}
        tempfile.tempdir = str(temporary)
        faults = _rounds(minutes, temporary)
        tempfile.tempdir = None
    print("\n".join(faults) or "No fault was found.", flush=True)
    return 1 if faults else 0


def _rounds(minutes: float, temporary: Path) -> list[str]:
    paths = default_paths()
    start_log(paths.log_file)
    log_qt_messages()
    workspace = open_workspace(paths)
    workspace.settings.welcomed = True
    application = make_application(workspace)
    use = Soak(workspace, temporary)
    rounds: list[Counted] = []
    files: set[Path] = set()
    faults: list[str] = []
    until = time.monotonic() + 60 * minutes
    half = until - 30 * minutes
    while not faults and (not rounds or time.monotonic() < until):
        began = time.monotonic()
        try:
            number = len(rounds) + 1
            use.round(number, kill=number % KILL_EVERY == FIRST_KILL and began < half)
            rounds.append(use.count())
        except SpanlightError as fault:
            faults.append(f"Round {len(rounds) + 1}: {fault}")
        else:
            print(line_of(len(rounds), time.monotonic() - began, rounds[-1]), flush=True)
            if len(rounds) == WARM_UP + 1:
                files = use.files
        if found := use.traceback():
            faults.append(found)
    use.window.close()
    application.processEvents()
    faults += [f"The {child.name} was not ended." for child in multiprocessing.active_children()]
    sentences, unjudged = growing(rounds)
    faults += sentences
    if any(" files more " in fault for fault in faults):
        faults += sorted(f"New: {each.relative_to(temporary.parent)}" for each in use.files - files)
    if rounds and (untold := [each for each in BOUNDS if each not in {figure for _, figure in rounds[0]}]):
        print(f"Not counted, as this system does not tell them: {', '.join(untold)}.")
    if unjudged:
        few = f"fewer than {FEWEST} rounds after the first {WARM_UP} of its process"
        print(f"Not judged, for {few}: {', '.join(unjudged)}.")
    return faults
