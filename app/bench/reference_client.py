"""The client of the reference process, which runs transformers' pipeline in another Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from app.bench.other_python import OtherPython
from app.core.report import Progress, Report

SCRIPT = Path(__file__).with_name("reference.py")
VERSION = "4.57.6"


@dataclass(frozen=True, slots=True)
class ReferenceInfo:
    """The reference's package versions, the dtype and device of its model, and the seconds to load it."""

    transformers: str
    torch: str
    dtype: str
    device: str
    threads: int
    seconds: float

    @property
    def title(self) -> str:
        """The reference's versions, dtype and device, in words."""
        return f"transformers {self.transformers} with torch {self.torch}, {self.dtype} on {self.device}"


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """An answer of the reference; positions are code points."""

    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class ReferenceRead:
    """The result of a reading: seconds, windows read, the process's peak bytes so far, and each pair's answers."""

    seconds: float
    windows: int
    peak: int
    answers: tuple[tuple[ReferenceAnswer, ...], ...]


@dataclass(frozen=True, slots=True)
class ReferenceTimes:
    """The seconds of a reading: in all, before the model, after it, and by PyTorch's operation names."""

    seconds: float
    preparing: float
    choosing: float
    operations: dict[str, float]


class Reference:
    """`pipeline("question-answering")` in the interpreter at `python`, in a process of its own.

    Raises SpanlightError if the interpreter cannot be started.
    """

    def __init__(self, python: str, report: Report) -> None:
        self._report = report
        self._process = OtherPython(python, SCRIPT, report)
        self.info: ReferenceInfo | None = None

    def __enter__(self) -> Reference:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def load(self, folder: str, device: str) -> ReferenceInfo:
        """Load a model, with a notice if transformers is not VERSION. Raises SpanlightError, Stopped."""
        self._report.progress(Progress(0, 0, "Loading the reference"))
        self.info = info = ReferenceInfo(
            **self._process.ask({"do": "load", "model": folder, "device": device})
        )
        if info.transformers != VERSION:
            self._report.notice(
                f"The reference is transformers {info.transformers}, not {VERSION}: its figures may differ."
            )
        return info

    def read(
        self, pairs: Sequence[tuple[str, str]], *, length: int = 384, stride: int = 128, most: int = 15
    ) -> ReferenceRead:
        """Ask each pair of question and context, in windows of `length` tokens, for answers of at most `most` tokens.

        Raises SpanlightError if the reference fails or ends, Stopped.
        """
        result = self._process.ask(_order("read", pairs, length, stride, most))
        answers = tuple(tuple(ReferenceAnswer(**one) for one in each) for each in result["answers"])
        return ReferenceRead(result["seconds"], result["windows"], result["peak"], answers)

    def watch(
        self, question: str, context: str, *, length: int = 384, stride: int = 128, most: int = 15
    ) -> ReferenceTimes:
        """Ask as `read` does, but return the time by phase; raises as `read` does."""
        result = self._process.ask(_order("watch", [(question, context)], length, stride, most))
        return ReferenceTimes(
            result["seconds"], result["preparing"], result["choosing"], result["operations"]
        )

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _order(do: str, pairs: Sequence[tuple[str, str]], length: int, stride: int, most: int) -> dict[str, Any]:
    return {
        "do": do,
        "pairs": [list(pair) for pair in pairs],
        "length": length,
        "stride": stride,
        "most": most,
    }
