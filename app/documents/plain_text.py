"""Reads plain text files in any common encoding."""

from __future__ import annotations

import codecs
import re
from array import array

from app.core.errors import SpanlightError
from app.core.kinds import is_code
from app.core.message import Message
from app.core.report import Report
from app.core.text import normalise_newlines
from app.documents.chapters import find_chapters, view_with_chapters
from app.documents.encodings import guess
from app.documents.parts import Parts

_SAMPLE = 1 << 16

# The longer marks first: a UTF-32 mark begins with a UTF-16 one.
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\b\x1b")
_BREAKS = re.compile("[\v\f\x85\u2028\u2029]")
# The last two are noncharacters that Qt uses as the bounds of frames.
_UNSEEN = re.compile("[\0-\b\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0\ufdd1]")


def read_plain_text(data: bytes, name: str, report: Report) -> Parts:
    """The text without its byte-order mark, with newlines as LF, and its chapters if they are certain.

    Breaks of pages, lines and paragraphs become newlines and other control characters blanks, one for one, so that
    positions in the decoded text stay the same, and so do those in the view that shows it. Raises SpanlightError if the
    bytes are not text, and Stopped when the report says so.
    """
    lines = normalise_newlines(decode(data, name))
    report.check()
    text = _UNSEEN.sub(" ", _BREAKS.sub("\n", lines))
    # Editors count only the newlines that are in the file.
    starts = array("i", [0])
    starts.extend(newline.end() for newline in re.finditer("\n", lines))
    chapters = () if is_code(name) else find_chapters(text)
    return Parts(text, headings=chapters, lines=starts, view=view_with_chapters(text, chapters, name))


def decode(data: bytes, name: str) -> str:
    """The characters of the bytes, newlines unchanged, without a byte-order mark.

    In this order: the encoding of a byte-order mark; UTF-16 without a mark, recognised by the places of its zero bytes;
    UTF-8; UTF-8 with a few damaged bytes, each read as U+FFFD; the old encoding whose letters make most sense, which is
    Windows-1252 for Western languages. Raises SpanlightError for bytes that are not text.
    """
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    wide = _unmarked_utf16(data)
    if wide:
        return data.decode(wide, "replace")
    if _is_binary(data[:_SAMPLE]) or _is_binary(data[-_SAMPLE:]):
        raise SpanlightError(
            Message("“{name}” is not a text file.", name=name),
            Message("Open a text, a PDF, a Word file or a web page."),
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _old_encoding(data)


def _unmarked_utf16(data: bytes) -> str:
    """The name of the UTF-16 variant whose high bytes are nearly all zero, or empty."""
    sample = data[: _SAMPLE & ~1]
    pairs = len(sample) // 2
    if pairs < 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.7 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.7 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return ""


def _is_binary(sample: bytes) -> bool:
    controls = sum(sample.count(code) for code in _CONTROLS)
    return controls > max(1, min(4, len(sample) / 10), len(sample) / 100)


def _damaged_utf8(data: bytes) -> str:
    """The text if nearly all bytes above 127 are valid UTF-8, else empty."""
    text = data.decode("utf-8", "replace")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    damaged = text.count("\ufffd")
    return text if damaged <= beyond_ascii / 20 else ""


def _old_encoding(data: bytes) -> str:
    encoding = guess(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        # ISO-8859-1 has a character for every byte, where Windows-1252 leaves five out.
        return data.decode("latin-1") if encoding == "cp1252" else data.decode(encoding, "replace")
