"""How near reading comes to the most that the computer can do (Williams et al. 2009, Roofline)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.core.benches import BenchRow, Peak
from app.models.disk.card import read_checkpoint
from app.models.disk.config import family_in
from app.models.disk.shapes import encoder_shapes

_SHARED = "albert_layer"  # ALBERT's layers are one, run again and again


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


def rows(peaks: Sequence[Peak], operations: float, windows_a_second: float, dtype: str) -> list[BenchRow]:
    """The peaks, a window's operations, and what share of the peak in `dtype` so many windows a second reach."""
    reached = operations * windows_a_second
    return [
        *(
            BenchRow(f"peak in {peak.dtype}", peak.flops / 1e9, "GFLOP/s", more_is_better=True)
            for peak in peaks
        ),
        BenchRow("work of a window", operations / 1e9, "GFLOP"),
        BenchRow("reached while reading", reached / 1e9, "GFLOP/s", more_is_better=True),
        *(
            BenchRow(
                f"share of the peak in {peak.dtype}", 100 * reached / peak.flops, "%", more_is_better=True
            )
            for peak in peaks
            if peak.dtype == dtype
        ),
    ]
