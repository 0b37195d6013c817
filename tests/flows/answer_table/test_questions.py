from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.core.answer_table import ColumnType
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.answer_table.questions import columns_of, questions_from, questions_in
from tests.helpers.documents_here import reads_here

TWO = ("Who is the landlord?", "What is the term, if any?")


def read(path: Path) -> tuple[str, ...]:
    return questions_from(reads_here(), path, Silent())


def test_pasted_lines_lose_their_bullets_numbers_and_repetitions() -> None:
    text = (
        "\ufeff1. Who is the landlord?\r\n\r\n  - What is the  term, if any?\r\n2)\tWho is the landlord?\n"
        "• [ ] Is there a break clause?\n(c) 1.5 million of what?\n---\nQ4: 2024 was what year?\n* A. Smith's role?"
    )
    assert questions_in(text) == (
        *TWO,
        "Is there a break clause?",
        "1.5 million of what?",
        "2024 was what year?",
        "A. Smith's role?",
    )


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plain.txt", "\n".join(TWO).encode()),
        ("marked.txt", codecs.BOM_UTF16_LE + "\r\n".join(TWO).encode("utf-16-le")),
        ("one column.csv", "\n".join(TWO).encode()),
        (
            "named.csv",
            b'no,Question,why\n1,Who is the landlord?,x\n2,"What is the term, if any?",y\n',
        ),
        ("semicolons.csv", b"id;question\n1;Who is the landlord?\n\n2;What is the term, if any?"),
        ("two words.csv", b'id,Question text\n1,Who is the landlord?\n2,"What is the term, if any?"\n'),
        ("first.csv", b'"Topic","x"\n"Who is the landlord?","a"\n"What is the term, if any?",""'),
        ("numbered.csv", b'1,"Who is the landlord?"\n2,"What is the term, if any?"\n'),
        ("BOM.csv", "question\nWho is the landlord?\nWhat is the term, if any?\n".encode("utf-8-sig")),
    ],
)
def test_files_of_any_kind(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert read(path) == TWO


def test_an_old_encoding(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("Où est l’hôtel situé, près de la forêt?\nWann ist es geöffnet?\n".encode("cp1252"))
    assert read(path) == ("Où est l’hôtel situé, près de la forêt?", "Wann ist es geöffnet?")


def test_the_first_sheet_of_a_spreadsheet(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    for row in (("Questions", "weight"), (TWO[0], 3), (None, None), (TWO[1], 1.5), (2024, 1)):
        sheet.append(row)
    book.create_sheet("other").append(("Not this one?",))
    book.save(tmp_path / "list.xlsx")
    assert read(tmp_path / "list.xlsx") == (*TWO, "2024")


def test_bad_files_are_told_in_one_sentence(tmp_path: Path) -> None:
    empty, broken, binary = (tmp_path / name for name in ("empty.csv", "broken.xlsx", "binary.txt"))
    empty.write_bytes(b"\n \n")
    broken.write_bytes(b"PK\x03\x04 and no more")
    binary.write_bytes(bytes(range(256)) * 20)
    for path, words in (
        (empty, "has no questions"),
        (broken, "not a spreadsheet"),
        (binary, "not a text file"),
        (tmp_path / "gone.txt", "There is no file"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(SpanlightError, match=words):
            read(path)


def test_a_table_too_large_for_memory_is_refused_with_a_header_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("question,x\nWho?,\n")
    monkeypatch.setattr("app.core.tables._MOST_CELLS", 3)
    with pytest.raises(SpanlightError, match="2 rows and 2 columns"):
        read(path)


def test_more_than_a_thousand_are_refused() -> None:
    lines = [f"What is number {at}?" for at in range(1001)]
    assert len(questions_in("\n".join(lines[:1000]))) == 1000
    with pytest.raises(SpanlightError, match=r"There are 1,001 questions; a table holds at most 1,000\."):
        questions_in("\n".join(lines))


def test_the_type_is_taken_from_the_first_words() -> None:
    types = {
        "When does it end?": ColumnType.DATE,
        "What is the start date?": ColumnType.DATE,
        "What was the effective date?": ColumnType.DATE,
        "What year was it signed?": ColumnType.DATE,
        "In which year does it end?": ColumnType.DATE,
        "What is the rent per year?": ColumnType.AMOUNT,
        "What is the balance to date?": ColumnType.WORDS,
        "How much is the deposit?": ColumnType.AMOUNT,
        "What is the annual rent?": ColumnType.AMOUNT,
        "How many days of notice?": ColumnType.NUMBER,
        "How long is the notice?": ColumnType.NUMBER,
        "May the tenant sublet?": ColumnType.YES_NO,
        "Who is the landlord?": ColumnType.WORDS,
        "However it is done?": ColumnType.WORDS,
    }
    assert {column.question: column.type for column in columns_of(types)} == types
