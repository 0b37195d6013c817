"""The texts of the picture of a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.inside import HeadPicture, ModelPicture, Shape, Stage, shape_words
from app.core.message import Message
from app.core.models import Head
from app.ui.kit.chart import Table
from app.ui.kit.translation import localised, tr

# What each head puts out, in plain words.
OUTCOMES: dict[Head, str] = {
    Head.QUESTION_ANSWERING: Message("where the answer starts and ends"),
    Head.CLASSIFICATION: Message("a score for each class"),
    Head.MASKED_WORDS: Message("a score for each word that could stand there"),
    Head.NEXT_SENTENCE: Message("whether the second text follows the first"),
    Head.TOKEN_CLASSIFICATION: Message("a tag for each token"),
}


@dataclass(frozen=True, slots=True)
class SharedStages:
    """The stages shared by all heads, arranged for the picture.

    `tokens` is the caption of the tokens and `read` their shape, `states` is the caption of the last layer's output;
    `rows` are the stages in between, those with the same input in one row.
    """

    rows: tuple[tuple[Stage, ...], ...]
    tokens: str
    read: Shape
    states: str

    @classmethod
    def of(cls, picture: ModelPicture) -> SharedStages:
        """The picture's trunk, arranged in rows."""
        stages = list(picture.trunk)
        read: Shape = (1, len(picture.window.tokens))
        tokens, states = tr("tokens"), tr("sequence output")
        if stages and not stages[0].inputs and not stages[0].path:
            first = stages.pop(0)
            tokens = ", ".join(localised(part) for part in (first.term, first.detail) if part)
            read = first.output
        if stages and not stages[-1].inputs and not stages[-1].path:
            last = stages.pop()
            states = f"{localised(last.term)}, {localised(shape_words(last.output))}"
        rows: list[tuple[Stage, ...]] = []
        for stage in stages:
            if rows and _take_the_same(rows[-1][-1], stage):
                rows[-1] = (*rows[-1], stage)
            else:
                rows.append((stage,))
        return cls(tuple(rows), tokens, read, states)


def _take_the_same(one: Stage, other: Stage) -> bool:
    """Whether two stages take the same input, rather than the second taking the output of the first."""
    return bool(one.inputs) and one.inputs == other.inputs and one.output == other.output != one.inputs[0]


def unnamed_details(stage: Stage) -> str:
    """A stage's detail without the settings that it names, such as p=0.1; if it names all, the first one."""
    parts = localised(stage.detail).split(", ")
    unnamed = [part for part in parts if "=" not in part]
    return ", ".join(unnamed or parts[:1])


def uses_first_token_only(head: HeadPicture) -> bool:
    """Whether a head takes the first token's state only, not every token's."""
    seen = next((stage.output for stage in head.stages if stage.output and not stage.training_only), ())
    return len(seen) < 3 if seen else "every" not in head.takes


def weights_words(stage: Stage) -> str:
    """The number of a stage's weights in words, empty for none."""
    if not stage.parameters:
        return ""
    return tr("{n:,} weight", "{n:,} weights", n=stage.parameters)


def takes_words(head: HeadPicture) -> str:
    """What a head takes, in words."""
    if "pooled" in head.takes:
        return tr("takes the pooled output")
    return tr("takes every token's state") if "every" in head.takes else tr("takes the first token's state")


def breakable(name: str) -> str:
    """A class's name with zero-width spaces between its words, where it may be broken."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "\u200b", name)


def describe_stage(stage: Stage, head: HeadPicture | None = None) -> str:
    """A stage in words, for the tool tip and the screen reader."""
    lines = [": ".join(localised(part) for part in (stage.title, stage.term) if part)]
    if stage.repeats > 1:
        lines = [tr("{stage}, {number} of them one after another", stage=lines[0], number=stage.repeats)]
    if stage.path:
        lines.append(f"{stage.path}, {stage.kind}" if stage.kind else stage.path)
    if stage.detail:
        lines.append(localised(stage.detail))
    if stage.inputs:
        lines.append(tr("takes {shapes}", shapes=_inputs(stage)))
    if stage.output:
        lines.append(tr("gives {shape}", shape=shape_words(stage.output)))
    if stage.parameters:
        lines.append(weights_words(stage))
    if stage.training_only:
        lines.append(tr("at training only: it changes nothing here"))
    if head is not None and not head.in_use:
        lines.append(localised(head.status))
    return "\n".join(lines)


def _inputs(stage: Stage) -> str:
    shapes = ""
    for shape in map(shape_words, stage.inputs):
        shapes = Message("{shapes} and {shape}", shapes=shapes, shape=shape) if shapes else shape
    return shapes


def describe_head(head: HeadPicture) -> str:
    """A head in words: its input, its output, and its status."""
    title = f"{localised(head.title)}: {head.kind}"
    gives = tr("gives {outcome}", outcome=OUTCOMES[head.head])
    return "\n".join((title, takes_words(head), gives, localised(head.status)))


def picture_table(picture: ModelPicture) -> Table:
    """A row for every stage of the picture, the heads' own after the shared ones."""
    rows = [_row("", "", stage) for stage in picture.trunk]
    rows += [_row(head.kind, head.status, stage) for head in picture.heads for stage in head.stages]
    columns = (
        Message("head"), Message("standing"), Message("stage"), Message("term"), Message("path"), Message("kind"),
        Message("detail"), Message("takes"), Message("gives"), Message("weights"), Message("repeats"),
        Message("training only"),
    )  # fmt: skip
    return Table(columns, tuple(rows))


def _row(head: str, status: str, stage: Stage) -> tuple[str | int, ...]:
    return (
        head, status, stage.title, stage.term, stage.path, stage.kind, stage.detail,
        _inputs(stage), shape_words(stage.output), stage.parameters,
        stage.repeats, Message("yes") if stage.training_only else Message("no"),
    )  # fmt: skip
