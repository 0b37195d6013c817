"""A model's forward pass in float32 next to the one in lower precision, for the few windows with near ties.

On a CPU it keeps no layer's weights: with 110 million, reading them again takes a quarter of a second, keeping them
390 MB.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from app.core.errors import SpanlightError
from app.models.compute.faults import is_out_of_memory
from app.models.compute.forward import Arrays, Forward
from app.models.compute.memory import computer, gpu, release

_log = logging.getLogger(__name__)

# Its weights are only loaded if this many times their bytes are free: Linux overcommits memory and kills the process
# that uses it.
_SPARE = 2


class Precise:
    """The forward pass of a model in float32, which is loaded when it is first called.

    `load` returns it, None if it is not available; `weights` is how many are in memory at once, `device` where they go.
    """

    def __init__(self, load: Callable[[], Forward | None], weights: int, device: str) -> None:
        self._load, self._bytes, self._device = load, 4 * weights, device
        self._forward: Forward | None = None
        self._closed = False

    def __call__(self, arrays: Arrays) -> Arrays | None:
        """Logits of a batch, float32; None if memory runs out or the weights are gone.

        It is then closed for good. Raises what the model's `check` raises.
        """
        if self._closed:
            return None
        try:
            if self._forward is None and self._has_room():
                self._forward = self._load()
            if self._forward is not None:
                return self._forward(arrays)
        except (SpanlightError, OSError) as error:
            # Without its traceback, which refers to tensors.
            _log.warning("Near answers are not read in float32: %s", error)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            _log.warning("Near answers are not read in float32: %s", error)
        self.close()
        release(garbage=False)
        return None

    @property
    def size(self) -> int:
        """The bytes of its weights in memory, 0 as long as they were not needed."""
        return self._forward.size if self._forward is not None else 0

    def close(self) -> None:
        """Release its weights for good."""
        self._forward, self._closed = None, True

    def _has_room(self) -> bool:
        total, free = computer() if self._device == "cpu" else gpu(self._device)
        return not total or free >= _SPARE * self._bytes
