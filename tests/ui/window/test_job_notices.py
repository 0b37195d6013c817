"""The notices of jobs are shown until the next work begins, or they are closed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.report import Report
from app.ui.kit.messages import Fault
from app.ui.window.window import MainWindow, joined_sentences

HALVED = "Memory ran out: fewer passages are read at once."
CPU = "Memory ran out on the GPU: the rest is read on the CPU."


def notice(*sentences: str) -> object:
    def flow(report: Report) -> None:
        for sentence in sentences:
            report.notice(sentence)

    return flow


def run(window: MainWindow, qtbot: QtBot, *sentences: str) -> None:
    window.lanes.work.start(notice(*sentences))  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: window.lanes.work.idle)


def test_every_step_is_told_once_and_leaves_with_the_next_work(window: MainWindow, qtbot: QtBot) -> None:
    run(window, qtbot, HALVED, HALVED, CPU)
    assert window.notice.isVisible()
    assert window.notice.sentence() == f"{HALVED} {CPU}"
    window.lanes.work.start_aside(lambda report: None)
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert window.notice.isVisible()
    run(window, qtbot)
    assert not window.notice.isVisible()


def test_a_person_closes_it(window: MainWindow, qtbot: QtBot) -> None:
    run(window, qtbot, HALVED)
    qtbot.keyClick(window.rail, Qt.Key.Key_Escape)
    assert not window.notice.isVisible()
    run(window, qtbot, CPU)
    assert window.notice.sentence() == CPU


def test_a_fault_that_took_its_place_stays(window: MainWindow, qtbot: QtBot) -> None:
    run(window, qtbot, HALVED)
    window.show_fault(Fault("The disk is full."))
    run(window, qtbot)
    assert window.notice.sentence() == "The disk is full."


RAN_OUT = "The GPU's memory ran out"


@pytest.mark.parametrize(
    ("sentences", "words"),
    [
        ([], ""),
        (["One thing.", "Another."], "One thing. Another."),
        ([f"{RAN_OUT}: less is read at a time."], f"{RAN_OUT}: less is read at a time."),
        (
            [
                f"{RAN_OUT}: less is read at a time.",
                f"{RAN_OUT}: windows of 192 tokens.",
                f"{RAN_OUT}: windows of 96 tokens.",
            ],
            f"{RAN_OUT}: less is read at a time; windows of 96 tokens.",
        ),
        (
            [
                f"{RAN_OUT}: windows of 192 tokens.",
                "Something else.",
                f"{RAN_OUT}: the model now runs on the CPU.",
            ],
            f"{RAN_OUT}: windows of 192 tokens; the model now runs on the CPU. Something else.",
        ),
    ],
)
def test_what_sentences_share_is_said_once(sentences: list[str], words: str) -> None:
    assert joined_sentences(sentences) == words
