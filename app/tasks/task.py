"""What a task is: one request in, arrays through a model, one result out. No torch, no Qt, no disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from tokenizers import Tokenizer

from app.core.models import DeviceChoice, Head, ModelCard
from app.core.report import Report

Arrays = dict[str, np.ndarray]
Forward = Callable[[Arrays], Arrays]

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A loaded model as a task sees it.

    `forward` takes `input_ids`, `attention_mask` and `token_type_ids`, int64 arrays of batch × length
    (a model without token types ignores the last), and returns float32 arrays: `start_logits` and
    `end_logits` of batch × length for the question answering head, `logits` of batch × labels for the
    classification head. The tokenizer neither truncates nor pads.
    """

    card: ModelCard
    device: DeviceChoice
    tokenizer: Tokenizer
    forward: Forward


@dataclass(frozen=True, slots=True)
class Task(Generic[RequestT, ResultT]):
    """One kind of request, the head it needs, and the function that answers it."""

    name: str
    request: type[RequestT]
    head: Head
    run: Callable[[RequestT, ReadyModel, Report], ResultT]
