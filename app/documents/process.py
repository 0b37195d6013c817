"""The processes that read documents and draw their pages; quick to import, as each starts with this file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.layout import Opened, Picture
from app.core.report import Report
from app.documents.orders import Draw, Extend, MarkUp, Read, ReadSheet, Recognise, Tell

if TYPE_CHECKING:
    from app.documents.pdf.draw import PdfDesk
    from app.documents.recognition.engine import Recogniser
    from app.documents.recognition.program import Run

Order = Read | Recognise | Tell | ReadSheet | Extend | Draw | MarkUp
Result = Opened | str | bytes | Picture | tuple[str, ...] | None


class Clerk:
    """Carries out orders one by one, from one thread; keeps the PDFs open that were drawn last.

    `run` runs the program that recognises text, where the library for that is missing. Called in its own process, it
    ends that with `memory_limit.OUT_OF_MEMORY` if memory runs out.
    """

    def __init__(self, run: Run | None = None) -> None:
        self._run = run
        self._desk: PdfDesk | None = None
        self._recogniser: Recogniser | None = None

    def carry_out(self, order: Order, report: Report) -> Result:
        """The result of an order, as app.documents.orders has it; raises as its function does."""
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
            case Tell():
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
                if self._desk is None:
                    from app.documents.pdf.draw import PdfDesk

                    self._desk = PdfDesk()
                return self._desk.draw(order)
            case MarkUp():
                from app.documents.pdf.marks import mark_up

                return mark_up(order, report)

    def __call__(self, order: Order, report: Report) -> Result:
        """Carry out one order."""
        try:
            return self.carry_out(order, report)
        except MemoryError:
            from app.core.memory_limit import exit_out_of_memory

            exit_out_of_memory()
            raise

    def close(self) -> None:
        """Close the files, and free what recognises text."""
        if self._desk is not None:
            self._desk.close()
        if self._recogniser is not None:
            self._recogniser.close()


def recognising(folder: str) -> Callable[[], Clerk]:
    """`start_limited` of a process that recognises text by what is in `folder`; called before it is confined."""
    from app.documents.recognition.program import runner

    return partial(start_limited, runner(folder))


def start_limited(run: Run | None = None) -> Clerk:
    """Return the handler of orders for its own process, whose memory is limited from here on."""
    from app.core.memory_limit import limit_memory
    from app.documents.limits import MEMORY

    limit_memory(MEMORY)
    return Clerk(run)
