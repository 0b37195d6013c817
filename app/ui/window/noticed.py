"""What works have noticed on their way, in the window's notice line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice


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
        return told(self._sentences)


def told(sentences: Sequence[str]) -> str:
    """Sentences in a row: what several begin with is said once, and of those that differ in a number only the last."""
    ends: dict[str, dict[str, str]] = {}
    for sentence in sentences:
        begin, colon, end = sentence.partition(": ")
        kind = re.sub(r"\d+", "0", end)
        of_these = ends.setdefault(begin + colon, {})
        of_these.pop(kind, None)
        of_these[kind] = end
    rows = ((begin, list(kinds.values())) for begin, kinds in ends.items())
    return " ".join(
        begin + "; ".join([*(end.removesuffix(".") for end in row[:-1]), row[-1]]) for begin, row in rows
    )
