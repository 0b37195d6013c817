"""A download's progress and speed, reported a few times a second, even while nothing arrives."""

from __future__ import annotations

import threading
import time
from collections import deque
from types import TracebackType

from app.core.offers import Downloading
from app.core.report import Progress
from app.core.wording import duration
from app.models.download.conversation import RequestContext

EVERY, OVER = 0.25, 5.0
# Seconds without a byte after which that is shown.
SILENCE = 3.0


class Pace:
    """Counts a download's bytes; inside a `with` block its own thread reports them to the user.

    `total` counts the bytes of all files to fetch. The speed is that of the last few seconds.
    """

    def __init__(self, context: RequestContext, total: int) -> None:
        self._context, self._total = context, total
        self._before = self._here = self._came = 0
        self._spent, self._since = 0.0, 0.0
        self._last_arrival = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque([(self._last_arrival, 0)], maxlen=int(OVER / EVERY))
        self._what, self._file = "", ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Pace:
        self._context.arrived, self._context.on_status = self.arrived, self.set_status
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def received(self) -> int:
        """Bytes received over the network."""
        return self._came

    @property
    def average(self) -> float:
        """Bytes a second while downloading, 0 if there were too few to measure."""
        return self._came / self._spent if self._came >= 2**18 and self._spent > 0 else 0.0

    def begin(self, file: str) -> None:
        """Start the next file; the bytes of the last one are counted as done."""
        self._before += self._here
        self._here, self._file = 0, file
        self.set_status(file)

    def set_position(self, count: int) -> None:
        """Set how many bytes of the current file are complete."""
        self._here = count

    def opened(self) -> None:
        """Start timing: bytes are expected from now on."""
        self._last_arrival = self._since = time.monotonic()

    def closed(self) -> None:
        """Stop timing."""
        if self._since:
            self._spent += time.monotonic() - self._since
        self._since = 0.0

    def arrived(self, count: int) -> None:
        """Count received bytes; called by the client for every piece."""
        if self._since:
            self._came += count
            self._here += count
            self._last_arrival = time.monotonic()

    def set_status(self, what: str) -> None:
        """Show what is being done now."""
        self._what = what
        self._report_progress()

    def _run(self) -> None:
        while not self._over.wait(EVERY):
            self._lately.append((time.monotonic(), self._came))
            self._report_progress()

    def _report_progress(self) -> None:
        now = time.monotonic()
        done = min(self._before + self._here, self._total)
        then, came = self._lately[0]
        speed = (self._came - came) / (now - then) if now - then >= EVERY else 0.0
        left = (self._total - done) / speed if speed > 0 and now - then > 1 else None
        what = self._what
        if self._since and now - self._last_arrival > SILENCE:
            what = f"{what}: nothing has come for {duration(round(now - self._last_arrival))}"
        self._context.report.progress(Progress(done, self._total, what, left))
        self._context.report.partial(Downloading(done, self._total, speed, self._file))
