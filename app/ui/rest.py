"""What the start has left out is imported piece by piece while the window is at rest."""

# ruff: noqa: F401

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 40


class Rest(QObject):
    """Imports in the window's thread what may be needed next; the window answers between one piece and the next.

    To import it at the start would take as long as all else there; to import it when it is wanted would have the
    first question or file wait for a tenth of a second. What is wanted before its turn is imported then.
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
    """Imports a piece at each step: what the first page needs, then the others, each after what it is made of."""
    import app.core.requests

    yield
    import app.core.results

    yield
    import app.core.inspection

    yield
    import app.flows.read

    yield
    import app.flows.changes

    yield
    import app.core.days

    yield
    import app.flows.compare

    yield
    import app.flows.history

    yield
    import app.ui.views.kept_answers

    yield
    import app.ui.widgets.opening_page

    yield
    import app.core.page_runs

    yield
    import app.core.pages

    yield
    import app.ui.widgets.rich_look

    yield
    import app.ui.widgets.rich_text

    yield
    import app.ui.widgets.rich_table

    yield
    import app.ui.widgets.rich_layout

    yield
    import app.ui.widgets.rich_page

    yield
    import app.ui.widgets.rich_pane

    yield
    import app.ui.widgets.page_points

    yield
    import app.ui.widgets.page_tiles

    yield
    import app.ui.widgets.page_painting

    yield
    import app.ui.widgets.page_marks

    yield
    import app.ui.widgets.page_selection

    yield
    import app.ui.widgets.page_desk

    yield
    import app.ui.widgets.page_pane

    yield
    import app.ui.views.page_pictures

    yield
    import app.flows.export_text

    yield
    import app.flows.export_annotations

    yield
    import app.flows.export_squad

    yield
    import app.flows.export_pdf

    yield
    import app.flows.export

    yield
    import app.core.tables

    yield
    import app.ui.widgets.result_table

    yield
    import app.flows.classify

    yield
    import app.ui.views.text_page

    yield
    import app.ui.views.classify

    yield
    import app.flows.fill

    yield
    import app.ui.views.fill

    yield
    import app.flows.follow

    yield
    import app.ui.views.follow

    yield
    import app.flows.names

    yield
    import app.ui.widgets.name_pane

    yield
    import app.ui.views.names

    yield
    import app.core.inside

    yield
    import app.flows.inspect

    yield
    import app.ui.widgets.charts.flow_picture

    yield
    import app.ui.widgets.history_list

    yield
    import app.ui.views.history

    yield
    import app.ui.views.settings

    yield
    import app.flows.about

    yield
    import app.ui.views.about.page
