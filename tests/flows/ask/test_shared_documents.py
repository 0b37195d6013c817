"""Every real document through the real documents process, within the README's limits of time and memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.core.layout import Kind
from app.core.report import Silent
from app.documents.orders import Read
from app.flows.ask.document_process import Documents
from tests.conftest import DATA

FILES = sorted(path.name for path in (DATA / "documents").glob("*")) if DATA.is_dir() else ["none"]
# One of each kind; the others take long.
SHORT = {"none", "alice.txt", "qed-tacl-paper.pdf", "scanned-letter-no-text-layer.pdf", "gitmoji-guide.md"}
SHORT |= {"rfc9110-http-semantics.html", "asvs-4.0.3-fr.docx"}
MOST_SECONDS = 60.0
MOST_MEMORY = 1_000_000_000
KINDS = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".txt": Kind.TEXT,
    ".md": Kind.MARKDOWN,
    ".htm": Kind.HTML,
    ".html": Kind.HTML,
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SHORT else pytest.mark.long) for name in FILES]
)
def test_opens_within_the_limits(shared_data: Path, name: str) -> None:
    path = shared_data / "documents" / name
    documents = Documents()
    try:
        # The process's own start is no part of what the file takes.
        documents.read(Read("", "a.txt", data=b"words"), Silent())
        began = time.monotonic()
        opened = documents.read(Read(str(path), name), Silent())
        seconds = time.monotonic() - began
        memory = _peak(documents.pids[0])
    finally:
        documents.close()
    assert seconds < MOST_SECONDS
    assert memory < MOST_MEMORY
    assert opened.kind is KINDS[path.suffix]
    scan = "no-text-layer" in name
    assert bool(opened.document.text.strip()) is not scan
    assert any("pictures of pages" in note for note in opened.notes) is scan
    assert bool(opened.pages) is (opened.kind is Kind.PDF)
    assert bool(opened.blocks) is (opened.kind in (Kind.HTML, Kind.MARKDOWN, Kind.DOCX))
    assert "\r" not in opened.document.text
    assert "\0" not in opened.document.text


def _peak(pid: int | None) -> int:
    """The most memory that a process has had, in bytes; 0 where the system does not tell."""
    status = Path(f"/proc/{pid or os.getpid()}/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
