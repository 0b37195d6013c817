"""Labels for a window's tokens in charts."""

from __future__ import annotations

from app.core.inside import InputToken, InputWindow, Part
from app.core.message import Message
from app.core.text import Span
from app.ui.kit.translation import tr

# How byte-level and SentencePiece vocabularies write a blank before a piece, and a line end.
_BLANKS = "Ġ▁"
_LINE_ENDS = "Ċ"


def part_names(window: InputWindow) -> dict[Part, str]:
    """The names of a window's parts: a question precedes its text, a second passage follows the first."""
    parts = [part for part, _, _ in parts_of(window) if part is not Part.SPECIAL]
    second = Message("second passage") if parts[:1] == [Part.TEXT] else Message("question")
    return {Part.SPECIAL: Message("special token"), Part.PAIR: second, Part.TEXT: Message("text")}


def label_of(token: InputToken, text: str = "", pair: str = "") -> str:
    """The piece in readable form: the letters that it encodes if a vocabulary spells them in bytes."""
    piece = token.piece
    source = pair if token.part is Part.PAIR else text
    if token.span is not None and token.part is not Part.SPECIAL and not piece.startswith("##"):
        words = token.span.of(source).strip()
        # A byte-level vocabulary writes letters beyond ASCII as several of its own.
        if words and (not piece.isascii() or piece[:1] in _BLANKS):
            return words
    bare = piece.lstrip(_BLANKS)
    return (bare if bare.strip(_LINE_ENDS) else "⏎") if bare else "␣"


def labels_of(window: InputWindow, text: str = "", pair: str = "") -> tuple[str, ...]:
    """Every token's label, in order."""
    return tuple(label_of(token, text, pair) for token in window.tokens)


def parts_of(window: InputWindow) -> list[tuple[Part, int, int]]:
    """Runs of tokens of one part: which, the first token, the one behind the last."""
    runs: list[tuple[Part, int, int]] = []
    for at, token in enumerate(window.tokens):
        if runs and runs[-1][0] is token.part:
            runs[-1] = (token.part, runs[-1][1], at + 1)
        else:
            runs.append((token.part, at, at + 1))
    return runs


def words_between(window: InputWindow, first: int, last: int, text: str, pair: str = "") -> str:
    """The words from one token's beginning to another's end, on one line; the pieces if the text is not known."""
    tokens = window.tokens[first : last + 1]
    spans = [token.span for token in tokens if token.span is not None]
    source = pair if tokens and tokens[0].part is Part.PAIR else text
    if spans and len(spans) == len(tokens) and source:
        return " ".join(Span(spans[0].start, max(spans[-1].end, spans[0].start)).of(source).split())
    return " ".join(label_of(token, text, pair) for token in tokens)


def share_name(window: InputWindow, index: int, label: str) -> str:
    """A token with its place and, where it is no text, its part: "Token 17 of 40, “knave”"."""
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
