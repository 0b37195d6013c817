"""Dialogs for files and folders: the system's, or Qt's own where there is none; and the Export button of tables."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QSize, QStandardPaths, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QHeaderView, QMenu, QPushButton, QTreeView, QWidget

from app.core.kinds import CODE, ENDINGS, LOGS, PROSE
from app.core.message import Message
from app.ui.kit.theme import mark
from app.ui.kit.translation import localised, tr

# The files that can be read, in Qt's filter syntax.
DOCUMENTS = Message(
    "Documents ({endings});;Code, logs and data ({plain});;All files (*)",
    endings=" ".join(f"*.{each}" for each in (*ENDINGS, *PROSE)),
    plain=" ".join(f"*.{each}" for each in (*LOGS, *CODE)),
)

# Where Qt itself saves its dialog's columns and last folder, once the dialog was used; the size is saved by us.
_QT_ORGANIZATION, _COLUMNS, _SIZE = "QtProject", "FileDialog/treeViewHeader", "FileDialog/size"
_LAST_FOLDER = "FileDialog/lastVisited"
_WIDE, _HIGH = 110, 32  # in characters, and in lines
# The longest text of each column but the names'.
_LONGEST = ("", "999.99 MiB", "Plain text document", "31/12/2026 23:59")


def open_names(parent: QWidget, title: str, folder: str, kinds: str) -> list[str]:
    """Ask which files to open; empty if cancelled. `kinds` is in Qt's filter syntax."""
    dialog = file_dialog(parent, title, folder, kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return _chosen(dialog)


def open_name(parent: QWidget, title: str, kinds: str) -> str:
    """Ask which file to open; empty if cancelled."""
    dialog = file_dialog(parent, title, "", kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return next(iter(_chosen(dialog)), "")


def folder_name(parent: QWidget, title: str, *, show_files: bool = False) -> str:
    """Ask for a folder; empty if cancelled. With `show_files` the dialog lists the files in it."""
    dialog = file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, not show_files)
    return next(iter(_chosen(dialog)), "")


def save_name(parent: QWidget, title: str, name: str, kinds: str) -> str:
    """Ask where to save, suggesting `name`; empty if cancelled."""
    return next(iter(_chosen(save_dialog(parent, title, name, kinds))), "")


def as_file_name(name: str) -> str:
    """Turn a name into one that a file can have on any system."""
    return "".join("-" if letter in '<>:"/\\|?*' else letter for letter in name).strip(". ") or tr("table")


def save_dialog(parent: QWidget, title: str, name: str, kinds: str) -> QFileDialog:
    """Make the dialog that asks where to save; a name without a suffix gets that of the chosen kind."""
    folder = str(Path(name).parent) if Path(name).is_absolute() else ""
    dialog = file_dialog(parent, title, folder, kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    _DefaultSuffix(dialog)
    dialog.selectFile(name)
    return dialog


def file_dialog(parent: QWidget, title: str, folder: str = "", kinds: str = "") -> QFileDialog:
    """Make a dialog for files, in the folder used last; at first in the person's documents, or else at home.

    It is not a subclass of QFileDialog, for which Qt would never use the system's dialog.
    """
    if not folder and not _qt_settings().contains(_LAST_FOLDER):  # else Qt takes that
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        if not Path(folder).is_dir():  # Qt would take it for the name of a file
            folder = str(Path.home())
    dialog = QFileDialog(parent, localised(title), folder, localised(kinds))
    files = dialog.findChild(QTreeView, "treeView")
    if files is not None:  # Qt's own dialog
        _DialogSize(dialog, files.header())
    return dialog


class _DialogSize(QObject):
    """Saves and restores the size of Qt's dialog; the first time, the dialog and its columns fit their texts."""

    def __init__(self, dialog: QFileDialog, header: QHeaderView) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        letters, settings = dialog.fontMetrics(), _qt_settings()
        size = settings.value(_SIZE)
        if not isinstance(size, QSize):
            size = QSize(letters.averageCharWidth() * _WIDE, letters.height() * _HIGH)
        dialog.resize(size.boundedTo(dialog.screen().availableGeometry().size() * 0.9))
        if not settings.contains(_COLUMNS):
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            for column, longest in enumerate(_LONGEST):
                if longest:
                    around = 2 * letters.averageCharWidth()
                    header.resizeSection(column, letters.horizontalAdvance(longest) + around)
        dialog.finished.connect(self._save_size)

    @Slot()
    def _save_size(self) -> None:
        _qt_settings().setValue(_SIZE, self._dialog.size())


class _DefaultSuffix(QObject):
    """Keeps a dialog's default suffix in step with the chosen kind of file."""

    def __init__(self, dialog: QFileDialog) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        dialog.filterSelected.connect(self._take)
        self._take(dialog.nameFilters()[0])

    @Slot(str)
    def _take(self, kind: str) -> None:
        self._dialog.setDefaultSuffix(kind.partition("*.")[2].removesuffix(")"))


def _qt_settings() -> QSettings:
    return QSettings(QSettings.Scope.UserScope, _QT_ORGANIZATION)


def _chosen(dialog: QFileDialog) -> list[str]:
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return chosen


_FORMATS: tuple[tuple[str, str, str], ...] = (
    (".csv", Message("CSV (for any spreadsheet)…"), "CSV (*.csv)"),
    (".xlsx", Message("Excel workbook…"), Message("Excel workbook (*.xlsx)")),
    (".jsonl", Message("JSON Lines…"), "JSON Lines (*.jsonl)"),
)


class ExportButton(QPushButton):
    """A button with a menu of formats. `exported` carries the chosen format's suffix, or the key of one of `others`."""

    exported = Signal(str)

    def __init__(self, *others: tuple[str, str]) -> None:
        super().__init__(tr("Export"))
        self.setAccessibleName(self.text())
        menu = QMenu(self)
        for key, title, _ in _FORMATS:
            menu.addAction(localised(title)).setData(key)
        if others:
            menu.addSeparator()
        for key, title in others:
            menu.addAction(localised(title)).setData(key)
        menu.triggered.connect(self._chosen)
        self.setMenu(menu)
        mark(self, menu="true")

    @Slot(QAction)
    def _chosen(self, action: QAction) -> None:
        self.exported.emit(action.data())


def filter_of(suffix: str) -> str:
    """A format of the Export button, given by its suffix, in Qt's filter syntax."""
    return next(kinds for key, _, kinds in _FORMATS if key == suffix)
