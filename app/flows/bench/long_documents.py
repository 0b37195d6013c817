"""Long documents with questions whose answers stand in them at known places, joined from the contexts of QA data."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.text import Document, Span
from app.training.examples import QaExample, read_placed_qa, read_qa

ASKED = "qa_dev-squad2.jsonl.xz"
FILLERS = "qa_*.jsonl.xz"
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question about a long document, and the places of its known answers in it."""

    question: str
    document: Document
    words: int
    answers: tuple[Span, ...]


def long_questions(folder: Path, words: int, questions: int, seed: int) -> Iterator[PlacedQuestion]:
    """Answerable questions of `ASKED`, chosen by chance, each about a document of its own of about so many words.

    A document holds the question's own context, others of the same file, and as many contexts of the folder's other
    files as are needed, none of them twice, in an order of chance. Raises SpanlightError where the folder lacks the
    file, or holds another than it should.
    """
    folder = folder / "qa" if (folder / "qa").is_dir() else folder
    if not folder.is_dir():
        raise SpanlightError(f"There is no folder “{folder}”.", f"Name the one that holds {ASKED}.")
    asked = [example for example in read_placed_qa(folder / ASKED) if example.answers]
    chosen = random.Random(seed).sample(asked, min(questions, len(asked)))
    near = list(dict.fromkeys(example.context for example in asked))
    rest = (read_qa(path) for path in sorted(folder.glob(FILLERS)) if path.name != ASKED)
    far = list(dict.fromkeys(example.context for examples in rest for example in examples))
    far = [context for context in far if context not in set(near)]
    for example in chosen:
        yield _placed(example, near, far, words, random.Random(f"{seed} {words} {example.id}"))


def _placed(
    example: QaExample, near: list[str], far: list[str], words: int, dice: random.Random
) -> PlacedQuestion:
    contexts = [example.context]
    length = len(example.context.split())
    others = [context for context in near if context != example.context]
    for context in (*dice.sample(others, len(others)), *dice.sample(far, len(far))):
        if length >= words:
            break
        contexts.append(context)
        length += len(context.split())
    dice.shuffle(contexts)
    own = contexts.index(example.context)
    before = sum(len(context) + len(_BETWEEN) for context in contexts[:own])
    places = {Span(before + at, before + at + len(text)) for text, at in example.answers}
    document = Document(_BETWEEN.join(contexts), example.id)
    return PlacedQuestion(example.question, document, length, tuple(sorted(places)))
