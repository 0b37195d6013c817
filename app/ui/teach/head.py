"""The head of the page Teach: which table it is, how many texts are labelled, what is being taught."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from app.core.labels import Dataset
from app.core.message import Message
from app.ui.kit.elided import ElidedButton
from app.ui.kit.file_dialog import ExportButton
from app.ui.kit.parts import caption, plain_label, push_button, rule
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

LABEL, TEXTS, FIGURES = "label", "texts", "figures"
# In steps.
_NARROW = 140
_ACTIONS = (
    (Message("New table…"), "new"), (Message("Labels…"), "labels"), (Message("Rename…"), "rename"),
    (Message("Use it on the page Classify"), "use"), (Message("Remove…"), "remove"),
)  # fmt: skip


class TeachHead(QFrame):
    """The name with its menu, how far it is, Teach and Export; the parts of the page below.

    `chosen` carries a data set's number, `acted` the key of a menu's entry, `exported` the ending of a format, `part`
    the part of the page.
    """

    chosen = Signal(int)
    acted = Signal(str)
    exported = Signal(str)
    part = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.title = ElidedButton(theme, Qt.TextElideMode.ElideRight)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        mark(self.title, kind="heading", type="title")
        self.menu = QMenu(self)
        self.title.setMenu(self.menu)
        self.menu.triggered.connect(self._menu_chosen)
        self.words = plain_label(type="small", ink="quiet", wrap=False)
        self.strip = ProgressStrip(theme)
        self.teach = push_button(theme, tr("Teach"), tip=tr("Teach a classifier from what is labelled"))
        self.export = ExportButton()
        self.export.exported.connect(self.exported)
        self.parts = Segments(
            theme,
            tr("Show"),
            ((LABEL, tr("Labelling")), (TEXTS, tr("All texts")), (FIGURES, tr("How good is it?"))),
        )
        self.parts.select(LABEL)
        self.parts.chosen.connect(self.part)
        names = QWidget()
        name = QVBoxLayout(names)
        name.addWidget(self.title)
        name.addWidget(self.words)
        top = QHBoxLayout()
        top.addWidget(names, 1)
        top.addWidget(self.teach)
        top.addWidget(self.export)
        under = QHBoxLayout()
        self._theme, self._top, self._under = theme, top, under
        below = QHBoxLayout()
        below.addWidget(self.parts)
        column = QVBoxLayout(self)
        column.addLayout(top)
        column.addLayout(under)
        column.addLayout(below)
        column.addWidget(rule())
        theme.space(name, 0)
        theme.in_steps(names.setMinimumHeight, 13.5)
        theme.in_steps(self.words.setContentsMargins, 1, 0, 0, 0)
        theme.space(top, 3, (5, 3, 5, 2))
        theme.space(below, 0, (5, 0, 5, 2.5))
        theme.space(column, 0)
        self._place_strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_strip()

    def _place_strip(self) -> None:
        """Put the progress under the name where there is little room beside it."""
        if self.width() < self._theme.step(_NARROW):
            if self._under.indexOf(self.strip) < 0:
                self._under.addWidget(self.strip)
                self._theme.in_steps(self._under.setContentsMargins, 5, 0, 5, 2)
        elif self._top.indexOf(self.strip) < 0:
            self._top.insertWidget(1, self.strip, 1)
            self._theme.in_steps(self._under.setContentsMargins, 0, 0, 0, 0)

    def show_datasets(self, datasets: tuple[Dataset, ...], current: Dataset | None) -> None:
        """List the data sets in the menu, with what can be done with the current one."""
        name = current.name if current is not None else tr("Teach")
        self.title.set_full_text(name)
        self.title.setAccessibleName(tr("Labels: {name}", name=name))
        self.menu.clear()
        for dataset in datasets:
            action = self.menu.addAction(caption(dataset.name))
            action.setCheckable(True)
            action.setChecked(current is not None and dataset.number == current.number)
            action.setData(dataset.number)
        self.menu.addSeparator()
        for title, key in _ACTIONS:
            action = self.menu.addAction(localised(title))
            action.setData(key)
            action.setEnabled(key == "new" or (current is not None and (key != "use" or bool(current.model))))

    @Slot(QAction)
    def _menu_chosen(self, action: QAction) -> None:
        key = action.data()
        if isinstance(key, int):
            self.chosen.emit(key)
        elif key:
            self.acted.emit(key)
