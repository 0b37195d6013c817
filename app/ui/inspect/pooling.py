"""Pooled output and [CLS]: why the one is not the other, proved on this text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.core.inside import Pooling
from app.core.inspection import LookAtPooling, Subject, Visit
from app.core.models import Head
from app.flows.workspace import Workspace
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.inspect.part import Part
from app.ui.inspect.proof import SAME, ProofPart, first_token, formula, window_text
from app.ui.inspect.section import Section
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme

_TAKES = {
    Head.QUESTION_ANSWERING: "Question answering takes every token’s state, so it leaves the pooled output aside.",
    Head.MASKED_WORDS: "Filling in takes the hidden tokens’ states, so it leaves the pooled output aside.",
    Head.TOKEN_CLASSIFICATION: "Finding names takes every token’s state, so it leaves the pooled output aside.",
}


class PoolingSection(Section):
    """Both vectors as strips and the pooled output computed by hand, with what the numbers prove."""

    KEY = "pooling"
    TITLE = "Pooled output and [CLS]"
    TERM = "pooler: first token, dense, tanh"
    ABOUT = (
        "The pooled output is not the first token’s vector from the last layer: it is that vector put through one"
        " more layer, the pooler. BERT’s pooler was taught to tell whether one passage follows another (next sentence"
        " prediction), and its heads for a whole text take what it gives; heads that judge each token take the states"
        " themselves."
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._looking = self.looking(self._show)
        self._found: Pooling | None = None
        self._proof, self._use = QLabel(), QLabel()
        for label in (self._proof, self._use):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._proved = ProofPart(theme)
        self._classes = QPushButton("Look at this text as one to classify")
        self._classes.setToolTip("A head for classes takes the first token alone")
        self._classes.clicked.connect(self._ask_for_classes)
        row = QHBoxLayout()
        row.addWidget(self._classes)
        row.addStretch(1)
        self._strips = VectorStrip(theme, "First token and pooled output")
        self._part = Part(
            theme, "Number by number", "hidden state h[CLS] and pooled output",
            "Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same dimension"
            " stands in the same column, and the cells around the current one are shown large.",
        )  # fmt: skip
        self._part.add(self._strips, bar_of(self, self._strips))
        for label in (self._proof, self._use):
            self.body.addWidget(label)
        self.body.addLayout(row)
        for part in (self._proved, self._part):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self._hide()

    def begin(self) -> None:
        self._found = None
        self._hide()
        self._looking.start(LookAtPooling(self.visit.subject), "Computing the pooled output by hand")

    def numbers(self) -> str:
        return self._strips.csv() if self._found is not None else ""

    @Slot(object)
    def _show(self, found: Pooling) -> None:
        self._found = found
        vectors = [(f"First token, {first_token(found)}", found.first)]
        if found.pooled:
            vectors.append(("Pooled output" if found.is_pooler else "Head’s own layer", found.pooled))
            vectors.append(("Computed by hand", found.recomputed))
        self._strips.set_vectors(vectors)
        self._proof.setText(proof(found))
        use = "" if found.used or not found.is_pooler or not found.pooled else self._unused()
        self._use.setText(use)
        self._use.setVisible(bool(use))
        self._proof.show()
        self._proved.show_pooling(found)
        self._proved.setVisible(bool(found.pooled))
        self._classes.setVisible(not found.pooled)
        self._part.show()

    def _unused(self) -> str:
        return _TAKES.get(self.visit.subject.head, "The head in use leaves the pooled output aside.")

    def _hide(self) -> None:
        for widget in (self._proof, self._use, self._classes, self._proved, self._part):
            widget.hide()

    @Slot()
    def _ask_for_classes(self) -> None:
        """Have the window's text looked into as one to classify, where a layer takes the first token alone."""
        if self._found is not None:
            text = window_text(self._found, self.visit.subject.text)
            self.visit_asked.emit(Visit(Subject(Head.CLASSIFICATION, text)))


def proof(found: Pooling) -> str:
    """What the numbers prove, in words; what is the case where the model has no pooler."""
    if not found.pooled:
        return (
            "In this model no layer takes the first token alone: it has no pooler, and its head works from every"
            " token’s state. So there is no pooled output here; the first token’s vector is one state among the others."
            " A model that tells classes has one."
        )
    name = "the pooled output" if found.is_pooler else "what that layer gives"
    lead = "" if found.is_pooler else (
        f"This model has no pooler. Its head has a layer of its own for the first token, {found.path}. "
    )  # fmt: skip
    verdict = "equals" if found.error <= SAME else "should equal"
    return (
        f"{lead}{formula(found)}, computed here by hand from the first token’s vector h with the weights of"
        f" {found.path}, {verdict} {name}. The first vector itself does not."
    )
