"""The page of one installed model: its uses, its facts, and its actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QPushButton, QVBoxLayout

from app.core import wording
from app.core.reliability import Reliability
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.models.model_sheet import ModelSheet, rule
from app.ui.models.model_uses import ModelUses, Use
from app.ui.models.reliability import ReliabilityCard


class RemovalCard(QFrame):
    """The question, the consequences of removing, a check box for the shared cache, Keep it and Remove.

    `confirmed` carries whether its files are to be deleted from the cache too; `cancelled` is sent to keep the model.
    """

    confirmed = Signal(bool)
    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._question, self._consequences = QLabel(), QLabel()
        for label in (self._question, self._consequences):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.cache = QCheckBox()
        self.keep = QPushButton("Keep it")
        self.remove = QPushButton("Remove")
        mark(self.remove, kind="danger")
        self._buttons = FlowRow()
        for button in (self.remove, self.keep):
            button.setAccessibleName(button.text())
            self._buttons.add(button)
        self._column = QVBoxLayout(self)
        for part in (self._question, self._consequences, self.cache):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)
        self.setProperty("kind", "fault")
        self.remove.clicked.connect(self._confirmed)
        self.keep.clicked.connect(self._cancel)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def ask(self, name: str, consequences: str, cached: int) -> None:
        """Ask about a model; `cached` is the number of its bytes in the Hugging Face cache."""
        self._question.setText(f"Remove {name}?")
        self._consequences.setText(consequences)
        self._consequences.setVisible(bool(consequences))
        frees = wording.size(cached)
        self.cache.setText(f"Also from the Hugging Face cache (frees {frees})")
        self.cache.setToolTip("Other programs on this computer may use the same files")
        self.cache.setChecked(False)
        self.cache.setVisible(cached > 0)
        self.setAccessibleName(f"Remove {name}? {consequences}")
        self.show()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def words(self) -> str:
        """The question and the consequences."""
        return f"{self._question.text()} {self._consequences.text()}".strip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc keeps the model."""
        if event.key() == Qt.Key.Key_Escape:
            self._cancel()
            return
        super().keyPressEvent(event)

    @Slot()
    def _confirmed(self) -> None:
        self.hide()
        self.confirmed.emit(self.cache.isChecked())

    @Slot()
    def _cancel(self) -> None:
        self.hide()
        self.cancelled.emit()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._question.setFont(theme.font("strong"))
        edge = theme.step(4)
        self._column.setContentsMargins(edge, edge, edge, edge)
        self._column.setSpacing(theme.step(2))
        self._buttons.setSpacing(theme.step(2))


@dataclass(frozen=True, slots=True)
class CardActions:
    """The actions available for a model; `removal_blocked` is why it cannot be removed, empty if it can."""

    measure: bool = True
    look: bool = True
    again: bool = False
    removal_blocked: str = ""


class ModelDetails(ModelSheet):
    """One installed model, or one that cannot be used.

    `use_asked` carries a head and whether the model is to be used for it; `measure_asked`, `look_asked`,
    `folder_asked`, `remove_asked` and `again_asked` (to download it once more) are sent by their buttons.
    """

    use_asked = Signal(object, bool)
    measure_asked = Signal()
    look_asked = Signal()
    folder_asked = Signal()
    remove_asked = Signal()
    again_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.fault = Notice(theme, closable=False)
        self.notice = Notice(theme)
        self.uses = ModelUses(theme)
        self.uses.use_requested.connect(self.use_asked)
        self.removal = RemovalCard(theme)
        self.strip = ProgressStrip(theme)
        self.facts = FactsGrid(theme)
        self.reliability = ReliabilityCard(theme)
        self.measure = QPushButton("Measure…")
        self.measure.setToolTip("How good it is on questions with known answers")
        self.look = QPushButton("Look inside")
        self.folder = QPushButton("Show in folder")
        self.again = QPushButton("Download again…")
        self.remove = QPushButton("Remove…")
        self.remove.setToolTip("Remove  (Del)")
        self._buttons = FlowRow()
        self._icons = (
            (self.again, "save"), (self.measure, "check"), (self.look, "inspect"), (self.folder, "open"),
            (self.remove, "delete"),
        )  # fmt: skip
        signals = (
            self.again_asked, self.measure_asked, self.look_asked, self.folder_asked, self.remove_asked,
        )  # fmt: skip
        for (button, _), signal in zip(self._icons, signals, strict=True):
            button.setAccessibleName(button.text())
            button.clicked.connect(signal)
            self._buttons.add(button)
        self._removal_note = QLabel()
        self._removal_note.setProperty("ink", "quiet")
        self._removal_note.setWordWrap(True)
        self._rules = (rule(), rule())
        self._actions = CardActions()
        for part in (self.fault, self.notice, self.uses, self._rules[0], self.facts, self.reliability):
            self.put(part)
        self.put(self._rules[1])
        self.put(self._buttons)
        for part in (self._removal_note, self.removal, self.strip):
            self.put(part)
        self.end()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(
        self,
        title: str,
        subtitle: str,
        line: str,
        uses: Sequence[Use],
        facts: Sequence[Fact],
        actions: CardActions,
        reliability: Reliability | None = None,
    ) -> None:
        """Show a model; a question about removing another one is withdrawn."""
        if title != self.title() or actions != self._actions:
            self.removal.hide()
            self.notice.clear()
        self._actions = actions
        self.fault.clear()
        self.set_title(title, subtitle, line)
        self.uses.set_uses(uses)
        self.uses.setVisible(bool(uses))
        self._rules[0].setVisible(bool(uses))
        self.facts.set_facts(facts)
        self.reliability.show_bins(reliability or {})
        self.measure.setVisible(actions.measure)
        self.look.setVisible(actions.look)
        self.again.setVisible(actions.again)
        self.remove.setVisible(not actions.removal_blocked)
        self._removal_note.setText(actions.removal_blocked)
        self._removal_note.setVisible(bool(actions.removal_blocked))

    def ask_removal(self, name: str, consequences: str, cached: int) -> None:
        """Ask below the buttons whether to remove the model, scrolled into view."""
        self.removal.ask(name, consequences, cached)
        # Its position is known once everything has been laid out again.
        QTimer.singleShot(0, self._to_removal)

    @Slot()
    def _to_removal(self) -> None:
        self.ensureWidgetVisible(self.removal)
        self.ensureWidgetVisible(self.removal.keep)

    def go_in(self) -> None:
        """Put the keyboard focus on the first action."""
        for button in (*self.uses.findChildren(QPushButton), *(button for button, _ in self._icons)):
            if button.isVisibleTo(self):
                button.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._removal_note.setFont(theme.font("small"))
        self._buttons.setSpacing(theme.step(2))
        for button, icon in self._icons:
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
