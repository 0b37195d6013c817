"""Which spans of tokens may be an answer, said once more: character by character, one span at a time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from app.core.sentences import item_starts
from app.core.text import Span
from app.tasks.qa.spans import MAX_TOKENS, whole_span

CLOSING, OPENING = ",;:.!?)]}”’»%…", ",;:([{“‘«$€£#-–—"
PAIRS = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«"}
_NUMBERS = re.compile(r"[(\[]?(\d{1,3}\.)*(\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)\]]?")

Place = tuple[int, int]


def says(text: str) -> bool:
    """Whether there is more than punctuation and what cannot be seen."""
    return any(unicodedata.category(character)[0] not in "PZC" for character in text)


def begins_well(text: str, start: int) -> bool:
    """Whether an answer may begin with the character at `start`: at no stop, but for the dot of “.gov”."""
    is_dotted = text[start] == "." and says(text[start + 1 : start + 2]) and not says(text[:start][-1:])
    return is_dotted or text[start] not in CLOSING


def ends_well(text: str, end: int) -> bool:
    """Whether an answer may end before the code point `end`."""
    return text[end - 1] not in OPENING


def is_balanced(words: str) -> bool:
    """Whether every bracket and quotation mark has its other one, in their order; inches have none."""
    opened: list[str] = []
    is_quoted = False
    for at, character in enumerate(words):
        if character == '"':
            # After a digit they are inches, unless a quotation is open.
            is_quoted = not is_quoted and not words[:at][-1:].isdecimal()
        elif character in PAIRS.values():
            opened.append(character)
        elif character in PAIRS and (not opened or opened.pop() != PAIRS[character]):
            return False
    return not opened and not is_quoted


def is_item_number(text: str, span: Span) -> bool:
    """Whether a span is, or begins with, what numbers the words behind it on its line."""
    line = text[: span.start].rpartition("\n")[2]
    if not line.strip() and re.match(_NUMBERS.pattern + r"\s", span.of(text)):
        return span.start - len(line) in item_starts(text)
    after = text[span.end :]
    if span.of(text).isdecimal() and after[:1] == " " and after.lstrip(" ")[:1].islower():
        return False  # what it counts follows
    behind = re.match(r"[.)\]:]?[^\S\t\n]+[^\W\d_]", after)
    return behind is not None and not line.strip() and _NUMBERS.fullmatch(span.of(text)) is not None


def allowed(text: str, first: Place, last: Place, bounds: Sequence[int] = ()) -> Span | None:
    """The whole words from one token to another (each as its code points) where they may be an answer, else None."""
    span = whole_span(text, first[0], last[1])
    if (
        span is None
        # A token without width is a blank or what a view says.
        or first[0] == first[1]
        or last[0] == last[1]
        or not begins_well(text, first[0])
        or not ends_well(text, last[1])
        or any(first[0] < bound <= last[0] for bound in bounds)
        or not is_balanced(span.of(text))
        or is_item_number(text, span)
    ):
        return None
    return span


def allowed_spans(
    text: str, places: Sequence[Place], bounds: Sequence[int] = (), most: int = MAX_TOKENS
) -> Iterator[tuple[int, int, Span]]:
    """Every pair of tokens whose words may be an answer, and those words."""
    for first, place in enumerate(places):
        for last in range(first, min(len(places), first + most)):
            span = allowed(text, place, places[last], bounds)
            if span is not None:
                yield first, last, span
