"""Teach the reader from what a person said of its answers, measure whether it helped, and keep it as a version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.corrections import Correction
from app.core.report import Report
from app.flows.workspace import Workspace

# The fewest corrections that a reader is taught from.
FEWEST = 8


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
class Change:
    """The figures of the reader that was taught, and of the one that came of it, on the same questions."""

    before: ReaderFigures
    after: ReaderFigures


@dataclass(frozen=True, slots=True)
class ReaderVersion:
    """A reader that was taught here.

    `base` is the name of the reader that it began with. Of so many `corrections` some were held out, on which `held`
    was measured; `known` is on questions like those that the base was made from. `made` is ISO 8601, UTC.
    """

    name: str
    folder: str
    base: str
    corrections: int
    held: Change
    known: Change
    made: str

    @property
    def is_better(self) -> bool:
        """Whether it answers the held out corrections better, and has lost at most a point of what it knew."""
        return self.held.after.f1 > self.held.before.f1 and self.known.after.f1 >= self.known.before.f1 - 1.0


@dataclass(frozen=True, slots=True)
class UnfinishedTeaching:
    """Teaching that was begun and neither finished nor discarded; `step` of `steps` are kept (0 of 0: none yet).

    `base` is the name of the reader that is taught; `begun` is ISO 8601, UTC.
    """

    base: str
    corrections: int
    step: int
    steps: int
    begun: str


def teach_reader(
    workspace: Workspace,
    report: Report,
    *,
    corrections: Sequence[Correction] | Path | None = None,
    base: str = "",
    output: Path | None = None,
) -> ReaderVersion:
    """Teach a reader from corrections (all that were kept, if None; or a file of questions), and install the version.

    It is not used before `use_version`. `base` is the reader's name or folder, the one in use if empty. With `output`
    the version is written into that folder instead.

    Partial results are TrainingSteps, with F1 on the held out corrections in `dev` where it was just measured. A run
    that was stopped or killed goes on from its last checkpoint when this is called again, with the corrections that it
    began with. Raises SpanlightError for too few corrections, a reader that cannot be taught, or a full disk; Stopped
    when cancelled.
    """
    raise NotImplementedError


def versions(workspace: Workspace, report: Report) -> tuple[ReaderVersion, ...]:
    """The readers that were taught here and are installed, newest first."""
    raise NotImplementedError


def unfinished(workspace: Workspace, report: Report) -> UnfinishedTeaching | None:
    """The teaching that `teach_reader` would go on with, None where there is none."""
    raise NotImplementedError


def discard_unfinished(workspace: Workspace, report: Report) -> None:
    """Delete the teaching that was not finished, if there is one. Raises SpanlightError while it runs."""
    raise NotImplementedError


def use_version(workspace: Workspace, name: str, report: Report) -> None:
    """Answer questions with this version from now on; "" for the reader that comes along.

    Raises SpanlightError where there is none of that name, and where the settings cannot be written.
    """
    raise NotImplementedError


def remove_version(workspace: Workspace, name: str, report: Report) -> None:
    """Remove a version; if it was in use, the reader that comes along is used again.

    Raises SpanlightError where there is none of that name, and where the disk refuses.
    """
    raise NotImplementedError


def export_version(workspace: Workspace, name: str, folder: Path, report: Report) -> None:
    """Copy a version into a new folder, which opens in transformers.

    Raises SpanlightError where there is none of that name, or the folder is there already; Stopped when cancelled.
    """
    raise NotImplementedError
