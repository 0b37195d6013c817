"""The client of the processes that read documents, draw their pages and recognise scans."""

from __future__ import annotations

import contextlib
import time
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from app.core.atomic import writing
from app.core.errors import EngineLost, SpanlightError
from app.core.layout import Opened, Picture
from app.core.memory_limit import OUT_OF_MEMORY
from app.core.message import Message
from app.core.report import Progress, Relay, Report
from app.core.wording import duration
from app.documents.language import ENGLISH, is_english, stretches
from app.documents.orders import MEMORY, DetectLanguage, Draw, Extend, MarkUp, Read, ReadSheet, Recognise
from app.documents.process import Order, recognising, start_limited
from app.engine.child import Child

if TYPE_CHECKING:
    from app.core.confine import Confined

# Seconds without progress, and in total.
MOST_SILENCE = 120.0
MOST_TIME = 900.0
MOST_DRAWING = 30.0

_NO_MEMORY = (OUT_OF_MEMORY, -9)


class Documents:
    """Reads documents and spreadsheets in one process, draws pages in another, and recognises scans in a third.

    None of them waits for another. Each may take `orders.MEMORY` bytes, `quiet` seconds without progress, and
    `MOST_TIME` seconds in total; a process that takes more, or crashes, is ended and started again for the next file.
    Each starts with its first order. As far as the system allows, they cannot reach the network, write files, start
    programs, or read the person's files except for the one handed over with an order (core.confine). Each is called
    from one thread at a time, `close` from any. `logs` is the folder for the output of their libraries.
    """

    def __init__(self, logs: Path | None = None, quiet: float = MOST_SILENCE) -> None:
        log = logs / "documents.log" if logs else None
        self._reading = Child(start_limited, title=Message("documents process"), log=log, reads=())
        self._pages = Child(start_limited, title=Message("pages process"), log=log, reads=())
        # Created with the first scan, since it may also read the folder with the data of languages.
        self._recognising: Child | None = None
        self._log, self._closed = log, False
        self._quiet = quiet

    def read(self, order: Read, report: Report) -> Opened:
        """Read a document from a file or bytes; raises SpanlightError, PasswordNeeded and Stopped."""
        name = order.name or PurePath(order.path).name
        opened: Opened = self._run(
            self._reading, order, report, Message("“{name}” could not be read", name=name), self._quiet
        )
        return opened

    def recognise(self, order: Recognise, report: Report) -> None:
        """Recognise pages; partial results are as in orders.Recognise. Raises SpanlightError and Stopped."""
        name = order.name or PurePath(order.path).name
        if self._recognising is None:
            self._recognising = Child(
                start_limited,
                title=Message("recognition process"),
                log=self._log,
                reads=(order.folder,),
                prepare=partial(recognising, order.folder),
            )
            if self._closed:
                self._recognising.close()
        failed = Message("The text of “{name}” could not be recognised", name=name)
        self._run(self._recognising, order, report, failed, self._quiet)

    def language(self, text: str, report: Report) -> str:
        """Detect a text's language: its code, or "" if unsure. English is detected without the process.

        Raises SpanlightError and Stopped.
        """
        parts = stretches(text)
        if not parts or is_english(parts):
            return ENGLISH if parts else ""
        found: str = self._run(
            self._reading, DetectLanguage(parts), report, Message("The language was not told"), self._quiet
        )
        return found

    def rows(self, path: Path, report: Report) -> list[tuple[str, ...]]:
        """Read the rows of a spreadsheet's first sheet as texts; raises SpanlightError and Stopped."""
        found = SheetRows(report)
        failed = Message("“{name}” could not be read", name=path.name)
        self._run(self._reading, ReadSheet(str(path)), found, failed, self._quiet)
        return found.rows

    def extend(self, order: Extend, report: Report) -> bytes:
        """Add columns to a spreadsheet, and return its bytes; raises SpanlightError and Stopped."""
        failed = Message("The columns could not be added to the spreadsheet")
        data: bytes = self._run(self._reading, order, report, failed, self._quiet)
        return data

    def draw(self, order: Draw, report: Report) -> Picture:
        """Draw a part of a PDF's page; raises SpanlightError and Stopped."""
        what = Message(
            "Page {number} of “{name}” could not be drawn",
            number=order.page + 1,
            name=PurePath(order.path).name,
        )
        picture: Picture = self._run(self._pages, order, report, what, min(self._quiet, MOST_DRAWING))
        return picture

    def mark_up(self, order: MarkUp, report: Report) -> tuple[str, ...]:
        """Write a copy of a PDF with highlights; returns why each was left out, "" for one that was not."""
        what = Message("“{name}” could not be marked", name=PurePath(order.path).name)
        with contextlib.ExitStack() as written:
            copy = CopyWriter(report, order.output, written)
            reasons: tuple[str, ...] = self._run(self._pages, order, copy, what, self._quiet)
        return reasons

    @property
    def confined(self) -> Confined | None:
        """What the processes are confined from, None until one has read anything."""
        return self._reading.confined or self._pages.confined

    @property
    def pids(self) -> tuple[int | None, int | None]:
        """The ids of the reading and the drawing process, None where one is not running."""
        return self._reading.pid, self._pages.pid

    def close(self) -> None:
        """End the processes for good; work under way ends as Stopped."""
        self._closed = True
        self._reading.close()
        self._pages.close()
        if self._recognising is not None:
            self._recognising.close()

    def _run(self, child: Child, order: Order, report: Report, failed: str, quiet: float) -> Any:
        path = getattr(order, "path", "")
        try:
            return child.run(order, _TimeLimit(report, failed, quiet, MOST_TIME), (path,) if path else ())
        except EngineLost as lost:
            if lost.exit_code in _NO_MEMORY:
                raise SpanlightError(
                    Message(
                        "{failed}: it takes more than {size} GB of memory.",
                        failed=failed,
                        size=MEMORY // 1_000_000_000,
                    ),
                    Message("Split it, or open it in another program and save it anew."),
                ) from lost
            raise SpanlightError(
                Message("{failed}: it makes the reader break off.", failed=failed),
                Message("It may be damaged; open it in another program and save it anew."),
            ) from lost


class SheetRows(Relay):
    """A Report that collects the `rows` of a sheet from partial results."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.rows: list[tuple[str, ...]] = []

    def partial(self, result: object) -> None:
        """Append some rows."""
        assert isinstance(result, list)
        self.rows += result


class CopyWriter(Relay):
    """A Report that writes partial results, the pieces of a copy, to a file; without pieces there is no file."""

    def __init__(self, report: Report, path: str, written: contextlib.ExitStack) -> None:
        super().__init__(report)
        self._path, self._written = Path(path), written
        self._file: BinaryIO | None = None

    def partial(self, result: object) -> None:
        """Write a piece; raises SpanlightError on a disk error."""
        assert isinstance(result, bytes)
        if self._file is None:
            self._file = self._written.enter_context(writing(self._path, private=False))
        self._file.write(result)


class _TimeLimit(Relay):
    """A Report that stops work after a time limit: `check` raises SpanlightError."""

    def __init__(self, report: Report, failed: str, quiet: float, total: float) -> None:
        super().__init__(report)
        self._failed, self._quiet, self._total = failed, quiet, total
        self._began = self._heard = time.monotonic()
        self._last: Progress | None = None

    def progress(self, progress: Progress) -> None:
        if progress != self._last:
            self._last, self._heard = progress, time.monotonic()
        super().progress(progress)

    def partial(self, result: object) -> None:
        self._heard = time.monotonic()
        super().partial(result)

    def check(self) -> None:
        super().check()
        now = time.monotonic()
        if now - self._heard > self._quiet or now - self._began > self._total:
            waited = now - (self._began if now - self._began > self._total else self._heard)
            raise SpanlightError(
                Message(
                    "{failed}: after {time} there was no end to it.",
                    failed=self._failed,
                    time=duration(waited),
                ),
                Message("It may be damaged; split it, or open it in another program and save it anew."),
            )
