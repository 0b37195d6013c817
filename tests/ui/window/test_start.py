"""The start: what it imports, and a whole run of the window in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import app.__main__ as entry_point
from app.__main__ import open_window
from app.ui.window.idle import MODULES
from tests.conftest import ROOT

OPEN_AND_CLOSE = """
import sys
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTabBar
from app.__main__ import open_window
from app.ui.window import start

made = start.make_application

def make(workspace):
    application = made(workspace)
    QTimer.singleShot(600, look)
    return application

def look():
    window = next(w for w in QApplication.topLevelWidgets() if isinstance(w, start.MainWindow))
    tabs = window.findChild(QTabBar)
    print("page", window.page.KEY, [tabs.tabText(index) for index in range(tabs.count())])
    window.activateWindow()
    QApplication.processEvents()
    next(one for one in window.rail.findChildren(QPushButton) if one.accessibleName() == "History").setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Return)
    print("after Enter", window.page.KEY)
    window.show_page("ask")
    print("icon", not window.windowIcon().isNull(), QApplication.desktopFileName(), QApplication.applicationName())
    window.close()

start.make_application = make
code = open_window(sys.argv[1:])
heavy = sorted({name.split(".")[0] for name in sys.modules} & {"torch", "transformers", "numpy", "tokenizers"})
print("heavy", heavy)
sys.exit(code)
"""

COPY_AND_END = """
import sys
from pathlib import Path
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from app.core.layout import Block, BlockKind, Kind, Opened
from app.core.text import Document, Span
from app.ui.kit.theme import Theme
from app.ui.document.flowing.rich_pane import RichPane

application = QApplication([])
theme = Theme(Path("resources"))
theme.choose("light")
pane = RichPane(theme)
pane.show_document(Opened(Document("Some words."), Kind.HTML, blocks=(Block(BlockKind.PARAGRAPH, Span(0, 11)),)))
pane.show()
pane.selectAll()
pane.copy()
print(QGuiApplication.clipboard().text(), QGuiApplication.clipboard().mimeData().formats())
"""


def run(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False
    )


def test_help_needs_no_window(capsys: pytest.CaptureFixture[str]) -> None:
    assert open_window(["--window", "--help"]) == 0
    assert "usage" in capsys.readouterr().out


def test_every_module_to_import_later_is_there() -> None:
    assert all(find_spec(name) for name in MODULES)


def test_the_window_opens_files_and_closes_without_the_model_libraries(tmp_path: Path) -> None:
    there, gone = tmp_path / "note.txt", tmp_path / "gone.txt"
    there.write_text("The meeting is at nine.", encoding="utf-8")
    done = run("-c", OPEN_AND_CLOSE, str(gone), str(there))
    assert done.returncode == 0, done.stderr
    assert "page ask ['gone.txt', 'note.txt']" in done.stdout, (
        "a missing file does not keep the others closed"
    )
    assert "after Enter history" in done.stdout, "the button that has the focus is pressed"
    assert "icon True spanlight Spanlight" in done.stdout
    assert "heavy []" in done.stdout
    assert f"There is no file {gone}." in done.stderr and "Traceback" not in done.stderr


def test_files_of_which_one_is_there_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there, gone = tmp_path / "note.txt", tmp_path / "gone.txt"
    there.touch()
    opened: list[list[str]] = []
    monkeypatch.setattr(entry_point, "prepare", lambda *_, **__: None)
    monkeypatch.setattr(entry_point, "open_window", lambda arguments: opened.append(arguments) or 0)
    for arguments in ([str(gone), str(there)], [str(there), str(gone)], [gone.as_uri()]):
        assert entry_point.main(arguments) == 0 and opened.pop() == arguments
    for arguments in ([str(gone)], [str(gone), str(gone)], ["aks", str(there)]):
        assert entry_point.main(arguments) == 2 and not opened
        assert f"{arguments[0]} is neither a command" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_to_end_saves_what_was_just_typed(spanlight_home: Path, tmp_path: Path, number: str) -> None:
    file = tmp_path / "note.txt"
    file.write_text("The meeting is at nine.", encoding="utf-8")
    script = OPEN_AND_CLOSE.replace(
        "    window.close()",
        "    window.page.panel.box.field.setPlainText('When is it?')\n"
        f"    import os, signal; os.kill(os.getpid(), signal.{number})",
    )
    done = run("-c", script, str(file))
    assert done.returncode == 0, done.stderr
    assert "KeyboardInterrupt" not in done.stderr
    assert "When is it?" in (spanlight_home / "data" / "drafts" / "ask.txt").read_text("utf-8")


def test_what_was_copied_out_of_a_page_does_not_break_the_end() -> None:
    done = run("-c", COPY_AND_END)
    assert (done.returncode, done.stdout.strip()) == (0, "Some words. ['text/plain']"), done.stderr
