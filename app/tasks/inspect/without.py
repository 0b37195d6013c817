"""The change of a score when each sentence is left out of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.errors import SpanlightError
from app.core.inside import Part, Removal, Removals
from app.core.inspection import LookWithout, Subject
from app.core.message import Message
from app.core.models import Head
from app.core.report import Report
from app.core.sentences import sentences
from app.core.text import Span
from app.tasks.batches import Pace, Runner, batch_size, positions_of
from app.tasks.inspect.inputs import Input, input_of
from app.tasks.inspect.spans import row_of
from app.tasks.inspect.targets import NoTarget, target_score_of
from app.tasks.task import ReadyModel


def look_without(request: LookWithout, model: ReadyModel, report: Report) -> Removals:
    """The target's score and probability as they are, and without each sentence of the window's text in turn.

    Each time the window's text is read without the sentence and the blanks behind it. Where the sentence overlaps the
    answer in focus (`holds_focus`), the score is the best remaining answer's. There is no row for a sentence without
    which nothing can be scored: the only one, and one that holds the blank or the word in focus. Reports progress in
    sentences. Raises SpanlightError where there is no such target, Stopped when the work is to stop.
    """
    subject, pace, run = request.subject, Pace(report, Message("sentences")), Runner(model, report)
    found = input_of(subject, model, report)
    report.check()
    target = target_score_of(found, subject, request.target, model, row_of(model.forward(found.arrays)))
    left = list(_shortened(found, replace(subject, focus=target.place), model, report))
    removals: list[Removal] = []
    size = batch_size(model)
    for at in range(0, len(left), size):
        some = left[at : at + size]
        positions = [one.found.arrays["positions"][0] for one in some if "positions" in one.found.arrays]
        outputs, _ = run([one.found.cut for one in some], positions_of(positions) if positions else None)
        for row, one in enumerate(some):
            try:
                now = target_score_of(
                    one.found, one.subject, request.target, model, row_of(outputs, row), like=target
                )
            except NoTarget:  # no word is left that could answer
                continue
            removals.append(
                Removal(one.span, one.span.of(subject.text), now.value, now.probability, one.holds_focus)
            )
        pace.report(at + len(some), len(left))
    return Removals(
        found.window, target.words, target.value, target.probability, tuple(removals), model.card.name
    )


@dataclass(frozen=True, slots=True)
class _Shortened:
    """A subject without the sentence at `span` of the whole text, and its input."""

    span: Span
    subject: Subject
    found: Input
    holds_focus: bool


def _shortened(found: Input, subject: Subject, model: ReadyModel, report: Report) -> Iterator[_Shortened]:
    """The subject limited to the window's text without each sentence in turn, where something is left to score."""
    text, region = subject.text, _region(found, subject.text)
    places = [Span(s.start + region.start, s.end + region.start) for s in sentences(region.of(text))]
    for number, place in enumerate(places):
        gone = Span(place.start, places[number + 1].start if number + 1 < len(places) else region.end)
        holds = subject.focus is not None and subject.focus.overlaps(gone)
        if len(places) == 1 or (holds and subject.head is not Head.QUESTION_ANSWERING):
            continue
        parts = Span(region.start, gone.start), Span(gone.end, region.end)
        left = replace(
            subject,
            text="".join(part.of(text) for part in parts),
            view=subject.view and subject.view.of_parts(parts),
            focus=None if subject.focus is None or holds else _moved(subject.focus, region, gone),
            blanks=tuple(
                _moved(blank, region, gone)
                for blank in subject.blanks
                if not blank.overlaps(gone) and region.start <= blank.start and blank.end <= region.end
            ),
        )
        try:
            # With any focus, as without one the best answer would be searched for first.
            read = input_of(replace(left, focus=left.focus or Span(0, len(left.text))), model, report)
        except SpanlightError:  # what is left has no token
            continue
        yield _Shortened(place, left, read, holds)


def _region(found: Input, text: str) -> Span:
    """The window's stretch of the text, with the blanks before it, as a tokenizer may include one in the first word."""
    places = [
        token.span for token in found.window.tokens if token.part is Part.TEXT and token.span is not None
    ]
    if not places:
        return Span(0, 0)
    start, end = places[0].start, max(place.end for place in places)
    while start and text[start - 1].isspace():
        start -= 1
    return Span(start, end)


def _moved(place: Span, region: Span, gone: Span) -> Span:
    """A place of the whole text in what is left of the region; it does not overlap what is gone."""
    by = region.start + (len(gone) if place.start >= gone.end else 0)
    return Span(place.start - by, place.end - by)
