"""Documents and questions for a library to measure: real documents with known answers among generated ones."""

from __future__ import annotations

import html
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.bench.texts import BETWEEN, QUESTIONS_FILE, Pool
from app.core.atomic import write_atomic
from app.core.library import Library
from app.core.sentences import sentences
from app.core.text import Span
from app.training.examples import QaExample, read_qa, read_qa_strictly

if TYPE_CHECKING:
    from app.library.index import Index

# The sentences of a generated paragraph, when the real ones are used up.
_SENTENCES = 8
# The number of first words that name a generated document.
_NAMED_BY = 5
_OTHERS = "../docqa/questions_train.jsonl.xz"
_KINDS = ("txt", "md", "html")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one kind: a file's rows, of one `source` unless that is empty; `titled` names the document too."""

    name: str
    file: str
    source: str = ""
    titled: bool = False


SETS = (
    QuestionSet("as written", QUESTIONS_FILE),
    QuestionSet("of other articles", "qa_dev.jsonl.xz", "squadshifts-new_wiki"),
    QuestionSet("as spoken", "qa_dev2.jsonl.xz", "disfl-qa"),
    QuestionSet("in own words", "../docqa/questions_dev.jsonl.xz"),
    QuestionSet("with the document's name", "../docqa/questions_dev.jsonl.xz", titled=True),
)


@dataclass(frozen=True, slots=True)
class LibraryQuestion:
    """A question to a library, the file and text that answer it, and the answers there; none if it has no answer."""

    question: str
    file: str
    context: str
    answers: tuple[tuple[str, int], ...]

    @property
    def references(self) -> tuple[str, ...]:
        """The known answers' words."""
        return tuple(text for text, _ in self.answers)


def question_sets(texts: Pool, folder: Path | None) -> dict[str, list[LibraryQuestion]]:
    """Read the questions of those `SETS` that a folder has; without a folder take those of the pool."""
    if folder is None:
        return {SETS[0].name: [_asked(example) for example in texts.examples]}
    found = {}
    for one in SETS:
        path = folder / one.file
        if path.is_file():
            examples = read_qa_strictly(path)
            found[one.name] = [
                _asked(example, titled=one.titled)
                for example in examples
                if one.source in ("", example.source)
            ]
    return found


def other_documents(folder: Path | None) -> list[tuple[str, str]]:
    """Return further real documents beside those of the questions: each one's file name and text."""
    path = folder / _OTHERS if folder else None
    examples = read_qa(path) if path and path.is_file() else []
    return list(
        {example.title: (_file_name(example.title), example.context) for example in examples}.values()
    )


def _asked(example: QaExample, *, titled: bool = False) -> LibraryQuestion:
    question = example.question
    if titled:
        question = f"{question.strip().rstrip('?')} in {example.title}?"
    name = _file_name(example.title) if example.title else _first_words(example.context)
    return LibraryQuestion(question, name, example.context, example.answers)


def write_documents(
    folder: Path, real: Iterable[tuple[str, str]], texts: Pool, words: int, files: int, seed: int
) -> int:
    """Write `files` documents of `words` words in all, and return the bytes of their text.

    `real` are texts with their file names; the texts of one file are joined in a plain text. The other documents are
    text, Markdown and HTML in turn, of paragraphs in random order.
    """
    folder.mkdir(parents=True)
    named: dict[str, dict[str, None]] = {}
    for name, text in real:
        named.setdefault(name, {})[text] = None
    own = {text for some in named.values() for text in some}
    filler = _paragraphs(texts, own, random.Random(f"{seed} {words}"))
    documents = {f"{name}.txt": list(some) for name, some in named.items()}
    left = words - sum(len(text.split()) for text in own)
    for number in range(max(1, files - len(documents))):
        paragraphs: list[str] = []
        length = 0
        while length < left // max(1, files - len(named)) or not paragraphs:
            paragraphs.append(next(filler))
            length += len(paragraphs[-1].split())
        documents[f"{_first_words(paragraphs[0])} {number}.{_KINDS[number % len(_KINDS)]}"] = paragraphs
    for name, paragraphs in documents.items():
        content = _written(paragraphs, Path(name).suffix).encode("utf-8", "replace")
        write_atomic(folder / name, content, private=False)
    return sum(
        len(text.encode("utf-8", "replace")) + len(BETWEEN) for some in documents.values() for text in some
    )


def _paragraphs(texts: Pool, own: set[str], rng: random.Random) -> Iterator[str]:
    """Yield every paragraph of the pool that is not in `own`, then endless ones of random sentences of these."""
    real: list[str] = []
    for paragraph in texts.paragraphs(rng):
        if paragraph not in own:
            real += [paragraph] if paragraph.strip() else []
            yield paragraph
    while True:
        some = rng.choices(real, k=_SENTENCES)
        yield " ".join(rng.choice(list(sentences(text))).of(text) for text in some)


def _written(paragraphs: Sequence[str], kind: str) -> str:
    if kind != ".html":
        return BETWEEN.join(paragraphs)
    body = "".join(f"<p>{html.escape(paragraph)}</p>\n" for paragraph in paragraphs)
    return f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><body>\n{body}</body></html>\n'


def _first_words(text: str) -> str:
    return _file_name(" ".join(text.split()[:_NAMED_BY]))


def _file_name(title: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in " -_.,()'" else " " for letter in title)
    return " ".join(kept.split())[:80].strip(" .") or "Untitled"


@dataclass(frozen=True, slots=True)
class Gold:
    """A question with the spans of its known answers in a text of the index."""

    asked: LibraryQuestion
    text: int
    answers: tuple[Span, ...]


def placed(index: Index, library: Library, questions: Sequence[LibraryQuestion]) -> list[Gold]:
    """Return the questions whose text the index holds unchanged, with their answers' spans there."""
    texts = {Path(file.path).stem: file.text for file in index.files(library) if file.text}
    found = []
    for asked in questions:
        text = texts.get(asked.file)
        at = index.body(text)[0].find(asked.context) if text else -1
        if text and at >= 0:
            spans = {Span(at + start, at + start + len(answer)) for answer, start in asked.answers}
            found.append(Gold(asked, text, tuple(sorted(spans))))
    return found
