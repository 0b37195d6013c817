"""The pictures of a document's pages: drawn in a lane at the request of the pane, the most visible first."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.layout import Opened, Picture
from app.flows.ask.read import draw_part
from app.flows.workspace import Workspace
from app.ui.document.pdf.page_pane import PagePane
from app.ui.kit.jobs import Job, Lanes

# The most jobs in the lane: one draws, while others wait or are on their way to the window.
_AT_ONCE = 4
# How long a drawing that is no longer wanted may take to finish: ending it may cost the drawing process.
_PATIENCE_MS = 1500
_LOOK_MS = 20

Wanted = tuple[int, float, int, int, int, int]


@dataclass(slots=True)
class _Drawing:
    """A tile that is being drawn, its job, and when it began, in monotonic seconds."""

    wanted: Wanted
    job: Job
    since: float


class PagePictures(QObject):
    """Has the tiles drawn that a pane wants of a PDF, from its file as long as that is unchanged.

    Tiles that are no longer wanted are not begun. `failed` carries the fault when a page cannot be drawn, once for each
    document: the page says so, too.
    """

    failed = Signal(object)

    def __init__(
        self, workspace: Workspace, lanes: Lanes, pane: PagePane, opened: Opened, password: str = ""
    ) -> None:
        super().__init__(pane)
        self._workspace = workspace
        self._lanes = lanes
        self._pane = pane
        self._opened, self._password = opened, password
        self._wanted: list[Wanted] = []
        self._drawings: list[_Drawing] = []
        self._reported = False
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._give_up_unwanted)
        pane.pictures_wanted.connect(self._want)

    def close(self) -> None:
        """Draw no more."""
        self._pane.pictures_wanted.disconnect(self._want)
        self._wanted = []
        self._patience.stop()
        for drawing in self._drawings:
            drawing.job.drop()
        self._drawings = []

    @Slot(list)
    def _want(self, wanted: list[Wanted]) -> None:
        self._wanted = list(wanted)
        # Jobs behind the first one have hardly begun, and cost nothing to cancel.
        for drawing in [drawing for drawing in self._drawings[1:] if drawing.wanted not in self._wanted]:
            drawing.job.drop()
            self._drawings.remove(drawing)
        self._start_wanted()
        self._limit_unwanted()

    def _start_wanted(self) -> None:
        drawn_now = {drawing.wanted for drawing in self._drawings}
        for wanted in self._wanted:
            if len(self._drawings) >= _AT_ONCE:
                return
            if wanted in drawn_now:
                continue
            job = self._lanes.pages.start(
                draw_part, self._workspace, self._opened, *wanted, password=self._password
            )
            self._drawings.append(_Drawing(wanted, job, time.monotonic()))
            job.then(self._drawn, self._not_drawn)

    @Slot(object)
    def _drawn(self, picture: Picture) -> None:
        drawing = self._take_ended()
        if drawing is not None:
            page, scale, left, top, _, _ = drawing.wanted
            self._pane.take_picture(page, scale, left, top, picture)
            self._start_wanted()

    @Slot(object)
    def _not_drawn(self, fault: BaseException) -> None:
        drawing = self._take_ended()
        if drawing is not None:
            self._pane.cannot_draw(drawing.wanted[0])
            if not self._reported:
                self._reported = True
                self.failed.emit(fault)
            self._start_wanted()

    def _take_ended(self) -> _Drawing | None:
        """Remove and return the drawing whose job has just ended."""
        job = self.sender()
        ended = next((drawing for drawing in self._drawings if drawing.job is job), None)
        if ended is not None:
            self._drawings.remove(ended)
            if ended.wanted in self._wanted:
                self._wanted.remove(ended.wanted)
        return ended

    @Slot()
    def _give_up_unwanted(self) -> None:
        """End drawings that are no longer wanted and take long."""
        now = time.monotonic()
        for drawing in list(self._drawings):
            if drawing.wanted not in self._wanted and (now - drawing.since) * 1000 >= _PATIENCE_MS:
                drawing.job.drop()
                self._drawings.remove(drawing)
        self._start_wanted()
        self._limit_unwanted()

    def _limit_unwanted(self) -> None:
        """Have unwanted drawings ended once the oldest has had its time."""
        unwanted = [drawing.since for drawing in self._drawings if drawing.wanted not in self._wanted]
        if unwanted and not self._patience.isActive():
            left = _PATIENCE_MS - (time.monotonic() - min(unwanted)) * 1000
            self._patience.start(max(_LOOK_MS, ceil(left)))
