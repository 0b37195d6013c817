"""A score shared out over the tokens of the input by its gradient to their word embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

Score = Sequence[tuple[str, tuple[int, ...], float]]

# Of what a backward pass keeps; a batch has at least one step in it.
_MOST_BYTES = 600_000_000
_MOST_ROWS = 16


class Shares:
    """Shares a score out over one row of input; parameters stay frozen, gradients go to the embeddings alone.

    `tensors` are the row as the model takes it, int64[1, length]. `outputs` runs the model on a batch of such rows and
    gives the head's outputs by name, with their gradients; `stays` (bool[length]) marks the tokens that a baseline
    keeps. `tell` is called before each batch with the steps done and all steps; it may raise to break off.
    """

    def __init__(
        self,
        model: Any,
        tensors: dict[str, Any],
        outputs: Callable[[dict[str, Any]], dict[str, Any]],
        score: Score,
        stays: np.ndarray,
        tell: Callable[[int, int], None],
    ) -> None:
        import torch

        self._model, self._tensors, self._outputs = model, tensors, outputs
        self._score, self._tell = score, tell
        words = model.get_input_embeddings()
        with torch.no_grad():
            ids = tensors["input_ids"]
            padding = getattr(model.config, "pad_token_id", None)
            if padding is None:
                padding = words.padding_idx or 0
            there = torch.from_numpy(np.array(stays, dtype=bool)).to(ids.device)
            self._input = words(ids)[0].detach()
            self._baseline = words(torch.where(there, ids, torch.full_like(ids, padding)))[0].detach()

    def gradient_input(self) -> tuple[np.ndarray, float]:
        """Gradient × input (Shrikumar et al. 2016): float64[length] and the score."""
        self._tell(0, 1)
        gradients, scores = self._gradients(self._input[None])
        shares = (gradients[0] * self._input.double()).sum(-1)
        return shares.cpu().numpy(), float(scores[0])

    def integrated(self, steps: int) -> tuple[np.ndarray, float, float]:
        """Integrated gradients (Sundararajan et al. 2017, section 3): float64[length], score and baseline's score.

        The integral over the straight path from the baseline is taken at `steps` points of Gauss-Legendre quadrature.
        The baseline is the padding token's embedding for every token that does not stay.
        """
        import torch

        points, weights = np.polynomial.legendre.leggauss(steps)
        places = (points + 1) / 2
        way = self._input - self._baseline
        total = torch.zeros_like(way, dtype=torch.float64)
        rows = self._rows()
        for at in range(0, steps, rows):
            self._tell(at, steps)
            part = torch.from_numpy(places[at : at + rows]).to(way)
            gradients, _ = self._gradients(self._baseline + part[:, None, None] * way)
            share = torch.from_numpy(weights[at : at + rows] / 2).to(gradients)
            total += (share[:, None, None] * gradients).sum(0)
        self._tell(steps, steps)
        _, ends = self._gradients(torch.stack([self._input, self._baseline]), wanted=False)
        shares = (total * way.double()).sum(-1)
        return shares.cpu().numpy(), float(ends[0]), float(ends[1])

    def _gradients(self, embeddings: Any, *, wanted: bool = True) -> tuple[Any, Any]:
        """Gradients of the score to a batch of embeddings, float64 like them, and the scores, float64[batch]."""
        import torch

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
        """How many steps are computed at once: what a backward pass keeps of them must fit into the memory."""
        config, length = self._model.config, self._input.shape[0]
        layers, heads = int(config.num_hidden_layers), int(config.num_attention_heads)
        # Attention keeps scores, weights and those after dropout, the rest about 16 states a layer.
        kept = 4 * layers * length * (3 * heads * length + 16 * int(config.hidden_size))
        return max(1, min(_MOST_ROWS, _MOST_BYTES // kept))


@contextmanager
def _instead(model: Any, embeddings: Any) -> Iterator[None]:
    """While this lasts, the model's word embeddings are these, whatever ids it is given."""
    hook = model.get_input_embeddings().register_forward_hook(lambda *_: embeddings)
    try:
        yield
    finally:
        hook.remove()
