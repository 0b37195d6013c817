"""What a question is asked of: one choice below the question, and how much of a library is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.ask.question_run import Scope, ScopeKind
from app.ui.kit.boxes import row
from app.ui.kit.elided import ElidedButton
from app.ui.kit.parts import as_tip, caption, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.core.library import Library, LibraryStatus


class ScopeChoice(QWidget):
    """The choice between this document, the open ones, and each library by its name.

    `scope` is the one shown as chosen. `chosen` carries the Scope that the person picked, `opening` is sent before the
    menu shows, so that it can be filled by `offer`. `folder_requested` is sent by "Add a folder…", `ledger_requested`
    by the words on how much of the library is read.
    """

    chosen = Signal(object)
    opening = Signal()
    folder_requested = Signal()
    ledger_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.scope = Scope()
        self.button = ElidedButton(theme)
        mark(self.button, kind="scope")
        self.button.setToolTip(as_tip(tr("What the question is asked of  (Alt+Down)")))
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self.opening)
        self.menu.triggered.connect(self._picked)
        self.button.setMenu(self.menu)
        self.read = push_button(theme, kind="link", tip=tr("Show the files that were not read"))
        mark(self.read, type="small")
        inside = plain_label(tr("in"), ink="quiet", wrap=False)
        row(theme, inside, self.button, 1, self.read, gap=1, margins=(0.5, 0, 0, 0), parent=self)
        self.read.clicked.connect(self.ledger_requested)
        self.show_scope(self.scope, None)

    @Slot()
    def open(self) -> None:
        """Show the menu."""
        self.button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.button.showMenu()

    def offer(self, libraries: Sequence[tuple[Library, LibraryStatus]], number: int) -> None:
        """Fill the menu; `number` documents are open."""
        self.menu.clear()
        group = QActionGroup(self.menu)
        self._add(group, tr("In this document"), Scope())
        self._add(group, tr("In the open documents ({number:,})", number=number), Scope(ScopeKind.OPEN))
        self.menu.addSeparator()
        for library, status in libraries:
            # What follows the tab is drawn at the right, as shortcuts are.
            words = tr("In {library}\t{read}", library=library.name, read=status.in_words)
            self._add(group, words, Scope(ScopeKind.LIBRARY, library.number))
        if libraries:
            self.menu.addSeparator()
        self.menu.addAction(tr("Add a folder…"))

    def _add(self, group: QActionGroup, words: str, scope: Scope) -> None:
        action = QAction(caption(words), self.menu)
        action.setCheckable(True)
        action.setData(scope)
        action.setChecked(scope == self.scope)
        group.addAction(action)
        self.menu.addAction(action)
        if scope == self.scope:
            self.menu.setActiveAction(action)

    @Slot(QAction)
    def _picked(self, action: QAction) -> None:
        scope = action.data()
        if isinstance(scope, Scope):
            self.chosen.emit(scope)
        else:
            self.folder_requested.emit()

    def show_scope(self, scope: Scope, library: tuple[Library, LibraryStatus] | None) -> None:
        """Show what is chosen: the `library` with its status, where it is one."""
        self.scope = scope
        if library is not None:
            name = library[0].name
            self.button.setAccessibleName(tr("Ask in {library}", library=name))
        elif scope.kind is ScopeKind.OPEN:
            name = tr("the open documents")
            self.button.setAccessibleName(tr("Ask in the open documents"))
        else:
            name = tr("this document")
            self.button.setAccessibleName(tr("Ask in this document"))
        self.button.set_full_text(name)
        self.read.setVisible(library is not None)
        if library is not None:
            self.read.setText(library[1].in_words)
            self.read.setAccessibleName(
                tr("{read}. Show the files that were not read", read=library[1].in_words)
            )
