"""A file in, a Document out."""

from __future__ import annotations

from pathlib import Path, PurePath

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.text import Document
from app.core.wording import size
from app.documents.plain_text import read_plain_text

MOST_BYTES = 64_000_000

_PIECE = 1 << 22
_HINT = "Save it as plain text (.txt) and open that, or paste its text."

# What a file begins with tells what it is more surely than its name.
_BEGINNINGS = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a Word, EPUB or other packed file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"{\\rtf", "a rich text file"),
    (b"\x89PNG\r\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\xfd7zXZ\x00", "a compressed file"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed file"),
    (b"SQLite format 3\x00", "a database"),
)
_SUFFIXES = {
    ".pdf": "a PDF",
    ".docx": "a Word file",
    ".doc": "a Word file",
    ".odt": "an OpenDocument file",
    ".epub": "an EPUB",
    ".rtf": "a rich text file",
    ".html": "a web page",
    ".htm": "a web page",
    ".xhtml": "a web page",
}


def read_file(path: Path, report: Report) -> Document:
    """The document that a file holds: plain text in any common encoding (see `plain_text.decode`).

    Newlines become LF once, here, and a byte-order mark is taken off; positions count what is left. Raises
    SpanlightError for a file that is missing, closed to us, empty, larger than 64 MB, or not plain text, and Stopped
    when the report says so.
    """
    name = path.name or str(path)
    try:
        if path.is_dir():
            raise SpanlightError(f"“{name}” is a folder.", "Give the files in it.")
        length = path.stat().st_size
        if length > MOST_BYTES:
            raise _too_large(name, length)
        data = bytearray()
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                report.check()
                data += piece
                if len(data) > MOST_BYTES:
                    raise _too_large(name, len(data))
    except FileNotFoundError as fault:
        raise SpanlightError(f"There is no file “{path}”.", "Check the name and the folder.") from fault
    except PermissionError as fault:
        raise SpanlightError(f"“{name}” may not be read.", "Check the file's permissions.") from fault
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "its name or its disk is at fault"
        raise SpanlightError(
            f"“{name}” could not be read: {reason}.", "Copy it elsewhere and try that."
        ) from fault
    return read_bytes(bytes(data), name, str(path))


def read_bytes(data: bytes, name: str, path: str = "") -> Document:
    """The document that the bytes of a file hold; raises SpanlightError as `read_file` does."""
    if not data:
        raise SpanlightError(f"“{name}” is empty.", "Open a file with something to read in it.")
    if len(data) > MOST_BYTES:
        raise _too_large(name, len(data))
    kind = _kind(data, name)
    if kind:
        hint = "Type or paste the words that it shows." if kind == "a picture" else _HINT
        raise SpanlightError(f"“{name}” is {kind}, and only plain text can be opened so far.", hint)
    return Document(read_plain_text(data, name), name, path)


def _kind(data: bytes, name: str) -> str:
    """What the file is where it is not plain text, in words; empty where it may be."""
    suffix = PurePath(name).suffix.lower()
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            # A packed file's suffix knows which one it is.
            return _SUFFIXES.get(suffix, kind)
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return _SUFFIXES[suffix] if suffix in (".html", ".htm", ".xhtml") else ""


def _too_large(name: str, length: int) -> SpanlightError:
    return SpanlightError(
        f"“{name}” is {size(length)} large, and at most {size(MOST_BYTES)} can be opened.",
        "Split it, and open the part that matters.",
    )
