"""Runs in the processes that read documents and draw their pages; quick to import, as each starts with this file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.layout import Opened, Picture
from app.core.report import Report
from app.documents.orders import MEMORY, DetectLanguage, Draw, Extend, MarkUp, Read, ReadSheet, Recognise

if TYPE_CHECKING:
    from app.documents.pdf.draw import OpenPdfs
    from app.documents.recognition.engine import Recogniser
    from app.documents.recognition.program import Run

Order = Read | Recognise | DetectLanguage | ReadSheet | Extend | Draw | MarkUp
Result = Opened | str | bytes | Picture | tuple[str, ...] | None


class DocumentWorker:
    """Carries out orders one by one, in one thread; keeps open the PDFs that were drawn last.

    `run` runs the program that recognises text, where the library is missing. If memory runs out in a call, the process
    ends with `memory_limit.OUT_OF_MEMORY`.
    """

    def __init__(self, run: Run | None = None) -> None:
        self._run = run
        self._open_pdfs: OpenPdfs | None = None
        self._recogniser: Recogniser | None = None

    def carry_out(self, order: Order, report: Report) -> Result:
        """The result of an order, as described in app.documents.orders; raises as the function that it calls does."""
        match order:
            case Read():
                from app.documents.reader import read

                return read(order, report)
            case Recognise():
                from app.documents.recognition.engine import Recogniser

                if self._recogniser is None:
                    self._recogniser = Recogniser(order.folder, self._run)
                self._recogniser.carry_out(order, report)
                return None
            case DetectLanguage():
                from app.documents.language import language_of

                return language_of(order.stretches)
            case ReadSheet():
                from app.documents.spreadsheet import read_sheet

                read_sheet(Path(order.path), report)
                return None
            case Extend():
                from app.documents.spreadsheet import extended

                return extended(order, report)
            case Draw():
                report.check()
                if self._open_pdfs is None:
                    from app.documents.pdf.draw import OpenPdfs

                    self._open_pdfs = OpenPdfs()
                return self._open_pdfs.draw(order)
            case MarkUp():
                from app.documents.pdf.marks import mark_up

                return mark_up(order, report)

    def __call__(self, order: Order, report: Report) -> Result:
        """Carry out an order, and end the process if memory runs out."""
        try:
            return self.carry_out(order, report)
        except MemoryError:
            from app.core.memory_limit import exit_out_of_memory

            exit_out_of_memory()
            raise

    def close(self) -> None:
        """Close the files, and free the engine that recognises text."""
        if self._open_pdfs is not None:
            self._open_pdfs.close()
        if self._recogniser is not None:
            self._recogniser.close()


def recognising(folder: str) -> Callable[[], DocumentWorker]:
    """`start_limited` for a process that recognises text; to be called before it is confined.

    `folder` has Tesseract's data of languages.
    """
    from app.documents.recognition.program import runner

    return partial(start_limited, runner(folder))


def start_limited(run: Run | None = None) -> DocumentWorker:
    """Limit this process's memory, and return the worker that handles its orders."""
    from app.core.memory_limit import limit_memory

    limit_memory(MEMORY)
    return DocumentWorker(run)
