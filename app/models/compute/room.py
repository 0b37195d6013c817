"""The largest batch known to fit into the device's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.models.compute.faults import exhausted_device, is_out_of_memory, out_of_memory, ran_out
from app.models.compute.memory import release

T = TypeVar("T")


class Room:
    """The batch size that fits into a device's memory: halved when a batch does not fit, and remembered.

    `notify` is called once, with a sentence for the user, when batches first have to be smaller.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._tokens = 0
        self._notified = False
        self.notify: Callable[[str], None] = lambda _: None

    @property
    def tokens(self) -> int:
        """How many tokens a batch may have, 0 as long as every batch fitted."""
        return self._tokens

    def rows(self, length: int, most: int) -> int:
        """How many of `most` inputs of `length` tokens are computed at once, at least 1."""
        return min(most, max(1, self._tokens // length)) if self._tokens else most

    def pieces(self, count: int, length: int, compute: Callable[[slice], T]) -> list[T]:
        """The results of `compute` for slices of `count` inputs of `length` tokens that fit, in order.

        Raises OutOfMemory if a single input does not fit.
        """
        found: list[T] = []
        at = 0
        while at < count:
            rows = self.rows(length, count - at)
            try:
                found.append(compute(slice(at, at + rows)))
                at += rows
                continue
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                whose = exhausted_device(error)
            # Only out here, where the exception is gone, are the tensors of its traceback free.
            release(garbage=False)
            self._halve(rows, length, whose)
        return found

    def once(self, length: int, compute: Callable[[], T]) -> T:
        """The result of `compute` for one input of `length` tokens; raises OutOfMemory if it does not fit."""
        return self.pieces(1, length, lambda _: compute())[0]

    def _halve(self, rows: int, length: int, whose: str) -> None:
        device = whose if whose == "cpu" else self._device
        if rows <= 1:
            raise out_of_memory(device, length)
        self._tokens = rows // 2 * length
        if not self._notified:
            self._notified = True
            self.notify(f"{ran_out(device)}: less is read at a time.")
