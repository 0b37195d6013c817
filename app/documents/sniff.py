"""Recognises a file's kind: by its content first, and by its name if the content leaves it open."""

from __future__ import annotations

import codecs
import re

from app.core.errors import SpanlightError
from app.core.kinds import ENDINGS, KINDS, ending
from app.core.layout import Kind
from app.core.message import Message
from app.documents.images.pdf_of import is_picture_file

HEAD = 4096
# The container that Office programs wrote before they wrote zips.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

# Text under the name of one of these is text, of a spreadsheet CSV; other bytes are a broken file of it.
_SPREADSHEETS = frozenset((Kind.XLSX, Kind.XLS, Kind.ODS))
_NEVER_TEXT = frozenset(Kind) - {Kind.TEXT, Kind.MARKDOWN, Kind.HTML, Kind.CSV}
# What is in a zip, by how the names in it begin, or by the type that stands first in it.
_FOLDERS = {Kind.DOCX: b"word/", Kind.PPTX: b"ppt/", Kind.XLSX: b"xl/"}
_TYPES = {
    Kind.ODT: b"mimetypeapplication/vnd.oasis.opendocument.text",
    Kind.ODP: b"mimetypeapplication/vnd.oasis.opendocument.presentation",
    Kind.ODS: b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
}
# What a container has of an old Excel's, and of a file with a password, as names in its directory.
_BOOKS = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "Book\0"))
LOCKED = "EncryptedPackage".encode("utf-16-le")

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
    (b"OggS", _SOUND),
    (b"ID3", _SOUND),
)
_OLD_OFFICE = {
    "ppt": Message("an old PowerPoint file (.ppt)"),
    "doc": Message("an old Word file (.doc)"),
}
_ANY_OLD_OFFICE = Message("an old Office file")
_HTML = re.compile(
    r"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head)\b", re.IGNORECASE | re.DOTALL
)
_EPUB = b"mimetypeapplication/epub+zip"
# The first line of a mailbox, which has a time, above a header.
_MAILBOX = re.compile(rb"From [^\n]*\d\d:\d\d[^\n]*\n(?:>?From |[!-9;-~]+:)")
_FIELDS = re.compile(rb"(?:[!-9;-~]+:[^\n]*(?:\n|\Z)(?:[ \t][^\n]*(?:\n|\Z))*)+")
# Of these fields every mail has the first, and what was sent has one of the others.
_FROM = re.compile(rb"^From:", re.IGNORECASE | re.MULTILINE)
_SENT = re.compile(rb"^(?:Message-ID|Received|Return-Path|MIME-Version):", re.IGNORECASE | re.MULTILINE)
# The name of a part that every mail of Outlook's has.
_OUTLOOK = "__properties_version1.0".encode("utf-16-le")


def suffix_kind(name: str) -> Kind | None:
    """The kind that a file's extension suggests, None if it suggests none."""
    return ENDINGS.get(ending(name))


def first_look(head: bytes, name: str) -> Kind:
    """The kind of a file by its first `HEAD` bytes and its name.

    It is Kind.DOCX for any zip (see `look_into_zip`). `OLE` is a mail or, by its name, Kind.DOCX, or Kind.XLS for a
    spreadsheet. Raises SpanlightError, which names what the file is, if it cannot be read.
    """
    named = suffix_kind(name)
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return Kind.EPUB if named is Kind.EPUB or _EPUB in head[:200] else Kind.DOCX
    if head.startswith(OLE):
        if named in _SPREADSHEETS:
            return Kind.XLS
        if named in _FOLDERS:  # a locked one is packed in it
            return Kind.DOCX
        if named is Kind.MSG or _OUTLOOK in head:
            return Kind.MSG
        raise _refusal(name, _OLD_OFFICE.get(ending(name), _ANY_OLD_OFFICE))
    if head.startswith(b"{\\rtf"):
        return Kind.RTF
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
    start = _start(head)
    if _HTML.match(start):
        return Kind.HTML
    if mail := _mail(head, named):
        return mail
    if named in _NEVER_TEXT:
        if b"\0" in start.encode() or not _reads_as_text(start.encode()):
            raise SpanlightError(
                Message("“{name}” does not begin as {kind} does.", name=name, kind=KINDS[named].title),
                Message("It may be damaged. Open it in the program that made it, and save it again."),
            )
        return Kind.CSV if named in _SPREADSHEETS and not start.startswith("<") else Kind.TEXT
    return named or Kind.TEXT


def look_into_zip(data: bytes, name: str) -> Kind:
    """The kind of document that a zip is, by its directory, which is not compressed.

    Raises SpanlightError for any other zip, which names what it is if that is known.
    """
    named = suffix_kind(name)
    for kind, mark in _TYPES.items():
        if mark in data[:200] or (named is kind and data.rfind(b"META-INF/manifest.xml") >= 0):
            return kind
    if data.rfind(b"[Content_Types].xml") >= 0:
        found = [kind for kind, folder in _FOLDERS.items() if data.rfind(folder) >= 0]
        # A file of one kind may be part of one of the other.
        if found:
            return named if named in found else found[0]
    if b"mimetypeapplication/vnd.oasis.opendocument" in data[:200]:
        raise _refusal(name, Message("an OpenDocument file"))
    if named in _FOLDERS or named in _TYPES:
        raise SpanlightError(
            Message("“{name}” is broken: parts of it are missing.", name=name),
            Message("It may be damaged. Open it in the program that made it, and save it again."),
        )
    raise _refusal(name, _PACKED_ZIP)


def _mail(head: bytes, named: Kind | None) -> Kind | None:
    """EML or MBOX by a file's first lines; None if it is neither, or its name suggests another kind."""
    if named not in (None, Kind.EML, Kind.MBOX, Kind.MSG):
        return None
    head = head.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    if _MAILBOX.match(head) or (named is Kind.MBOX and head.startswith(b"From ")):
        return Kind.MBOX
    fields = _FIELDS.match(head)
    if fields and (named is Kind.EML or (_FROM.search(fields[0]) and _SENT.search(fields[0]))):
        return Kind.EML
    return None


def look_into_ole(data: bytes, name: str) -> None:
    """Raise SpanlightError for a container that is no spreadsheet of an old Excel, unless it has a password."""
    if LOCKED not in data and not any(book in data for book in _BOOKS):
        raise _refusal(name, _ANY_OLD_OFFICE)


def _other(head: bytes, name: str) -> str:
    """What a file that cannot be read is, by its first bytes, in words; empty if unknown."""
    for beginning, what in _OTHERS:
        # "BZh" and "ID3" are words as well.
        if head.startswith(beginning) and (len(beginning) > 3 or b"\0" in head or not _reads_as_text(head)):
            return what
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _PICTURE
    if head[4:8] == b"ftyp":
        return _PICTURE if head[8:12] in (b"heic", b"heix", b"mif1", b"avif") else _SOUND
    return _PACKED if head[257:262] == b"ustar" else ""


def _start(head: bytes) -> str:
    """The first characters of a text in any encoding, after a byte-order mark and blanks."""
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
