"""Exports the current table, or its answers into the list of its questions, and opens results as a table."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.message import Message
from app.core.report import Progress
from app.ui.kit.file_dialog import as_file_name, filter_of, open_name, save_name
from app.ui.kit.jobs import Flow, Job
from app.ui.kit.page import Page
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.translation import localised, tr
from app.ui.table.head import BACK
from app.ui.table.questions import LIST_KINDS, Questions
from app.ui.table.store import TableStore

_RESULTS = Message("Results (*.jsonl *.parquet);;All files (*)")


class Exporting(QObject):
    """Asks for the files to write or to open, and does so in the documents lane.

    `strip` shows the progress of opening results. `failed` carries an error, `opened` the flow's Imported.
    """

    failed = Signal(object)
    opened = Signal(object)

    def __init__(self, store: TableStore, questions: Questions, page: Page) -> None:
        super().__init__(page)
        self._store, self._questions, self._page = store, questions, page
        self.strip = ProgressStrip(page.theme)
        self.strip.stop_asked.connect(self.stop)
        self._opening: Job | None = None

    @Slot(str)
    def ask(self, key: str) -> None:
        """Ask where to save the table, in the format of a suffix; for BACK, where to save its list with the answers."""
        table = self._store.table
        if table is None:
            return
        if key == BACK:
            self._ask_back(table.number)
            return
        kinds = filter_of(key)
        if name := save_name(self._page, tr("Export the table"), f"{as_file_name(table.name)}{key}", kinds):
            self.export_to(Path(name))

    @Slot()
    def ask_results(self) -> None:
        """Ask for a table that was exported as JSON Lines, or for rows that a cluster has written."""
        if name := open_name(self._page, tr("Open results"), localised(_RESULTS)):
            self.open_results(Path(name))

    def open_results(self, path: Path) -> None:
        """Open results as a table, in place of others that are being opened."""
        from app.flows.cluster.results import import_results

        page, strip = self._page, self.strip
        strip.show_busy(tr("Opening {file}…", file=path.name))
        job = page.lanes.documents.start(import_results, page.workspace, str(path)).replacing(self._opening)
        self._opening = job.then(self.opened, self.failed, progress=self._show_opened)
        for end in (job.done, job.failed, job.stopped):
            end.connect(strip.clear)

    @Slot(object)
    def _show_opened(self, progress: Progress) -> None:
        words = tr("{n:,} document opened so far", "{n:,} documents opened so far", n=progress.done)
        self.strip.show_busy(words)

    @Slot()
    def stop(self) -> bool:
        """Stop opening results, which can be opened again; returns whether any were being opened."""
        if self._opening is None or not self._opening.running:
            return False
        self._opening.stop()
        return True

    def export_to(self, path: Path) -> None:
        """Write the table in the format of the path's suffix."""
        from app.flows.answer_table.export import export_table

        self._start(export_table, path, self._store.table)

    def write_back(self, source: Path, path: Path) -> None:
        """Write a list of questions with the table's answers beside them."""
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
        job = self._page.lanes.documents.start(flow, self._page.workspace, *given, path)
        job.then(partial(self._written, path.name), self.failed)

    def _written(self, name: str, _: object) -> None:
        self._page.note.emit(tr("Exported to {file}", file=name))
