"""How near reading comes to the most that the computer can do (Williams et al. 2009, Roofline)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from app.core.benches import BenchRow, Peak
from app.core.results import Reading
from app.flows.bench.readers import Part, Readers
from app.flows.bench.texts import Pool
from app.models.card import read_checkpoint
from app.models.config import family_in
from app.models.shapes import encoder_shapes

_SHARED = "albert_layer"  # ALBERT's layers are one, run again and again
# So many windows are fewer than are looked over by a quicker pass (tasks.screening.LEAST_WINDOWS), and enough to time.
EXACT_WINDOWS = 90


def window_operations(folder: str, tokens: int) -> float:
    """Multiplications and additions of a model's forward pass over one window of so many tokens.

    Of the layers' matrices two for each weight and token, and of attention 4 × tokens² × width for each layer: scores,
    and the sum that they weigh. Raises SpanlightError for a folder that is no checkpoint.
    """
    return operations_of(read_checkpoint(Path(folder)).config, tokens)


def operations_of(config: Mapping[str, Any], tokens: int) -> float:
    """The same from a model's config."""
    family = family_in(config)
    layers, width = int(config[family.layers]), int(config[family.hidden])
    matrices = sum(
        shape[0] * shape[1] * (layers if _SHARED in name else 1)
        for name, shape in encoder_shapes(config)
        if len(shape) == 2 and "embeddings" not in name
    )
    return 2.0 * matrices * tokens + 4.0 * layers * tokens**2 * width


def exact_speed(
    both: Readers, texts: Pool, seed: int, long: Sequence[Reading], words_a_window: float, speed: float
) -> float | None:
    """Windows a second where every window is read in the model's dtype, median; None where none was read so.

    `long` are readings of long documents at `speed` windows a second, which is the answer where none of their windows
    was only looked over. Else as many shorter documents are read that are too short for that and were not read before.
    """
    if not any(reading.screened for reading in long):
        return speed
    words = round(EXACT_WINDOWS * words_a_window)
    speeds = []
    for number in range(len(long)):
        document = texts.document(words, seed - 3 - number)
        part = Part(both.report, f"A text that is read exactly, {number + 1} of {len(long)}")
        reading, seconds = both.ask(texts.question(seed), document, part)
        if not reading.screened:
            speeds.append(reading.windows / seconds)
    return median(speeds) if speeds else None


def rows(
    peaks: Sequence[Peak], operations: float, windows_a_second: float | None, dtype: str
) -> list[BenchRow]:
    """The peaks, a window's operations, and what share of the peak in `dtype` so many windows a second reach.

    The windows are those that were read in `dtype`, every one; None where none was.
    """
    found = [
        *(
            BenchRow(f"peak in {peak.dtype}", peak.flops / 1e9, "GFLOP/s", more_is_better=True)
            for peak in peaks
        ),
        BenchRow("work of a window", operations / 1e9, "GFLOP"),
    ]
    if windows_a_second is None:
        return found
    reached = operations * windows_a_second
    return [
        *found,
        BenchRow("reached while reading exactly", reached / 1e9, "GFLOP/s", more_is_better=True),
        *(
            BenchRow(
                f"share of the peak in {peak.dtype}", 100 * reached / peak.flops, "%", more_is_better=True
            )
            for peak in peaks
            if peak.dtype == dtype
        ),
    ]
