"""Measures how a score changes when each sentence is left out of the text."""

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
from app.tasks.batches import Pace, Runner, batch_size, in_groups, positions_of
from app.tasks.inspect.inputs import ModelInput, ScoredInput, input_of, row_of, scored_input
from app.tasks.inspect.targets import NoTarget, target_score_of
from app.tasks.task import ReadyModel


def look_without(request: LookWithout, model: ReadyModel, report: Report) -> Removals:
    """The target's score and probability on the window's text, and on that without each of its sentences in turn.

    With a sentence go the blanks behind it. Where it overlaps the answer in focus (`holds_focus`), the score is the
    best remaining answer's. There is no row for a sentence without which nothing can be scored: the only one, and one
    that holds the blank or the word in focus. Reports progress in sentences. Raises SpanlightError where there is no
    such target, Stopped when the work is to stop.
    """
    subject, pace, runner = request.subject, Pace(report, Message("sentences")), Runner(model, report)
    scored = scored_input(subject, model, report)
    model_input, target = scored.model_input, target_score_of(scored, request.target)
    shortened = list(_shortened(model_input, replace(subject, focus=target.span), model, report))
    removals: list[Removal] = []
    done = 0
    for batch in in_groups(shortened, batch_size(model)):
        inputs = [each.model_input for each in batch]
        positions = [each.arrays["positions"][0] for each in inputs if "positions" in each.arrays]
        outputs, _ = runner(
            [each.task_window for each in inputs], positions_of(positions) if positions else None
        )
        for row, each in enumerate(batch):
            scored = ScoredInput(each.subject, model, each.model_input, row_of(outputs, row))
            try:
                now = target_score_of(scored, request.target, target.entry)
            except NoTarget:  # no word is left that could answer
                continue
            removals.append(
                Removal(each.span, each.span.of(subject.text), now.value, now.probability, each.holds_focus)
            )
        done += len(batch)
        pace.report(done, len(shortened))
    return Removals(
        model_input.window, target.words, target.value, target.probability, tuple(removals), model.card.name
    )


@dataclass(frozen=True, slots=True)
class _Shortened:
    """A subject without the sentence at `span` of the whole text, and its model input."""

    span: Span
    subject: Subject
    model_input: ModelInput
    holds_focus: bool


def _shortened(
    model_input: ModelInput, subject: Subject, model: ReadyModel, report: Report
) -> Iterator[_Shortened]:
    """The subject limited to the window's text without each sentence in turn, where something is left to score."""
    text, region = subject.text, _region(model_input, subject.text)
    spans = [Span(s.start + region.start, s.end + region.start) for s in sentences(region.of(text))]
    for number, span in enumerate(spans):
        removed = Span(span.start, spans[number + 1].start if number + 1 < len(spans) else region.end)
        holds_focus = subject.focus is not None and subject.focus.overlaps(removed)
        if len(spans) == 1 or (holds_focus and subject.head is not Head.QUESTION_ANSWERING):
            continue
        parts = Span(region.start, removed.start), Span(removed.end, region.end)
        shortened = replace(
            subject,
            text="".join(part.of(text) for part in parts),
            view=subject.view and subject.view.of_parts(parts),
            focus=None if subject.focus is None or holds_focus else _moved(subject.focus, region, removed),
            blanks=tuple(
                _moved(blank, region, removed)
                for blank in subject.blanks
                if not blank.overlaps(removed) and region.start <= blank.start and blank.end <= region.end
            ),
        )
        try:
            # With any focus, as without one the best answer would be searched for first.
            focus = shortened.focus or Span(0, len(shortened.text))
            without = input_of(replace(shortened, focus=focus), model, report)
        except SpanlightError:  # what is left has no token
            continue
        yield _Shortened(span, shortened, without, holds_focus)


def _region(model_input: ModelInput, text: str) -> Span:
    """The span of the text in the window, with the blanks before it: the first word's token may include one."""
    spans = [
        token.span
        for token in model_input.window.tokens
        if token.part is Part.TEXT and token.span is not None
    ]
    if not spans:
        return Span(0, 0)
    start, end = spans[0].start, max(span.end for span in spans)
    while start and text[start - 1].isspace():
        start -= 1
    return Span(start, end)


def _moved(span: Span, region: Span, removed: Span) -> Span:
    """A span of the whole text, moved to the region without what is removed, which it does not overlap."""
    by = region.start + (len(removed) if span.start >= removed.end else 0)
    return Span(span.start - by, span.end - by)
