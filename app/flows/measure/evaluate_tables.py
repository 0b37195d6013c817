"""Measure a reader on questions about tables, each table read as a web page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from app.core.layout import Opened
from app.core.report import Report
from app.core.text import Span
from app.documents.orders import Read
from app.flows.joining import sample
from app.flows.measure.evaluate_asked import (
    DocumentQaEvaluation,
    DocumentQaPlan,
    KnownQuestion,
    check_known,
    evaluate_document_qa,
)
from app.flows.rows import LONE_SURROGATE
from app.flows.workspace import Workspace
from app.training.examples import read_parsed

_FIELDS = "id, question, kind, source, table, header_rows, and answers with row, column and text"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table's title and rows, the first `header_rows` of them headers."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    header_rows: int

    def page(self) -> str:
        """The table as a web page."""
        rows = []
        for number, row in enumerate(self.rows):
            tag = "th" if number < self.header_rows else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>")
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return "\n".join(
            ('<!DOCTYPE html>\n<meta charset="utf-8">', f"<table>{caption}", *rows, "</table>\n")
        )


@dataclass(frozen=True, slots=True)
class _Row:
    """A question on a table, and the cells `(row, column)` that answer it."""

    id: object
    table: _Table
    question: str
    kind: str
    source: str
    answers: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]


def evaluate_tables(
    workspace: Workspace, plan: DocumentQaPlan, report: Report, *, model: str = "", device: str = ""
) -> DocumentQaEvaluation:
    """Ask every question of its table, and score by kind and source whether the answer lies in a right cell.

    Rows are `{"id", "title", "table", "header_rows", "question", "answers": [{"row", "column", "text"}], "kind",
    "source"}`. The limit samples the file. Raises as `evaluate_document_qa` does.
    """
    questions = _questions(workspace, plan, report)
    return evaluate_document_qa(
        workspace, questions, plan, report, groups="source", model=model, device=device
    )


def _questions(workspace: Workspace, plan: DocumentQaPlan, report: Report) -> Iterator[KnownQuestion]:
    tables: dict[_Table, list[_Row]] = {}
    for row in sample(read_parsed(plan.questions, _row, _FIELDS), plan.limit, plan.seed):
        tables.setdefault(row.table, []).append(row)
    for table, rows in tables.items():
        page = LONE_SURROGATE.sub("\ufffd", table.page())
        opened = workspace.documents.read(Read("", "table.html", data=page.encode()), report)
        places = _cells(opened)
        for row in rows:
            yield KnownQuestion(
                row.id,
                row.question,
                row.kind,
                row.source,
                row.answers,
                tuple(places[cell] for cell in row.cells if cell in places),
                opened.document,
                cells=True,
            )


def _row(row: dict[str, Any]) -> _Row:
    rows = tuple(tuple(line) for line in row["table"])
    table = _Table(row["title"], rows, int(row["header_rows"]))
    answers = tuple(answer["text"] for answer in row["answers"])
    cells = tuple((answer["row"], answer["column"]) for answer in row["answers"])
    question, kind, source = row["question"], row["kind"], row["source"]
    check_known(kind, answers, question, source)
    if not all(isinstance(cell, str) for cell in (table.title, *(cell for line in rows for cell in line))):
        raise TypeError("cells are texts")
    for text, (at, column) in zip(answers, cells, strict=True):
        if min(at, column) < 0 or text not in rows[at][column]:
            raise ValueError("an answer stands in its cell")
    return _Row(row["id"], table, question, kind, source, answers, cells)


def _cells(opened: Opened) -> dict[tuple[int, int], Span]:
    """The places of the cells of the page's only table, by row and column; one that shows nothing has none."""
    found: dict[tuple[int, int], Span] = {}
    for block in opened.blocks:
        if block.table == 0:
            at = block.row, block.column
            found[at] = Span(found.get(at, block.span).start, block.span.end)
    return found
