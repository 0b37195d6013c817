"""Imports the modules that the start has left out, one by one while the window is idle."""

from __future__ import annotations

import importlib

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 40
# The needs of the first page, then the other pages, each after its parts.
MODULES = (
    "app.core.requests",
    "app.core.results",
    "app.core.inspection",
    "app.flows.ask.read",
    "app.core.days",
    "app.flows.history.compare",
    "app.flows.history.history",
    "app.flows.history.kept_answers",
    "app.ui.document.opening_page",
    "app.core.page_runs",
    "app.core.pages",
    "app.ui.document.flowing.rich_look",
    "app.ui.document.flowing.rich_text",
    "app.ui.document.flowing.rich_table",
    "app.ui.document.flowing.rich_layout",
    "app.ui.document.flowing.rich_pane",
    "app.ui.document.pdf.page_tiles",
    "app.ui.document.pdf.page_marks",
    "app.ui.document.pdf.page_selection",
    "app.ui.document.pdf.page_desk",
    "app.ui.document.pdf.page_pane",
    "app.ui.document.pdf.page_pictures",
    "app.flows.history.export_text",
    "app.flows.history.export_annotations",
    "app.flows.history.export_squad",
    "app.flows.history.export_pdf",
    "app.flows.history.export",
    "app.core.tables",
    "app.ui.heads.classify.result_table",
    "app.flows.heads.heads",
    "app.ui.heads.text_page",
    "app.ui.heads.classify.classify",
    "app.ui.heads.fill.fill",
    "app.ui.heads.next.follow",
    "app.ui.heads.names.name_pane",
    "app.ui.heads.names.names",
    "app.core.inside",
    "app.flows.heads.inspect",
    "app.ui.inspect.charts.flow_picture",
    "app.ui.history.history_list",
    "app.ui.history.history",
    "app.ui.settings.settings",
    "app.flows.about",
    "app.ui.about.page",
)


class Rest(QObject):
    """Imports modules that may be needed next in the window's thread; the window reacts between two of them.

    Importing them at the start would take as long as the rest of it; importing them on demand would delay the first
    question or file by a tenth of a second. A module that is needed earlier is imported then.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._modules = iter(MODULES)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._next)

    @Slot()
    def start(self) -> None:
        """Begin."""
        self._timer.start()

    @Slot()
    def _next(self) -> None:
        if name := next(self._modules, ""):
            importlib.import_module(name)
        else:
            self._timer.stop()
