"""Training and dev examples: questions and labelled texts, read from files."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.message import Message
from app.core.rows import read_rows
from app.core.text import Replacement, Span, View
from app.core.view import replacements_of_table, view_of_text

ExampleT = TypeVar("ExampleT")
_QA_FIELDS = Message("id, context, question and answers")
_DOCUMENTS = "documents.jsonl.xz"
_MOST_JSON = 200_000_000


@dataclass(frozen=True, slots=True)
class QaExample:
    """A question on a context, with alternative references `(text, start)` in code points; none: unanswerable.

    `view` is how the context is read, if that differs from its text. `is_table`: the context is a table's cells, as
    written by `table_text`.
    """

    id: str
    context: str
    question: str
    answers: tuple[tuple[str, int], ...]
    source: str = ""
    title: str = ""
    view: View | None = None
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class TextExample:
    """A text and its class's name."""

    text: str
    label: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of examples: drawn `weight` times an epoch, its labels renamed by `labels` if given."""

    path: Path
    weight: float = 1.0
    labels: dict[str, str] = field(default_factory=dict)


def parse_source(text: str) -> Source:
    """The Source that a text names: `PATH`, `PATH*WEIGHT` or `PATH?labels=0:negative,1:positive*WEIGHT`.

    Rows whose label the list does not name are left out. Raises SpanlightError for any other text.
    """
    path, star, weight = text.rpartition("*")
    if not star:
        path, weight = text, "1"
    path, _, query = path.partition("?labels=")
    try:
        labels = dict(pair.split(":", 1) for pair in query.split(",")) if query else {}
        number = float(weight)
    except ValueError:
        number, labels = -1.0, {}
    if not 0 <= number < inf:
        raise SpanlightError(
            Message("“{text}” is not a file of examples.", text=text),
            Message("Write PATH, PATH*2 or PATH?labels=0:no,1:yes."),
        )
    return Source(Path(path), number, labels)


def read_qa(path: Path) -> list[QaExample]:
    """The questions of a file: rows as JSON Lines (also .xz), or SQuAD's own JSON. Raises SpanlightError.

    A row has its context, or a `table` (rows of cells, the first `header_rows` of them headers) with answers
    by `row`, `column` and `start` in the cell, or the id of a `document`, whose text and title are in
    documents.jsonl.xz in the same folder. Its context may have a `view`, as `qa_row` writes it.
    """
    if path.name.removesuffix(".xz").endswith(".jsonl"):
        return _qa_rows(path)
    try:
        whole = json.loads(read_whole(path, _MOST_JSON))
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "data" in whole:
        return _parse_rows(path, _squad(whole), lambda row: _qa(row, path.name), _QA_FIELDS, of_squad=True)
    try:
        return _qa_rows(path)
    except SpanlightError as fault:
        raise SpanlightError(
            Message(
                "{name} does not hold examples, neither as SQuAD's JSON nor as JSON Lines.", name=path.name
            ),
            fault.message,
        ) from fault


def documents_beside(path: Path) -> Path:
    """The file with the documents that rows of this file may name, whether there is one or not."""
    return path.with_name(_DOCUMENTS)


def _qa_rows(path: Path) -> list[QaExample]:
    @cache
    def documents() -> dict[str, dict[str, Any]]:
        beside = documents_beside(path)
        return dict(read_parsed(beside, _document, Message("id, title and text"))) if beside.is_file() else {}

    return read_parsed(path, lambda row: _qa(_with_context(row, documents), path.name), _QA_FIELDS)


def _document(row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A document's id, and the values that all rows of questions on it share."""
    return str(row["id"]), {"context": row["text"], "title": row["title"], "view": view_of_text(row["text"])}


def _with_context(row: dict[str, Any], documents: Callable[[], dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """A question's row with its context: the text of its document, or of its table."""
    if "document" in row and "context" not in row:
        name = str(row["document"])
        if name not in documents():
            raise SpanlightError(
                Message(
                    "The question {question} asks the document “{name}”, which {file} does not hold.",
                    question=str(row["id"]),
                    name=name,
                    file=_DOCUMENTS,
                ),
                Message(
                    "That file stands beside the questions' and has a row with id, title and text for each"
                    " document."
                ),
            )
        return {**documents()[name], "source": "", **row}
    if row.get("view"):
        return row | {"view": _view_of_row(row["view"])}
    if "table" not in row:
        return row
    if not all(isinstance(line, list) for line in row["table"]):
        raise TypeError("a table's rows are lists of cells")
    context, cells, view = table_text(row["table"], row["header_rows"])
    answers = []
    for answer in row["answers"]:
        if min(answer["row"], answer["column"]) < 0:
            raise IndexError  # Python would count from the end
        cell = cells[answer["row"]][answer["column"]]
        answers.append({"text": answer["text"], "answer_start": cell.start + answer["start"] if cell else -1})
    return {**row, "context": context, "answers": answers, "view": view}


def table_text(rows: Sequence[Sequence[str]], header_rows: int) -> tuple[str, list[list[Span | None]], View]:
    """A table as text, its cells separated by tabs and its rows by newlines; each cell's span in it; and its view.

    An empty cell has no span.
    """
    lines: list[str] = []
    cells: list[list[Span | None]] = []
    at = 0
    for row in rows:
        cells.append([])
        for cell in row:
            cells[-1].append(Span(at, at + len(cell)) if cell else None)
            at += len(cell) + 1
        lines.append("\t".join(row) + "\n")
    text = "".join(lines)
    return text, cells, View(tuple(replacements_of_table(text, cells, header_rows)))


def qa_row(example: QaExample) -> dict[str, Any]:
    """The row from which `read_qa` reads this example."""
    row: dict[str, Any] = {
        "id": example.id,
        "title": example.title,
        "context": example.context,
        "question": example.question,
        "answers": [{"text": text, "answer_start": start} for text, start in example.answers],
        "source": example.source,
    }
    if example.view is not None:
        row["view"] = {
            "replacements": [[one.start, one.end, one.words] for one in example.view.replacements],
            "bounds": list(example.view.bounds),
            "headings": [list(heading) for heading in example.view.headings],
        }
    return row


def _view_of_row(plain: dict[str, Any]) -> View:
    """The view in a row that `qa_row` made."""
    return View(
        tuple(Replacement(int(start), int(end), str(words)) for start, end, words in plain["replacements"]),
        array("i", plain["bounds"]),
        tuple((int(point), str(words)) for point, words in plain["headings"]),
    )


def read_qa_strictly(path: Path) -> list[QaExample]:
    """The questions of a file, as `read_qa` does, refused where an answer is misplaced. Raises SpanlightError."""
    found = read_qa(path)
    refuse_misplaced(found, path.name)
    return found


def refuse_misplaced(examples: Sequence[QaExample], name: str) -> None:
    """Raise SpanlightError where an answer of the file `name` does not stand at its start in the context."""
    answers = [(e, text, start) for e in examples for text, start in e.answers]
    misplaced = [e.id for e, text, at in answers if at < 0 or e.context[at : at + len(text)] != text]
    if misplaced:
        raise SpanlightError(
            Message(
                "{wrong} of {answers} answers in {name} do not stand where their answer_start says.",
                wrong=len(misplaced),
                answers=len(answers),
                name=name,
            ),
            Message(
                "Count in characters (code points) from the context's first, 0; see the question {question}.",
                question=str(misplaced[0]),
            ),
        )


def read_texts(path: Path, labels: dict[str, str] | None = None) -> list[TextExample]:
    """The labelled texts of a file of rows, with labels renamed by `labels`. Raises SpanlightError."""
    found = read_parsed(path, lambda row: _labelled(row, path), Message("text and label"))
    if not labels:
        return found
    return [TextExample(e.text, labels[e.label], e.source) for e in found if e.label in labels]


def read_parsed(path: Path, parse: Callable[[dict[str, Any]], ExampleT], fields: str) -> list[ExampleT]:
    """Every row of a JSON Lines file, plain or .xz, parsed by `parse`.

    Raises SpanlightError, with the number of the row for which `parse` raises KeyError, TypeError or ValueError.
    """
    return _parse_rows(path, (row.values for row in read_rows(path)), parse, fields)


def _source(row: dict[str, Any], path: Path) -> str:
    return str(row.get("source") or row.get("domain") or path.name.partition(".")[0])


def _labelled(row: dict[str, Any], path: Path) -> TextExample:
    if not isinstance(row["text"], str) or not isinstance(row["label"], str | int | float):
        raise TypeError("text and label are of other kinds")
    return TextExample(row["text"], str(row["label"]), _source(row, path))


def _qa(row: dict[str, Any], name: str) -> QaExample:
    if not (isinstance(row["context"], str) and isinstance(row["question"], str)):
        raise TypeError("context and question are texts")
    answers = tuple((str(a["text"]), int(a["answer_start"])) for a in row["answers"])
    source = str(row.get("source") or name.partition(".")[0])
    title, view = str(row.get("title", "")), row.get("view")
    return QaExample(
        str(row["id"]), row["context"], row["question"], answers, source, title, view, "table" in row
    )


def _squad(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for article in whole["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                row = {**question, "context": paragraph["context"], "title": article.get("title", "")}
                yield {**row, "answers": [] if question.get("is_impossible") else question["answers"]}


def _parse_rows(
    path: Path,
    rows: Iterator[dict[str, Any]],
    parse: Callable[[dict[str, Any]], ExampleT],
    fields: str,
    *,
    of_squad: bool = False,
) -> list[ExampleT]:
    """Parse every row by `parse`; an error names the number of its row, not counting blank lines."""
    found: list[ExampleT] = []
    try:
        for row in rows:
            found.append(parse(row))
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        OverflowError,
        AttributeError,
        RecursionError,
    ) as fault:
        raise SpanlightError(
            _malformed_row(path.name, len(found) + 1, fault, of_squad=of_squad),
            Message("Each row needs {fields}.", fields=fields),
        ) from fault
    return found


def _malformed_row(name: str, number: int, fault: Exception, *, of_squad: bool) -> str:
    if isinstance(fault, KeyError):
        key = str(fault.args[0])
        if of_squad:
            return Message(
                "{name} does not hold examples: question {number} has no “{key}”.",
                name=name, number=number, key=key,
            )  # fmt: skip
        return Message(
            "{name} does not hold examples: row {number} has no “{key}”.", name=name, number=number, key=key
        )
    if of_squad:
        return Message(
            "{name} does not hold examples: question {number} is not of that form.", name=name, number=number
        )
    return Message(
        "{name} does not hold examples: row {number} is not of that form.", name=name, number=number
    )
