"""CSV and TSV: how they are written is found out, and every cell has its row and its column's name."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.core.layout import Kind, Opened
from app.documents.sheets import delimited
from tests.helpers import flowing
from tests.helpers.flowing import parts_of, words_of

TABLE = "Ware,Price,Stock\nTea,2.50,4\nMilk,1.20,9\n"


def opened(text: str | bytes) -> Opened:
    return flowing.opened(text if isinstance(text, bytes) else text.encode(), "a.csv")


def place(found: Opened, words: str) -> str:
    return found.place_at(found.document.text.index(words))


def test_a_cell_by_its_row_and_its_column() -> None:
    found = opened(TABLE)
    assert found.kind is Kind.CSV and found.document.text == TABLE.replace(",", "\t").rstrip()
    assert place(found, "1.20") == "row 3, column Price"
    assert found.cell_at(found.document.text.index("1.20")) == "B3"
    assert place(opened("1,2\n3,4\n"), "4") == "row 2, column 2"  # without a header
    assert place(opened("sep=;\na;b\n1;2\n"), "2") == "row 3, column b"  # Excel's own line counts


def test_a_row_is_a_record_also_after_lines_in_a_cell_and_empty_ones() -> None:
    found = opened('Name,Note\n"Ada","one\ntwo"\n\nBen,\nCleo,3\n')
    assert place(found, "Ben") == "row 4, column Name"
    assert place(found, "3") == "row 5, column Note"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["Ware", "Preis", "Ort"], ["Tee, grün", "1,50", "Graz; Wien"], ["Milch", "0,99", "Linz | Wels"]]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    found = opened(out.getvalue())
    assert words_of(parts_of(found)) == [cell for row in rows for cell in row]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sep=;\na;b,c\n1;2\n", ["a", "b,c", "1", "2"]),
        ("Preis;Menge\n1,5;2,5\n3,5;4,5\n", ["Preis", "Menge", "1,5", "2,5", "3,5", "4,5"]),
        ('a,b\n"say \\"hi\\", then",2\n', ["a", "b", 'say "hi", then', "2"]),
        ('a,b\n"say ""hi""",2\n', ["a", "b", 'say "hi"', "2"]),
        ("One column\nof words, here and there\n", ["One column", "of words, here and there"]),
        ('a,b\n"never closed,2\n3,4\n', ["a", "b", "never closed,2\n3,4"]),
        ("a,b\n1\n1,2,3,4\n5,6\n", ["a", "b", "1", "1", "2", "3", "4", "5", "6"]),
    ],
)
def test_how_programs_write_it(text: str, words: list[str]) -> None:
    assert words_of(parts_of(opened(text))) == words


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found(encoding: str) -> None:
    found = opened("Größe;Ort\n5;Köln\n7;Düren\n".encode(encoding))
    assert place(found, "7") == "row 3, column Größe"


def test_a_vast_table_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MOST_CELLS", 8)
    found = opened(TABLE)
    assert found.kind is Kind.TEXT and found.document.text == TABLE
    assert place(found, "Milk") == "line 3"
    assert [str(note) for note in found.notes] == [
        "It has too many cells for a table, so it is read as a text, line by line."
    ]


CELLS = some.text(some.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=5)


@given(
    some.integers(2, 5).flatmap(
        lambda wide: some.lists(some.lists(CELLS, min_size=wide, max_size=wide), min_size=2)
    )
)
def test_all_cells_come_back_with_their_rows(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(rows)
    found = opened(out.getvalue())
    for block, row in zip(found.blocks, found.cells.rows, strict=True):
        words = block.span.of(found.document.text)
        assert found.place_at(block.span.start).startswith(f"row {row:,}, column ")
        assert any("".join(words.split()) in cell or set(words) <= set(cell) for cell in rows[row - 1])
