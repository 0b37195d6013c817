"""The section Pooled output and [CLS]: how the two differ, proved on this text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.core.inside import Part, Pooling
from app.core.inspection import LookAtPooling, Subject, Visit
from app.core.message import Message
from app.core.models import Head
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.inspect.section import Section, SectionCard
from app.ui.kit.boxes import row
from app.ui.kit.chart import number
from app.ui.kit.parts import Label, Sideways, as_tip, plain_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_TAKES_INSTEAD = {
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
# The spacing of float32 below 1, where tanh's largest values lie; a difference of a few is called "the last bits".
_ULP = 2.0**-24
_FEW_ULPS = 16
_DIMENSIONS_SHOWN = 4


def _pooled_title(found: Pooling) -> str:
    return Message("Pooled output") if found.is_pooler else Message("Head’s own layer")


def _first_title(found: Pooling) -> str:
    return Message("First token, {token}", token=first_token(found))


def formula(found: Pooling) -> str:
    """The formula that is computed by hand: "tanh(W · h + b)"."""
    return f"{found.activation}(W · h + b)" if found.activation else "W · h + b"


def first_token(found: Pooling) -> str:
    """The first token's piece: [CLS], or the model's equivalent."""
    return found.window.tokens[0].piece


def window_text(found: Pooling, text: str) -> str:
    """The part of the text that the window holds."""
    places = [token.span for token in found.window.tokens if token.span and token.part is Part.TEXT]
    return text[min(p.start for p in places) : max(p.end for p in places)] if places else text


def agreement(found: Pooling) -> str:
    """How well the result by hand agrees with the model's, in words."""
    size = max((abs(value) for value in found.pooled), default=0.0)
    values: dict[str, object] = {
        "formula": formula(found), "count": len(found.pooled), "difference": number(found.error)
    }  # fmt: skip
    if found.error <= _FEW_ULPS * _ULP * max(1.0, size):
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


class ProofCard(SectionCard):
    """The card of the proof: the first few dimensions written out, and two comparisons over all dimensions."""

    def __init__(self, theme: Theme) -> None:
        figures = QWidget()
        grid = QGridLayout(figures)
        self._cells: list[list[Label]] = []
        for at in range(4):
            self._cells.append([])
            for column in range(_DIMENSIONS_SHOWN + 1):
                font = "small" if column and at else "small_strong"
                label = plain_label(type=font, wrap=False, selectable=True)
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                grid.addWidget(label, at, column, side | Qt.AlignmentFlag.AlignVCenter)
                self._cells[at].append(label)
        grid.setColumnStretch(_DIMENSIONS_SHOWN + 1, 1)
        self._comparisons = plain_label(selectable=True), plain_label(selectable=True)
        super().__init__(
            theme,
            tr("The proof on this text"),
            tr("W and b are the layer’s weights, h is the first token’s vector"),
            tr("Both are held against what the model gave. All dimensions are below, under Numbers."),
            *(Sideways(figures), *self._comparisons),
        )
        theme.in_steps(grid.setContentsMargins, 0, 0, 0, 0)
        theme.in_steps(grid.setHorizontalSpacing, 5)
        theme.in_steps(grid.setVerticalSpacing, 1.5)

    def show_pooling(self, found: Pooling) -> None:
        """Show the proof for these vectors, of which none is empty."""
        vectors = {
            _pooled_title(found): found.pooled,
            tr("{formula}, by hand", formula=formula(found)): found.recomputed,
            _first_title(found): found.first,
        }
        heading = [tr("Dimension"), *(str(at + 1) for at in range(_DIMENSIONS_SHOWN))]
        # Seven decimals are enough to see that two float32 agree.
        rows = [
            [
                name,
                *(tr("{value:.7f}", value=value).replace("-", "−") for value in vector[:_DIMENSIONS_SHOWN]),
            ]
            for name, vector in vectors.items()
        ]
        for labels, texts in zip(self._cells, (heading, *rows), strict=True):
            for at, label in enumerate(labels):
                label.setText(texts[at] if at < len(texts) else "")  # a tiny model has fewer dimensions
        with_hand, with_first = self._comparisons
        with_hand.setText(agreement(found))
        with_first.setText(
            tr(
                "The first token’s vector is not the same: it differs by up to {difference}, and the cosine of the two"
                " is {cosine} (1 would be the same direction).",
                difference=number(found.difference),
                cosine=number(found.cosine),
            )
        )


class PoolingSection(Section):
    """What the numbers prove, the proof, and the vectors as strips."""

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
        self._conclusion, self._use = plain_label(selectable=True), plain_label(selectable=True)
        self._classes = QPushButton(tr("Look at this text as one to classify"))
        self._classes.setToolTip(as_tip(tr("A head for classes takes the first token alone")))
        self._classes.clicked.connect(self._request_classification)
        self._proof_card = ProofCard(self.theme)
        self._strips = self.main = VectorStrip(self.theme, tr("First token and pooled output"))
        strips = SectionCard(
            self.theme,
            tr("Number by number"),
            tr("hidden state h[CLS] and pooled output"),
            tr(
                "Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same"
                " dimension stands in the same column, and the cells around the current one are shown large."
            ),
            *(self._strips, self.chart_bar(self._strips)),
        )
        self.add_results(self._conclusion, self._use)
        self.body.addLayout(row(self.theme, self._classes, 1))
        self.results.append(self._classes)
        self.add_results(self._proof_card, strips)

    def begin(self) -> None:
        self.query(LookAtPooling(self.visit.subject), tr("Computing the pooled output by hand"), self._show)

    @Slot(object)
    def _show(self, found: Pooling) -> None:
        self._pooling = found
        vectors = [(_first_title(found), found.first)]
        if found.pooled:
            vectors.append((_pooled_title(found), found.pooled))
            vectors.append((Message("Computed by hand"), found.recomputed))
        self._strips.set_vectors(vectors)
        self._conclusion.setText(conclusion(found))
        unused = bool(found.pooled) and found.is_pooler and not found.used
        self._use.setText(
            _TAKES_INSTEAD.get(
                self.visit.subject.head, Message("The head in use leaves the pooled output aside.")
            )
        )
        if found.pooled:
            self._proof_card.show_pooling(found)
        self.show_results()
        self._use.setVisible(unused)
        self._proof_card.setVisible(bool(found.pooled))
        self._classes.setVisible(not found.pooled)

    @Slot()
    def _request_classification(self) -> None:
        """Inspect the window's text with a classification head, which takes the first token alone."""
        if self._pooling is not None:
            text = window_text(self._pooling, self.visit.subject.text)
            self.go.emit("inspect", Visit(Subject(Head.CLASSIFICATION, text)))


def conclusion(found: Pooling) -> str:
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
