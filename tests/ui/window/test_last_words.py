import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app import __main__ as start
from app.core.errors import SpanlightError
from app.settings import paths
from app.settings.paths import Paths
from app.ui.window import last_words

SENTENCE = "Spanlight is not whole: lxml is missing. Install it again."


def test_the_sentence_stands_in_a_window_until_it_is_closed(qtbot) -> None:
    seen = []

    def close() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        seen.append(box.text())
        box.close()

    QTimer.singleShot(0, close)
    last_words.show(SENTENCE)
    assert seen == [SENTENCE]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is shown in a window of its own."""
    found: list[str] = []
    monkeypatch.setattr(last_words, "show", found.append)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return found


def broken(arguments: list[str]) -> int:
    raise ModuleNotFoundError("No module named 'lxml'", name="lxml")


@pytest.mark.parametrize(
    ("frozen", "started_by_a_menu", "arguments", "in_a_window"),
    [
        (True, True, [], True),
        (True, True, ["letter.pdf"], True),
        (True, False, [], False),
        (False, True, [], False),
        (True, True, ["ask"], False),
        (True, True, ["--check"], False),
    ],
)
def test_only_who_started_from_a_menu_is_told_in_a_window(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shown: list[str],
    frozen: bool,
    started_by_a_menu: bool,
    arguments: list[str],
    in_a_window: bool,
) -> None:
    monkeypatch.setattr(start, "run", broken)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    if started_by_a_menu:
        monkeypatch.setenv("DESKTOP_STARTUP_ID", "menu_1")
    assert start.main(arguments) == 2
    said = capsys.readouterr().err.strip()
    assert "lxml is missing" in said
    assert shown == ([said] if in_a_window else [])


def test_where_qt_is_missing_too_the_sentence_is_on_standard_error_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "app.ui.window.last_words", None)
    monkeypatch.setattr(start, "run", broken)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "menu_1")
    assert start.main([]) == 2
    assert "lxml is missing" in capsys.readouterr().err


def test_missing_resources_are_told_in_a_window_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shown: list[str]
) -> None:
    def missing() -> Paths:
        raise SpanlightError("Spanlight's own resources are missing.", "Install it again.")

    monkeypatch.setattr(paths, "default_paths", missing)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "menu_1")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert start.open_window([]) == 2
    assert (
        shown
        == [capsys.readouterr().err.strip()]
        == ["Spanlight's own resources are missing. Install it again."]
    )
