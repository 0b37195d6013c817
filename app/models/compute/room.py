"""How much is computed at once, as far as the device's memory is known to have room for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.models.compute.faults import exhausted_device, is_out_of_memory, out_of_memory, ran_out
from app.models.compute.memory import release

T = TypeVar("T")


class Room:
    """The batches that fit into a device's memory: halved where one does not, and remembered for those to come.

    `tell` is called once, with a sentence for the person, when it was first learnt that batches must be smaller.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._tokens = 0
        self._told = False
        self.tell: Callable[[str], None] = lambda _: None

    @property
    def tokens(self) -> int:
        """How many tokens a batch may have, 0 as long as every one fitted."""
        return self._tokens

    def rows(self, length: int, most: int) -> int:
        """How many of `most` inputs of `length` tokens are computed at once, at least 1."""
        return min(most, max(1, self._tokens // length)) if self._tokens else most

    def pieces(self, count: int, length: int, compute: Callable[[slice], T]) -> list[T]:
        """What `compute` gives for slices of `count` inputs of `length` tokens that fit, in their order.

        Raises OutOfMemory where a single one does not fit.
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
            # Only out here, where the exception is gone, are the tensors that its traceback held.
            release(garbage=False)
            self._halve(rows, length, whose)
        return found

    def once(self, length: int, compute: Callable[[], T]) -> T:
        """What `compute` gives for one input of `length` tokens; raises OutOfMemory where it does not fit."""
        return self.pieces(1, length, lambda _: compute())[0]

    def _halve(self, rows: int, length: int, whose: str) -> None:
        device = whose if whose == "cpu" else self._device
        if rows <= 1:
            raise out_of_memory(device, length)
        self._tokens = rows // 2 * length
        if not self._told:
            self._told = True
            self.tell(f"{ran_out(device)}: less is read at a time.")
