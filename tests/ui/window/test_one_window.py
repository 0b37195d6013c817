"""The window listens for later starts."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QCloseEvent
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.flows.second_start import Answer, Claim, hand_over, name_of
from app.ui.window import one_window
from app.ui.window.one_window import OneWindow
from tests.conftest import ROOT

HAND_OVER = """
import sys
from app.flows.second_start import hand_over
print(hand_over(sys.argv[1], sys.argv[2:]).name)
"""


def handed(name: str, files: list[Path], qtbot: QtBot) -> str:
    """What a second start comes back with."""
    command = [sys.executable, "-c", HAND_OVER, name, *map(str, files)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as second:
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
        assert second.stdout is not None
        return second.stdout.read().strip()


class Heard(list[tuple[list[Path], str]]):
    def take(self, files: list[Path], token: str) -> None:
        self.append((files, token))


@pytest.fixture
def claim(tmp_path: Path) -> Iterator[Claim]:
    claim = Claim(name_of(tmp_path))
    assert claim.take()
    yield claim
    claim.release()


@pytest.fixture
def one(qapp: QApplication, claim: Claim) -> Iterator[OneWindow]:
    one = OneWindow(claim)
    yield one
    one.close()


@pytest.fixture
def heard(one: OneWindow) -> Heard:
    heard = Heard()
    one.requested.connect(heard.take)
    return heard


def test_files_go_to_the_window_of_the_same_data_while_that_is_open(
    one: OneWindow,
    heard: Heard,
    qtbot: QtBot,
    tmp_path: Path,
    claim: Claim,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = [tmp_path / "a b.txt", tmp_path / "ü\n😀.pdf"]
    assert handed(claim.name, files, qtbot) == "TAKEN"
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "kwin-7")
    assert handed(claim.name, [], qtbot) == "TAKEN"
    assert heard == [(files, ""), ([], "kwin-7")]
    assert hand_over(name_of(tmp_path / "two"), []) is Answer.ABSENT
    one.close()
    assert hand_over(claim.name, files) is Answer.ABSENT


def test_nonsense_is_hung_up_on(heard: Heard, qtbot: QtBot, tmp_path: Path, claim: Claim) -> None:
    for nonsense in (b"{\n", b"7\n", b"[" * 90_000 + b"\n", b"x" * (1 << 20) + b"xx"):
        socket = QLocalSocket()
        socket.connectToServer(claim.name)
        assert socket.waitForConnected(1000)
        socket.write(nonsense)
        qtbot.waitUntil(
            lambda socket=socket: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
        )
    assert heard == [] and handed(claim.name, [tmp_path], qtbot) == "TAKEN" and heard == [([tmp_path], "")]


def test_a_window_that_closes_takes_nothing_more(qapp: QApplication, qtbot: QtBot, claim: Claim) -> None:
    """Its claim stays until it has kept everything, so that another start waits for that."""
    window = QWidget()
    qtbot.addWidget(window)
    one = OneWindow(claim, window)
    window.installEventFilter(one)
    answers: list[Answer] = []
    asking = threading.Thread(target=lambda: answers.append(hand_over(claim.name, ["a"])))
    asking.start()  # connects at once, and waits to be spoken to
    asking.join(0.3)
    QApplication.sendEvent(window, QCloseEvent())
    asking.join(10)
    assert answers == [Answer.ABSENT] and not one.listening and claim.held


def test_a_window_beside_a_stuck_one_takes_its_place_when_it_goes(
    one: OneWindow, qtbot: QtBot, claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_window, "_CLAIM_EVERY_MS", 20)
    second = OneWindow(beside := Claim(claim.name))
    qtbot.wait(100)
    assert not second.listening and one.listening and handed(claim.name, [], qtbot) == "TAKEN"
    one.close()
    claim.release()
    qtbot.waitUntil(lambda: second.listening)
    assert handed(claim.name, [], qtbot) == "TAKEN"
    second.close()
    beside.release()
