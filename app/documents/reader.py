"""Reads a file into an opened document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

from app.core.errors import NoText, PasswordNeeded, SpanlightError
from app.core.files import open_regular
from app.core.kinds import KINDS
from app.core.layout import Kind, Opened, PageText
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.text import Document
from app.core.wording import size
from app.documents.block_words import shows_nothing
from app.documents.language import language_of, stretches
from app.documents.limits import LARGEST_IN_MEMORY
from app.documents.orders import Read
from app.documents.parts import Parts
from app.documents.sniff import HEAD, first_look, look_into_zip, suffix_kind

_PIECE = 1 << 22
# Mails that are attached to mails as files; those that are part of them are counted by mail.MailWriter.
_MOST_MAILS_AROUND = 3
# Where the kind's title is of a mass.
_ONE = {Kind.TEXT: Message("a text"), Kind.MARKDOWN: Message("a Markdown file")}
# What is read in place when it is large.
_IN_PLACE = (Kind.PDF, Kind.MBOX)
# The module below app.documents and the function that read each kind; imported when they are first needed.
_READERS = {
    Kind.PDF: ("pdf.document", "read_pdf"),
    Kind.IMAGE: ("pdf.document", "read_pdf"),
    Kind.DOCX: ("word.document", "read_docx"),
    Kind.ODT: ("opendocument.document", "read_odt"),
    Kind.ODP: ("opendocument.document", "read_odp"),
    Kind.RTF: ("rtf", "read_rtf"),
    Kind.PPTX: ("powerpoint", "read_pptx"),
    Kind.XLSX: ("sheets.workbook", "read_xlsx"),
    Kind.XLS: ("sheets.workbook", "read_xls"),
    Kind.ODS: ("sheets.workbook", "read_ods"),
    Kind.CSV: ("sheets.delimited", "read_csv"),
    Kind.HTML: ("html", "read_html"),
    Kind.MARKDOWN: ("markdown_page", "read_markdown"),
    Kind.EPUB: ("epub", "read_epub"),
    Kind.EML: ("mail.mime", "read_eml"),
    Kind.MBOX: ("mail.mbox", "read_mbox"),
    Kind.MSG: ("mail.outlook", "read_msg"),
    Kind.TEXT: ("plain_text", "read_plain_text"),
}


class _Loaded(NamedTuple):
    """A file's content: its kind, its bytes (empty for what is large and read in place), and its state."""

    kind: Kind
    data: bytes
    sha256: str
    size: int
    modified: int = 0
    changed: bool = False


def read(order: Read, report: Report) -> Opened:
    """The document in a file or in bytes: of any `Kind`, recognised by content first.

    Raises SpanlightError for what cannot be read (missing, not permitted, not a regular file, empty, larger than
    `kinds.KINDS` allows, of another kind, without text), PasswordNeeded for an encrypted PDF without its password, and
    Stopped when the report says so.
    """
    name = order.name or PurePath(order.path).name or order.path
    report.check()
    report.progress(Progress(0, 0, Message("Reading {name}", name=name)))
    loaded = _load(order.path, name, report) if order.path else _take(order.data, name)
    try:
        loaded = _as_its_zip_tells(loaded, name)
        parts = _parts(loaded, order, name, report)
    except PasswordNeeded:
        raise
    except SpanlightError as fault:
        if loaded.changed:
            raise SpanlightError(
                Message("“{name}” was changed while it was read.", name=name),
                Message("Try again once the other program has saved it."),
            ) from fault
        raise
    if not parts.pages and shows_nothing(parts.text):
        raise NoText(
            Message("“{name}” holds no text.", name=name),
            Message("Open a file with something to read in it."),
        )
    return Opened(
        document=Document(parts.text, name, order.path, parts.view),
        kind=Kind.TEXT if loaded.kind is Kind.CSV and parts.lines else loaded.kind,
        headings=parts.headings,
        outline=parts.outline,
        blocks=parts.blocks,
        tables=parts.tables,
        pages=tuple(map(_without_characters, parts.pages)) if order.words_only else parts.pages,
        cells=parts.cells,
        pictures=parts.pictures,
        lines=parts.lines,
        notes=(*_notes(loaded, name), *parts.notes),
        sha256=loaded.sha256,
        modified=loaded.modified,
        size=loaded.size,
        language=language_of(stretches(parts.text)),
    )


def _without_characters(page: PageText) -> PageText:
    return PageText(page.width, page.height, page.span, label=page.label, recognised=page.recognised)


def _parts(loaded: _Loaded, order: Read, name: str, report: Report, depth: int = 0) -> Parts:
    """The content as read by its kind's reader; `depth` is in mails."""
    module, function = _READERS[loaded.kind]
    read_kind = getattr(import_module(f"app.documents.{module}"), function)
    source = loaded.data or order.path
    parts: Parts
    if loaded.kind in (Kind.PDF, Kind.IMAGE):
        parts = read_kind(source, name, order.password, report, dict(order.recognised))
    elif loaded.kind in (Kind.EML, Kind.MBOX, Kind.MSG):
        parts = read_kind(source, name, report, partial(_attachment, report=report, depth=depth + 1))
    else:
        parts = read_kind(loaded.data, name, report)
    return parts


def _attachment(data: bytes, name: str, *, report: Report, depth: int) -> Parts:
    """A mail's attachment as read by its format's own reader."""
    if depth > _MOST_MAILS_AROUND:
        raise NoText(f"{name} is within too many mails.", "")  # the mail lists it as not read
    report.check()
    loaded = _take(data, name)
    return _parts(_as_its_zip_tells(loaded, name), Read("", name), name, report, depth)


def _as_its_zip_tells(loaded: _Loaded, name: str) -> _Loaded:
    """The content with the kind of document that its zip holds; unchanged if it is none."""
    if loaded.data.startswith(b"PK") and loaded.kind is Kind.DOCX:
        return loaded._replace(kind=look_into_zip(loaded.data, name))
    return loaded


def _notes(loaded: _Loaded, name: str) -> Iterator[str]:
    named = suffix_kind(name)
    if named not in (None, loaded.kind, Kind.MARKDOWN):
        yield Message("By its content, “{name}” is {kind}.", name=name, kind=KINDS[loaded.kind].title)
    if loaded.changed:
        yield Message("“{name}” was changed while it was read; read it again to have it whole.", name=name)


def _take(data: bytes, name: str) -> _Loaded:
    _require_some(len(data), name)
    kind = first_look(data[:HEAD], name)
    _require_room(len(data), kind, name)
    return _Loaded(kind, data, sha256(data).hexdigest(), len(data))


def _load(path: str, name: str, report: Report) -> _Loaded:
    """The content of a regular file."""
    with open_regular(path, name) as file:
        before = os.fstat(file.fileno())
        _require_some(before.st_size, name)
        head = file.read(HEAD) or b""
        kind = first_look(head, name)
        _require_room(before.st_size, kind, name)
        file.seek(0)
        digest, data = _read_all(file, kind, name, report)
        after = os.fstat(file.fileno())
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    return _Loaded(kind, data, digest, before.st_size, before.st_mtime_ns, changed)


def _read_all(file: BinaryIO, kind: Kind, name: str, report: Report) -> tuple[str, bytes]:
    """The file's SHA-256, and its bytes unless it is large and read in place."""
    digest, data, length = sha256(), bytearray(), 0
    while piece := file.read(_PIECE):
        report.check()
        digest.update(piece)
        length += len(piece)
        _require_room(length, kind, name)  # a file may grow, or not report its length
        if kind not in _IN_PLACE or length <= LARGEST_IN_MEMORY:
            data += piece
        else:
            data.clear()
    return digest.hexdigest(), bytes(data)


def _require_some(length: int, name: str) -> None:
    if not length:
        raise SpanlightError(
            Message("“{name}” is empty.", name=name), Message("Open a file with something to read in it.")
        )


def _require_room(length: int, kind: Kind, name: str) -> None:
    title, _, most = KINDS[kind]
    if length > most:
        raise SpanlightError(
            Message(
                "“{name}” is {size} large, and {kind} may have at most {most}.",
                name=name,
                size=size(length),
                kind=_ONE.get(kind, title),
                most=size(most),
            ),
            Message("Split it, and open the part that matters."),
        )


def library_versions() -> dict[str, str]:
    """The versions of the libraries that read documents, by name; raises ImportError if one is missing."""
    import charset_normalizer
    import lxml.etree
    import markdown_it
    import olefile
    import oxmsg.storage  # noqa: F401
    import pypdfium2.version as pdf
    import python_calamine  # noqa: F401
    import tesserocr

    return {
        "pdfium": f"{pdf.PDFIUM_INFO} (pypdfium2 {pdf.PYPDFIUM_INFO})",
        "tesseract": tesserocr.tesseract_version().split()[1],
        "lxml": ".".join(str(part) for part in lxml.etree.LXML_VERSION),
        "markdown-it": markdown_it.__version__,
        "charset-normalizer": charset_normalizer.__version__,
        "olefile": olefile.__version__,
        "python-calamine": version("python-calamine"),
    }
