"""A second start hands its files to the window that is open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.one_window import OneWindow, hand_over, name_of

HAND_OVER = """
import sys
from pathlib import Path
from app.ui.one_window import hand_over
sys.exit(0 if hand_over(sys.argv[1], [Path(name) for name in sys.argv[2:]]) else 3)
"""


def handed(name: str, files: list[Path], qtbot: QtBot) -> bool:
    """What a second start comes back with."""
    command = [sys.executable, "-c", HAND_OVER, name, *map(str, files)]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as second:
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    return second.returncode == 0


def test_files_go_to_the_window_that_is_open(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    name = name_of(tmp_path)
    assert not hand_over(name, [])
    one = OneWindow(name)
    heard: list[list[Path]] = []
    one.asked.connect(heard.append)
    files = [tmp_path / "a b.txt", tmp_path / "ü\n😀.pdf"]
    assert handed(name, files, qtbot) and handed(name, [], qtbot)
    assert heard == [files, []]
    one.close()
    assert not hand_over(name, files)


def test_other_data_means_another_window(qapp: QApplication, tmp_path: Path) -> None:
    one = OneWindow(name_of(tmp_path / "one"))
    assert not hand_over(name_of(tmp_path / "two"), [])
    one.close()


def test_nonsense_is_hung_up_on(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    name = name_of(tmp_path)
    one = OneWindow(name)
    heard: list[list[Path]] = []
    one.asked.connect(heard.append)
    for nonsense in (b"{\n", b"7\n", b"x" * (1 << 20) + b"xx"):
        socket = QLocalSocket()
        socket.connectToServer(name)
        assert socket.waitForConnected(1000)
        socket.write(nonsense)
        qtbot.waitUntil(
            lambda socket=socket: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
        )
    assert heard == [] and handed(name, [tmp_path], qtbot) and heard == [[tmp_path]]
    one.close()
