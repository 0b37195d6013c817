"""The line that says what is looked into: the text or question, what the model does, and the model."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.core.models import ModelCard
from app.ui.kit.status_line import ElidedLabel
from app.ui.kit.theme import Theme


class LookedBar(QFrame):
    """What is looked into, and a choice among the models that could do it.

    `model_chosen` carries the folder of the model that a person picked; `others_asked` wants the samples back.
    """

    model_chosen = Signal(str)
    others_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title, self._head = ElidedLabel(), ElidedLabel()
        self._head.setProperty("ink", "quiet")
        self._by = QLabel("Model")
        self._by.setProperty("ink", "quiet")
        self.models = QComboBox()
        self.models.setAccessibleName("Model that is looked into")
        self.models.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.models.activated.connect(self._picked)
        self._others = QPushButton("Other examples")
        self._others.setAccessibleName("Other examples")
        self._others.clicked.connect(self.others_asked)
        words = QVBoxLayout()
        words.addWidget(self._title)
        words.addWidget(self._head)
        self._words = words
        self._row = QHBoxLayout(self)
        self._row.addLayout(words, 1)
        for widget in (self._by, self.models, self._others):
            self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setProperty("kind", "frame")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_subject(self, title: str, plain: str, term: str) -> None:
        """Say what is looked at and what the head does; the models are not known yet."""
        self._title.set_whole(title)
        self._head.set_whole(f"{plain} · {term}")
        self.models.setEnabled(False)
        self.setAccessibleName(f"{title}. {self._head.whole()}")

    def show_models(self, models: tuple[ModelCard, ...]) -> None:
        """Offer these, the first one being at work."""
        self.models.clear()
        for card in models:
            self.models.addItem(card.name, card.folder)
        self.models.setEnabled(len(models) > 1)
        self.models.setToolTip(models[0].description if models else "")

    def title(self) -> str:
        """What is said to be looked at."""
        return self._title.whole()

    @Slot(int)
    def _picked(self, index: int) -> None:
        self.model_chosen.emit(self.models.itemData(index))

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("answer"))
        for label in (self._head, self._by):
            label.setFont(theme.font("small"))
        self._others.setIcon(theme.icon("paste"))
        self._others.setIconSize(QSize(theme.step(4), theme.step(4)))
        self._words.setSpacing(theme.step(0.5))
        self._row.setContentsMargins(theme.step(6), theme.step(3), theme.step(6), theme.step(2.5))
        self._row.setSpacing(theme.step(3))
