"""Stages, heads and the module tree of small models of every family: recorded from a run, and complete."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from app.core.inside import HeadPicture, Stage
from app.core.models import SHOWN_HEADS, Head
from app.models.families import FAMILIES
from tests.helpers.opened_models import EVERY_KNOWN, LENGTH, held, looked, made, row

QA, CLASSIFY, WORDS = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS
NEXT, TOKENS = Head.NEXT_SENTENCE, Head.TOKEN_CLASSIFICATION
POOLED = ("bert", "albert", "mobilebert", "deberta", "deberta-v2")


def picture(heads: tuple[HeadPicture, ...], head: Head) -> HeadPicture:
    return next(one for one in heads if one.head is head)


def kinds(stages: tuple[Stage, ...]) -> list[str]:
    return [stage.kind for stage in stages]


@pytest.mark.parametrize(("family", "head"), EVERY_KNOWN)
def test_every_head_is_pictured_and_every_weight_counted_once(family: str, head: Head) -> None:
    inside = held(family, head)
    trunk, heads = looked(family, head)
    assert {one.head for one in heads} == set(FAMILIES[family].heads_known)
    assert [one.in_use for one in heads] == [True] + [False] * (len(heads) - 1)
    assert heads[0].head is head and heads[0].held and not any(one.held for one in heads[1:])
    assert [one.kind for one in heads] == [FAMILIES[family].class_name(one.head) for one in heads]
    stages = [*trunk, *heads[0].stages]
    counted = sum(stage.parameters for stage in stages)
    assert counted == sum(one.numel() for one in inside._model.parameters())
    assert counted == inside.modules()[0][0].parameters
    assert all(stage.training_only == (stage.kind == "Dropout") for stage in stages)


@pytest.mark.parametrize(("family", "head"), EVERY_KNOWN)
@pytest.mark.parametrize("length", [LENGTH, 40])
def test_the_shapes_are_those_of_the_run(family: str, head: Head, length: int) -> None:
    trunk, heads = looked(family, head, length)
    outputs = held(family, head)._forward(row(head, length))
    assert trunk[0].output == (1, length)
    assert trunk[-1].output == (1, length, 32)
    assert heads[0].stages[-1].output == next(iter(outputs.values())).shape
    for one in heads:
        assert all(stage.output and stage.inputs for stage in one.stages)
        last = one.stages[-1].output
        if one.head in (CLASSIFY, NEXT):
            assert len(last) == 2
        elif one.in_use and head is WORDS:
            assert last[:2] == (1, 3)
        else:
            assert last[:2] == (1, length)


@pytest.mark.parametrize(("family", "head"), EVERY_KNOWN)
def test_a_head_made_without_weights_is_the_one_that_is_loaded(family: str, head: Head) -> None:
    """Another model of the family shows a head as the head's own model does."""
    own = looked(family, head)[1][0]
    other = CLASSIFY if head is not CLASSIFY else QA
    seen = picture(looked(family, other)[1], head)
    # Only the words asked for are computed in use; the number of classes is the config's own.
    own_stages = [stage for stage in own.stages if stage.term != "masked positions"]
    assert [(s.title, s.term, s.path, s.kind) for s in seen.stages] == [
        (s.title, s.term, s.path, s.kind) for s in own_stages
    ]
    assert seen.takes == own.takes
    if head is QA:
        assert [(s.inputs, s.output, s.parameters) for s in seen.stages] == [
            (s.inputs, s.output, s.parameters) for s in own_stages
        ]


@pytest.mark.parametrize("family", list(FAMILIES))
def test_what_a_head_takes(family: str) -> None:
    heads = looked(family, QA)[1]
    assert {picture(heads, head).takes for head in (QA, WORDS, TOKENS)} == {"every token's state"}
    takes = "the pooled output" if family in POOLED else "the first token's state"
    assert picture(heads, CLASSIFY).takes == takes
    assert looked(family, CLASSIFY)[1][0].takes == takes
    if NEXT in FAMILIES[family].heads_known:
        assert picture(heads, NEXT).takes == "the pooled output"


@pytest.mark.parametrize(
    ("family", "head", "steps"),
    [
        ("bert", QA, ["Linear", "split, squeeze, contiguous"]),
        ("bert", CLASSIFY, ["__getitem__", "Linear", "Tanh", "Dropout", "Linear"]),
        ("bert", WORDS, ["Linear", "GELUActivation", "LayerNorm", "Linear"]),
        ("bert", NEXT, ["__getitem__", "Linear", "Tanh", "Linear"]),
        ("bert", TOKENS, ["Dropout", "Linear"]),
        ("distilbert", QA, ["Dropout", "Linear", "split, squeeze, contiguous"]),
        ("distilbert", CLASSIFY, ["__getitem__", "Linear", "relu", "Dropout", "Linear"]),
        ("roberta", CLASSIFY, ["__getitem__", "Dropout", "Linear", "tanh", "Dropout", "Linear"]),
        ("roberta", WORDS, ["Linear", "gelu", "LayerNorm", "Linear"]),
        ("mpnet", CLASSIFY, ["__getitem__", "Dropout", "Linear", "tanh", "Dropout", "Linear"]),
        ("mpnet", WORDS, ["Linear", "gelu", "LayerNorm", "Linear"]),
        ("electra", CLASSIFY, ["__getitem__", "Dropout", "Linear", "GELUActivation", "Dropout", "Linear"]),
        ("albert", CLASSIFY, ["__getitem__", "Linear", "Tanh", "Dropout", "Linear"]),
    ],
)
def test_the_steps_of_heads_as_their_classes_have_them(family: str, head: Head, steps: list[str]) -> None:
    other = TOKENS if head is QA else QA
    assert kinds(picture(looked(family, other)[1], head).stages) == steps
    own = [stage for stage in looked(family, head)[1][0].stages if stage.term != "masked positions"]
    assert kinds(tuple(own)) == steps


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "mpnet", "electra", "albert"])
def test_the_decoder_shares_the_token_embeddings(family: str) -> None:
    inside = held(family, WORDS)
    last = looked(family, WORDS)[1][0].stages[-1]
    width, words = inside._model.get_input_embeddings().embedding_dim, last.output[-1]
    assert last.term == "decoder" and "tied" in last.detail and f"{width} → {words}" in last.detail
    assert last.parameters == words  # its biases
    assert last.output == (1, 3, words)


def test_differences_between_families_are_shown() -> None:
    trunks = {family: looked(family, QA)[0] for family in FAMILIES}
    terms = {family: [stage.term for stage in trunk] for family, trunk in trunks.items()}
    assert "token type embeddings" in terms["bert"] and "token type embeddings" not in terms["distilbert"]
    assert "position embeddings" not in terms["deberta-v2"]
    layers = {f: next(s for s in trunk if s.term == "encoder layers") for f, trunk in trunks.items()}
    assert all(stage.repeats == 2 for stage in layers.values())
    assert layers["bert"].detail == "4 attention heads of 8; feed-forward 32 → 64 → 32 with GELU"
    assert layers["bert"].path == "bert.encoder.layer" and layers["bert"].kind == "BertLayer"
    assert "one set of weights, used 2 times" in layers["albert"].detail
    assert layers["albert"].parameters * 2 == pytest.approx(layers["bert"].parameters)
    assert ", 2 in a row" in layers["mobilebert"].detail
    projection = next(s for s in trunks["electra"] if s.term == "projection of the embeddings")
    assert (projection.path, projection.detail) == ("electra.embeddings_project", "16 → 32")
    beside = [(s.term, s.path, s.detail, s.output) for s in trunks["mpnet"] if s.title.startswith("How far")]
    assert beside == [("relative positions", "mpnet.encoder.relative_attention_bias", "32 rows of 4", ())]
    assert "relative positions" in terms["deberta"] and "token type embeddings" not in terms["mpnet"]
    one = next(s for s in trunks["roberta"] if s.term == "token type embeddings")
    assert one.detail == "1 row of 32" and one.title == "The same for every token"


def test_the_steps_of_the_embeddings() -> None:
    trunk = held("bert", QA).stages(row(QA, 30))[0]
    assert [stage.term for stage in trunk] == [
        "token ids",
        "token embeddings",
        "token type embeddings",
        "position embeddings",
        "sum of the embeddings",
        "layer normalisation",
        "dropout",
        "encoder layers",
        "sequence output",
    ]
    added = trunk[4]
    assert added.inputs == ((1, 30, 32),) * 3 and added.output == (1, 30, 32)


class Doubled(nn.Module):
    """Gives twice as many numbers as a layer should."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.inner(states)
        return torch.cat([out, out], dim=-1)[..., : out.shape[-1]].tanh()


def test_a_changed_module_is_shown() -> None:
    """Shapes and steps come from the run: this model looks different from any other."""
    inside = made("bert", CLASSIFY)
    model = inside._model
    model.classifier = nn.Sequential(nn.Linear(32, 11), nn.ReLU(), nn.Linear(11, 3))
    model.bert.pooler.activation = nn.GELU()
    used = inside.stages(row(CLASSIFY))[1][0]
    assert kinds(used.stages) == ["__getitem__", "Linear", "GELU", "Dropout", "Linear", "ReLU", "Linear"]
    assert [stage.output for stage in used.stages][-3:] == [(1, 11), (1, 11), (1, 3)]
    assert used.stages[-3].detail == "32 → 11" and used.stages[-1].title == "A score for each class"
    model.bert.encoder.layer = model.bert.encoder.layer[:1]
    (layers,) = [stage for stage in inside.stages(row(CLASSIFY))[0] if stage.term == "encoder layers"]
    assert layers.repeats == 1


def test_a_function_in_a_changed_head_is_shown() -> None:
    inside = made("bert", TOKENS)
    model = inside._model
    model.classifier = Doubled(model.classifier)
    stages = inside.stages(row(TOKENS))[1][0].stages
    assert kinds(stages) == ["Dropout", "Linear", "cat, __getitem__", "tanh"]
    assert stages[-1].detail == "in classifier"


@pytest.mark.parametrize("head", SHOWN_HEADS)
def test_recording_runs_the_model_once_and_changes_nothing(
    head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, arrays, runs = held("bert", head), row(head), []
    model, forward = inside._model, inside._forward

    def hooks() -> list[int]:
        return [len(one._forward_hooks) + len(one._forward_pre_hooks) for one in model.modules()]

    before, outputs = hooks(), inside._forward(arrays)
    with pytest.raises(ValueError, match="tokens where the model reads"):
        inside.stages(row(head, 600))
    with monkeypatch.context() as patch:
        patch.setattr(inside, "_forward", lambda arrays: runs.append(1) or forward(arrays))
        inside.stages(arrays)
    assert len(runs) == 1
    inside.pooling(arrays)
    assert hooks() == before
    for name, values in inside._forward(arrays).items():
        assert np.array_equal(values, outputs[name])


@pytest.mark.parametrize("family", list(FAMILIES))
def test_the_module_tree(family: str) -> None:
    inside = held(family, WORDS)
    rows, printed = inside.modules()
    model = inside._model
    assert printed == str(model)
    assert (
        len(rows) == len(printed.splitlines()) - sum(line.strip() == ")" for line in printed.splitlines())
        or "x " in printed
    )  # equal modules in a list are printed once
    for one in rows[1:]:
        module = model.get_submodule(one.path)
        assert one.kind == type(module).__name__ and one.detail == module.extra_repr()
        assert one.parameters == sum(p.numel() for p in module.parameters())
        assert one.path.split(".")[-1] == one.name and one.depth == one.path.count(".") + 1
    assert rows[0].depth == 0 and rows[0].path == rows[0].name == ""
