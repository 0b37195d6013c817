"""How good the taught classifier is: overall and for each label on held-out texts, and the labels that it doubts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QWidget

from app.core.labels import ENOUGH, Dataset, GivenLabels, HeldOut
from app.core.message import Message
from app.core.wording import percent
from app.flows.teach.datasets import agreement, contradictions
from app.flows.teach.figures import Doubt, LabelFigures, TaughtFigures, figures, predict_labels
from app.flows.teach.teach import MORE
from app.ui.kit.boxes import column
from app.ui.kit.form_card import CardColumn
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.table import ROW_ROLE, Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_STOPPED = Message("The classifier was taught, but measuring it was stopped.")
_HOW = Message(
    "Parts of your texts are held out in turn, and predicted by a classifier that has not seen them."
)
_NONE_YET = Message(
    "Once every label has {enough} examples a classifier is taught,"
    " and measured on texts that it has not seen.",
    enough=ENOUGH,
)


class FigureTable(RowTable):
    """A table as high as its rows. `opened` carries a row on a double click or Enter."""

    opened = Signal(object)

    def __init__(self, theme: Theme, name: str, columns: Sequence[Column]) -> None:
        super().__init__(theme, name, columns)
        self.activated.connect(self._activated)

    def show_rows(self, rows: Sequence[Any], columns: Sequence[Column] | None = None) -> None:
        """Show these rows, and columns if any are given, without a scroll bar."""
        self._model.set_rows(rows, columns)
        self.setFixedHeight(self.height_of(len(rows)) + self._theme.step(1))
        self.fit_columns()

    def text_of(self, rows: Sequence[Any]) -> str:
        """The cells as they are shown, separated by tabs, below a heading."""
        columns = self._model.columns
        lines = [[localised(column.title) for column in columns]]
        lines += [[" ".join(localised(column.text(row)).split()) for column in columns] for row in rows]
        return "".join("\t".join(line) + "\n" for line in lines)

    def share_width(self) -> None:
        """Give the first column the room that the others leave."""
        step = self._theme.step
        for at in range(1, len(self._model.columns)):
            self.setColumnWidth(at, max(step(18), self.needed_width(at, ())))
        others = sum(self.columnWidth(at) for at in range(1, len(self._model.columns)))
        self.setColumnWidth(0, max(step(40), self.viewport().width() - others))

    @Slot()
    def _activated(self, index: Any) -> None:
        self.opened.emit(index.data(ROW_ROLE))


class Figures(QFrame):
    """Cards with the figures. `opened` carries rows of the data set to look at, and a title for them."""

    opened = Signal(list, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "desk")
        self._held_out = HeldOut()
        self._dataset: Dataset | None = None
        self._contradicting: list[int] = []
        self.headline = plain_label(type="winner")
        self.about = plain_label(ink="quiet")
        self.labels = FigureTable(theme, tr("Figures of each label"), _LABEL_COLUMNS)
        self.matrix = FigureTable(theme, tr("Given and predicted labels"), ())
        self.doubts = FigureTable(theme, tr("Labels that the classifier doubts"), ())
        self.conflicts = push_button(theme, kind="link")
        self.measure = push_button(
            theme, tr("Measure it"), tip=tr("Measure the classifier on texts held out")
        )
        self._of_label = self._card(theme, tr("Each label"), "", self.labels)
        self._confusion = self._card(
            theme,
            tr("Given and predicted"),
            tr("A row for each label of yours; a double click shows its texts."),
            self.matrix,
        )
        self._mislabelled = self._card(
            theme,
            tr("Perhaps mislabelled"),
            tr("Texts whose label the classifier doubts, without having learnt it."),
            self.doubts,
        )
        cards = CardColumn(theme)
        cards.add(self._card(theme, "", "", self.headline, self.about, self.measure, self.conflicts))
        for card in (self._of_label, self._confusion, self._mislabelled):
            cards.add(card)
        column(theme, cards, parent=self)
        self.matrix.opened.connect(self._matrix_opened)
        self.doubts.opened.connect(self._doubt_opened)
        self.labels.opened.connect(self._label_opened)
        self.conflicts.clicked.connect(self._conflicts_opened)

    def show_figures(
        self,
        dataset: Dataset,
        held_out: HeldOut,
        given: dict[int, GivenLabels],
        texts: Sequence[str],
        *,
        teaching: bool = False,
        unmeasured: bool = False,
    ) -> None:
        """Show the figures of a data set's classifier, or why there are none.

        There are none while it is `teaching`, and of a classifier that is `unmeasured`.
        """
        self._dataset, self._held_out = dataset, held_out
        known = set(dataset.names)
        is_current = bool(held_out.rows) and all(set(labels) <= known for labels in held_out.labels)
        is_current = is_current and len(held_out.probabilities[0]) == len(dataset.labels)
        conflicts = contradictions(texts, given)
        self._contradicting = [row for rows in conflicts for row in rows]
        self.conflicts.setText(
            tr("{n:,} text labelled in two ways", "{n:,} texts labelled in two ways", n=len(conflicts))
        )
        self.conflicts.setVisible(bool(conflicts))
        for card in (self._of_label, self._confusion, self._mislabelled):
            card.setVisible(is_current)
        self.measure.setVisible(unmeasured and not teaching)
        if not is_current:
            words = (_HOW,) if teaching else (_STOPPED, _HOW) if unmeasured else (_NONE_YET,)
            self.headline.setText(tr("Being measured") if teaching else tr("Not measured yet"))
            self.about.setText(" ".join(filter(None, (*map(localised, words), _agreement(given)))))
            return
        found = figures(dataset, held_out)
        self.headline.setText(tr("{percent} right", percent=percent(found.accuracy)))
        self.about.setText(_about(found, given))
        self.labels.show_rows(found.by_label)
        self._confusion.setVisible(bool(found.confusion))
        if found.confusion:
            rows = list(zip(dataset.names, found.confusion, strict=True))
            self.matrix.show_rows(
                rows, [_NAME, *(_matrix_column(at, name) for at, name in enumerate(dataset.names))]
            )
        self._mislabelled.setVisible(bool(found.doubts))
        self.doubts.show_rows(found.doubts[:50], _doubt_columns(texts))

    @Slot(object)
    def _label_opened(self, row: LabelFigures) -> None:
        rows = [
            at
            for at, labels in zip(self._held_out.rows, self._held_out.labels, strict=True)
            if row.label in labels
        ]
        self.opened.emit(rows, tr("Labelled {label}", label=row.label))

    @Slot(object)
    def _matrix_opened(self, row: tuple[str, tuple[int, ...]]) -> None:
        assert self._dataset is not None
        at = self.matrix.currentIndex().column() - 1
        dataset, names = self._dataset, self._dataset.names
        held = zip(self._held_out.rows, self._held_out.labels, self._held_out.probabilities, strict=True)
        rows = [
            number
            for number, labels, numbers in held
            if row[0] in labels and (at < 0 or predict_labels(dataset, numbers) == (names[at],))
        ]
        title = row[0]
        if at >= 0:
            title = tr("{label}, predicted {predicted}", label=row[0], predicted=names[at])
        self.opened.emit(rows, title)

    @Slot(object)
    def _doubt_opened(self, doubt: Doubt) -> None:
        self.opened.emit([doubt.row], tr("Text {number:,}", number=doubt.row + 1))

    @Slot()
    def _conflicts_opened(self) -> None:
        self.opened.emit(self._contradicting, tr("Labelled in two ways"))

    def _card(self, theme: Theme, title: str, words: str, *widgets: QWidget) -> QFrame:
        card = QFrame()
        card.setProperty("kind", "card")
        above = [plain_label(title, type="strong")] if title else []
        above += [plain_label(words, type="small", ink="quiet")] if words else []
        box = column(theme, *above, *widgets, gap=2.5, margins=(6, 5, 6, 5), parent=card)
        box.setAlignment(self.measure, Qt.AlignmentFlag.AlignLeft)
        return card


_NAME = Column(Message("Label"), lambda row: row[0], lambda row: row[0].casefold())
_LABEL_COLUMNS = (
    Column(Message("Label"), lambda row: row.label, lambda row: row.label.casefold()),
    Column(Message("Texts"), lambda row: tr("{number:,}", number=row.texts), lambda row: row.texts, number=True),
    Column(
        Message("Found"), lambda row: localised(percent(row.recall)), lambda row: row.recall,
        lambda row: tr("{low} to {high}", low=percent(row.low), high=percent(row.high)), number=True,
        title_tip=Message("Of the texts with this label, how many were given it (recall)"),
    ),
    Column(
        Message("Right"), lambda row: localised(percent(row.precision)), lambda row: row.precision, number=True,
        title_tip=Message("Of the texts that were given this label, how many have it (precision)"),
    ),
    Column("F1", lambda row: tr("{number:.2f}", number=row.f1), lambda row: row.f1, number=True),
)  # fmt: skip


def _matrix_column(at: int, name: str) -> Column:
    return Column(
        name,
        lambda row: tr("{number:,}", number=row[1][at]) if row[1][at] else "",
        lambda row: row[1][at],
        number=True,
    )


def _doubt_columns(texts: Sequence[str]) -> list[Column]:
    return [
        Column(
            tr("Text"), lambda doubt: " ".join(texts[doubt.row][:300].split()), lambda doubt: texts[doubt.row],
            lambda doubt: texts[doubt.row][:2000],
        ),
        Column(tr("Your label"), lambda doubt: doubt.label, lambda doubt: doubt.label),
        Column(tr("Rather"), lambda doubt: doubt.rather, lambda doubt: doubt.rather),
        Column(
            tr("Sure"), lambda doubt: localised(percent(doubt.probability)), lambda doubt: doubt.probability,
            number=True,
        ),
    ]  # fmt: skip


def _about(found: TaughtFigures, given: dict[int, GivenLabels]) -> str:
    words = [
        tr(
            "Between {low} and {high} with 95% confidence:"
            " {n:,} text of yours, each predicted by a classifier that had not seen it.",
            "Between {low} and {high} with 95% confidence:"
            " {n:,} texts of yours, each predicted by a classifier that had not seen it.",
            low=percent(found.low),
            high=percent(found.high),
            n=found.texts,
        )
    ]
    if found.more >= 0.005:
        words.append(
            tr(
                "{more} more examples would bring about {n} point.",
                "{more} more examples would bring about {n} points.",
                more=MORE,
                n=round(100 * found.more),
            )
        )
    return " ".join(filter(None, (*words, _agreement(given))))


def _agreement(given: dict[int, GivenLabels]) -> str:
    """How often the person agreed with guesses that were shown, and with guesses that were hidden."""
    shown, hidden = agreement(given.values())
    if not shown[1]:
        return ""
    if not hidden[1]:
        return tr(
            "You gave the guessed label {same:,} of {all:,} times (unsure texts come first).",
            same=shown[0],
            all=shown[1],
        )
    return tr(
        "You gave the guessed label {same:,} of {all:,} times (unsure texts come first),"
        " and {same_hidden:,} of {all_hidden:,} times where the guess was hidden.",
        same=shown[0],
        all=shown[1],
        same_hidden=hidden[0],
        all_hidden=hidden[1],
    )
