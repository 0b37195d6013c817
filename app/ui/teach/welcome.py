"""The section Labels before there is a table: what it is for, and how to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from app.core.message import Message
from app.ui.kit.boxes import row
from app.ui.kit.named_tables import invite
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_WHAT = Message(
    "Open a table with a text in each row: answers of a survey, messages, reviews. Name the labels that you want, label"
    " some texts, and a classifier learns them on this computer, in a minute or so. It then labels all the others, and"
    " shows how often it is right."
)


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
