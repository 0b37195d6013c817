"""Sets a plain text as a PDF, with headings and tables as an office program sets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QFont, QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument

_BAR = " | "
_POINTS, _DPI = 10.5, 300
_MARGIN = 60.0  # points
_LONGEST_HEADING = 70
_BULLET = re.compile(r"\s*[-*+•] +")


def typeset(text: str, *, ruled: bool = True) -> bytes:
    """Return a PDF of a text whose table cells are joined by “ | ”; `ruled` is whether its tables have rules.

    Short separate lines are bold headings, a table's first row is bold, and lines after a dash are items.
    """
    _application = QGuiApplication.instance() or QGuiApplication(["spanlight", "-platform", "offscreen"])
    document = QTextDocument()
    font = QFont("serif")
    font.setPointSizeF(_POINTS)
    document.setDefaultFont(font)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Point)
    writer.setResolution(_DPI)
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    document.setDocumentMargin(0)
    document.setHtml("".join(_blocks(text, ruled)))
    document.print_(writer)
    buffer.close()
    return bytes(buffer.data().data())


def _blocks(text: str, ruled: bool) -> Iterator[str]:
    for part in re.split(r"\n\s*\n", text):
        lines = [line for line in part.split("\n") if line.strip()]
        for is_table, group in groupby(lines, key=lambda line: _BAR in line):
            rows = list(group)
            if is_table:
                yield _table(rows, ruled)
                continue
            if _is_heading(rows[0]) and not (len(rows) > 1 and _is_heading(rows[1])):
                yield f"<p><b>{escape(rows.pop(0))}</b></p>"
            yield from _paragraphs(rows)


def _is_heading(line: str) -> bool:
    return (
        len(line) <= _LONGEST_HEADING
        and line[:1].isalpha()
        and not line.rstrip().endswith((".", ",", ";", ":"))
    )


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Yield each item, and the lines between items as a paragraph."""
    running: list[str] = []
    for line in [*lines, ""]:
        mark = _BULLET.match(line)
        if (mark or not line) and running:
            yield f"<p>{escape(' '.join(running))}</p>"
            running = []
        if mark:
            yield f"<ul><li>{escape(line[mark.end() :])}</li></ul>"
        elif line:
            running.append(line.strip())


def _table(lines: list[str], ruled: bool) -> str:
    rows = []
    for number, line in enumerate(lines):
        cells = (f"<b>{escape(cell)}</b>" if not number else escape(cell) for cell in line.split("|"))
        rows.append("<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in cells) + "</tr>")
    look = (
        'border="1" cellspacing="0" style="border-collapse: collapse"'
        if ruled
        else 'border="0" cellspacing="8"'
    )
    return f'<table {look} cellpadding="12">{"".join(rows)}</table><p></p>'
