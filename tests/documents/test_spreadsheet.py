from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment

from app.core.report import Silent, Stopped
from app.documents.orders import Extend
from app.documents.spreadsheet import extended, read_sheet
from app.flows.ask.document_process import SheetRows


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A spreadsheet with a question in each of 300 rows, and a second sheet."""
    book = Workbook()
    book.active.append(("number", "question", None))
    for at in range(300):
        book.active.append((at, f"Who is {at}?", 0.5))
    book.active["B2"].comment = Comment("ours", "me")
    book.active["A2"].hyperlink = "https://example.org/"
    book.create_sheet("other").append(("Not this one?",))
    book.save(tmp_path / "list.xlsx")
    return tmp_path / "list.xlsx"


def test_the_rows_of_the_first_sheet_come_in_pieces(sheet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.documents.spreadsheet._CELLS_AT_ONCE", 1000)
    pieces: list[Any] = []

    class Pieces(SheetRows):
        def partial(self, result: object) -> None:
            pieces.append(result)
            super().partial(result)

    class Stopping(Silent):
        def check(self) -> None:
            raise Stopped

    with pytest.raises(Stopped):
        read_sheet(sheet, Stopping())
    found = Pieces(Silent())
    read_sheet(sheet, found)
    assert len(pieces) == 2 and len(found.rows) == 301
    assert found.rows[:2] == [("number", "question"), ("0", "Who is 0?", "0.5")]
    assert found.rows[-1] == ("299", "Who is 299?", "0.5")


def test_columns_are_added_without_a_file_of_their_own(sheet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile._mkstemp_inner", lambda *_: pytest.fail("a temporary file was made"))
    order = Extend(str(sheet), (("answer",), ("Zero",), ("",), ("Two", "sure")))
    written: Any = load_workbook(io.BytesIO(extended(order, Silent())))
    rows = list(written.worksheets[0].iter_rows(max_row=4, values_only=True))
    assert rows == [
        ("number", "question", None, "answer", None),
        (0, "Who is 0?", 0.5, "Zero", None),
        (1, "Who is 1?", 0.5, None, None),
        (2, "Who is 2?", 0.5, "Two", "sure"),
    ]
    assert written.worksheets[0]["B2"].comment.text == "ours"
    assert written.worksheets[0]["A2"].hyperlink.target == "https://example.org/"
    assert written["other"]["A1"].value == "Not this one?"
