"""Files dropped on the window: models go to their page, others reach the widget that they are dropped on."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.window.window import MainWindow

COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "bert-v1.1"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}), "utf-8")
    (folder / "model.safetensors").write_bytes(b"x")
    return folder


@pytest.fixture
def taken(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[list[Path]]:
    """What the page of models is handed."""
    taken: list[list[Path]] = []
    window.show_page("models")
    monkeypatch.setattr(window.page, "open_files", taken.append)
    window.show_page("ask")
    window.drops.watch()
    return taken


def drop(window: MainWindow, widget: QWidget, *paths: Path) -> None:
    """Drop files on a widget as the system does: through the window's handle."""
    data = QMimeData()
    data.setUrls([QUrl(path.as_uri()) for path in paths])
    place = widget.mapTo(window, QPoint(widget.width() // 2, widget.height() // 2))
    handle = window.windowHandle()
    QGuiApplication.sendEvent(handle, QDragEnterEvent(place, COPY, data, LEFT, NONE))
    QGuiApplication.sendEvent(handle, QDropEvent(QPointF(place), COPY, data, LEFT, NONE))


def test_a_models_folder_goes_to_the_page_of_models(
    window: MainWindow, qtbot: QtBot, taken: list[list[Path]], model: Path
) -> None:
    drop(window, window.page, model)
    qtbot.waitUntil(lambda: taken == [[model]])
    assert window.page.KEY == "models"
    drop(window, window.page, model)
    qtbot.waitUntil(lambda: len(taken) == 2)


def test_documents_arrive_where_they_were_dropped(
    window: MainWindow, qtbot: QtBot, taken: list[list[Path]], model: Path, tmp_path: Path
) -> None:
    plain, odd = tmp_path / "a.txt", tmp_path / "notes"
    plain.write_text("A plain text.", "utf-8")
    odd.write_text("A text without a suffix.", "utf-8")
    window.show_page("classify")
    qtbot.waitUntil(lambda: window.lanes.files.idle)
    editor = window.page._editor  # type: ignore[attr-defined]
    viewport = editor._editor.viewport()
    drop(window, viewport, plain)
    qtbot.waitUntil(lambda: editor.text() == "A plain text.")
    drop(window, viewport, odd)
    qtbot.waitUntil(lambda: editor.text() == "A text without a suffix.")
    assert not taken
    drop(window, viewport, plain, model)
    qtbot.waitUntil(lambda: taken == [[model]])
    qtbot.waitUntil(lambda: editor.text() == "A plain text.")


def test_a_folder_that_is_no_model_becomes_a_library_wherever_it_falls(
    window: MainWindow, qtbot: QtBot, taken: list[list[Path]], tmp_path: Path
) -> None:
    folder = tmp_path / "Reports"
    folder.mkdir()
    drop(window, window.rail, folder)
    qtbot.waitUntil(window.notice.isVisible)
    assert "no document to read" in window.notice.sentence(), "an empty one becomes none"
    (folder / "first.txt").write_text("The first report.", "utf-8")
    window.show_page("classify")
    drop(window, window.page, folder)
    qtbot.waitUntil(lambda: [one.name for one, _ in window.libraries.all] == ["Reports"])
    assert window.page.KEY == "ask", "where the libraries are listed"
    assert not taken


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8_may_be_dropped(
    window: MainWindow, qtbot: QtBot, taken: list[list[Path]], tmp_path: Path
) -> None:
    folder, odd = (tmp_path / os.fsdecode(name) for name in (b"caf\xe9 \xef\xbf\xbd 1", b"n\xe4chste"))
    folder.mkdir()
    (folder / "first.txt").write_text("The first report.", "utf-8")
    odd.write_text("A text without a suffix.", "utf-8")
    window.show_page("classify")
    qtbot.waitUntil(lambda: window.lanes.files.idle)
    editor = window.page._editor  # type: ignore[attr-defined]
    drop(window, editor._editor.viewport(), odd)
    qtbot.waitUntil(lambda: editor.text() == "A text without a suffix.")
    drop(window, window.rail, folder)
    qtbot.waitUntil(lambda: [one.roots for one, _ in window.libraries.all] == [(str(folder),)])
    assert not taken
