"""Shows a model's inside on one input: its stages, its pooling and attention, and a score's attribution to tokens."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np

from app.core.errors import SpanlightError
from app.core.inside import Attention, Attribution, ModelPicture, Part, Pooling
from app.core.inspection import LookAtAttention, LookAtModel, LookAtPooling, LookAtReasons, Method
from app.core.message import Message
from app.core.report import Progress, Report
from app.tasks.batches import require_finite
from app.tasks.inspect.inputs import ModelInput, input_of, scored_input
from app.tasks.inspect.targets import target_score_of
from app.tasks.task import ReadyModel, opened
from app.tasks.text.vocabulary import mask_id

# Enough for smooth paths; more are taken where the score changes sharply on the path (see `Inside.shares`).
STEPS = 50


def look_at_model(request: LookAtModel, model: ReadyModel, report: Report) -> ModelPicture:
    """The stages from text to result with the shapes that occurred, every head of the family, the module tree."""
    model_input, inside = input_of(request.subject, model, report), opened(model)
    report.check()
    trunk, heads = inside.stages(model_input.arrays)
    report.check()
    rows, printed = inside.modules()
    return ModelPicture(
        window=model_input.window,
        trunk=trunk,
        heads=heads,
        modules=rows,
        printed=printed,
        parameters=rows[0].parameters,
        model=model.card.name,
        family=model.card.family,
        device=model.device.title,
    )


def look_at_pooling(request: LookAtPooling, model: ReadyModel, report: Report) -> Pooling:
    """The first token's last state and the pooled output, also computed by hand."""
    model_input, inside = input_of(request.subject, model, report), opened(model)
    report.check()
    return replace(inside.pooling(model_input.arrays), window=model_input.window, model=model.card.name)


def look_at_reasons(request: LookAtReasons, model: ReadyModel, report: Report) -> Attribution:
    """Attribute the target's score to the tokens of its window by the requested method.

    The baseline of integrated gradients has padding for every token that is not special. Reports progress in steps.
    Raises SpanlightError where there is no such target, Stopped when the work is to stop.
    """
    scored = scored_input(request.subject, model, report)
    model_input, target = scored.model_input, target_score_of(scored, request.target)
    steps = STEPS if request.method is Method.INTEGRATED_GRADIENTS else 0

    def on_step(done: int, total: int) -> None:
        report.check()
        report.progress(Progress(done, total, Message("Following the gradients")))

    arrays = {**model_input.arrays, "special_tokens_mask": _fixed(model_input, model)[None]}
    shares, score, baseline, taken = opened(model).shares(arrays, target.score, steps, on_step)
    require_finite(model, shares)
    return Attribution(
        window=model_input.window,
        shares=tuple(shares.tolist()),
        target=target.words,
        method=request.method,
        score=score,
        baseline=baseline,
        gap=score - baseline - float(shares.sum()) if steps else 0.0,
        steps=taken,
        model=model.card.name,
    )


def look_at_attention(request: LookAtAttention, model: ReadyModel, report: Report) -> Attention:
    """The attention weights of one layer on the subject's window.

    Raises SpanlightError where the model has no such layer, Stopped when the work is to stop.
    """
    inside = opened(model)
    if not 0 <= request.layer < inside.layers:
        raise SpanlightError(
            Message("{model} has no layer {layer}.", model=model.card.name, layer=request.layer),
            Message(
                "It has {layers}, counted from 0 to {last}.", layers=inside.layers, last=inside.layers - 1
            ),
        )
    model_input = input_of(request.subject, model, report)
    report.check()
    weights = inside.attention(model_input.arrays, request.layer)
    flat = array("f")
    flat.frombytes(np.ascontiguousarray(weights, dtype=np.float32).tobytes())
    return Attention(model_input.window, request.layer, inside.layers, len(weights), flat, model.card.name)


def _fixed(model_input: ModelInput, model: ReadyModel) -> np.ndarray:
    """Which tokens padding does not replace, int64[L] of 0 and 1: special ones, and the blanks' masks."""
    mask = mask_id(model.tokenizer) if "positions" in model_input.arrays else None
    fixed = [token.part is Part.SPECIAL or token.id == mask for token in model_input.window.tokens]
    return np.array(fixed, dtype=np.int64)
