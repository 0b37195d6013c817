"""The tasks that can be taught: the lesson and the loss of each, and how the model is run where that is special."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from app.core.requests import TrainingRequest
from app.training import losses, pretraining
from app.training.lessons import Lesson, class_lesson, qa_lesson
from app.training.names import names_lesson
from app.training.parallel import Forward, Loss


@dataclass(frozen=True, slots=True)
class Taught:
    """How a task is taught."""

    lesson: Callable[[TrainingRequest, Path], Lesson]
    loss: Loss
    forward: Forward | None = None


def _spans(output: Any, targets: Tensor) -> Tensor:
    logits = output.start_logits, output.end_logits
    loss = losses.span_loss(*logits, targets[:, 0], targets[:, 1])
    return loss + losses.shared_loss(*logits, *targets.unbind(1)) if targets.size(1) > 2 else loss


def _classes(output: Any, targets: Tensor) -> Tensor:
    return losses.class_loss(output.logits, targets[:, 0])


def _tags(output: Any, targets: Tensor) -> Tensor:
    return losses.tag_loss(output.logits, targets)


TAUGHT = {
    "qa": Taught(qa_lesson, _spans),
    "classification": Taught(class_lesson, _classes),
    "tokens": Taught(names_lesson, _tags),
    "pretraining": Taught(pretraining.pretraining_lesson, pretraining.pretraining_loss, pretraining.forward),
}
