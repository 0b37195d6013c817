"""Labels of a window's tokens and names of its parts, for charts."""

from __future__ import annotations

from app.core.inside import InputToken, InputWindow, Part
from app.core.message import Message
from app.core.text import Span
from app.ui.kit.translation import tr

# How byte-level and SentencePiece vocabularies write a space before a piece, and a line end.
_BLANKS = "Ġ▁"
_LINE_ENDS = "Ċ"


def part_names(window: InputWindow) -> dict[Part, str]:
    """The names of a window's parts; what precedes the text is a question, what follows it a second passage."""
    parts = [part for part, _, _ in parts_of(window) if part is not Part.SPECIAL]
    second = Message("second passage") if parts[:1] == [Part.TEXT] else Message("question")
    return {Part.SPECIAL: Message("special token"), Part.PAIR: second, Part.TEXT: Message("text")}


def label_of(token: InputToken, text: str = "", pair: str = "") -> str:
    """A token's piece in readable form: if the vocabulary spells it in bytes, the text that these encode."""
    piece = token.piece
    source = pair if token.part is Part.PAIR else text
    if token.span is not None and token.part is not Part.SPECIAL and not piece.startswith("##"):
        words = token.span.of(source).strip()
        # A byte-level vocabulary writes a letter beyond ASCII as several characters.
        if words and (not piece.isascii() or piece[:1] in _BLANKS):
            return words
    bare = piece.lstrip(_BLANKS)
    return (bare if bare.strip(_LINE_ENDS) else "⏎") if bare else "␣"


def labels_of(window: InputWindow, text: str = "", pair: str = "") -> tuple[str, ...]:
    """Every token's label, in order."""
    return tuple(label_of(token, text, pair) for token in window.tokens)


def parts_of(window: InputWindow) -> list[tuple[Part, int, int]]:
    """The runs of tokens of one part, each as (part, first token, one past the last token)."""
    runs: list[tuple[Part, int, int]] = []
    for at, token in enumerate(window.tokens):
        if runs and runs[-1][0] is token.part:
            runs[-1] = (token.part, runs[-1][1], at + 1)
        else:
            runs.append((token.part, at, at + 1))
    return runs


def words_between(window: InputWindow, first: int, last: int, text: str, pair: str = "") -> str:
    """The text from one token's start to another's end, on one line; without a text, the tokens' labels."""
    tokens = window.tokens[first : last + 1]
    spans = [token.span for token in tokens if token.span is not None]
    source = pair if tokens and tokens[0].part is Part.PAIR else text
    if spans and len(spans) == len(tokens) and source:
        return " ".join(Span(spans[0].start, max(spans[-1].end, spans[0].start)).of(source).split())
    return " ".join(label_of(token, text, pair) for token in tokens)


def token_name(window: InputWindow, index: int, label: str) -> str:
    """A token's number, its label and, outside the text, its part: "Token 17 of 40, “knave”"."""
    part = window.tokens[index].part
    number, count = index + 1, len(window.tokens)
    if part is Part.TEXT:
        return tr("Token {number} of {count}, “{label}”", number=number, count=count, label=label)
    return tr(
        "Token {number} of {count}, “{label}”, {kind}",
        number=number,
        count=count,
        label=label,
        kind=part_names(window)[part],
    )
