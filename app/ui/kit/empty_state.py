"""What an empty page, list or pane shows: a message, or samples to try with one click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QSizePolicy, QWidget

from app.ui.kit.boxes import column, row
from app.ui.kit.flow_text import FlowText
from app.ui.kit.parts import IconLabel, as_tip, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr


class EmptyState(QFrame):
    """An icon, a title, a few words, and optionally a button."""

    def __init__(self, theme: Theme, icon: str, *, kind: str = "panel") -> None:
        super().__init__()
        self.title, self._words = plain_label(type="answer"), plain_label(ink="quiet")
        self.button = push_button(theme)
        self.button.hide()
        for label in (self.title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        # Centred by stretches: with alignment, wrapped text would not get the height for its width.
        words = [row(theme, 1, (label, 1000), 1) for label in (self.title, self._words)]
        middle = Qt.AlignmentFlag.AlignHCenter
        sign = IconLabel(theme, theme.icon(icon), 10)
        button = (self.button, 0, middle)
        column(theme, 2, (sign, 0, middle), *words, button, 3, gap=3, margins=(8, 0, 8, 0), parent=self)
        self.setProperty("kind", kind)
        theme.in_steps(self._words.setMaximumWidth, 130)

    def show_message(
        self, title: str, words: str, action: str = "", *, primary: bool = True, tip: str = ""
    ) -> None:
        """Show a message; `action` is the button's label, empty for no button."""
        self.title.setText(title)
        self._words.setText(words)
        self.button.setText(action)
        self.button.setAccessibleName(self.button.text())
        self.button.setToolTip(as_tip(tip))
        self.button.setVisible(bool(action))
        mark(self.button, kind="primary" if primary else "")


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
        for part in (self._title, self._question):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column(theme, self._title, self._question, 1, gap=0.5, margins=(3, 2.5, 3, 2.5), parent=self)
        theme.in_steps(self.setMinimumWidth, 32)

    def changeEvent(self, event: QEvent) -> None:
        """Use pale ink while the button is disabled."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._update_texts()

    def _update_texts(self) -> None:
        title, question = self._words
        self._title.set_text(title, role="ink" if self.isEnabled() else "ink_disabled")
        self._question.set_text(question, role="ink_quiet" if self.isEnabled() else "ink_disabled")


class SampleGrid(QGridLayout):
    """A SampleButton for each sample, in columns of one width. `chosen` carries the index of the one clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._columns = 1
        self.buttons: list[SampleButton] = []
        theme.in_steps(self.setSpacing, 2)

    def offer(self, samples: Sequence[tuple[str, str]]) -> None:
        """Offer samples, each a title and the line below it."""
        for button in self.buttons:
            self.removeWidget(button)
            button.deleteLater()
        self.buttons = [SampleButton(self._theme, title, line) for title, line in samples]
        for at, button in enumerate(self.buttons):
            button.setProperty("at", at)
            button.clicked.connect(self._clicked)
        self._place()

    def set_columns(self, columns: int) -> None:
        """Set how many buttons are beside each other."""
        if columns != self._columns:
            self._columns = columns
            self._place()

    def _place(self) -> None:
        for at, button in enumerate(self.buttons):
            self.addWidget(button, at // self._columns, at % self._columns)
        for at in range(max(self._columns, self.columnCount())):
            self.setColumnStretch(at, int(at < self._columns))

    @Slot()
    def _clicked(self) -> None:
        self.chosen.emit(self.sender().property("at"))


class SampleList(QFrame):
    """A heading above a button for each sample. `chosen` carries the index of the one that was clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, heading: str) -> None:
        super().__init__()
        self._theme = theme
        self._heading = plain_label(heading, type="small_strong", ink="quiet", wrap=False)
        self._buttons: list[QPushButton] = []
        self._layout = column(theme, self._heading, gap=2, parent=self)

    def set_titles(
        self, titles: tuple[str, ...], icon: str = "document", before: QWidget | None = None
    ) -> None:
        """Offer samples with these titles; Tab reaches them after `before`, if given."""
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
