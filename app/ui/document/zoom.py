"""The zoom of the document on the page, and the keys for it and for finding words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast
from weakref import WeakSet

from PySide6.QtCore import QObject, Signal, Slot

from app.core.layout import Unit
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.pane import FIT_PAGE, Pane
from app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from app.ui.document.pdf.page_pane import PagePane

SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100


class Zoom(QObject):
    """The zoom of the page that `current` returns: each PDF has its own, texts share the text size of all documents.

    The zoom of the PDF zoomed last is kept for those opened later. `changed` is sent when a page has another zoom.
    """

    changed = Signal()

    def __init__(
        self, workspace: Workspace, theme: Theme, current: Callable[[], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = theme
        self._current = current
        self._begun: WeakSet[object] = WeakSet()

    @Slot()
    def larger(self) -> None:
        """Show the page larger."""
        self._zoom(1)

    @Slot()
    def smaller(self) -> None:
        """Show the page smaller."""
        self._zoom(-1)

    @Slot()
    def usual(self) -> None:
        """Show a PDF's page fitted to the width, a text at its usual size."""
        self._zoom(0)

    @Slot()
    def whole_page(self) -> None:
        """Show a PDF's page whole, a text at its usual size."""
        if (pages := self._pages()) is not None:
            pages.set_zoom(FIT_PAGE)
        else:
            self.usual()

    def set_percent(self, percent: int) -> None:
        """Show the page at a zoom in per cent."""
        if (pages := self._pages()) is not None:
            pages.set_zoom(percent / 100)
            return
        self._workspace.settings.document_size = percent
        self._theme.scale_documents(percent / 100)
        self.changed.emit()

    def percent(self) -> int:
        """Return the zoom of the page in per cent."""
        pages = self._pages()
        return (
            round(pages.shown_zoom() * 100) if pages is not None else self._workspace.settings.document_size
        )

    def fit(self) -> float | None:
        """Return how a PDF's page is fitted, FIT_WIDTH or FIT_PAGE; None for a fixed zoom, and for a text."""
        pages = self._pages()
        return pages.zoom() if pages is not None and pages.zoom() <= 0 else None

    def begin(self) -> None:
        """Show a PDF that was just opened at the kept zoom, and keep its own zoom from now on."""
        pages = self._pages()
        if pages is not None and pages not in self._begun:
            self._begun.add(pages)
            pages.set_zoom(self._workspace.settings.page_zoom)
            pages.zoomed.connect(self._zoomed)

    def _zoom(self, by: int) -> None:
        if (pages := self._pages()) is not None:
            pages.zoom_by(by)
            return
        size = self._workspace.settings.document_size
        further = [each for each in SIZES if (each - size) * by > 0]
        self.set_percent(USUAL if by == 0 else (min if by > 0 else max)(further, default=size))

    def _pages(self) -> PagePane | None:
        """Return the pane on the page if it shows a PDF or a picture; None for any other."""
        pane = self._current()
        is_paged = isinstance(pane, Pane) and pane.unit() is Unit.PAGE
        return cast("PagePane", pane) if is_paged else None

    @Slot(float)
    def _zoomed(self, zoom: float) -> None:
        self._workspace.settings.page_zoom = zoom
        self.changed.emit()


def reading_keys(find_bar: FindBar, zoom: Zoom) -> tuple[tuple[str, Callable[[], object]], ...]:
    """Return the shortcuts for finding and zooming, as Page.add_shortcuts takes them."""
    return (
        ("Ctrl+F", find_bar.open),
        ("Ctrl++", zoom.larger),
        ("Ctrl+=", zoom.larger),
        ("Ctrl+-", zoom.smaller),
        ("Ctrl+0", zoom.usual),
        ("Ctrl+Shift+P", zoom.whole_page),
    )
