"""Pooled output and [CLS]: why the one is not the other, proved on this text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel, QWidget

from app.core.inside import Pooling
from app.core.inspection import LookAtPooling
from app.core.models import Head
from app.flows.workspace import Workspace
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.inspect.bars import bar_of
from app.ui.views.inspect.part import Part
from app.ui.views.inspect.section import Section
from app.ui.widgets.charts.table import number
from app.ui.widgets.charts.vector_strip import VectorStrip

# What float32 gives and takes in a sum of several hundred products.
_SAME = 1e-4
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
        "The pooled output is not the first token’s vector from the last layer. It is that vector put through one"
        " more layer, the pooler, which was trained to tell whether one passage follows another (next sentence"
        " prediction). Heads that judge a text as a whole take the pooled output; heads that judge each token take"
        " the states themselves."
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
        self._strips = VectorStrip(theme, "First token and pooled output")
        self._part = Part(
            theme, "Number by number", "hidden state h[CLS] and pooled output",
            "Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same dimension"
            " stands in the same column, and the cells around the current one are shown large.",
        )  # fmt: skip
        self._part.add(self._strips, bar_of(self, self._strips))
        for widget in (self._proof, self._use, self._part):
            self.body.addWidget(widget)
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
        vectors = [("First token, h[CLS]", found.first)]
        if found.pooled:
            vectors.append(("Pooled output" if found.is_pooler else "Head’s own layer", found.pooled))
            vectors.append(("Computed by hand", found.recomputed))
        self._strips.set_vectors(vectors)
        self._proof.setText(proof(found))
        use = "" if found.used or not found.is_pooler or not found.pooled else self._unused()
        self._use.setText(use)
        self._use.setVisible(bool(use))
        self._proof.show()
        self._part.show()

    def _unused(self) -> str:
        return _TAKES.get(self.visit.subject.head, "The head in use leaves the pooled output aside.")

    def _hide(self) -> None:
        for widget in (self._proof, self._use, self._part):
            widget.hide()


def proof(found: Pooling) -> str:
    """What the numbers prove, in words; what is the case where the model has no pooler."""
    if not found.pooled:
        return (
            "In this model no layer takes the first token alone: it has no pooler, and its head works from every"
            " token’s state. So there is no pooled output; the first token’s vector is one state among the others."
        )
    bend = found.activation
    formula = f"{bend}(W · h + b)" if bend else "W · h + b"
    name = "the pooled output" if found.is_pooler else "what that layer gives"
    lead = "" if found.is_pooler else (
        f"This model has no pooler. Its head has a layer of its own for the first token, {found.path}. "
    )  # fmt: skip
    verdict = "equals" if found.error <= _SAME else "should equal"
    return (
        f"{lead}{formula}, computed here by hand from the first token’s vector h with the weights of {found.path},"
        f" {verdict} {name}: largest difference {number(found.error)}. The first vector itself differs from it by up"
        f" to {number(found.difference)}, and the cosine of the two is {number(found.cosine)}."
    )
