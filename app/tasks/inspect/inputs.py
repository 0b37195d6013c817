"""The model input to inspect: exactly the window that the subject's own task would give the model."""

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
class Input:
    """One row of the model's input, and where its tokens come from.

    `arrays` are `ReadyModel.forward`'s, of 1 × length; `cut` is the window as the subject's task cut it. For masked
    words `positions` has a column for each of the subject's blanks, -1 for one that is read in another window.
    """

    window: InputWindow
    arrays: Arrays
    cut: Window

    def tokens_at(self, place: Span) -> tuple[int, ...]:
        """The row's tokens that share a code point with a place of the text, from left to right."""
        return tuple(
            at
            for at, token in enumerate(self.window.tokens)
            if token.part is Part.TEXT and token.span is not None and token.span.overlaps(place)
        )


def input_of(subject: Subject, model: ReadyModel, report: Report) -> Input:
    """The input in which the subject's focus is scored; without a focus the best answer's, else the first.

    Raises SpanlightError where the subject has nothing to read, Stopped when the work is to stop.
    """
    if not subject.text.strip():
        raise SpanlightError(Message("There is no text to look at."), _FIRST)
    return _INPUTS[subject.head](subject, model, report)


def best_place(subject: Subject, model: ReadyModel, report: Report) -> Span | None:
    """The place of the best answer to the subject's question, by a quick reading; None without any."""
    question = Question(subject.pair, (_document(subject),), top_k=1, quick=True)
    reading = read(question, model, _WithoutPartials(report))
    return reading.answers[0].span if reading.answers else None


def _of_question(subject: Subject, model: ReadyModel, report: Report) -> Input:
    if not subject.pair.strip():
        raise SpanlightError(Message("There is no question to look at."), _FIRST)
    focus = subject.focus or best_place(subject, model, report)
    question = Question(subject.pair, (_document(subject),), in_order=True)
    run = QuestionRun(0, question, model, report)
    cut = [window for _, group in run.groups() for window in group]
    if not cut:
        raise SpanlightError(Message("There is no text to look at."), _FIRST)
    number = _where(cut, focus, lambda window: _score(window, focus, subject, model))
    window, begins = cut[number], len(PairTemplate.of(model.tokenizer).pair_parts[0])
    tokens = question_tokens(subject.pair, model)
    taken = min(len(tokens), model.card.window // 4)
    other = begins, Part.PAIR, tokens.starts[:taken], tokens.ends[:taken]
    # The lexical scores of a long text are not the model's.
    return _input(replace(window, lexical=None), model, number, len(cut), other)


def _document(subject: Subject) -> Document:
    return Document(subject.text, view=subject.view)


def _of_text(subject: Subject, model: ReadyModel, report: Report) -> Input:
    cut = list(text_windows(subject.text, model, report))
    number = _where(cut, subject.focus)
    return _input(cut[number], model, number, len(cut))


def _of_blanks(subject: Subject, model: ReadyModel, report: Report) -> Input:
    blanks = subject.blanks
    if not blanks:
        raise SpanlightError(
            Message("There is no blank to look at."), Message("Type ___ where a word is missing.")
        )
    cut = list(masked_windows(subject.text, blanks, model, report))
    number = _where(cut, subject.focus or blanks[0])
    found = _input(cut[number], model, number, len(cut))
    before = sum(int(window.scored.sum()) for window in cut[:number])
    here = (np.flatnonzero(found.cut.scored) + found.cut.context_at).tolist()
    places = [-1] * before + here + [-1] * (len(blanks) - before - len(here))
    return replace(found, arrays=found.arrays | {"positions": np.array([places], dtype=np.int64)})


def _of_pair(subject: Subject, model: ReadyModel, report: Report) -> Input:
    if not subject.pair.strip():
        raise SpanlightError(Message("There is no second passage to look at."), _FIRST)
    pair = pair_window(subject.text, subject.pair, model, report.check)
    first, second = pair.passages
    scored = np.ones(len(first), dtype=bool)
    window = Window(pair.input_ids, pair.token_type_ids, pair.at[0], 0, first.starts, first.ends, scored)
    return _input(window, model, 0, 1, (pair.at[1], Part.PAIR, second.starts, second.ends))


_INPUTS: dict[Head, Callable[[Subject, ReadyModel, Report], Input]] = {
    Head.QUESTION_ANSWERING: _of_question,
    Head.CLASSIFICATION: _of_text,
    Head.MASKED_WORDS: _of_blanks,
    Head.NEXT_SENTENCE: _of_pair,
    Head.TOKEN_CLASSIFICATION: _of_text,
}


def _where(cut: Sequence[Window], focus: Span | None, score: Callable[[Window], float] | None = None) -> int:
    """The number of the window that scores the focus; of several that score a part, the one with the best score."""
    if focus is None:
        return 0
    scoring = [number for number, window in enumerate(cut) if _scores(window, focus)]
    if len(scoring) > 1 and score is not None:
        return max(scoring, key=lambda number: score(cut[number]))
    return scoring[0] if scoring else 0


def _scores(window: Window, focus: Span) -> bool:
    inside = (window.starts < focus.end) & (window.ends > focus.start)
    return bool((window.scored & inside).any())


def _score(window: Window, focus: Span | None, subject: Subject, model: ReadyModel) -> float:
    """The focus's score if it is among the window's best candidates, else -inf."""
    logits = model.forward(pad([window], padding_id(model.tokenizer)))
    start, end = logits["start_logits"][0], logits["end_logits"][0]
    found = window_candidates(window, start, end, text=subject.text, document=0, count=SHARED_AMONG)
    return max((candidate.score for candidate in found if candidate.span == focus), default=-np.inf)


# Where another text's tokens begin in the row, which text it is, and their places in it (int32[n] each).
Run = tuple[int, Part, np.ndarray, np.ndarray]


def _input(window: Window, model: ReadyModel, number: int, windows: int, other: Run | None = None) -> Input:
    """The Input of window number `number` of `windows`."""
    runs: list[Run] = [(window.context_at, Part.TEXT, window.starts, window.ends)]
    runs += [other] if other else []
    placed = {
        at: (kind, Span(*place))
        for first, kind, starts, ends in runs
        for at, place in enumerate(zip(starts.tolist(), ends.tolist(), strict=True), start=first)
    }
    tokens = []
    for at, (token, kind) in enumerate(
        zip(window.input_ids.tolist(), window.token_type_ids.tolist(), strict=True)
    ):
        of, span = placed.get(at, (Part.SPECIAL, None))
        tokens.append(InputToken(model.tokenizer.id_to_token(token) or "", token, kind, of, span))
    arrays = pad([window], padding_id(model.tokenizer))
    return Input(InputWindow(tuple(tokens), number, windows), arrays, window)


class _WithoutPartials(Relay):
    """A Report without partial results: readings are not the result here."""

    def partial(self, result: object) -> None:
        pass
