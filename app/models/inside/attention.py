"""How strongly tokens look at each other in one layer."""

from __future__ import annotations

from typing import Any

import numpy as np


def attention(model: Any, tensors: dict[str, Any], layer: int) -> np.ndarray:
    """Attention weights of layer number `layer` (from 0), float32[heads, length, length] of a batch's first row.

    A row of the last two is what one token gives to each, and sums to 1 (Vaswani et al. 2017, section 3.2.1). A model
    whose layers share their weights (ALBERT) has as many layers as it runs. Raises ValueError where there is no such
    layer, or the model's attention is one that does not tell its weights (it must be eager).
    """
    import torch

    with torch.inference_mode():
        found = model(**tensors, output_attentions=True).attentions
    if not found or found[0] is None:
        raise ValueError("attention weights need eager attention")
    if not 0 <= layer < len(found):
        raise ValueError(f"layer {layer} of {len(found)}")
    weights: np.ndarray = found[layer][0].float().cpu().numpy()
    return weights
