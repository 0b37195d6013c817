"""A model opened up: what its modules take and give, and what its scores rest on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.core.models import Head, ModelCard
from app.models.families import Family

Arrays = dict[str, np.ndarray]


class Inside:
    """One head's model, opened: float32 with eager attention, on any device; see `app.tasks.task.Inside`.

    `forward` is the model's forward pass from arrays to arrays.
    """

    def __init__(
        self, model: Any, family: Family, head: Head, card: ModelCard, forward: Callable[[Arrays], Arrays]
    ) -> None:
        self._model, self._family, self._head, self._card = model, family, head, card
        self._forward = forward

    def outputs(self, arrays: Arrays) -> Arrays:
        """The head's own outputs, float32."""
        return self._forward(arrays)
