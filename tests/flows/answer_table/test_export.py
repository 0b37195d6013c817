from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font

from app.core.answer_table import AnswerTable, Column, ColumnType
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.library import Library
from app.core.report import Silent, Stopped
from app.core.text import Span
from app.documents import spreadsheet
from app.flows.answer_table.export import export_table, write_back
from app.flows.answer_table.fill import fill
from app.flows.answer_table.tables import judge, save_table
from app.flows.workspace import Workspace
from tests.flows.answer_table.conftest import QUESTIONS, TEXTS, put
from tests.helpers.children import Listener

Make = Callable[..., AnswerTable]
QUIET = Silent()


@pytest.fixture
def table(workspace: Workspace, make: Make) -> AnswerTable:
    """A filled table; of the first lease the notice is said to be other words."""
    table = make()
    fill(workspace, table, QUIET)
    sha256 = next(key[0] for key, cell in workspace.tables.cells(table).items() if cell.words == "60")
    said = {"words": "60 days", "span": Span(38, 45)}
    judge(workspace, sha256, table.columns[1].number, Verdict.OTHER_WORDS, QUIET, **said)
    return table


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx"])
def test_what_was_not_read_of_a_file_is_exported(
    workspace: Workspace, library: Library, make: Make, tmp_path: Path, ending: str
) -> None:
    put(workspace, library, "cut.txt", "The landlord is Anna.", "The rest is damaged.")
    table, out = make(*QUESTIONS[:2]), tmp_path / f"out.{ending}"
    fill(workspace, table, QUIET)
    export_table(workspace, table, out, QUIET)
    if ending == "xlsx":
        book = load_workbook(out)
        names, *rows = book["Answers"].iter_rows(values_only=True)
        found = [dict(zip(names, row, strict=True)) for row in rows]
        assert book["Table"]["C2"].value == "no answer in the part that was read"
    else:
        lines = out.read_text(encoding="utf-8").splitlines()
        found = rows_of(out) if ending == "csv" else [json.loads(line) for line in lines]
    assert [(row["state"], row["reason"]) for row in found if row["document"] == "cut.txt"] == [
        ("answer", "The rest is damaged."),
        ("no answer in the part that was read", "The rest is damaged."),
    ]


def test_how_a_misspelt_question_was_read_is_kept_and_exported(
    workspace: Workspace, make: Make, tmp_path: Path
) -> None:
    table, out = make("Who is the lnadlord Anna?", QUESTIONS[1]), tmp_path / "out.csv"
    fill(workspace, table, QUIET)
    export_table(workspace, table, out, QUIET)
    found = {(row["document"], row["question"]): row["read as"] for row in rows_of(out)}
    assert {key: words for key, words in found.items() if words} == {
        (name, "Who is the lnadlord Anna?"): "Who is the landlord Anna?" for name in TEXTS
    }


def test_csv_has_a_row_a_cell(workspace: Workspace, table: AnswerTable, tmp_path: Path) -> None:
    export_table(workspace, table, tmp_path / "new" / "out.csv", QUIET)
    rows = rows_of(tmp_path / "new" / "out.csv")
    assert [(row["document"], row["question"]) for row in rows] == [
        (name, question) for name in ("first.txt", "scan.pdf", "second.txt") for question in QUESTIONS
    ]
    landlord, notice, garden, scan = rows[:4]
    text = TEXTS["first.txt"]
    assert text[int(landlord["start"]) : int(landlord["end"])] == landlord["answer"] == "Anna"
    assert landlord["probability"] == "0.800000" and landlord["state"] == "answer"
    place = [landlord[name] for name in ("quotation", "page", "page label")]
    assert place == ["The landlord is Anna.", "1", "iii"]
    assert landlord["model"] == "reader" and len(landlord["sha256"]) == 64 and landlord["read"].endswith("Z")
    assert text[int(notice["start"]) : int(notice["end"])] == notice["answer"] == "60 days"
    assert (notice["value"], notice["verdict"], notice["reader's answer"]) == ("60 days", "other words", "60")
    assert (notice["quotation"], notice["page"]) == ("", "") and notice["judged"].endswith("Z")
    assert (garden["state"], garden["answer"], garden["probability"]) == ("not in the text", "", "0.900000")
    assert (scan["state"], scan["reason"]) == ("no text layer", "Pictures of pages only.")
    assert scan["probability"] == ""
    assert rows[6]["quotation"] == "'=The landlord is Anna."


def test_json_lines_have_the_same_values_as_they_are(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    export_table(workspace, table, tmp_path / "out.jsonl", QUIET)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 9
    assert [lines[0][name] for name in ("answer", "start", "page")] == ["Anna", 16, 1]
    assert (lines[2]["probability"], lines[3]["probability"], lines[3]["page"]) == (0.9, None, None)
    assert lines[6]["quotation"] == "=The landlord is Anna."


def test_a_spreadsheet_has_a_sheet_to_look_at_and_one_of_all_values(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    export_table(workspace, table, tmp_path / "out.xlsx", QUIET)
    export_table(workspace, table, tmp_path / "out.csv", QUIET)
    book = load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["Table", "Answers"]
    seen = [list(row) for row in book["Table"].iter_rows(values_only=True)]
    assert seen == [
        ["document", *QUESTIONS],
        ["first.txt", "Anna", "60 days", "not in the text"],
        ["scan.pdf", *["no text layer"] * 3],
        ["second.txt", "Anna", "not in the text", "not in the text"],
    ]
    answers = [list(row) for row in book["Answers"].iter_rows(values_only=True)]
    assert answers[0] == list(rows_of(tmp_path / "out.csv")[0])
    assert (answers[1][answers[0].index("start")], answers[1][answers[0].index("probability")]) == (16, 0.8)
    kinds = {cell.data_type for row in book["Answers"].iter_rows() for cell in row}
    assert "f" not in kinds


def test_a_spreadsheet_can_add_up_and_sort_values(
    workspace: Workspace, library: Library, tmp_path: Path
) -> None:
    put(workspace, library, "bill.txt", "It is £1,250 at 7.5% from 1 March 2024, within 30 days, of 3 parts.")
    types = {
        "How much is £1,250": ColumnType.AMOUNT,
        "How many per cent is 7.5%": ColumnType.NUMBER,
        "When is it from 1 March 2024": ColumnType.DATE,
        "How many parts are 3": ColumnType.NUMBER,
        "How long is it within 30 days": ColumnType.NUMBER,
    }
    columns = tuple(Column(0, question, type) for question, type in types.items())
    table = save_table(workspace, AnswerTable(0, "Sums", library.number, columns), QUIET)
    fill(workspace, table, QUIET)
    for column, words in zip(table.columns, ("£1,250", "7.5%", "1 March 2024", "3", "30 days"), strict=True):
        (file,) = [file for file in workspace.library.files(library) if file.path.endswith("bill.txt")]
        judge(workspace, file.sha256, column.number, Verdict.OTHER_WORDS, QUIET, words=words)
    export_table(workspace, table, tmp_path / "out.xlsx", QUIET)
    sheet: Any = load_workbook(tmp_path / "out.xlsx")["Answers"]
    heads, *lines = list(sheet.iter_rows())
    at = [cell.value for cell in heads].index("value")
    found = [line[at] for line in lines if line[0].value == "bill.txt"]
    assert [cell.value for cell in found] == [1250, 0.075, datetime(2024, 3, 1), 3, "30 days"]
    assert found[0].number_format == '"GBP "#,##0.00' and found[1].number_format == "0.##%"


def test_words_that_no_spreadsheet_takes_are_changed_and_formulas_are_harmless(
    workspace: Workspace, library: Library, make: Make, tmp_path: Path
) -> None:
    put(workspace, library, "=1+1.txt", "\x01 =cmd|'/c' is here \ufffe")
    table = make("What is =cmd|'/c'?")
    fill(workspace, table, QUIET)
    export_table(workspace, table, tmp_path / "out.xlsx", QUIET)
    cell_rows = list(load_workbook(tmp_path / "out.xlsx")["Table"].iter_rows(values_only=True))
    assert cell_rows[1] == ("'=1+1.txt", "'=cmd|'/c'")


def test_what_was_not_read_and_what_is_uncertain_says_so(
    workspace: Workspace, make: Make, tmp_path: Path
) -> None:
    table = make("Perhaps it is Anna?")
    export_table(workspace, table, tmp_path / "before.csv", QUIET)
    assert [row["state"] for row in rows_of(tmp_path / "before.csv")] == [
        "not read yet", "no text layer", "not read yet"
    ]  # fmt: skip
    fill(workspace, table, QUIET)
    export_table(workspace, table, tmp_path / "after.xlsx", QUIET)
    rows = list(load_workbook(tmp_path / "after.xlsx")["Table"].iter_rows(values_only=True))
    assert rows[1][1] == "Anna (Low confidence, 30%)"


def test_what_cannot_be_written_leaves_what_is_there(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    with pytest.raises(SpanlightError, match=r"written as “out.pdf”.* \.csv, \.xlsx or \.jsonl"):
        export_table(workspace, table, tmp_path / "out.pdf", QUIET)

    there = tmp_path / "out.csv"
    there.write_text("mine")
    with pytest.raises(Stopped):
        export_table(workspace, table, there, Listener(lambda _: True))
    assert there.read_text() == "mine"


def test_answers_are_written_beside_a_csv_list(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    source = tmp_path / "list.csv"
    source.write_text(f"no;question\n1;{QUESTIONS[0]}\n;\n2;{QUESTIONS[1]}\n3;Another?\n4;{QUESTIONS[0]}\n")
    write_back(workspace, table, source, tmp_path / "out.csv", QUIET)
    lines = (tmp_path / "out.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert lines == [
        "no;question;first.txt;scan.pdf;second.txt",
        f"1;{QUESTIONS[0]};Anna;no text layer;Anna",
        ";;;;",
        f"2;{QUESTIONS[1]};60 days;no text layer;not in the text",
        "3;Another?;;;",
        f"4;{QUESTIONS[0]};Anna;no text layer;Anna",
    ]


def test_a_list_with_tabs_is_written_as_csv_with_commas(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    source = tmp_path / "list.tsv"
    source.write_text(f"no\tquestion\n1\t{QUESTIONS[0]}\n")
    write_back(workspace, table, source, tmp_path / "out.csv", QUIET)
    lines = (tmp_path / "out.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0] == "no,question,first.txt,scan.pdf,second.txt"


def test_of_one_document_the_place_stands_beside_the_answer(
    workspace: Workspace, library: Library, make: Make, tmp_path: Path
) -> None:
    files = workspace.library.files(library)
    workspace.library.leave(library, [file for file in files if not file.path.endswith("first.txt")])
    table = make()
    fill(workspace, table, QUIET)
    source = tmp_path / "list.txt"
    source.write_text(f"1. {QUESTIONS[0]}\n2. {QUESTIONS[2]}\n")
    write_back(workspace, table, source, tmp_path / "out.csv", QUIET)
    assert [list(row.values()) for row in rows_of(tmp_path / "out.csv")] == [
        [f"1. {QUESTIONS[0]}", "Anna", "The landlord is Anna.", "1", "80%", "", "first.txt"],
        [f"2. {QUESTIONS[2]}", "not in the text", "", "", "90%", "", "first.txt"],
    ]


@pytest.mark.parametrize("header", [True, False])
def test_a_spreadsheet_keeps_its_looks_and_formulas(
    workspace: Workspace, table: AnswerTable, tmp_path: Path, header: bool
) -> None:
    book = Workbook()
    sheet: Any = book.active
    if header:
        sheet.append(["id", "question"])
    sheet.append([7, QUESTIONS[0]])
    sheet.append([8, QUESTIONS[1]])
    sheet.cell(sheet.max_row, 2).font = Font(bold=True)
    book.create_sheet("sums")["A1"] = "=1+1"
    book.save(tmp_path / "list.xlsx")
    write_back(workspace, table, tmp_path / "list.xlsx", tmp_path / "out.xlsx", QUIET)
    again = load_workbook(tmp_path / "out.xlsx")
    assert again["sums"]["A1"].value == "=1+1"
    written: Any = again.worksheets[0]
    rows = [list(row) for row in written.iter_rows(values_only=True)]
    assert rows[0][1:] == ["question", "first.txt", "scan.pdf", "second.txt"]
    assert rows[1] == [7, QUESTIONS[0], "Anna", "no text layer", "Anna"]
    assert rows[2] == [8, QUESTIONS[1], "60 days", "no text layer", "not in the text"]
    assert written.cell(3, 2).font.bold


def test_no_row_is_put_above_formulas(workspace: Workspace, table: AnswerTable, tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append([QUESTIONS[0], 2, "=B1*2"])
    book.save(tmp_path / "list.xlsx")
    write_back(workspace, table, tmp_path / "list.xlsx", tmp_path / "out.xlsx", QUIET)
    (row,) = load_workbook(tmp_path / "out.xlsx").worksheets[0].iter_rows(values_only=True)
    assert row[:4] == (QUESTIONS[0], 2, "=B1*2", "Anna")


def test_more_documents_than_a_spreadsheet_has_columns(
    workspace: Workspace, table: AnswerTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_COLUMNS", 3)
    (tmp_path / "list.txt").write_text(f"{QUESTIONS[0]}\n{QUESTIONS[1]}\n")
    with pytest.raises(SpanlightError, match="more documents than a spreadsheet"):
        write_back(workspace, table, tmp_path / "list.txt", tmp_path / "out.xlsx", QUIET)


def test_another_list_and_the_list_itself_are_refused(
    workspace: Workspace, table: AnswerTable, tmp_path: Path
) -> None:
    source = tmp_path / "list.txt"
    source.write_text("Quite another question?\n")
    with pytest.raises(SpanlightError, match="has none of this table's questions"):
        write_back(workspace, table, source, tmp_path / "out.csv", QUIET)
    with pytest.raises(SpanlightError, match="would overwrite"):
        write_back(workspace, table, source.rename(tmp_path / "list.csv"), tmp_path / "list.csv", QUIET)
    assert (tmp_path / "list.csv").read_text() == "Quite another question?\n"
