"""Export of names for spreadsheets, for other taggers, and for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.results import Entity, Tagged, TaggedWord
from app.core.text import Span
from app.flows.heads.export_names import COLUMNS, FORMATS, TaggedDocument, names_as, save_names
from tests.helpers.names_here import TYPES, tagged

TEXT = "Alice Liddell went to Oxford. In Paris, Acme 👩‍👧 paid\nDinah.\n\nThe end"


def document(text: str = TEXT, name: str = "") -> TaggedDocument:
    return TaggedDocument(text, tagged(text), name)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_table_has_a_row_for_every_name() -> None:
    head, *found = rows(names_as("csv", [document()], TYPES))
    assert tuple(head) == COLUMNS
    assert found[0] == ["0", "13", "Alice Liddell", "PER", "0.930000"]
    assert [row[2] for row in found] == ["Alice Liddell", "Oxford", "Paris", "Acme", "Dinah"]
    assert all(TEXT[int(start) : int(end)] == text for start, end, text, *_ in found)


def test_several_documents_are_told_apart() -> None:
    head, *found = rows(names_as("csv", [document(), document("Bill saw Oxford.", "b.txt")], TYPES))
    assert tuple(head) == ("document", *COLUMNS)
    assert [row[0] for row in found] == [""] * 5 + ["b.txt"] * 2
    lines = names_as("conll", [document(), document("Bill sat.", "b.txt")], TYPES)
    assert lines.startswith("-DOCSTART- O\n\nAlice B-PER\n")
    assert lines.endswith("\n\n-DOCSTART- O\n\nBill B-PER\nsat O\n. O\n\n")


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=10))
def test_no_cell_begins_a_formula_and_each_comes_back(text: str, label: str) -> None:
    name = Entity(Span(0, len(text)), text, label, 0.5)
    made = names_as("csv", [TaggedDocument(text, Tagged((name,), (), 1))], (label,))
    _, row = rows(made.encode("utf-8", "replace").decode())
    assert len(row) == 5
    for cell, given_cell in ((row[2], text), (row[3], label)):
        assert cell.removeprefix("'") in (given_cell.encode("utf-8", "replace").decode(), given_cell[1:])
        assert cell[0] not in "=@\t\r\n＝＋－＠"


def test_conll_has_a_line_a_word_and_a_blank_one_between_sentences() -> None:
    sentences = names_as("conll", [document()], TYPES).split("\n\n")
    assert sentences[0].splitlines() == [
        "Alice B-PER",
        "Liddell I-PER",
        "went O",
        "to O",
        "Oxford B-LOC",
        ". O",
    ]
    assert sentences[1].splitlines()[0] == "In O"
    assert sentences[1].splitlines()[4] == "👩‍👧 O"
    assert sentences[2:] == ["The O\nend O", ""]


@given(st.text(max_size=60), st.text(min_size=1))
def test_every_line_of_conll_has_one_word_and_one_tag(text: str, tag: str) -> None:
    words = [TaggedWord(Span(at, at + 1), tag, 1.0) for at in range(len(text)) if text[at] > "\0"]
    made = names_as("conll", [TaggedDocument(text, Tagged((), words, 1))], ())
    lines = [line for line in made.split("\n") if line]
    assert len(lines) == len(words)
    assert all(len(line.split()) == 2 for line in lines)


def test_json_tells_places_types_and_model() -> None:
    values = json.loads(names_as("json", [document(name="a.txt")], TYPES, "finder"))
    assert (values["types"], values["model"]) == (list(TYPES), "finder")
    (only,) = values["documents"]
    assert only["document"] == "a.txt"
    assert only["names"][0] == {
        "start": 0,
        "end": 13,
        "text": "Alice Liddell",
        "type": "PER",
        "probability": pytest.approx(0.93),
    }


@pytest.mark.parametrize("kind", [one.key for one in FORMATS])
def test_files_are_written_whole(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "names"
    save_names(kind, [document()], TYPES, "finder", path, Silent())
    assert path.read_text("utf-8-sig") == names_as(kind, [document()], TYPES, "finder")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") == (kind == "csv")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(SpanlightError, match="no format “xml”"):
        names_as("xml", [document()], TYPES)


def test_a_long_text_is_soon_written() -> None:
    import time

    text = "Alice met Bill in Oxford. " * 5_000
    made = document(text)
    started = time.perf_counter()
    names_as("conll", [made], TYPES)
    assert time.perf_counter() - started < 10
