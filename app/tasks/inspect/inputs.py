"""Finds the model input to inspect: exactly the window that the subject's own task would give the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.errors import SpanlightError
from app.core.inside import InputToken, InputWindow, Part
from app.core.inspection import Subject
from app.core.message import Message
from app.core.models import SHARED_AMONG, Head
from app.core.report import Relay, Report
from app.core.requests import Question
from app.core.text import Document, Span
from app.tasks.batches import require_finite
from app.tasks.heads.fill_mask import masked_windows
from app.tasks.heads.next_sentence import pair_window
from app.tasks.heads.texts import text_windows
from app.tasks.qa.question_answering import read
from app.tasks.qa.question_run import QuestionRun, question_tokens
from app.tasks.qa.spans import window_candidates
from app.tasks.task import Arrays, ReadyModel
from app.tasks.text.windows import PairTemplate, Window, pad, padding_id

_FIRST = Message("Type or open something first.")


@dataclass(frozen=True, slots=True)
class ModelInput:
    """One row of the model's input, and where its tokens come from.

    `arrays` are `ReadyModel.forward`'s, of 1 × length; `task_window` is the window as the subject's task made it. For
    masked words `positions` has a column for each of the subject's blanks, -1 for one that is read in another window.
    """

    window: InputWindow
    arrays: Arrays
    task_window: Window

    def tokens_at(self, span: Span) -> tuple[int, ...]:
        """The row's tokens that share a code point with a span of the text, from left to right."""
        return tuple(
            at
            for at, token in enumerate(self.window.tokens)
            if token.part is Part.TEXT and token.span is not None and token.span.overlaps(span)
        )


@dataclass(frozen=True, slots=True)
class ScoredInput:
    """A subject's model input, and the head's `outputs` on it, without the batch's dimension."""

    subject: Subject
    model: ReadyModel
    model_input: ModelInput
    outputs: Arrays

    def logits(self, *at: int) -> np.ndarray:
        """The logits at an index of the row, float64. Raises SpanlightError where they are not numbers."""
        values = self.outputs["logits"][at]
        require_finite(self.model, values)
        return values.astype(np.float64)


def scored_input(subject: Subject, model: ReadyModel, report: Report) -> ScoredInput:
    """The subject's input, found as by `input_of`, with the head's outputs on it."""
    model_input = input_of(subject, model, report)
    report.check()
    return ScoredInput(subject, model, model_input, row_of(model.forward(model_input.arrays)))


def row_of(outputs: Arrays, row: int = 0) -> Arrays:
    """One row of a head's outputs, without the batch's dimension."""
    return {name: values[row] for name, values in outputs.items()}


def input_of(subject: Subject, model: ReadyModel, report: Report) -> ModelInput:
    """The input in which the subject's focus is scored; without a focus the best answer's, else the first.

    Raises SpanlightError where the subject has nothing to read, Stopped when the work is to stop.
    """
    if not subject.text.strip():
        raise SpanlightError(Message("There is no text to look at."), _FIRST)
    return _INPUTS[subject.head](subject, model, report)


def _best_span(subject: Subject, model: ReadyModel, report: Report) -> Span | None:
    """The span of the best answer to the subject's question, by a quick reading; None where there is none."""
    question = Question(subject.pair, (_document(subject),), top_k=1, quick=True)
    reading = read(question, model, _WithoutPartials(report))
    return reading.answers[0].span if reading.answers else None


def _question_input(subject: Subject, model: ReadyModel, report: Report) -> ModelInput:
    if not subject.pair.strip():
        raise SpanlightError(Message("There is no question to look at."), _FIRST)
    focus = subject.focus or _best_span(subject, model, report)
    question = Question(subject.pair, (_document(subject),), in_order=True)
    run = QuestionRun(0, question, model, report)
    windows = [window for group in run.groups() for _, window in group]
    if not windows:
        raise SpanlightError(Message("There is no text to look at."), _FIRST)
    number = _focused_window(windows, focus, lambda window: _focus_score(window, focus, subject, model))
    begin = len(PairTemplate.of(model.tokenizer).pair_parts[0])
    tokens = question_tokens(subject.pair, model)
    size = min(len(tokens), model.card.window // 4)
    asked = begin, Part.PAIR, tokens.starts[:size], tokens.ends[:size]
    # The lexical scores of a long text are not the model's.
    return _model_input(replace(windows[number], lexical=None), model, number, len(windows), asked)


def _document(subject: Subject) -> Document:
    return Document(subject.text, view=subject.view)


def _text_input(subject: Subject, model: ReadyModel, report: Report) -> ModelInput:
    windows = list(text_windows(subject.text, model, report))
    number = _focused_window(windows, subject.focus)
    return _model_input(windows[number], model, number, len(windows))


def _blanks_input(subject: Subject, model: ReadyModel, report: Report) -> ModelInput:
    blanks = subject.blanks
    if not blanks:
        raise SpanlightError(
            Message("There is no blank to look at."), Message("Type ___ where a word is missing.")
        )
    windows = list(masked_windows(subject.text, blanks, model, report))
    number = _focused_window(windows, subject.focus or blanks[0])
    window = windows[number]
    found = _model_input(window, model, number, len(windows))
    before = sum(int(earlier.scored.sum()) for earlier in windows[:number])
    here = (np.flatnonzero(window.scored) + window.context_at).tolist()
    positions = [-1] * before + here + [-1] * (len(blanks) - before - len(here))
    return replace(found, arrays=found.arrays | {"positions": np.array([positions], dtype=np.int64)})


def _pair_input(subject: Subject, model: ReadyModel, report: Report) -> ModelInput:
    if not subject.pair.strip():
        raise SpanlightError(Message("There is no second passage to look at."), _FIRST)
    pair = pair_window(subject.text, subject.pair, model, report.check)
    first, second = pair.passages
    scored = np.ones(len(first), dtype=bool)
    window = Window(pair.input_ids, pair.token_type_ids, pair.at[0], 0, first.starts, first.ends, scored)
    return _model_input(window, model, 0, 1, (pair.at[1], Part.PAIR, second.starts, second.ends))


_INPUTS: dict[Head, Callable[[Subject, ReadyModel, Report], ModelInput]] = {
    Head.QUESTION_ANSWERING: _question_input,
    Head.CLASSIFICATION: _text_input,
    Head.MASKED_WORDS: _blanks_input,
    Head.NEXT_SENTENCE: _pair_input,
    Head.TOKEN_CLASSIFICATION: _text_input,
}


def _focused_window(
    windows: Sequence[Window], focus: Span | None, score: Callable[[Window], float] | None = None
) -> int:
    """The number of the window that scores the focus: of several that score a token of it, the one scored highest."""
    if focus is None:
        return 0
    scoring = [number for number, window in enumerate(windows) if _scores_focus(window, focus)]
    if len(scoring) > 1 and score is not None:
        return max(scoring, key=lambda number: score(windows[number]))
    return scoring[0] if scoring else 0


def _scores_focus(window: Window, focus: Span) -> bool:
    inside = (window.starts < focus.end) & (window.ends > focus.start)
    return bool((window.scored & inside).any())


def _focus_score(window: Window, focus: Span | None, subject: Subject, model: ReadyModel) -> float:
    """The focus's score if it is among the window's best candidates, else -inf."""
    logits = model.forward(pad([window], padding_id(model.tokenizer)))
    start, end = logits["start_logits"][0], logits["end_logits"][0]
    found = window_candidates(window, start, end, text=subject.text, document=0, count=SHARED_AMONG)
    return max((candidate.score for candidate in found if candidate.span == focus), default=-np.inf)


# Where a text's tokens begin in the row, which text that is, and where they start and end in it (int32[n] each).
TokenRun = tuple[int, Part, np.ndarray, np.ndarray]


def _model_input(
    window: Window, model: ReadyModel, number: int, windows: int, other: TokenRun | None = None
) -> ModelInput:
    """The ModelInput of window number `number` of `windows`; `other` are the tokens of a question or second passage."""
    runs: list[TokenRun] = [(window.context_at, Part.TEXT, window.starts, window.ends)]
    runs += [other] if other else []
    sources = {
        at: (part, Span(*bounds))
        for first, part, starts, ends in runs
        for at, bounds in enumerate(zip(starts.tolist(), ends.tolist(), strict=True), start=first)
    }
    tokens = []
    for at, (token, token_type) in enumerate(
        zip(window.input_ids.tolist(), window.token_type_ids.tolist(), strict=True)
    ):
        part, span = sources.get(at, (Part.SPECIAL, None))
        tokens.append(InputToken(model.tokenizer.id_to_token(token) or "", token, token_type, part, span))
    arrays = pad([window], padding_id(model.tokenizer))
    return ModelInput(InputWindow(tuple(tokens), number, windows), arrays, window)


class _WithoutPartials(Relay):
    """A Report that drops partial results: readings are not what was asked for."""

    def partial(self, result: object) -> None:
        pass
