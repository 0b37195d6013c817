"""The page that predicts whether one passage continues another."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from app.core import wording
from app.core.inspection import Subject, Visit
from app.core.message import Message
from app.core.models import Head
from app.core.requests import PassagePairs
from app.core.results import FollowOn, FollowOns
from app.flows.heads.heads import follow
from app.flows.heads.kept import HeadResult, KeptResult
from app.flows.samples import FOLLOW
from app.flows.workspace import Workspace
from app.ui.document.find_bar import IN_FIND_BAR
from app.ui.document.text.text_editor import TextEditor
from app.ui.heads.text_page import TextPage
from app.ui.heads.text_panel import TextPanel, source_line
from app.ui.kit.boxes import column, turn
from app.ui.kit.chart import signed
from app.ui.kit.class_card import CardFoot
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_INVITE = Message("Two passages: does the second come right after the first, or from somewhere else?")
_READY = Message("Ctrl+Enter tells whether the second continues the first.")
# The least probabilities that wording calls likely, from which an outcome is definite, and very likely.
_LIKELY = 0.7
_VERY_LIKELY = 0.9
_CUT = (
    Message("The first passage is longer than the model reads: its end was read."),
    Message("The second passage is longer than the model reads: its beginning was read."),
)


def outcome(item: FollowOn) -> tuple[str, str, str]:
    """The outcome in large words, its likelihood, and a sentence that explains it."""
    continues, sure = item.probability >= 0.5, max(item.probability, 1 - item.probability)
    if sure < _LIKELY:
        undecided = tr("Undecided, {percent}", percent=wording.percent(sure))
        if continues:
            leans = tr("The model leans to the second passage coming right after the first.")
            return tr("It may continue"), undecided, leans
        leans = tr("The model leans to the second passage being from somewhere else.")
        return tr("It may not"), undecided, leans
    likely = localised(wording.likely(sure))
    if continues:
        takes = tr("The model takes the second passage for what comes right after the first.")
        return tr("It continues"), likely, takes
    return tr("It does not"), likely, tr("The model takes the second passage for one from somewhere else.")


class FollowCard(QFrame):
    """The card of a pair's outcome, greyed if it belongs to earlier passages."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._words, self._sure = plain_label(type="winner"), plain_label(type="strong")
        self._sentence = plain_label()
        self.bars = ScoreBars(theme)
        self.bars.setAccessibleName(tr("Probabilities"))
        self._logits, self._cut = (plain_label(type="small", ink="quiet") for _ in range(2))
        self.foot = CardFoot(theme)
        parts = (self._words, self._sure, self._sentence, self.bars, self._logits, self._cut, self.foot)
        column(theme, *parts, gap=2, margins=(3, 4, 3, 4), parent=self)
        self._very_likely = False
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("Whether it continues"))
        # The bars leave room for their focus ring: everything else is aligned with their text.
        for part in parts:
            if part is not self.bars:
                theme.in_steps(part.setContentsMargins, 1, 0, 1, 0)

    def show_item(self, item: FollowOn, source: str) -> None:
        """Show an outcome; `source` says which model found it, on what and how fast."""
        words, sure, sentence = outcome(item)
        self._words.setText(words)
        self._sure.setText(sure)
        self._sentence.setText(sentence)
        continues, self._very_likely = item.probability >= 0.5, item.probability >= _VERY_LIKELY
        rows = (
            (tr("Continues"), item.probability, continues),
            (tr("Does not"), 1 - item.probability, not continues),
        )
        self.bars.set_rows(
            tuple(ScoreRow(name, p, localised(wording.percent(p)), best) for name, p, best in rows)
        )
        first, second = map(signed, item.logits)
        self._logits.setText(tr("Logits: {first} continues, {second} does not", first=first, second=second))
        cut = "\n".join(localised(line) for line, is_cut in zip(_CUT, item.cut, strict=True) if is_cut)
        self._cut.setText(cut)
        self._cut.setVisible(bool(cut))
        self.foot.show_source(source)
        self.setAccessibleDescription(sentences(words, sure, sentence))

    def set_outdated(self, outdated: bool) -> None:
        """Set whether the outcome belongs to earlier passages: then it is greyed."""
        self.bars.setEnabled(not outdated)
        for label in (self._words, self._sentence):
            mark(label, ink="quiet" if outdated else "")
        mark(self._sure, ink="quiet" if outdated else "likely" if self._very_likely else "")

    def text(self) -> str:
        """The outcome as a line of text."""
        return f"{self._words.text()} ({self._sure.text()})"


class FollowPanel(TextPanel):
    """The buttons Swap and Does it follow?, and the card of the outcome."""

    ABOUT = (
        Message(
            "The model reads both passages together and says whether the second comes right after the first."
        ),
        Message("Next sentence prediction, BERT section 3.1, Task #2."),
    )
    MODEL = Message("{model} tells what follows")

    def __init__(self, theme: Theme) -> None:
        self.swap = push_button(
            theme, tr("Swap"), name=tr("Swap the passages"), tip=tr("Swap the passages  (Ctrl+T)")
        )
        tip = tr("Tell whether the second continues the first  (Ctrl+Enter)")
        button = push_button(theme, tr("Does it follow?"), tip=tip)
        self.card = FollowCard(theme)
        super().__init__(theme, self.swap, button, self.card)

    def show_text(self, *, empty: bool, ready: bool, known: bool) -> None:
        """Show the card if the outcome is `known`, else an invitation.

        `empty` if no paper has text, `ready` if both have.
        """
        self.set_inviting(empty)
        self.card.setVisible(known)
        self.invite.setText(_READY if ready else _INVITE)
        self.invite.setVisible(not known)

    def set_outdated(self, outdated: bool) -> None:
        super().set_outdated(outdated)
        self.card.set_outdated(outdated)

    def spoken(self) -> str:
        return self.card.accessibleDescription()


# The width in steps that two papers side by side need.
_SIDE_BY_SIDE = 170


class TwoPapers(QWidget):
    """The two text editors, `papers`, each below its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.papers = (
            TextEditor(theme, tr("First passage"), tr("Type or paste a passage, or drop a text file here.")),
            TextEditor(theme, tr("Second passage"), tr("And the one that may come right after it.")),
        )
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        for name, paper in zip((tr("First passage"), tr("Second passage")), self.papers, strict=True):
            label = plain_label(name, type="small_strong", ink="quiet", wrap=False)
            label.setBuddy(paper)
            theme.in_steps(paper.setMinimumWidth, 50)
            theme.in_steps(paper.setMinimumHeight, 30)
            self._layout.addLayout(column(theme, label, (paper, 1), gap=2), 1)
        theme.space(self._layout, 5, (6, 4, 6, 5))
        theme.changed.connect(self._turn)

    def focused(self) -> int:
        """The index of the paper with the keyboard focus; 0 if none has it."""
        focus = self.focusWidget()
        return int(focus is not None and self.papers[1].isAncestorOf(focus))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    @Slot()
    def _turn(self) -> None:
        turn(self._layout, beside=self.width() >= self._theme.step(_SIDE_BY_SIDE))


class FollowView(TextPage):
    """Two passages at the left; at the right how likely it is that the second continues the first."""

    KEY = "follow"
    TITLE = Message("Next sentence")
    ICON = "follow"
    SHORTCUTS = (
        ("Ctrl+Enter", Message("Tell whether the second passage follows")),
        ("Esc", Message("Stop")),
        ("Ctrl+T", Message("Swap the passages")),
        ("Ctrl+I", Message("Look inside: how the model came to it")),
        ("Ctrl+F", Message("Find in the passage")),
        IN_FIND_BAR,
        ("Ctrl+O", Message("Open a text file, or two")),
        ("Ctrl+L", Message("Go to the first passage")),
    )
    HEAD = Head.NEXT_SENTENCE
    SAMPLES = FOLLOW
    DRAFTS = ("follow-first", "follow-second")
    _panel: FollowPanel

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._desk = TwoPapers(theme)
        panel = FollowPanel(theme)
        panel.swap.clicked.connect(self._swap)
        panel.card.foot.look_requested.connect(self._look_inside)
        self.add_shortcuts(("Ctrl+T", self._swap))
        self.build(self._desk, self._desk.papers, panel)

    def paper_in_use(self) -> int:
        return self._desk.focused()

    @Slot()
    def run(self) -> None:
        """Predict whether the second passage continues the first, replacing a running flow."""
        self._panel.notice.hide()
        first, second = texts = self.texts()
        empty = [number for number, text in enumerate(texts) if not text.strip()]
        if empty:
            what = tr("The second passage is empty.") if empty[0] else tr("The first passage is empty.")
            self._panel.notice.show_hint(what, tr("It takes two: type or paste it."))
            self._papers[empty[0]].setFocus()
            return
        self.start(tr("Getting ready to read both passages"), follow, PassagePairs(((first, second),)))

    def result_note(self, result: HeadResult) -> str:
        return tr("Two passages read in {time}", time=wording.duration(result.seconds))

    def show_result(self, kept: KeptResult) -> None:
        result = kept.result
        assert isinstance(result, FollowOns)
        self._panel.card.show_item(result.items[0], source_line(result))

    @Slot()
    def refresh(self) -> None:
        texts, panel = self.texts(), self._panel
        known = self.kept is not None and any(texts)
        panel.show_text(empty=not any(texts), ready=all(text.strip() for text in texts), known=known)
        panel.set_outdated(known and self.is_outdated())

    @Slot()
    def _swap(self) -> None:
        shown, texts = self.kept, self.texts()
        for paper, text in zip(self._papers, reversed(texts), strict=True):
            if paper.text() != text:
                paper.replace(text)
        if shown is not None and shown.texts == texts:  # a user who has seen one order wants to see the other
            self.run()

    def visit(self) -> Visit | None:
        first, second = texts = self.texts()
        if not first.strip() or not second.strip():
            return None
        found = self.kept.result.model if self.kept is not None and self.kept.texts == texts else ""
        return Visit(Subject(Head.NEXT_SENTENCE, first, pair=second), found, wording.first_words(first))
