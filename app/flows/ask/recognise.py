"""Reads documents with the text of their scanned pages, which is recognised once and kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.message import Message
from app.core.report import Progress, Quiet, Relay, Report
from app.core.wording import duration
from app.documents.orders import Read, Recognise

if TYPE_CHECKING:
    from app.flows.ask.document_process import Documents
    from app.flows.workspace import Workspace
    from app.library.recognised import RecognisedPages

# More pages than this are only recognised if a person says so.
MOST_UNASKED = 20
RECOGNISING = Message("Recognising the text of pages")
# On an ordinary computer, for a page full of text.
_SECONDS_A_PAGE = 4.0
# An order has a time limit.
_PAGES_PER_ORDER = 10


def needs_consent(opened: Opened) -> bool:
    """Whether a document has so many scanned pages that a person decides on recognising them."""
    return len(opened.pictures) > MOST_UNASKED


def recognition_time(pages: int) -> str:
    """Roughly how long it takes to recognise this number of pages, in words."""
    return duration(_SECONDS_A_PAGE * pages)


@dataclass(frozen=True, slots=True)
class ScanReader:
    """Reads documents, recognises their scanned pages, and keeps the recognised texts in `kept`.

    `folder` holds the data for recognising languages.
    """

    documents: Documents
    kept: RecognisedPages
    folder: str

    def read(self, order: Read, report: Report, most: int | None = MOST_UNASKED) -> Opened:
        """Read a document with the text of its scanned pages. Raises as `Documents.read` does.

        If more than `most` pages are not recognised yet, they stay in its `pictures`; None recognises any number.
        Pages that were recognised before a stop are kept.
        """
        opened = self.documents.read(order, report)
        if not opened.pictures:
            return opened
        known = self._known(opened)
        missing = [page for page in opened.pictures if page not in known]
        notes: tuple[str, ...] = ()
        if missing and (most is None or len(missing) <= most):
            try:
                known |= self.recognise(order, opened, missing, report)
            except SpanlightError as fault:  # the other pages can still be asked
                notes = (fault.message,)
                known = self._known(opened)
        if known:
            again = replace(
                order, recognised=tuple((page, known[page]) for page in opened.pictures if page in known)
            )
            opened = self.documents.read(again, Quiet(report))
        return replace(opened, notes=(*opened.notes, *notes))

    def recognise(
        self, order: Read, opened: Opened, pages: Sequence[int], report: Report
    ) -> dict[int, bytes]:
        """Recognise pages of an opened document, numbered from 0, and keep each; partial results are their numbers.

        Raises SpanlightError where that is not possible, Stopped when cancelled.
        """
        relay = _PageReport(report, self.kept, opened.sha256, len(pages))
        relay.report_done()
        sha256 = opened.sha256 if order.path else ""
        file = (order.name, order.password, order.data, opened.modified, opened.size, sha256)
        for first in range(0, len(pages), _PAGES_PER_ORDER):
            some = tuple(pages[first : first + _PAGES_PER_ORDER])
            self.documents.recognise(Recognise(order.path, some, self.folder, *file), relay)
        return relay.found

    def _known(self, opened: Opened) -> dict[int, bytes]:
        try:
            return self.kept.pages(opened.sha256)
        except SpanlightError:  # they are recognised again
            return {}


def scan_reader(workspace: Workspace, documents: Documents | None = None) -> ScanReader:
    """The ScanReader of a workspace, which uses its processes or those of `documents`."""
    return ScanReader(
        documents or workspace.documents, workspace.recognised, str(workspace.paths.recognition)
    )


def recognise_pages(
    workspace: Workspace, opened: Opened, pages: Sequence[int], report: Report, *, password: str = ""
) -> None:
    """Recognise pages of an opened file, numbered from 0, and keep them; partial results are their numbers.

    Raises SpanlightError where that is not possible or the file has changed, Stopped when cancelled.
    """
    order = Read(opened.document.path, opened.document.name, password)
    scan_reader(workspace).recognise(order, opened, pages, report)


class _PageReport(Relay):
    """A Report that keeps each page's text, also in `found`, and reports how many of `total` pages are done."""

    def __init__(self, report: Report, kept: RecognisedPages, sha256: str, total: int) -> None:
        super().__init__(report)
        self.found: dict[int, bytes] = {}
        self._kept, self._sha256, self._total = kept, sha256, total
        self._began = time.perf_counter()

    def report_done(self) -> None:
        """Report the progress."""
        done = len(self.found)
        spent = time.perf_counter() - self._began
        left = (self._total - done) * spent / done if done else self._total * _SECONDS_A_PAGE
        self.progress(Progress(done, self._total, RECOGNISING, left))

    def partial(self, result: object) -> None:
        assert isinstance(result, tuple)
        page, text = result
        assert isinstance(page, int) and isinstance(text, bytes)
        self.found[page] = text
        self._kept.put(self._sha256, page, text)
        super().partial(page)
        self.report_done()
