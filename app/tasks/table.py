"""Every task, in the order shown."""

from __future__ import annotations

from typing import Any

from app.core.inspection import (
    LookAtAttention,
    LookAtLoss,
    LookAtModel,
    LookAtPooling,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
)
from app.core.models import Head
from app.core.requests import (
    CalibrationData,
    ClassCalibrationData,
    PassagePairs,
    Question,
    QuestionBatch,
    TextBatch,
    TextsToClassify,
    TextsToMask,
    TextsToTag,
    TextToFill,
)
from app.tasks.calibration import calibrate, calibrate_classes
from app.tasks.classification import classify, classify_batch
from app.tasks.fill_mask import fill
from app.tasks.inspection_loss import look_at_loss
from app.tasks.inspection_model import look_at_model, look_at_pooling
from app.tasks.inspection_reasons import look_at_attention, look_at_reasons
from app.tasks.inspection_spans import look_at_spans
from app.tasks.inspection_without import look_without
from app.tasks.masked_texts import measure_masked
from app.tasks.next_sentence import follow
from app.tasks.question_answering import read, read_batch
from app.tasks.task import Task
from app.tasks.token_classification import tag

TASKS: tuple[Task[Any, Any], ...] = (
    Task("ask", Question, Head.QUESTION_ANSWERING, read),
    Task("ask many", QuestionBatch, Head.QUESTION_ANSWERING, read_batch),
    Task("calibrate", CalibrationData, Head.QUESTION_ANSWERING, calibrate),
    Task("classify", TextsToClassify, Head.CLASSIFICATION, classify),
    Task("classify many", TextBatch, Head.CLASSIFICATION, classify_batch),
    Task("calibrate classes", ClassCalibrationData, Head.CLASSIFICATION, calibrate_classes),
    Task("fill", TextToFill, Head.MASKED_WORDS, fill),
    Task("measure masked words", TextsToMask, Head.MASKED_WORDS, measure_masked),
    Task("follow", PassagePairs, Head.NEXT_SENTENCE, follow),
    Task("find names", TextsToTag, Head.TOKEN_CLASSIFICATION, tag),
    Task("look at the model", LookAtModel, None, look_at_model, opened=True),
    Task("look at pooling", LookAtPooling, None, look_at_pooling, opened=True),
    Task("look at spans", LookAtSpans, None, look_at_spans, opened=True),
    Task("look at the loss", LookAtLoss, None, look_at_loss, opened=True),
    Task("look at reasons", LookAtReasons, None, look_at_reasons, opened=True),
    Task("look at attention", LookAtAttention, None, look_at_attention, opened=True),
    Task("look without", LookWithout, None, look_without, opened=True),
)
