"""Where tesserocr is missing, the program `tesseract` recognises text, started by a helper outside the confinement."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdfium2 import PdfDocument

from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from app.documents.orders import Recognise
from app.documents.pdf.document import open_pdf
from app.documents.process import DocumentWorker, recognising, start_limited
from app.documents.recognition import program
from app.documents.recognition.engine import Recogniser, picture_of
from app.documents.recognition.page import RecognisedPage
from app.documents.recognition.words import MOST_PIXELS, Languages
from app.engine.child import Child
from tests.conftest import ROOT
from tests.helpers.scans import letter, scan
from tests.helpers.small_pdfs import Page

FOLDER = str(ROOT / "resources" / "recognition")
HOCR = """<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html><body>
<div class='ocr_page' title='bbox 0 0 900 900'>
<span class='ocr_line' title="bbox 100 200 500 260; baseline 0.01 -10; x_size 40; x_descenders 8; x_ascenders 9">
<span class='ocrx_word' title='bbox 100 200 160 250; x_wconf 91'>
<span class='ocrx_cinfo' title='x_bboxes 100 200 120 250; x_conf 99'>H</span>
<span class='ocrx_cinfo' title='x_bboxes 121 200 160 250; x_conf 99'>&lt;i</span></span>
<span class='ocrx_word' title='bbox 400 200 500 250; x_wconf 12'>
<span class='ocrx_cinfo' title='x_bboxes 400 200 500 250; x_conf 9'>.</span></span></span>
<span class='ocr_textfloat' title="bbox 100 300 120 800; baseline 0 0; x_size 40; textangle 90">
<span class='ocrx_word' title='x_wconf 90'><span class='ocrx_cinfo' title='x_bboxes 1 2 3 4'>u</span></span></span>
<span class='ocr_header' title="bbox 100 700 500 760; baseline 0 -10; x_size 40; x_descenders 8">
<span class='ocrx_word' title='x_wconf 80'>
<span class='ocrx_cinfo' title='x_bboxes 100 700 120 750'>b</span></span></span>
</div></body></html>"""


def test_words_are_where_its_answer_says() -> None:
    first, speck, second = program._words(HOCR.encode())
    assert (first.text, speck.text, second.text) == ("H<i", ".", "b")  # not what runs up the page
    assert [word.is_doubtful for word in (first, speck, second)] == [False, True, False]
    assert first.letters == (("H", 100, 120), ("<", 121, 140), ("i", 140, 160))
    assert (first.sure, first.begins_line, second.begins_line) == (91, True, True)
    assert first.base == pytest.approx(250 + 0.01 * 30) and first.slope == pytest.approx(0.573, abs=0.001)
    assert first.size == pytest.approx(1.13 * 40)


@given(st.lists(st.tuples(st.integers(0, len(HOCR) - 1), st.sampled_from("<>'; -9x"))))
def test_any_answer_is_taken_or_has_no_words(changes: list[tuple[int, str]]) -> None:
    changed = list(HOCR)
    for place, character in changes:
        changed[place] = character
    assert all(word.text for word in program._words("".join(changed).encode()))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a program `tesseract` of some lines of Python on the path, which then holds nothing else; no library."""
    monkeypatch.setitem(sys.modules, "tesserocr", None)
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(lines: str) -> None:
        file = tmp_path / "tesseract"
        file.write_text(f"#!{sys.executable}\nimport sys\n{lines}\n", encoding="utf-8")
        file.chmod(0o755)

    return install


@given(st.floats(10, 14_400), st.floats(10, 14_400), st.integers(0, 3), st.floats(-15, 15))
@settings(max_examples=10)
def test_a_page_of_any_size_has_a_picture_that_the_helper_takes(
    width: float, height: float, quarter: int, level: float
) -> None:
    document = PdfDocument.new()
    picture = picture_of(document.new_page(width, height), quarter, level)
    assert picture.width * picture.height <= MOST_PIXELS
    document.close()


needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="the helper is only needed, and only is, there"
)
ANSWERS = f"picture = sys.stdin.buffer.read()\nprint({HOCR!r})"


@needs_linux
def test_the_program_gets_pixels_and_may_write_no_file(
    installed: Callable[[str], None], tmp_path: Path
) -> None:
    installed(
        "print(sys.stdin.buffer.read(16), sys.argv[1:], flush=True)\n"
        f"open({str(tmp_path / 'a')!r}, 'w').write('much')"
    )
    run = program.runner(FOLDER)
    assert run is not None
    # A list of files, which the program would read.
    told = run(Languages(FOLDER, "eng"), 200, 4, b"/a\n/b\n\n\n").decode()
    assert told.startswith("b'P5 4 2 255\\n/a\\n/b' ['stdin', 'stdout', '--tessdata-dir'")
    assert "'--dpi', '200'" in told
    assert (tmp_path / "a").read_bytes() == b""


@needs_linux
@pytest.mark.parametrize(("folder", "width"), [("/elsewhere", 1), (FOLDER, 2), (FOLDER, 0)])
def test_what_is_not_as_it_should_be_ends_the_helper(
    installed: Callable[[str], None], folder: str, width: int
) -> None:
    installed(ANSWERS)
    run = program.runner(FOLDER)
    assert run is not None
    assert run(Languages(folder, "eng"), 200, width, b"\0") == b""
    assert run(Languages(FOLDER, "eng"), 200, 1, b"\0") == b"", "it has ended"


@needs_linux
@pytest.mark.parametrize(
    "lines", ["sys.exit(1)", "import os; os.abort()", "pass", "x = bytearray(3 * 10**9)"]
)
def test_a_program_that_breaks_off_is_told(installed: Callable[[str], None], lines: str) -> None:
    installed(lines)
    recogniser = Recogniser(FOLDER, program.runner(FOLDER))
    document = open_pdf(scan([Page(width=100, height=50)], dpi=72), "a.pdf")
    with pytest.raises(SpanlightError, match="the program tesseract breaks off"):
        recogniser.recognise(document, 0, lambda: None)
    document.close()


def test_without_library_and_program_it_is_told_what_to_install(installed: Callable[[str], None]) -> None:
    assert program.runner(FOLDER) is None and not program.is_installed()
    assert program.version().startswith("missing")
    with pytest.raises(SpanlightError) as caught:
        Recogniser(FOLDER, None)
    assert "Tesseract is missing" in caught.value.message and "program tesseract" in caught.value.hint


class Taken(Silent):
    """Keeps the pages."""

    def __init__(self) -> None:
        self.pages: list[RecognisedPage] = []

    def partial(self, result: object) -> None:
        assert isinstance(result, tuple)
        page = RecognisedPage.from_bytes(result[1])
        assert page is not None
        self.pages.append(page)


def without_library(path: str) -> Callable[[], DocumentWorker]:
    """As the process is prepared where tesserocr is missing, and programs are in these folders."""
    os.environ["PATH"] = path
    sys.modules["tesserocr"] = None  # type: ignore[assignment]
    return recognising(FOLDER)


@pytest.fixture
def confined() -> Iterator[Child]:
    child = Child(
        start_limited,
        title="recognition process",
        reads=(FOLDER,),
        prepare=partial(without_library, os.environ["PATH"]),
    )
    yield child
    child.close()


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")
def test_a_confined_process_recognises_pages_with_the_program(confined: Child) -> None:
    taken = Taken()
    data = scan([letter("The knave stole the tarts.")], skew=2.0)
    confined.run(Recognise("", (0,), FOLDER, "a.pdf", data=data), taken)
    (page,) = taken.pages
    assert page.characters == "The knave stole the tarts."
    assert page.language == "en" and len(page.boxes) == 4 * len(page.characters)


@needs_linux
def test_a_stop_ends_the_program_too(
    installed: Callable[[str], None], confined: Child, tmp_path: Path
) -> None:
    installed(f"import os, time\nopen({str(tmp_path)!r} + f'/{{os.getpid()}}.begun', 'w')\ntime.sleep(50)")

    def ask() -> None:
        with contextlib.suppress(Stopped):
            confined.run(Recognise("", (0,), FOLDER, "a.pdf", data=scan([letter()])), Silent())

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    until = time.monotonic() + 60
    while not (begun := list(tmp_path.glob("*.begun"))) and time.monotonic() < until:
        time.sleep(0.05)
    process = Path("/proc", begun[0].stem)
    assert process.exists()
    confined.close()
    asking.join(10)
    until = time.monotonic() + 20  # of the 50 that it would go on
    while process.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not process.exists()


@needs_linux
def test_a_confined_process_has_its_helper_from_before(
    installed: Callable[[str], None], confined: Child
) -> None:
    installed(ANSWERS)
    taken = Taken()
    dark = Page(width=216, height=216, drawing=b"0 0 216 216 re f")
    confined.run(Recognise("", (0,), FOLDER, "a.pdf", data=scan([dark], dpi=72)), taken)
    assert [page.characters for page in taken.pages] == ["H<i\nb"]
