"""Answers to what people ask most of BERT's heads, as it is in the model that was seen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel

from app.core.inside import ModelPicture
from app.core.models import Head, family_title
from app.ui.inspect.part import Part, within
from app.ui.kit.theme import Theme

_POOLED = "pooled"


def answers(picture: ModelPicture) -> tuple[tuple[str, str], ...]:
    """Questions and their answers: each token or the first alone, and the pooled output against the first vector."""
    first, family = picture.window.tokens[0].piece, family_title(picture.family)
    classes = next((head for head in picture.heads if head.head is Head.CLASSIFICATION), None)
    pooled = classes is not None and _POOLED in classes.takes
    alone = f"only the pooled {first}" if pooled else f"only {first}"
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
        (f"Why does question answering take every token’s state, and classification {alone}?", each),
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
        """Answer for this model."""
        for (question, answer), (asked, said) in zip(self._rows, answers(picture), strict=True):
            question.setText(asked)
            answer.setText(said)

    @Slot()
    def _restyle_words(self) -> None:
        for question, answer in self._rows:
            question.setFont(self._theme.font("small_strong"))
            for label in (question, answer):
                label.setMaximumWidth(self._theme.step(190))
