"""Exports results of looking inside a model as CSV and as plain values for JSON."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from app.core.inside import (
    Attention,
    Attribution,
    InputWindow,
    Losses,
    ModelPicture,
    Pooling,
    Removals,
    SpanScores,
    Stage,
    shape_words,
)
from app.core.tables import csv_lines

InsideResult = ModelPicture | SpanScores | Pooling | Losses | Attribution | Attention | Removals
Row = Sequence[object]

_TOKEN = ("number", "token", "id", "token type", "part", "start", "end")


def inside_csv(seen: InsideResult) -> str:
    """A result as CSV with a heading, numbers in full precision.

    It has a row per stage (a model), token (start and end scores, attribution), dimension (pooled output), term (loss),
    sentence (removals), or head and attending token (attention).
    """
    return csv_lines([tuple(map(_cell, row)) for row in rows(seen)])


def rows(seen: InsideResult) -> Iterator[Row]:
    """Yield the rows of a result's table, the heading first."""
    match seen:
        case ModelPicture():
            yield from _model_rows(seen)
        case SpanScores():
            yield from _span_rows(seen)
        case Pooling():
            yield ("dimension", "first token's state", "pooled output", "recomputed")
            # Without a pooler there is only the first token's state.
            empty = ("",) * len(seen.first)
            columns = zip(seen.first, seen.pooled or empty, seen.recomputed or empty, strict=True)
            yield from ((number, *values) for number, values in enumerate(columns))
        case Losses():
            yield ("term", "target", "probability", "loss", "counted")
            yield from ((t.name, t.target, t.probability, t.value, t.counted) for t in seen.terms)
            yield ("total", seen.formula, "", seen.total, "")
            yield ("by transformers", "", "", seen.by_model, "")
            yield ("in training", "", "", seen.in_training, "")
        case Attribution():
            yield (*_TOKEN, f"share of {seen.target}")
            yield from (
                (*token, share) for token, share in zip(_token_columns(seen.window), seen.shares, strict=True)
            )
        case Attention():
            yield from _attention_rows(seen)
        case Removals():
            yield ("start", "end", "without", "score", "probability", "change of score", "held the answer")
            yield ("", "", "", seen.score, seen.probability, 0.0, "")
            for one in seen.sentences:
                change = one.score - seen.score
                yield (
                    *(one.span.start, one.span.end, one.text, one.score, one.probability),
                    *(change, one.holds_focus),
                )


def plain(value: object) -> Any:
    """Convert a result to values for JSON: dataclasses to objects, non-finite numbers to None.

    Attention weights are nested by head, attending token and attended token.
    """
    if isinstance(value, Attention):
        length = range(len(value.window.tokens))
        weights = [[list(value.row(head, token)) for token in length] for head in range(value.heads)]
        return _plain_fields(value) | {"weights": weights}
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_fields(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _plain_fields(value: Any) -> dict[str, Any]:
    values = ((field.name, getattr(value, field.name)) for field in fields(value))
    return {name: plain(each) for name, each in values if not isinstance(each, array)}


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def _token_columns(window: InputWindow) -> Iterator[Row]:
    for number, token in enumerate(window.tokens):
        place = (token.span.start, token.span.end) if token.span else ("", "")
        yield (number, token.piece, token.id, token.type, token.part.value, *place)


def _span_rows(seen: SpanScores) -> Iterator[Row]:
    names = ("start logit", "start probability", "end logit", "end probability", "may begin or end an answer")
    yield (*_TOKEN, *names)
    starts, ends = (seen.start_logits, seen.start_probabilities), (seen.end_logits, seen.end_probabilities)
    columns = zip(_token_columns(seen.window), *starts, *ends, seen.candidates, strict=True)
    yield from ((*token, *values) for token, *values in columns)


def _attention_rows(seen: Attention) -> Iterator[Row]:
    tokens = seen.window.tokens
    to = (f"to {number} {token.piece}" for number, token in enumerate(tokens))
    yield ("layer", "attention head", "from number", "from token", *to)
    for head in range(seen.heads):
        for number, token in enumerate(tokens):
            yield (seen.layer, head, number, token.piece, *seen.row(head, number))


def _model_rows(seen: ModelPicture) -> Iterator[Row]:
    yield (
        *("head", "held", "in use", "stage", "term", "path", "class", "detail"),
        *("input shapes", "output shape", "parameters", "repeats", "training only"),
    )
    for stage in seen.trunk:
        yield ("", "", "", *_stage_columns(stage))
    for head in seen.heads:
        for stage in head.stages:
            yield (head.head.value, head.held, head.in_use, *_stage_columns(stage))


def _stage_columns(stage: Stage) -> Row:
    shapes = "; ".join(map(shape_words, stage.inputs))
    return (
        *(stage.title, stage.term, stage.path, stage.kind, stage.detail),
        *(shapes, shape_words(stage.output), stage.parameters, stage.repeats, stage.training_only),
    )
