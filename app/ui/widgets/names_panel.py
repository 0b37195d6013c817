"""The right side of the page that finds names: the button, how far it is, the types and the names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.core.models import ModelCard
from app.core.results import Entity
from app.ui.theme import Theme
from app.ui.widgets.joining_choice import JoiningChoice
from app.ui.widgets.look_button import LookButton
from app.ui.widgets.model_line import ModelLine
from app.ui.widgets.name_legend import NameLegend
from app.ui.widgets.name_list import NameList
from app.ui.widgets.name_model import NameRow, name_rows
from app.ui.widgets.name_styles import NameStyle, styles_of
from app.ui.widgets.notice import Notice
from app.ui.widgets.paper_term import PaperTerm
from app.ui.widgets.progress_strip import ProgressStrip
from app.ui.widgets.sample_list import SampleList

_INVITE = "People, places and other names light up in the text, each type in its own look. A long text is read whole."
_NONE = "No names were found in this text."
_OUTDATED = "The text was changed since. Ctrl+Enter finds its names."


class NamesPanel(QFrame):
    """Find, progress, faults; the types with their ticks, the names below; or samples on an empty page.

    `save_asked` carries the key of a format, `shown_types_changed` comes when a tick was set or taken away.
    """

    run_asked = Signal()
    stop_asked = Signal()
    open_asked = Signal()
    sample_chosen = Signal(int)
    save_asked = Signal(str)
    copy_asked = Signal()
    look_asked = Signal()
    shown_types_changed = Signal()

    def __init__(self, theme: Theme, formats: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._theme = theme
        self._entities: tuple[Entity, ...] | None = None
        self._styles: tuple[NameStyle, ...] = ()
        self._rows: tuple[NameRow, ...] = ()
        self._empty = True
        self.opening = self._button("Open…", "Open a file", "Open a file  (Ctrl+O)", self.open_asked)
        self.button = self._button("Find names", "Find names", "Find names  (Ctrl+Enter)", self.run_asked)
        self.button.setProperty("kind", "primary")
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop_asked)
        self.notice = Notice(theme)
        self._outdated = self._quiet(_OUTDATED)
        self.legend = NameLegend(theme)
        self.legend.changed.connect(self._types_changed)
        self.list = NameList(theme)
        self.list.copy_asked.connect(self.copy_asked)
        self._invite = self._quiet(_INVITE)
        self.samples = SampleList(theme, "Try one of these")
        self.samples.chosen.connect(self.sample_chosen)
        self.look = LookButton(theme)
        self.look.clicked.connect(self.look_asked)
        self.copy = self._button(
            "Copy", "Copy the names", "Copy the names as a table  (Ctrl+C)", self.copy_asked
        )
        self.save = self._button("Save as", "Save the names", "Save the names  (Ctrl+S)", None)
        self.save.setMenu(self._save_menu(formats))
        self.joining = JoiningChoice(theme)
        self._about = PaperTerm(
            theme,
            "Every word gets a tag that says whether a name of some type begins or goes on there.",
            "Token classification, BERT section 5.3.",
        )
        self.model = ModelLine(theme)
        self._deeds = QWidget()
        self._lay_out()
        self.setProperty("kind", "panel")
        theme.changed.connect(self._restyle)
        self._restyle()
        self._outdated.hide()
        self._arrange()

    # What is shown

    def set_empty(self, empty: bool) -> None:
        """Invite while there is no text; what was found of another one goes."""
        self._empty = empty
        if empty:
            self.show_names(None, ())
        self._arrange()

    def show_names(self, entities: tuple[Entity, ...] | None, labels: Sequence[str]) -> None:
        """Show names of these types; None for a text in which none were looked for yet."""
        self._entities = entities
        if entities is not None:
            self._styles = styles_of(labels)
            self.legend.set_styles(self._styles)
            self.legend.set_counts(Counter(entity.label for entity in entities))
        self._rows = name_rows(entities or (), self._styles)
        self._show_rows()
        self._outdated.hide()
        self._arrange()

    def set_outdated(self, outdated: bool) -> None:
        """Say that what is shown belongs to an earlier text."""
        self._outdated.setVisible(outdated and self._entities is not None)
        self.list.setEnabled(not outdated)
        self._deeds.setEnabled(not outdated)

    def styles(self) -> tuple[NameStyle, ...]:
        """How the types look."""
        return self._styles

    def set_complete(self, complete: bool) -> None:
        """Whether the text was read whole: only then is every word's tag known."""
        for action in self.save.menu().actions():
            action.setEnabled(complete or action.data() != "conll")

    @property
    def side(self) -> QWidget:
        """The panel itself."""
        return self

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""
        self.samples.set_titles(titles, "paste")

    @Slot(object)
    def show_model(self, card: ModelCard) -> None:
        """Say which model finds names."""
        self.model.show_model(f"{card.name} finds the names")

    # Parts

    @Slot()
    def _types_changed(self) -> None:
        self._show_rows()
        self.shown_types_changed.emit()

    def _show_rows(self) -> None:
        hidden = self.legend.hidden()
        self.list.set_rows([row for row in self._rows if row.style.number not in hidden])

    def _arrange(self) -> None:
        found = self._entities is not None
        self.legend.setVisible(bool(self._entities))
        self.list.setVisible(bool(self._entities))
        self._deeds.setVisible(bool(self._entities))
        self._invite.setText(_NONE if found else _INVITE)
        self._invite.setVisible(not self._entities)
        self.samples.setVisible(self._empty)
        self.joining.setVisible(not self._empty)
        self._space.setVisible(not self._entities)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.opening)
        top.addStretch(1)
        top.addWidget(self.button)
        deeds = QHBoxLayout(self._deeds)
        deeds.setContentsMargins(0, 0, 0, 0)
        deeds.addWidget(self.look)
        deeds.addStretch(1)
        deeds.addWidget(self.copy)
        deeds.addWidget(self.save)
        self._deeds_row = deeds
        self._space = QWidget()
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(top)
        lines: tuple[QWidget, ...]
        lines = (self.strip, self.notice, self._outdated, self.legend, self._invite, self.samples)
        for line in lines:
            self._layout.addWidget(line)
        self._layout.addWidget(self.list, 1)
        self._layout.addWidget(self._space, 1)
        for below in (self._deeds, self.joining, self._about, self.model):
            self._layout.addWidget(below)

    def _save_menu(self, formats: Sequence[tuple[str, str]]) -> QMenu:
        menu = QMenu(self.save)
        for key, title in formats:
            action = QAction(f"{title}…", menu)
            action.setData(key)
            action.triggered.connect(self._save_chosen)
            menu.addAction(action)
        return menu

    @Slot()
    def show_formats(self) -> None:
        """Offer the formats that names can be saved in, where there are any names."""
        if self.save.isVisible() and self.save.isEnabled():
            self.save.showMenu()

    @Slot()
    def _save_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.save_asked.emit(action.data())

    def _button(self, text: str, name: str, tip: str, signal: SignalInstance | None) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        if signal is not None:
            button.clicked.connect(signal)
        return button

    def _quiet(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("ink", "quiet")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        edge = theme.step(4.5)
        self._layout.setContentsMargins(edge, edge, edge, theme.step(3))
        self._layout.setSpacing(theme.step(3))
        self._deeds_row.setSpacing(theme.step(2))
        self._outdated.setFont(theme.font("small"))
        for button, icon in (
            (self.opening, "open"),
            (self.copy, "copy"),
            (self.save, "save"),
        ):
            button.setIcon(theme.icon(icon))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
