"""Says which task answers which request."""

from __future__ import annotations

from typing import Any

from app.core.models import Head
from app.core.requests import (
    CalibrationData,
    ClassCalibrationData,
    PassagePairs,
    Question,
    QuestionBatch,
    TextBatch,
    TextsToClassify,
    TextsToEmbed,
    TextsToMask,
    TextsToTag,
    TextToFill,
)
from app.tasks.task import Task


def task_for(request: object) -> Task[Any, Any] | None:
    """The task that answers a request, None where none does. Imports only that task's module."""
    match request:
        case Question():
            from app.tasks.qa.question_answering import read

            return Task(Head.QUESTION_ANSWERING, read)
        case QuestionBatch():
            from app.tasks.qa.question_answering import read_batch

            return Task(Head.QUESTION_ANSWERING, read_batch)
        case CalibrationData():
            from app.tasks.scores import calibrate

            return Task(Head.QUESTION_ANSWERING, calibrate)
        case TextsToClassify():
            from app.tasks.heads.classification import classify

            return Task(Head.CLASSIFICATION, classify)
        case TextBatch():
            from app.tasks.heads.classification import classify_batch

            return Task(Head.CLASSIFICATION, classify_batch)
        case ClassCalibrationData():
            from app.tasks.scores import calibrate_classes

            return Task(Head.CLASSIFICATION, calibrate_classes)
        case TextToFill():
            from app.tasks.heads.fill_mask import fill

            return Task(Head.MASKED_WORDS, fill)
        case TextsToMask():
            from app.tasks.heads.masking import measure_masked

            return Task(Head.MASKED_WORDS, measure_masked)
        case PassagePairs():
            from app.tasks.heads.next_sentence import follow

            return Task(Head.NEXT_SENTENCE, follow)
        case TextsToTag():
            from app.tasks.heads.token_classification import tag

            return Task(Head.TOKEN_CLASSIFICATION, tag)
        case TextsToEmbed():
            from app.tasks.heads.embedding import embed

            return Task(Head.EMBEDDINGS, embed)
    return _inspection_for(request)


def _inspection_for(request: object) -> Task[Any, Any] | None:
    """The task that answers a request to look inside a model."""
    from app.core import inspection

    match request:
        case inspection.LookAtModel():
            from app.tasks.inspect.model import look_at_model

            return Task(None, look_at_model, opened=True)
        case inspection.LookAtPooling():
            from app.tasks.inspect.model import look_at_pooling

            return Task(None, look_at_pooling, opened=True)
        case inspection.LookAtSpans():
            from app.tasks.inspect.spans import look_at_spans

            return Task(None, look_at_spans, opened=True)
        case inspection.LookAtLoss():
            from app.tasks.inspect.loss import look_at_loss

            return Task(None, look_at_loss, opened=True)
        case inspection.LookAtReasons():
            from app.tasks.inspect.model import look_at_reasons

            return Task(None, look_at_reasons, opened=True)
        case inspection.LookAtAttention():
            from app.tasks.inspect.model import look_at_attention

            return Task(None, look_at_attention, opened=True)
        case inspection.LookWithout():
            from app.tasks.inspect.without import look_without

            return Task(None, look_without, opened=True)
    return None
