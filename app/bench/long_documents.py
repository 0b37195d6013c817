"""Long documents with questions whose answers stand in them at known places, joined from the contexts of QA data."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from app.bench.texts import BETWEEN, Pool
from app.core.text import Document, Span
from app.training.examples import QaExample


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question about a long document, and the places of its known answers in it."""

    question: str
    document: Document
    words: int
    answers: tuple[Span, ...]


def long_questions(texts: Pool, words: int, questions: int, seed: int) -> Iterator[PlacedQuestion]:
    """Answerable questions, chosen by chance, each about a document of its own of about so many words.

    A document holds the question's own context and as many other paragraphs as are needed, in an order of chance.
    """
    asked = texts.answerable
    for example in random.Random(seed).sample(asked, min(questions, len(asked))):
        yield _placed(example, texts, words, random.Random(f"{seed} {words} {example.id}"))


def _placed(example: QaExample, texts: Pool, words: int, dice: random.Random) -> PlacedQuestion:
    contexts = [example.context]
    length = len(example.context.split())
    for context in texts.paragraphs(dice, example.context):
        if length >= words:
            break
        contexts.append(context)
        length += len(context.split())
    dice.shuffle(contexts)
    own = contexts.index(example.context)
    before = sum(len(context) + len(BETWEEN) for context in contexts[:own])
    places = {Span(before + at, before + at + len(text)) for text, at in example.answers}
    document = Document(BETWEEN.join(contexts), example.id)
    return PlacedQuestion(example.question, document, length, tuple(sorted(places)))
