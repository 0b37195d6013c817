"""The head of the section Labels: the table's name, the progress of teaching; and what stands there before a table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.core.labels import Dataset
from app.core.message import Message
from app.ui.kit.boxes import column, row
from app.ui.kit.file_dialog import ExportButton
from app.ui.kit.named_tables import TitleMenu, invite
from app.ui.kit.parts import plain_label, push_button, rule
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

LABEL, TEXTS, FIGURES = "label", "texts", "figures"
# Below this width, in steps, the progress is shown below the name.
_NARROW = 140
_ACTIONS = (
    (Message("New table…"), "new"), (Message("Labels…"), "labels"), (Message("Rename…"), "rename"),
    (Message("Use it on the page Classify"), "use"), (Message("Remove…"), "remove"),
)  # fmt: skip
_WHAT = Message(
    "Open a table with a text in each row: answers of a survey, messages, reviews. Name the labels that you want, label"
    " some texts, and a classifier learns them on this computer, in a minute or so. It then labels all the others, and"
    " shows how often it is right."
)


class TeachHead(QFrame):
    """The table's name with a menu, the progress, the buttons Teach and Export; below, the parts of the section."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "panel")
        self.title = TitleMenu(theme, _ACTIONS)
        self.words = plain_label(type="small", ink="quiet", wrap=False)
        self.strip = ProgressStrip(theme)
        self.teach = push_button(theme, tr("Teach"), tip=tr("Teach a classifier from what is labelled"))
        self.export = ExportButton()
        self.parts = Segments(
            theme,
            tr("Show"),
            ((LABEL, tr("Labelling")), (TEXTS, tr("All texts")), (FIGURES, tr("How good is it?"))),
        )
        self.parts.select(LABEL)
        names = QWidget()
        column(theme, self.title, self.words, parent=names)
        theme.in_steps(names.setMinimumHeight, 13.5)
        theme.in_steps(self.words.setContentsMargins, 1, 0, 0, 0)
        self._top = row(theme, (names, 1), self.teach, self.export, gap=3, margins=(5, 3, 5, 2))
        self._under = QHBoxLayout()
        below = row(theme, self.parts, margins=(5, 0, 5, 2.5))
        column(theme, self._top, self._under, below, rule(), parent=self)
        self._place_strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_strip()

    def _place_strip(self) -> None:
        """Place the progress below the name where there is little room beside it."""
        if self.width() < self._theme.step(_NARROW):
            if self._under.indexOf(self.strip) < 0:
                self._under.addWidget(self.strip)
                self._theme.in_steps(self._under.setContentsMargins, 5, 0, 5, 2)
        elif self._top.indexOf(self.strip) < 0:
            self._top.insertWidget(1, self.strip, 1)
            self._theme.in_steps(self._under.setContentsMargins, 0, 0, 0, 0)

    def show_datasets(self, datasets: tuple[Dataset, ...], current: Dataset | None) -> None:
        """Show the current data set's name, and list all data sets in its menu."""
        name = current.name if current is not None else tr("Teach")
        self.title.setAccessibleName(tr("Labels: {name}", name=name))
        possible = ["new"]
        if current is not None:
            possible += ["labels", "rename", "remove", *(["use"] if current.model else [])]
        self.title.show_tables(name, datasets, current, possible)


class Welcome(QFrame):
    """A title, what the section is for, and buttons to open a table, paste texts or try a sample.

    `cancel` is shown if there is a table to go back to.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.open = push_button(
            theme, tr("Open a table…"), kind="primary", tip=tr("CSV, Excel or JSON Lines  (Ctrl+O)")
        )
        self.paste = push_button(
            theme, tr("Paste texts"), icon="paste", tip=tr("Each line of the clipboard is a text")
        )
        self.cancel = push_button(theme, tr("Cancel"))
        self.sample = push_button(
            theme, tr("Or try it with some reviews"), kind="link", tip=tr("Short reviews that come along")
        )
        hint = plain_label(
            tr("Or drop a table here: CSV, TSV, Excel, JSON Lines, or a text with a line for each."),
            type="small",
            ink="quiet",
        )
        actions = row(theme, self.open, self.paste, self.cancel, 1, gap=2)
        parts = (actions, (self.sample, 0, Qt.AlignmentFlag.AlignLeft), hint)
        invite(self, theme, "teach", tr("Labels of your own"), _WHAT, *parts)
        self.cancel.hide()
