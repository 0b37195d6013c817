"""What is read for a measurement: questions of known answer, and text around them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.sentences import sentences
from app.core.text import Document, Span
from app.flows.samples import samples
from app.settings.paths import Paths
from app.training.examples import QaExample, read_placed_qa, read_qa

ASKED = "qa_dev-squad2.jsonl.xz"
FILLERS = "qa_*.jsonl.xz"
ALONG = "questions-wikipedia.jsonl"
BETWEEN = "\n\n"
_SENTENCES = 6  # of a paragraph that is made


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


@dataclass(slots=True)
class Pool:
    """Questions, and paragraphs to make long documents of.

    `asked` are the questions, `near` the paragraphs of those that have an answer. `said` tells where all that is from.
    """

    asked: list[QaExample]
    near: list[str]
    said: str
    _files: tuple[Path, ...] = ()
    _spare: tuple[str, ...] = ()
    _far: list[str] = field(default_factory=list)

    @property
    def answerable(self) -> list[QaExample]:
        """The questions that have an answer."""
        return [example for example in self.asked if example.answers]

    def paragraphs(self, dice: random.Random, without: str = "") -> Iterator[str]:
        """Paragraphs in an order of chance, none twice, but never this one: those near first.

        From a folder they end with its files; what comes along is made into new ones, of sentences drawn by chance, for
        ever.
        """
        others = [one for one in self.near if one != without]
        found = dice.sample(others, len(others))
        if not self._spare:
            far = self._all_far()
            yield from found + dice.sample(far, len(far))
            return
        yield from found
        usable = [sentence for sentence in self._spare if sentence not in without]
        while True:
            yield " ".join(dice.sample(usable, min(_SENTENCES, len(usable))))

    def document(self, words: int, seed: int) -> Document:
        """A document of at least so many words, as far as the text goes; another one for each seed."""
        dice = random.Random(f"{seed} {words}")
        found: list[str] = []
        length = 0
        for paragraph in self.paragraphs(dice):
            found.append(paragraph)
            length += len(paragraph.split())
            if length >= words:
                break
        dice.shuffle(found)
        return Document(BETWEEN.join(found), f"{words} words, {seed}")

    def question(self, seed: int) -> str:
        """A question that has an answer, another one for each seed."""
        asked = self.answerable
        return asked[random.Random(seed).randrange(len(asked))].question

    def _all_far(self) -> list[str]:
        if not self._far:
            near = set(self.near)
            rest = (read_qa(path) for path in self._files)
            found = dict.fromkeys(example.context for examples in rest for example in examples)
            self._far = [context for context in found if context not in near]
        return self._far


def pool(data: str, paths: Paths) -> Pool:
    """The questions of a folder, or with an empty `data` those that come along.

    Raises SpanlightError for a folder without the files, or with others than it should have.
    """
    return _of_folder(Path(data)) if data else _along(paths)


def _of_folder(folder: Path) -> Pool:
    folder = folder / "qa" if (folder / "qa").is_dir() else folder
    if not folder.is_dir():
        raise SpanlightError(f"There is no folder “{folder}”.", f"Name the one that holds {ASKED}.")
    asked = read_placed_qa(folder / ASKED)
    files = tuple(path for path in sorted(folder.glob(FILLERS)) if path.name != ASKED)
    return _pool(
        asked, f"Questions of {ASKED}, in documents of its paragraphs and those of the other files.", files
    )


def _along(paths: Paths) -> Pool:
    asked = read_placed_qa(paths.example_sets / ALONG)
    texts = [sample.text for sample in samples(paths)]
    texts += dict.fromkeys(example.context for example in asked)
    spare = tuple(dict.fromkeys(span.of(text) for text in texts for span in sentences(text)))
    said = f"Questions of {ALONG}; long documents repeat sentences of it and of the samples, in an order of chance."
    return _pool(asked, said, spare=spare)


def _pool(
    asked: list[QaExample], said: str, files: tuple[Path, ...] = (), spare: tuple[str, ...] = ()
) -> Pool:
    near = list(dict.fromkeys(example.context for example in asked if example.answers))
    if not near:
        raise SpanlightError("No question has an answer.", "Name a folder with other questions.")
    return Pool(asked, near, said, files, spare)
