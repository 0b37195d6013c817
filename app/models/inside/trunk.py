"""The stages of a run up to the heads: tokens, embeddings, encoder layers, every token's state."""

from __future__ import annotations

from functools import reduce

from torch import nn

from app.core.inside import Stage
from app.core.message import Message
from app.models.inside.stages import (
    WeightCounter,
    activation,
    function_stage,
    is_dropout,
    module_stage,
    plain_name,
    rows_words,
    size,
)
from app.models.inside.trace import Call, Trace

_SUMS = ("add", "__add__", "__iadd__", "add_")
_LOOKED_UP = (
    ("token_type", Message("First or second text"), Message("token type embeddings")),
    ("position", Message("Places in the window"), Message("position embeddings")),
    ("rel", Message("How far apart two tokens are"), Message("relative positions")),
    ("word", Message("Word pieces"), Message("token embeddings")),
)


def trunk(trace: Trace, weights: WeightCounter) -> tuple[Stage, ...]:
    """The stages of a run up to the heads, in order; their weights are counted in `weights`."""
    stages = [_tokens(trace)]
    own = {id(one) for layer in trace.layers for one in layer.modules()}
    runs = [call for call in trace.calls if any(call.module is layer for layer in trace.layers)]
    sums: list[Call] = []
    done = False
    for call in trace.calls[: trace.encoder_end]:
        inside = call.module is not None and id(call.module) in own
        if inside and not done and runs:
            stages.append(_layers(trace, runs, weights))
            done = True
        if inside or not _is_step(call, trace):
            continue
        if call.module is None:
            sums.append(call)
            continue
        if sums and not isinstance(call.module, nn.Embedding):
            title, term = Message("Added up"), Message("sum of the embeddings")
            stages.append(function_stage(sums, weights, title, term))
            sums = []
        stages.append(module_stage(call, weights, *_title_and_term(call.path.split(".")[-1], call.module)))
    stages += _unused_by_states(trace, weights)
    sequence = tuple(trace.sequence.shape)
    stages.append(Stage(Message("Every token's state"), Message("sequence output"), output=sequence))
    return tuple(stages)


def _tokens(trace: Trace) -> Stage:
    words = trace.model.get_input_embeddings()
    ids = next(call.inputs[0] for call in trace.calls if call.module is words)
    detail = Message("a vocabulary of {number:,}", number=words.num_embeddings)
    return Stage(
        Message("The text's pieces, each by its number"), Message("token ids"), detail=detail, output=ids
    )


def _is_step(call: Call, trace: Trace) -> bool:
    """Whether a call belongs to a stage: one of a leaf module, or a sum of embeddings."""
    if call.module is not None:
        # Embeddings inside the encoder are for pairs of tokens: no state is computed from them.
        pairs = isinstance(call.module, nn.Embedding) and call.module in trace.encoder.modules()
        return call.leaf and bool(call.outputs) and not pairs
    floats = bool(call.outs) and call.outs[0].is_floating_point() and call.outs[0].dim() == 3
    return floats and call.kind in _SUMS


def _title_and_term(name: str, module: nn.Module) -> tuple[str, str]:
    """Title and term of a module of the embeddings or the encoder, empty if those of its class will do."""
    if isinstance(module, nn.Linear):
        return Message("To the width of the layers"), Message("projection of the embeddings")
    if not isinstance(module, nn.Embedding):
        return "", ""
    if "token_type" in name and module.num_embeddings == 1:
        return Message("The same for every token"), Message("token type embeddings")
    return next(((title, term) for part, title, term in _LOOKED_UP if part in name), ("", ""))


def _layers(trace: Trace, runs: list[Call], weights: WeightCounter) -> Stage:
    """All layers as one stage, repeated as often as layers ran, with details from the first one's modules."""
    first = runs[0]
    layer = first.module
    assert layer is not None
    kinds = len({id(call.module) for call in runs})
    details = [_attention(layer), _feed_forward(trace, layer)]
    if kinds < len(runs):
        details.append(
            Message("one set of weights, used {times} times", times=len(runs))
            if kinds == 1
            else Message("{sets} sets of weights, used {times} times", sets=kinds, times=len(runs))
        )
    return Stage(
        title=Message("Every token looks at every other, layer by layer"),
        term=Message("encoder layers"),
        path=trace.layers_path,
        kind=first.kind,
        detail=reduce(_joined, filter(None, details), ""),
        inputs=first.inputs[:1],
        output=runs[-1].outputs[0],
        parameters=weights.count(one for layer in trace.layers for one in layer.parameters()),
        repeats=len(runs),
    )


def _joined(details: str, another: str) -> str:
    return Message("{details}; {another}", details=details, another=another) if details else another


def _attention(layer: nn.Module) -> str:
    for module in layer.modules():
        for name in ("num_attention_heads", "n_heads"):
            heads = getattr(module, name, None)
            if isinstance(heads, int):
                width = getattr(module, "attention_head_size", None)
                if isinstance(width, int):
                    return Message(
                        "{n} attention head of {width}",
                        "{n} attention heads of {width}",
                        n=heads,
                        width=width,
                    )
                return Message("{n} attention head", "{n} attention heads", n=heads)
    return ""


def _feed_forward(trace: Trace, layer: nn.Module) -> str:
    """The detail on a layer's feed-forward network: dense layers with an activation between them, as they ran."""
    own = {id(one) for one in layer.modules()}
    calls = []
    for call in trace.calls:
        if call.module is layer:
            break
        if call.module is not None and id(call.module) in own and call.leaf and not is_dropout(call):
            calls.append(call)
    found = []
    for before, between, after in zip(calls, calls[1:], calls[2:], strict=False):
        up, down = before.module, after.module
        if isinstance(up, nn.Linear) and isinstance(down, nn.Linear) and (name := activation(between)):
            found.append((size(up.in_features, up.out_features, down.out_features), name))
    if not found:
        return ""
    sizes, name = found[0]
    if len(found) == 1:
        return Message("feed-forward {sizes} with {function}", sizes=sizes, function=name)
    return Message(
        "feed-forward {sizes} with {function}, {number} in a row",
        sizes=sizes,
        function=name,
        number=len(found),
    )


def _unused_by_states(trace: Trace, weights: WeightCounter) -> list[Stage]:
    """Stages for weights of the embeddings and the encoder that no state passed through, such as relative positions."""
    stages = []
    seen = {id(call.module) for call in trace.calls[trace.encoder_end :] if call.module is not trace.base}
    for child in trace.base.children():
        if id(child) in seen:
            continue
        for name, module in child.named_modules():
            count = weights.count(module.parameters(recurse=False))
            if count:
                last, kind = name.split(".")[-1], type(module).__name__
                title, term = _title_and_term(last, module)
                title, term = title or plain_name(last or type(child).__name__), term or kind
                path = next(path for path, one in trace.model.named_modules() if one is module)
                detail = rows_words(module) if isinstance(module, nn.Embedding) else module.extra_repr()
                stages.append(Stage(title, term, path, kind, detail, parameters=count))
    return stages
