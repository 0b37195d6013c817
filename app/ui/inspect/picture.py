"""The picture of the loaded model from text to result, as it ran on this text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.core import wording
from app.core.inside import ModelPicture
from app.core.inspection import LookAtModel
from app.core.models import Head, family_title
from app.flows.workspace import Workspace
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.flow_picture import FlowPicture
from app.ui.inspect.charts.module_tree import ModuleTree
from app.ui.inspect.own_head import OwnHeadPart
from app.ui.inspect.part import Part, within
from app.ui.inspect.section import Section
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme

_EVERY = (
    "This head takes every token’s state, because each token gets a result of its own; a head that judges the text as"
    " a whole takes only the first token{0}."
)
_FIRST_TOKEN_ONLY = (
    "This head judges the text as a whole, so it takes only the first token{0}, which has looked at all others;"
    " a head that says something of each word takes every token’s state."
)
_WHY: dict[Head, str] = {
    Head.QUESTION_ANSWERING: (
        "Any token may be where the answer starts or ends, so this head takes every token’s state; a head that judges"
        " the text as a whole takes only the first token{0}."
    ),
    Head.CLASSIFICATION: _FIRST_TOKEN_ONLY,
    Head.MASKED_WORDS: _EVERY,
    Head.NEXT_SENTENCE: _FIRST_TOKEN_ONLY,
    Head.TOKEN_CLASSIFICATION: _EVERY,
}
_SHOW, _HIDE = "Show every module", "Hide the modules"
_POOLED = "pooled"


def answers(picture: ModelPicture) -> tuple[tuple[str, str], ...]:
    """Questions and answers: every token or the first only, and the pooled output compared with the first vector."""
    first, family = picture.window.tokens[0].piece, family_title(picture.family)
    classes = next((head for head in picture.heads if head.head is Head.CLASSIFICATION), None)
    pooled = classes is not None and _POOLED in classes.takes
    first_only = f"only the pooled {first}" if pooled else f"only {first}"
    size = picture.trunk[-1].output[-1]
    each = (
        "An answer may start or end at any token of the text, so each is judged by a state of its own."
        " A class is one result for the whole text, so one state must stand for all of it."
        f" That is the first token, {first}: it means nothing by itself, and in every layer it looks at all others, so"
        " it can gather what the class depends on."
    )
    if pooled:
        why = (
            f"The sequence output’s first vector is {first} as the last layer leaves it. The pooled output is that"
            f" vector put through one more layer: {size:,} weighted sums of its numbers, each squeezed between −1 and 1"
            " by tanh. Other numbers come out, made to judge the text as a whole: BERT’s pooler learned that by telling"
            " whether one passage follows another, ALBERT’s by telling which of two came first, and a classifier goes"
            " on teaching it. For a text to classify, “Pooled output and [CLS]” proves it in numbers."
        )
    else:
        why = (
            f"In BERT the pooled output is the first token’s vector put through one more layer, dense and tanh, so its"
            f" numbers are others. {family} has no such layer ahead of its heads here: the head for classes takes the"
            " first token’s vector itself and has a dense layer of its own, as the picture shows."
        )
    return (
        (f"Why does question answering take every token’s state, and classification {first_only}?", each),
        ("Why is the pooled output not the first vector of the sequence output?", why),
    )


class AnswersPart(Part):
    """The questions in bold, each with its answer below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            "Why it is so",
            "sequence output and pooled output",
            "What is often asked of BERT’s heads, answered for the model above.",
        )
        self._rows: list[tuple[QLabel, QLabel]] = []
        for _ in range(2):
            question, answer = QLabel(), QLabel()
            for label in (question, answer):
                label.setWordWrap(True)
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self.content.addLayout(within(label))
            self._rows.append((question, answer))
        self._restyle_words()
        theme.changed.connect(self._restyle_words)

    def show_picture(self, picture: ModelPicture) -> None:
        """Show the answers for this model."""
        for (question, answer), (question_text, reason) in zip(self._rows, answers(picture), strict=True):
            question.setText(question_text)
            answer.setText(reason)

    @Slot()
    def _restyle_words(self) -> None:
        for question, answer in self._rows:
            question.setFont(self._theme.font("small_strong"))
            for label in (question, answer):
                label.setMaximumWidth(self._theme.step(190))


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
        self._query = self.query(self._show)
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
        self._query.start(LookAtModel(self.visit.subject), "Opening the model")

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
        reason = _WHY[self.visit.subject.head]
        return reason.format(f", {first}" if first else "")

    def _arrange(self) -> None:
        there = self._shown is not None
        shown = (self._facts, self._picture, self._tools, self._unfold, self._copy, self._answers, self._own)
        for widget in shown:
            widget.setVisible(there)
        self._tree.setVisible(there and self._unfold.isChecked())
