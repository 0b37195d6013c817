"""The button that exports a table, with a menu of formats."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from app.core.message import Message
from app.ui.kit.theme import mark
from app.ui.kit.translation import localised, tr

_FORMATS: tuple[tuple[str, str, str], ...] = (
    (".csv", Message("CSV (for any spreadsheet)…"), "CSV (*.csv)"),
    (".xlsx", Message("Excel workbook…"), Message("Excel workbook (*.xlsx)")),
    (".jsonl", Message("JSON Lines…"), "JSON Lines (*.jsonl)"),
)


class ExportButton(QPushButton):
    """`exported` carries the ending of the chosen format, or the key of one of the `others`."""

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


def kinds_of(suffix: str) -> str:
    """A format in the syntax of Qt's file dialogs, by its ending."""
    return next(kinds for key, _, kinds in _FORMATS if key == suffix)
