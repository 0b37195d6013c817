"""The right side of the fill-in page: the words for the chosen blank."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton

from app.core.models import ModelCard
from app.core.results import FilledBlank
from app.ui.heads.fill.blank_card import BlankCard
from app.ui.heads.paper_term import PaperTerm
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.theme import Theme

_INVITE = "Type a text with ___ where a word is missing, or select a word and make a blank of it."
_NO_BLANK = "There is no blank yet. Type ___ where a word is missing, or select a word and press Ctrl+B."
_READY = "Ctrl+Enter finds the words for it."
_READY_MANY = "Ctrl+Enter finds the words for all {count} blanks."


class FillPanel(TextPanel):
    """Make a blank and Fill in, and the chosen blank's words."""

    blank_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        blank = QPushButton("Make a blank")
        blank.setAccessibleName("Make a blank")
        blank.setToolTip("Make a blank of the selected word  (Ctrl+B)")
        # The selection that it is about must not lose its looks: the text keeps the focus.
        blank.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button = QPushButton("Fill in")
        button.setAccessibleName("Fill in")
        button.setToolTip("Fill in  (Ctrl+Enter)")
        about = PaperTerm(
            theme,
            "Each blank is hidden from the model. From the words on both sides it says what may stand there.",
            "Masked words, BERT section 3.1, Task #1.",
        )
        self.card = BlankCard(theme)
        super().__init__(theme, blank, button, self.card, about)
        blank.clicked.connect(self.blank_asked)
        self.show_text(empty=True, blanks=0)

    def show_text(self, *, empty: bool, blanks: int) -> None:
        """Invite while there is no text or no blank in it."""
        self.set_inviting(empty)
        self.card.setVisible(blanks > 0)
        ready = _READY if blanks == 1 else _READY_MANY.format(count=blanks)
        self.invite.setText(_INVITE if empty else ready if blanks else _NO_BLANK)
        self.invite.setVisible(not (blanks and self.card.words.rows()))

    def show_words(self, filled: FilledBlank | None, source: str) -> None:
        """Show a blank's words; None where they are not known yet."""
        self.card.show_words(filled, source)
        self.invite.setVisible(filled is None)

    def set_outdated(self, outdated: bool) -> None:
        super().set_outdated(outdated)
        self.card.set_outdated(outdated)

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        self.model.show_model(f"{card.name} fills in")
