"""Prints the results of looks inside a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from app.cli.terminal import marked, one_line
from app.core.errors import SpanlightError
from app.core.inside import (
    Attention,
    Attribution,
    InputWindow,
    Losses,
    ModelPicture,
    Part,
    Pooling,
    Removals,
    SpanScores,
    Stage,
    shape_words,
)
from app.core.wording import count, finely

_MOST = 20
_WIDE = 72
_METHODS = {"integrated-gradients": "integrated gradients", "gradient-input": "gradient × input"}


def print_seen(seen: Any, *, attention_head: int | None = None, values: bool = False) -> None:
    """Print a look's result; `attention_head` chooses one of a layer's heads, None their mean.

    `values`: the head gives values and no probabilities.
    """
    match seen:
        case ModelPicture():
            _print_model(seen)
        case SpanScores():
            _print_spans(seen)
        case Pooling():
            _print_pooling(seen)
        case Losses():
            _print_losses(seen, values)
        case Attribution():
            _print_shares(seen)
        case Attention():
            _print_attention(seen, attention_head)
        case Removals():
            _print_removals(seen, values)


def _print_model(seen: ModelPicture) -> None:
    print(f"{seen.model} ({seen.family}), {count(seen.parameters, 'weight')}, on {seen.device}")
    _print_window(seen.window)
    for stage in seen.trunk:
        print(_stage(stage))
    for head in seen.heads:
        title = f"{head.title}: {head.kind}, takes {head.takes} ({head.status})"
        print(f"\n{marked(title) if head.in_use else title}")
        for stage in head.stages:
            print(f"  {_stage(stage)}")


def _stage(stage: Stage) -> str:
    shapes = " → ".join(
        part for part in (", ".join(map(shape_words, stage.inputs)), shape_words(stage.output)) if part
    )
    again = f", {stage.repeats} times" if stage.repeats > 1 else ""
    weights = f", {count(stage.parameters, 'weight')}" if stage.parameters else ""
    training = ", in training only" if stage.training_only else ""
    named = " ".join(part for part in (stage.path, stage.kind, stage.detail) if part)
    return (
        f"{stage.title} ({stage.term}): {shapes}{again}{weights}{training}{f'  [{named}]' if named else ''}"
    )


def _print_spans(seen: SpanScores) -> None:
    _print_window(seen.window)
    lines = [("span", "tokens", "start", "end", "score", "share")]
    for span in seen.spans[:_MOST]:
        start, end = seen.start_logits[span.first], seen.end_logits[span.last]
        tokens = f"{span.first}–{span.last}"
        lines.append(
            (_short(span.text), tokens, _two(start), _two(end), _two(span.score), finely(span.probability))
        )
    null = f"no answer ({seen.window.tokens[0].piece})"
    starts, ends = seen.start_logits[0], seen.end_logits[0]
    share = finely(seen.null_probability)
    lines.append((null, "0", _two(starts), _two(ends), _two(seen.null_score), share))
    _print_table(lines)


def _print_pooling(seen: Pooling) -> None:
    _print_window(seen.window)
    if not seen.path:
        print("No layer of this head takes the first token's state.")
        return
    kind = "the pooler" if seen.is_pooler else "the head's own layer; this model has no pooler"
    print(
        f"Pooled output: {seen.activation}(W · h + b) of the first token's state h by {seen.path} ({kind})."
    )
    print(f"Computed again by hand, it differs by at most {seen.error:.2g}.")
    print(f"The first token's state itself differs from it by up to {seen.difference:.3g},")
    print(f"and the cosine of the two is {seen.cosine:.3f}.")
    print("The head at work takes it." if seen.used else "The head at work does not take it.")


def _print_losses(seen: Losses, values: bool) -> None:
    _print_window(seen.window)
    lines = [("term", "right", "value" if values else "probability", "loss")]
    for term in seen.terms:
        given = _four(term.probability) if values else finely(term.probability)
        figures = (given, _four(term.value)) if term.counted else ("", "not counted")
        lines.append((_short(term.name), _short(term.target), *figures))
    _print_table(lines)
    print(f"\nTotal: {_four(seen.total)} = {seen.formula}")
    print(f"By transformers: {_four(seen.by_model)}. In training: {_four(seen.in_training)}.")


def _print_shares(seen: Attribution) -> None:
    _print_window(seen.window)
    print(f"Score of {_short(seen.target)}: {_two(seen.score)}, shared out by {_METHODS[seen.method]}.")
    order = sorted(range(len(seen.shares)), key=lambda at: -abs(seen.shares[at]))[:_MOST]
    lines = [("token", "", "share")]
    lines += [(str(at), seen.window.tokens[at].piece, f"{seen.shares[at]:+.3f}") for at in order]
    _print_table(lines)
    if seen.steps > 1:
        print(f"\nThe score of padding is {_two(seen.baseline)}; the shares' sum lacks {seen.gap:.2g}")
        print(f"of the difference, in {seen.steps} steps.")


def _print_attention(seen: Attention, head: int | None) -> None:
    _print_window(seen.window)
    if head is not None and head >= seen.heads:
        raise SpanlightError(f"There is no attention head {head}.", f"They are 0 to {seen.heads - 1}.")
    heads = tuple(range(seen.heads)) if head is None else (head,)
    which = f"head {heads[0]}" if len(heads) == 1 else f"the mean of {seen.heads} heads"
    print(f"Layer {seen.layer} of {seen.layers}, {which}: what each token looks at most.")
    lines: list[tuple[str, ...]] = [("token", "", "looks at", "", "")]
    for number, token in enumerate(seen.window.tokens):
        sums = [
            sum(column) / len(heads) for column in zip(*(seen.row(one, number) for one in heads), strict=True)
        ]
        best = sorted(range(len(sums)), key=lambda at: -sums[at])[:3]
        seen_there = (f"{seen.window.tokens[at].piece} ({at}) {finely(sums[at])}" for at in best)
        lines.append((str(number), token.piece, *seen_there, *[""] * (3 - len(best))))
    _print_table(lines)


def _print_removals(seen: Removals, values: bool) -> None:
    _print_window(seen.window)
    likely = "" if values else f", {finely(seen.probability)}"
    score = f"Score of {_short(seen.target)}: {_two(seen.score)}{likely}."
    if not seen.sentences:
        print(f"{score} No sentence can be taken out.")
        return
    print(f"{score} Without …")
    lines = [("score", "change", *(() if values else ("probability",)), "sentence")]
    for one in seen.sentences:
        mark = "* " if one.holds_focus else ""
        figures = (_two(one.score), f"{one.score - seen.score:+.2f}")
        share = () if values else (finely(one.probability),)
        lines.append((*figures, *share, mark + _short(one.text)))
    _print_table(lines)
    if any(one.holds_focus for one in seen.sentences):
        print("\n* held the answer: the score is the best one's that is left.")


def _print_window(window: InputWindow) -> None:
    part = f", part {window.number + 1} of {window.windows} of the text" if window.windows > 1 else ""
    own = sum(token.part is Part.TEXT for token in window.tokens)
    print(f"{count(len(window.tokens), 'token')}, {own} of them of the text{part}.")


def _print_table(lines: Sequence[tuple[str, ...]]) -> None:
    shown = [tuple(one_line(cell) for cell in line) for line in lines]
    widths = [max(len(line[column]) for line in shown) for column in range(len(shown[0]))]
    for line in shown:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _WIDE else line[: _WIDE - 1].rstrip() + "…"


def _two(value: float) -> str:
    return f"{value:.2f}"


def _four(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
