"""Whatever is typed, a command ends with 0 or 2 and a sentence; a stop is heard at once; streams may be closed."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.requests import ModelChoice
from tests.conftest import ROOT
from tests.flows.fake_engine import FakeEngine
from tests.helpers.children import POSIX
from tests.helpers.terminal import Command
from tests.hostile.commands import COMMANDS, WORDS

ROWS = '{"id": 1, "context": "The knave.", "question": "Who?", "text": "fine", "first": "a", "second": "b"}\n'


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the names in the commands stand for; relative names are of a folder of the test's own."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "file.txt").write_text("The knave stole the tarts.")
    (tmp_path / "rows.jsonl").write_text(ROWS)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Who stole?")))
    return {
        "FILE": str(tmp_path / "file.txt"),
        "ROWS": str(tmp_path / "rows.jsonl"),
        "FOLDER": str(tmp_path / "folder"),
    }


class NothingInside(FakeEngine):
    """The engine without models, which looks into none."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        """Answer what the fake one answers, and refuse the rest."""
        try:
            return super().run(request, choice, report)
        except TypeError as fault:
            if "no task answers" in str(fault):
                raise SpanlightError("There is nothing to look into.") from fault
            raise


def filled(words: list[str], places: dict[str, str]) -> list[str]:
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    return words


def check(command: Command, typed: str, odd: str, places: dict[str, str]) -> None:
    words = [word.replace("X", odd) for word in shlex.split(typed)]
    if "/dev/" in odd and any(
        words[at] == "--output" and odd in words[at + 1] for at in range(len(words) - 1)
    ):
        return  # never a real device: where a test may do all, a mistake would cost the system its own
    code, out, err = command(*filled(words, places), engine=NothingInside())
    assert code in (0, 2), (code, err)
    assert "Traceback" not in out + err
    if code == 2:
        last = err.splitlines()[-1]
        assert " " in last
        assert "\x1b" not in last and len(last) < 12_000


@POSIX
@pytest.mark.parametrize("at", range(len(COMMANDS)), ids=[*COMMANDS])
def test_odd_words_in_a_command(command: Command, places: dict[str, str], at: int) -> None:
    """A few of the words for each command, other ones for the next."""
    odd = list(WORDS.values())
    for step in range(4):
        check(command, COMMANDS[at], odd[(4 * at + 9 * step) % len(odd)], places)


@POSIX
@pytest.mark.long
@pytest.mark.parametrize("word", WORDS)
def test_an_odd_word_in_all_commands(command: Command, places: dict[str, str], word: str) -> None:
    for typed in COMMANDS:
        check(command, typed, WORDS[word], places)


def started(places: dict[str, str], words: str, ends: str = "", **streams: Any) -> subprocess.Popen[str]:
    """The real program, started by a shell that does to its streams what `ends` says."""
    line = f"exec {shlex.quote(sys.executable)} -m app {words} {ends}"
    for name, place in places.items():
        line = line.replace(name, shlex.quote(place))
    return subprocess.Popen(
        ["/bin/sh", "-c", line],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **streams,
    )


@POSIX
@pytest.mark.parametrize(
    ("ends", "code", "said"),
    [
        (">/dev/full", 2, "be written: "),
        (">&-", 2, "Standard output could not be written: Bad file descriptor."),
        (">&- <&-", 2, "Standard output could not be written: Bad file descriptor."),
        ("<&- >/dev/null", 0, ""),
        (">/dev/null 2>&-", 0, ""),
        (">&- 2>&- <&-", 2, ""),
        ("2>/dev/full >/dev/null", 0, ""),
    ],
)
@pytest.mark.parametrize(
    "words", ["text FILE", "--version", pytest.param("text --help", marks=pytest.mark.long)]
)
def test_streams_that_are_closed_or_full(
    places: dict[str, str], words: str, ends: str, code: int, said: str
) -> None:
    if not Path("/dev/full").exists() and "full" in ends:
        pytest.skip("this system has no /dev/full")
    process = started(places, words, ends)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in err and "Exception" not in err
    assert len(err.splitlines()) == bool(said)
    assert said in err


@POSIX
def test_a_complaint_that_nobody_can_be_told() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    assert started({}, "nowhere.txt", "2>/dev/full").wait(60) == 2


@POSIX
@pytest.mark.parametrize("words", ["text PIPE", "text -"])
def test_one_ctrl_c_ends_the_wait_for_somebody_to_write(
    places: dict[str, str], tmp_path: Path, words: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    ours, theirs = os.pipe()
    process = started({"PIPE": str(tmp_path / "pipe")}, words, stdin=ours)
    try:
        until = time.monotonic() + 60
        while not (Path(os.environ["SPANLIGHT_HOME"]) / "logs" / "spanlight.log").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        time.sleep(1)  # it waits by now
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)
    assert (process.returncode, err) == (130, "Stopped.\n")
