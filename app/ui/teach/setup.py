"""The form for a new table of texts and its labels, or for the labels of a data set."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QPlainTextEdit

from app.core.labels import Dataset, Label
from app.core.legible import legible
from app.core.message import Message
from app.core.models import ModelCard, ProblemType
from app.core.wording import first_words
from app.ui.kit.boxes import column, row
from app.ui.kit.form_card import MOST_WIDE, CardColumn, FormCard, set_hint
from app.ui.kit.notice import Notice
from app.ui.kit.parts import ElidedChoice, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.flows.teach.datasets import ReadTable
    from app.flows.teach.files import TextTable

_LABELS_HINT = Message(
    "A line for each. A colon and a few words make the first guesses better:"
    " “Delivery: the parcel, the courier, when it came”."
)


class Setup(QFrame):
    """A form with a name, the columns of texts and labels, and the labels, one a line; the buttons are below.

    `show_table` asks about a new table, `show_dataset` about the labels of a data set. `begun` is sent by Begin or
    Save, `left` by Cancel.
    """

    begun = Signal()
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "desk")
        self.table: TextTable | None = None
        self.dataset: Dataset | None = None
        self.source = ""
        self._title = plain_label(type="title")
        self._about = plain_label(ink="quiet")
        self.notice = Notice(theme)
        self.name = QLineEdit()
        self.text_column, self.label_column = ElidedChoice(), ElidedChoice()
        self.begin_with = ElidedChoice()
        self._cards: tuple[ModelCard, ...] = ()
        self.labels = QPlainTextEdit()
        self.labels.setTabChangesFocus(True)
        self.multi = QCheckBox(tr("Several may apply to one text, or none"))
        self.begin = push_button(theme, tr("Begin"), kind="primary")
        self.cancel = push_button(theme, tr("Cancel"))
        self._card = FormCard(theme)
        self._card.add_row(tr("Name"), self.name)
        self._example = self._card.add_row(tr("Texts in"), self.text_column)
        self._found = self._card.add_row(tr("Labels in"), self.label_column)
        self._card.add_row(tr("Begin with"), self.begin_with)
        self._card.add_row(tr("Labels"), self.labels, _LABELS_HINT)
        self._card.add_row("", self.multi)
        cards = CardColumn(theme)
        for part in (self._title, self._about, self._card):
            cards.add(part)
        # Outside the scroll area, so that they are visible in a low window too.
        buttons = row(theme, self.begin, self.cancel, 1, gap=2)
        below = column(theme, self.notice, buttons, gap=2, margins=(6, 2, 6, 4))
        column(theme, (cards, 1), below, parent=self)
        theme.in_steps(self.notice.setMaximumWidth, MOST_WIDE)
        theme.in_steps(self.labels.setMinimumHeight, 36)
        for widget, words in (
            (self.name, tr("Name")), (self.text_column, tr("Column of the texts")),
            (self.label_column, tr("Column of labels")), (self.begin_with, tr("Begin with")),
            (self.labels, tr("Labels, one a line")),
        ):  # fmt: skip
            widget.setAccessibleName(words)
        self.text_column.currentIndexChanged.connect(self._column_chosen)
        self.label_column.currentIndexChanged.connect(self._labels_chosen)
        self.begin_with.activated.connect(self._model_chosen)
        self.begin.clicked.connect(self.begun)
        self.cancel.clicked.connect(self.left)

    def show_table(self, read: ReadTable, *, with_model: bool = False, unlabelled: bool = False) -> None:
        """Ask about a table that was just read; `with_model` chooses the first classifier to begin with.

        `unlabelled` takes the names of the labels from the table, but not which text has which.
        """
        table, path, cards = read.table, read.path, read.cards
        self.table, self.dataset, self.source = None, None, str(path) if path is not None else ""
        self._title.setText(tr("Which labels?"))
        if path is not None:
            texts = tr("{n:,} text of {file}.", "{n:,} texts of {file}.", n=len(table.rows), file=path.name)
        else:
            texts = tr("{n:,} text.", "{n:,} texts.", n=len(table.rows))
        copied = tr("The table is copied into Spanlight; the file stays as it is.")
        self._about.setText(f"{texts} {copied}")
        self.name.setText(path.stem if path is not None else tr("Texts"))
        self.multi.setChecked(False)
        self.labels.clear()
        for choice in (self.text_column, self.label_column):
            choice.clear()
        columns = [legible(column) for column in table.columns]
        self.text_column.addItems(columns)
        self.label_column.addItems([tr("None: I label them here"), *columns])
        self.table = table
        self.text_column.setCurrentIndex(table.text_column)
        has_labels = table.label_column >= 0 and not unlabelled
        self.label_column.setCurrentIndex(table.label_column + 1 if has_labels else 0)
        if unlabelled and table.label_column >= 0:
            self.labels.setPlainText("\n".join(table.labels_in(table.label_column)))
        self._cards = cards
        self.begin_with.clear()
        self.begin_with.addItem(tr("Labels of my own"))
        for card in cards:
            self.begin_with.addItem(f"{localised(card.title)}: {first_words(', '.join(card.labels), 60)}")
        self.begin_with.setCurrentIndex(int(with_model and bool(cards)))
        self._column_chosen()
        self._labels_chosen()
        self._model_chosen()
        self._show_parts(new=True)
        self.labels.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_dataset(self, dataset: Dataset) -> None:
        """Ask about the labels of a data set."""
        self.table, self.dataset = None, dataset
        self._title.setText(tr("The labels of {name}", name=dataset.name))
        self._about.setText(
            tr("A label that is renamed keeps its texts; one that is taken out leaves them without it.")
        )
        self.labels.setPlainText("\n".join(label.text for label in dataset.labels))
        self._show_parts(new=False)
        self.labels.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def model(self) -> ModelCard | None:
        """The classifier to begin with; None for labels of the person's own."""
        at = self.begin_with.currentIndex() - 1
        return self._cards[at] if self.table is not None and at >= 0 else None

    def wanted(self) -> tuple[Label, ...]:
        """The labels that were typed, or the classifier's."""
        if (model := self.model) is not None:
            return tuple(map(Label, model.labels))
        from app.flows.teach.datasets import labels_from

        return labels_from(self.labels.toPlainText(), self.dataset.labels if self.dataset is not None else ())

    def chosen_table(self) -> TextTable:
        """The new table, with the chosen columns."""
        assert self.table is not None
        label = self.label_column.currentIndex() - 1 if self.model is None else -1
        return replace(self.table, text_column=self.text_column.currentIndex(), label_column=label)

    def renamed(self) -> dict[str, str]:
        """The new name of each renamed label, by its old one: a new line in place of an old one renames the label."""
        if self.dataset is None:
            return {}
        before, after = self.dataset.names, tuple(label.name for label in self.wanted())
        found: dict[str, str] = {}
        for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind == "replace" and b - a == d - c:
                pairs = zip(before[a:b], after[c:d], strict=True)
                found |= {old: new for old, new in pairs if old not in after and new not in before}
        return found

    def removed(self) -> tuple[str, ...]:
        """The names of the labels that would be removed."""
        if self.dataset is None:
            return ()
        after, renamed = {label.name for label in self.wanted()}, self.renamed()
        return tuple(name for name in self.dataset.names if name not in after and name not in renamed)

    @Slot()
    def _model_chosen(self) -> None:
        """Show a classifier's labels, which cannot be edited."""
        model = self.model
        if model is not None:
            self.labels.setPlainText("\n".join(model.labels))
            self.multi.setChecked(model.problem is ProblemType.MULTI_LABEL)
        elif self.labels.isReadOnly():
            self.labels.clear()
        self.labels.setReadOnly(model is not None)
        for widget in (self.multi, self.label_column):
            widget.setEnabled(model is None)

    @Slot()
    def _column_chosen(self) -> None:
        if self.table is not None:
            at = self.text_column.currentIndex()
            some = next((row[at] for row in self.table.rows if row[at].strip()), "")
            set_hint(self._example, first_words(some, 120))

    @Slot()
    def _labels_chosen(self) -> None:
        if self.table is None:
            return
        at = self.label_column.currentIndex() - 1
        words = ""
        if at >= 0:
            found = self.table.labels_in(at)
            words = tr(
                "{n:,} label: {labels}",
                "{n:,} labels: {labels}",
                n=len(found),
                labels=first_words(", ".join(found), 160),
            )
        set_hint(self._found, words)
        self.labels.setPlaceholderText(
            tr("Those of the column; add others or descriptions here")
            if at >= 0
            else tr("Complaint\nPraise\nQuestion")
        )

    def _show_parts(self, *, new: bool) -> None:
        self.notice.hide()
        self.begin.setText(tr("Begin") if new else tr("Save"))
        self.begin.setAccessibleName(self.begin.text())
        self._card.show_rows((tr("Name"), tr("Texts in"), tr("Labels in"), tr("Begin with"), ""), new)
        if not new:
            self.labels.setReadOnly(False)
