"""What the pages of named tables have in common: the title with a menu of them, and the invitation to the first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from app.core.answer_table import AnswerTable
from app.core.labels import Dataset
from app.ui.kit.boxes import Part, column
from app.ui.kit.elided import ElidedButton
from app.ui.kit.parts import IconLabel, caption, in_the_middle, plain_label
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised

Named = AnswerTable | Dataset


class TitleMenu(ElidedButton):
    """The name of the shown thing; its menu lists all of them, and `actions`, a title and a key each.

    `chosen` carries a thing's number, `acted` an action's key.
    """

    chosen = Signal(int)
    acted = Signal(str)

    def __init__(self, theme: Theme, actions: Sequence[tuple[str, str]]) -> None:
        super().__init__(theme, Qt.TextElideMode.ElideRight)
        self._actions = actions
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        mark(self, kind="heading", type="title")
        self.setMenu(QMenu(self))
        self.menu().triggered.connect(self._triggered)

    def show_things(
        self, title: str, things: Sequence[Named], current: Named | None, possible: Collection[str]
    ) -> None:
        """Show a title, and list the things with what is possible with the current one, by the actions' keys."""
        self.set_full_text(title)
        menu = self.menu()
        menu.clear()
        for thing in things:
            action = menu.addAction(caption(thing.name))
            action.setCheckable(True)
            action.setChecked(current is not None and thing.number == current.number)
            action.setData(thing.number)
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
    """Fill a page that is still empty: an icon, a title, what the page is for, and `parts` by which to begin."""
    page.setProperty("kind", "desk")
    inner = QWidget()
    picture = (IconLabel(theme, theme.icon(icon), 10), 0, Qt.AlignmentFlag.AlignLeft)
    about = plain_label(title, type="title"), plain_label(words, ink="quiet")
    column(theme, picture, *about, *parts, gap=3, parent=inner)
    column(theme, in_the_middle(theme, inner), parent=page)
