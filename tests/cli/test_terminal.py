from __future__ import annotations

import io

import pytest

from app.core.report import Progress
from app.core.results import TrainingStep


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.cli import terminal

    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    drawn, logged = Terminal(), io.StringIO()
    reports = [terminal.TerminalReport(drawn), terminal.TerminalReport(logged)]
    for now in (0.5, 1.5, 2.0, 10.5, 11.0, 21.0):
        clock[0] = now
        for report in reports:
            report.progress(Progress(int(now * 10), 300, "windows", 42.0))
    for report in reports:
        report.line("A line.")
    assert drawn.getvalue().count("\r\x1b[K") == 6
    assert drawn.getvalue().startswith("\r\x1b[K15 of 300 windows, about 40 seconds left")
    assert logged.getvalue().splitlines() == [
        "105 of 300 windows, about 40 seconds left",
        "210 of 300 windows, about 40 seconds left",
        "A line.",
    ]


def test_training_steps_are_told_with_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.cli import train
    from app.cli.terminal import TerminalReport

    clock = [0.0]
    monkeypatch.setattr(train.time, "monotonic", lambda: clock[0])
    said = io.StringIO()
    report = train.StepReport(TerminalReport(said))
    for now, step in ((100.0, 1), (101.0, 2), (130.0, 31)):
        clock[0] = now
        report.partial(TrainingStep(step, 91, step / 10, 1.5, 1e-4))
    report.partial(TrainingStep(31, 91, 3.1, 1.5, 1e-4, {"f1": 61.234}))
    assert said.getvalue().splitlines() == [
        "step 1 of 91, epoch 0.10: loss 1.5000, learning rate 1.00e-04",
        "step 31 of 91, epoch 3.10: loss 1.5000, learning rate 1.00e-04, about a minute left",
        "step 31 of 91, epoch 3.10: dev f1 61.23",
    ]
