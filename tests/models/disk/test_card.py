from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.models import Head, ProblemType
from app.models.disk.card import read_card
from app.models.families import FAMILIES as KNOWN
from tests.conftest import ROOT
from tests.helpers.cards import CLASSIFY, config, header_of, refusal, rewrite
from tests.helpers.small_models import FAMILIES, small_checkpoint

MASKED, TOKENS = Head.MASKED_WORDS, Head.TOKEN_CLASSIFICATION
PRETRAINING = (MASKED, Head.NEXT_SENTENCE)
CASES = [(name, head) for name in FAMILIES for head in KNOWN[name].heads_known]


@pytest.mark.parametrize(("family", "head"), CASES)
def test_a_card_says_what_a_checkpoint_holds(tmp_path: Path, family: str, head: Head) -> None:
    folder = small_checkpoint(tmp_path / family, family, head, ("a", "b", "c"))
    card = read_card(folder)
    assert card.name == family
    assert card.folder == str(folder)
    assert card.family == family
    assert card.heads == (head,)
    assert card.labels == (("a", "b", "c") if head in (CLASSIFY, TOKENS) else ())
    assert card.max_length == 512
    assert (card.window, card.stride) == (384, 128)
    assert card.dtype == "float32"
    weights = (folder / "model.safetensors").stat().st_size
    assert card.size > weights > 4 * card.parameters > 0.75 * weights


def test_labels_stand_in_the_order_of_their_index_and_are_numbered_without_names(judge: Path) -> None:
    config(judge, id2label={"2": "good", "0": "bad", "1": "fine"})
    assert read_card(judge).labels == ("bad", "fine", "good")
    config(judge, drop=("id2label", "label2id"), num_labels=3)
    assert read_card(judge).labels == ("LABEL_0", "LABEL_1", "LABEL_2")


@pytest.mark.parametrize(
    ("labels", "said", "meant"),
    [
        (2, None, ProblemType.SINGLE_LABEL),
        (2, "single_label_classification", ProblemType.SINGLE_LABEL),
        (2, "multi_label_classification", ProblemType.MULTI_LABEL),
        (2, "regression", ProblemType.REGRESSION),
        (1, None, ProblemType.MULTI_LABEL),
        (1, "regression", ProblemType.REGRESSION),
    ],
)
def test_how_logits_are_read_is_what_the_config_says(
    tmp_path: Path, labels: int, said: str | None, meant: ProblemType
) -> None:
    folder = small_checkpoint(tmp_path / "m", head=CLASSIFY, labels=[f"label {i}" for i in range(labels)])
    config(folder, problem_type=said)
    assert read_card(folder).problem is meant


@pytest.mark.parametrize(("said", "length"), [(256, 256), (10**30, 512), (4, 512), (1e30, 512), (None, 512)])
def test_the_tokenizer_may_ask_for_shorter_inputs(reader: Path, said: object, length: int) -> None:
    (reader / "tokenizer_config.json").write_text(json.dumps({"model_max_length": said}))
    card = read_card(reader)
    assert card.max_length == length
    assert card.window == min(384, length)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_short_model_has_a_window_and_stride_that_fit(tmp_path: Path, dtype: str) -> None:
    card = read_card(small_checkpoint(tmp_path / "m", "roberta", positions=64, dtype=dtype))
    assert (card.max_length, card.window, card.stride, card.dtype) == (64, 64, 21, dtype)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_a_checkpoint_without_heads_has_a_card_without_heads(tmp_path: Path, family: str) -> None:
    import transformers

    folder = small_checkpoint(tmp_path / "m", family)
    transformers.AutoModel.from_pretrained(folder).save_pretrained(folder)
    assert "embeddings.word_embeddings.weight" in header_of(folder / "model.safetensors")[0]
    assert read_card(folder).heads == ()


MODULES = ("Transformer", "Pooling", "Normalize")


@pytest.mark.parametrize(
    ("modules", "modes", "has_it"),
    [
        (MODULES, {"mean_tokens": True, "cls_token": False}, True),
        (MODULES[:2], {"mean_tokens": True}, True),
        (MODULES, {"mean_tokens": True, "max_tokens": True}, False),
        (MODULES, {"cls_token": True}, False),
        (("Transformer", "Pooling", "Dense", "Normalize"), {"mean_tokens": True}, False),
        (("Transformer",), {"mean_tokens": True}, False),
        ((), None, False),
    ],
)
def test_texts_have_vectors_where_sentence_transformers_files_say_so(
    tmp_path: Path, modules: tuple[str, ...], modes: dict[str, bool] | None, has_it: bool
) -> None:
    folder = small_checkpoint(tmp_path / "m", "mpnet", Head.EMBEDDINGS)
    assert (read_card(folder).heads, read_card(folder).width) == ((Head.EMBEDDINGS,), 32)
    (folder / "spanlight.json").unlink()
    assert read_card(folder).heads == ()
    listed = [{"idx": at, "type": f"sentence_transformers.models.{kind}"} for at, kind in enumerate(modules)]
    (folder / "modules.json").write_text(json.dumps(listed))
    assert read_card(folder).heads == ()
    (folder / "1_Pooling").mkdir()
    if modes is not None:
        pooling = {"word_embedding_dimension": 32} | {
            f"pooling_mode_{name}": on for name, on in modes.items()
        }
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    assert read_card(folder).heads == ((Head.EMBEDDINGS,) if has_it else ())
    (folder / "modules.json").write_text("[3]")
    assert read_card(folder).heads == ()


def test_another_pooling_than_the_mean_is_refused(reader: Path) -> None:
    (reader / "spanlight.json").write_text('{"pooling": "max"}')
    assert "a pooling other than mean" in refusal(reader)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("head", [CLASSIFY, TOKENS])
def test_text_and_token_classifiers_are_distinguished_without_architectures(
    tmp_path: Path, family: str, head: Head
) -> None:
    folder = small_checkpoint(tmp_path / "m", family, head)
    config(folder, drop=("architectures",))
    assert read_card(folder).heads == (head,)


@pytest.mark.parametrize("family", ["bert", "albert", "mobilebert", "deberta"])
def test_architectures_decide_what_a_classifier_with_a_pooler_is_for(tmp_path: Path, family: str) -> None:
    folder = small_checkpoint(tmp_path / "m", family, CLASSIFY)
    (name,) = json.loads((folder / "config.json").read_text())["architectures"]
    config(folder, architectures=[name.replace("Sequence", "Token")])
    assert read_card(folder).heads == (TOKENS,)
    config(folder, architectures=[name.replace("SequenceClassification", "MultipleChoice")])
    assert read_card(folder).heads == ()
    config(folder, architectures=["SomethingElse"])
    assert read_card(folder).heads == (CLASSIFY,)


def test_a_token_classifier_is_no_text_classifier_whatever_its_config_says(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m", head=TOKENS)
    config(folder, id2label={"0": "O"})
    assert refusal(folder) == "m names 1 label, but its classifier has 2."
    config(folder, architectures=["BertForSequenceClassification"])
    assert read_card(folder).heads == ()


def test_a_mobilebert_without_a_pooler_layer_keeps_its_heads(tmp_path: Path) -> None:
    import transformers

    folder = small_checkpoint(tmp_path / "m", "mobilebert", PRETRAINING)
    made = transformers.AutoConfig.from_pretrained(folder, classifier_activation=False)
    transformers.AutoModelForPreTraining.from_config(made).save_pretrained(folder)
    assert not any("pooler" in name for name in header_of(folder / "model.safetensors")[0])
    assert read_card(folder).heads == PRETRAINING


HEAD_WEIGHTS = {
    "bert": "cls.predictions.transform.dense.weight cls.predictions.transform.LayerNorm.bias cls.predictions.bias",
    "distilbert": "vocab_transform.weight vocab_layer_norm.weight vocab_projector.bias",
    "roberta": "lm_head.dense.bias lm_head.layer_norm.weight lm_head.bias",
    "mpnet": "lm_head.dense.weight lm_head.layer_norm.bias lm_head.bias",
    "electra": "generator_predictions.dense.weight generator_predictions.LayerNorm.weight generator_lm_head.bias",
    "albert": "predictions.dense.weight predictions.LayerNorm.bias predictions.bias",
    "mobilebert": "cls.predictions.dense.weight cls.predictions.transform.dense.bias cls.predictions.bias",
    "deberta-v2": "cls.predictions.transform.dense.weight cls.predictions.bias",
}


@pytest.mark.parametrize(
    ("family", "weight"), [(name, weight) for name, all_ in HEAD_WEIGHTS.items() for weight in all_.split()]
)
def test_an_incomplete_masked_words_head_does_not_count(tmp_path: Path, family: str, weight: str) -> None:
    folder = small_checkpoint(tmp_path / "m", family, MASKED)
    rewrite(folder, lambda header: header.update({"other": header.pop(weight)}))
    assert read_card(folder).heads == ()


@pytest.mark.parametrize("weight", ["cls.seq_relationship.weight", "bert.pooler.dense.weight"])
def test_without_pooler_or_weight_there_is_no_next_sentence_head(tmp_path: Path, weight: str) -> None:
    folder = small_checkpoint(tmp_path / "m", "bert", PRETRAINING)
    rewrite(folder, lambda header: header.update({"other": header.pop(weight)}))
    assert read_card(folder).heads == (MASKED,)


def test_layers_of_other_pretraining_are_no_heads(tmp_path: Path) -> None:
    """ELECTRA's discriminator tells replaced words, ALBERT's second head the order of two passages."""
    import transformers

    for family, heads in (("electra", ()), ("albert", (MASKED,))):
        folder = small_checkpoint(tmp_path / family, family, MASKED)
        model = transformers.AutoModelForPreTraining.from_pretrained(folder)
        model.save_pretrained(folder)
        names = header_of(folder / "model.safetensors")[0]
        assert any("discriminator" in name or "sop_classifier" in name for name in names)
        assert read_card(folder).heads == heads


@pytest.mark.parametrize(
    ("family", "weight"),
    [
        ("bert", "cls.predictions.transform.dense.weight"),
        ("bert", "cls.predictions.bias"),
        ("bert", "cls.seq_relationship.weight"),
        ("mobilebert", "cls.predictions.dense.weight"),
    ],
)
def test_a_head_of_another_shape_is_refused(tmp_path: Path, family: str, weight: str) -> None:
    folder = small_checkpoint(tmp_path / "m", family, PRETRAINING)
    rewrite(folder, lambda header: header[weight].update(shape=[1, *header[weight]["shape"]]))
    assert "where its config says" in refusal(folder)


def test_a_folder_of_the_hub_s_cache_has_its_repository_s_name(reader: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models--someone--bert-small" / "snapshots" / "0123abcd"
    shutil.copytree(reader, folder)
    assert read_card(folder).name == "bert-small"


def test_a_sharded_checkpoint_is_read_as_one(reader: Path) -> None:
    import transformers

    whole = read_card(reader)
    model = transformers.BertForQuestionAnswering.from_pretrained(reader)
    (reader / "model.safetensors").unlink()
    model.save_pretrained(reader, max_shard_size="60KB")
    shards = sorted(path.name for path in reader.glob("*.safetensors"))
    assert len(shards) > 1
    card = read_card(reader)
    assert (card.heads, card.parameters) == (whole.heads, whole.parameters)
    (reader / shards[-1]).unlink()
    assert refusal(reader) == f"reader lacks its part {shards[-1]}."


def test_reading_cards_imports_no_torch(reader: Path) -> None:
    code = (
        "import sys; from app.models.disk.installed import Shelf; from app.engine.client import Engine\n"
        f"assert Shelf([{str(reader.parent)!r}]).cards()\n"
        "print([name for name in ('torch', 'transformers', 'numpy', 'tokenizers') if name in sys.modules])"
    )
    root = ROOT
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert said.stdout.strip() == "[]"
