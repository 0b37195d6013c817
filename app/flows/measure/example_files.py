"""Reads files of examples with known answers, the user's own and the bundled ones."""

from __future__ import annotations

import hashlib
import logging
import re
import tomllib
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.measures import ExampleSet, kind_of_examples
from app.core.message import Message, shipped
from app.core.models import Head
from app.core.plain import json_of
from app.core.rows import read_rows
from app.core.text import normalise_newlines
from app.documents.plain_text import decode
from app.flows.csv_files import Table, read_columns
from app.settings.paths import Paths
from app.training.examples import QaExample, TextExample, read_qa, read_texts
from app.training.tagged import TaggedText, parse_conll, read_tagged

Example = QaExample | TextExample | TaggedText

MOST_BYTES = 64 * 10**6
MOST_EXAMPLES = 50_000
_ROWS = (".jsonl", ".jsonl.xz")
_TABLES = (".csv", ".tsv")
_TAGGED = (".conll", ".bio", ".iob", ".iob2", ".tsv", ".txt")
_TAG = re.compile(r"O|[BI]-\S+")
_ENDINGS = Message(
    "Questions: .json (SQuAD) or .jsonl; tables: .csv or .tsv; tagged words: .conll or .jsonl."
)
_COLUMNS = Message(
    "A table of questions needs the columns “question”, “context” and “answer”, a table of texts “text” and “label”."
)
_SETS = "sets.toml"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a file in their order, all for the same head."""

    head: Head
    items: tuple[Example, ...]

    def digest(self) -> str:
        """The SHA-256 of all inputs and known answers, without ids and sources, in hexadecimal digits."""
        found = hashlib.sha256(self.head.encode())
        for item in self.items:
            match item:
                case QaExample():
                    values: Sequence[object] = (
                        item.context,
                        item.question,
                        sorted(t for t, _ in item.answers),
                    )
                case TextExample():
                    values = (item.text, item.label)
                case TaggedText():
                    values = (item.text, [astuple(word) for word in item.words], item.tags)
            found.update(json_of(values).encode() + b"\n")
        return found.hexdigest()


def read_examples(path: Path, head: Head | None = None) -> Examples:
    """Read the examples of a file: SQuAD's JSON, JSON Lines (also .xz), a CSV table, or words with tags (CoNLL).

    Raises SpanlightError for a file that cannot be read, is too large or not text, for an invalid row, and for examples
    of another head than `head`.
    """
    _refuse_binary(path)
    found = _read_file(path)
    if not found.items:
        raise SpanlightError(Message("There is no example in {file}.", file=path.name), _ENDINGS)
    if len(found.items) > MOST_EXAMPLES:
        raise SpanlightError(
            Message("{file} holds more than {n:,} examples.", file=path.name, n=MOST_EXAMPLES),
            Message("A tenth of them measures as well."),
        )
    if head is not None and found.head is not head:
        held, wanted = kind_of_examples(found.head), kind_of_examples(head)
        raise SpanlightError(
            Message("{file} holds {held}, not {wanted}.", file=path.name, held=held, wanted=wanted), _ENDINGS
        )
    return found


def example_set(path: Path | str, head: Head | None = None) -> ExampleSet:
    """The set of examples in a user's file. Raises SpanlightError as `read_examples` does."""
    path = Path(path).expanduser()
    found = read_examples(path, head)
    title = path.name.partition(".")[0] or path.name
    return ExampleSet(str(path.absolute()), title, found.head, len(found.items))


def bundled_sets(paths: Paths) -> tuple[ExampleSet, ...]:
    """The sets in `sets.toml`, in its order; one that cannot be read is left out and logged."""
    found = []
    try:
        rows = tomllib.loads((paths.example_sets / _SETS).read_text(encoding="utf-8"))["set"]
    except (OSError, ValueError, KeyError) as fault:
        _log.warning("%s not read: %r", _SETS, fault)
        return ()
    for row in rows:
        try:
            path = paths.example_sets / row["file"]
            examples = read_examples(path)
            title, line = shipped(str(row["title"])), shipped(str(row["line"]))
        except (ValueError, KeyError, TypeError, SpanlightError) as fault:
            _log.warning("a set of examples left out: %r", fault)
            continue
        found.append(ExampleSet(str(path), title, examples.head, len(examples.items), line))
    return tuple(found)


def _refuse_binary(path: Path) -> None:
    """Refuse binary files and files that are too large, before they are parsed."""
    first = read_whole(path, MOST_BYTES)[: 1 << 20]
    # A table may be in UTF-16, which is full of zero bytes.
    if b"\0" in first and not first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SpanlightError(Message("{file} is not a text file.", file=path.name), _ENDINGS)


def _read_file(path: Path) -> Examples:
    name = path.name.lower()
    if name.endswith((".json", ".json.xz")):
        return Examples(Head.QUESTION_ANSWERING, tuple(read_qa(path)))
    if name.endswith(_ROWS):
        return _read_rows(path)
    if name.endswith((*_TABLES, *_TAGGED)):
        text = normalise_newlines(decode(read_whole(path, MOST_BYTES), path.name))
        if name.endswith(_TAGGED) and (not name.endswith(_TABLES) or _is_tagged(text)):
            return Examples(Head.TOKEN_CLASSIFICATION, tuple(parse_conll(text, path.name)))
        return _read_table(path)
    raise SpanlightError(
        Message("{file} is not a file of examples that Spanlight knows.", file=path.name), _ENDINGS
    )


def _read_rows(path: Path) -> Examples:
    first = next(read_rows(path), None)
    names = first.values.keys() if first else ()
    if "tokens" in names:
        return Examples(Head.TOKEN_CLASSIFICATION, tuple(read_tagged(path)))
    if "question" in names:
        return Examples(Head.QUESTION_ANSWERING, tuple(read_qa(path)))
    if "label" in names or not first:
        return Examples(Head.CLASSIFICATION, tuple(_require_words(read_texts(path), path)))
    raise SpanlightError(
        Message("The first row of {file} is not an example.", file=path.name),
        Message(
            'Rows need "context", "question" and "answers", or "text" and "label", or "tokens" and "tags".'
        ),
    )


def _is_tagged(text: str) -> bool:
    """Whether a text with tabs has a word and its tag on each line, and is no table."""
    lines = [line for line in text.split("\n", 50)[:50] if line.strip() and not line.startswith("-DOCSTART-")]
    return bool(lines) and all(_TAG.fullmatch(line.rpartition("\t")[2].strip()) for line in lines)


def _read_table(path: Path) -> Examples:
    table = read_columns(path)
    columns = {name.strip().casefold(): at for at, name in reversed(list(enumerate(table.columns)))}
    if {"question", "context", "answer"} <= columns.keys():
        return Examples(Head.QUESTION_ANSWERING, tuple(_table_questions(table, columns, path)))
    if {"text", "label"} <= columns.keys():
        texts = [
            TextExample(row[columns["text"]], row[columns["label"]].strip(), path.name.partition(".")[0])
            for row in table.rows
        ]
        return Examples(Head.CLASSIFICATION, tuple(_require_words(texts, path, first=2)))
    names = ", ".join(name.strip() for name in table.columns)[:300]
    fault = Message("{file} has no columns with names.", file=path.name)
    if names:
        fault = Message("{file} has the columns {names}.", file=path.name, names=names)
    raise SpanlightError(fault, _COLUMNS)


def _table_questions(table: Table, columns: dict[str, int], path: Path) -> list[QaExample]:
    found = []
    for number, row in enumerate(table.rows, start=2):
        context, question, answer = (row[columns[name]] for name in ("context", "question", "answer"))
        hint = Message("Take it out of the file.")
        if not context.strip():
            raise SpanlightError(
                Message("Row {number} of {file} has no context.", number=number, file=path.name), hint
            )
        if not question.strip():
            raise SpanlightError(
                Message("Row {number} of {file} has no question.", number=number, file=path.name), hint
            )
        known = ((answer.strip(), context.find(answer.strip())),) if answer.strip() else ()
        found.append(QaExample(str(number), context, question, known, path.name.partition(".")[0]))
    return found


def _require_words(examples: Sequence[TextExample], path: Path, first: int = 1) -> Sequence[TextExample]:
    for number, example in enumerate(examples, start=first):
        if not example.text.strip():
            raise SpanlightError(
                Message("Row {number} of {file} has no text.", number=number, file=path.name),
                Message("Take it out of the file."),
            )
        if not example.label.strip():
            raise SpanlightError(
                Message("Row {number} of {file} has no label.", number=number, file=path.name),
                Message("Give it one, or take it out."),
            )
    return examples
