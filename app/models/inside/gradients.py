"""Attributes a score to the tokens of the input by its gradient with respect to their word embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from app.models.compute.forward import Room

Score = Sequence[tuple[str, tuple[int, ...], float]]

# The most that a backward pass may keep; a batch has at least one step.
_MOST_BYTES = 600_000_000
_MOST_ROWS = 16
# If the score changes sharply along the path, up to this many times the requested steps are taken.
MOST_TIMES = 12


class Attributor:
    """Attributes a score to the tokens of one input; parameters stay frozen, only the embeddings get gradients.

    `tensors` are the input as the model takes it, int64[1, length]. `outputs` runs the model on a batch of such rows
    and returns the head's outputs by name, with their gradients; `unchanged` (bool[length]) marks the tokens that the
    baseline keeps. `on_step` is called before each batch with the numbers of steps done and of all; it may raise to
    cancel. `room` limits how many steps are computed at once to what fits into the device's memory.
    """

    def __init__(
        self,
        model: Any,
        tensors: dict[str, Any],
        outputs: Callable[[dict[str, Any]], dict[str, Any]],
        score: Score,
        unchanged: np.ndarray,
        on_step: Callable[[int, int], None],
        room: Room,
    ) -> None:
        self._model, self._tensors, self._outputs = model, tensors, outputs
        self._score, self._on_step, self._room = score, on_step, room
        words = model.get_input_embeddings()
        with torch.no_grad():
            ids = tensors["input_ids"]
            padding = getattr(model.config, "pad_token_id", None)
            if padding is None:
                padding = words.padding_idx or 0
            kept = torch.from_numpy(np.array(unchanged, dtype=bool)).to(ids.device)
            self._input = words(ids)[0].detach()
            self._baseline = words(torch.where(kept, ids, torch.full_like(ids, padding)))[0].detach()

    def gradient_input(self) -> tuple[np.ndarray, float]:
        """The shares by gradient × input (Shrikumar et al. 2016), float64[length], and the score."""
        self._on_step(0, 1)
        gradients, scores = self._gradients(self._input[None])
        shares = (gradients[0] * self._input.double()).sum(-1)
        return shares.cpu().numpy(), float(scores[0])

    def integrated(self, steps: int) -> tuple[np.ndarray, float, float, int]:
        """The shares by integrated gradients, float64[length], the score, the baseline's score, and the steps taken.

        The integral over the straight path from the baseline is taken at `steps` points of Gauss-Legendre quadrature
        (Sundararajan et al. 2017, section 3). While the shares' sum misses more than a hundredth of the difference
        between the scores, the segment of the path with the largest error is halved, up to `MOST_TIMES` times `steps`
        points in all. The baseline has the padding token's embedding for every token that is not `unchanged`.
        """
        full_path = self._segment(0.0, 1.0, steps, 0, steps)
        baseline, score = full_path.ends
        segments, used = [full_path], steps
        enough = max(0.01, 0.01 * abs(score - baseline))
        while (
            abs(sum(segment.error for segment in segments)) > enough
            and used + 2 * steps <= MOST_TIMES * steps
        ):
            worst = max(segments, key=lambda segment: abs(segment.error))
            middle = (worst.start + worst.end) / 2
            segments.remove(worst)
            for start, end in ((worst.start, middle), (middle, worst.end)):
                segments.append(self._segment(start, end, steps, used, MOST_TIMES * steps))
                used += steps
        self._on_step(used, used)
        return (
            sum((segment.shares for segment in segments), np.zeros(len(full_path.shares))),
            score,
            baseline,
            used,
        )

    def _segment(self, start: float, end: float, steps: int, done: int, total: int) -> _Segment:
        """The integral over a segment of the path, at `steps` points."""
        nodes, weights = np.polynomial.legendre.leggauss(steps)
        points = start + (end - start) * (nodes + 1) / 2
        difference = self._input - self._baseline
        found = torch.zeros_like(difference, dtype=torch.float64)
        rows, length = self._rows(), len(difference)
        for at in range(0, steps, rows):
            self._on_step(done + at, total)
            weighted = partial(
                self._weighted_gradients, points[at : at + rows], weights[at : at + rows] * (end - start) / 2
            )
            found += sum(self._room.in_batches(min(rows, steps - at), length, weighted))
        edges = torch.tensor([start, end]).to(difference)
        ends = self._room.in_batches(
            2, length, lambda some: self._gradients(self._at(edges[some]), wanted=False)[1].tolist()
        )
        first, last = (value for values in ends for value in values)
        shares = (found * difference.double()).sum(-1).cpu().numpy()
        return _Segment(start, end, shares, (first, last))

    def _at(self, points: Any) -> Any:
        """The embeddings at points on the path from the baseline (0) to the input (1)."""
        return self._baseline + points[:, None, None] * (self._input - self._baseline)

    def _weighted_gradients(self, points: np.ndarray, weights: np.ndarray, some: slice) -> Any:
        """The weighted sum of the gradients at some points on the path, float64 in the input's shape."""
        gradients, _ = self._gradients(self._at(torch.from_numpy(points[some]).to(self._input)))
        return (torch.from_numpy(weights[some]).to(gradients)[:, None, None] * gradients).sum(0)

    def _gradients(self, embeddings: Any, *, wanted: bool = True) -> tuple[Any, Any]:
        """The gradients of the score by a batch of embeddings, float64 (None if not `wanted`), and the scores."""
        rows = len(embeddings)
        tensors = {name: one.expand(rows, *one.shape[1:]) for name, one in self._tensors.items()}
        with (
            torch.set_grad_enabled(wanted),
            _replacing_embeddings(self._model, embeddings.requires_grad_(wanted)),
        ):
            found = self._outputs(tensors)
            scores = torch.stack(
                [weight * found[name][(slice(None), *at)].double() for name, at, weight in self._score]
            ).sum(0)
        if not wanted:
            return None, scores
        (gradients,) = torch.autograd.grad(scores.sum(), embeddings)
        return gradients.double(), scores.detach()

    def _rows(self) -> int:
        """How many steps are computed at once, so that what a backward pass keeps of them fits into memory."""
        config, length = self._model.config, self._input.shape[0]
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
        # Attention keeps scores, weights and those after dropout, the rest about 16 states a layer.
        bytes_per_step = 4 * layers * length * (3 * heads * length + 16 * int(config.hidden_size))
        return max(1, min(_MOST_ROWS, _MOST_BYTES // bytes_per_step))


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """A segment of the path from the baseline (0) to the input (1): its shares, and the scores at its ends."""

    start: float
    end: float
    shares: np.ndarray
    ends: tuple[float, float]

    @property
    def error(self) -> float:
        """The difference of the scores minus the sum of the shares."""
        return self.ends[1] - self.ends[0] - float(self.shares.sum())


@contextmanager
def _replacing_embeddings(model: Any, embeddings: Any) -> Iterator[None]:
    """Replace the output of the model's word embeddings inside the context, whatever ids it is given."""
    hook = model.get_input_embeddings().register_forward_hook(lambda *_: embeddings)
    try:
        yield
    finally:
        hook.remove()
