"""The text of a Qt document, in and out, so that `core.text` counts correctly in it.

Qt counts UTF-16 units: a character beyond U+FFFF takes two. Its text documents fold every kind of line
end into a block, and its strings may hold lone surrogates, which PySide drops silently.
"""

from __future__ import annotations

import re

from PySide6.QtGui import QTextCursor, QTextDocument

from app.core.text import utf16_units

# What Qt makes a new block of: CR LF, CR, LF, U+2029 and its own two block marks; and its line separator.
_LINE_END = re.compile("\r\n|[\r\u2028\u2029\ufdd0\ufdd1]")


def insertable(text: str) -> str:
    """The text as a Qt document gives it back: every line end as LF, a lone surrogate as U+FFFD.

    PySide reads a byte order mark at a string's start as such: U+FEFF would be lost there, and U+FFFE, which is no
    character, would swap the bytes of the whole text.
    """
    if _any_surrogate(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.lstrip("\ufeff").replace("\ufffe", "\ufffd")
    # Looking first is much faster for the many texts that hold none of them.
    return _LINE_END.sub("\n", text) if any(mark in text for mark in "\r\u2028\u2029\ufdd0\ufdd1") else text


def _any_surrogate(text: str) -> bool:
    # UTF-8 has none: encoding is four times faster than searching for them.
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def document_text(document: QTextDocument) -> str:
    """All text of a Qt document, with LF for line ends: what `Document.text` is made of."""
    text = _lines(document.toRawText())
    units = document.characterCount() - 1  # Qt counts the end of the last block too
    return text if utf16_units(text) == units else _characters(document, 0, units)


def text_at(document: QTextDocument, start: int, end: int) -> str:
    """The characters between two of Qt's positions, as far as the document reaches."""
    end = min(end, document.characterCount() - 1)
    if not 0 <= start < end:
        return ""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    text = _lines(cursor.selectedText())
    return text if utf16_units(text) == end - start else _characters(document, start, end)


def _lines(raw: str) -> str:
    return raw.replace("\u2029", "\n").replace("\u2028", "\n")


def _characters(document: QTextDocument, start: int, end: int) -> str:
    """The same text read unit by unit, which keeps positions where it has lone surrogates."""
    units = "".join(document.characterAt(unit) for unit in range(start, end))
    return _lines(units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
