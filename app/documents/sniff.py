"""Recognises a file's kind: by its content first, and by its name if the content leaves it open."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

from app.core.errors import SpanlightError
from app.core.layout import Kind
from app.core.message import Message
from app.documents.images.head import is_picture_file

HEAD = 4096
# The container that Office programs wrote before they wrote zips.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_SUFFIXES = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".docm": Kind.DOCX,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".mdown": Kind.MARKDOWN,
    ".png": Kind.IMAGE,
    ".jpg": Kind.IMAGE,
    ".jpeg": Kind.IMAGE,
    ".tif": Kind.IMAGE,
    ".tiff": Kind.IMAGE,
}
NAMES = {
    Kind.PDF: Message("a PDF"),
    Kind.IMAGE: Message("a picture"),
    Kind.DOCX: Message("a Word file"),
    Kind.HTML: Message("a web page"),
    Kind.MARKDOWN: Message("Markdown"),
    Kind.TEXT: Message("text"),
}

_PICTURE, _PACKED, _PACKED_ZIP = (
    Message("a picture"),
    Message("a packed file"),
    Message("a packed file (.zip)"),
)
_SOUND, _DATABASE = Message("sound or film"), Message("a database")
_OTHERS = (
    (b"GIF87a", _PICTURE),
    (b"GIF89a", _PICTURE),
    (b"\x1f\x8b", _PACKED),
    (b"BZh", _PACKED),
    (b"\xfd7zXZ\x00", _PACKED),
    (b"\x28\xb5\x2f\xfd", _PACKED),
    (b"7z\xbc\xaf\x27\x1c", _PACKED),
    (b"Rar!\x1a\x07", _PACKED),
    (b"SQLite format 3\x00", _DATABASE),
    (b"{\\rtf", Message("a rich text file (.rtf)")),
    (b"OggS", _SOUND),
    (b"ID3", _SOUND),
)
# Part names in the directory of each kind of zip, which is not compressed.
_PARTS = ((b"xl/workbook", Message("an Excel file")), (b"ppt/presentation", Message("a PowerPoint file")))
_OLD_OFFICE = {".xls": Message("an old Excel file (.xls)"), ".ppt": Message("an old PowerPoint file (.ppt)")}
_HTML = re.compile(
    r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head)\b", re.IGNORECASE | re.DOTALL
)


def suffix_kind(name: str) -> Kind | None:
    """The kind that a file's extension suggests, None if it suggests none."""
    return _SUFFIXES.get(PurePath(name).suffix.lower())


def first_look(head: bytes, name: str) -> Kind:
    """The kind of a file by its first `HEAD` bytes and its name; Kind.DOCX for any zip, and for `OLE` of that name.

    Raises SpanlightError, which names what the file is, if it cannot be read.
    """
    named = suffix_kind(name)
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return Kind.DOCX
    if head.startswith(OLE) and named is Kind.DOCX:  # a locked one is packed in it
        return Kind.DOCX
    mark = head[:1024].find(b"%PDF-")
    # A text may mention PDF's mark; a PDF may have other bytes before it.
    if mark == 0 or (
        mark > 0 and named not in (Kind.MARKDOWN, Kind.HTML) and (named is Kind.PDF or b"\0" in head)
    ):
        return Kind.PDF
    if is_picture_file(head):
        return Kind.IMAGE
    other = _other(head, name)
    if other:
        raise _refusal(name, other)
    if _HTML.match(_start(head)):
        return Kind.HTML
    if named in (Kind.PDF, Kind.DOCX, Kind.IMAGE):
        if b"\0" in head or not _reads_as_text(head):
            raise SpanlightError(_is_none(named, name), Message("It may be damaged; get it once more."))
        return Kind.TEXT
    return named or Kind.TEXT


def _is_none(named: Kind, name: str) -> str:
    if named is Kind.PDF:
        return Message("“{name}” is not a PDF: it does not begin as one.", name=name)
    if named is Kind.IMAGE:
        return Message("“{name}” is not a picture: it does not begin as one.", name=name)
    return Message("“{name}” is not a Word file: it does not begin as one.", name=name)


def look_into_zip(data: bytes, name: str) -> None:
    """Raise SpanlightError for a zip that is not a Word file, naming what it is if its directory shows that."""
    if not data.startswith(b"PK"):
        return
    if data.rfind(b"[Content_Types].xml") >= 0 and data.rfind(b"word/") >= 0:
        return
    if b"mimetypeapplication/epub+zip" in data[:200]:
        raise _refusal(name, Message("an EPUB book"))
    if b"mimetypeapplication/vnd.oasis.opendocument" in data[:200]:
        raise _refusal(name, Message("an OpenDocument file"))
    for part, what in _PARTS:
        if data.rfind(part) >= 0:
            raise _refusal(name, what)
    if suffix_kind(name) is Kind.DOCX:
        raise SpanlightError(
            Message("“{name}” is a broken Word file: parts of it are missing.", name=name),
            Message("It may be damaged; get it once more."),
        )
    raise _refusal(name, _PACKED_ZIP)


def _other(head: bytes, name: str) -> str:
    """What else a file is by its first bytes, in words; empty if unknown."""
    suffix = PurePath(name).suffix.lower()
    for beginning, what in _OTHERS:
        # "BZh" and "ID3" are words as well.
        if head.startswith(beginning) and (len(beginning) > 3 or b"\0" in head or not _reads_as_text(head)):
            return what
    if head.startswith(OLE):
        return _OLD_OFFICE.get(
            suffix, Message("an old Word file (.doc)") if suffix == ".doc" else Message("an old Office file")
        )
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _PICTURE
    if head[4:8] == b"ftyp":
        return _PICTURE if head[8:12] in (b"heic", b"heix", b"mif1", b"avif") else _SOUND
    return _PACKED if head[257:262] == b"ustar" else ""


def _start(head: bytes) -> str:
    """The first characters of a text in any encoding, without a byte-order mark and blanks."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if head.startswith(mark):
            return head.decode(encoding, "replace").lstrip("\ufeff \t\r\n\f")
    return head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n\f")


def _reads_as_text(head: bytes) -> bool:
    """Whether the bytes look like text: nearly no control characters, and mostly ASCII or UTF-8."""
    controls = sum(head.count(code) for code in range(32) if code not in b"\t\n\v\f\r")
    return controls <= len(head) / 100 and head.decode("utf-8", "replace").count("\ufffd") <= len(head) / 10


def _refusal(name: str, what: str) -> SpanlightError:
    if what == _PICTURE:
        hint = Message("Save it as PNG or JPEG, and open that.")
    elif what in (_PACKED, _PACKED_ZIP):
        hint = Message("Unpack it, and open what is in it.")
    elif what in (_DATABASE, _SOUND):
        hint = Message("Open a text, a PDF, a Word file or a web page.")
    else:
        hint = Message("Save it as PDF, as Word file (.docx) or as text, and open that.")
    return SpanlightError(Message("“{name}” is {what}, which cannot be read.", name=name, what=what), hint)
