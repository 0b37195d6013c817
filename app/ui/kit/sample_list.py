"""Samples to try with one click, on a page that is still empty."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.ui.kit.flow_text import FlowText
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr


class SampleButton(QPushButton):
    """A sample's title with its first question below."""

    def __init__(self, theme: Theme, title: str, question: str) -> None:
        super().__init__()
        mark(self, kind="sample")
        self.setAccessibleName(tr("Try the sample {title}: {question}", title=title, question=question))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._title = FlowText(theme, "strong")
        self._question = FlowText(theme, "small")
        self._words = title, question
        self._update_texts()
        column = QVBoxLayout(self)
        for part in (self._title, self._question):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(part)
        column.addStretch(1)
        theme.space(column, 0.5, (3, 2.5, 3, 2.5))
        theme.in_steps(self.setMinimumWidth, 36)

    def changeEvent(self, event: QEvent) -> None:
        """Use pale ink while the button is disabled."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._update_texts()

    def _update_texts(self) -> None:
        title, question = self._words
        self._title.set_text(title, role="ink" if self.isEnabled() else "ink_disabled")
        self._question.set_text(question, role="ink_quiet" if self.isEnabled() else "ink_disabled")


class SampleList(QFrame):
    """A heading and a button for each sample. `chosen` carries the index of the one clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, heading: str) -> None:
        super().__init__()
        self._theme = theme
        self._heading = plain_label(heading, type="small_strong", ink="quiet", wrap=False)
        self._buttons: list[QPushButton] = []
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self._heading)
        theme.space(self._layout, 2)

    def set_titles(
        self, titles: tuple[str, ...], icon: str = "document", before: QWidget | None = None
    ) -> None:
        """Offer these, in this order; Tab reaches them from `before`, if given."""
        for button in self._buttons:
            button.deleteLater()
        self._buttons = []
        for at, title in enumerate(titles):
            button = push_button(
                self._theme, title, kind="sample", name=tr("Try the sample: {title}", title=title)
            )
            button.setProperty("at", at)
            button.setIcon(self._theme.icon(icon))
            button.clicked.connect(self._clicked)
            self._layout.addWidget(button)
            self._buttons.append(button)
            if before is not None:
                QWidget.setTabOrder(before, button)
                before = button
        self._heading.setVisible(bool(titles))

    @Slot()
    def _clicked(self) -> None:
        self.chosen.emit(self.sender().property("at"))
