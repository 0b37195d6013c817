"""Cycles are collected in the window's thread, a little at a time."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.core.report import Report
from app.ui.kit.jobs import Job, Lanes
from app.ui.window import collecting
from app.ui.window.collecting import MOST, Collecting


class Closed(QWidget):
    """A page that refers to itself, as every page does through its slots; tells in which thread it goes."""

    gone: list[int]

    def __init__(self, gone: list[int]) -> None:
        super().__init__()
        self.me = self
        self.button = QPushButton("Stop")
        self.button.clicked.connect(self.close)
        QVBoxLayout(self).addWidget(self.button)
        self.gone = gone

    def __del__(self) -> None:
        self.gone.append(threading.get_ident())


class Cycle:
    """No widget, but as hard to be rid of."""

    def __init__(self, gone: list[int]) -> None:
        self.me = self
        self.gone = gone

    def __del__(self) -> None:
        self.gone.append(threading.get_ident())


@pytest.fixture
def lanes(qapp: QApplication) -> Iterator[Lanes]:
    lanes = Lanes()
    yield lanes
    lanes.close()


@pytest.fixture
def automatic() -> Iterator[None]:
    """The collector as a process begins with it, and back to how these tests run."""
    was = gc.isenabled()
    gc.enable()
    yield
    gc.unfreeze()
    (gc.enable if was else gc.disable)()


def litter(report: Report) -> None:
    """Make so many objects that the collector would run by itself, in this thread, for every generation."""
    kept = []
    for _ in range(300):
        kept.append([[] for _ in range(1000)])
    report.check()


def make_garbage(gone: list[int], number: int = 1) -> None:
    for _ in range(number):
        Closed(gone)


def rested(job: Job, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not job.running)


def test_left_to_itself_the_collector_runs_in_a_lane(lanes: Lanes, automatic: None, qtbot: QtBot) -> None:
    gone: list[int] = []
    Cycle(gone)
    rested(lanes.work.start(litter), qtbot)
    assert len(gone) == 1
    assert gone != [threading.get_ident()]


def test_a_closed_page_goes_in_the_windows_thread_whatever_lanes_do(
    lanes: Lanes, automatic: None, qtbot: QtBot
) -> None:
    holder = QObject()
    held = Collecting(lanes, holder)
    gone: list[int] = []
    make_garbage(gone)
    rested(lanes.work.start(litter), qtbot)
    assert gone == []
    held.look_through()
    assert gone == [threading.get_ident()]


def test_what_is_new_is_collected_at_the_next_look(lanes: Lanes, automatic: None, qtbot: QtBot) -> None:
    holder = QObject()
    held = Collecting(lanes, holder)
    gc.collect()
    gone: list[int] = []
    make_garbage(gone, 300)
    assert gone == []
    held.look()
    assert len(gone) == 300


def test_few_new_objects_are_left_for_later(lanes: Lanes, automatic: None) -> None:
    holder = QObject()
    held = Collecting(lanes, holder)
    gc.collect()
    gone: list[int] = []
    make_garbage(gone)
    held.look()
    assert gone == []


def test_many_objects_are_put_by_and_looked_through_when_the_person_is_away(
    lanes: Lanes, automatic: None, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_AWAY_MS", 1)
    holder = QObject()
    held = Collecting(lanes, holder)
    gc.collect()
    gone: list[int] = []
    document = [[] for _ in range(MOST + 1)]  # type: ignore[var-annotated]
    make_garbage(gone)
    frozen = gc.get_freeze_count()
    held.look()
    assert gone == []
    assert gc.get_freeze_count() > frozen + MOST
    held._state_changed(Qt.ApplicationState.ApplicationInactive)
    qtbot.waitUntil(lambda: gone != [])
    assert gone == [threading.get_ident()]
    assert gc.get_freeze_count() > len(document)


def test_while_a_lane_works_what_was_put_by_waits(
    lanes: Lanes, automatic: None, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_AWAY_MS", 1)
    holder = QObject()
    held = Collecting(lanes, holder)
    gone: list[int] = []
    make_garbage(gone)
    gc.freeze()
    end = threading.Event()

    def waits(report: Report) -> None:
        end.wait(10)

    job = lanes.files.start(waits)
    held._state_changed(Qt.ApplicationState.ApplicationInactive)
    qtbot.wait(20)
    assert gone == []
    end.set()
    qtbot.waitUntil(lambda: gone != [])
    rested(job, qtbot)


def test_who_comes_back_is_not_disturbed(
    lanes: Lanes, automatic: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = QObject()
    held = Collecting(lanes, holder)
    held._state_changed(Qt.ApplicationState.ApplicationInactive)
    assert held._away.isActive()
    held._state_changed(Qt.ApplicationState.ApplicationActive)
    assert not held._away.isActive()
