"""Pooled output and [CLS]: how they differ, proved on this text."""

from __future__ import annotations

from itertools import chain

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from app.core.inside import Part as TokenPart
from app.core.inside import Pooling
from app.core.inspection import LookAtPooling, Subject, Visit
from app.core.message import Message
from app.core.models import Head
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.inspect.section import Part, Section
from app.ui.kit.boxes import row
from app.ui.kit.chart import number
from app.ui.kit.parts import Sideways, as_tip, plain_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_TAKES = {
    Head.QUESTION_ANSWERING: Message(
        "Question answering takes every token’s state, so it leaves the pooled output aside."
    ),
    Head.MASKED_WORDS: Message(
        "Filling in takes the hidden tokens’ states, so it leaves the pooled output aside."
    ),
    Head.TOKEN_CLASSIFICATION: Message(
        "Finding names takes every token’s state, so it leaves the pooled output aside."
    ),
}
# The rounding error of float32 in a sum of several hundred products.
SAME = 1e-4
# The step from one float32 to the next below 1, where tanh's largest values lie; a few of them are "the last bits".
_BIT = 2.0**-24
_FEW = 16
_SHOWN = 4  # dimensions written out


def _pooled_title(found: Pooling) -> str:
    return Message("Pooled output") if found.is_pooler else Message("Head’s own layer")


def _first_title(found: Pooling) -> str:
    return Message("First token, {token}", token=first_token(found))


def formula(found: Pooling) -> str:
    """The formula computed by hand: "tanh(W · h + b)"."""
    return f"{found.activation}(W · h + b)" if found.activation else "W · h + b"


def first_token(found: Pooling) -> str:
    """The first token's piece: [CLS], or the model's equivalent."""
    return found.window.tokens[0].piece


def window_text(found: Pooling, text: str) -> str:
    """The part of the text that was read."""
    places = [token.span for token in found.window.tokens if token.span and token.part is TokenPart.TEXT]
    return text[min(p.start for p in places) : max(p.end for p in places)] if places else text


def verdict(found: Pooling) -> str:
    """How well the result by hand agrees with the model's."""
    size = max((abs(value) for value in found.pooled), default=0.0)
    values: dict[str, object] = {
        "formula": formula(found), "count": len(found.pooled), "difference": number(found.error)
    }  # fmt: skip
    if found.error <= _FEW * _BIT * max(1.0, size):
        return tr(
            "{formula} by hand is the same, to the last bits of the numbers: over all {count:,} dimensions the largest"
            " difference is {difference}.",
            **values,
        )
    if found.error <= SAME:
        return tr(
            "{formula} by hand is the same, within what such numbers can hold: over all {count:,} dimensions the"
            " largest difference is {difference}.",
            **values,
        )
    return tr(
        "{formula} by hand is not the same: over all {count:,} dimensions the largest difference is {difference}.",
        **values,
    )


class ProofPart(Part):
    """Two comparisons with their largest differences, and the first few dimensions written out."""

    def __init__(self, theme: Theme) -> None:
        figures = QWidget()
        self._grid = QGridLayout(figures)
        self._cells: list[tuple[QLabel, ...]] = []
        self._verdicts = plain_label(selectable=True), plain_label(selectable=True)
        super().__init__(
            theme,
            tr("The proof on this text"),
            tr("W and b are the layer’s weights, h is the first token’s vector"),
            tr("Both are held against what the model gave. All dimensions are below, under Numbers."),
            *(Sideways(figures), *self._verdicts),
        )
        theme.in_steps(self._grid.setContentsMargins, 0, 0, 0, 0)
        theme.in_steps(self._grid.setHorizontalSpacing, 5)
        theme.in_steps(self._grid.setVerticalSpacing, 1.5)

    def show_pooling(self, found: Pooling) -> None:
        """Show the proof for these vectors; nothing if no layer takes the first token."""
        for label in chain.from_iterable(self._cells):
            self._grid.removeWidget(label)
            label.deleteLater()
        self._cells = []
        for at, figures in enumerate(rows(found) if found.pooled else ()):
            labels = []
            for column, text in enumerate(figures):
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                font = "small_strong" if not column or not at else "small"
                label = plain_label(text, type=font, wrap=False, selectable=True)
                labels.append(label)
                self._grid.addWidget(label, at, column, side | Qt.AlignmentFlag.AlignVCenter)
            self._cells.append(tuple(labels))
        self._grid.setColumnStretch(_SHOWN + 1, 1)
        for label, words in zip(self._verdicts, verdicts(found), strict=True):
            label.setText(words)


def rows(found: Pooling) -> tuple[tuple[str, ...], ...]:
    """A heading, then the model's numbers, those by hand, and the first token's."""
    vectors = (found.pooled, found.recomputed, found.first)
    names = (_pooled_title(found), tr("{formula}, by hand", formula=formula(found)), _first_title(found))
    count = min(_SHOWN, len(found.first))
    heading = (tr("Dimension"), *(str(at + 1) for at in range(count)))
    return heading, *(
        (name, *(written(value) for value in vector[:count]))
        for name, vector in zip(names, vectors, strict=True)
    )


def verdicts(found: Pooling) -> tuple[str, str]:
    """What all dimensions together prove, for the result by hand and for the first token's vector."""
    if not found.pooled:
        return "", ""
    first = tr(
        "The first token’s vector is not the same: it differs by up to {difference}, and the cosine of the two is"
        " {cosine} (1 would be the same direction).",
        difference=number(found.difference),
        cosine=number(found.cosine),
    )
    return verdict(found), first


def written(value: float) -> str:
    """A number to seven decimals with a true minus sign, so that agreement can be seen."""
    return tr("{value:.7f}", value=value).replace("-", "−")


class PoolingSection(Section):
    """Both vectors as strips and the pooled output computed by hand, with what the numbers prove."""

    KEY = "pooling"
    TITLE = Message("Pooled output and [CLS]")
    TERM = Message("pooler: first token, dense, tanh")
    ABOUT = Message(
        "The pooled output is not the first token’s vector from the last layer: it is that vector put through one"
        " more layer, the pooler. BERT’s pooler was taught to tell whether one passage follows another (next sentence"
        " prediction), and its heads for a whole text take what it gives; heads that judge each token take the states"
        " themselves."
    )

    def build(self) -> None:
        self._pooling: Pooling | None = None
        self._proof, self._use = plain_label(selectable=True), plain_label(selectable=True)
        self._classes = QPushButton(tr("Look at this text as one to classify"))
        self._classes.setToolTip(as_tip(tr("A head for classes takes the first token alone")))
        self._classes.clicked.connect(self._request_classification)
        self._proved = ProofPart(self.theme)
        self._strips = self.main = VectorStrip(self.theme, tr("First token and pooled output"))
        strips = Part(
            self.theme,
            tr("Number by number"),
            tr("hidden state h[CLS] and pooled output"),
            tr(
                "Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same"
                " dimension stands in the same column, and the cells around the current one are shown large."
            ),
            *(self._strips, self.bar(self._strips)),
        )
        self.add_results(self._proof, self._use)
        self.body.addLayout(row(self.theme, self._classes, 1))
        self.results.append(self._classes)
        self.add_results(self._proved, strips)

    def begin(self) -> None:
        self.ask(LookAtPooling(self.visit.subject), tr("Computing the pooled output by hand"), self._show)

    @Slot(object)
    def _show(self, found: Pooling) -> None:
        self._pooling = found
        vectors = [(_first_title(found), found.first)]
        if found.pooled:
            vectors.append((_pooled_title(found), found.pooled))
            vectors.append((Message("Computed by hand"), found.recomputed))
        self._strips.set_vectors(vectors)
        self._proof.setText(proof(found))
        unused = bool(found.pooled) and found.is_pooler and not found.used
        self._use.setText(
            _TAKES.get(self.visit.subject.head, Message("The head in use leaves the pooled output aside."))
        )
        self._proved.show_pooling(found)
        self.show_results()
        self._use.setVisible(unused)
        self._proved.setVisible(bool(found.pooled))
        self._classes.setVisible(not found.pooled)

    @Slot()
    def _request_classification(self) -> None:
        """Inspect the window's text with a classification head, which takes the first token only."""
        if self._pooling is not None:
            text = window_text(self._pooling, self.visit.subject.text)
            self.go.emit("inspect", Visit(Subject(Head.CLASSIFICATION, text)))


def proof(found: Pooling) -> str:
    """What the numbers prove, in words; an explanation if the model has no pooler."""
    if not found.pooled:
        return tr(
            "In this model no layer takes the first token alone: it has no pooler, and its head works from every"
            " token’s state. So there is no pooled output here; the first token’s vector is one state among the others."
            " A model that tells classes has one."
        )
    equal = found.error <= SAME
    values: dict[str, object] = {"formula": formula(found), "layer": found.path}
    if found.is_pooler and equal:
        return tr(
            "{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, equals the"
            " pooled output. The first vector itself does not.",
            **values,
        )
    if found.is_pooler:
        return tr(
            "{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, should"
            " equal the pooled output. The first vector itself does not.",
            **values,
        )
    if equal:
        return tr(
            "This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula},"
            " computed here by hand from the first token’s vector h with the weights of {layer}, equals what that"
            " layer gives. The first vector itself does not.",
            **values,
        )
    return tr(
        "This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula}, computed"
        " here by hand from the first token’s vector h with the weights of {layer}, should equal what that layer"
        " gives. The first vector itself does not.",
        **values,
    )
