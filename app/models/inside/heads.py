"""Pictures of a family's heads: of the one in use as it ran, and of the others from a run without weights."""

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
    SPLITS,
    WeightCounter,
    activation,
    activation_words,
    function_stage,
    module_stage,
)
from app.models.inside.trace import Call, Trace, first_token, recorded

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
    trace: Trace, head: Head, card: ModelCard, family: Family, weights: WeightCounter
) -> tuple[HeadPicture, ...]:
    """The pictures of all heads that the family has a class for, the one in use first.

    `weights` has counted the trunk's weights already, so that a stage counts only the head's own.
    """
    others = [one for one in family.heads_known if one is not head]
    used = _picture(trace, head, card, weights, in_use=True)
    return used, *(_picture(_run_on_meta(trace, one, family), one, card) for one in others)


def is_pooler(call: Call, trace: Trace) -> bool:
    """Whether a call is of a pooler: of the base model's, or of a module with that name."""
    if call.module is not None and any(call.module is one for one in trace.base.modules()):
        return True
    return "pool" in call.path


def _picture(
    trace: Trace, head: Head, card: ModelCard, weights: WeightCounter | None = None, *, in_use: bool = False
) -> HeadPicture:
    if weights is None:
        weights = WeightCounter()
        behind = {id(call.module) for call in trace.path_to_logits()}
        for module in trace.base.modules():
            if id(module) not in behind:
                weights.count(module.parameters(recurse=False))
    return HeadPicture(
        head=head,
        kind=type(trace.model).__name__,
        title=TITLES[head],
        takes=head_input(trace),
        stages=tuple(_stages(trace, head, weights)),
        held=head in card.heads,
        in_use=in_use,
    )


def head_input(trace: Trace) -> str:
    """What a head takes in its run: all tokens' states, the first token's, or the pooled output."""
    path = trace.path_to_logits()
    if any(is_pooler(call, trace) and isinstance(call.module, nn.Linear) for call in path):
        return POOLED
    return FIRST if any(first_token(call, trace.sequence) for call in path) else ALL


def _run_on_meta(trace: Trace, head: Head, family: Family) -> Trace:
    """Run another head of the family on the meta device, where tensors have shapes but no numbers.

    Its encoder returns states shaped like those of the loaded model.
    """
    config = deepcopy(trace.model.config)
    config.num_hidden_layers = 1  # its output is replaced anyway
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
    return recorded(model, lambda: model(inputs_embeds=inputs))


def _on_meta(value: Any, copies: dict[int, Tensor]) -> Any:
    """The same value with meta tensors; a tensor that occurs twice becomes one."""
    if isinstance(value, Tensor):
        return copies.setdefault(id(value), torch.empty_like(value, device="meta"))
    if isinstance(value, dict):
        return type(value)(**{name: _on_meta(one, copies) for name, one in value.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(_on_meta(one, copies) for one in value)
    return value


def _stages(trace: Trace, head: Head, weights: WeightCounter) -> list[Stage]:
    path = trace.path_to_logits()
    dense = [call for call in path if isinstance(call.module, nn.Linear) or call.kind in DENSE]
    last = dense[-1] if dense else None
    stages: list[Stage] = []
    for number, group in groupby(enumerate(path), lambda item: _group(*item)):
        calls = [call for _, call in group]
        if number >= 0 and calls[0].module is not None:
            stages.append(_module(calls[0], trace, head, weights, last=calls[0] is last))
        elif number >= 0:
            stages.append(
                function_stage(calls, weights, *activation_words(activation(calls[0])), _location(calls))
            )
        else:
            stages.append(_functions(calls, trace, head, weights, last))
    return stages


def _group(number: int, call: Call) -> int:
    """The key that groups calls into stages: modules and activations are one each, functions in a row are one (-1)."""
    return number if call.module is not None or activation(call) else -1


def _module(call: Call, trace: Trace, head: Head, weights: WeightCounter, *, last: bool) -> Stage:
    title = term = ""
    if isinstance(call.module, nn.Linear):
        if last:
            title, term = _LAST[head], _LAST_TERMS.get(head, Message("classifier"))
        elif is_pooler(call, trace):
            title = Message("The first token's state, made ready for the whole text")
            term = Message("pooler")
        elif head is Head.MASKED_WORDS:
            term = Message("transform")
    stage = module_stage(call, weights, title, term)
    words = trace.model.get_input_embeddings()
    if getattr(call.module, "weight", None) is words.weight:
        stage = _tied(stage)
    return stage


def _functions(
    calls: list[Call], trace: Trace, head: Head, weights: WeightCounter, last: Call | None
) -> Stage:
    title, term = ", ".join(dict.fromkeys(call.kind for call in calls)), Message("function")
    if any(call is last for call in calls):
        title, term = _LAST[head], _LAST_TERMS.get(head, Message("classifier"))
    elif any(first_token(call, trace.sequence) for call in calls):
        title, term = Message("The first token alone"), Message("sequence output [:, 0]")
    elif head is Head.CLASSIFICATION and any(one is trace.sequence for call in calls for one in call.ins):
        title, term = Message("The mean of all tokens' states, as a unit vector"), Message("mean pooling")
    elif any(one is trace.sequence for call in calls for one in call.ins):
        title, term = Message("The hidden tokens alone"), Message("masked positions")
    elif any(call.kind in SPLITS for call in calls):
        title = Message("Taken apart: one score for the start, one for the end")
        term = Message("start and end logits")
    stage = function_stage(calls, weights, title, term, _location(calls))
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


def _location(calls: list[Call]) -> str:
    return Message("in {module}", module=calls[0].path) if calls[0].path else ""
