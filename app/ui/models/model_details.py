"""The page of one installed model: what it does and for whom, its facts, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton

from app.core.reliability import Reliability
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme
from app.ui.models.model_sheet import ModelSheet, rule
from app.ui.models.model_uses import ModelUses, Use
from app.ui.models.reliability import ReliabilityCard
from app.ui.models.removal_card import RemovalCard


@dataclass(frozen=True, slots=True)
class Deeds:
    """What can be done with a model; `kept` says why it cannot be removed, empty where it can."""

    measure: bool = True
    look: bool = True
    again: bool = False
    kept: str = ""


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
        self.uses.asked.connect(self.use_asked)
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
        self._kept = QLabel()
        self._kept.setProperty("ink", "quiet")
        self._kept.setWordWrap(True)
        self._rules = (rule(), rule())
        self._deeds = Deeds()
        for part in (self.fault, self.notice, self.uses, self._rules[0], self.facts, self.reliability):
            self.put(part)
        self.put(self._rules[1])
        self.put(self._buttons)
        for part in (self._kept, self.removal, self.strip):
            self.put(part)
        self.end()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(
        self,
        title: str,
        beside: str,
        line: str,
        uses: Sequence[Use],
        facts: Sequence[Fact],
        deeds: Deeds,
        reliability: Reliability | None = None,
    ) -> None:
        """Show a model; whether another one is to be removed is asked no longer."""
        if title != self.title() or deeds != self._deeds:
            self.removal.hide()
            self.notice.clear()
        self._deeds = deeds
        self.fault.clear()
        self.set_title(title, beside, line)
        self.uses.set_uses(uses)
        self.uses.setVisible(bool(uses))
        self._rules[0].setVisible(bool(uses))
        self.facts.set_facts(facts)
        self.reliability.show_bins(reliability or {})
        self.measure.setVisible(deeds.measure)
        self.look.setVisible(deeds.look)
        self.again.setVisible(deeds.again)
        self.remove.setVisible(not deeds.kept)
        self._kept.setText(deeds.kept)
        self._kept.setVisible(bool(deeds.kept))

    def ask_removal(self, name: str, told: str, cached: int) -> None:
        """Ask below the buttons whether the model is to go, in sight whole."""
        self.removal.ask(name, told, cached)
        # Where it stands is known once everything has been laid out anew.
        QTimer.singleShot(0, self._to_removal)

    @Slot()
    def _to_removal(self) -> None:
        self.ensureWidgetVisible(self.removal)
        self.ensureWidgetVisible(self.removal.keep)

    def go_in(self) -> None:
        """Put the keyboard focus on the first thing to do."""
        for button in (*self.uses.findChildren(QPushButton), *(button for button, _ in self._icons)):
            if button.isVisibleTo(self):
                button.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._kept.setFont(theme.font("small"))
        self._buttons.setSpacing(theme.step(2))
        for button, icon in self._icons:
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
