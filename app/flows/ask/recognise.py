"""Read documents with the text of their pictures: what was recognised before, and what is recognised now."""

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

# More pages than this are recognised when a person says so.
MOST_BY_ITSELF = 20
RECOGNISING = Message("Recognising the text of pages")
# On an ordinary computer, for a page that is full of text.
_SECONDS_A_PAGE = 4.0
# So many pages are ordered at once, as an order may take only so long.
_AT_ONCE = 10


def waits(opened: Opened) -> bool:
    """Whether a document has so many pages to recognise that a person is to say so."""
    return len(opened.pictures) > MOST_BY_ITSELF


def time_for(pages: int) -> str:
    """About how long it takes to recognise so many pages, in words."""
    return duration(_SECONDS_A_PAGE * pages)


@dataclass(frozen=True, slots=True)
class Scans:
    """Reads documents, recognises their pictures, and keeps what was recognised in `kept`.

    `folder` holds what languages are recognised by.
    """

    documents: Documents
    kept: RecognisedPages
    folder: str

    def read(self, order: Read, report: Report, most: int | None = MOST_BY_ITSELF) -> Opened:
        """The document of an order with the text of its pictures, as `Documents.read`.

        Where more than `most` pages are not recognised yet, these stay in its `pictures`; None recognises any number.
        What was recognised when it is stopped is kept.
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
            except SpanlightError as fault:  # the other pages can be asked
                notes = (fault.message,)
        if known:
            again = replace(
                order, recognised=tuple((page, known[page]) for page in opened.pictures if page in known)
            )
            opened = self.documents.read(again, Quiet(report))
        return replace(opened, notes=(*opened.notes, *notes))

    def recognise(
        self, order: Read, opened: Opened, pages: Sequence[int], report: Report
    ) -> dict[int, bytes]:
        """Recognise pages, from 0, of a document that was opened, and keep each; their numbers are partial results.

        Raises SpanlightError where it cannot be done, Stopped when cancelled.
        """
        relay = _Pages(report, self.kept, opened.sha256, len(pages))
        relay.tell()
        sha256 = opened.sha256 if order.path else ""
        file = (order.name, order.password, order.data, opened.modified, opened.size, sha256)
        for first in range(0, len(pages), _AT_ONCE):
            some = tuple(pages[first : first + _AT_ONCE])
            self.documents.recognise(Recognise(order.path, some, self.folder, *file), relay)
        return relay.found

    def _known(self, opened: Opened) -> dict[int, bytes]:
        try:
            return self.kept.pages(opened.sha256)
        except SpanlightError:  # then they are recognised again
            return {}


def scans(workspace: Workspace, documents: Documents | None = None) -> Scans:
    """The reader of a workspace, in its own processes or in those of `documents`."""
    return Scans(documents or workspace.documents, workspace.recognised, str(workspace.paths.recognition))


def recognise_pages(
    workspace: Workspace, opened: Opened, pages: Sequence[int], report: Report, *, password: str = ""
) -> None:
    """Recognise pages, from 0, of an opened file, and keep them for reading it again; each is a partial result.

    Raises SpanlightError where it cannot be done or the file has changed, Stopped when cancelled.
    """
    order = Read(opened.document.path, opened.document.name, password)
    scans(workspace).recognise(order, opened, pages, report)


class _Pages(Relay):
    """A Report that keeps each page's text, also in `found`, and tells how many of `total` there are."""

    def __init__(self, report: Report, kept: RecognisedPages, sha256: str, total: int) -> None:
        super().__init__(report)
        self.found: dict[int, bytes] = {}
        self._kept, self._sha256, self._total = kept, sha256, total
        self._began = time.perf_counter()

    def tell(self) -> None:
        """Report how far it is."""
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
        self.tell()
