"""The loaded model from text to result, as it ran on this text."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.core import wording
from app.core.inside import ModelPicture
from app.core.inspection import LookAtModel
from app.core.models import Head, family_title
from app.flows.workspace import Workspace
from app.ui.inspect.answers import AnswersPart
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.flow_picture import FlowPicture
from app.ui.inspect.charts.module_tree import ModuleTree
from app.ui.inspect.own_head import OwnHeadPart
from app.ui.inspect.section import Section
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme

_EVERY = (
    "This head takes every token’s state, because each token gets a result of its own; a head that judges the text as"
    " a whole takes only the first token{0}."
)
_ALONE = (
    "This head judges the text as a whole, so it takes only the first token{0}, which has looked at all others;"
    " a head that says something of each word takes every token’s state."
)
_WHY: dict[Head, str] = {
    Head.QUESTION_ANSWERING: (
        "Any token may be where the answer starts or ends, so this head takes every token’s state; a head that judges"
        " the text as a whole takes only the first token{0}."
    ),
    Head.CLASSIFICATION: _ALONE,
    Head.MASKED_WORDS: _EVERY,
    Head.NEXT_SENTENCE: _ALONE,
    Head.TOKEN_CLASSIFICATION: _EVERY,
}
_SHOW, _HIDE = "Show every module", "Hide the modules"


class PictureSection(Section):
    """The picture, and below it the tree of all modules."""

    KEY = "picture"
    TITLE = "What happens here"
    TERM = "encoder and heads, with the shapes that flow"
    ABOUT = (
        "The text is cut into tokens, each token becomes a row of numbers, and layer by layer every token takes up"
        " something of the others."
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._looking = self.looking(self._show)
        self._shown: ModelPicture | None = None
        self._facts = QLabel()
        self._facts.setProperty("ink", "quiet")
        self._facts.setWordWrap(True)
        self._picture = FlowPicture(theme)
        self._tools = bar_of(self, self._picture)
        self._unfold = QPushButton(_SHOW)
        self._unfold.setCheckable(True)
        self._unfold.toggled.connect(self._unfolded)
        self._copy = QPushButton("Copy the tree as text")
        self._copy.setToolTip("What print(model) gives")
        self._copy.clicked.connect(self._copy_printed)
        self._tree = ModuleTree(theme)
        row = QHBoxLayout()
        row.addWidget(self._unfold)
        row.addWidget(self._copy)
        row.addStretch(1)
        self._row = row
        for widget in (self._facts, self._picture, self._tools):
            self.body.addWidget(widget)
        self.body.addLayout(row)
        self.body.addWidget(self._tree)
        self._answers, self._own = AnswersPart(theme), OwnHeadPart(theme)
        self._own.copy.clicked.connect(self._copied)
        for part in (self._answers, self._own):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self._arrange()

    def begin(self) -> None:
        self._shown = None
        self._picture.set_picture(None)
        self.about.setText(f"{self.ABOUT} {self._why()}")
        self._arrange()
        self._looking.start(LookAtModel(self.visit.subject), "Opening the model")

    def numbers(self) -> str:
        return self._picture.csv() if self._shown is not None else ""

    @Slot(object)
    def _show(self, picture: ModelPicture) -> None:
        self._shown = picture
        self._picture.set_picture(picture)
        weights = wording.count(picture.parameters, "weight")
        self._facts.setText(
            f"{picture.model} · {family_title(picture.family)} · {weights} · read off the model while it ran on"
            f" {picture.device}."
            " Grey columns are heads that this family can have too."
        )
        self.about.setText(f"{self.ABOUT} {self._why(picture.window.tokens[0].piece)}")
        self._tree.set_modules(picture.modules)
        self._answers.show_picture(picture)
        self._own.show_picture(picture)
        self._arrange()

    @Slot(bool)
    def _unfolded(self, shown: bool) -> None:
        self._unfold.setText(_HIDE if shown else _SHOW)
        self._arrange()

    @Slot()
    def _copy_printed(self) -> None:
        if self._shown is not None:
            QGuiApplication.clipboard().setText(self._shown.printed)
            self.note.emit("The modules are copied as text")

    @Slot()
    def _copied(self) -> None:
        self.note.emit("The code is copied")

    def _why(self, first: str = "") -> str:
        """What the head takes and why; `first` is the first token, once it is known."""
        said = _WHY[self.visit.subject.head]
        return said.format(f", {first}" if first else "")

    def _arrange(self) -> None:
        there = self._shown is not None
        shown = (self._facts, self._picture, self._tools, self._unfold, self._copy, self._answers, self._own)
        for widget in shown:
            widget.setVisible(there)
        self._tree.setVisible(there and self._unfold.isChecked())
