"""Attribution of a score to the tokens of the input by its gradient with respect to their word embeddings."""

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

# Limit of what a backward pass keeps; a batch has at least one step.
_MOST_BYTES = 600_000_000
_MOST_ROWS = 16
# At most this many times the requested steps are taken, if the score changes sharply along the path.
MOST = 12


class Shares:
    """Attributes a score to the tokens of one row of input; parameters stay frozen, only the embeddings get gradients.

    `tensors` are the row as the model takes it, int64[1, length]. `outputs` runs the model on a batch of such rows and
    returns the head's outputs by name, with their gradients; `unchanged` (bool[length]) marks the tokens that the
    baseline keeps. `on_step` is called before each batch with the steps done and all steps; it may raise to cancel.
    `room` limits how many steps are computed at once to what fits into the device's memory.
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
            there = torch.from_numpy(np.array(unchanged, dtype=bool)).to(ids.device)
            self._input = words(ids)[0].detach()
            self._baseline = words(torch.where(there, ids, torch.full_like(ids, padding)))[0].detach()

    def gradient_input(self) -> tuple[np.ndarray, float]:
        """Gradient × input (Shrikumar et al. 2016): float64[length] and the score."""
        self._on_step(0, 1)
        gradients, scores = self._gradients(self._input[None])
        shares = (gradients[0] * self._input.double()).sum(-1)
        return shares.cpu().numpy(), float(scores[0])

    def integrated(self, steps: int) -> tuple[np.ndarray, float, float, int]:
        """Integrated gradients (Sundararajan et al. 2017, section 3): float64[length], score, the baseline's, steps.

        The integral over the straight path from the baseline is taken at `steps` points of Gauss-Legendre quadrature.
        While the shares' sum misses more than a hundredth of the difference between the scores, the piece of the path
        with the largest error is halved, up to `MOST` times `steps` points in all. The baseline is the padding token's
        embedding for every token that is not `unchanged`.
        """
        full_path = self._piece(0.0, 1.0, steps, 0, steps)
        baseline, score = full_path.ends
        pieces, used = [full_path], steps
        enough = max(0.01, 0.01 * abs(score - baseline))
        while abs(sum(piece.error for piece in pieces)) > enough and used + 2 * steps <= MOST * steps:
            worst = max(pieces, key=lambda piece: abs(piece.error))
            middle = (worst.start + worst.end) / 2
            pieces.remove(worst)
            for start, end in ((worst.start, middle), (middle, worst.end)):
                pieces.append(self._piece(start, end, steps, used, MOST * steps))
                used += steps
        self._on_step(used, used)
        return sum((piece.shares for piece in pieces), np.zeros(len(full_path.shares))), score, baseline, used

    def _piece(self, start: float, end: float, steps: int, done: int, total: int) -> _Piece:
        """The integral over a piece of the path, at `steps` points."""
        points, weights = np.polynomial.legendre.leggauss(steps)
        places = start + (end - start) * (points + 1) / 2
        way = self._input - self._baseline
        found = torch.zeros_like(way, dtype=torch.float64)
        rows, length = self._rows(), len(way)
        for at in range(0, steps, rows):
            self._on_step(done + at, total)
            weighed = partial(
                self._weighed, places[at : at + rows], weights[at : at + rows] * (end - start) / 2
            )
            found += sum(self._room.in_batches(min(rows, steps - at), length, weighed))
        edges = torch.tensor([start, end]).to(way)
        ends = self._room.in_batches(
            2, length, lambda some: self._gradients(self._at(edges[some]), wanted=False)[1].tolist()
        )
        first, last = (value for values in ends for value in values)
        shares = (found * way.double()).sum(-1).cpu().numpy()
        return _Piece(start, end, shares, (first, last))

    def _at(self, places: Any) -> Any:
        """The embeddings at points on the path from the baseline (0) to the input (1)."""
        return self._baseline + places[:, None, None] * (self._input - self._baseline)

    def _weighed(self, places: np.ndarray, weights: np.ndarray, some: slice) -> Any:
        """The weighted sum of the gradients at some of the points on the path: float64 like the input."""
        gradients, _ = self._gradients(self._at(torch.from_numpy(places[some]).to(self._input)))
        return (torch.from_numpy(weights[some]).to(gradients)[:, None, None] * gradients).sum(0)

    def _gradients(self, embeddings: Any, *, wanted: bool = True) -> tuple[Any, Any]:
        """Gradients of the score with respect to a batch of embeddings, float64, and the scores, float64[batch]."""
        rows = len(embeddings)
        tensors = {name: one.expand(rows, *one.shape[1:]) for name, one in self._tensors.items()}
        with torch.set_grad_enabled(wanted), _instead(self._model, embeddings.requires_grad_(wanted)):
            found = self._outputs(tensors)
            scores = torch.stack(
                [weight * found[name][(slice(None), *at)].double() for name, at, weight in self._score]
            ).sum(0)
        if not wanted:
            return None, scores
        (gradients,) = torch.autograd.grad(scores.sum(), embeddings)
        return gradients.double(), scores.detach()

    def _rows(self) -> int:
        """How many steps are computed at once: what a backward pass keeps of them must fit into memory."""
        config, length = self._model.config, self._input.shape[0]
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
        # Attention keeps scores, weights and those after dropout, the rest about 16 states a layer.
        bytes_per_step = 4 * layers * length * (3 * heads * length + 16 * int(config.hidden_size))
        return max(1, min(_MOST_ROWS, _MOST_BYTES // bytes_per_step))


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A piece of the path from the baseline (0) to the input (1): its shares, and the scores at its ends."""

    start: float
    end: float
    shares: np.ndarray
    ends: tuple[float, float]

    @property
    def error(self) -> float:
        """The scores' difference minus the shares' sum."""
        return self.ends[1] - self.ends[0] - float(self.shares.sum())


@contextmanager
def _instead(model: Any, embeddings: Any) -> Iterator[None]:
    """Replace the model's word embeddings by these inside the context, whatever ids it is given."""
    hook = model.get_input_embeddings().register_forward_hook(lambda *_: embeddings)
    try:
        yield
    finally:
        hook.remove()
