"""The right side of the page Names: the types of names, and the list of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QMenu,
    QWidget,
)

from app.core.message import Message
from app.core.requests import PieceAggregation
from app.core.results import Entity
from app.ui.heads.names.name_list import NameList, NameRow, name_rows
from app.ui.heads.names.name_styles import NameStyle, NameSwatch, styles_of
from app.ui.heads.text_panel import PaperTerm, TextPanel
from app.ui.kit.boxes import column, row
from app.ui.kit.parts import as_tip, caption, look_button, plain_label, push_button
from app.ui.kit.segments import Segments
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import format_number, localised, tr

_INVITE = Message(
    "People, places and other names light up in the text, each type in its own look. A long text is read whole."
)
_NONE = Message("No names were found in this text.")
_CHOICES = (
    (PieceAggregation.FIRST.value, Message("First piece")),
    (PieceAggregation.AVERAGE.value, Message("Average")),
    (PieceAggregation.MAX.value, Message("Surest piece")),
)
_TERMS = {
    PieceAggregation.FIRST: (Message("Its first piece's tag is the word's:"), "first"),
    PieceAggregation.AVERAGE: (Message("Its pieces' probabilities are averaged:"), "average"),
    PieceAggregation.MAX: (Message("The piece that the model is surest of counts:"), "max"),
}
# More types than these are shown in two columns.
_ONE_COLUMN = 6


class NameLegend(QFrame):
    """A row for each type with a check box; `changed` is sent when one is toggled."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._styles: tuple[NameStyle, ...] = ()
        self._ticks: list[QCheckBox] = []
        self._counts: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(tr("Types of names"))
        theme.in_steps(self._grid.setHorizontalSpacing, 2.5)
        theme.in_steps(self._grid.setVerticalSpacing, 0.5)

    def set_styles(self, styles: Sequence[NameStyle], before: QWidget) -> None:
        """Set the types; those already listed keep their check state. Tab goes from `before` to them."""
        if tuple(styles) == self._styles:
            return
        hidden = self.hidden()
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.deleteLater()
        self._styles, self._ticks, self._counts = tuple(styles), [], []
        columns = 1 if len(styles) <= _ONE_COLUMN else 2
        high = -(-len(styles) // columns)
        for at, style in enumerate(styles):
            tick = QCheckBox(caption(style.plain))
            tick.setChecked(style.label not in hidden)
            tick.setToolTip(as_tip(tr("{label}: show or hide on the page", label=style.label)))
            tick.toggled.connect(self.changed)
            number = plain_label(type="small", ink="quiet", wrap=False)
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            down, across = at % high, at // high * 3
            for by, part in enumerate((NameSwatch(self._theme, style), tick, number)):
                self._grid.addWidget(part, down, across + by)
            self._grid.setColumnStretch(across + 1, 1)
            self._ticks.append(tick)
            self._counts.append(number)
            QWidget.setTabOrder(before, tick)
            before = tick

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Show the number of names of each type."""
        for style, tick, label in zip(self._styles, self._ticks, self._counts, strict=True):
            number = counts.get(style.label, 0)
            label.setText(format_number(number, ",") if number else tr("none"))
            tick.setAccessibleName(
                tr("Show {kind}, {n:,} place", "Show {kind}, {n:,} places", kind=style.plain, n=number)
            )

    def hidden(self) -> frozenset[str]:
        """The labels of the types that are not checked."""
        return frozenset(
            style.label for style, tick in zip(self._styles, self._ticks, strict=True) if not tick.isChecked()
        )


class AggregationChoice(QFrame):
    """A choice of the aggregation of word pieces, with an explanation. `chosen` carries the picked PieceAggregation."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        question = tr("A word read in pieces goes by its")
        heading = plain_label(question, type="small", ink="quiet", wrap=False)
        self.ways = Segments(theme, question, _CHOICES)
        self.ways.chosen.connect(self._picked)
        self._about = PaperTerm()
        column(theme, heading, self.ways, self._about, gap=1.5, parent=self)

    def select(self, aggregation: PieceAggregation) -> None:
        """Show an aggregation as the selected one."""
        self.ways.select(aggregation.value)
        self._about.show_term(*_TERMS[aggregation])

    @Slot(str)
    def _picked(self, key: str) -> None:
        self.select(PieceAggregation(key))
        self.chosen.emit(PieceAggregation(key))


class NamesPanel(TextPanel):
    """The buttons Open and Find, the types with check boxes, the list of names; `menu` has the formats to save in.

    `styles` are those of the types. `incomplete_note` tells of names that are missing since not all of the text was
    read; it is empty if all was.
    """

    ABOUT = (
        Message("Every word gets a tag that says whether a name of some type begins or goes on there."),
        Message("Token classification, BERT section 5.3."),
    )
    MODEL = Message("The names are found by {model}")
    OPEN = Message("Open a file")

    def __init__(self, theme: Theme, formats: Sequence[tuple[str, str]]) -> None:
        self._entities: tuple[Entity, ...] | None = None
        self.styles: tuple[NameStyle, ...] = ()
        self._rows: tuple[NameRow, ...] = ()
        self.incomplete_note = ""
        self.opening = push_button(
            theme, tr("Open…"), icon="open", name=tr("Open a file"), tip=tr("Open a file  (Ctrl+O)")
        )
        find = push_button(theme, tr("Find names"), tip=tr("Find names  (Ctrl+Enter)"))
        self.legend = NameLegend(theme)
        self.list = NameList(theme)
        self.look = look_button(theme)
        tip = tr("Copy the names as a table  (Ctrl+C)")
        self.copy = push_button(theme, tr("Copy"), icon="copy", name=tr("Copy the names"), tip=tip)
        tip = tr("Save the names  (Ctrl+S)")
        self.save = push_button(theme, tr("Save as"), icon="save", name=tr("Save the names"), tip=tip)
        self.aggregation = AggregationChoice(theme)
        self._actions = QWidget()
        row(theme, self.look, 1, self.copy, self.save, gap=2, parent=self._actions)
        super().__init__(theme, self.opening, find, None)
        theme.in_steps(self._layout.setSpacing, 3)
        self.menu = QMenu(self.save)
        for key, title in formats:
            self.menu.addAction(f"{localised(title)}…").setData(key)
        self.save.setMenu(self.menu)
        for widget, stretch in ((self.legend, 0), (self.list, 1), (self._actions, 0), (self.aggregation, 0)):
            self.add(widget, stretch)
        self.legend.changed.connect(self._show_rows)

    # Content

    def set_empty(self, empty: bool) -> None:
        """Show the invitation while there is no text, without the result of an earlier one."""
        if empty:
            self.show_names(None, ())
        some = bool(self._entities)
        for widget in (self.legend, self.list, self._actions):
            widget.setVisible(some)
        self.middle.setVisible(not some)
        self.invite.setText(_NONE if self._entities is not None else _INVITE)
        self.set_inviting(empty)
        self.aggregation.setVisible(not empty)

    def show_names(self, entities: tuple[Entity, ...] | None, labels: Sequence[str]) -> None:
        """Show names, and the types of `labels`; None before a text was searched."""
        self._entities = entities
        if entities is not None:
            self.styles = styles_of(labels)
            self.legend.set_styles(self.styles, self.open)
            self.legend.set_counts(Counter(entity.label for entity in entities))
        self._rows = name_rows(entities or (), self.styles)
        self._show_rows()
        self._outdated.hide()

    def set_outdated(self, outdated: bool) -> None:
        """Say whether the names are outdated, or else whether they are incomplete."""
        super().set_outdated(bool(outdated or self.incomplete_note) and self._entities is not None)
        if not outdated:
            self._outdated.setText(self.incomplete_note)
        elif self.is_stale:
            self._outdated.setText(tr("The model was changed since. Ctrl+Enter finds the names."))
        else:
            self._outdated.setText(tr("The text was changed since. Ctrl+Enter finds the names."))
        self.list.setEnabled(not outdated)
        self._actions.setEnabled(not outdated)

    def spoken(self) -> str:
        if not self._entities:
            return localised(_NONE) if self._entities is not None else ""
        counts = Counter(entity.label for entity in self._entities)
        kinds = ", ".join(
            f"{localised(style.plain)} {counts[style.label]}" for style in self.styles if counts[style.label]
        )
        names = tr("{n:,} name", "{n:,} names", n=len(self._entities))
        return sentences(names, kinds, self.incomplete_note)

    def set_complete(self, complete: bool) -> None:
        """Set whether all of the text was read: else CoNLL is not offered, which needs every word's tag."""
        for form in self.menu.actions():
            form.setEnabled(complete or form.data() != "conll")

    # Parts

    @Slot()
    def _show_rows(self) -> None:
        hidden = self.legend.hidden()
        self.list.set_rows([row for row in self._rows if row.style.label not in hidden])

    @Slot()
    def show_formats(self) -> None:
        """Offer the formats that names can be saved in, if there are any names."""
        if self.save.isVisible() and self.save.isEnabled():
            self.save.showMenu()
