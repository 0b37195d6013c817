"""Finds the answers of an entry of the history in the present document."""

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
    """The answers of an entry found in its present document.

    `in_place`: every answer is in its old place, or without answers the document is the same; `changed`: the document
    is not the one that was asked. The same file may now be read with other blanks.
    """

    opened: Opened
    answers: tuple[Answer, ...]
    in_place: bool
    changed: bool


def answers_in(opened: Opened, entry: Entry) -> Found:
    """The entry's answers in a document, each by `place_of_kept`."""
    text, moved = opened.document.text, False
    changed = (opened.sha256 or digest(text)) != entry.sha256
    found: list[Answer] = []
    for kept in entry.answers:
        span = place_of_kept(kept, text, changed=changed)
        moved = moved or span is None or (changed and span != kept.span)
        if span is None and not found:
            break  # without the best answer another one would take its place
        if span is None:
            continue
        found.append(Answer(0, span, span.of(text), kept.probability, 0.0, 0.0))
    return Found(opened, tuple(found), not (moved if entry.answers else changed), changed)


def place_of_kept(kept: KeptAnswer, text: str, *, changed: bool) -> Span | None:
    """Where an answer stands in its text, which was `changed` since or read with other blanks; None where it does not.

    It is searched by its words with their context (a text quote selector of the Web Annotation Data Model, W3C 2017,
    section 4.2.4), then by its words only where they occur once; in the same file blanks are ignored.
    """
    if kept.span.of(text) == kept.text:
        return kept.span
    return _find(text, kept) if changed else _find_without_blanks(text, kept)


def reading_of(entry: Entry, answers: tuple[Answer, ...]) -> Reading:
    """The reading of an entry, as far as it was saved."""
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
    alike = [each for each in places if _is_between(text, each, kept)] or (places if len(places) == 1 else [])
    return min(alike, key=lambda each: abs(each.start - kept.span.start), default=None)


def _is_between(text: str, span: Span, kept: KeptAnswer) -> bool:
    before, after = without_blanks(kept.before), without_blanks(kept.after)
    reach = 2 * AROUND
    return without_blanks(text[max(0, span.start - reach) : span.start]).endswith(before) and without_blanks(
        text[span.end : span.end + reach]
    ).startswith(after)
