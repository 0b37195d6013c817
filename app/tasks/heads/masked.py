"""Cuts a text with blanks into windows, with a mask token for each blank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.text import Span
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import Tokens, join, part, tokenise
from app.tasks.text.vocabulary import mask_id
from app.tasks.text.windows import PairTemplate, Window

# Blanks that share a window span at most this share of it, so that each has context on both sides.
_SHARED = 0.5


def masked_tokens(
    text: str, blanks: Sequence[Span], model: ReadyModel, report: Report
) -> tuple[Tokens, np.ndarray]:
    """The tokens of a text without special tokens, with a mask token for each blank, and those masks' numbers.

    The masks' places are the blanks'; the other tokens are those of the text with mask tokens in it, and their places
    count in the text as it is. Numbers are int64[blanks]. Raises SpanlightError where the tokenizer has no mask token,
    or loses one; Stopped when the work is to stop.
    """
    mask = mask_id(model.tokenizer)
    name = str(model.tokenizer.id_to_token(mask))
    parts, at, masks, ends = [], 0, [], []
    length = 0
    for blank in blanks:
        parts += [text[at : blank.start], name]
        length += blank.start - at + len(name)
        masks.append(Span(length - len(name), length))
        ends.append(length)
        at = blank.end
    parts.append(text[at:])
    chunks = []
    for chunk in tokenise(model.tokenizer, "".join(parts), special_at=masks):
        report.check()
        chunks.append(chunk)
    tokens = join(chunks)
    # Some tokenizers also read "[mask]" in the text as the mask token.
    at_blank = np.isin(tokens.starts, [place.start for place in masks])
    places = np.flatnonzero((tokens.ids == mask) & at_blank)
    if len(places) != len(blanks):
        raise SpanlightError(
            "The model's tokenizer does not keep a blank apart from the words beside it.",
            "Choose another model for filling in words.",
        )
    # How much further on the text is behind the n-th mask than in what was tokenised.
    moved = np.array([0, *(b.end - end for b, end in zip(blanks, ends, strict=True))], dtype=np.int32)
    shift = moved[np.searchsorted(np.array(ends), tokens.starts, side="right")]
    starts, finish = tokens.starts + shift, tokens.ends + shift
    starts[places] = [blank.start for blank in blanks]
    finish[places] = [blank.end for blank in blanks]
    return Tokens(tokens.ids, starts, finish), places


def masked_windows(text: str, blanks: Sequence[Span], model: ReadyModel, report: Report) -> Iterator[Window]:
    """Windows of a text in which every blank is read once, with as much context on both sides as fits.

    A blank is one mask token, also where another window reads it; `scored` is True for those read here. Blanks share a
    window where they span at most half of it, or where the text fits whole. Raises as `masked_tokens` does.
    """
    tokens, places = masked_tokens(text, blanks, model, report)
    template = PairTemplate.of(model.tokenizer)
    room = model.card.window - template.single_overhead
    for group in groups([int(place) for place in places], len(tokens), room):
        first, last = stretch(group[0], group[-1], len(tokens), room)
        scored = np.zeros(last - first, dtype=bool)
        scored[np.array(group) - first] = True
        yield window(template, part(tokens, first, last), first, scored)


def groups(places: Sequence[int], count: int, room: int) -> list[list[int]]:
    """Groups the numbers of mask tokens, from left to right, by window: `room` of the text's `count` tokens each."""
    found: list[list[int]] = []
    for place in places:
        if found and (count <= room or place - found[-1][0] < room * _SHARED):
            found[-1].append(place)
        else:
            found.append([place])
    return found


def stretch(first: int, last: int, count: int, room: int) -> tuple[int, int]:
    """The first token of a window of `room` tokens around tokens `first` to `last`, and the one behind its last.

    They are in its middle, unless the text begins or ends near them: then the other side is longer.
    """
    spare = room - (last - first + 1)
    start = max(0, min(first - spare // 2, count - room))
    return start, min(count, start + room)


def window(template: PairTemplate, tokens: Tokens, first: int, scored: np.ndarray) -> Window:
    """A window of a text's tokens, the first of them number `first`."""
    ids, types = template.single(tokens.ids)
    return Window(ids, types, len(template.single_parts[0]), first, tokens.starts, tokens.ends, scored)
