"""All texts of a data set in a table, with their labels and guesses, and the number of texts with each label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame

from app.core.legible import legible
from app.core.wording import percent
from app.ui.kit.boxes import column, row
from app.ui.kit.parts import ElidedChoice, plain_label
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.search_line import SearchLine
from app.ui.kit.spoken import name_choice
from app.ui.kit.table import ROW_ROLE, Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.teach.desk import KEYS
from app.ui.teach.labelled import TextRow

# The filters, by key.
ALL, UNLABELLED, LABELLED, UNSURE = "all", "unlabelled", "labelled", "unsure"
# Below this probability of its likeliest label a text counts as unsure.
_UNSURE = 0.6
# More rows are not filtered and sorted again when the guesses change: that would be noticed.
_MOST_ARRANGED = 20_000


class TextList(RowTable):
    """The table of texts.

    `opened` carries the row of a text on Enter or a double click, `labelled` the index of a label whose key was
    pressed, to give to the chosen texts; `cleared` is sent on Delete.
    """

    opened = Signal(int)
    labelled = Signal(int)
    cleared = Signal()

    def __init__(self, theme: Theme) -> None:
        # Made once, as the search asks for the percentages of all rows.
        percents = [localised(percent(number / 100)) for number in range(101)]
        columns = (
            Column(
                tr("Text"),
                lambda row: " ".join(row.text[:400].split()),
                lambda row: row.text.casefold(),
                lambda row: row.text[:2000],
            ),
            Column(tr("Your label"), lambda row: row.given, lambda row: row.given.casefold()),
            Column(tr("Guess"), lambda row: row.guess, lambda row: row.guess.casefold()),
            Column(
                tr("Sure"),
                lambda row: percents[round(100 * row.probability)] if row.guess else "",
                lambda row: row.probability,
                number=True,
            ),
            Column(
                tr("No."),
                lambda row: tr("{number:,}", number=row.row + 1),
                lambda row: float(row.row),
                number=True,
            ),
        )
        super().__init__(theme, tr("All texts"), columns)
        self.setSelectionMode(RowTable.SelectionMode.ExtendedSelection)
        self.doubleClicked.connect(self._opened)

    def show_rows(self, rows: Sequence[TextRow]) -> None:
        """Show these texts, filtered and sorted as before."""
        self._model.set_rows(rows)

    def show_changed(self, rows: Sequence[TextRow]) -> None:
        """Show texts whose labels have changed."""
        self._model.rows_changed(rows)

    def show_guesses(self) -> None:
        """Show new guesses; a long table keeps its rows and their order."""
        if len(self._model.rows) > _MOST_ARRANGED:
            self._model.refresh()
        else:
            self._model.arrange()

    def below_chosen(self) -> QPersistentModelIndex:
        """The index of the row below the last chosen one, which follows that row; invalid if there is none."""
        last = max((index.row() for index in self.selectionModel().selectedRows()), default=-1)
        return QPersistentModelIndex(self._model.index(last + 1, 0))

    def text_of(self, rows: Sequence[TextRow]) -> str:
        """The texts with their labels, guesses and probabilities, separated by tabs, below a heading."""
        lines = ["text\tlabel\tguess\tprobability"]
        for each in rows:
            text = " ".join(each.text.split())
            lines.append(f"{text}\t{each.given}\t{each.guess}\t{each.probability:.6f}")
        return "\n".join(lines) + "\n"

    def share_width(self) -> None:
        """Give the column of texts the room that the others leave."""
        step = self._theme.step
        label = min(step(34), self.viewport().width() // 6)
        left = self.viewport().width()
        for at, least in ((1, label), (2, label), (3, step(16)), (4, step(16))):
            width = max(least, self.horizontalHeader().sectionSizeHint(at))
            self.setColumnWidth(at, width)
            left -= width
        self.setColumnWidth(0, max(step(24), left))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.text()
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif key and key in KEYS:
            self.labelled.emit(KEYS.index(key))
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.cleared.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._opened()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _opened(self, *_: object) -> None:
        index = self.currentIndex()
        if index.isValid():
            self.opened.emit(index.data(ROW_ROLE).row)


class Texts(QFrame):
    """The table of texts with a search and a filter, and bars with the number of texts of each label.

    `opened` carries the row of a text, `labelled` rows and the name of a label, `cleared` rows.
    """

    opened = Signal(int)
    labelled = Signal(list, str)
    cleared = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._rows: Sequence[TextRow] = ()
        self._names: tuple[str, ...] = ()
        self._only: frozenset[int] | None = None  # the rows of `show_only`
        self.search = SearchLine(theme, tr("Search the texts"))
        self.filter = ElidedChoice()
        name_choice(self.filter, tr("Which texts"))
        self.filter.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.words = plain_label(type="small", ink="quiet", wrap=False)
        self.list = TextList(theme)
        self.bars = ScoreBars(theme)
        self.bars.setAccessibleName(tr("Texts of each label"))
        self._of = plain_label(type="strong")
        hint = plain_label(
            tr("1 to 9 label the chosen texts, Delete takes labels back, Enter opens one."),
            type="small",
            ink="quiet",
        )
        above = row(theme, (self.search, 1), self.filter, self.words, gap=2)
        left = column(theme, above, (self.list, 1), hint, gap=2)
        right = column(theme, self._of, self.bars, 1, gap=2)
        row(theme, (left, 4), (right, 1), gap=5, margins=(5, 4, 5, 4), parent=self)
        theme.in_steps(self.bars.setMinimumWidth, 40)
        theme.in_steps(self.filter.setMinimumWidth, 24)
        self.search.searched.connect(self._show)
        self.search.down_requested.connect(self.list.setFocus)
        self.filter.activated.connect(self._filtered)
        self.list.opened.connect(self.opened)
        self.list.labelled.connect(self._label)
        self.list.cleared.connect(self._clear)

    def show_rows(self, rows: Sequence[TextRow], names: Sequence[str]) -> None:
        """Show the texts of a data set, and its labels in the filter; the same rows again, with new guesses."""
        if tuple(names) != self._names or not self.filter.count():
            self._names = tuple(names)
            self.filter.clear()
            for title, key in (
                (tr("All"), ALL), (tr("Not labelled"), UNLABELLED), (tr("Labelled by me"), LABELLED),
                (tr("Unsure"), UNSURE),
            ):  # fmt: skip
                self.filter.addItem(title, key)
            for name in names:
                self.filter.addItem(legible(name), ("label", name))
        if rows is self._rows:
            self.list.show_guesses()
            self._count()
        else:
            self._rows = rows
            self.list.show_rows(rows)
            self._show()

    def show_changed(self, rows: Sequence[TextRow]) -> None:
        """Show texts whose labels have changed."""
        self.list.show_changed(rows)
        self._count()

    def show_counts(self, counts: Counter[str]) -> None:
        """Show how many texts have each label, the most frequent first."""
        total = max(1, sum(counts.values()))
        rows = tuple(
            ScoreRow(name, number / total, tr("{number:,}", number=number))
            for name, number in counts.most_common(50)
        )
        self.bars.set_rows(rows)
        self._of.setText(tr("Texts of each label") if rows else "")

    def show_everything(self) -> None:
        """Clear the search and the filter, for another data set."""
        self.search.clear()
        self.filter.setCurrentIndex(0)
        self._filtered()

    def show_only(self, rows: Sequence[int], title: str) -> None:
        """Show only these rows, as a filter of this title, until another filter is chosen."""
        self._only = frozenset(rows)
        at = self.filter.findData("only")
        if at >= 0:
            self.filter.removeItem(at)
        self.filter.addItem(title, "only")
        self.filter.setCurrentIndex(self.filter.count() - 1)
        self.search.clear()
        self._show()

    @Slot()
    def _filtered(self) -> None:
        if self.filter.currentData() != "only":
            self._only = None
            at = self.filter.findData("only")
            if at >= 0:
                self.filter.removeItem(at)
        self._show()

    @Slot()
    def _show(self) -> None:
        self.list.narrow(self.search.text(), self._accepted())
        self._count()

    def _count(self) -> None:
        self.words.setText(tr("{n:,} text", "{n:,} texts", n=self.list.model().rowCount()))

    def _accepted(self) -> Callable[[TextRow], bool] | None:
        """The function that says whether the filter accepts a row; None for all rows."""
        only = self._only
        match self.filter.currentData():
            case "only" if only is not None:
                return lambda row: row.row in only
            case "unlabelled":
                return lambda row: row.labels is None
            case "labelled":
                return lambda row: row.labels is not None
            case "unsure":
                return lambda row: row.labels is None and bool(row.guess) and row.probability < _UNSURE
            case ("label", name):
                return lambda row: row.guess == name if row.labels is None else name in row.labels
        return None

    @Slot(int)
    def _label(self, at: int) -> None:
        """Give the chosen texts a label, and choose the next text."""
        chosen = self.list.chosen()
        if chosen and at < len(self._names):
            after = self.list.below_chosen()
            self.labelled.emit([row.row for row in chosen], self._names[at])
            if after.isValid():
                self.list.setCurrentIndex(self.list.model().index(after.row(), 0))

    @Slot()
    def _clear(self) -> None:
        if chosen := [row.row for row in self.list.chosen()]:
            self.cleared.emit(chosen)
