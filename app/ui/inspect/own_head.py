"""The card on a head of one's own on top of the inspected model: its code, its size, and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.core.about import command
from app.core.inside import ModelPicture
from app.core.message import Message
from app.ui.inspect.section import SectionCard, at_reading_width
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
_EXAMPLE_CLASSES = 3  # the number of classes that sizes are computed for
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
    """A head of one's own: its code in Python, its number of weights, and an explanation."""

    code: str
    weights: int
    explanation: str


def own_head(picture: ModelPicture, kind: str) -> OwnHead:
    """A head on top of the inspected model, of the kind `TEXT`, `TOKENS` or `SPAN`."""
    width, classes = picture.trunk[-1].output[-1], 2 if kind == SPAN else _EXAMPLE_CLASSES
    weights = (width + 1) * classes + ((width + 1) * width if kind == TEXT else 0)
    code = (_TOP + _CODE[kind]).format(width=width, classes=classes, first=picture.window.tokens[0].piece)
    values: dict[str, object] = {
        "number": weights, "classes": classes, "model": picture.model,
        "below": sum(stage.parameters for stage in picture.trunk),
    }  # fmt: skip
    sizes = (
        tr(
            "It has {number:,} weights of its own, on top of {below:,} that {model} has below its heads.",
            **values,
        )
        if kind == SPAN
        else tr(
            "It has {number:,} weights of its own for {classes} classes, on top of {below:,} that {model} has below"
            " its heads.",
            **values,
        )
    )
    teach = tr(
        "Spanlight teaches such a head in the terminal: {command}.",
        command=f"{command()} train {_TASKS[kind]}",
    )
    return OwnHead(
        code, weights, " ".join((localised(_EXPLANATIONS[kind]), sizes, localised(_LOSSES[kind]), teach))
    )


class OwnHeadCard(SectionCard):
    """A choice of three kinds of head, and the chosen one's code and explanation. `note` is for the status line."""

    note = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self._picture: ModelPicture | None = None
        self._kind = Segments(theme, tr("What it gives"), _CHOICES)
        self._kind.select(TEXT)
        self._explanation, self._code = plain_label(), Label()
        self._code.setAccessibleName(tr("Code of the head"))
        for label in (self._explanation, self._code):
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
            *(at_reading_width(theme, self._explanation), Sideways(self._code)),
            tools=(self._kind, copy),
        )
        self._kind.chosen.connect(self._show_chosen)
        copy.clicked.connect(self._copy)
        self._restyle_code()
        theme.changed.connect(self._restyle_code)

    def show_picture(self, picture: ModelPicture) -> None:
        """Show the chosen kind of head for this model."""
        self._picture = picture
        self._show_chosen()

    @Slot()
    def _show_chosen(self) -> None:
        if self._picture is not None:
            found = own_head(self._picture, self._kind.selected())
            self._explanation.setText(found.explanation)
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
