"""Shows a model's inside on one input: its stages from text to result, and its pooling of the first token."""

from __future__ import annotations

from dataclasses import replace

from app.core.inside import ModelPicture, Pooling
from app.core.inspection import LookAtModel, LookAtPooling
from app.core.report import Report
from app.tasks.inspect.inputs import input_of
from app.tasks.task import ReadyModel, opened


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
