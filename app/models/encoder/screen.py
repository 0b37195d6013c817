"""A quicker forward pass of a question answering model on the CPU, in int8: it tells where to look.

What makes it quicker than the exact one, and where each trick stands:

- linears in int8, weights packed once: `screen_linears`, tried on this machine by `screen_probe`;
- scales known beforehand, so that no pass over the activations looks for them; they are learnt of the text's own first
  rows: `screen_layers.Seen`;
- channels that are far larger than others smoothed, in LayerNorm's place and in the values' weights: `screen_layers`;
- GELU and the next linear's quantising, and the residual, fused into the products: `screen_layers.ScreenLayer`;
- a row from beginning to end on one thread: `screen_threads`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable

import numpy as np
import torch
from torch.nn.functional import pad

from app.core.report import Stopped
from app.models.encoder.batch import batch_of
from app.models.encoder.heads import OfTokens
from app.models.encoder.model import OwnModel
from app.models.encoder.screen_layers import ScreenLayer, Seen
from app.models.encoder.screen_probe import highest_level
from app.models.encoder.screen_threads import Rows

_log = logging.getLogger(__name__)

Arrays = dict[str, np.ndarray]
NAMES = ("start_logits", "end_logits")

# Numbers of tokens are rounded up to a multiple: oneDNN makes code for each that it meets.
_LENGTHS_OF = 16
# What it must be worth on the text's rows: so much quicker than the exact pass, and its logits as near to the exact
# ones by their correlation and by the error's size in units of their spread.
LEAST_GAIN, LEAST_CORRELATION, MOST_OFF = 1.3, 0.97, 0.3
# It costs some seconds to find out; something else may have been running, so once is not enough.
MOST_TOO_SLOW = 3


class Int8Screen:
    """A question answering model read in int8; nothing is quantised before `begin` is called."""

    def __init__(self, model: OwnModel) -> None:
        assert isinstance(model.head, OfTokens)
        self._model, self._head = model, model.head
        self._layers: list[ScreenLayer] = []
        self._rows: Rows | None = None
        self._known_quicker = False
        self._too_slow = 0
        self._text: object = None

    @property
    def size(self) -> int:
        """The bytes of its own weights."""
        tensors = (tensor for layer in self._layers for tensor in layer.tensors())
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    def fits(self, text: Hashable) -> bool:
        """Whether it was fitted to this text last, and found useful."""
        return self._rows is not None and self._text == text

    def begin(self, arrays: Arrays, text: Hashable = None) -> bool:
        """Fits it to a text by some of its rows; False where it is not quicker on them, or too far from the exact pass.

        Its weights are quantised the first time; whether it is quicker is measured until it was once, or was not
        `MOST_TOO_SLOW` times, which holds for good. Raises Stopped, and nothing else.
        """
        self._text = None
        try:
            useful = self._begin(arrays)
        except Stopped:
            raise
        except Exception as error:
            _log.warning("the model is read without a screen: %s", str(error)[:300])
            useful = False
        if not useful:
            self.close()
        self._text = text
        return useful

    def close(self) -> None:
        """Lets go of its weights."""
        self._layers, self._rows = [], None

    def __call__(self, arrays: Arrays) -> Arrays:
        """Logits of a batch, float32[batch, length]; those of padding are 0.

        Raises Stopped, and ValueError where it was not fitted or was closed; after any other exception it is closed.
        """
        if self._rows is None:
            raise ValueError("the screen was not fitted to a text")
        ids = arrays["input_ids"]
        lengths = arrays["attention_mask"].sum(1)
        order = np.argsort(-lengths, kind="stable")
        logits = np.zeros((2, *ids.shape), dtype=np.float32)

        def compute(number: int, look: Callable[[], None]) -> None:
            row = order[number]
            length = int(lengths[row])
            types = arrays["token_type_ids"][row, :length]
            logits[:, row, :length] = self._row(ids[row, :length], types, look)

        try:
            self._rows(len(ids), compute, self._model.encoder.check)
        except Stopped:
            raise
        except Exception:  # whatever it was: reading goes on without, and has its memory
            self.close()
            raise
        return dict(zip(NAMES, logits, strict=True))

    def _begin(self, arrays: Arrays) -> bool:
        plan = self._model.encoder.plan
        top = highest_level(plan.hidden, plan.inner, plan.activation)
        if not top or self._too_slow == MOST_TOO_SLOW:
            return False
        seen = Seen(plan.layers)
        exact, took = self._exact(arrays, seen)
        self._fit(seen, top)
        del seen
        if not self._is_near(exact, self(arrays), arrays["attention_mask"] > 0):
            return False
        if not self._known_quicker:
            began = time.perf_counter()
            self(arrays)
            gain = took / (time.perf_counter() - began)
            _log.info("the screen is %.1f times as quick", gain)
            self._known_quicker = gain >= LEAST_GAIN
            self._too_slow += not self._known_quicker
        return self._known_quicker

    def _exact(self, arrays: Arrays, seen: Seen) -> tuple[Arrays, float]:
        """The exact logits of a batch, and how many seconds they took without looking at what `seen` is shown."""
        mask, ids, types = (
            torch.from_numpy(np.ascontiguousarray(arrays[name], dtype=np.int64))
            for name in ("attention_mask", "input_ids", "token_type_ids")
        )
        model, tokens = self._model, int(mask.sum())
        began = time.perf_counter()
        with torch.inference_mode():
            batch = model.batch(mask)
            kinds = types if model.encoder.plan.types > 1 else None
            states = model.encoder.states(
                batch, ids, kinds, seen=lambda layer, name, values: seen(layer, name, values[:tokens])
            )
            logits = self._head.of_states(batch, states)
        took = time.perf_counter() - began - seen.seconds
        return {name: logits[name].numpy() for name in NAMES}, took

    def _fit(self, seen: Seen, top: int) -> None:
        """Fits each layer on a thread; quantises it first where it was not."""
        plan, check = self._model.encoder.plan, self._model.encoder.check
        rows = self._rows or Rows()
        if self._layers:
            rows(plan.layers, lambda number, _: self._layers[number].fit(seen), check)
            return
        layers: dict[int, ScreenLayer] = {}
        with self._model.reader() as reader:

            def quantise(number: int, look: Callable[[], None]) -> None:
                weights = reader.layer(number)
                look()
                layers[number] = ScreenLayer(plan, weights, seen, number, top)

            rows(plan.layers, quantise, check)
        self._layers, self._rows = [layers[number] for number in range(plan.layers)], rows

    @staticmethod
    def _is_near(exact: Arrays, found: Arrays, there: np.ndarray) -> bool:
        """Whether the logits tell where the exact ones are high, at the tokens that are `there`."""
        for name in NAMES:
            ours, right = found[name][there].astype(np.float64), exact[name][there].astype(np.float64)
            spread = right.std()
            if not np.isfinite(ours).all() or spread == 0 or ours.std() == 0:
                return False
            correlation = float(np.corrcoef(ours, right)[0, 1])
            off = float(np.sqrt(((ours - right) ** 2).mean()) / spread)
            _log.info("the screen's %s: correlation %.4f, off by %.3f", name, correlation, off)
            if not (correlation >= LEAST_CORRELATION and off <= MOST_OFF):
                return False
        return True

    def _row(self, ids: np.ndarray, types: np.ndarray, look: Callable[[], None]) -> np.ndarray:
        """Logits of one row without padding: float32[2, length]."""
        encoder = self._model.encoder
        plan, length = encoder.plan, len(ids)
        more = min(-length % _LENGTHS_OF, plan.positions - length)
        fill = plan.padding or 0
        taken, kinds = (
            pad(torch.from_numpy(part.astype(np.int64)), (0, more), value=value)[None]
            for part, value in ((ids, fill), (types, 0))
        )
        whole = batch_of(torch.ones(1, length + more, dtype=torch.int64))
        batch = self._model.batch(torch.ones(1, length, dtype=torch.int64))
        states = encoder.embeddings(whole, taken, kinds if plan.types > 1 else None)
        for layer in self._layers:
            look()
            states = layer(batch, states)
        found = self._head.of_states(batch, states[:length])
        return torch.stack([found[name][0] for name in NAMES]).numpy()
