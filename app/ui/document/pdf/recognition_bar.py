"""A bar above pages that are pictures: an offer to recognise their text, how far that is, and Stop."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from app.core.report import Progress
from app.flows.ask.recognise import recognition_time
from app.ui.kit.boxes import column, row
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr


class RecognitionBar(QFrame):
    """Hidden while there is nothing to recognise; `wanted` is sent by its button, `stop_asked` by Stop.

    `was_stopped` is whether it offers to go on.
    """

    wanted = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        mark(self, kind="hint")
        self.was_stopped = False
        self.words = plain_label(ink="quiet")
        self.begin = push_button(theme, tr("Recognise the text"))
        self.begin.clicked.connect(self.wanted)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        top = row(theme, (self.words, 1), self.begin, gap=3)
        column(theme, top, self.strip, margins=(3, 2, 3, 2), parent=self)
        self.hide()

    def offer(self, pages: int, *, was_stopped: bool = False) -> None:
        """Offer to recognise so many pages."""
        self.was_stopped = was_stopped
        told = (
            tr(
                "Stopped: {n:,} page is a picture whose text is not recognised yet. It takes about {time}.",
                "Stopped: {n:,} pages are pictures whose text is not recognised yet. It takes about {time}.",
                n=pages,
                time=recognition_time(pages),
            )
            if was_stopped
            else tr(
                "{n:,} page is a picture. To recognise its text takes about {time}.",
                "{n:,} pages are pictures. To recognise their text takes about {time}.",
                n=pages,
                time=recognition_time(pages),
            )
        )
        self._show(told, tr("Go on") if was_stopped else tr("Recognise the text"))

    def show_fault(self, sentence: str) -> None:
        """Show why it could not be done."""
        self._show(sentence, tr("Try again"))

    def show_progress(self, progress: Progress) -> None:
        """Show how far it is."""
        self.was_stopped = False
        self.words.hide()
        self.begin.hide()
        self.strip.show_progress(progress)
        self.show()

    def clear(self) -> None:
        """Hide it: nothing is left to recognise."""
        self.strip.clear()
        self.hide()

    def _show(self, told: str, button: str) -> None:
        self.strip.clear()
        self.words.setText(told)
        self.words.show()
        self.begin.setText(button)
        self.begin.setAccessibleName(button)
        self.begin.show()
        self.show()
