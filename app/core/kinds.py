"""The kinds of files that Spanlight reads: their titles, their file name endings, and how large they may be."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from app.core.layout import Kind
from app.core.message import Message


class FileKind(NamedTuple):
    """A kind of file: its title in a sentence, its endings without the dot, and its largest size in bytes."""

    title: Message
    endings: tuple[str, ...]
    most: int


# Reading a web page or Markdown builds a tree, and a block for each paragraph: real files of 20 MB take 0.4 to 0.9 GB
# of memory, lists of five words an item 1.7 GB, and a smaller file of nothing but tags or cells may take too much too.
# A Word file's size may be mostly pictures; 200 MB of its text's XML take 1.6 GB. Spreadsheets and CSV are limited by
# their number of cells too (documents.sheets.rows.MOST_CELLS).
KINDS = {
    Kind.PDF: FileKind(Message("a PDF"), ("pdf",), 1_000_000_000),
    Kind.DOCX: FileKind(Message("a Word file"), ("docx", "docm"), 200_000_000),
    Kind.ODT: FileKind(Message("an OpenDocument text"), ("odt",), 200_000_000),
    Kind.RTF: FileKind(Message("a rich text file"), ("rtf",), 64_000_000),
    Kind.PPTX: FileKind(Message("a PowerPoint file"), ("pptx", "pptm", "ppsx"), 200_000_000),
    Kind.ODP: FileKind(Message("an OpenDocument presentation"), ("odp",), 200_000_000),
    Kind.XLSX: FileKind(Message("an Excel file"), ("xlsx", "xlsm"), 200_000_000),
    Kind.XLS: FileKind(Message("an old Excel file (.xls)"), ("xls",), 100_000_000),
    Kind.ODS: FileKind(Message("an OpenDocument spreadsheet"), ("ods",), 200_000_000),
    Kind.CSV: FileKind(Message("a table as text (CSV)"), ("csv", "tsv"), 64_000_000),
    Kind.EPUB: FileKind(Message("an EPUB book"), ("epub",), 200_000_000),
    Kind.EML: FileKind(Message("a mail"), ("eml",), 100_000_000),
    Kind.MBOX: FileKind(Message("a mailbox"), ("mbox",), 1_000_000_000),
    Kind.MSG: FileKind(Message("a mail that Outlook saved"), ("msg",), 100_000_000),
    Kind.HTML: FileKind(Message("a web page"), ("html", "htm", "xhtml"), 20_000_000),
    Kind.MARKDOWN: FileKind(Message("Markdown"), ("md", "markdown", "mdown"), 20_000_000),
    Kind.IMAGE: FileKind(Message("a picture"), ("png", "jpg", "jpeg", "tif", "tiff"), 200_000_000),
    Kind.TEXT: FileKind(Message("text"), (), 64_000_000),
}
# The kind of each ending; plain text has those below, and any unknown one.
ENDINGS = {ending: kind for kind, about in KINDS.items() for ending in about.endings}
PROSE = tuple("txt text rst adoc org srt vtt".split())
LOGS = ("log",)
# Source code, configuration and data.
CODE = tuple(
    "py pyi c h cc cpp cxx hh hpp cs java kt kts scala groovy gradle go rs swift m mm zig js mjs cjs jsx ts tsx "
    "vue svelte css scss sass less php rb pl pm lua r jl hs ml mli fs ex exs erl clj lisp el scm vb pas f90 f95 "
    "asm sql sh bash zsh fish ps1 psm1 bat cmd tcl proto graphql cmake mk tf nix json jsonl geojson yaml yml toml "
    "ini cfg conf properties env xml xsd xsl xslt rss atom tex sty bib diff patch".split()
)
# Endings by which a name is surely a file's, not a folder's or a word (as in "node.js" and "example.org").
DISTINCTIVE_ENDINGS = frozenset((*ENDINGS, "txt", "text", "rst", "log"))
_CODE_NAMES = frozenset("makefile dockerfile rakefile gemfile jenkinsfile cmakelists.txt".split())


def ending(name: str) -> str:
    """Return a file name's ending in lower case, without the dot; empty if it has none."""
    return PurePath(name).suffix[1:].lower()


def is_code(name: str) -> bool:
    """Whether a file is source code or data by its name, so that its spaces and tabs indent and separate no cells."""
    return ending(name) in CODE or PurePath(name.lower()).name in _CODE_NAMES


def is_monospaced(name: str) -> bool:
    """Whether a file is shown in a monospaced font: code, data and logs, by its name."""
    return is_code(name) or ending(name) in LOGS
