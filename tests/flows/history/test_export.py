"""Export of answers in the formats of other programs, read back as they would."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document, Span
from app.core.wording import NEAREST_WORDS
from app.flows.ask.question import ask
from app.flows.ask.read import read_document
from app.flows.history.export import export, export_text
from app.flows.history.export_text import COLUMNS, escape_markdown
from app.flows.history.history import remember
from app.flows.teach.corrections import correct
from app.flows.workspace import Workspace
from app.training.examples import read_qa
from tests.flows.fake_engine import fake_workspace
from tests.helpers.history_entries import ENTRY, LEASE, entry, unanswered
from tests.helpers.small_pdfs import Page, lines, small_pdf

SILENT = Silent()
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LOW = unanswered(answers=(replace(LEASE, probability=0.31),), no_answer_probability=0.6)
TEXT = "At noon 🌊 the tide is highest.\n\nNobody swims at noon, says Ada."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return fake_workspace(tmp_path / "home")


def asked(workspace: Workspace, path: Path, text: str) -> Entry:
    opened = read_document(workspace, path, SILENT)
    question = Question(text, (opened.document,))
    kept = remember(workspace, (opened,), question, ask(workspace, question, SILENT), SILENT)
    assert kept is not None
    return kept


@pytest.fixture
def tides(workspace: Workspace, tmp_path: Path) -> Entry:
    path = tmp_path / "the tides.txt"
    path.write_text(TEXT, encoding="utf-8")
    return asked(workspace, path, "Who is Ada?")


def out(workspace: Workspace, entries: list[Entry], kind: str) -> str:
    return export_text(workspace, entries, kind, SILENT).text


def rows(workspace: Workspace, *entries: Entry) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out(workspace, [*entries], "csv"), newline="")))


# CSV


def test_the_table_has_a_row_for_each_entry(workspace: Workspace) -> None:
    first, second = rows(workspace, entry(), unanswered(3600))
    assert tuple(first) == COLUMNS and COLUMNS[-9:-6] == ("share_read", "page_label", "line")
    assert first["path"] == ENTRY.path, "each under its own name"
    assert (first["question"], first["answer"], first["page"]) == (ENTRY.question, LEASE.text, "2")
    assert (first["start"], first["end"], first["probability"]) == ("20", "37", "0.940000")
    assert (first["asked"], second["asked"]) == ("2023-11-14T22:13:20Z", "2023-11-14T23:13:20Z")
    assert (second["answer"], second["start"], second["probability"]) == ("", "", "")
    assert second["no_answer_probability"] == "0.970000"
    assert (first["complete"], first["share_read"]) == ("yes", "1.000000")
    assert (first["outcome"], first["nearest"], second["outcome"]) == ("answer", "", "absent")
    (low,) = rows(workspace, LOW)
    assert (low["outcome"], low["answer"], low["nearest"]) == ("low-confidence", "", LEASE.text)
    assert (low["start"], low["page"], low["probability"]) == ("20", "2", "0.310000")


def test_the_printed_page_and_the_line_are_told(workspace: Workspace) -> None:
    cell = replace(LEASE, page=None, cell="B12")
    found = [replace(LEASE, page=15, page_label="9"), replace(LEASE, page=None, line=12)]
    found += [replace(cell, heading="Costs"), replace(cell, heading="", column_name="Price")]
    entries = [entry(answers=(one,)) for one in found]
    assert [
        (row["page"], row["page_label"], row["line"], row["cell"]) for row in rows(workspace, *entries)
    ] == [
        ("15", "9", "", ""),
        ("", "", "12", ""),
        ("", "", "", "B12"),
        ("", "", "", "B12"),
    ]
    page = out(workspace, entries, "markdown")
    assert "lease.pdf, page 9 (15 in the file), “4. Deposit”" in page and "lease.pdf, line 12, “4." in page
    assert (
        "lease.pdf, sheet Costs, cell B12. Read" in page and "lease.pdf, row 12, column Price. Read" in page
    )


def test_how_a_misspelt_question_was_read_is_said(workspace: Workspace) -> None:
    respelt = entry(question="How much is the depsoit?", read_as=ENTRY.question)
    assert [row["read_as"] for row in rows(workspace, respelt, entry())] == [ENTRY.question, ""]
    page = out(workspace, [respelt, entry()], "markdown")
    assert "## How much is the depsoit?\n\nRead as “How much is the deposit?”.\n" in page
    assert page.count("Read as") == 1


def test_how_far_a_stopped_reading_came_is_said(workspace: Workspace) -> None:
    stopped = [entry(complete=False, windows=34, windows_total=100), entry(complete=False)]
    assert [row["share_read"] for row in rows(workspace, *stopped)] == ["0.340000", ""]
    page = out(workspace, stopped, "markdown")
    assert "Stopped after 34% of the text." in page and "Stopped before the end." in page


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t="])
def test_no_cell_of_the_table_is_a_formula(workspace: Workspace, start: str) -> None:
    evil = f"{start}cmd|' /C calc'!A0"
    bad = entry(
        question=evil,
        name=evil,
        path=evil,
        model=evil,
        answers=(replace(LEASE, text=evil, sentence=evil, heading=evil),),
    )
    row = list(csv.reader(io.StringIO(out(workspace, [bad], "csv"), newline="")))[1]
    assert sum(cell == f"'{evil}" for cell in row) == 7
    assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\t"))]


# Markdown


def test_the_page_quotes_each_answer_with_where_it_stands(workspace: Workspace) -> None:
    page = out(workspace, [entry(), unanswered(3600, name="a_b.txt")], "markdown")
    assert (
        "## How much is the deposit?\n\n**three months' rent**\n\n> The deposit is three months' rent.\n"
        in page
    )
    assert "Very likely, 94%.\n\nlease.pdf, page 2, “4. Deposit”. Read on 1" in page
    assert "The text does not say. 97% sure.\n\na\\_b.txt." in page
    low = out(workspace, [LOW], "markdown")
    assert "\n*three months' rent*\n\n> The deposit is" in low and "lease.pdf, page 2, “4. Deposit”." in low
    assert f"\nLow confidence, 31%. {NEAREST_WORDS}\n" in low


@given(
    st.text(st.characters(codec="utf-8"), max_size=60)
    | st.text(" #*_`[]()<>!&;\\-+=.1a~|>\n\"'", max_size=30)
)
def test_markdown_shows_just_the_characters(text: str) -> None:
    line = " ".join(text.replace("\0", " ").split())
    for before, tag in (("", "p"), ("## ", "h2"), ("> ", "p")):
        rendered = MARKDOWN.render(before + escape_markdown(text))
        if line:
            found = re.search(f"<{tag}>(.*)</{tag}>", rendered, re.DOTALL)
            assert found is not None, rendered
            assert "<" not in found[1]
            assert html.unescape(found[1]) == line


# Web annotations


def test_an_annotation_selects_the_answer_in_three_ways(workspace: Workspace) -> None:
    whole = json.loads(out(workspace, [entry(kind=Kind.PDF, path="/home/ada/my lease.pdf")], "json"))
    assert (whole["type"], whole["total"]) == ("AnnotationCollection", 1)
    assert whole["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    (item,) = whole["first"]["items"]
    assert item["type"] == "Annotation" and item["created"] == "2023-11-14T22:13:20Z"
    assert [body["value"] for body in item["body"]] == [ENTRY.question, LEASE.text, "Very likely, 94%"]
    source = item["target"]["source"]
    assert (source["id"], source["format"]) == ("file:///home/ada/my%20lease.pdf", "application/pdf")
    assert source["sha256"] == ENTRY.sha256
    position, quote, page = item["target"]["selector"]
    assert position == {"type": "TextPositionSelector", "start": 20, "end": 37}
    assert quote == {
        "type": "TextQuoteSelector", "exact": LEASE.text, "prefix": LEASE.before, "suffix": LEASE.after,
    }  # fmt: skip
    assert (page["type"], page["value"], page["refinedBy"]) == ("FragmentSelector", "page=2", quote)


def test_words_with_low_confidence_are_selected_and_assessed_as_such(workspace: Workspace) -> None:
    (item,) = json.loads(out(workspace, [LOW], "json"))["first"]["items"]
    assert [body["value"] for body in item["body"]] == [ENTRY.question, LEASE.text, "Low confidence, 31%"]
    assert item["target"]["selector"][0]["start"] == 20


def test_the_selectors_find_the_answer_in_the_document(workspace: Workspace, tides: Entry) -> None:
    (item,) = json.loads(out(workspace, [tides], "json"))["first"]["items"]
    position, quote = item["target"]["selector"]
    assert TEXT[position["start"] : position["end"]] == quote["exact"] == "Ada"
    assert quote["prefix"] + quote["exact"] + quote["suffix"] in TEXT


def test_a_typed_text_is_named_by_its_digest_and_no_answer_has_no_place(workspace: Workspace) -> None:
    pages = out(workspace, [unanswered(path="", kind=Kind.TEXT), entry()], "json")
    one, other = json.loads(pages)["first"]["items"]
    assert one["target"]["source"]["id"].startswith("ni:///sha-256;q6urq6ur")  # RFC 6920
    assert "selector" not in one["target"]
    assert one["body"][1]["value"] == "The text does not say."
    assert one["id"] != other["id"] and one["id"].startswith("urn:uuid:")
    assert out(workspace, [unanswered(path="", kind=Kind.TEXT), entry()], "json") == pages


@pytest.mark.parametrize(
    ("kind", "name", "media_type"),
    [
        (Kind.DOCX, "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (Kind.IMAGE, "a.png", "image/png"),
        (Kind.IMAGE, "b.TIF", "image/tiff"),
    ],
)
def test_the_document_has_its_media_type(
    workspace: Workspace, kind: Kind, name: str, media_type: str
) -> None:
    (item,) = json.loads(out(workspace, [entry(kind=kind, name=name)], "json"))["first"]["items"]
    assert item["target"]["source"]["format"] == media_type


# SQuAD


def questions(text: str) -> list[tuple[str, dict[str, Any]]]:
    data = json.loads(text)
    assert data["version"] == "v2.0"
    return [
        (paragraph["context"], question)
        for document in data["data"]
        for paragraph in document["paragraphs"]
        for question in paragraph["qas"]
    ]


def test_squad_takes_the_whole_text_where_it_is_as_it_was(workspace: Workspace, tides: Entry) -> None:
    path = Path(tides.path)
    none = asked(workspace, path, "Who is Eve?")
    found = questions(out(workspace, [tides, none], "squad"))
    assert [context for context, _ in found] == [TEXT, TEXT]
    assert found[0][1]["answers"] == [{"text": "Ada", "answer_start": TEXT.index("Ada")}]
    assert (found[0][1]["is_impossible"], found[1][1]["is_impossible"]) == (False, True)
    assert found[1][1]["answers"] == [] and found[1][1]["plausible_answers"][0]["answer_start"] == 0
    assert len({question["id"] for _, question in found}) == 2


def test_squad_is_read_by_our_own_training(workspace: Workspace, tides: Entry, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    done = export(workspace, [tides, unanswered()], "squad", file, SILENT)
    assert done.count == 2
    examples = read_qa(file)
    assert [one.question for one in examples] == ["Who is Ada?", ENTRY.question]


def test_squad_takes_the_sentence_where_the_file_has_changed_or_is_gone(
    workspace: Workspace, tides: Entry
) -> None:
    Path(tides.path).write_text("Other words.", encoding="utf-8")
    exported = export_text(workspace, [tides, entry()], "squad", SILENT)
    first, second = questions(exported.text)
    assert first[0] == "Nobody swims at noon, says Ada."
    assert first[1]["answers"] == [{"text": "Ada", "answer_start": 27}]
    assert second[0] == LEASE.sentence and second[1]["answers"][0]["answer_start"] == 15
    assert len(exported.notes) == 2 and "has changed since" in exported.notes[0]
    assert "not there any more" in exported.notes[1]


def test_squad_finds_the_right_one_of_equal_words_in_a_sentence(workspace: Workspace) -> None:
    sentence = "Rent is due on Monday, deposit on Monday, keys on Monday."
    at = sentence.index("Monday, keys")
    answer = replace(
        LEASE, text="Monday", span=Span(100, 106), sentence=sentence, before=sentence[at - 20 : at],
        after=sentence[at + 6 :],
    )  # fmt: skip
    ((_, question),) = questions(out(workspace, [entry(answers=(answer,))], "squad"))
    assert question["answers"] == [{"text": "Monday", "answer_start": at}]


def test_squad_says_what_it_leaves_out(workspace: Workspace) -> None:
    exported = export_text(workspace, [entry(answers=(), answered=False), entry(1)], "squad", SILENT)
    assert exported.count == 1
    assert any("1 question could not be written" in note for note in exported.notes)


# What the person said


def say(workspace: Workspace, kept: Entry, verdict: Verdict, words: str = "") -> None:
    """Give a verdict on an entry, with words of its document."""
    at = TEXT.index(words)
    opened = read_document(workspace, Path(kept.path), SILENT)
    correct(workspace, opened, kept, verdict, SILENT, span=Span(at, at + len(words)) if words else None)


def test_squad_has_what_the_person_said_is_right(workspace: Workspace, tides: Entry) -> None:
    path = Path(tides.path)
    none, absent = asked(workspace, path, "Who is Eve?"), asked(workspace, path, "Who swims at noon?")
    agreed = asked(workspace, path, "Perhaps the tide?")
    assert agreed.best is None and agreed.shown is not None
    say(workspace, tides, Verdict.OTHER_WORDS, "Nobody")
    say(workspace, none, Verdict.OTHER_WORDS, "highest")
    say(workspace, absent, Verdict.NOT_THERE)
    say(workspace, agreed, Verdict.RIGHT)
    entries = [tides, none, absent, agreed, asked(workspace, path, "Who is highest?")]
    for _ in range(2):
        found = questions(out(workspace, entries, "squad"))
        told = {
            question["question"]: (question["is_impossible"], [one["text"] for one in question["answers"]])
            for _, question in found
        }
        assert [told[one.question] for one in entries] == [
            (False, ["Nobody"]), (False, ["highest"]), (True, []), (False, ["tide"]), (False, ["highest"]),
        ]  # fmt: skip
        for context, question in found:
            for one in question["answers"]:
                assert context[one["answer_start"] :].startswith(one["text"])
        path.unlink(missing_ok=True)  # then the passages around the words are written


def test_the_table_and_the_page_have_what_the_person_said(workspace: Workspace, tides: Entry) -> None:
    none = asked(workspace, Path(tides.path), "Who is Eve?")
    other = asked(workspace, Path(tides.path), "What is the tide?")
    say(workspace, tides, Verdict.RIGHT)
    say(workspace, none, Verdict.NOT_THERE)
    say(workspace, other, Verdict.OTHER_WORDS, "highest")
    entries = [tides, none, other, entry()]
    assert [(row["verdict"], row["right_words"]) for row in rows(workspace, *entries)] == [
        ("right", "Ada"), ("not there", ""), ("other words", "highest"), ("", ""),
    ]  # fmt: skip
    page = out(workspace, entries, "markdown")
    assert page.count("You said: right.") == page.count("You said: not in the text.") == 1
    assert "Yours: highest." in page


def test_annotations_have_what_the_person_said_as_an_assessment_of_their_own(
    workspace: Workspace, tides: Entry
) -> None:
    opened = Opened(Document(TEXT, "Untitled"), Kind.TEXT)  # a text in a tab
    question = Question("Who is Ada?", (opened.document,))
    typed = remember(workspace, (opened,), question, ask(workspace, question, SILENT), SILENT)
    assert typed is not None and not typed.path
    correct(workspace, opened, typed, Verdict.RIGHT, SILENT)
    other = asked(workspace, Path(tides.path), "What is the tide?")
    say(workspace, other, Verdict.OTHER_WORDS, "highest")
    whole = json.loads(out(workspace, [typed, other, entry()], "json"))
    assessments = [
        [body for body in item["body"] if body["purpose"] == "assessing"] for item in whole["first"]["items"]
    ]
    assert [len(each) for each in assessments] == [2, 2, 1], "the reader's own is the first"
    agreed, instead = assessments[0][1], assessments[1][1]
    assert (agreed["value"], agreed["verdict"]) == ("You said: right", "right")
    assert (instead["value"], instead["verdict"], instead["rightWords"]) == (
        "Yours: highest", "other words", "highest",
    )  # fmt: skip
    assert agreed["creator"] == {"type": "Person"} and agreed["created"].endswith("Z")


# PDF


@pytest.fixture
def lease(workspace: Workspace, tmp_path: Path) -> Entry:
    path = tmp_path / "lease.pdf"
    path.write_bytes(small_pdf([Page(lines("The deposit is three months of rent.\nDogs are welcome."))]))
    return asked(workspace, path, "Who is welcome?")


def highlights(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    try:
        found = []
        for page in document:
            for at in range(pypdfium2.raw.FPDFPage_GetAnnotCount(page)):
                annotation = pypdfium2.raw.FPDFPage_GetAnnot(page, at)
                if pypdfium2.raw.FPDFAnnot_GetSubtype(annotation) == pypdfium2.raw.FPDF_ANNOT_HIGHLIGHT:
                    size = pypdfium2.raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
                    buffer = (pypdfium2.raw.FPDF_WCHAR * (size // 2))()
                    pypdfium2.raw.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size)
                    found.append(bytes(buffer).decode("utf-16-le").rstrip("\0"))
                pypdfium2.raw.FPDFPage_CloseAnnot(annotation)
        return found
    finally:
        document.close()


def test_a_copy_of_the_pdf_has_its_answers_highlighted(
    workspace: Workspace, lease: Entry, tmp_path: Path
) -> None:
    copy = tmp_path / "marked.pdf"
    before = Path(lease.path).read_bytes()
    done = export(workspace, [lease, entry(kind=Kind.TEXT), unanswered()], "pdf", copy, SILENT)
    assert (done.count, done.files) == (1, (copy,))
    assert done.notes == ("1 answer in documents other than PDF left out.",)
    assert highlights(copy) == ["Who is welcome?\nLikely, 80%"]
    assert Path(lease.path).read_bytes() == before
    low = asked(workspace, Path(lease.path), "Perhaps they are welcome?")
    export(workspace, [low], "pdf", copy, SILENT)
    assert highlights(copy) == ["Perhaps they are welcome?\nLow confidence, 30%"]


def test_several_pdfs_become_several_copies(workspace: Workspace, lease: Entry, tmp_path: Path) -> None:
    other = tmp_path / "deep" / "lease.pdf"
    other.parent.mkdir()
    other.write_bytes(small_pdf([Page(lines("Cats are asked for."))]))
    second = asked(workspace, other, "Who are Cats?")
    done = export(workspace, [lease, second], "pdf", tmp_path / "marked.pdf", SILENT)
    assert [file.name for file in done.files] == ["marked - lease.pdf", "marked - lease 2.pdf"]
    assert [len(highlights(file)) for file in done.files] == [1, 1]


def test_a_pdf_that_has_changed_is_not_marked(workspace: Workspace, lease: Entry, tmp_path: Path) -> None:
    Path(lease.path).write_bytes(small_pdf([Page(lines("Dogs are not welcome."))]))
    with pytest.raises(SpanlightError, match="has changed since"):
        export(workspace, [lease], "pdf", tmp_path / "marked.pdf", SILENT)
    assert not (tmp_path / "marked.pdf").exists()


def test_words_that_do_not_stand_there_are_not_marked(
    workspace: Workspace, lease: Entry, tmp_path: Path
) -> None:
    wrong = replace(lease, answers=(replace(lease.answers[0], text="cats"),))
    done = export(workspace, [wrong], "pdf", tmp_path / "marked.pdf", SILENT)
    assert (done.count, done.files) == (0, ())
    assert done.notes[0].startswith("“cats” on page 1 of lease.pdf was not marked: ")


def test_the_original_is_never_written_over_and_without_a_pdf_there_is_nothing_to_mark(
    workspace: Workspace, lease: Entry, tmp_path: Path
) -> None:
    with pytest.raises(SpanlightError, match="is the document itself"):
        export(workspace, [lease], "pdf", Path(lease.path), SILENT)
    with pytest.raises(SpanlightError, match="None of these answers stands in a PDF"):
        export(workspace, [entry(kind=Kind.TEXT)], "pdf", tmp_path / "marked.pdf", SILENT)


# Files


def test_a_file_is_written_whole(workspace: Workspace, tmp_path: Path) -> None:
    output = tmp_path / "answers.csv"
    odd = entry(question="Who? \udcff")
    assert export(workspace, [odd], "csv", output, SILENT).files == (output,)
    assert output.read_bytes().startswith(b"\xef\xbb\xbfquestion,")
    assert "Who? ?" in output.read_text("utf-8-sig")
    with pytest.raises(SpanlightError, match="could not be written"):
        export(workspace, [odd], "markdown", tmp_path / "answers.csv" / "a.md", SILENT)


def test_nothing_and_no_such_format_are_said(workspace: Workspace, tmp_path: Path) -> None:
    for kind in ("csv", "pdf"):
        with pytest.raises(SpanlightError, match="nothing to export"):
            export(workspace, [], kind, tmp_path / "x", SILENT)
    with pytest.raises(SpanlightError, match="no format “docx”"):
        export(workspace, [ENTRY], "docx", tmp_path / "x", SILENT)
    with pytest.raises(SpanlightError, match="pdf is not text"):
        export_text(workspace, [ENTRY], "pdf", SILENT)
