"""Open a file as a document."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from app.core.report import Report
from app.core.text import Document
from app.documents.reader import MOST_BYTES, read_bytes, read_file


def read_document(path: Path | str, report: Report) -> Document:
    """The document that a file holds; raises SpanlightError for anything but plain text, Stopped when stopped."""
    return read_file(Path(path), report)


def document_from_stream(stream: BinaryIO, name: str) -> Document:
    """The document that a stream brings (standard input, say); no more is read than a file may be long.

    Raises SpanlightError for anything but plain text.
    """
    return read_bytes(stream.read(MOST_BYTES + 1), name)
