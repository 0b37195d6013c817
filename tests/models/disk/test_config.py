"""Only keys that transformers' config classes take reach them, and only values that they can use."""

from __future__ import annotations

import importlib
import json
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.activations import ACT2FN

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.models.disk.card import card_from, read_card
from app.models.disk.config import parse_config, rename_labels, shown
from app.models.disk.config_keys import ACTIVATIONS, KEYS, READ
from app.models.disk.shapes import encoder_shapes, pooler_shapes
from app.models.disk.weights import Tensor, Weights
from app.models.families import FAMILIES as KNOWN
from tests.helpers.refusals import check_refusal
from tests.helpers.small_models import FAMILIES, small_checkpoint

# What transformers' classes take, and what changes nothing of what is computed, or is refused where it would.
LEFT_OUT = frozenset(
    "add_cross_attention bos_token_id chunk_size_feed_forward dtype eos_token_id initializer_range is_decoder"
    " is_encoder_decoder label2id output_hidden_states return_dict summary_activation summary_last_dropout"
    " summary_type summary_use_proj transformers_version use_cache".split()
)
# What transformers' modules read beside the fields of their config classes.
READ_BESIDE = frozenset(
    "embedding_size pooler_hidden_size cls_dropout talking_head share_att_key attention_head_size position_buckets"
    " norm_rel_ebd conv_kernel_size conv_groups conv_act".split()
)


def class_of(family: str) -> Any:
    known = KNOWN[family]
    module = importlib.import_module(f"transformers.models.{known.module}.configuration_{known.module}")
    return getattr(module, known.stem + "Config")


def smallest(family: str, **values: Any) -> dict[str, Any]:
    """A config with hardly more than the required keys."""
    known = KNOWN[family]
    sizes = {
        known.hidden: 32,
        known.heads: 4,
        known.layers: 2,
        "vocab_size": 50,
        "max_position_embeddings": 40,
    }
    inner = "hidden_dim" if family == "distilbert" else "intermediate_size"
    return {"model_type": family, **sizes, inner: 48, **values}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_keys_are_those_that_transformers_takes(family: str) -> None:
    taken = {field.name: field for field in fields(class_of(family))}
    assert set(KEYS[family]) - set(taken) <= READ_BESIDE
    assert set(taken) - set(KEYS[family]) - READ <= LEFT_OUT
    for name, key in KEYS[family].items():
        default = taken[name].default if name in taken else MISSING
        if name in taken and default is not MISSING and key.default is not None:
            assert key.default == default, name


def test_the_activations_are_those_of_transformers_without_weights_of_their_own() -> None:
    assert set(ACT2FN) >= ACTIVATIONS
    for name in ACTIVATIONS:
        assert not list(ACT2FN[name].parameters())
    assert set(ACT2FN) - ACTIVATIONS == {"prelu", "xielu"}


@pytest.mark.parametrize("family", FAMILIES)
def test_unknown_keys_are_dropped(family: str) -> None:
    known = smallest(family)
    said = known | {
        "transformers_version": "4.1", "torch_dtype": "float16", "dtype": "int4", "use_cache": True, "eos_token_id": 2,
        "task_specific_params": {"a": {"b": 1}}, "label2id": {"x": 0}, "pruned_heads": {},
        "_name_or_path": "/somebody/else",
        "torchscript": True,
        "_attn_implementation_autoset": True, "output_attentions": True, "finetuning_task": "sst2", "made_up": [1, 2],
        "hidden_act" if family == "distilbert" else "activation": "evil", "auto_map": None, "is_decoder": False,
    }  # fmt: skip
    read = parse_config(json.dumps(said).encode(), "m")
    assert read.values == known
    for head in KNOWN[family].heads_known:
        made = read.for_transformers(head, ("a", "b"))
        assert set(made) <= {*KEYS[family], "id2label", "label2id", "problem_type"}
        config = class_of(family)(**made)
        assert config.num_labels == 2
        assert config.return_dict is True
        assert config.output_attentions is False


@pytest.mark.parametrize("family", FAMILIES)
def test_another_family_s_names_for_sizes_are_not_taken(family: str) -> None:
    """DistilBERT's class takes hidden_size for dim: a second size, never checked, would come in by that name."""
    other = "hidden_size" if family == "distilbert" else "dim"
    read = parse_config(json.dumps(smallest(family, **{other: 10**9})).encode(), "m")
    config = class_of(family)(**read.for_transformers(Head.QUESTION_ANSWERING, ()))
    assert config.hidden_size == 32


def test_labels_and_problem_reach_the_classifier_only() -> None:
    read = parse_config(json.dumps(smallest("bert", problem_type="regression")).encode(), "m")
    assert read.for_transformers(Head.CLASSIFICATION, ("x",))["problem_type"] == "regression"
    reader = read.for_transformers(Head.QUESTION_ANSWERING, ("x", "y", "z"))
    assert len(reader["id2label"]) == 2
    assert "problem_type" not in reader
    single = parse_config(
        json.dumps(smallest("bert", problem_type="single_label_classification")).encode(), "m"
    )
    assert "problem_type" not in single.for_transformers(Head.CLASSIFICATION, ("x",))


VARIANTS: dict[str, list[dict[str, Any]]] = {
    "bert": [{}, {"type_vocab_size": 5}],
    "distilbert": [{}, {"sinusoidal_pos_embds": True}],
    "roberta": [{"type_vocab_size": 1}],
    "xlm-roberta": [{"type_vocab_size": 1}],
    "mpnet": [{}, {"relative_attention_num_buckets": 32}],
    "electra": [{}, {"embedding_size": 16}, {"embedding_size": 32}],
    "albert": [{}, {"embedding_size": 8}, {"num_hidden_groups": 2, "inner_group_num": 3}],
    "mobilebert": [
        {},
        {"intra_bottleneck_size": 16, "embedding_size": 8},
        {"use_bottleneck": False, "intermediate_size": 32},
        {"use_bottleneck_attention": True},
        {"key_query_shared_bottleneck": False},
        {"trigram_input": False, "num_feedforward_networks": 1, "normalization_type": "layer_norm"},
        {"classifier_activation": False},
    ],
    "deberta": [
        {},
        {"type_vocab_size": 2, "embedding_size": 16, "position_biased_input": False},
        {"relative_attention": True, "pos_att_type": "c2p|p2c", "talking_head": True},
        {"relative_attention": True, "pos_att_type": ["p2c"], "max_relative_positions": 12},
        {"pos_att_type": ["c2p"]},
    ],
    "deberta-v2": [
        {},
        {"type_vocab_size": 2, "embedding_size": 16, "position_biased_input": False},
        {"relative_attention": True, "pos_att_type": "c2p | p2c", "norm_rel_ebd": "layer_norm"},
        {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "share_att_key": True, "position_buckets": 8},
        {"relative_attention": True, "pos_att_type": ["p2c"], "max_relative_positions": 12},
        {"conv_kernel_size": 3, "conv_groups": 2, "attention_head_size": 8},
    ],
}  # fmt: skip


def on_paper(family: str, head: Head, config: Any) -> dict[str, tuple[int, ...]]:
    """The shapes of transformers' own model, which takes no memory."""
    import torch
    import transformers

    with torch.device("meta"):
        model = getattr(transformers, KNOWN[family].class_name(head))(config)
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


@pytest.mark.parametrize(("family", "values"), [(f, v) for f in FAMILIES for v in VARIANTS[f]])
def test_the_shapes_are_those_of_transformers(family: str, values: dict[str, Any]) -> None:
    read = parse_config(json.dumps(smallest(family, **values)).encode(), "m")
    known = KNOWN[family]
    made = class_of(family)(**read.for_transformers(Head.CLASSIFICATION, ("a", "b", "c")))
    expected = on_paper(family, Head.CLASSIFICATION, made)
    head = (
        *(name for name, _ in pooler_shapes(read)),
        f"{known.classifier}.weight",
        f"{known.classifier}.bias",
    )
    found = {f"{known.prefix}.{name}": shape for name, shape in encoder_shapes(read)}
    found |= dict(pooler_shapes(read)) | {head[-2]: (3, 32), head[-1]: (3,)}
    assert found == expected


@pytest.mark.parametrize("values", [{"pad_token_id": 0}, {"relative_attention_num_buckets": 64}])
def test_values_that_transformers_mpnet_would_ignore_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(SpanlightError, match=f"cannot be right: {next(iter(values))} is"):
        parse_config(json.dumps(smallest("mpnet", **values)).encode(), "m")


@given(
    st.sampled_from(FAMILIES),
    st.dictionaries(
        st.sampled_from(sorted({key for keys in KEYS.values() for key in keys} | {"made_up", "problem_type"})),
        st.none() | st.booleans() | st.integers(-3, 70) | st.floats() | st.text(max_size=6)
        | st.sampled_from(["gelu", "layer_norm", "c2p|p2c", "none", 10**9, [], ["c2p"], {}]),
        max_size=5,
    ),
)  # fmt: skip
def test_any_values_are_refused_or_make_a_model_of_the_expected_shapes(
    family: str, values: dict[str, Any]
) -> None:
    """A config is either refused, or transformers makes a model of it whose encoder has the expected shapes."""
    content = json.dumps(smallest(family) | {"type_vocab_size": 2} | values).encode()
    try:
        read = parse_config(content, "m")
        # Without a size that must be there, there are no shapes: any weights are refused.
        shapes = dict(encoder_shapes(read)) if smallest(family).keys() <= read.values.keys() else {}
        prefix = KNOWN[family].prefix
        weights = Weights({f"{prefix}.{name}": Tensor("F32", shape) for name, shape in shapes.items()})
        card = card_from("m", content, weights)
    except SpanlightError as fault:
        check_refusal(fault, Path("/nowhere/m"))
        return
    assert isinstance(card, ModelCard)
    made = class_of(family)(**read.for_transformers(Head.QUESTION_ANSWERING, ()))
    found = on_paper(family, Head.QUESTION_ANSWERING, made)
    assert {name: shape for name, shape in found.items() if name.startswith(f"{prefix}.")} == {
        f"{prefix}.{name}": shape for name, shape in shapes.items()
    }


@given(st.text())
def test_whatever_is_shown_is_one_short_line(text: str) -> None:
    said = shown(text)
    assert len(said) <= 41
    assert said.isprintable()


def test_a_names_direction_marks_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "good\u202egpj\nmodel\x1b[31m"
    small_checkpoint(folder)
    assert read_card(folder).name == "good?gpj?model?[31m"
    long = small_checkpoint(tmp_path / ("a" * 200))
    assert len(read_card(long).name) <= 96
    (folder / "config.json").unlink()
    with pytest.raises(SpanlightError) as caught:
        read_card(folder)
    check_refusal(caught.value, folder)


def test_labels_are_renamed_and_nothing_else_is_changed(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m", head=Head.CLASSIFICATION, labels=("a", "b"))
    before = json.loads((folder / "config.json").read_text())
    names = sorted(path.name for path in folder.iterdir())
    rename_labels(folder, ("ä “quoted”", "b"))
    after = json.loads((folder / "config.json").read_text())
    assert read_card(folder).labels == ("ä “quoted”", "b")
    assert {**before, "id2label": None, "label2id": None} == {**after, "id2label": None, "label2id": None}
    assert sorted(path.name for path in folder.iterdir()) == names
