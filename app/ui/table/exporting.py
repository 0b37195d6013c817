"""Writes the current table to a file, or its answers into the list that its questions came from."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.kit.file_dialog import as_file_name, kinds_of, open_name, save_name
from app.ui.kit.jobs import Flow
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr
from app.ui.table.head import BACK
from app.ui.table.questions import LIST_KINDS, Questions
from app.ui.table.store import TableStore


class Exporting(QObject):
    """Asks where to write to, and writes in the lane of documents. `failed` carries an error."""

    failed = Signal(object)

    def __init__(self, store: TableStore, questions: Questions, page: Page) -> None:
        super().__init__(page)
        self._store, self._questions, self._page = store, questions, page
        self._name = ""

    @Slot(str)
    def ask(self, key: str) -> None:
        """Ask where to write the table to, by a format's extension, or for BACK the answered list."""
        table = self._store.table
        if table is None:
            return
        if key == BACK:
            self._ask_back(table.number)
            return
        kinds = kinds_of(key)
        if name := save_name(self._page, tr("Export the table"), f"{as_file_name(table.name)}{key}", kinds):
            self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        from app.flows.answer_table.export import export_table

        self._start(export_table, path, self._store.table)

    def write_back(self, source: Path, path: Path) -> None:
        """Write a list with the answers beside its questions."""
        from app.flows.answer_table.export import write_back

        self._start(write_back, path, self._store.table, source)

    def _ask_back(self, number: int) -> None:
        source = self._questions.sources.get(number)
        if source is None:
            name = open_name(self._page, tr("The list that the questions came from"), localised(LIST_KINDS))
            source = Path(name) if name else None
        if source is None:
            return
        suffix = ".xlsx" if source.suffix.lower() == ".xlsx" else ".csv"
        suggested = tr("{list} answered", list=source.stem) + suffix
        kind = tr("The list with its answers (*{suffix})", suffix=suffix)
        if name := save_name(self._page, tr("The list with its answers"), suggested, kind):
            self.write_back(source, Path(name))

    def _start(self, flow: Flow, path: Path, *given: object) -> None:
        """Start a flow that writes what is given to a path."""
        page, self._name = self._page, path.name
        page.lanes.documents.start(flow, page.workspace, *given, path).then(self._written, self.failed)

    @Slot()
    def _written(self, _: object = None) -> None:
        self._page.note.emit(tr("Exported to {file}", file=self._name))
