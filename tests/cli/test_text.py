from __future__ import annotations

import getpass
import io
import json
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.kinds import KINDS
from app.core.layout import Kind
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.results import Reading
from tests.flows.fake_engine import FakeEngine, read
from tests.helpers.books import book, chapter, navigation
from tests.helpers.children import POSIX
from tests.helpers.mails import mail, mailbox_of
from tests.helpers.scans import letter, needs_tesseract, scan
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf
from tests.helpers.terminal import DECODED, TEXT, AsJson, Command

PAGES = ["The King sat.", "The Knave stole the tarts.", "Nobody saw it."]


@pytest.fixture
def pdf(tmp_path: Path) -> str:
    path = tmp_path / "tarts.pdf"
    path.write_bytes(small_pdf([Page(lines(words)) for words in PAGES]))
    return str(path)


@pytest.fixture
def locked(tmp_path: Path) -> str:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_pdf("The Knave stole the tarts.", "hearts"))
    return str(path)


def test_text_is_printed_as_read(command: Command, document: str, pdf: str, tmp_path: Path) -> None:
    assert command("text", document) == (0, DECODED, "")
    page = tmp_path / "page.html"
    page.write_text("<title>t</title><h1>Tarts</h1><p>The <b>Knave</b> stole <i>them</i>.")
    assert command("text", str(page)) == (0, "Tarts\n\nThe Knave stole them.\n", "")
    code, out, _ = command("text", pdf)
    assert (code, out.split("\n\n")) == (0, [*PAGES[:2], PAGES[2] + "\n"])


def test_text_for_programs(pdf: str, tmp_path: Path, as_json: AsJson) -> None:
    values = as_json("text", pdf)
    assert (values["kind"], values["document"], values["notes"]) == ("pdf", pdf, [])
    assert [values["text"][page["start"] : page["end"]].strip() for page in values["pages"]] == PAGES
    assert [page["page"] for page in values["pages"]] == [1, 2, 3]
    path = tmp_path / "a.md"
    path.write_text("# Tarts\n\n## Who *stole* them\n\nwords\n")
    values = as_json("text", str(path))
    found = [
        tuple(heading[key] for key in ("text", "level", "page", "line")) for heading in values["headings"]
    ]
    assert found == [("Tarts", 1, None, 1), ("Who stole them", 2, None, 3)]
    assert len(values["sha256"]) == 64
    assert values["size"] == path.stat().st_size


def test_answers_name_page_and_heading(command: Command, pdf: str, tmp_path: Path, as_json: AsJson) -> None:
    _, out, _ = command("ask", pdf, "--question", "What was stolen: tarts?")
    assert out.splitlines()[:2] == ["tarts", "Likely, 80%, on page 2."]
    path = tmp_path / "a.md"
    path.write_text("# The *trial*\n\nThe Knave stole the **tarts**.\n")
    _, out, _ = command("ask", str(path), "--question", "What was stolen: tarts?")
    assert out.splitlines()[1] == "Likely, 80%, on line 3, under “The trial”."
    _, out, _ = command("ask", str(path), pdf, "--question", "What: tarts?", "--top-k", "2")
    assert "Likely, 80%, on line 3 of a.md, under “The trial”." in out
    for file, page, line in ((str(path), None, 3), (pdf, 2, None)):
        values = as_json("ask", file, "-q", "What was stolen: tarts?")
        assert (values["page"], values["line"], values["answers"][0]["line"]) == (page, line, line)
    for question in ("What was stolen: tarts?", "Who is the duchess?"):
        values = as_json("ask", str(path), "-q", question)
        assert values["page_label"] is None and all(one["page_label"] is None for one in values["answers"])


def test_answers_name_the_mail_and_the_chapter(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    box = tmp_path / "a.mbox"
    attached = mail(
        "See the file.", subject="Second", files={"a.md": b"# Trial\n\nThe Knave stole the tarts."}
    )
    box.write_bytes(mailbox_of([bytes(mail("Nothing.", subject="First")), bytes(attached)]))
    question = ["--question", "What was stolen: tarts?"]
    path = "Second > Attachment: a.md > Trial"
    _, out, _ = command("ask", str(box), *question)
    assert out.splitlines()[1] == f"Likely, 80%, in mail 2, under “{path}”."
    values = as_json("ask", str(box), *question)
    assert (values["place"], values["heading"], values["answers"][0]["place"]) == ("mail 2", path, "mail 2")
    nav = navigation('<li><a href="1.xhtml">Part</a><ol><li><a href="2.xhtml">The trial</a></li></ol></li>')
    (tmp_path / "a.epub").write_bytes(
        book([chapter("<p>x</p>"), chapter("<p>The Knave stole the tarts.</p>")], nav=nav)
    )
    _, out, _ = command("ask", str(tmp_path / "a.epub"), *question)
    assert out.splitlines()[1] == "Likely, 80%, under “Part > The trial”."


def test_the_printed_number_of_a_page_is_told(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(small_pdf([Page(lines(words)) for words in PAGES], labels=["i", "ii", "3"]))
    question = ["ask", str(path), "-q", "What was stolen: tarts?"]
    assert command(*question)[1].splitlines()[1] == "Likely, 80%, on page ii (2 in the file)."
    values = as_json(*question)
    assert (values["page"], values["page_label"], values["answers"][0]["page_label"]) == (2, "ii", "ii")
    assert "  book.pdf, page ii (2 in the file), " in command("history")[1]
    values = as_json("text", str(path))
    assert [page["label"] for page in values["pages"]] == ["i", "ii", "3"]
    out = command("ask", str(path), "--question", "Who saw it: Nobody?")[1]
    assert out.splitlines()[1] == "Likely, 80%, on page 3."


def test_positions_count_in_the_text_as_it_is_printed(pdf: str, as_json: AsJson) -> None:
    values = as_json("ask", pdf, "--question", "What was stolen: tarts?")
    text = as_json("text", pdf)["text"]
    assert text[values["start"] : values["end"]] == values["answer"] == values["quote"] == "tarts"
    assert (values["page"], values["heading"], values["sentence"]) == (2, "", PAGES[1])
    assert values["answers"][0]["page"] == 2
    values = as_json("ask", pdf, "--question", "Who is the duchess?")
    assert (values["page"], values["heading"], values["quote"]) == (None, "", "")


def test_notes_go_to_standard_error(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "saved.pdf"
    path.write_text("The Knave stole the tarts.")
    assert command("text", str(path)) == (
        0,
        "The Knave stole the tarts.\n",
        "By its content, “saved.pdf” is text.\n",
    )


@needs_tesseract
def test_pictures_of_pages_are_recognised(command: Command, shared_data: Path) -> None:
    path = shared_data / "documents" / "scanned-letter-no-text-layer.pdf"
    code, out, err = command("text", str(path), "--json")
    assert (code, err) == (0, "The text of the page was recognised in its picture.\n")
    told = json.loads(out)
    recognised = told["pages"][0]["recognised"]
    assert recognised["languages"] == ["en"] and 0.9 < recognised["confidence"] < 1
    assert "Plain Language Coordinator" in told["text"] and "we have failed." in told["text"]
    assert all(told["text"][start:end].strip() for start, end in recognised["unsure"])


@needs_tesseract
def test_many_pictures_are_recognised_when_that_is_said(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan([letter("The knave.")] + [Page(height=60, width=60)] * 20, dpi=100))
    code, out, err = command("text", str(path))
    assert (code, out) == (0, "\n")
    assert (
        "pictures of pages" in err and "21 pages can be recognised, in about" in err and "--recognise" in err
    )
    code, _, err = command("ask", str(path), "-q", "Who?")
    assert code == 2 and err.endswith("to ask. Add --recognise to have the text of the pages recognised.\n")
    code, out, err = command("text", str(path), "--recognise")
    assert (code, out) == (0, "The knave.\n")
    code, out, err = command("text", str(path))
    assert (code, out) == (0, "The knave.\n"), "it was kept"


def test_a_password_is_given_or_asked_for(
    command: Command, locked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = command("text", locked)
    assert (code, out) == (2, "")
    assert "asks for a password. --password gives it." in err
    assert "knave" in command("text", locked, "--password", "hearts")[1].lower()
    typed = ["spades", "hearts"]
    monkeypatch.setattr(getpass, "getpass", lambda prompt: typed.pop(0))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    code, out, err = command("text", locked)
    assert (code, typed) == (0, [])
    assert "does not fit" in err
    assert "tarts" in out


class Quick(FakeEngine):
    """An engine that reads 32 of 400 windows if the question is quick."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Reading:
        reading = read(request)
        if request.quick:
            return replace(reading, quick=True, windows=32, windows_total=32, windows_whole=400)
        return reading


def test_a_quick_reading_says_how_much_it_read(command: Command, document: str, as_json: AsJson) -> None:
    question = ["ask", document, "--question", "Where: tarts?"]
    out = command(*question, "--quick", engine=Quick())[1]
    assert out.splitlines()[:2] == ["Only the best passages were read, 8% of the text.", "tarts"]
    assert command(*question, engine=Quick())[1].splitlines()[0] == "tarts"
    out = command("ask", document, "-q", "Who is the duchess?", "--quick", engine=Quick())[1]
    assert out.splitlines() == [
        "Only the best passages were read, 8% of the text.",
        "No answer in the part that was read.",
        "90% sure.",
    ]
    assert "  Only the best passages were read.\n" in command("history")[1]
    values = as_json(*question, "--quick", engine=Quick())
    assert (values["quick"], values["share_read"], values["share_of_text"]) == (True, 1.0, 0.08)
    values = as_json(*question, engine=Quick())
    assert (values["quick"], values["share_of_text"]) == (False, 1.0)


def test_the_epilog_speaks_of_what_is_printed(command: Command, document: str, as_json: AsJson) -> None:
    _, help_text, _ = command("text", "--help")
    values = as_json("text", document)
    assert all(f'"{key}"' in help_text for key in values)


@POSIX
def test_a_pipe_is_read_as_a_stream(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "63"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(TEXT.encode(),))
    writer.start()
    assert command("text", str(path)) == (0, DECODED, "")
    writer.join()


def test_a_pdf_from_a_stream_is_not_cut_off(
    command: Command, pdf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(pdf).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert command("text", "-")[0] == 0
    monkeypatch.setitem(KINDS, Kind.DOCX, KINDS[Kind.DOCX]._replace(most=len(data) - 1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, err = command("text", "-")
    assert (code, out) == (2, "")
    assert err.startswith("“standard input” brings a PDF of more than")
    box = mailbox_of([bytes(mail("words" * len(data)))])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(box)))
    assert command("text", "-")[2].startswith("“standard input” brings a mailbox of more than")
