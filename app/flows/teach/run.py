"""A run of teaching the reader, as stored in its folder: what it began with, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.plain import from_plain, json_of
from app.models.disk import copying, locks
from app.models.disk.installed import fingerprint
from app.models.disk.shelving import delete_tree
from app.models.disk.weights import read_json
from app.settings.files import write_atomic

RUN, MARK = "run.json", "corrections"


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """How well a reader answers questions with known answers: their number, and per cent.

    `exact` and `f1` count "no answer in the text" as an answer; `calibration_error` is the expected one.
    """

    questions: int
    exact: float
    f1: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class Run:
    """What a teaching began with, and its measures so far; kept in its folder beside the examples.

    `folder` and `weights` are the base's, `asked` a digest of the corrections. `before` and `after` are the figures on
    the held-out corrections and on what it knew, `seconds` those of the first measure.
    """

    base: str
    folder: str
    weights: str
    corrections: int
    asked: str
    begun: str
    steps: int
    before: tuple[ReaderFigures, ...] = ()
    after: tuple[ReaderFigures, ...] = ()
    seconds: float = 0.0

    @property
    def mark(self) -> str:
        """What the version's origin says of it."""
        return f"{MARK} {self.corrections} {self.begun} {self.base}"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The teaching in a folder belongs to this process meanwhile. Raises Busy if it is another's."""
    lock = folder.with_name(f"{folder.name}.lock")
    with ExitStack() as stack:
        try:
            stack.enter_context(
                locks.held(
                    lock,
                    Message("The reader is being taught already"),
                    Message("Wait until that has ended, or stop it."),
                )
            )
        except OSError as fault:
            raise copying.refusal(fault, Message("The teaching could not begin"), folder.parent) from fault
        yield


def begun(folder: Path) -> Run | None:
    """The teaching in a folder; None where there is none, or its base is not there any more."""
    try:
        run = _written(folder)
        return run if run is not None and fingerprint(Path(run.folder)) == run.weights else None
    except SpanlightError:
        return None


def begun_with(folder: Path, base: Path) -> Run | None:
    """The teaching in a folder if it began with the reader in the folder `base`, which may have changed since."""
    run = _written(folder)
    return run if run is not None and Path(run.folder) == base else None


def _written(folder: Path) -> Run | None:
    try:
        return from_plain(Run, read_json(folder / RUN))
    except (SpanlightError, OSError, ValueError):
        return None


def delete_run(folder: Path) -> None:
    """Delete a teaching: first what makes it one. Raises OSError."""
    (folder / RUN).unlink(missing_ok=True)
    delete_tree(folder)


def discard_run(folder: Path) -> None:
    """Delete the teaching in a folder, if there is one. Raises Busy while it runs, SpanlightError on a disk error."""
    with held(folder):
        try:
            delete_run(folder)
        except OSError as fault:
            raise copying.refusal(fault, Message("The teaching could not be discarded")) from fault


def save_run(folder: Path, run: Run) -> Run:
    """Write what a teaching began with, and its measures so far, into its folder; returns it."""
    write_atomic(folder / RUN, json_of(asdict(run)).encode())
    return run
