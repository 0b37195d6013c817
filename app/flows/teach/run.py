"""A run of teaching the reader, as stored in its folder: its inputs and its progress."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.locks import held
from app.core.message import Message
from app.core.plain import from_plain, json_of
from app.models.disk import copying
from app.models.disk.installed import fingerprint
from app.models.disk.shelving import delete_tree
from app.models.disk.weights import read_json

RUN, MARK = "run.json", "corrections"


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """Figures of a reader on a number of questions with known answers, in per cent.

    `exact` and `f1` count "no answer in the text" as an answer; `calibration_error` is the expected calibration error.
    """

    questions: int
    exact: float
    f1: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class Run:
    """The inputs of a run and its measures so far, stored beside its examples.

    `folder` and `weights` are those of the base model, `asked` is a digest of the corrections. `before` and `after` are
    the figures on the held-out corrections and on what the base knew; `seconds` is how long the first measure took.
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
        """The path in the origin of the version that the run makes."""
        return f"{MARK} {self.corrections} {self.begun} {self.base}"


def hold_run(folder: Path) -> AbstractContextManager[None]:
    """Hold the lock of the run in a folder. Raises Busy if another process holds it."""
    return held(
        folder.with_name(f"{folder.name}.lock"),
        Message("The reader is being taught already"),
        Message("Wait until that has ended, or stop it."),
    )


def read_run(folder: Path) -> Run | None:
    """Read the run in a folder; None if there is none, or its base is gone or has changed."""
    try:
        run = _read(folder)
        return run if run is not None and fingerprint(Path(run.folder)) == run.weights else None
    except SpanlightError:
        return None


def run_from_base(folder: Path, base: Path) -> Run | None:
    """Read the run in a folder if its base is the reader in the folder `base`, which may have changed since."""
    run = _read(folder)
    return run if run is not None and Path(run.folder) == base else None


def _read(folder: Path) -> Run | None:
    try:
        return from_plain(Run, read_json(folder / RUN))
    except (SpanlightError, OSError, ValueError):
        return None


def delete_run(folder: Path) -> None:
    """Delete a run, starting with the file that identifies it. Raises OSError."""
    (folder / RUN).unlink(missing_ok=True)
    delete_tree(folder)


def discard_run(folder: Path) -> None:
    """Delete the run in a folder, if there is one. Raises Busy while it runs, SpanlightError on a disk error."""
    with hold_run(folder):
        try:
            delete_run(folder)
        except OSError as fault:
            raise copying.refusal(fault, Message("The teaching could not be discarded")) from fault


def save_run(folder: Path, run: Run) -> Run:
    """Store a run in its folder, and return it."""
    write_atomic(folder / RUN, json_of(asdict(run)).encode())
    return run
