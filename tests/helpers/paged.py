"""A small PDF opened in this process, and its pictures given to a pane at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.core.layout import Kind, Opened, Picture
from app.core.report import Silent
from app.core.text import Document
from app.documents.orders import Draw
from app.documents.pdf.document import read_pdf
from app.documents.pdf.draw import OpenPdfs
from app.ui.document.pdf.page_desk import PageDesk
from tests.helpers.small_pdfs import Page, small_pdf


def opened_pdf(path: Path, pages: Sequence[Page] = (), labels: Sequence[str] = ()) -> Opened:
    """The PDF at a path, written there first where pages are given."""
    if pages:
        path.write_bytes(small_pdf(pages, labels=labels))
    parts = read_pdf(str(path), path.name, "", Silent())
    document = Document(parts.text, path.name, str(path))
    return Opened(document, Kind.PDF, tuple(parts.headings), pages=tuple(parts.pages))


class Drawn:
    """Draws what a pane wants of a file when told to, and remembers all that was wanted."""

    def __init__(self, pane: PageDesk, path: Path) -> None:
        self.asked: list[list[tuple[int, float, int, int, int, int]]] = []
        self._pane = pane
        self._path = str(path)
        pane.pictures_wanted.connect(self._hear)

    @property
    def wanted(self) -> list[tuple[int, float, int, int, int, int]]:
        """What is wanted now."""
        return self.asked[-1] if self.asked else []

    def draw(self, most: int = 1000) -> int:
        """Draw what is wanted, until nothing is or so many pictures were drawn; how many were."""
        desk = OpenPdfs()
        drawn = 0
        while self.wanted and drawn < most:
            page, scale, left, top, width, height = self.wanted[0]
            picture = desk.draw(Draw(self._path, page, scale, left, top, width, height))
            self._pane.take_picture(page, scale, left, top, picture)
            drawn += 1
        desk.close()
        return drawn

    def _hear(self, wanted: list[tuple[int, float, int, int, int, int]]) -> None:
        self.asked.append(wanted)


def plain_picture(width: int, height: int, grey: int = 200) -> Picture:
    """A picture of one colour."""
    return Picture(width, height, bytes([grey]) * (width * height * 4))
