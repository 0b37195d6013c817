"""Places lit up on a PDF's pages again and again while a text is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.core import pages
from app.core.layout import PageText
from app.core.pages import PageMark
from app.core.text import Span
from app.ui.document.pdf import page_marks
from app.ui.document.pdf.page_marks import PageHighlights
from app.ui.kit.theme import Theme
from tests.conftest import ROOT
from tests.helpers.paged import opened_pdf
from tests.helpers.small_pdfs import Page, lines

RESOURCES = ROOT / "resources"


def test_a_place_that_was_read_back_is_not_read_back_again(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def mark(of: Sequence[PageText], span: Span, words: str) -> PageMark:
        read.append(words)
        return pages.mark_on_pages(of, span, words)

    monkeypatch.setattr(page_marks, "mark_on_pages", mark)
    opened = opened_pdf(tmp_path / "tides.pdf", [Page(lines("The tide is high at noon.", 72, 100))])
    text = opened.document.text
    tide, noon = (
        (Span(text.index(words), text.index(words) + len(words)), words) for words in ("tide", "noon")
    )
    wrong = (tide[0], "ebbs")
    lights = PageHighlights(Theme(RESOURCES))
    assert lights.take(opened.pages, [tide, wrong]) == [True, False]
    assert lights.take(opened.pages, [wrong, noon, tide]) == [False, True, True]
    assert read == ["tide", "ebbs", "noon"]
    assert lights.reason(0) and lights.first(1) is not None and lights.boxes(2)
    other = opened_pdf(tmp_path / "other.pdf", [Page(lines("An ebb is low at night.", 72, 100))])
    assert lights.take(other.pages, [tide, noon]) == [False, False], "another document"
    assert read[3:] == ["tide", "noon"]
    lights.clear()
    assert lights.take(other.pages, [noon]) == [False] and read[5:] == ["noon"]
