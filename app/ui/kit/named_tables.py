"""What pages of named tables share: the title with a menu of the tables, and the page that invites to the first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from app.core.answer_table import AnswerTable
from app.core.labels import Dataset
from app.ui.kit.boxes import Part, column
from app.ui.kit.parts import ElidedButton, IconLabel, caption, in_the_middle, plain_label
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised

Named = AnswerTable | Dataset


class TitleMenu(ElidedButton):
    """A button with the name of the shown table; its menu lists all tables, and `actions`, each a title and a key.

    `chosen` carries a table's number, `acted` an action's key.
    """

    chosen = Signal(int)
    acted = Signal(str)

    elides = Qt.TextElideMode.ElideRight

    def __init__(self, theme: Theme, actions: Sequence[tuple[str, str]]) -> None:
        super().__init__(theme)
        self._actions = actions
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        mark(self, kind="heading", type="title")
        self.setMenu(QMenu(self))
        self.menu().triggered.connect(self._triggered)

    def show_tables(
        self, title: str, tables: Sequence[Named], current: Named | None, possible: Collection[str]
    ) -> None:
        """Show a title, list the tables with the current one ticked, and enable the actions of the `possible` keys."""
        self.setText(title)
        menu = self.menu()
        menu.clear()
        for table in tables:
            action = menu.addAction(caption(table.name))
            action.setCheckable(True)
            action.setChecked(current is not None and table.number == current.number)
            action.setData(table.number)
        menu.addSeparator()
        for words, key in self._actions:
            action = menu.addAction(localised(words))
            action.setData(key)
            action.setEnabled(key in possible)

    @Slot(QAction)
    def _triggered(self, action: QAction) -> None:
        if isinstance(action.data(), int):
            self.chosen.emit(action.data())
        else:
            self.acted.emit(action.data())


def invite(page: QFrame, theme: Theme, icon: str, title: str, words: str, *parts: Part) -> None:
    """Fill an empty page: an icon, a title, what the page is for, and `parts` to begin with."""
    page.setProperty("kind", "desk")
    inner = QWidget()
    picture = (IconLabel(theme, theme.icon(icon), 10), 0, Qt.AlignmentFlag.AlignLeft)
    about = plain_label(title, type="title"), plain_label(words, ink="quiet")
    column(theme, picture, *about, *parts, gap=3, parent=inner)
    column(theme, in_the_middle(theme, inner), parent=page)
