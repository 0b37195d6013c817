"""What must hold of every PDF that was read: text and pages agree, code point by code point."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from _pytest.mark import ParameterSet

from app.core.layout import PageText
from app.core.report import Report, Silent
from app.documents.parts import Parts
from app.documents.pdf.text import read_pages
from tests.helpers.flowing import check_view
from tests.helpers.small_pdfs import Page, Words, small_pdf

_HYPHENS = "\x02-\u2010"


def read(data: bytes, report: Report | None = None) -> Parts:
    """The parts of a PDF's bytes, looked over by `agree`."""
    document = pypdfium2.PdfDocument(data)
    try:
        parts = read_pages(document, report or Silent())
    finally:
        document.close()
    agree(parts)
    return parts


@cache
def read_real(file: Path) -> tuple[Parts, float]:
    """The parts of a real PDF, which several tests look at, and how many seconds of the processor reading took."""
    started = time.process_time()
    parts = read(file.read_bytes())
    return parts, time.process_time() - started


def real_names(names: Iterable[str]) -> list[ParameterSet]:
    """Names of real PDFs as parameters; the one of 300 pages is read in long runs only."""
    return [
        pytest.param(name, marks=pytest.mark.long if name.startswith("aws-pinpoint") else ())
        for name in names
    ]


def read_words(*pages: Sequence[Words] | Page) -> Parts:
    """The parts of a small PDF of these pages."""
    return read(small_pdf([page if isinstance(page, Page) else Page(page) for page in pages]))


def agree(parts: Parts) -> None:
    """Fail where text and pages disagree, or the view does not fit: gaps, another character, boxes missing."""
    check_view(parts.text, parts.view)
    reached = 0
    for page in parts.pages:
        assert page.span.start == reached
        reached = page.span.end
        _agree_on(page, page.span.of(parts.text))
    assert reached == len(parts.text)
    for heading in parts.headings:
        assert heading.span.of(parts.text).strip() and heading.level >= 1
    starts = [heading.span.start for heading in parts.headings]
    assert starts == sorted(starts)
    assert "\r" not in parts.text and "\x00" not in parts.text and "\x02" not in parts.text


def _agree_on(page: PageText, text: str) -> None:
    assert len(page.index) == len(text)
    assert len(page.boxes) == 4 * len(page.characters)
    for place, character in zip(page.index, text, strict=True):
        if place < 0:
            assert character in " \n\t", f"{character!r} was put in"
            continue
        own = page.characters[place]
        assert (
            own == character
            or (own in _HYPHENS and character == "-")
            or (own.isspace() and character == " ")
            or character in unicodedata.normalize("NFKC", own)
        ), f"{character!r} was read from {own!r}"
