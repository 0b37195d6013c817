"""Texts for benchmarks: questions with known answers, and long documents around them."""

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
from app.training.examples import QaExample, read_qa, read_qa_strictly

QUESTIONS_FILE = "qa_dev-squad2.jsonl.xz"
FILLERS = "qa_*.jsonl.xz"
BUNDLED_QUESTIONS = "questions-wikipedia.jsonl"
BETWEEN = "\n\n"
_SENTENCES = 6  # of a generated paragraph


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question about a long document, and the places of its known answers in it."""

    question: str
    document: Document
    words: int
    answers: tuple[Span, ...]


def long_questions(texts: Pool, words: int, questions: int, seed: int) -> Iterator[PlacedQuestion]:
    """Yield random answerable questions, each about a document of its own of about `words` words.

    A document has the question's own context and as many other paragraphs as it takes, in random order.
    """
    examples = texts.answerable
    for example in random.Random(seed).sample(examples, min(questions, len(examples))):
        yield _placed(example, texts, words, random.Random(f"{seed} {words} {example.id}"))


def _placed(example: QaExample, texts: Pool, words: int, rng: random.Random) -> PlacedQuestion:
    contexts = [example.context]
    length = len(example.context.split())
    for context in texts.paragraphs(rng, example.context):
        if length >= words:
            break
        contexts.append(context)
        length += len(context.split())
    rng.shuffle(contexts)
    own = contexts.index(example.context)
    before = sum(len(context) + len(BETWEEN) for context in contexts[:own])
    places = {Span(before + at, before + at + len(text)) for text, at in example.answers}
    document = Document(BETWEEN.join(contexts), example.id)
    return PlacedQuestion(example.question, document, length, tuple(sorted(places)))


@dataclass(slots=True)
class Pool:
    """Questions, and paragraphs for long documents.

    `examples` are the questions, `near` the contexts of those that have an answer. `description` names the source.
    """

    examples: list[QaExample]
    near: list[str]
    description: str
    _files: tuple[Path, ...] = ()
    _spare: tuple[str, ...] = ()
    _far: list[str] = field(default_factory=list)

    @property
    def answerable(self) -> list[QaExample]:
        """The questions that have an answer."""
        return [example for example in self.examples if example.answers]

    def paragraphs(self, rng: random.Random, without: str = "") -> Iterator[str]:
        """Yield paragraphs in random order, those of `near` first, none twice and never `without`.

        Those of a folder end with its files; the bundled texts are followed by paragraphs of random sentences without
        end.
        """
        others = [one for one in self.near if one != without]
        found = rng.sample(others, len(others))
        if not self._spare:
            far = self._all_far()
            yield from found + rng.sample(far, len(far))
            return
        yield from found
        usable = [sentence for sentence in self._spare if sentence not in without]
        while True:
            yield " ".join(rng.sample(usable, min(_SENTENCES, len(usable))))

    def document(self, words: int, seed: int) -> Document:
        """Return a document of at least `words` words, if there is enough text; another one for each seed."""
        rng = random.Random(f"{seed} {words}")
        found: list[str] = []
        length = 0
        for paragraph in self.paragraphs(rng):
            found.append(paragraph)
            length += len(paragraph.split())
            if length >= words:
                break
        rng.shuffle(found)
        return Document(BETWEEN.join(found), f"{words} words, {seed}")

    def question(self, seed: int) -> str:
        """Return a question that has an answer, another one for each seed."""
        examples = self.answerable
        return examples[random.Random(seed).randrange(len(examples))].question

    def _all_far(self) -> list[str]:
        if not self._far:
            near = set(self.near)
            rest = (read_qa(path) for path in self._files)
            found = dict.fromkeys(example.context for examples in rest for example in examples)
            self._far = [context for context in found if context not in near]
        return self._far


def pool(data: str, paths: Paths) -> Pool:
    """Read the questions of a folder, or with an empty `data` the bundled ones.

    Raises SpanlightError for a folder without the files, or with unsuitable ones.
    """
    return _folder_pool(question_folder(data)) if data else _bundled_pool(paths)


def question_folder(data: str) -> Path:
    """Return the folder with the question files: the one named, or “qa” in it."""
    folder = Path(data)
    return folder / "qa" if (folder / "qa").is_dir() else folder


def _folder_pool(folder: Path) -> Pool:
    if not folder.is_dir():
        raise SpanlightError(f"There is no folder “{folder}”.", f"Name the one that holds {QUESTIONS_FILE}.")
    examples = read_qa_strictly(folder / QUESTIONS_FILE)
    files = tuple(path for path in sorted(folder.glob(FILLERS)) if path.name != QUESTIONS_FILE)
    return _pool(
        examples,
        f"Questions of {QUESTIONS_FILE}, in documents of its paragraphs and those of the other files.",
        files,
    )


def _bundled_pool(paths: Paths) -> Pool:
    examples = read_qa_strictly(paths.example_sets / BUNDLED_QUESTIONS)
    texts = [sample.text for sample in samples(paths)]
    texts += dict.fromkeys(example.context for example in examples)
    spare = tuple(dict.fromkeys(span.of(text) for text in texts for span in sentences(text)))
    about = (
        f"Questions of {BUNDLED_QUESTIONS}; "
        "long documents repeat sentences of it and of the samples, in an order of chance."
    )
    return _pool(examples, about, spare=spare)


def _pool(
    examples: list[QaExample], description: str, files: tuple[Path, ...] = (), spare: tuple[str, ...] = ()
) -> Pool:
    near = list(dict.fromkeys(example.context for example in examples if example.answers))
    if not near:
        raise SpanlightError("No question has an answer.", "Name a folder with other questions.")
    return Pool(examples, near, description, files, spare)
