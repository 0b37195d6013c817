"""A custom head on top of the inspected model: its code, its size, and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.core.about import command
from app.core.inside import ModelPicture
from app.core.message import Message
from app.ui.inspect.section import Part, limited
from app.ui.kit.parts import Label, Sideways, plain_label
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

TEXT, TOKENS, SPAN = "text", "tokens", "span"
_CHOICES = (
    (TEXT, Message("One result for the text")),
    (TOKENS, Message("One for each token")),
    (SPAN, Message("A start and an end")),
)
_EXAMPLE = 3  # number of classes that the sizes are given for
_TOP = """\
import torch
from transformers import AutoModel


class MyHead(torch.nn.Module):
    def __init__(self, base, classes={classes}):
        super().__init__()
        self.base = AutoModel.from_pretrained(base)
"""
_CODE = {
    TEXT: """\
        self.pooler = torch.nn.Linear({width}, {width})
        self.classifier = torch.nn.Linear({width}, classes)

    def forward(self, **tokens):
        states = self.base(**tokens).last_hidden_state  # texts × tokens × {width}
        first = states[:, 0]  # the first token alone, {first}
        pooled = torch.tanh(self.pooler(first))
        return self.classifier(pooled)  # texts × classes
""",
    TOKENS: """\
        self.classifier = torch.nn.Linear({width}, classes)

    def forward(self, **tokens):
        states = self.base(**tokens).last_hidden_state  # texts × tokens × {width}
        return self.classifier(states)  # texts × tokens × classes
""",
    SPAN: """\
        self.classifier = torch.nn.Linear({width}, classes)

    def forward(self, **tokens):
        states = self.base(**tokens).last_hidden_state  # texts × tokens × {width}
        start, end = self.classifier(states).unbind(-1)
        return start, end  # texts × tokens, each
""",
}
_EXPLANATIONS = {
    TEXT: Message(
        "It judges the text as a whole, so it goes on from the first token alone, through a pooler of its own."
    ),
    TOKENS: Message(
        "It says something of each token, so the same few weights are put to every token’s state."
    ),
    SPAN: Message(
        "It marks a stretch of the text, so every token gets two scores: one as the first, one as the last."
    ),
}
_TASKS = {TEXT: "classification", TOKENS: "tokens", SPAN: "qa"}
_LOSSES = {
    TEXT: Message(
        "Teaching makes the loss smaller, cross-entropy between the scores and the right class; the weights below are"
        " taught along."
    ),
    TOKENS: Message(
        "Teaching makes the loss smaller, cross-entropy between each token’s scores and its right tag; the weights"
        " below are taught along."
    ),
    SPAN: Message(
        "Teaching makes the loss smaller, the mean of two cross-entropies over the tokens: one for the start, one for"
        " the end; the weights below are taught along."
    ),
}


@dataclass(frozen=True, slots=True)
class OwnHead:
    """A custom head: its code in Python, its number of weights, and an explanation."""

    code: str
    weights: int
    words: str


def own_head(picture: ModelPicture, way: str) -> OwnHead:
    """A head on top of the inspected model, for `TEXT`, `TOKENS` or `SPAN`."""
    width, classes = picture.trunk[-1].output[-1], 2 if way == SPAN else _EXAMPLE
    weights = (width + 1) * classes + ((width + 1) * width if way == TEXT else 0)
    code = (_TOP + _CODE[way]).format(width=width, classes=classes, first=picture.window.tokens[0].piece)
    values: dict[str, object] = {
        "number": weights, "classes": classes, "model": picture.model,
        "below": sum(stage.parameters for stage in picture.trunk),
    }  # fmt: skip
    sizes = (
        tr(
            "It has {number:,} weights of its own, on top of {below:,} that {model} has below its heads.",
            **values,
        )
        if way == SPAN
        else tr(
            "It has {number:,} weights of its own for {classes} classes, on top of {below:,} that {model} has below"
            " its heads.",
            **values,
        )
    )
    teach = tr(
        "Spanlight teaches such a head in the terminal: {command}.",
        command=f"{command()} train {_TASKS[way]}",
    )
    return OwnHead(
        code, weights, " ".join((localised(_EXPLANATIONS[way]), sizes, localised(_LOSSES[way]), teach))
    )


class OwnHeadPart(Part):
    """A choice of three kinds of head, with its code and an explanation. `note` is a line for the status line."""

    note = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self._picture: ModelPicture | None = None
        self._way = Segments(theme, tr("What it gives"), _CHOICES)
        self._way.select(TEXT)
        self._words, self._code = plain_label(), Label()
        self._code.setAccessibleName(tr("Code of the head"))
        for label in (self._words, self._code):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        copy = QPushButton(tr("Copy the code"))
        super().__init__(
            theme,
            tr("A head of your own"),
            tr("a torch module on top of the base model"),
            tr(
                "A head is small: nearly all that is known of language is in the layers below, which are built alike"
                " for every head. A head of your own has to settle only which states it takes and how many numbers it"
                " gives."
            ),
            *(limited(theme, self._words), Sideways(self._code)),
            tools=(self._way, copy),
        )
        self._way.chosen.connect(self._choose)
        copy.clicked.connect(self._copy)
        self._restyle_code()
        theme.changed.connect(self._restyle_code)

    def show_picture(self, picture: ModelPicture) -> None:
        """Show heads for this model."""
        self._picture = picture
        self._choose()

    @Slot()
    def _choose(self) -> None:
        if self._picture is not None:
            found = own_head(self._picture, self._way.selected())
            self._words.setText(found.words)
            self._code.setText(found.code.rstrip())

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._code.text() + "\n")
        self.note.emit(tr("The code is copied"))

    @Slot()
    def _restyle_code(self) -> None:
        theme = self._theme
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.font("small").pixelSize())
        self._code.setFont(font)
