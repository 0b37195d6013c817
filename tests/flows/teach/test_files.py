import json
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.teach.files import TextTable, column_of, read_text_table, table_from_text
from tests.helpers.documents_here import reads_here

HEAD = ("id", "message", "topic")
ROWS = (("1", "The parcel came late, again", "delivery"), ("2", "Nice people on the phone", "service"))


def read(path: Path) -> TextTable:
    return read_text_table(reads_here(), path, Silent())


def as_xlsx(path: Path) -> Path:
    book = Workbook()
    for row in (HEAD, *ROWS):
        book.active.append(row)
    book.save(path)
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_every_kind_of_table_is_the_same_table(tmp_path: Path) -> None:
    files = [
        as_xlsx(tmp_path / "a.xlsx"),
        written(
            tmp_path / "a.csv", "\n".join(",".join(f'"{cell}"' for cell in row) for row in (HEAD, *ROWS))
        ),
        written(tmp_path / "a.tsv", "\n".join("\t".join(row) for row in (HEAD, *ROWS))),
        written(
            tmp_path / "a.jsonl", "\n".join(json.dumps(dict(zip(HEAD, row, strict=True))) for row in ROWS)
        ),
    ]
    for file in files:
        table = read(file)
        assert (table.columns, table.rows) == (HEAD, ROWS), file.suffix
        assert (table.text_column, table.label_column) == (1, 2)
        assert table.labels_in(2) == ("delivery", "service")


def test_lines_of_a_text_and_of_the_clipboard_are_texts(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "first one\n\n  \nsecond\n")
    assert read(file).rows == (("first one",), ("second",))
    assert table_from_text("one\r\n\r\ntwo").rows == (("one",), ("two",))
    with pytest.raises(SpanlightError):
        table_from_text(" \n ")


def test_rows_of_json_lines_may_lack_values(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", '{"text": "a long text"}\n{"text": null, "stars": 5}\n')
    table = read(file)
    assert table.columns == ("text", "stars") and table.rows == (("a long text", ""), ("", "5"))
    assert table.label_column == -1


def test_columns_without_a_name_or_of_one_name_have_names_of_their_own(tmp_path: Path) -> None:
    table = read(written(tmp_path / "a.csv", "text,,text\na,b,c\n"))
    assert table.columns == ("text", "column 2", "text 3")


@pytest.mark.parametrize("content", ["", "text\n", "text\n\n\n"])
def test_a_file_without_texts_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(SpanlightError):
        read(written(tmp_path / "a.csv", content))


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError):
        read(tmp_path / "none.csv")
    (tmp_path / "a.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(SpanlightError):
        read(tmp_path / "a.xlsx")
    table = table_from_text("one")
    with pytest.raises(SpanlightError, match="Its columns are: text"):
        column_of(table, "message", Path("a.csv"))
