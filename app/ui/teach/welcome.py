"""The page Teach before there is a table: what it is for, and how to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.message import Message
from app.ui.kit.parts import IconLabel, in_the_middle, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_WHAT = Message(
    "Open a table with a text in each row: answers of a survey, messages, reviews. Name the labels that you want, label"
    " some texts, and a classifier learns them on this computer, in a minute or so. It then labels all the others, and"
    " shows how often it is right."
)


class Welcome(QFrame):
    """A title, what the page is for, and buttons that open or paste a table, or a sample."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "desk")
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
        inner = QWidget()
        column = QVBoxLayout(inner)
        actions = QHBoxLayout()
        for button in (self.open, self.paste, self.cancel):
            actions.addWidget(button)
        actions.addStretch(1)
        column.addWidget(IconLabel(theme, theme.icon("teach"), 10), 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(plain_label(tr("Labels of your own"), type="title"))
        column.addWidget(plain_label(_WHAT, ink="quiet"))
        column.addLayout(actions)
        column.addWidget(self.sample, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(
            plain_label(
                tr("Or drop a table here: CSV, TSV, Excel, JSON Lines, or a text with a line for each."),
                type="small",
                ink="quiet",
            )
        )
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(in_the_middle(theme, inner))
        theme.space(column, 3)
        theme.space(actions, 2)
        self.show_cancel(False)

    def show_cancel(self, shown: bool) -> None:
        """Offer to go back to the table that there is."""
        self.cancel.setVisible(shown)
