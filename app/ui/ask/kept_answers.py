"""The answers of an entry of the history, found again in the document as it is now."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.history import Entry, KeptAnswer
from app.core.layout import Opened
from app.core.results import Answer, Reading
from app.core.text import Span, without_blanks
from app.flows.history.history import AROUND, digest


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of an entry in its document as it is now.

    `as_it_was` tells that every answer stands in its old place, or without any that the document is the same; `changed`
    that the document is not the one that was asked. One and the same file may be read with other blanks than once.
    """

    opened: Opened
    answers: tuple[Answer, ...]
    as_it_was: bool
    changed: bool


def answers_in(opened: Opened, entry: Entry) -> Found:
    """The entry's answers that stand in a document.

    An answer is looked for by its words with what stood around them (a text quote selector of the Web Annotation Data
    Model, W3C 2017, section 4.2.4), then by its words alone where they stand in one place only; in the same file blanks
    are left out of that.
    """
    text, moved = opened.document.text, False
    changed = (opened.sha256 or digest(text)) != entry.sha256
    found: list[Answer] = []
    for kept in entry.answers:
        span = kept.span
        if span.of(text) != kept.text:
            again = _find(text, kept) if changed else _find_without_blanks(text, kept)
            moved = moved or changed or again is None
            if again is None and not found:
                break  # without the best answer the others would take its place
            if again is None:
                continue
            span = again
        found.append(Answer(0, span, span.of(text), kept.probability, 0.0, 0.0))
    return Found(opened, tuple(found), not (moved if entry.answers else changed), changed)


def reading_of(entry: Entry, answers: tuple[Answer, ...]) -> Reading:
    """The reading that an entry was made from, as far as it was kept."""
    return Reading(
        answers=answers,
        answered=entry.answered and bool(answers),
        no_answer_probability=entry.no_answer_probability,
        threshold=entry.threshold,
        windows=entry.windows,
        windows_total=entry.windows_total,
        seconds=entry.seconds,
        complete=entry.complete,
        model=entry.model,
        device=entry.device,
        quick=entry.quick or bool(entry.finder),
        absent=entry.absent,
        finder=entry.finder,
    )


def _find(text: str, kept: KeptAnswer) -> Span | None:
    at = text.find(kept.before + kept.text + kept.after)
    if at >= 0:
        return Span(at + len(kept.before), at + len(kept.before) + len(kept.text))
    first = text.find(kept.text)
    only = first >= 0 and text.find(kept.text, first + 1) < 0
    return Span(first, first + len(kept.text)) if only else None


def _find_without_blanks(text: str, kept: KeptAnswer) -> Span | None:
    words = without_blanks(kept.text)
    if not words:
        return None
    places = [Span(*each.span()) for each in re.finditer(r"\s*".join(map(re.escape, words)), text)]
    alike = [each for each in places if _stands_between(text, each, kept)] or (
        places if len(places) == 1 else []
    )
    return min(alike, key=lambda each: abs(each.start - kept.span.start), default=None)


def _stands_between(text: str, span: Span, kept: KeptAnswer) -> bool:
    before, after = without_blanks(kept.before), without_blanks(kept.after)
    reach = 2 * AROUND
    return without_blanks(text[max(0, span.start - reach) : span.start]).endswith(before) and without_blanks(
        text[span.end : span.end + reach]
    ).startswith(after)
