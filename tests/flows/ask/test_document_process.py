from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.files import open_unbuffered, status
from app.core.layout import Kind
from app.core.memory_limit import limit_memory
from app.core.message import Message
from app.core.report import Progress, Silent, Stopped
from app.core.text import Span
from app.documents.orders import Draw, Extend, Highlight, MarkUp, Read
from app.documents.process import DocumentWorker, start_limited
from app.engine.child import Child
from app.flows.ask.document_process import Documents, _TimeLimit
from tests.conftest import ROOT
from tests.helpers.children import POSIX, Listener, gone
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf

WORDS = "The knave stole the tarts."


@pytest.fixture
def documents(tmp_path: Path) -> Iterator[Documents]:
    """Both processes, short of patience."""
    processes = Documents(tmp_path / "logs", quiet=30)
    (tmp_path / "logs").mkdir()
    yield processes
    pids = processes.pids
    processes.close()
    assert all(gone(pid) for pid in pids if pid)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Documents]:
    """Processes for what leaves them as they are."""
    processes = Documents(tmp_path_factory.mktemp("logs"), quiet=30)
    yield processes
    processes.close()


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "tarts.pdf"
    path.write_bytes(small_pdf([Page(lines(WORDS)), Page(lines("Nobody saw it."))]))
    return path


def test_a_spreadsheet_is_read_and_extended_in_the_confined_process(
    shared: Documents, tmp_path: Path
) -> None:
    path = tmp_path / "list.xlsx"
    new = shared.extend(Extend("", (("Anna",),), ("answer",), ("question",), (("Who?",),)), Silent())
    path.write_bytes(new)
    wanted = [("question", "answer"), ("Who?", "Anna")]
    assert shared.rows(path, Silent()) == wanted
    path.write_bytes(shared.extend(Extend(str(path), (("sure",), ("80%",))), Silent()))
    assert shared.rows(path, Silent()) == [(*wanted[0], "sure"), (*wanted[1], "80%")]
    assert shared.pids[0] and shared.confined is not None
    path.write_bytes(b"PK and no more")
    with pytest.raises(SpanlightError, match=r"“list\.xlsx” is not a spreadsheet that can be read\."):
        shared.rows(path, Silent())
    with pytest.raises(SpanlightError, match="There is no file"):
        shared.rows(tmp_path / "none.xlsx", Silent())


def test_reading_drawing_and_marking(documents: Documents, pdf: Path, tmp_path: Path) -> None:
    assert documents.pids == (None, None)
    opened = documents.read(Read(str(pdf), pdf.name), Silent())
    assert (opened.kind, len(opened.pages)) == (Kind.PDF, 2)
    assert documents.pids[1] is None
    picture = documents.draw(Draw(str(pdf), 0, 1.0, 60, 60, 100, 20), Silent())
    assert (picture.width, picture.height, len(picture.pixels)) == (100, 20, 8000)
    assert min(picture.pixels[::4]) < 128 < max(picture.pixels[::4])
    start = opened.document.text.index("knave")
    span = Span(start, start + len("knave"))
    output = tmp_path / "marked.pdf"
    assert documents.mark_up(MarkUp(str(pdf), str(output), (Highlight(span, "knave"),)), Silent()) == ("",)
    assert b"/Highlight" in output.read_bytes()
    reading, drawing = documents.pids
    assert reading != drawing
    assert os.getpid() not in (reading, drawing)


def test_a_copy_that_cannot_be_written_is_told_and_leaves_nothing(
    shared: Documents, pdf: Path, tmp_path: Path
) -> None:
    (tmp_path / "folder.pdf").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SpanlightError, match="could not be written"):
        shared.mark_up(
            MarkUp(str(pdf), str(tmp_path / "folder.pdf"), (Highlight(Span(4, 9), "knave"),)), Silent()
        )
    shared.mark_up(MarkUp(str(pdf), str(tmp_path / "none.pdf"), ()), Silent())
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_wrong_with_a_file_arrives_as_a_message_with_its_values(
    shared: Documents, tmp_path: Path
) -> None:
    for name, data, pattern in (
        ("rows.pdf", b"PK\x03\x04xl/workbook", "“{name}” is {what}, which cannot be read."),
        ("broken.pdf", b"%PDF-1.7", "“{name}” is damaged, and no page of it can be read."),
        ("empty.md", b"", "“{name}” is empty."),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SpanlightError) as fault:
            shared.read(Read(str(tmp_path / name), name), Silent())
        message = fault.value.message
        assert isinstance(message, Message) and message.pattern == pattern, message
        assert message.values["name"] == name and isinstance(message.values.get("what", message), Message)
        assert isinstance(fault.value.hint, Message)
    (tmp_path / "page.docx").write_bytes(b"<!doctype html><title>Tarts</title><p>The knave stole them.")
    (note,) = shared.read(Read(str(tmp_path / "page.docx"), "page.docx"), Silent()).notes
    assert note == "By its content, “page.docx” is a web page."
    assert isinstance(note, Message) and isinstance(note.values["kind"], Message)


def start_prying() -> object:
    """A handler that reads the file of an order and another one, writes beside it, and tells what it was refused."""

    def pry(order: Read, report: object) -> tuple[str, ...]:
        found = [status(order.path).st_size, len(b"".join(open_unbuffered(order.path)))]
        path = Path(order.path)
        for attempt in (path.with_name("other.txt").read_bytes, path.read_bytes, path.with_name("new").touch):
            try:
                attempt()
                found.append("done")
            except PermissionError:
                found.append("refused")
        return tuple(map(str, found))

    return pry


def test_the_process_that_reads_opens_nothing_but_what_it_is_handed(
    documents: Documents, tmp_path: Path
) -> None:
    for name in ("one.txt", "other.txt"):
        (tmp_path / name).write_text(WORDS)
    documents.read(Read(str(tmp_path / "one.txt")), Silent())
    confined = documents.confined
    assert confined is not None
    if not (confined.actions_blocked and confined.files_blocked):
        pytest.skip(f"on this system documents are read {confined}")
    documents._reading.close()
    documents._reading = Child(start_prying, title="documents process", reads=())  # type: ignore[arg-type]
    found = documents._reading.run(
        Read(str(tmp_path / "one.txt")), Silent(), (str(tmp_path / "one.txt"), str(tmp_path / "missing"))
    )
    assert found == (str(len(WORDS)), str(len(WORDS)), "refused", "refused", "refused")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["txt", "md", "html", "docx", "pdf"])
def test_a_confined_process_reads_every_kind(shared: Documents, kind: str) -> None:
    opened = shared.read(Read(str(ROOT / "resources" / "check" / f"lighthouse.{kind}")), Silent())
    assert "forty kilometres away" in opened.document.text
    assert opened.language == "en"


def test_a_missing_file_is_called_missing(shared: Documents, tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="There is no file"):
        shared.read(Read(str(tmp_path / "missing.pdf")), Silent())
    with pytest.raises(SpanlightError, match="is a folder"):
        shared.read(Read(str(tmp_path)), Silent())


def test_a_password_is_asked_for_through_the_process(shared: Documents, tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_pdf(WORDS, "hearts"))
    with pytest.raises(PasswordNeeded) as needed:
        shared.read(Read(str(path), password="spades"), Silent())
    assert needed.value.wrong
    assert WORDS in shared.read(Read(str(path), password="hearts"), Silent()).document.text


def start_eater() -> DocumentWorker:
    """A handler that asks for more memory than it may have, little by little."""

    class Eater(DocumentWorker):
        def carry_out(self, order: object, report: object) -> object:  # type: ignore[override]
            eaten = []
            while True:
                eaten.append(bytearray(50_000_000))

    limit_memory(400_000_000)
    return Eater()


def start_dawdler() -> object:
    """A handler that says nothing for a while, and does not hear a stop."""

    def dawdle(order: object, report: object) -> str:
        time.sleep(60)
        return "late"

    return dawdle


def start_crasher() -> object:
    """A handler that ends as a library does that reads where nothing is."""

    def crash(order: object, report: object) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(10)

    return crash


def with_reader(documents: Documents, start: object) -> Documents:
    """The documents process with another handler in it."""
    documents._reading.close()
    documents._reading = Child(start, title="documents process")  # type: ignore[arg-type]
    return documents


def test_a_file_that_takes_too_much_memory_is_told(documents: Documents) -> None:
    began = time.monotonic()
    with pytest.raises(SpanlightError) as caught:
        with_reader(documents, start_eater).read(Read("/x/bomb.pdf"), Silent())
    assert caught.value.message == "“bomb.pdf” could not be read: it takes more than 2 GB of memory."
    assert time.monotonic() - began < 20


def test_the_limit_holds_in_the_process_that_reads(shared: Documents, pdf: Path) -> None:
    shared.read(Read(str(pdf)), Silent())
    pid = shared.pids[0]
    limits = Path(f"/proc/{pid}/limits")
    if not limits.exists():
        pytest.skip("limits are read from /proc, which is Linux's")
    line = next(line for line in limits.read_text().splitlines() if line.startswith("Max address space"))
    assert 2_000_000_000 < int(line.split()[3]) < 4_000_000_000


@POSIX
def test_a_file_that_crashes_the_reader_is_told_and_costs_nothing_else(
    documents: Documents, pdf: Path
) -> None:
    crashing = with_reader(documents, start_crasher)
    with pytest.raises(SpanlightError) as caught:
        crashing.read(Read("/x/evil.pdf"), Silent())
    assert caught.value.message == "“evil.pdf” could not be read: it makes the reader break off."
    again = with_reader(documents, start_limited)
    assert WORDS in again.read(Read(str(pdf)), Silent()).document.text


def test_what_takes_too_long_is_given_up(tmp_path: Path, pdf: Path) -> None:
    # Longer than a busy system takes to start the process: one that has not got the request is not killed.
    documents = with_reader(Documents(quiet=3.0), start_dawdler)
    try:
        with pytest.raises(
            SpanlightError,
            match=r"“slow\.pdf” could not be read: after 3(\.\d)? seconds there was no end",
        ):
            documents.read(Read("/x/slow.pdf"), Silent())
        pid = documents.pids[0]
        assert pid is None or gone(pid)  # a busy system takes a killed process away a little later
    finally:
        documents.close()


def test_patience_lasts_while_the_work_goes_on() -> None:
    patience = _TimeLimit(Silent(), "“a” could not be read", quiet=0.2, total=0.7)
    began = time.monotonic()
    with pytest.raises(SpanlightError):
        for step in range(1000):
            patience.check()
            patience.progress(Progress(step, 0, "pages"))
            time.sleep(0.02)
    assert 0.7 <= time.monotonic() - began < 2
    patience = _TimeLimit(Silent(), "“a” could not be read", quiet=0.2, total=60)
    began = time.monotonic()
    with pytest.raises(SpanlightError) as caught:
        for _ in range(1000):
            patience.check()
            patience.progress(Progress(1, 0, "pages"))  # the same over and over is no sign of life
            time.sleep(0.02)
    assert time.monotonic() - began < 2
    assert caught.value.message.startswith("“a” could not be read: after 0.2 seconds")


def test_drawing_does_not_wait_for_reading(documents: Documents, pdf: Path) -> None:
    slow = with_reader(documents, start_dawdler)
    stop = threading.Event()
    stopped: list[type] = []

    def read() -> None:
        try:
            slow.read(Read("/x/slow.pdf"), Listener(lambda _: stop.is_set()))
        except Stopped:
            stopped.append(Stopped)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        assert slow.draw(Draw(str(pdf), 1, 0.5, 0, 0, 10, 10), Silent()).width == 10
        assert thread.is_alive()
    finally:
        stop.set()
        thread.join(20)
    assert stopped == [Stopped]
