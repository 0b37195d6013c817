"""The right side of the follow-on page: whether the second passage continues the first."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from app.core import wording
from app.core.models import ModelCard
from app.core.results import FollowOn
from app.ui.heads.paper_term import PaperTerm
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.card_foot import CardFoot
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.theme import Theme, mark

_INVITE = "Two passages: does the second come right after the first, or from somewhere else?"
_READY = "Ctrl+Enter tells whether the second continues the first."
# The least probability of a definite outcome: what wording.likelihood calls likely.
_DECIDED = 0.7
_CUT = (
    "The first passage is longer than the model reads: its end was read.",
    "The second passage is longer than the model reads: its beginning was read.",
)


def outcome(item: FollowOn) -> tuple[str, str, str]:
    """The outcome in large words, its likelihood, and a sentence that explains it."""
    continues, sure = item.probability >= 0.5, max(item.probability, 1 - item.probability)
    where = "coming right after the first" if continues else "being from somewhere else"
    if sure < _DECIDED:
        words = "It may continue" if continues else "It may not"
        return words, f"Undecided, {wording.percent(sure)}", f"The model leans to the second passage {where}."
    words = "It continues" if continues else "It does not"
    relation = "what comes right after the first" if continues else "one from somewhere else"
    return words, wording.likely(sure), f"The model takes the second passage for {relation}."


def signed(value: float) -> str:
    """A logit with its sign as text: "+3.21", "−2.14"."""
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


class FollowCard(QFrame):
    """One pair's outcome as a card; greyed if it belongs to earlier passages. `look_asked` is sent by its button."""

    look_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._words, self._sure, self._sentence = QLabel(), QLabel(), QLabel()
        self.bars = ScoreBars(theme)
        self.bars.setAccessibleName("Probabilities")
        self._logits, self._cut = QLabel(), QLabel()
        for label in (self._words, self._sure, self._sentence, self._logits, self._cut):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.foot = CardFoot(theme)
        self.foot.look_asked.connect(self.look_asked)
        layout = QVBoxLayout(self)
        for widget in (self._words, self._sure, self._sentence):
            layout.addWidget(widget)
        layout.addWidget(self.bars)
        for label in (self._logits, self._cut):
            layout.addWidget(label)
        layout.addWidget(self.foot)
        self.setProperty("kind", "card")
        self.setAccessibleName("Whether it continues")
        mark(self._words, type="winner")
        mark(self._sure, type="strong")
        mark(self._logits, self._cut, type="small", ink="quiet")
        # The bars leave room for their focus ring: everything else is aligned with their text.
        for part in (self._words, self._sure, self._sentence, self._logits, self._cut, self.foot):
            theme.in_steps(part.setContentsMargins, 1, 0, 1, 0)
        theme.space(layout, 2, (3, 4, 3, 4))

    def show_item(self, item: FollowOn, source: str) -> None:
        """Show an outcome; `source` names the model, the device and the time."""
        words, sure, sentence = outcome(item)
        self._words.setText(words)
        self._sure.setText(sure)
        self._sentence.setText(sentence)
        continues = item.probability >= 0.5
        rows = (("Continues", item.probability, continues), ("Does not", 1 - item.probability, not continues))
        self.bars.set_rows(tuple(ScoreRow(name, p, wording.percent(p), best) for name, p, best in rows))
        first, second = map(signed, item.logits)
        self._logits.setText(f"Logits: {first} continues, {second} does not")
        cut = "\n".join(line for line, is_cut in zip(_CUT, item.cut, strict=True) if is_cut)
        self._cut.setText(cut)
        self._cut.setVisible(bool(cut))
        self.foot.show_source(source)
        self.setAccessibleDescription(f"{words}. {sure}. {sentence}")

    def set_outdated(self, outdated: bool) -> None:
        """Grey the outcome of earlier passages."""
        self.bars.setEnabled(not outdated)
        certain = self._words.text() == "It continues" and "Very" in self._sure.text()
        for label in (self._words, self._sentence):
            mark(label, ink="quiet" if outdated else "")
        mark(self._sure, ink="quiet" if outdated else "likely" if certain else "")

    def text(self) -> str:
        """The outcome as a line of text."""
        return f"{self._words.text()} ({self._sure.text()})"


class FollowPanel(TextPanel):
    """The Swap and main buttons, and the outcome's card."""

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
        """Show the invitation while there is no text; `ready` if both papers have text."""
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
