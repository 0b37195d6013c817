"""What works have noticed on their way, in the window's notice line."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.ui.jobs import Job, Lanes
from app.ui.widgets.notice import Notice


class Noticed(QObject):
    """Shows what was noticed (memory ran out, and which step was taken) until the next work or until it is closed."""

    def __init__(self, lanes: Lanes, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self._notice = notice
        self._sentences: list[str] = []
        for lane in (lanes.work, lanes.network):
            lane.noticed.connect(self._show)
        lanes.work.begun.connect(self._work_begun)
        notice.closed.connect(self._closed)

    @Slot(str)
    def _show(self, sentence: str) -> None:
        if sentence not in self._sentences:
            self._sentences.append(sentence)
        self._notice.show_hint(self._words())

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        if self._sentences and self._notice.sentence() == self._words():
            self._notice.clear()
        self._sentences.clear()

    @Slot()
    def _closed(self) -> None:
        self._sentences.clear()

    def _words(self) -> str:
        return " ".join(self._sentences)
