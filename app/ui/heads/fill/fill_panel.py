"""The right side of the page with blanks: the words for the chosen blank, and a field for any other word."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QStyle, QStyleOptionViewItem, QToolButton

from app.core import wording
from app.core.message import Message
from app.core.results import FilledBlank, Guess
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.boxes import column, row
from app.ui.kit.class_card import CardFoot
from app.ui.kit.parts import Button, Label, as_tip, plain_label, push_button
from app.ui.kit.row_list import RIGHT, Index, RowDelegate, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_INVITE = Message("Type a text with ___ where a word is missing, or select a word and make a blank of it.")
_NO_BLANK = Message(
    "There is no blank yet. Type ___ where a word is missing, or select a word and press Ctrl+B."
)


def _words(row: Guess) -> tuple[str, str, str]:
    likely = localised(wording.precise_percent(row.probability))
    return row.word, f"{row.word}, {likely}", f"{row.word}, {likely}"


class _WordDelegate(RowDelegate):
    """Paints a row: its key, the word, a bar and the probability; pale while `faded`."""

    MIRRORS = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, line=True)
        self.faded = False

    def row_height(self, index: Index) -> int:
        return self.line_height("quote") + self._theme.step(3)

    def draw(self, painter: QPainter, rect: QRectF, row: Guess, option: QStyleOptionViewItem) -> None:
        theme, step, at = self._theme, self._theme.step, option.index.row()
        if self.faded:
            option.state = QStyle.StateFlag.State_None
        self.draw_ground(painter, rect, option, bar=False)
        ink, quiet = ("ink_disabled",) * 2 if self.faded else ("ink", "ink_quiet")
        inner = rect.adjusted(step(2), 0, -step(2), 0)
        if at < 9:
            self.draw_text(painter, inner, str(at + 1), "small", quiet)
        left = inner.left() + QFontMetrics(theme.font("small")).horizontalAdvance("9") + step(3)
        self.draw_text(painter, inner, wording.precise_percent(row.probability), "ui", ink, RIGHT)
        right = inner.right() - painter.fontMetrics().horizontalAdvance("0.0001%") - step(2)
        wide = min(step(28), (right - left) * 0.45)
        bar = QRectF(right - wide, rect.center().y() - step(0.875), wide, step(1.75))
        faint, from_right = self.faded or at > 0, self.is_mirrored
        draw_bar(painter, theme, self.mirrored(bar), row.probability, faint=faint, from_right=from_right)
        place = QRectF(left, inner.top(), bar.left() - step(3) - left, inner.height())
        self.draw_text(painter, place, row.word, "quote", ink)


class WordList(RowList):
    """Rows of words, the likeliest first. `picked` carries the index of the one picked by click, Enter or digit.

    `undo_requested` and `redo_requested` pass these keys on to the text editor; Ctrl+C copies the rows, with tabs.
    """

    picked = Signal(int)
    undo_requested = Signal()
    redo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._delegate = _WordDelegate(theme)
        super().__init__(theme, tr("Words for the blank"), RowModel(_words), self._delegate)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._picked)

    def set_rows(self, rows: tuple[Guess, ...]) -> None:
        """Show these words in their order, the first one chosen."""
        self._model.take(rows)
        self.setAccessibleDescription(
            ", ".join(f"{r.word} {localised(wording.precise_percent(r.probability))}" for r in rows[:3])
        )
        if rows:
            self.setCurrentIndex(self._model.index(0))
        self.updateGeometry()

    def set_outdated(self, outdated: bool) -> None:
        """Set whether the words are greyed and cannot be picked; the keyboard focus stays."""
        self._delegate.faded = outdated
        self.viewport().update()

    def rows(self) -> tuple[Guess, ...]:
        """The shown rows."""
        return tuple(self._model.rows)

    def pick(self, row: int) -> None:
        """Pick a word as a click does, unless the words belong to an earlier text."""
        self._picked(self._model.index(row))

    def sizeHint(self) -> QSize:
        height = self._delegate.row_height(QModelIndex())
        return QSize(self._theme.step(50), max(1, len(self._model.rows)) * height + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(30), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit = event.key() - Qt.Key.Key_1
        if event.matches(QKeySequence.StandardKey.Copy):
            lines = (f"{row.word}\t{row.probability:.6g}" for row in self._model.rows)
            QGuiApplication.clipboard().setText("\n".join(lines))
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.undo_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redo_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~_KEYPAD:
            self._picked(self.currentIndex())
        elif 0 <= digit < min(9, len(self._model.rows)) and not event.modifiers() & ~_KEYPAD:
            self.pick(digit)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    @Slot(QModelIndex)
    def _picked(self, index: QModelIndex) -> None:
        if index.isValid() and not self._delegate.faded:
            self.picked.emit(index.row())


def describe_guess(guess: Guess) -> str:
    """The probability of a guess, as a sentence without its full stop."""
    if not guess.pieces:
        return tr("The model's vocabulary cannot spell this word")
    probability = wording.precise_percent(guess.probability)
    if not guess.rank:
        return tr(
            "{probability}, read as {pieces} pieces, one after the other",
            probability=probability, pieces=guess.pieces,
        )  # fmt: skip
    if guess.rank == 1:
        return tr("{probability}, the likeliest of all", probability=probability)
    return tr(
        "{probability}, number {rank:,} in the model's vocabulary", probability=probability, rank=guess.rank
    )


class WordQuestion(QFrame):
    """A `field` for any word, the button `ask`, and how likely the word is in the blank."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        label = Label(tr("How likely is …"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("any word"))
        self.field.setAccessibleName(tr("How likely is this word in the blank"))
        label.setBuddy(self.field)
        self.ask = push_button(theme, tr("Ask"), name=tr("Ask how likely the word is"))
        self.answer = plain_label(type="strong")
        column(theme, row(theme, label, (self.field, 1), self.ask, gap=2), self.answer, gap=2, parent=self)

    def word(self) -> str:
        """The typed word, without surrounding spaces."""
        return self.field.text().strip()

    def set_word(self, word: str) -> None:
        """Put a word into the field, unless it is there already."""
        if self.word() != word:
            self.field.setText(word)

    def show_answer(self, guess: Guess | None) -> None:
        """Show how likely the word in the field is, if the guess is for that word."""
        known = guess is not None and guess.word == self.word()
        self.answer.setVisible(known)
        self.answer.setText(describe_guess(guess) if guess is not None and known else "")


class BlankCard(QFrame):
    """A blank and its words, with the buttons `previous` and `next` to other blanks, and `back` for its hidden word."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._heading = plain_label(type="small_strong", wrap=False)
        self.previous = _arrow(theme, "up", tr("Go to the previous blank"), "Shift+F3")
        self.next = _arrow(theme, "down", tr("Go to the next blank"), "F3")
        self.words = WordList(theme)
        hint = tr("Click a word, or press Alt and its number.")
        self._hint = plain_label(hint, type="small", ink="quiet")
        self.question = WordQuestion(theme)
        self.back = Button()
        self.foot = CardFoot(theme, self.back)
        top = row(theme, (self._heading, 1), self.previous, self.next, gap=3)
        column(theme, top, self.words, self._hint, self.question, self.foot, gap=3, parent=self)
        self.setAccessibleName(tr("Words for the blank"))

    def show_blank(self, number: int, count: int, word: str) -> None:
        """Show the number of the blank, given from 0, and offer to restore its hidden word if it has one."""
        several = tr("Blank {number} of {count}", number=number + 1, count=count)
        self._heading.setText(several if count > 1 else tr("The blank"))
        for arrow in (self.previous, self.next):
            arrow.setVisible(count > 1)
        self.back.setVisible(bool(word))
        shown = word if len(word) <= 24 else word[:23].rstrip() + "…"
        self.back.setText(tr("Put “{word}” back", word=shown))
        self.back.setAccessibleName(tr("Put “{word}” back", word=word))

    def show_words(self, filled: FilledBlank | None, source: str) -> None:
        """Show the words found, none before a result; `source` says which model found them, on what and how fast."""
        guesses = filled.guesses if filled is not None else ()
        self.words.set_rows(guesses)
        self.words.setVisible(bool(guesses))
        self._hint.setVisible(bool(guesses))
        self.question.show_answer(filled.asked if filled is not None else None)
        self.foot.show_source(source)

    def set_outdated(self, outdated: bool) -> None:
        """Set whether the words belong to an earlier text: then they are greyed."""
        self.words.set_outdated(outdated)
        self._hint.setVisible(not outdated and bool(self.words.rows()))

    def spoken(self) -> str:
        """The likeliest words, for a screen reader."""
        return f"{self._heading.text()}: {self.words.accessibleDescription()}" if self.words.rows() else ""


def _arrow(theme: Theme, icon: str, name: str, keys: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(theme.icon(icon, "ink"))
    button.setAccessibleName(name)
    button.setToolTip(as_tip(f"{name}  ({keys})"))
    return button


class FillPanel(TextPanel):
    """The buttons Make a blank and Fill in, and the words for the chosen blank."""

    ABOUT = (
        Message(
            "Each blank is hidden from the model. From the words on both sides it says what may stand there."
        ),
        Message("Masked words, BERT section 3.1, Task #1."),
    )
    MODEL = Message("{model} fills in")

    def __init__(self, theme: Theme) -> None:
        tip = tr("Make a blank of the selected word  (Ctrl+B)")
        self.blank = push_button(theme, tr("Make a blank"), tip=tip)
        # The text keeps the focus, so that the selection stays visible.
        self.blank.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button = push_button(theme, tr("Fill in"), tip=tr("Fill in  (Ctrl+Enter)"))
        self.card = BlankCard(theme)
        super().__init__(theme, self.blank, button, self.card)

    def show_text(self, *, empty: bool, blanks: int) -> None:
        """Show the invitation while there is no text or no blank in it."""
        self.set_inviting(empty)
        self.card.setVisible(blanks > 0)
        ready = Message(
            "Ctrl+Enter finds the words for it.", "Ctrl+Enter finds the words for all {n} blanks.", n=blanks
        )
        self.invite.setText(_INVITE if empty else ready if blanks else _NO_BLANK)
        self.invite.setVisible(not (blanks and self.card.words.rows()))

    def show_words(self, filled: FilledBlank | None, source: str) -> None:
        """Show a blank's words; None if they are not known yet."""
        self.card.show_words(filled, source)
        self.invite.setVisible(filled is None)

    def set_outdated(self, outdated: bool) -> None:
        super().set_outdated(outdated)
        self.card.set_outdated(outdated)

    def spoken(self) -> str:
        return self.card.spoken()
