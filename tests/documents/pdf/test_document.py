"""PDF files opened: with a password, damaged, scanned, and what is said of each."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.report import Silent
from app.documents.parts import Parts
from app.documents.pdf.document import open_pdf, read_pdf
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf

DAMAGED = "This PDF is damaged: it was read as far as it goes, and some of it may be wrong."
PICTURE = Page(drawing=b"0.5 g 72 72 300 300 re f")
# Only white ground, a thin line and the outline of nothing.
BLANK = Page(drawing=b"1 g 0 0 612 792 re f 0 g 72 72 300 1 re f 72 72 m 372 72 l S 0 0 300 300 re n")
# A letter's outline.
OUTLINE = Page(drawing=b"0 g 72 72 m 76 84 l 78 84 l 82 72 l 80 72 l 77 82 l 74 72 l h f")


def said(text: str) -> Page:
    return Page(lines(text))


def read(data: bytes, password: str = "") -> Parts:
    return read_pdf(data, "a.pdf", password, Silent())


def test_a_path_and_its_bytes_read_the_same(tmp_path: Path) -> None:
    data = small_pdf([said("The tide is highest\nat noon."), said("Page two.")])
    path = tmp_path / "tide\n😀.pdf"
    path.write_bytes(data)
    parts = read(data)
    assert "The tide is highest" in parts.text
    assert (len(parts.pages), parts.notes) == (2, ())
    assert read_pdf(str(path), path.name, "", Silent()) == parts


def test_a_large_file_is_read_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, locked, broken = (tmp_path / f"{name}\n😀.pdf" for name in ("large", "locked", "broken"))
    path.write_bytes(small_pdf([said("The tide is highest\nat noon.")]))
    locked.write_bytes(locked_pdf("high", "tide"))
    broken.write_bytes(b"%PDF-1.7\n" + b"nothing " * 1000)
    whole = read_pdf(str(path), path.name, "", Silent())
    monkeypatch.setattr("app.documents.pdf.document.LARGEST_IN_MEMORY", 0)
    assert read_pdf(str(path), path.name, "", Silent()) == whole
    assert "high" in read_pdf(str(locked), "locked.pdf", "tide", Silent()).text
    with pytest.raises(PasswordNeeded):
        read_pdf(str(locked), "locked.pdf", "", Silent())
    with pytest.raises(SpanlightError, match="is damaged, and no page of it can be read"):
        read_pdf(str(broken), "broken.pdf", "", Silent())


def test_a_locked_one_asks_for_its_password() -> None:
    data = locked_pdf("The tide is highest at noon.", "högvatten")
    with pytest.raises(PasswordNeeded) as fault:
        read(data)
    assert not fault.value.wrong
    assert fault.value.message == "“a.pdf” asks for a password."
    with pytest.raises(PasswordNeeded) as fault:
        read(data, "ebb")
    assert fault.value.wrong
    assert fault.value.message == "The password does not fit “a.pdf”."
    assert "The tide is highest at noon." in read(data, "högvatten").text
    assert "The tide is highest at noon." in read(data, "owner").text


def test_one_that_is_locked_for_changes_only_opens_and_one_of_an_unknown_lock_is_refused() -> None:
    assert "high" in read(locked_pdf("high", "")).text
    with pytest.raises(SpanlightError, match="is locked in a way that cannot be opened here"):
        read(locked_pdf("high", "tide", handler="Elsewhere"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"%PDF-1.7\n",
        random.Random(3).randbytes(20_000),
        b"%PDF-1.7\n" + random.Random(4).randbytes(5000),
    ],
    ids=["empty", "only its head", "random", "random behind its head"],
)
def test_what_is_no_pdf_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(SpanlightError) as fault:
        read(data)
    assert fault.value.message == "“a.pdf” is damaged, and no page of it can be read."


def test_one_without_pages_is_refused() -> None:
    with pytest.raises(PasswordNeeded):  # what the engine said of the file before counts no more
        read(locked_pdf("high", "tide"))
    with pytest.raises(SpanlightError, match="has no pages"):
        read(small_pdf([]))


def test_a_file_that_went_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="is no longer where it was"):
        open_pdf(str(tmp_path / "gone.pdf"), "gone.pdf")
    with pytest.raises(SpanlightError, match="could not be read"):
        open_pdf(str(tmp_path), "folder.pdf")


def test_a_damaged_table_is_mended_and_told() -> None:
    data = small_pdf([said("The tide is highest at noon.")])
    parts = read(data[: data.index(b"xref\n0")])
    assert "The tide is highest at noon." in parts.text
    assert parts.notes == (DAMAGED,)


def test_without_its_end_or_one_of_its_pages_a_file_has_the_others() -> None:
    data = small_pdf([said("One page."), said("Another page."), said("A third.")])
    _, second, third = (found.start() for found in re.finditer(b"<< /Type /Page /", data))
    end = data.index(b"endobj", second)
    other = data[:second] + b"null".ljust(end - second) + data[end:]
    for damaged, kept, gone in ((data[: third + 20], "Another", "third"), (other, "third", "Another")):
        parts = read(damaged)
        assert "One page." in parts.text and kept in parts.text and gone not in parts.text
        assert len(parts.pages) == 3
        assert parts.notes == (DAMAGED, "1 of 3 pages could not be read.")


@pytest.mark.parametrize(
    ("name", "share", "pages", "read_pages"),
    [
        pytest.param("alice.pdf", 0.5, 69, 60, marks=pytest.mark.long),
        ("asvs-3.0.1-hebrew.pdf", 0.5, 12, 12),
        pytest.param("asvs-4.0.3-en.pdf", 0.5, 71, 60, marks=pytest.mark.long),
        ("qed-tacl-paper.pdf", 0.999, 17, 17),
    ],
)
def test_a_part_of_a_real_file_is_read_as_far_as_it_goes(
    shared_data: Path, name: str, share: float, pages: int, read_pages: int
) -> None:
    data = (shared_data / "documents" / name).read_bytes()
    parts = read(data[: int(share * len(data))])
    assert parts.notes[0] == DAMAGED
    assert len(parts.pages) == pages
    assert sum(len(page.characters) > 20 for page in parts.pages) >= read_pages


@pytest.mark.parametrize(
    ("pages", "notes"),
    [
        ([PICTURE, PICTURE], ("This PDF is pictures of pages: it holds no text to read.",)),
        ([said("One."), PICTURE], ("1 of 2 pages is a picture and holds no text.",)),
        ([said("One."), PICTURE, PICTURE], ("2 of 3 pages are pictures and hold no text.",)),
        ([said("One."), OUTLINE], ("1 of 2 pages is a picture and holds no text.",)),
        ([said("One."), Page()], ()),
        ([said("One."), BLANK], ()),
        ([Page()], ("The pages of this PDF are empty.",)),
    ],
)
def test_pages_without_text_are_noted(pages: list[Page], notes: tuple[str, ...]) -> None:
    parts = read(small_pdf(pages))
    assert (parts.notes, len(parts.pages)) == (notes, len(pages))
