"""Locates the answers of a history entry in the document as it is now."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.history import Entry, KeptAnswer
from app.core.layout import Opened
from app.core.results import Answer, Reading
from app.core.text import Span, without_blanks
from app.flows.history.history import AROUND, digest


@dataclass(frozen=True, slots=True)
class LocatedAnswers:
    """The answers of an entry that were located in the document as it is now.

    `in_place` is whether every answer is in its old place or, without answers, the document is the same. `changed` is
    whether the document's bytes differ from those that were asked; the same bytes may be read with other white space.
    """

    opened: Opened
    answers: tuple[Answer, ...]
    in_place: bool
    changed: bool


def locate_answers(opened: Opened, entry: Entry) -> LocatedAnswers:
    """Locate the entry's answers in a document, each with `locate_answer`."""
    text, moved = opened.document.text, False
    changed = (opened.sha256 or digest(text)) != entry.sha256
    found: list[Answer] = []
    for kept in entry.answers:
        span = locate_answer(kept, text, changed=changed)
        moved = moved or span is None or (changed and span != kept.span)
        if span is None and not found:
            break  # otherwise another answer would be taken for the best one
        if span is None:
            continue
        found.append(Answer(0, span, span.of(text), kept.probability, 0.0, 0.0))
    return LocatedAnswers(opened, tuple(found), not (moved if entry.answers else changed), changed)


def locate_answer(kept: KeptAnswer, text: str, *, changed: bool) -> Span | None:
    """Locate an answer in its text, which may have `changed` or be read with other white space; None if it is gone.

    In a changed text the words are searched with their context (a text quote selector of the Web Annotation Data Model,
    W3C 2017, section 4.2.4), then alone if they occur once; otherwise white space is ignored.
    """
    if kept.span.of(text) == kept.text:
        return kept.span
    return _find_words(text, kept) if changed else _find_without_blanks(text, kept)


def restore_reading(entry: Entry, answers: tuple[Answer, ...]) -> Reading:
    """Restore the reading of an entry as far as it was saved, judged by the reader's own threshold where that is known.

    What is shown of it depends on the threshold that the person has set since.
    """
    own = entry.own_threshold
    answered = 1.0 - entry.no_answer_probability >= own if own else entry.answered
    return Reading(
        answers=answers,
        answered=answered and bool(answers),
        no_answer_probability=entry.no_answer_probability,
        threshold=own or entry.threshold,
        windows=entry.windows,
        windows_total=entry.windows_total,
        seconds=entry.seconds,
        complete=entry.complete,
        model=entry.model,
        device=entry.device,
        quick=entry.quick or bool(entry.finder),
        absent=entry.absent,
        finder=entry.finder,
        read_as=entry.read_as,
    )


def _find_words(text: str, kept: KeptAnswer) -> Span | None:
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
