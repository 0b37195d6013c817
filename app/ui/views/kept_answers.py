"""The answers of an entry of the history, found again in the document as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.history import Entry, KeptAnswer
from app.core.layout import Opened
from app.core.results import Answer, Reading
from app.core.text import Span
from app.flows.history import digest


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of an entry in its document as it is now.

    `as_it_was` tells that every answer stands in its old place, or without any that the document is the same.
    """

    opened: Opened
    answers: tuple[Answer, ...]
    as_it_was: bool


def answers_in(opened: Opened, entry: Entry) -> Found:
    """The entry's answers that stand in a document.

    An answer is looked for by its words with what stood around them (a text quote selector of the Web Annotation Data
    Model, W3C 2017, section 4.2.4), then by its words alone where they stand in one place only.
    """
    text, moved = opened.document.text, False
    found: list[Answer] = []
    for kept in entry.answers:
        span = kept.span
        if span.of(text) != kept.text:
            moved = True
            at = _find(text, kept)
            if at < 0 and not found:
                break  # without the best answer the others would take its place
            if at < 0:
                continue
            span = Span(at, at + len(kept.text))
        found.append(Answer(0, span, kept.text, kept.probability, 0.0, 0.0))
    if not entry.answers:
        moved = (opened.sha256 or digest(text)) != entry.sha256
    return Found(opened, tuple(found), not moved)


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
        quick=entry.quick,
    )


def _find(text: str, kept: KeptAnswer) -> int:
    at = text.find(kept.before + kept.text + kept.after)
    if at >= 0:
        return at + len(kept.before)
    first = text.find(kept.text)
    return first if first >= 0 and text.find(kept.text, first + 1) < 0 else -1
