"""The loss as a model's own class in transformers computes it."""

from __future__ import annotations

from typing import Any

import numpy as np


def loss(model: Any, tensors: dict[str, Any], labels: dict[str, np.ndarray]) -> float:
    """What the model's own class gives for these labels, named as its forward names them; NaN where it does.

    Whole numbers and fractions keep their kind: by it transformers tells classes from values.
    """
    import torch

    device = next(iter(tensors.values())).device
    targets = {
        name: torch.from_numpy(np.asarray(values)).to(device)
        if np.issubdtype(values.dtype, np.integer)
        else torch.from_numpy(np.asarray(values, dtype=np.float32)).to(device)
        for name, values in labels.items()
    }
    # A class without a problem type in its config writes there what it takes the first labels for.
    kept = getattr(model.config, "problem_type", None)
    try:
        with torch.inference_mode():
            return float(model(**tensors, **targets).loss)
    finally:
        model.config.problem_type = kept
