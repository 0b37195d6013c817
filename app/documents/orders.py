"""Orders to the processes that read documents and draw their pages, as plain values, and the limits of their memory."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.text import Span

# The memory of each process, in bytes.
MEMORY = 2_000_000_000
# A PDF or a mailbox up to this size is read into memory, so that it may change or be deleted while it is open.
LARGEST_IN_MEMORY = 64_000_000


@dataclass(frozen=True, slots=True)
class Read:
    """Read the file at `path`, or the bytes of `data` without a path; the result is core.layout.Opened.

    With `words_only` the pages come without their characters, which only drawing needs. `recognised` has the texts of
    pages, from 0, that were recognised before.
    """

    path: str
    name: str = ""
    password: str = ""
    data: bytes = b""
    words_only: bool = False
    recognised: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Recognise:
    """Recognise the text of `pages`, from 0, of the file at `path` or in `data`; the result is None.

    Each page is a partial result: its number and its text as bytes, for `Read.recognised`. `folder` has Tesseract's
    data of languages. `modified`, `size` and `sha256` are as in `Draw`.
    """

    path: str
    pages: tuple[int, ...]
    folder: str
    name: str = ""
    password: str = ""
    data: bytes = b""
    modified: int = 0
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class DetectLanguage:
    """Detect the language of a text by its `stretches` (documents.language); the result is a code, or ""."""

    stretches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """Read the first sheet of the spreadsheet at `path`; lists of rows, tuples of texts, are partial results."""

    path: str


@dataclass(frozen=True, slots=True)
class Extend:
    """Make a copy of the spreadsheet at `path`, or a new one of `rows`, with columns added; the result is its bytes.

    `added` are the cells to add to each row. With `heads` a row with these is inserted above the added cells, if there
    are no formulas or merged cells that would not move with the rows; it has `over` above the columns that were there.
    """

    path: str
    added: tuple[tuple[str, ...], ...]
    heads: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a part of a PDF's page; the result is core.layout.Picture.

    `page` counts from 0; `scale` is pixels per point; the part is `width` x `height` pixels from (`left`, `top`) of the
    whole page drawn at that scale. With `sha256` the file must still hold these bytes; if `modified` (nanoseconds) and
    `size` (bytes) match, it is not read to check that.
    """

    path: str
    page: int
    scale: float
    left: int
    top: int
    width: int
    height: int
    password: str = ""
    modified: int = 0
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A place to mark in a copy of a PDF, in code points of its text, its expected words, and a comment."""

    span: Span
    words: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class MarkUp:
    """Make a copy of the PDF at `path` with highlight annotations, for `output`; its bytes are partial results.

    The result is, for each highlight, an empty string, or why it was not marked.
    """

    path: str
    output: str
    highlights: tuple[Highlight, ...]
    password: str = ""
