"""Scanned pages are recognised when a document is read, each only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest

from app.core.errors import SpanlightError
from app.core.layout import Kind
from app.core.library import FileState, Library
from app.core.recognition import recognition_of
from app.core.report import Progress, Report, Silent, Stopped
from app.documents.orders import Recognise
from app.flows.ask.document_process import Documents
from app.flows.ask.read import document_from_stream, draw_part, read_document
from app.flows.ask.recognise import recognise_pages
from app.flows.library.libraries import save_library
from app.flows.library.update import update
from app.flows.workspace import Workspace, open_workspace
from tests.helpers.scans import grey, letter, needs_tesseract, png, scan, tiff
from tests.helpers.small_pdfs import Page, Words, small_pdf

pytestmark = needs_tesseract

FIRST, SECOND = (
    letter(text, width=306, height=396) for text in ("The knave stole the tarts.", "Nobody saw the gardener.")
)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Documents]:
    """Processes for all tests; the update of a library starts its own."""
    documents = Documents(tmp_path_factory.mktemp("logs"))
    yield documents
    documents.close()


@pytest.fixture
def workspace(documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("SPANLIGHT_HOME", str(tmp_path / "home"))
    opened = open_workspace()
    opened.documents = documents
    yield opened
    del opened.documents
    opened.close()


@pytest.fixture
def ordered(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that were recognised."""
    pages: list[int] = []
    run: Callable[..., None] = workspace.documents.recognise

    def recognise(order: Recognise, report: object) -> None:
        pages.extend(order.pages)
        run(order, report)

    monkeypatch.setattr(workspace.documents, "recognise", recognise)
    return pages


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


class Watching(Silent):
    """Keeps the progress, and stops at the first page that is done."""

    def __init__(self, stops: bool = False) -> None:
        self.seen: list[Progress] = []
        self._stops = stops

    def progress(self, progress: Progress) -> None:
        self.seen.append(progress)

    def check(self) -> None:
        if self._stops and any(one.done == 1 and one.total == 3 for one in self.seen):
            raise Stopped


def test_no_page_is_recognised_twice(workspace: Workspace, ordered: list[int], tmp_path: Path) -> None:
    path = written(tmp_path / "scan.pdf", scan([FIRST, SECOND]))
    report = Watching()
    opened = read_document(workspace, path, report)
    assert opened.document.text == "The knave stole the tarts.\n\nNobody saw the gardener."
    assert opened.notes == ("The text of all 2 pages was recognised in their pictures.",)
    assert opened.language == "en" and opened.pictures == ()
    assert [one.done for one in report.seen if one.total == 2 and "Recognising" in one.what] == [0, 1, 2]
    found = recognition_of(opened, opened.pages[1].span)
    assert found is not None and found.languages == ("en",) and found.sure > 0.8
    again = read_document(
        workspace, written(tmp_path / "moved.pdf", path.read_bytes()), Silent(), words_only=True
    )
    assert again.document.text == opened.document.text and ordered == [0, 1]
    assert again.pages[0].recognised == opened.pages[0].recognised and not again.pages[0].characters


def test_many_pages_wait_until_they_are_wanted(
    workspace: Workspace, ordered: list[int], tmp_path: Path
) -> None:
    path = written(tmp_path / "scan.pdf", scan([FIRST, SECOND], dpi=120))
    waiting = read_document(workspace, path, Silent(), recognise=1)
    assert waiting.pictures == (0, 1) and waiting.document.text == "" and ordered == []
    recognise_pages(workspace, waiting, (1,), Silent())
    some = read_document(workspace, path, Silent(), recognise=0)
    assert some.pictures == (0,) and "gardener" in some.document.text
    whole = read_document(workspace, path, Silent(), recognise=None)
    assert "knave" in whole.document.text and ordered == [1, 0]


def test_what_was_done_before_a_stop_is_kept(
    workspace: Workspace, ordered: list[int], tmp_path: Path
) -> None:
    path = written(tmp_path / "scan.pdf", scan([FIRST, SECOND, FIRST]))
    with pytest.raises(Stopped):
        read_document(workspace, path, Watching(stops=True))
    assert "knave" in read_document(workspace, path, Silent()).document.text
    assert ordered[:3] == [0, 1, 2] and 0 not in ordered[3:]


@pytest.mark.parametrize("name", ["a.png", "a.tiff"])
def test_pictures_are_documents_of_pages(workspace: Workspace, tmp_path: Path, name: str) -> None:
    pages = [grey(FIRST, 200), grey(SECOND, 200)]
    path = written(tmp_path / name, png(*pages[0]) if name.endswith("png") else tiff(pages))
    opened = read_document(workspace, path, Silent())
    assert opened.kind is Kind.IMAGE and opened.page_at(3) == 1
    assert opened.document.text.startswith("The knave stole the tarts.")
    assert ("gardener" in opened.document.text) is name.endswith("tiff")
    picture = draw_part(workspace, opened, len(opened.pages) - 1, 1.0, 0, 0, 300, 300, Silent())
    assert min(picture.pixels[::4]) < 128 < max(picture.pixels[::4])
    with path.open("rb") as stream:
        assert document_from_stream(workspace, stream, name, Silent()).document.text == opened.document.text


def test_a_file_that_has_changed_is_not_recognised_for_the_one_that_was_opened(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = written(tmp_path / "scan.pdf", scan([FIRST]))
    opened = read_document(workspace, path, Silent(), recognise=0)
    written(path, scan([SECOND], dpi=150))
    with pytest.raises(SpanlightError, match="has changed"):
        recognise_pages(workspace, opened, opened.pictures, Silent())
    assert workspace.recognised.pages(opened.sha256) == {}


def test_without_what_it_is_recognised_by_the_document_opens_all_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.paths = type(workspace.paths)(
        workspace.paths.config, workspace.paths.data, workspace.paths.logs, tmp_path / "nowhere"
    )
    with closing(Documents()) as workspace.documents:  # the others' has what it needs by now
        opened = read_document(workspace, written(tmp_path / "scan.pdf", scan([FIRST])), Silent())
    assert opened.pictures == (0,) and "cannot be recognised" in opened.notes[-1]


def test_a_library_reads_scans_and_says_so(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    written(tmp_path / "docs" / "scan.pdf", scan([FIRST]))
    written(tmp_path / "docs" / "photo.tif", tiff([grey(SECOND, 200)]))
    library = save_library(
        workspace, Library(0, "Docs", (str(tmp_path / "docs"),), suffixes=("pdf", "tif")), Silent()
    )
    update(workspace, library, Silent())
    files = workspace.library.files(library)
    assert [file.state for file in files] == [FileState.READ, FileState.READ]
    assert all("was recognised in its picture" in file.reason and not file.why_unread for file in files)
    opened = [workspace.library.opened(file) for file in files]
    assert {one.kind for one in opened} == {Kind.PDF, Kind.IMAGE}
    found = [recognition_of(one, one.pages[0].span) for one in opened]
    assert all(one is not None and one.sure > 0.8 for one in found)


def test_in_a_library_long_scans_wait_until_they_are_wanted(workspace: Workspace, tmp_path: Path) -> None:
    pages = [FIRST] + [Page(height=60, width=60)] * 21
    path = written(tmp_path / "scan.pdf", scan(pages, dpi=100))
    library = save_library(workspace, Library(0, "Docs", (str(path),)), Silent())
    for _ in range(2):
        update(workspace, library, Silent())
        (file,) = workspace.library.files(library)
        assert file.state is FileState.NO_TEXT and "library update --recognise" in file.why_unread
    opened = read_document(workspace, path, Silent())
    recognise_pages(workspace, opened, (0,), Silent())
    update(workspace, library, Silent(), everything=True)
    (file,) = workspace.library.files(library)
    assert file.state is FileState.READ and "1 page was recognised" in file.reason
    assert file.why_unread.startswith("21 of 22 pages are pictures") and "--recognise" in file.why_unread
    assert update(workspace, library, Silent()).read == 0
    assert update(workspace, library, Silent(), recognise=None).read == 1, "the others were not read yet"
    (file,) = workspace.library.files(library)
    assert file.state is FileState.READ and "knave" in workspace.library.opened(file).document.text
    assert not file.why_unread, "the others are blank"
    assert len(workspace.recognised.pages(opened.sha256)) == len(pages)


def test_an_empty_page_is_none_to_recognise(workspace: Workspace, ordered: list[int], tmp_path: Path) -> None:
    path = written(tmp_path / "empty.pdf", scan([Page(height=60, width=60)]))
    assert read_document(workspace, path, Silent()).document.text == ""
    assert read_document(workspace, path, Silent()).pictures == () and ordered == [0]


@pytest.mark.parametrize("times", [1, 9])
def test_a_library_tries_once_more_where_recognising_breaks_off(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    tried: list[str] = []
    run: Callable[..., None] = Documents.recognise

    def recognise(documents: Documents, order: Recognise, report: Report) -> None:
        tried.append(order.name)
        if tried.count(order.name) <= times:
            raise SpanlightError("It broke off.")
        run(documents, order, report)

    monkeypatch.setattr(Documents, "recognise", recognise)
    docs = tmp_path / "docs"
    docs.mkdir()
    written(docs / "scan.pdf", scan([FIRST]))
    part = pypdfium2.PdfDocument(small_pdf([Page([Words("The deposit is due.")])]))
    part.import_pages(pypdfium2.PdfDocument(scan([SECOND])))
    part.save(docs / "part.pdf")
    library = save_library(workspace, Library(0, "Docs", (str(docs),)), Silent())

    def unread() -> dict[str, str]:
        return {
            Path(file.path).name: file.why_unread
            for file in workspace.library.files(library)
            if file.why_unread
        }

    update(workspace, library, Silent())
    assert all("It broke off." in reason for reason in unread().values()) and len(unread()) == 2
    assert workspace.library.status(library).read == 1, "what was read of the other can be asked meanwhile"
    update(workspace, library, Silent())
    assert sorted(unread()) == ([] if times == 1 else ["part.pdf", "scan.pdf"])
    if times == 1:
        files = workspace.library.files(library)
        words = [workspace.library.opened(file).document.text for file in files]
        assert "gardener" in words[0] and "deposit" in words[0] and "knave" in words[1]
    update(workspace, library, Silent())
    assert len(tried) == 4, "what breaks off again is the file's own"
    update(workspace, library, Silent(), everything=True)
    assert len(tried) == (4 if times == 1 else 6)


def test_what_was_recognised_before_a_fault_is_read(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Callable[..., None] = Documents.recognise

    def recognise(documents: Documents, order: Recognise, report: Report) -> None:
        run(documents, replace(order, pages=order.pages[:1]), report)
        raise SpanlightError("It broke off.")

    monkeypatch.setattr(Documents, "recognise", recognise)
    opened = read_document(workspace, written(tmp_path / "scan.pdf", scan([FIRST, SECOND])), Silent())
    assert "knave" in opened.document.text and opened.pictures == (1,)
    assert opened.notes[-1] == "It broke off."
