"""The right side of the follow-on page: whether the second passage continues the first."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton

from app.core.models import ModelCard
from app.core.results import FollowOn
from app.ui.heads.next.follow_card import FollowCard
from app.ui.heads.paper_term import PaperTerm
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.theme import Theme

_INVITE = "Two passages: does the second come right after the first, or from somewhere else?"
_READY = "Ctrl+Enter tells whether the second continues the first."


class FollowPanel(TextPanel):
    """Swap, the question, and the outcome's card."""

    swap_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        swap = QPushButton("Swap")
        swap.setAccessibleName("Swap the passages")
        swap.setToolTip("Swap the passages  (Ctrl+T)")
        button = QPushButton("Does it follow?")
        button.setAccessibleName("Does it follow?")
        button.setToolTip("Tell whether the second continues the first  (Ctrl+Enter)")
        about = PaperTerm(
            theme,
            "The model reads both passages together and says whether the second comes right after the first.",
            "Next sentence prediction, BERT section 3.1, Task #2.",
        )
        self.card = FollowCard(theme)
        self._has = False
        super().__init__(theme, swap, button, self.card, about)
        swap.clicked.connect(self.swap_asked)
        self.show_text(empty=True, ready=False)

    def show_text(self, *, empty: bool, ready: bool) -> None:
        """Invite while there is no text; `ready` tells that both papers hold words."""
        self._has = self._has and not empty
        self.set_inviting(empty)
        self.card.setVisible(self._has)
        self.invite.setText(_READY if ready else _INVITE)
        self.invite.setVisible(not self._has)

    def show_item(self, item: FollowOn, source: str) -> None:
        """Show an outcome."""
        self._has = True
        self.card.show_item(item, source)
        self.card.show()
        self.invite.hide()
        self.set_outdated(False)

    def set_outdated(self, outdated: bool) -> None:
        super().set_outdated(outdated and self._has)
        self.card.set_outdated(outdated)

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        self.model.show_model(f"{card.name} tells what follows")
