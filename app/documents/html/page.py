"""Converts a web page to text and blocks; nothing that it links to is ever loaded."""

from __future__ import annotations

import codecs
import re

from app.core.layout import BlockKind
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.html.walk import Walk
from app.documents.parts import Parts
from app.documents.plain_text import MARKS, decode

_HEAD = 4096
_DECLARED = re.compile(
    rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{1,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{1,40})",
    re.IGNORECASE,
)
# Python's names of the encodings that a page may declare (WHATWG Encoding, section 4.2): its other codecs are for
# domain names, escapes, archives and the like, and some of them raise errors that `errors` does not keep back.
_ENCODINGS = frozenset(
    (
        "utf-8 ascii cp866 koi8-r koi8-u mac-roman mac-cyrillic tis-620 gb2312 gbk gb18030 big5 big5hkscs euc_jp "
        "iso2022_jp shift_jis cp932 euc_kr cp949 cp874 "
        + " ".join(f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17)))
        + " "
        + " ".join(f"cp125{number}" for number in range(9))
    ).split()
)
# Labels that browsers read as a larger encoding (WHATWG Encoding, section 4.2).
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}


def decode_html(data: bytes, name: str) -> str:
    """The characters of a web page: by its byte-order mark, else by what it declares, else as `plain_text.decode`.

    Bytes that are valid UTF-8 beyond ASCII are read as UTF-8, whatever is declared. Raises SpanlightError for bytes
    that are not text.
    """
    declared = _declared(data[:_HEAD])
    if not declared or data.startswith(tuple(MARKS)):
        return decode(data, name)
    if not data.isascii():
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return data.decode(declared, "replace")


def _declared(head: bytes) -> str:
    """Python's name of the encoding that the page's head declares; empty for none or one that is not a web page's."""
    found = _DECLARED.search(head)
    return encoding_of((found[1] or found[2]).decode("ascii")) if found else ""


def encoding_of(label: str) -> str:
    """Python's name of an encoding that a page or a mail declares; empty for none or one that neither is in."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    # A page whose declaration can be read byte by byte is not UTF-16.
    if name.startswith(("utf-16", "utf-32", "utf-7")):
        return "utf-8"
    return _WIDER.get(name, name) if name in _ENCODINGS else ""


def read_html(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a web page, as a browser without scripts or styles shows it.

    Scripts, hidden parts, pictures and forms' fields are left out. Raises SpanlightError for bytes that are not text,
    and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the page")))
    text = decode_html(data, name)
    report.check()
    blocks = Blocks()
    add_html(text, blocks, report)
    return blocks.parts()


def add_html(
    text: str, blocks: Blocks, report: Report, level: int = 0, kind: BlockKind | None = None
) -> None:
    """Add what a page, or a fragment of one, shows; `kind` and `level` are of the block around it, if any."""
    Walk(blocks, report, kind, level).page(text)
    blocks.end()
