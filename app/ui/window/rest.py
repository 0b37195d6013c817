"""Imports the modules that the start has left out, piece by piece while the window is idle."""

# ruff: noqa: F401

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 40


class Rest(QObject):
    """Imports modules that may be needed next in the window's thread; the window reacts between two pieces.

    Importing them at the start would take as long as the rest of it; importing them on demand would delay the first
    question or file by a tenth of a second. A module that is needed earlier is imported then.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pieces = pieces()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._next)

    @Slot()
    def start(self) -> None:
        """Begin."""
        self._timer.start()

    @Slot()
    def _next(self) -> None:
        if next(self._pieces, self) is self:
            self._timer.stop()


def pieces() -> Generator[None, None, None]:
    """Imports a piece at each step: the needs of the first page, then the other pages, each after its parts."""
    import app.core.requests

    yield
    import app.core.results

    yield
    import app.core.inspection

    yield
    import app.flows.ask.read

    yield
    import app.core.days

    yield
    import app.flows.history.compare

    yield
    import app.flows.history.history

    yield
    import app.flows.history.kept_answers

    yield
    import app.ui.ask.opening_page

    yield
    import app.core.page_runs

    yield
    import app.core.pages

    yield
    import app.ui.document.flowing.rich_look

    yield
    import app.ui.document.flowing.rich_text

    yield
    import app.ui.document.flowing.rich_table

    yield
    import app.ui.document.flowing.rich_layout

    yield
    import app.ui.document.flowing.rich_page

    yield
    import app.ui.document.flowing.rich_pane

    yield
    import app.ui.document.pdf.page_tiles

    yield
    import app.ui.document.pdf.page_marks

    yield
    import app.ui.document.pdf.page_selection

    yield
    import app.ui.document.pdf.page_desk

    yield
    import app.ui.document.pdf.page_pane

    yield
    import app.ui.document.pdf.page_pictures

    yield
    import app.flows.history.export_text

    yield
    import app.flows.history.export_annotations

    yield
    import app.flows.history.export_squad

    yield
    import app.flows.history.export_pdf

    yield
    import app.flows.history.export

    yield
    import app.core.tables

    yield
    import app.ui.heads.classify.result_table

    yield
    import app.flows.heads.heads

    yield
    import app.ui.heads.text_page

    yield
    import app.ui.heads.classify.classify

    yield
    import app.ui.heads.fill.fill

    yield
    import app.ui.heads.next.follow

    yield
    import app.ui.heads.names.name_pane

    yield
    import app.ui.heads.names.names

    yield
    import app.core.inside

    yield
    import app.flows.heads.inspect

    yield
    import app.ui.inspect.charts.flow_picture

    yield
    import app.ui.history.history_list

    yield
    import app.ui.history.history

    yield
    import app.ui.settings.settings

    yield
    import app.flows.about

    yield
    import app.ui.about.page
