"""Every head of a family: the one in use as it ran, the others built without weights and run to get their shapes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn

from app.core.inside import HeadPicture, Stage
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.models.compute.classes import model_class
from app.models.families import Family
from app.models.inside.stages import (
    DENSE,
    PIECES,
    Weights,
    activation,
    activation_words,
    of_functions,
    of_module,
)
from app.models.inside.trace import Call, Trace, first_token, traced

TITLES = {
    Head.QUESTION_ANSWERING: Message("Answers in a text"),
    Head.CLASSIFICATION: Message("Classes of a text"),
    Head.MASKED_WORDS: Message("Hidden words"),
    Head.NEXT_SENTENCE: Message("Does it follow?"),
    Head.TOKEN_CLASSIFICATION: Message("Names in a text"),
}
_LAST = {
    Head.QUESTION_ANSWERING: Message("Two scores for each token"),
    Head.CLASSIFICATION: Message("A score for each class"),
    Head.MASKED_WORDS: Message("A score for each word of the vocabulary"),
    Head.NEXT_SENTENCE: Message("Two scores: continues, does not"),
    Head.TOKEN_CLASSIFICATION: Message("Scores of the tags for each token"),
}
_LAST_TERMS = {Head.QUESTION_ANSWERING: Message("span classifier"), Head.MASKED_WORDS: Message("decoder")}
ALL, POOLED, FIRST = "every token's state", "the pooled output", "the first token's state"


def heads(
    trace: Trace, head: Head, card: ModelCard, family: Family, weights: Weights
) -> tuple[HeadPicture, ...]:
    """Every head that the family has a class for, the one that ran first.

    `weights` has counted the trunk's, so that a stage shows only the head's own.
    """
    others = [one for one in family.heads_known if one is not head]
    used = _picture(trace, head, card, weights, in_use=True)
    return used, *(_picture(_without_weights(trace, one, family), one, card) for one in others)


def is_pooler(call: Call, trace: Trace) -> bool:
    """Whether a call is a pooler's: the base model's, or of a module named one."""
    if call.module is not None and any(call.module is one for one in trace.base.modules()):
        return True
    return "pool" in call.path


def _picture(
    trace: Trace, head: Head, card: ModelCard, weights: Weights | None = None, *, in_use: bool = False
) -> HeadPicture:
    if weights is None:
        weights = Weights()
        behind = {id(call.module) for call in trace.way()}
        for module in trace.base.modules():
            if id(module) not in behind:
                weights.count(module.parameters(recurse=False))
    return HeadPicture(
        head=head,
        kind=type(trace.model).__name__,
        title=TITLES[head],
        takes=takes(trace),
        stages=tuple(_stages(trace, head, weights)),
        held=head in card.heads,
        in_use=in_use,
    )


def takes(trace: Trace) -> str:
    """The input of a head in its run: all tokens' states, the first one's, or the pooled output."""
    way = trace.way()
    if any(is_pooler(call, trace) and isinstance(call.module, nn.Linear) for call in way):
        return POOLED
    return FIRST if any(first_token(call, trace.sequence) for call in way) else ALL


def _without_weights(trace: Trace, head: Head, family: Family) -> Trace:
    """A run of another head of the family, built on the meta device: shapes without numbers.

    Its encoder returns states shaped like those of the loaded model.
    """
    config = deepcopy(trace.model.config)
    config.num_hidden_layers = 1  # the layers' output is known
    if head is Head.QUESTION_ANSWERING:
        config.num_labels = 2  # start and end; the config's number is for the checkpoint's own head
    with torch.device("meta"):
        model = model_class(family, head)(config).eval()
        words = model.get_input_embeddings().embedding_dim
        rows, length = trace.sequence.shape[:2]
        inputs = torch.empty(rows, length, words)
    encoder = next(
        one for name, one in model.base_model.named_children() if isinstance(one, type(trace.encoder))
    )
    states = _on_meta(trace.states, {})
    encoder.forward = lambda *_, **__: states
    return traced(model, lambda: model(inputs_embeds=inputs))


def _on_meta(value: Any, copies: dict[int, Tensor]) -> Any:
    """The same value with meta tensors; a tensor that occurs twice becomes one."""
    if isinstance(value, Tensor):
        return copies.setdefault(id(value), torch.empty_like(value, device="meta"))
    if isinstance(value, dict):
        return type(value)(**{name: _on_meta(one, copies) for name, one in value.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(_on_meta(one, copies) for one in value)
    return value


def _stages(trace: Trace, head: Head, weights: Weights) -> list[Stage]:
    way = trace.way()
    dense = [call for call in way if isinstance(call.module, nn.Linear) or call.kind in DENSE]
    last = dense[-1] if dense else None
    stages: list[Stage] = []
    for number, group in groupby(enumerate(way), lambda item: _group(*item)):
        calls = [call for _, call in group]
        if number >= 0 and calls[0].module is not None:
            stages.append(_module(calls[0], trace, head, weights, last=calls[0] is last))
        elif number >= 0:
            stages.append(
                of_functions(calls, weights, *activation_words(activation(calls[0])), _where(calls))
            )
        else:
            stages.append(_functions(calls, trace, head, weights, last))
    return stages


def _group(number: int, call: Call) -> int:
    """Modules and activation functions are steps by themselves; other functions in a row are one step."""
    return number if call.module is not None or activation(call) else -1


def _module(call: Call, trace: Trace, head: Head, weights: Weights, *, last: bool) -> Stage:
    title = term = ""
    if isinstance(call.module, nn.Linear):
        if last:
            title, term = _LAST[head], _LAST_TERMS.get(head, Message("classifier"))
        elif is_pooler(call, trace):
            title = Message("The first token's state, made ready for the whole text")
            term = Message("pooler")
        elif head is Head.MASKED_WORDS:
            term = Message("transform")
    stage = of_module(call, weights, title, term)
    words = trace.model.get_input_embeddings()
    if getattr(call.module, "weight", None) is words.weight:
        stage = _tied(stage)
    return stage


def _functions(calls: list[Call], trace: Trace, head: Head, weights: Weights, last: Call | None) -> Stage:
    title, term = ", ".join(dict.fromkeys(call.kind for call in calls)), Message("function")
    if any(call is last for call in calls):
        title, term = _LAST[head], _LAST_TERMS.get(head, Message("classifier"))
    elif any(first_token(call, trace.sequence) for call in calls):
        title, term = Message("The first token alone"), Message("sequence output [:, 0]")
    elif head is Head.CLASSIFICATION and any(one is trace.sequence for call in calls for one in call.ins):
        title, term = Message("The mean of all tokens' states, as a unit vector"), Message("mean pooling")
    elif any(one is trace.sequence for call in calls for one in call.ins):
        title, term = Message("The hidden tokens alone"), Message("masked positions")
    elif any(call.kind in PIECES for call in calls):
        title = Message("Taken apart: one score for the start, one for the end")
        term = Message("start and end logits")
    stage = of_functions(calls, weights, title, term, _where(calls))
    words = trace.model.get_input_embeddings()
    if any(one is words.weight for call in calls for one in call.ins):
        stage = _tied(stage)
    return stage


def _tied(stage: Stage) -> Stage:
    detail = (
        Message("{detail}, the same weights as the token embeddings (tied)", detail=stage.detail)
        if stage.detail
        else Message("the same weights as the token embeddings (tied)")
    )
    return replace(stage, detail=detail)


def _where(calls: list[Call]) -> str:
    return Message("in {module}", module=calls[0].path) if calls[0].path else ""
