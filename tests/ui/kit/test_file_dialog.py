"""Qt's own dialog for files, which is shown where the system has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QSize, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QLineEdit, QToolButton, QTreeView, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.settings.paths import default_paths
from app.ui.inspect.charts.painting import contrast
from app.ui.kit.file_dialog import file_dialog, open_name, open_names, save_dialog, save_name
from app.ui.kit.theme import Theme

KEPT = QSettings.Format.NativeFormat, QSettings.Scope.UserScope


@pytest.fixture
def page(theme: Theme, qtbot: QtBot, spanlight_home: Path) -> Iterator[QWidget]:
    """A page whose dialogs save their settings in a folder of the test's own."""
    QSettings.setPath(*KEPT, str(spanlight_home))
    page = QWidget()
    qtbot.addWidget(page)
    page.show()
    yield page
    QSettings.setPath(*KEPT, str(default_paths().config))


def columns(dialog: QFileDialog) -> list[int]:
    header = dialog.findChild(QTreeView, "treeView").header()
    return [header.sectionSize(column) for column in range(header.count())]


def test_all_columns_fit_the_dialog(page: QWidget, qtbot: QtBot) -> None:
    dialog = file_dialog(page, "Open files")
    qtbot.addWidget(dialog)
    dialog.show()
    tree = dialog.findChild(QTreeView, "treeView")
    letters = tree.fontMetrics()
    name, size, kind, date = columns(dialog)
    assert name + size + kind + date <= tree.viewport().width()
    assert size > letters.horizontalAdvance("999.99 MiB") and kind > letters.horizontalAdvance(
        "Plain text document"
    )
    assert date > letters.horizontalAdvance("31/12/2026 23:59") and name > 12 * letters.averageCharWidth()
    assert dialog.height() > 24 * letters.height()


def test_size_and_columns_are_restored(page: QWidget, qtbot: QtBot) -> None:
    first = file_dialog(page, "Open files")
    first.show()
    room = first.screen().availableGeometry().size()
    first.resize(QSize(640, 500).boundedTo(room))
    header = first.findChild(QTreeView, "treeView").header()
    header.resizeSection(2, 222)
    wide = first.size()
    first.reject()
    delete(first)  # Qt keeps its columns then
    again = file_dialog(page, "Save it")
    again.show()
    assert again.size() == wide and columns(again)[2] == 222
    again.deleteLater()


def test_the_chosen_paths_are_returned(
    page: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a")
    target = str(tmp_path / "answers, new.md")

    def take(dialog: QFileDialog) -> None:
        dialog.selectFile(str(file))
        dialog.accept()

    for deed, ask, given in (
        (QFileDialog.accept, lambda: save_name(page, "Save it", target, "Markdown (*.md)"), target),
        (QFileDialog.reject, lambda: save_name(page, "Save it", target, "Markdown (*.md)"), ""),
        (QFileDialog.reject, lambda: open_name(page, "Open it", "CSV (*.csv)"), ""),
        (take, lambda: open_names(page, "Open it", str(tmp_path), "CSV (*.csv)"), [str(file)]),
    ):

        def run(dialog: QFileDialog, deed: Callable[[QFileDialog], None] = deed) -> int:
            dialog.show()
            deed(dialog)
            return dialog.result()

        monkeypatch.setattr(QFileDialog, "exec", run)
        assert ask() == given


def test_without_a_documents_folder_the_dialog_opens_at_home(
    page: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    folder = tmp_path / "Documents"
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: str(folder))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for place in (tmp_path, folder):
        if place == folder:
            folder.mkdir()
        dialog = file_dialog(page, "Open files")
        qtbot.addWidget(dialog)
        assert Path(dialog.directory().absolutePath()) == place
        assert dialog.findChild(QLineEdit, "fileNameEdit").text() == ""


def test_the_systems_dialog_can_be_used(page: QWidget, qtbot: QtBot) -> None:
    """Qt uses the system's dialog for QFileDialog itself, never for a subclass."""
    for dialog in (file_dialog(page, "Open it"), save_dialog(page, "Save it", "a.csv", "CSV (*.csv)")):
        qtbot.addWidget(dialog)
        assert dialog.metaObject().className() == "QFileDialog"


@pytest.mark.parametrize("look", ["light", "dark"])
def test_its_arrows_are_visible_in_both_themes(page: QWidget, theme: Theme, qtbot: QtBot, look: str) -> None:
    theme.choose(look)
    dialog = file_dialog(page, "Open files")
    qtbot.addWidget(dialog)
    dialog.show()
    ground = theme.colour("desk")
    for name in ("backButton", "forwardButton", "toParentButton"):
        icon = dialog.findChild(QToolButton, name).icon().pixmap(16, 16).toImage()
        inked = [
            icon.pixelColor(across, down)
            for across in range(icon.width())
            for down in range(icon.height())
            if icon.pixelColor(across, down).alpha() > 200
        ]
        assert inked and all(contrast(one, ground) >= 3 for one in inked), name


def test_the_default_suffix_is_that_of_the_chosen_filter(page: QWidget) -> None:
    dialog = save_dialog(page, "Save it", "it.png", "Picture (*.png);;Numbers (*.csv)")
    assert dialog.defaultSuffix() == "png"
    dialog.filterSelected.emit("Numbers (*.csv)")
    assert dialog.defaultSuffix() == "csv"
