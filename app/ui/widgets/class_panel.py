"""The right side of the classify page: the button, how far it is, and what came out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.core import wording
from app.core.models import ModelCard, ProblemType
from app.core.results import Classifications
from app.ui.theme import Theme
from app.ui.widgets.class_card import ClassCard
from app.ui.widgets.notice import Notice
from app.ui.widgets.progress_strip import ProgressStrip
from app.ui.widgets.result_table import ResultTable
from app.ui.widgets.sample_list import SampleList
from app.ui.widgets.score_bars import breakable, nice_label
from app.ui.widgets.segments import Segments

ONE, LINES = "one", "lines"
_MOST_LABELS_NAMED = 8
_DOES = {
    ProblemType.SINGLE_LABEL: "tells apart",
    ProblemType.MULTI_LABEL: "looks for",
    ProblemType.REGRESSION: "gives values of",
}


class ClassPanel(QFrame):
    """Classify button, way of reading, progress, faults, and the card of one text or the table of many."""

    run_asked = Signal()
    stop_asked = Signal()
    save_asked = Signal()
    open_asked = Signal()
    way_chosen = Signal(str)
    sample_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._empty = True
        self._has = {ONE: False, LINES: False}
        self.ways = Segments(theme, "What is a text", ((ONE, "One text"), (LINES, "Each line is a text")))
        self.ways.chosen.connect(self.way_chosen)
        self.button = QPushButton("Classify")
        self.button.setProperty("kind", "primary")
        self.button.setAccessibleName("Classify")
        self.button.setToolTip("Classify  (Ctrl+Enter)")
        self.button.clicked.connect(self.run_asked)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        self.notice = Notice(theme)
        self._outdated = self._quiet_label("The text was changed since.")
        self.card = ClassCard(theme)
        self._samples = SampleList(theme, "Try one of these")
        self._samples.chosen.connect(self.sample_chosen)
        self._open = QPushButton("Open a text file…")
        self._open.setProperty("kind", "sample")
        self._open.setAccessibleName("Open a text file")
        self._open.setToolTip("Open a text file  (Ctrl+O)")
        self._open.clicked.connect(self.open_asked)
        self._invite = self._quiet_label(
            "Every class gets its probability. A long text is read whole, not cut."
        )
        self._body = QWidget()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        for widget in (self.card, self._invite, self._samples, self._open):
            body.addWidget(widget)
        body.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._body)
        self.table = ResultTable(theme)
        self._below = QWidget()
        self._summary = self._quiet_label("")
        self._copy = QPushButton("Copy the table")
        self._copy.setAccessibleName("Copy the table")
        self._copy.clicked.connect(self._copy_table)
        self._save = QPushButton("Save as CSV…")
        self._save.setAccessibleName("Save as CSV")
        self._save.setToolTip("Save as CSV  (Ctrl+S)")
        self._save.clicked.connect(self.save_asked)
        below = QHBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self._summary, 1)
        below.addWidget(self._copy)
        below.addWidget(self._save)
        self._model = self._quiet_label("")
        top = QHBoxLayout()
        top.addWidget(self.ways, 1)
        top.addWidget(self.button)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(top)
        for line in (self.strip, self.notice, self._outdated):
            self._layout.addWidget(line)
        self._layout.addWidget(self._scroll, 1)
        self._layout.addWidget(self.table, 1)
        self._layout.addWidget(self._below)
        self._layout.addWidget(self._model)
        self._body_layout = body
        self.setProperty("kind", "panel")
        theme.changed.connect(self._restyle)
        self._restyle()
        self.ways.select(ONE)
        self._arrange()

    def way(self) -> str:
        """ONE: the whole is one text; LINES: each line is a text."""
        return self.ways.selected() or ONE

    def set_way(self, way: str) -> None:
        """Show one text's card, or the table."""
        self.ways.select(way)
        self._outdated.hide()
        self._arrange()

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""
        self._samples.set_titles(titles, "paste")
        self._arrange()

    def set_empty(self, empty: bool) -> None:
        """Invite while there is no text."""
        self._empty = empty
        if empty:
            self._has = {ONE: False, LINES: False}
            self.table.set_results((), ())
            self.set_outdated(False)
        self._arrange()

    def set_outdated(self, outdated: bool) -> None:
        """Say that what is shown belongs to an earlier text."""
        self._outdated.setVisible(outdated and self._has[self.way()])

    def working(self, words: str) -> None:
        """Say that classifying has begun."""
        self.strip.waiting(words)

    def rested(self) -> None:
        """Take the progress away."""
        self.strip.clear()

    def show_results(self, texts: Sequence[str], result: Classifications) -> None:
        """Show the card of the only text, or the rows of all that are done."""
        way = self.way()
        self._has[way] = bool(result.items)
        if way == ONE:
            if result.items:
                parts = (result.model, result.device, wording.duration(result.seconds))
                self.card.show_item(result.items[0], " · ".join(part for part in parts if part))
        else:
            self.table.set_results(texts, result.items)
            done, all_of = len(result.items), wording.count(len(texts), "text")
            self._summary.setText(all_of if done == len(texts) else f"{done:,} of {all_of}")
        self._outdated.hide()
        self._arrange()

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        """Say which model classifies, and which classes it knows."""
        labels = [nice_label(label) for label in card.labels[:_MOST_LABELS_NAMED]]
        named = ", ".join(label if len(label) <= 40 else label[:39].rstrip() + "…" for label in labels)
        more = len(card.labels) - len(labels)
        self._model.setText(
            breakable(f"{card.name} {_DOES[card.problem]}: {named}" + (f" and {more} more" if more else ""))
        )

    def show_no_model(self, words: str) -> None:
        """Say, where the model's name would stand, why there is none."""
        self._model.setText(words)

    def _arrange(self) -> None:
        one = self.way() == ONE
        self._scroll.setVisible(one or not self._has[LINES])
        self.card.setVisible(one and self._has[ONE])
        inviting = self._empty
        self._invite.setVisible(not (one and self._has[ONE]))
        self._samples.setVisible(inviting)
        self._open.setVisible(inviting)
        self.table.setVisible(not one and self._has[LINES])
        self._below.setVisible(not one and self._has[LINES])

    def _quiet_label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("ink", "quiet")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    @Slot()
    def _copy_table(self) -> None:
        self.table.clearSelection()
        QGuiApplication.clipboard().setText(self.table.copied())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        edge = theme.step(4.5)
        self._layout.setContentsMargins(edge, edge, edge, theme.step(3))
        self._layout.setSpacing(theme.step(3.5))
        self._body_layout.setSpacing(theme.step(3.5))
        for label in (self._outdated, self._summary, self._model):
            label.setFont(theme.font("small"))
        self._open.setIcon(theme.icon("open"))
        self._open.setIconSize(QSize(theme.step(5), theme.step(5)))
