"""Reads a file into an opened document."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

from app.core.errors import NoText, PasswordNeeded, SpanlightError
from app.core.files import open_regular
from app.core.kinds import KINDS
from app.core.layout import CHANGED_MEANWHILE, OTHERWISE_NAMED, Kind, Opened, PageText
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.text import Document
from app.core.wording import size
from app.documents.block_words import shows_nothing
from app.documents.language import language_of, stretches
from app.documents.orders import LARGEST_IN_MEMORY, Read
from app.documents.parts import Parts
from app.documents.sniff import HEAD, first_look, look_into_zip, suffix_kind

_CHUNK = 1 << 22
# How deep mails that are attached as files may be nested; mail.MailWriter counts those that are parts of a mail.
_MOST_MAILS_AROUND = 3
# One file of a kind whose title is a mass noun.
_ONE = {Kind.TEXT: Message("a text"), Kind.MARKDOWN: Message("a Markdown file")}
# Kinds that are read in place when they are large.
_IN_PLACE = (Kind.PDF, Kind.MBOX)


class _Loaded(NamedTuple):
    """A file's kind, its bytes (empty for one that is read in place), and its state."""

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
    loaded = _load_file(order.path, name, report) if order.path else _load_bytes(order.data, name)
    try:
        loaded = _with_kind_in_zip(loaded, name)
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
    """The content as read by its kind's reader; `depth` is the number of mails around it."""
    source = loaded.data or order.path
    if loaded.kind in (Kind.PDF, Kind.IMAGE):
        from app.documents.pdf.document import read_pdf

        return read_pdf(source, name, order.password, report, dict(order.recognised))
    read_file = partial(_attachment, report=report, depth=depth + 1)
    if loaded.kind is Kind.MBOX:
        from app.documents.mail.mbox import read_mbox

        return read_mbox(source, name, report, read_file)
    # Each is imported when it is first needed.
    read_kind: Callable[..., Parts]
    match loaded.kind:
        case Kind.DOCX:
            from app.documents.word.document import read_docx as read_kind
        case Kind.ODT:
            from app.documents.opendocument.document import read_odt as read_kind
        case Kind.ODP:
            from app.documents.opendocument.document import read_odp as read_kind
        case Kind.RTF:
            from app.documents.rtf import read_rtf as read_kind
        case Kind.PPTX:
            from app.documents.powerpoint import read_pptx as read_kind
        case Kind.XLSX:
            from app.documents.sheets.workbook import read_xlsx as read_kind
        case Kind.XLS:
            from app.documents.sheets.workbook import read_xls as read_kind
        case Kind.ODS:
            from app.documents.sheets.workbook import read_ods as read_kind
        case Kind.CSV:
            from app.documents.sheets.delimited import read_csv as read_kind
        case Kind.HTML:
            from app.documents.html import read_html as read_kind
        case Kind.MARKDOWN:
            from app.documents.markdown_page import read_markdown as read_kind
        case Kind.EPUB:
            from app.documents.epub import read_epub as read_kind
        case Kind.EML:
            from app.documents.mail.mime import read_eml as read_kind
        case Kind.MSG:
            from app.documents.mail.outlook import read_msg as read_kind
        case _:
            from app.documents.plain_text import read_plain_text as read_kind
    mails = (read_file,) if loaded.kind in (Kind.EML, Kind.MSG) else ()
    return read_kind(loaded.data, name, report, *mails)


def _attachment(data: bytes, name: str, *, report: Report, depth: int) -> Parts:
    """A mail's attachment as read by the reader of its own kind."""
    if depth > _MOST_MAILS_AROUND:
        raise NoText(f"{name} is within too many mails.", "")  # the mail lists it as not read
    report.check()
    loaded = _load_bytes(data, name)
    return _parts(_with_kind_in_zip(loaded, name), Read("", name), name, report, depth)


def _with_kind_in_zip(loaded: _Loaded, name: str) -> _Loaded:
    """The content with the kind of document that it is if it is a zip; any other unchanged."""
    if loaded.data.startswith(b"PK") and loaded.kind is Kind.DOCX:
        return loaded._replace(kind=look_into_zip(loaded.data, name))
    return loaded


def _notes(loaded: _Loaded, name: str) -> Iterator[str]:
    named = suffix_kind(name)
    if named not in (None, loaded.kind, Kind.MARKDOWN):
        yield OTHERWISE_NAMED.filled(name=name, kind=KINDS[loaded.kind].title)
    if loaded.changed:
        yield CHANGED_MEANWHILE.filled(name=name)


def _load_bytes(data: bytes, name: str) -> _Loaded:
    _require_some(len(data), name)
    kind = first_look(data[:HEAD], name)
    _require_room(len(data), kind, name)
    return _Loaded(kind, data, sha256(data).hexdigest(), len(data))


def _load_file(path: str, name: str, report: Report) -> _Loaded:
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
    """The file's SHA-256, and its bytes, empty if it is to be read in place."""
    digest, data, length = sha256(), bytearray(), 0
    while chunk := file.read(_CHUNK):
        report.check()
        digest.update(chunk)
        length += len(chunk)
        _require_room(length, kind, name)  # a file may grow, or not report its length
        if kind not in _IN_PLACE or length <= LARGEST_IN_MEMORY:
            data += chunk
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

    from app.documents.recognition.program import version as tesseract_version

    return {
        "pdfium": f"{pdf.PDFIUM_INFO} (pypdfium2 {pdf.PYPDFIUM_INFO})",
        "tesseract": tesseract_version(),
        "lxml": ".".join(str(part) for part in lxml.etree.LXML_VERSION),
        "markdown-it": markdown_it.__version__,
        "charset-normalizer": charset_normalizer.__version__,
        "olefile": olefile.__version__,
        "python-calamine": version("python-calamine"),
    }
