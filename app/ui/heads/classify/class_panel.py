"""The right side of the classify page: the button, progress, and results."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.core import wording
from app.core.models import ModelCard, ProblemType
from app.core.results import Classifications
from app.ui.heads.classify.result_table import ResultTable
from app.ui.heads.paper_term import PaperTerm
from app.ui.heads.text_panel import TextPanel, quiet_line
from app.ui.kit.class_card import ClassCard
from app.ui.kit.score_bars import breakable, nice_label
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme, mark

ONE, LINES = "one", "lines"
_MOST_LABELS_NAMED = 8
_DOES = {
    ProblemType.SINGLE_LABEL: "tells apart",
    ProblemType.MULTI_LABEL: "looks for",
    ProblemType.REGRESSION: "gives values of",
}


class ClassPanel(TextPanel):
    """Classify button, way of reading, and the card of one text or the table of many."""

    save_asked = Signal()
    way_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self._empty = True
        self._has = {ONE: False, LINES: False}
        self.ways = Segments(theme, "What is a text", ((ONE, "One text"), (LINES, "Each line is a text")))
        button = QPushButton("Classify")
        button.setAccessibleName("Classify")
        button.setToolTip("Classify  (Ctrl+Enter)")
        about = PaperTerm(
            theme,
            "The model sums the text up in one list of numbers, and by that list each class gets its probability.",
            "Classification from the pooled [CLS], BERT section 4.1.",
        )
        self.card = ClassCard(theme)
        self.table = ResultTable(theme)
        self._below = QWidget()
        self._summary = quiet_line("")
        mark(self._summary, type="small")
        self._copy = QPushButton("Copy the table")
        self._copy.setAccessibleName("Copy the table")
        self._save = QPushButton("Save as CSV…")
        self._save.setAccessibleName("Save as CSV")
        self._save.setToolTip("Save as CSV  (Ctrl+S)")
        below = QHBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self._summary, 1)
        below.addWidget(self._copy)
        below.addWidget(self._save)
        super().__init__(theme, self.ways, button, self.card, about)
        self.ways.chosen.connect(self.way_chosen)
        self._copy.clicked.connect(self._copy_table)
        self._save.clicked.connect(self.save_asked)
        self.add(self.table, 1)
        self.add(self._below)
        self.invite.setText("Every class gets its probability. A long text is read whole, not cut.")
        self.ways.select(ONE)
        self._arrange()

    def way(self) -> str:
        """ONE: all of it is one text; LINES: each line is a text."""
        return self.ways.selected() or ONE

    def set_way(self, way: str) -> None:
        """Show one text's card, or the table."""
        self.ways.select(way)
        self.set_outdated(False)
        self._arrange()

    def set_empty(self, empty: bool) -> None:
        """Show the invitation while there is no text."""
        self._empty = empty
        if empty:
            self._has = {ONE: False, LINES: False}
            self.table.set_results((), ())
            self.set_outdated(False)
        self._arrange()

    def set_outdated(self, outdated: bool) -> None:
        super().set_outdated(outdated and self._has[self.way()])

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
        self.set_outdated(False)
        self._arrange()

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        """Show the name of the model and its classes."""
        labels = [nice_label(label) for label in card.labels[:_MOST_LABELS_NAMED]]
        named = ", ".join(label if len(label) <= 40 else label[:39].rstrip() + "…" for label in labels)
        more = len(card.labels) - len(labels)
        self.model.show_model(
            breakable(f"{card.name} {_DOES[card.problem]}: {named}" + (f" and {more} more" if more else ""))
        )

    def _arrange(self) -> None:
        one = self.way() == ONE
        table = not one and self._has[LINES]
        self.middle.setVisible(not table)
        self.card.setVisible(one and self._has[ONE])
        self.invite.setVisible(not (one and self._has[ONE]))
        self.set_inviting(self._empty)
        self.table.setVisible(table)
        self._below.setVisible(table)

    @Slot()
    def _copy_table(self) -> None:
        self.table.clearSelection()
        QGuiApplication.clipboard().setText(self.table.copied())
