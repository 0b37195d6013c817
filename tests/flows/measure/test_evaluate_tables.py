from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.reliability import TextKind, question_count
from app.core.report import Silent
from app.core.requests import Question
from app.documents.orders import Read
from app.documents.reader import read
from app.flows.measure.evaluate_documents import DocumentQaEvaluation, evaluate_tables
from app.flows.measure.plan import Plan
from tests.flows.fake_engine import FakeEngine, fake_workspace

TABLE = [
    ["Station", "Passengers", "Trains"],
    ["Kiruna", "611", "<b>9</b> & more"],
    ["Boden", "705", "611"],
]


def row(id: str, kind: str, question: str, *cells: tuple[int, int], **other: Any) -> dict[str, Any]:
    answers = [{"row": at, "column": column, "text": TABLE[at][column], "start": 0} for at, column in cells]
    of = {"title": "Stations of 611", "table": TABLE, "header_rows": 1, "source": "trains"}
    return of | {"id": id, "question": question, "kind": kind, "answers": answers} | other


# The fake reader answers with the first place of the question's last word, or holds back the text's first word.
ROWS = [
    row("a", "lookup", "How many came to Boden: 705?", (2, 1)),
    # equal words, but in the caption
    row("b", "reasoning", "Trains at Boden: 611?", (2, 2)),
    # either cell is right
    row("c", "lookup", "What is the second one, Boden?", (1, 0), (2, 0)),
    row("d", "none", "How many came to Lund?"),
    row("e", "none", "How many came to Boden?", source="derived"),
    # nothing is given; the caption was held back
    row("f", "lookup", "How many trains?", (1, 2), source="derived"),
    row("g", "lookup", "What is with the <b>9</b>", (1, 2), title=""),
]


def evaluate(
    tmp_path: Path, rows: list[dict[str, Any]], engine: FakeEngine | None = None, **plan: Any
) -> DocumentQaEvaluation:
    file = tmp_path / "tables.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return evaluate_tables(fake_workspace(tmp_path, engine), Plan((file,), **plan), Silent())


def test_right_is_what_lies_in_a_right_cell(tmp_path: Path) -> None:
    engine = FakeEngine()
    found = evaluate(tmp_path, ROWS, engine, predictions=tmp_path / "said.jsonl")
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert {each["id"] for each in said if each["right"]} == {"a", "c", "d", "g"}
    assert found.overall.right == pytest.approx(100 * 4 / 7)
    assert (found.overall.placed, found.lost, found.moved) == (None, 0, 0)
    assert {kind: question_count(bins) for kind, bins in found.reliability.items()} == {TextKind.TABLES: 7}
    assert found.overall.refused == pytest.approx(100 / 5)
    assert found.overall.forced == pytest.approx(100 * 3 / 5)
    assert list(found.by) == ["kind", "source"]
    assert {kind: figures.questions for kind, figures in found.by["kind"].items()} == {
        "lookup": 4, "reasoning": 1, "none": 2,
    }  # fmt: skip
    assert found.by["source"]["derived"].right == 0.0
    # Each table is read once, questions on one table follow each other.
    asked = [request for request in engine.requests if isinstance(request, Question)]
    assert [each.documents[0].text.startswith("Stations of 611\n\nStation\t") for each in asked] == [
        True
    ] * 6 + [False]
    assert all(each.documents[0] is asked[0].documents[0] for each in asked[:6])


@pytest.mark.parametrize(
    "change",
    [
        {"answers": [{"row": 9, "column": 1, "text": "705"}]},
        {"answers": [{"row": -1, "column": 1, "text": "705"}]},
        {"answers": [{"row": 1, "column": 1, "text": "705"}]},
        {"table": [["705", 705]], "answers": [{"row": 0, "column": 0, "text": "705"}]},
        {"title": None},
        {"kind": "none"},
        {"header_rows": "one"},
    ],
)
def test_rows_at_fault(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(SpanlightError, match="row 2 is not of that form"):
        evaluate(tmp_path, [ROWS[0], ROWS[0] | change])


cells = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=12)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=2)
    )
)
def test_every_cell_with_words_is_found_where_it_stands(tmp_path: Path, table: list[list[str]]) -> None:
    places = [
        (at, column) for at, line in enumerate(table) for column, cell in enumerate(line) if cell.strip()
    ]
    answers = [{"row": at, "column": column, "text": table[at][column].strip()} for at, column in places]
    rows = [
        {"id": 1, "title": "A title", "table": table, "header_rows": 1, "question": "What?", "source": "x"}
        | {"kind": "lookup" if answers else "none", "answers": answers}
    ]
    file = tmp_path / "tables.jsonl"
    file.write_text(json.dumps(rows[0]))
    seen: list[Opened] = []
    workspace = fake_workspace(tmp_path)

    class Watched:
        def read(self, order: Read, report: Any) -> Opened:
            seen.append(read(order, report))
            return seen[-1]

    workspace.documents = Watched()  # type: ignore[assignment]
    found = evaluate_tables(workspace, Plan((file,)), Silent())
    assert found.lost == 0
    (opened,) = seen
    shown = {
        (block.row, block.column): block.span.of(opened.document.text)
        for block in opened.blocks
        if block.table == 0
    }
    assert {at: words.split() for at, words in shown.items()} == {
        at: table[at[0]][at[1]].split() for at in places
    }
