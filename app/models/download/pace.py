"""How far a download is and how fast it goes, told a few times a second, also while nothing comes."""

from __future__ import annotations

import threading
import time
from collections import deque
from types import TracebackType

from app.core.offers import Downloading
from app.core.report import Progress
from app.core.wording import duration
from app.models.download.conversation import Conversation

EVERY, OVER = 0.25, 5.0
# Seconds without a byte from which on that is said.
SILENCE = 3.0


class Pace:
    """Counts a download's bytes; a thread of its own tells the person of them while it is entered as a context.

    `total` counts the bytes of all files to fetch. Speed is that of the last few seconds.
    """

    def __init__(self, talk: Conversation, total: int) -> None:
        self._talk, self._total = talk, total
        self._before = self._here = self._came = 0
        self._spent, self._since = 0.0, 0.0
        self._heard = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque([(self._heard, 0)], maxlen=int(OVER / EVERY))
        self._what, self._file = "", ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Pace:
        self._talk.arrived, self._talk.teller = self.arrived, self.say
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def received(self) -> int:
        """Bytes that came over the network."""
        return self._came

    @property
    def average(self) -> float:
        """Bytes a second while bytes were waited for, 0 where there were too few to tell."""
        return self._came / self._spent if self._came >= 2**18 and self._spent > 0 else 0.0

    def begin(self, file: str) -> None:
        """The next file comes; what came of the last one counts as done."""
        self._before += self._here
        self._here, self._file = 0, file
        self.say(file)

    def stands(self, count: int) -> None:
        """So many bytes of the file are there now."""
        self._here = count

    def opened(self) -> None:
        """Bytes are waited for from now on."""
        self._heard = self._since = time.monotonic()

    def closed(self) -> None:
        """Bytes are not waited for any more."""
        if self._since:
            self._spent += time.monotonic() - self._since
        self._since = 0.0

    def arrived(self, count: int) -> None:
        """So many bytes came; called by the client for every piece."""
        if self._since:
            self._came += count
            self._here += count
            self._heard = time.monotonic()

    def say(self, what: str) -> None:
        """What is being done now."""
        self._what = what
        self._tell()

    def _run(self) -> None:
        while not self._over.wait(EVERY):
            self._lately.append((time.monotonic(), self._came))
            self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        done = min(self._before + self._here, self._total)
        then, came = self._lately[0]
        speed = (self._came - came) / (now - then) if now - then >= EVERY else 0.0
        left = (self._total - done) / speed if speed > 0 and now - then > 1 else None
        what = self._what
        if self._since and now - self._heard > SILENCE:
            what = f"{what}: nothing has come for {duration(round(now - self._heard))}"
        self._talk.report.progress(Progress(done, self._total, what, left))
        self._talk.report.partial(Downloading(done, self._total, speed, self._file))
