"""The page of one model, and that of an installed one with its uses, its facts and its actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLayout, QPushButton, QWidget

from app.core import wording
from app.core.measures import MEASURED
from app.core.message import Message
from app.core.models import SHOWN_HEADS, Head, ModelCard
from app.core.offers import Source
from app.ui.kit.boxes import column, flow, row, turn
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.flow_text import FlowText
from app.ui.kit.notice import Notice
from app.ui.kit.parts import IconLabel, Scrolling, as_tip, plain_label, push_button, rule
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr
from app.ui.models.inventory import BrokenModel, Inventory, Use
from app.ui.models.reliability import ReliabilityCard
from app.ui.models.words import origin_in_words, subtitle

STARTER_STAYS = Message("It comes with Spanlight and cannot be removed.")
_MOST_WIDE = 170


class ModelSheet(Scrolling):
    """The page of a model: a column at reading width with a title, a quiet line and a sentence; `put` adds the rest."""

    def __init__(self, theme: Theme) -> None:
        ground = QFrame()
        ground.setProperty("kind", "panel")
        super().__init__(ground)
        self._theme = theme
        self._title = FlowText(theme, "answer", spacing=1.1)
        self._subtitle = plain_label(type="small", ink="quiet", selectable=True)
        self._line = plain_label()
        self._middle = QWidget()
        names = column(theme, self._title, self._subtitle, gap=0.5)
        self._column = column(theme, names, self._line, gap=4, parent=self._middle)
        # Not by alignment, which would not take the wrapped text's height for this width.
        row(theme, (self._middle, 1000), 1, margins=(8, 7, 8, 8), parent=ground)
        theme.in_steps(self._middle.setMaximumWidth, _MOST_WIDE)

    def set_title(self, title: str, subtitle: str, line: str) -> None:
        """Set the model's name, its origin, and a one-line description."""
        if title != self._title.text():
            self.verticalScrollBar().setValue(0)
        self._title.set_text(title)
        for label, words in ((self._subtitle, subtitle), (self._line, line)):
            label.setText(words)
            label.setVisible(bool(words))

    def title(self) -> str:
        """The shown name."""
        return self._title.text()

    def put(self, *parts: QWidget | QLayout) -> None:
        """Add widgets and rows at the end; the room below them stays empty."""
        for part in parts:
            if isinstance(part, QWidget):
                self._column.addWidget(part)
            else:
                self._column.addLayout(part)
        self._column.addStretch(1)


class _UseRow(QFrame):
    """One head's row: its task, and at the right, or below it in a narrow window, whether the model is used for it."""

    def __init__(self, theme: Theme, use: Use, *, primary: bool) -> None:
        super().__init__()
        self._plain = plain_label(use.plain, type="strong")
        self._term = plain_label(use.term, type="small", ink="quiet")
        self._words = column(theme, self._plain, self._term)
        sign = IconLabel(theme, theme.icon("check", "likely"), 4.5)
        reason = "" if use.chosen else tr("Spanlight’s choice")
        if use.only_model:
            reason = tr("the only one that can")
        used = plain_label(tr("Used for {page}", page=use.page), type="strong", ink="likely", wrap=False)
        why = plain_label(reason, type="small", ink="quiet", wrap=False)
        left = Qt.AlignmentFlag.AlignLeft
        labels = column(theme, (used, 0, left), (why, 0, left))
        action = tr("Let Spanlight choose") if use.chosen else ""
        if not use.used:
            action = tr("Use for {page}", page=use.page)
        self.button = push_button(theme, action, kind="link" if use.used else "primary" if primary else "")
        # The stretch takes the remaining width when it is below; at the right there is none.
        self._status = row(theme, sign, labels, 1, gap=2)
        self._row = row(theme, self._status, (self.button, 0, left), gap=2)
        self._whole = row(theme, (self._words, 1), self._row, gap=2, parent=self)
        for part in (sign, used, why):
            part.setHidden(not use.used or (part is why and not reason))
        self.button.setHidden(use.used and (use.only_model or not use.chosen))
        theme.changed.connect(self._turn)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest part; the height is the layout's."""
        parts = (self._words.minimumSize(), self._status.minimumSize(), self.button.minimumSizeHint())
        return QSize(max(part.width() for part in parts), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    @Slot()
    def _turn(self) -> None:
        """Place the use at the right of the task, or below it."""
        gap, button = self._whole.spacing(), 0
        if not self.button.isHidden():
            button = gap + self.button.sizeHint().width()
        status = self._status.sizeHint().width() + button
        turn(self._row, beside=self.width() >= status)
        # Widths on one line each: the size hint of a wrapping label is for wrapped text.
        labels = (self._plain, self._term)
        words = max(label.fontMetrics().horizontalAdvance(label.text()) for label in labels)
        turn(self._whole, beside=self.width() >= words + gap + status)


class ModelUses(QFrame):
    """A row for each head. `use_requested` carries a head and whether the shown model is to be used for it."""

    use_requested = Signal(object, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._uses: tuple[Use, ...] = ()
        self._rows: list[_UseRow] = []
        self._column = column(theme, gap=3, parent=self)
        self.setAccessibleName(tr("What it does"))
        self.hide()

    def set_uses(self, uses: Sequence[Use]) -> None:
        """Show these uses; the keyboard focus stays on a button of theirs."""
        if tuple(uses) == self._uses:
            return
        focused = self.isAncestorOf(self.window().focusWidget() or self)
        before = self._rows
        self._uses = tuple(uses)
        first = next((at for at, use in enumerate(uses) if not use.used), -1)
        self._rows = [_UseRow(self._theme, use, primary=at == first) for at, use in enumerate(uses)]
        for each, use in zip(self._rows, uses, strict=True):
            each.button.clicked.connect(partial(self.use_requested.emit, use.head, not use.used))
            self._column.addWidget(each)
            each.show()  # at once: a hidden widget cannot take the keyboard focus
        if focused:
            button = next((each.button for each in self._rows if not each.button.isHidden()), None)
            if button is not None:
                button.setFocus(Qt.FocusReason.OtherFocusReason)
        for each in before:
            each.hide()
            each.deleteLater()
        self.setVisible(bool(uses))


class RemovalCard(QFrame):
    """Asks whether to remove a model, says what follows from that, and offers to delete its files in the shared cache.

    `confirmed` carries whether these are to be deleted too; `cancelled` is sent when the model is to be kept.
    """

    confirmed = Signal(bool)
    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._question, self._consequences = plain_label(type="strong"), plain_label()
        self.cache = QCheckBox()
        self.keep = push_button(theme, tr("Keep it"))
        self.remove = push_button(theme, tr("Remove"), kind="danger")
        parts = (self._question, self._consequences, self.cache, flow(theme, self.remove, self.keep))
        column(theme, *parts, gap=2, margins=(4, 4, 4, 4), parent=self)
        self.setProperty("kind", "fault")
        self.remove.clicked.connect(self._confirmed)
        self.keep.clicked.connect(self.withdraw)
        self.hide()

    def ask(self, name: str, consequences: str, cached: int) -> None:
        """Ask about the model of this name; `cached` is the number of its bytes in the Hugging Face cache."""
        self._question.setText(tr("Remove {model}?", model=name))
        self._consequences.setText(consequences)
        self._consequences.setVisible(bool(consequences))
        self.cache.setText(tr("Also from the Hugging Face cache (frees {size})", size=wording.size(cached)))
        self.cache.setToolTip(as_tip(tr("Other programs on this computer may use the same files")))
        self.cache.setChecked(False)
        self.cache.setVisible(cached > 0)
        self.setAccessibleName(self.words())
        self.show()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def words(self) -> str:
        """The question and the consequences."""
        return f"{self._question.text()} {self._consequences.text()}".strip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.withdraw()
            return
        super().keyPressEvent(event)

    @Slot()
    def _confirmed(self) -> None:
        self.hide()
        self.confirmed.emit(self.cache.isChecked())

    @Slot()
    def withdraw(self) -> None:
        """Take the question back: the model is kept."""
        self.hide()
        self.cancelled.emit()


class ModelDetails(ModelSheet):
    """The page of an installed model, or of one that cannot be used."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.fault = Notice(theme, closable=False)
        self.notice = Notice(theme)
        self.uses = ModelUses(theme)
        self.removal = RemovalCard(theme)
        self.strip = ProgressStrip(theme)
        self.facts = FactsGrid(theme)
        self.reliability = ReliabilityCard(theme)
        self.again = push_button(theme, tr("Download again…"), icon="save")
        self.measure = push_button(
            theme, tr("Measure…"), icon="check", tip=tr("How good it is on questions with known answers")
        )
        self.look = push_button(theme, tr("Look inside"), icon="inspect")
        self.folder = push_button(theme, tr("Show in folder"), icon="open")
        self.remove = push_button(theme, tr("Remove…"), icon="delete", tip=tr("Remove  (Del)"))
        self._buttons = (self.again, self.measure, self.look, self.folder, self.remove)
        self._removal_note = plain_label(STARTER_STAYS, type="small", ink="quiet")
        self._rule = rule()
        self._shown: tuple[type, str] | None = None
        self.put(
            self.fault, self.notice, self.uses, self._rule, self.facts, self.reliability, rule(),
            flow(theme, *self._buttons), self._removal_note, self.removal, self.strip,
        )  # fmt: skip

    def show_model(self, model: ModelCard | BrokenModel, inventory: Inventory) -> None:
        """Show a model; a question about removing another one is withdrawn."""
        shown = type(model), model.folder
        if shown != self._shown:
            self.removal.hide()
            self.notice.hide()
        self._shown = shown
        heads: tuple[Head, ...] = ()
        is_starter = can_be_fetched = False
        if isinstance(model, BrokenModel):
            self.set_title(model.name, "", "")
            self.fault.show_fault(model.sentence, model.hint)
            source, tip = origin_in_words(None, model.origin)
            self.facts.set_facts([Fact(tr("Came from"), source, tip), Fact(tr("Folder"), model.folder)])
            self.reliability.show_bins({})
            can_be_fetched = model.origin is not None and bool(model.origin.repository)
        else:
            heads, is_starter = model.heads, model.source == Source.STARTER
            self.set_title(model.title, subtitle(model), model.description)
            self.fault.hide()
            self.facts.set_facts(inventory.facts_of(model))
            self.reliability.show_bins(model.reliability, inventory.verdicts[model.folder])
        self.uses.set_uses(inventory.uses_of(model) if isinstance(model, ModelCard) else ())
        self._rule.setVisible(bool(heads))
        self.again.setVisible(can_be_fetched)
        self.measure.setVisible(any(head in MEASURED for head in heads))
        self.look.setVisible(any(head in SHOWN_HEADS for head in heads))
        self.remove.setVisible(not is_starter)
        self._removal_note.setVisible(is_starter)

    def ask_removal(self, name: str, consequences: str, cached: int) -> None:
        """Ask below the buttons whether to remove the model, scrolled into view."""
        self.removal.ask(name, consequences, cached)
        # Its position is known once everything has been laid out again.
        QTimer.singleShot(0, self._to_removal)

    @Slot()
    def _to_removal(self) -> None:
        self.ensureWidgetVisible(self.removal)
        self.ensureWidgetVisible(self.removal.keep)

    @Slot()
    def go_in(self) -> None:
        """Put the keyboard focus on the first action."""
        for button in (*self.uses.findChildren(QPushButton), *self._buttons):
            if button.isVisibleTo(self):
                button.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return
