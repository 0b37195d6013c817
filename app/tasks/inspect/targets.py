"""Finds the score of a subject that is explained, from the head's outputs on one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.errors import SpanlightError
from app.core.inspection import Subject, Target
from app.core.message import Message
from app.core.models import Head
from app.core.name_types import plain_tag
from app.core.text import Span
from app.tasks.heads.classification import class_scores
from app.tasks.heads.token_classification import Mark, TagScheme, tokens_by_word
from app.tasks.inspect.inputs import ModelInput, ScoredInput
from app.tasks.inspect.spans import WindowScores
from app.tasks.scores import softmax
from app.tasks.task import ReadyModel, Score
from app.tasks.text.vocabulary import LeftContext, Vocabulary
from app.tasks.text.words import words as words_of

FOLLOWS, OTHER = Message("follows"), Message("other")
NO_ANSWER = Message("no answer")


@dataclass(frozen=True, slots=True)
class TargetScore:
    """A score of the head's outputs: `words` name its target, `score` is its sum over the outputs.

    `value` is the score's value. `probability` is, for a question, the softmax among the window's spans and its null
    score, for a class, a word or a tag its own, for a regression head the value. `span` is the target's in the
    text, None for the whole text; `entry` is the class's, the word's or the tag's index.
    """

    words: str
    score: Score
    value: float
    probability: float
    span: Span | None = None
    entry: int = 0


class NoTarget(SpanlightError):
    """The window has nothing that could be the target."""


def target_score_of(scored: ScoredInput, target: Target, entry: int | None = None) -> TargetScore:
    """The target's score in the head's outputs; `entry` is the index of the class, word or tag if it is known.

    Raises SpanlightError where there is no such class, word or place, or the outputs are not numbers.
    """
    head = scored.subject.head
    if head is Head.QUESTION_ANSWERING:
        return _span_score(scored, null=target.null)
    if target.null:
        raise SpanlightError(
            Message("Only a question can go without an answer."), Message("Choose another target.")
        )
    return _TARGET_SCORES[head](scored, target.label, entry)


def _span_score(scored: ScoredInput, *, null: bool) -> TargetScore:
    scores = WindowScores.of(scored)
    words: str
    if null:
        first = last = 0
        words, span, probability = NO_ANSWER, None, scores.probability(scores.null_score)
    else:
        spans = scores.spans(scored.subject.focus, 1)
        if not spans:
            raise NoTarget(
                Message("There is no answer in this part of the text."), Message("Look into another answer.")
            )
        first, last, probability = spans[0].first, spans[0].last, spans[0].probability
        words, span = Message("“{words}”", words=spans[0].text), spans[0].span
    parts = (("start_logits", (first,), 1.0), ("end_logits", (last,), 1.0))
    return TargetScore(words, parts, float(scores.start[first] + scores.end[last]), probability, span)


def _class_score(scored: ScoredInput, label: str, at: int | None) -> TargetScore:
    logits, card = scored.logits(), scored.model.card
    scores = class_scores(logits, card).scores
    values = [score.probability for score in scores]
    if at is None:
        at = label_index(label, card.labels) if label else int(np.argmax(values))
    return TargetScore(scores[at].label, (("logits", (at,), 1.0),), float(logits[at]), values[at], None, at)


def _word_score(scored: ScoredInput, label: str, at: int | None) -> TargetScore:
    blank, label = blank_of(scored.model_input, scored.subject), label.strip()
    logits, words = scored.logits(blank), BlankVocabulary(scored.subject, scored.model)
    if at is None:
        at = words.entry(label, blank) if label else words.likeliest(logits, blank)
    name = label or words.text(at, blank) or scored.model.tokenizer.id_to_token(at)
    score = (("logits", (blank, at), 1.0),)
    span = scored.subject.blanks[blank]
    return TargetScore(
        Message("“{words}”", words=name), score, float(logits[at]), float(softmax(logits)[at]), span, at
    )


def _order_score(scored: ScoredInput, label: str, at: int | None) -> TargetScore:
    logits = scored.logits()
    names = (FOLLOWS, OTHER)  # transformers counts "is the next sentence" as 0
    if at is None:
        at = label_index(label, names) if label else int(np.argmax(logits))
    probability = float(softmax(logits)[at])
    return TargetScore(names[at], (("logits", (at,), 1.0),), float(logits[at]), probability, None, at)


def _tag_score(scored: ScoredInput, label: str, at: int | None) -> TargetScore:
    labels = scored.model.card.labels
    token, span = _explained_word(scored)
    logits = scored.logits(token)
    if at is None:
        at = label_index(label, labels) if label else int(np.argmax(logits))
    words = Message("{tag} for “{word}”", tag=plain_tag(labels[at]), word=span.of(scored.subject.text))
    score = (("logits", (token, at), 1.0),)
    return TargetScore(words, score, float(logits[at]), float(softmax(logits)[at]), span, at)


_TARGET_SCORES: dict[Head, Callable[[ScoredInput, str, int | None], TargetScore]] = {
    Head.CLASSIFICATION: _class_score,
    Head.MASKED_WORDS: _word_score,
    Head.NEXT_SENTENCE: _order_score,
    Head.TOKEN_CLASSIFICATION: _tag_score,
}


def blank_of(model_input: ModelInput, subject: Subject) -> int:
    """The number of the blank to explain: the focus's, else the window's first.

    Raises SpanlightError where the text has no blank.
    """
    here = [number for number, at in enumerate(model_input.arrays["positions"][0].tolist()) if at >= 0]
    at_focus = [n for n in here if subject.focus is not None and subject.blanks[n].overlaps(subject.focus)]
    if not here:
        raise SpanlightError(
            Message("There is no blank in this text."), Message("Type ___ where a word is wanted.")
        )
    return (at_focus or here)[0]


class BlankVocabulary:
    """A vocabulary's entries as words for a subject's blanks."""

    def __init__(self, subject: Subject, model: ReadyModel) -> None:
        self._subject = subject
        self._vocabulary = Vocabulary(model.tokenizer)

    def entry(self, word: str, blank: int) -> int:
        """The entry of a word for a blank. Raises SpanlightError for a word of several pieces, or of none."""
        pieces = self._vocabulary.pieces(word, self._left(blank))
        if len(pieces) != 1:
            problem = (
                Message(
                    "“{word}” is {number} pieces in this model's vocabulary; one blank takes one.",
                    word=word.strip(),
                    number=len(pieces),
                )
                if pieces
                else Message(
                    "“{word}” cannot be spelled in this model's vocabulary; one blank takes one.",
                    word=word.strip(),
                )
            )
            raise SpanlightError(problem, Message("Choose a word that the vocabulary holds whole."))
        return pieces[0]

    def likeliest(self, logits: np.ndarray, blank: int) -> int:
        """A blank's likeliest entry that is a whole word, from logits float[vocabulary]; else its likeliest entry."""
        order = np.argsort(-logits, kind="stable").tolist()
        return next((entry for entry in order if self.text(entry, blank)), order[0])

    def text(self, entry: int, blank: int) -> str:
        """An entry as text for a blank; empty for one that is no whole word."""
        return self._vocabulary.word(entry, self._left(blank))

    def _left(self, blank: int) -> LeftContext:
        return self._vocabulary.left_of_blank(self._subject.text, self._subject.blanks, blank)


def _explained_word(scored: ScoredInput) -> tuple[int, Span]:
    """The first token and span of the word whose tag is explained: the focus's, else the likeliest first name's."""
    window, text, labels = scored.model_input.task_window, scored.subject.text, scored.model.card.labels
    by_word = tokens_by_word(text, *words_of(text), window.starts, window.ends)
    spans = [Span(*bounds) for bounds in zip(by_word.starts.tolist(), by_word.ends.tolist(), strict=True)]
    tokens = (by_word.tokens[by_word.firsts] + window.context_at).tolist()
    focus = scored.subject.focus
    if focus is None:
        logits = scored.logits()
        tags = TagScheme.of(labels).tags
        likeliest = ((n, tags[int(np.argmax(logits[token]))]) for n, token in enumerate(tokens))
        first = next((n for n, (mark, _) in likeliest if mark is not Mark.OUTSIDE), 0)
    else:
        first = next((n for n, span in enumerate(spans) if span.overlaps(focus)), len(tokens))
    if first >= len(tokens):
        raise NoTarget(Message("There is no word at this place."), Message("Choose a word of the text."))
    return tokens[first], spans[first]


def label_index(label: str, known: Sequence[str]) -> int:
    """The index of a label. Raises SpanlightError for one that is not known."""
    if label not in known:
        raise SpanlightError(
            Message("There is no class “{label}”.", label=label),
            Message("There are: {classes}.", classes=listed(known)),
        )
    return known.index(label)


def listed(labels: Sequence[str]) -> str:
    """Labels as one line of text: the first dozen, and an ellipsis for more."""
    return ", ".join(labels[:12]) + (" …" if len(labels) > 12 else "")
