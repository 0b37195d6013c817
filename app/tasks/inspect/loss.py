"""Computes the loss of a labelled example, term by term, as training and transformers do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from app.core.errors import SpanlightError
from app.core.inside import Losses, LossTerm
from app.core.inspection import Example, LookAtLoss
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.core.name_types import plain_tag
from app.core.report import Report
from app.core.text import Span
from app.tasks.batches import require_finite
from app.tasks.heads.token_classification import TagScheme, tokens_by_word
from app.tasks.inspect.inputs import ModelInput, ScoredInput, scored_input
from app.tasks.inspect.targets import FOLLOWS, OTHER, BlankVocabulary, label_index, listed
from app.tasks.scores import logsumexp, sigmoid
from app.tasks.task import Arrays, ReadyModel, opened
from app.tasks.text.words import words as words_of

IGNORED = -100

# An example's loss terms, their formula, and the labels as the model's class in transformers takes them.
Terms = tuple[list[LossTerm], str, Arrays]


def look_at_loss(request: LookAtLoss, model: ReadyModel, report: Report) -> Losses:
    """The terms of one window's loss, their mean by the formula, the model's own loss, and training's loss.

    The mean is undefined (NaN) where no target is counted and, as in transformers, for a question where only one of
    the two is; training counts 0 for what is ignored. Raises SpanlightError where the example does not fit the head,
    Stopped when the work is to stop.
    """
    subject, example = request.subject, request.example
    scored = scored_input(subject, model, report)
    require_finite(model, *scored.outputs.values())
    terms, formula, labels = _TERMS[subject.head](scored, example)
    report.check()
    counted = [term.value for term in terms if term.counted]
    if subject.head is Head.QUESTION_ANSWERING:
        trained = sum(counted) / 2
        total = trained if len(counted) == 2 else math.nan
    else:
        trained = sum(counted) / len(counted) if counted else 0.0
        total = trained if counted else math.nan
    by_model = opened(model).loss(scored.model_input.arrays, labels)
    squared = subject.head is Head.CLASSIFICATION and model.card.problem is ProblemType.REGRESSION
    window = scored.model_input.window
    return Losses(window, tuple(terms), formula, total, by_model, trained, model.card.name, squared)


def clamped(position: int, length: int) -> tuple[int, bool]:
    """A position clamped to 0 … length, and whether it counts: `length` means outside the window."""
    position = min(max(position, 0), length)
    return position, position != length


def answer_positions(model_input: ModelInput, answer: Span | None, outside: int) -> tuple[int, int]:
    """The answer's first and last token in the row; `outside` for one that the window does not hold.

    An unanswerable question's are (0, 0), [CLS]'s (BERT, Devlin et al. 2019, section 4.3).
    """
    if answer is None:
        return 0, 0
    tokens, window = model_input.tokens_at(answer), model_input.task_window
    if not tokens:
        return outside, outside
    begins, ends = answer.start >= window.starts[0], answer.end <= window.ends[-1]
    return tokens[0] if begins else outside, tokens[-1] if ends else outside


def _question_terms(scored: ScoredInput, example: Example) -> Terms:
    length = len(scored.model_input.task_window)
    positions = answer_positions(scored.model_input, example.answer, scored.model.card.max_length)
    terms, labels = [], {}
    titles = {"start": Message("Start"), "end": Message("End")}
    for (name, title), position in zip(titles.items(), positions, strict=True):
        labels[f"{name}_positions"] = np.array([position], dtype=np.int64)
        at, counted = clamped(position, length)
        if counted:
            token = scored.model_input.window.tokens[at]
            # A view's replacement has no width.
            words = token.span.of(scored.subject.text) if token.span else token.piece
            target = Message("“{token}”, position {position}", token=words, position=at)
            terms.append(_cross_entropy(title, target, scored.outputs[f"{name}_logits"][:length], at))
        else:
            target = Message(
                "outside this window: position {position} becomes {length}, its length, and is ignored",
                position=position,
                length=length,
            )
            terms.append(_ignored(title, target))
    formula = Message("(−log p(start) − log p(end)) / 2 (BERT, Devlin et al. 2019, section 4.2)")
    return terms, formula, labels


def _class_terms(scored: ScoredInput, example: Example) -> Terms:
    card, logits = scored.model.card, scored.outputs["logits"]
    if card.problem is ProblemType.REGRESSION:
        return _regression_terms(example, card.name, logits)
    right = [label_index(label, card.labels) for label in example.labels]
    if card.problem is ProblemType.MULTI_LABEL:
        present = [at in right for at in range(len(card.labels))]
        terms = [
            _binary(label, holds, float(logit))
            for label, holds, logit in zip(card.labels, present, logits.tolist(), strict=True)
        ]
        formula = Message("mean of −log p(holds, or does not) over the classes (binary cross-entropy)")
        return terms, formula, {"labels": np.array([present], dtype=np.float32)}
    if len(example.labels) != 1:
        raise SpanlightError(
            Message("This model's texts are of one class each."),
            Message("Name one of: {classes}.", classes=listed(card.labels)),
        )
    (at,) = right
    term = _cross_entropy(Message("Class"), card.labels[at], logits, at)
    formula = Message("−log p(class) (BERT, Devlin et al. 2019, section 4.1)")
    return [term], formula, {"labels": np.array([at], dtype=np.int64)}


def _regression_terms(example: Example, model: str, logits: np.ndarray) -> Terms:
    if len(logits) != 1:
        raise SpanlightError(
            Message("{model} gives {number} values at once.", model=model, number=len(logits)),
            Message("Choose a model that gives one."),
        )
    value = float(logits[0])
    right = Message("{value:g}", value=example.value)
    term = LossTerm(Message("Value"), right, value, (value - float(np.float32(example.value))) ** 2)
    formula = Message("(value − right value)² (squared error)")
    return [term], formula, {"labels": np.array([[example.value]], np.float32)}


def _word_terms(scored: ScoredInput, example: Example) -> Terms:
    model_input, subject = scored.model_input, scored.subject
    if len(example.words) != len(subject.blanks):
        raise SpanlightError(
            Message(
                "The text has {blanks} blanks, and there are {words} right words.",
                blanks=len(subject.blanks),
                words=len(example.words),
            ),
            Message("Give one word for each blank."),
        )
    words, terms = BlankVocabulary(subject, scored.model), []
    labels = np.full((1, len(model_input.task_window)), IGNORED, dtype=np.int64)
    for blank, (word, at) in enumerate(
        zip(example.words, model_input.arrays["positions"][0].tolist(), strict=True)
    ):
        name = Message("Blank {number}", number=blank + 1)
        if at < 0:
            terms.append(_ignored(name, Message("“{word}”, outside this window", word=word)))
            continue
        labels[0, at] = words.entry(word, blank)
        target, logits = Message("“{words}”", words=word), scored.outputs["logits"][blank]
        terms.append(_cross_entropy(name, target, logits, int(labels[0, at])))
    formula = Message("mean of −log p(word) over the blanks (BERT, Devlin et al. 2019, section 3.1)")
    return terms, formula, {"labels": labels}


def _order_terms(scored: ScoredInput, example: Example) -> Terms:
    at = 0 if example.follows else 1
    term = _cross_entropy(Message("Order"), (FOLLOWS, OTHER)[at], scored.outputs["logits"], at)
    formula = Message("−log p(follows, or other) (BERT, Devlin et al. 2019, section 3.1)")
    return [term], formula, {"labels": np.array([at], dtype=np.int64)}


def _tag_terms(scored: ScoredInput, example: Example) -> Terms:
    window, known, text = scored.model_input.task_window, scored.model.card.labels, scored.subject.text
    labels = np.full((1, len(window)), IGNORED, dtype=np.int64)
    by_word = tokens_by_word(text, *words_of(text), window.starts, window.ends)
    tags = right_tags(example.entities, known, by_word.starts, by_word.ends)
    terms = []
    for word, first in enumerate(by_word.tokens[by_word.firsts].tolist()):
        at, span = window.context_at + first, Span(int(by_word.starts[word]), int(by_word.ends[word]))
        labels[0, at] = tags[word]
        right = plain_tag(known[tags[word]])
        terms.append(_cross_entropy(span.of(text), right, scored.outputs["logits"][at], tags[word]))
    formula = Message(
        "mean of −log p(tag) over the words' first pieces (BERT, Devlin et al. 2019, section 5.3)"
    )
    return terms, formula, {"labels": labels}


_TERMS: dict[Head, Callable[[ScoredInput, Example], Terms]] = {
    Head.QUESTION_ANSWERING: _question_terms,
    Head.CLASSIFICATION: _class_terms,
    Head.MASKED_WORDS: _word_terms,
    Head.NEXT_SENTENCE: _order_terms,
    Head.TOKEN_CLASSIFICATION: _tag_terms,
}


def right_tags(
    entities: Sequence[tuple[Span, str]], labels: Sequence[str], starts: np.ndarray, ends: np.ndarray
) -> list[int]:
    """The index of each word's right label, by the names' spans and types; words are at `starts` and `ends` (int[n]).

    A name's words are those that share a code point with it; a word of two names is the first one's. Raises
    SpanlightError where the labels have no tag for a type.
    """
    scheme, ordered = TagScheme.of(labels), sorted(entities, key=lambda entity: entity[0])
    name_of = np.full(len(starts), -1)
    for number, (span, _) in reversed(list(enumerate(ordered))):
        name_of[(starts < span.end) & (ends > span.start)] = number
    names, found = name_of.tolist(), []
    for at, name in enumerate(names):
        first = at == 0 or names[at - 1] != name
        last = at == len(names) - 1 or names[at + 1] != name
        kind = ordered[name][1] if name >= 0 else ""
        tag = scheme.tag(kind, first=first, last=last)
        if tag is None:
            raise SpanlightError(
                Message("The model has no tag for {kind}.", kind=kind)
                if kind
                else Message("The model has no tag for words outside names."),
                Message("Its tags are: {tags}.", tags=listed(labels)),
            )
        found.append(tag)
    return found


def _cross_entropy(name: str, target: str, logits: np.ndarray, at: int) -> LossTerm:
    value = float(logsumexp(logits) - np.float64(logits[at]))
    return LossTerm(name, target, math.exp(-value), value)


def _binary(label: str, holds: bool, logit: float) -> LossTerm:
    signed = logit if holds else -logit
    value = float(np.logaddexp(0.0, -signed))
    return LossTerm(
        label, Message("holds") if holds else Message("does not hold"), float(sigmoid(signed)), value
    )


def _ignored(name: str, target: str) -> LossTerm:
    return LossTerm(name, target, 0.0, 0.0, counted=False)
