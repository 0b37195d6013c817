from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import terminal, train, updates
from app.cli.models.getting import TransferReport
from app.cli.terminal import TerminalReport
from app.core.offers import Downloading
from app.core.releases import Update
from app.core.report import Progress, Report, Stopped
from app.core.results import TrainingStep
from tests.conftest import ROOT
from tests.flows.fake_engine import fake_workspace
from tests.helpers.terminal import Command


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    drawn, logged = Tty(), io.StringIO()
    reports = [TerminalReport(drawn), TerminalReport(logged)]
    for now in (0.5, 1.5, 2.0, 12.0, 29.9):
        clock[0] = now
        for report in reports:
            report.progress(Progress(int(now * 10), 900, "windows", 42.0))
    # How many windows a long text has is estimated while it is read: no number of them is told that moves.
    assert "of 900" not in drawn.getvalue()
    assert logged.getvalue() == "", "nothing is left of what took less"
    for now, progress in (
        (30.5, Progress(305, 900, "texts", 42.0)),
        (31.0, Progress(310, 900, "texts", 42.0)),
        (61.0, Progress(1500, 0, "files found")),
    ):
        clock[0] = now
        for report in reports:
            report.progress(progress)
    for report in reports:
        report.line("A line.")
    assert drawn.getvalue().count("\r\x1b[K") == 8
    assert drawn.getvalue().startswith("\r\x1b[K2% read, about 40 seconds left")
    assert logged.getvalue().splitlines() == [
        "305 of 900 texts, about 40 seconds left",
        "1,500 files found…",
        "A line.",
    ]


def test_a_librarys_progress_is_a_share_as_its_windows_are_estimated() -> None:
    told = io.StringIO()
    report = TerminalReport(told)
    report._shown_at = -99.0
    report.progress(Progress(8, 47, "Reading a.html", 14.4, document=0))
    assert told.getvalue() == "17% read, about 15 seconds left. Reading a.html\n"


@pytest.mark.parametrize("at_once", [False, True])
def test_signals_stop_or_interrupt(at_once: bool) -> None:
    report = TerminalReport(io.StringIO())
    assert report.stopped_code == 130
    with pytest.raises(KeyboardInterrupt), report.stopping():
        with report.waiting() if at_once else contextlib.nullcontext():
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Stopped):
            report.check()
        signal.raise_signal(signal.SIGTERM)
    assert report.stopped_code == 143
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no hang-ups")
def test_what_nohup_started_goes_on_without_its_terminal() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        report = TerminalReport(io.StringIO())
        with report.stopping():
            signal.raise_signal(signal.SIGHUP)
            report.check()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_was_drawn_is_gone_before_what_came_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    drawn = Tty()

    def check(workspace: object, report: Report, *, feed: str) -> Update:
        report.progress(Progress(0, 0, "Asking"))
        assert drawn.getvalue().endswith("Asking…")
        return Update("1.0", feed, None, None)

    monkeypatch.setattr(updates, "check_for_updates", check)
    clock = iter((0.0, 5.0))
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(clock))
    workspace = fake_workspace(tmp_path)
    report = TerminalReport(drawn)
    with report.printing():
        updates.run(updates.parser().parse_args([]), workspace, report)
    assert drawn.getvalue().endswith("\r\x1b[K")
    assert "newest version" in capsys.readouterr().out


def test_training_steps_are_told_with_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_line_of_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    report = TerminalReport(io.StringIO())
    monkeypatch.setattr(report, "draw", lines.append)
    told = TransferReport(report)
    told.progress(Progress(0, 326_000_000, "model.safetensors"))
    told.partial(Downloading(0, 326_000_000, 8_140_000.0, "model.safetensors"))
    told.progress(Progress(120_000_000, 326_000_000, "model.safetensors", 25.0))
    told.progress(Progress(1_000, 2_000, "Checking"))
    told.progress(Progress(0, 0, "Trying it out"))
    assert lines == [
        "model.safetensors: 0 bytes of 326 MB",
        "model.safetensors: 120 MB of 326 MB, 8.1 MB a second, about 25 seconds left",
        "Checking: 1.0 kB of 2.0 kB",
        "Trying it out…",
    ]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False), ("yesterday\n", False)],
)
def test_a_person_is_asked(answer: str, wanted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Tty()
    monkeypatch.setattr(sys, "stdin", Tty(answer))
    assert TerminalReport(stream).ask("Download 3 MB?") is wanted
    assert stream.getvalue() == "Download 3 MB? [y/N] "


def test_nobody_is_asked_where_nobody_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert TerminalReport(Tty()).ask("Download?") is None
    monkeypatch.setattr(sys, "stdin", Tty("y\n"))
    assert TerminalReport(io.StringIO()).ask("Download?") is None


HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\x1b[Kfine\u202etxt.exe\x9b31m\u2066"
SAYS = """
import sys
from app.cli.terminal import TerminalReport, marked, set_up_streams
set_up_streams()
hostile = sys.argv[1]
print(hostile)
print(marked("words") + hostile)
sys.stdout.flush()
report = TerminalReport(sys.stderr)
report._shown_at = -9.0
report.draw(hostile)
report.line(hostile)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_no_text_of_others_steers_the_terminal(tmp_path: Path) -> None:
    main, other = os.openpty()
    subprocess.run([sys.executable, "-c", SAYS, HOSTILE], cwd=ROOT, stdout=other, stderr=other, check=True)
    os.close(other)
    told = b""
    with contextlib.suppress(OSError):  # how the end of a terminal is told
        while part := os.read(main, 65_536):
            told += part
    os.close(main)
    text = told.decode()
    own = re.sub(r"\x1b\[1;4m|\x1b\[0m|\r\x1b\[K|\r\n", "", text)
    assert not [each for each in own if not each.isprintable()], own
    assert "\x1b[1;4mwords\x1b[0m" in text and text.count("finetxt.exe") == 4


def test_a_file_gets_a_document_as_it_is(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Roses\u202e and \u200btulips.\n", encoding="utf-8")
    assert command("text", str(tmp_path / "a.txt")) == (0, "Roses\u202e and \u200btulips.\n", "")


def test_a_name_in_a_sentence_about_a_fault_is_legible(command: Command, tmp_path: Path) -> None:
    code, _, told = command("text", str(tmp_path / "a\x1b[31m\u202eb.pdf"))
    assert code == 2 and "[31mb.pdf" in told and told.rstrip("\n").isprintable()
