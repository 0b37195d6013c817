from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard, ProblemType, QaCalibration
from app.models.card import Notes, read_card, read_notes, write_notes
from app.models.weights import read_header
from tests.helpers.small_models import FAMILIES, small_checkpoint

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION
Edit = Callable[[Path], object]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Head, Path]:
    folder = tmp_path_factory.mktemp("models")
    labels = ("bad", "fine", "good")
    return {
        QA: small_checkpoint(folder / "reader", "bert", QA),
        CLASSIFY: small_checkpoint(folder / "judge", "bert", CLASSIFY, labels),
    }


@pytest.fixture
def reader(originals: dict[Head, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[QA], tmp_path / "reader"))


@pytest.fixture
def judge(originals: dict[Head, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[CLASSIFY], tmp_path / "judge"))


def config(folder: Path, drop: tuple[str, ...] = (), **values: Any) -> None:
    path = folder / "config.json"
    kept = {key: value for key, value in json.loads(path.read_text()).items() if key not in drop}
    path.write_text(json.dumps(kept | values))


def refusal(folder: Path) -> str:
    """The message of a refusal, which must be one sentence with a hint."""
    with pytest.raises(SpanlightError) as caught:
        read_card(folder)
    fault = caught.value
    assert fault.hint
    assert "\n" not in fault.message
    assert fault.message.endswith(".")
    assert fault.hint.endswith(".")
    return fault.message


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def write_header(path: Path, header: object, data: bytes, length: int | None = None) -> None:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the header of a folder's weights, leaving the bytes."""
    path = folder / "model.safetensors"
    header, data = header_of(path)
    change(header)
    write_header(path, header, data)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("head", list(Head))
def test_a_card_says_what_a_checkpoint_holds(tmp_path: Path, family: str, head: Head) -> None:
    folder = small_checkpoint(tmp_path / family, family, head, ("a", "b", "c"))
    card = read_card(folder)
    assert card.name == family
    assert card.folder == str(folder)
    assert card.family == family
    assert card.heads == (head,)
    assert card.labels == (("a", "b", "c") if head is CLASSIFY else ())
    assert card.max_length == 512
    assert (card.window, card.stride) == (384, 128)
    assert card.dtype == "float32"
    weights = (folder / "model.safetensors").stat().st_size
    assert card.size > weights > 4 * card.parameters > 0.8 * weights


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_dtype_is_the_one_the_weights_are_stored_in(tmp_path: Path, dtype: str) -> None:
    assert read_card(small_checkpoint(tmp_path / "m", dtype=dtype)).dtype == dtype


def test_labels_stand_in_the_order_of_their_index(judge: Path) -> None:
    config(judge, id2label={"2": "good", "0": "bad", "1": "fine"})
    assert read_card(judge).labels == ("bad", "fine", "good")


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


def test_without_names_labels_are_numbered(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m", head=CLASSIFY, labels=("a", "b"))
    config(folder, drop=("id2label", "label2id"))
    assert read_card(folder).labels == ("LABEL_0", "LABEL_1")


@pytest.mark.parametrize(("said", "length"), [(256, 256), (10**30, 512), (4, 512), (1e30, 512), (None, 512)])
def test_the_tokenizer_may_ask_for_shorter_inputs(reader: Path, said: object, length: int) -> None:
    (reader / "tokenizer_config.json").write_text(json.dumps({"model_max_length": said}))
    card = read_card(reader)
    assert card.max_length == length
    assert card.window == min(384, length)


def test_a_short_model_has_a_window_and_stride_that_fit(tmp_path: Path) -> None:
    card = read_card(small_checkpoint(tmp_path / "m", "roberta", positions=64))
    assert (card.max_length, card.window, card.stride) == (64, 64, 21)


def test_a_checkpoint_without_heads_has_a_card_without_heads(tmp_path: Path) -> None:
    import transformers

    folder = small_checkpoint(tmp_path / "m")
    transformers.BertModel.from_pretrained(folder).save_pretrained(folder)
    assert "embeddings.word_embeddings.weight" in header_of(folder / "model.safetensors")[0]
    assert read_card(folder).heads == ()


@pytest.mark.parametrize("family", ["bert", "distilbert", "roberta", "mobilebert"])
def test_a_token_classifier_is_no_text_classifier(tmp_path: Path, family: str) -> None:
    import transformers

    folder = small_checkpoint(tmp_path / "m", family)
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder)
    model.save_pretrained(folder)
    assert read_card(folder).heads == ()


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


# Each edit of a whole question answering checkpoint, and a part of the sentence that refuses it.
REFUSALS: dict[str, tuple[Edit, str]] = {
    "no folder": (shutil.rmtree, "There is no model folder"),
    "no config": (lambda f: (f / "config.json").unlink(), "has no config.json"),
    "broken config": (lambda f: (f / "config.json").write_text("{"), "config.json is not well-formed JSON"),
    "config not an object": (
        lambda f: (f / "config.json").write_text("[]"),
        "config.json is not a JSON object",
    ),
    "config not UTF-8": (lambda f: (f / "config.json").write_bytes(b'{"a": "\xff"}'), "not well-formed"),
    "config nested deeply": (lambda f: (f / "config.json").write_text("[" * 10**5), "not well-formed"),
    "a folder for a config": (
        lambda f: ((f / "config.json").unlink(), (f / "config.json").mkdir()),
        "no config.json",
    ),
    "remote code": (lambda f: config(f, auto_map={"AutoModel": "evil.Model"}), "program code of its own"),
    "quantised": (lambda f: config(f, quantization_config={"bits": 4}), "is quantised"),
    "unknown family": (lambda f: config(f, model_type="gpt2"), "of the family 'gpt2'"),
    "no family": (lambda f: config(f, drop=("model_type",)), "of no family"),
    "family not a text": (lambda f: config(f, model_type=["bert"]), "of no family"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "has no model.safetensors"),
    "pickle only": (
        lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"),
        "only as pytorch_model.bin, a format that can carry programs",
    ),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer.json"),
    "broken tokenizer": (
        lambda f: (f / "tokenizer.json").write_text("nothing"),
        "tokenizer.json is not well-formed",
    ),
    "no vocabulary": (lambda f: (f / "tokenizer.json").write_text("{}"), "has no vocabulary"),
    "malformed vocabulary": (
        lambda f: (f / "tokenizer.json").write_text('{"model": {"vocab": {"a": "b"}}}'),
        "malformed vocabulary",
    ),
    "tokenizer too large": (
        lambda f: (f / "tokenizer.json").write_text('{"model": {"vocab": {"a": 99999}}}'),
        "knows 100,000 tokens, its weights only",
    ),
    "another vocabulary": (lambda f: config(f, vocab_size=1000), "The word embeddings of reader are"),
    "other positions": (
        lambda f: config(f, max_position_embeddings=600),
        "512 × 32 where its config says 600 × 32",
    ),
    "another width": (lambda f: config(f, hidden_size=64), "32 where its config says"),
    "more layers": (lambda f: config(f, num_hidden_layers=3), "holds 2 layers where its config names 3"),
    "absurd layers": (lambda f: config(f, num_hidden_layers=10**9), "num_hidden_layers is 1000000000"),
    "absurd width": (lambda f: config(f, hidden_size=10**12), "hidden_size is 1000000000000"),
    "absurd inner width": (
        lambda f: config(f, intermediate_size=10**12),
        "intermediate_size is 1000000000000",
    ),
    "absurd distances": (lambda f: config(f, position_buckets=10**9), "position_buckets is 1000000000"),
    "negative vocabulary": (lambda f: config(f, vocab_size=-1), "vocab_size is -1"),
    "vocabulary a text": (lambda f: config(f, vocab_size="many"), "vocab_size is many"),
    "no attention heads": (
        lambda f: config(f, drop=("num_attention_heads",)),
        "num_attention_heads is missing",
    ),
    "uneven attention heads": (lambda f: config(f, num_attention_heads=5), "32 is not a multiple of 5 heads"),
    "notes broken": (
        lambda f: (f / "spanlight.json").write_text('{"window": "wide"}'),
        "spanlight.json of reader is malformed",
    ),
    "notes not JSON": (lambda f: (f / "spanlight.json").write_text("?"), "spanlight.json is not well-formed"),
    "calibration of no sense": (
        lambda f: (f / "spanlight.json").write_text('{"calibration": {"temperature": 0}}'),
        "out of range",
    ),
    "an empty file": (
        lambda f: (f / "model.safetensors").write_bytes(b""),
        "ends before its own header does",
    ),
    "a cut header": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:100]),
        "ends before its own header does",
    ),
    "cut weights": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:-1000]),
        "is cut off: 1,000 bytes are missing",
    ),
    "too many bytes": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes() + b"0" * 8),
        "bytes that belong to no weight",
    ),
    "header length absurd": (
        lambda f: write_header(f / "model.safetensors", {}, b"", length=2**63),
        "ends before its own header does",
    ),
    "header not JSON": (
        lambda f: write_header(f / "model.safetensors", b"x" * 64, b""),
        "not well-formed JSON",
    ),
    "a weight twice": (
        lambda f: write_header(f / "model.safetensors", b'{"a": {}, "a": {}}', b""),
        "not well-formed JSON",
    ),
    "overlapping": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(data_offsets=[0, 8])),
        "weights that overlap or leave gaps",
    ),
    "offsets beyond the file": (
        lambda f: rewrite(
            f, lambda h: h.update(extra={"dtype": "F32", "shape": [2], "data_offsets": [10**9, 10**9 + 8]})
        ),
        "overlap or leave gaps",
    ),
    "wrong byte count": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(dtype="F64")),
        "describes qa_outputs.bias wrongly",
    ),
    "unknown dtype": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(dtype="Q4")),
        "describes qa_outputs.bias",
    ),
    "negative shape": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(shape=[-1, -2])),
        "describes qa_outputs.bias wrongly",
    ),
    "absurd shape": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(shape=[2**62, 2**62, 0])),
        "qa_outputs.bias",
    ),
    "an entry that is none": (lambda f: rewrite(f, lambda h: h.update(extra=7)), "describes extra wrongly"),
    "a head of another shape": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.weight"].update(shape=[4, 16])),
        "The start and end weights of reader are 4 × 16 where its config says 2 × 32",
    ),
    "a head without biases": (
        lambda f: rewrite(f, lambda h: h.update(other=h.pop("qa_outputs.bias"))),
        "no start and end biases",
    ),
    "weights as whole numbers": (
        lambda f: rewrite(f, lambda h: h["bert.embeddings.word_embeddings.weight"].update(dtype="I32")),
        "reader holds no word embeddings",
    ),
    "shards of elsewhere": (
        lambda f: (
            (f / "model.safetensors").unlink(),
            (f / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../other.safetensors"}}'),
        ),
        "names a file outside the folder",
    ),
    "an index of nothing": (
        lambda f: (
            (f / "model.safetensors").unlink(),
            (f / "model.safetensors.index.json").write_text('{"weight_map": {}}'),
        ),
        "names no weights",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_is_not_whole_is_refused_in_a_sentence(reader: Path, case: str) -> None:
    edit, said = REFUSALS[case]
    edit(reader)
    assert said in refusal(reader)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda f: config(f, id2label={"0": "bad", "1": "good"}), "names 2 labels, but its classifier has 3"),
        (lambda f: config(f, drop=("id2label",)), "names 2 labels, but its classifier has 3"),
        (lambda f: config(f, id2label={"0": "a", "1": "b", "3": "c"}), "labels of judge are malformed"),
        (lambda f: config(f, id2label={"0": "a", "1": "b", "2": 3}), "labels of judge are malformed"),
        (lambda f: config(f, id2label={"0": "a", "1": "b", "2": " "}), "labels of judge are malformed"),
        (
            lambda f: config(f, id2label={"0": "a", "1": "b", "2": "a"}),
            "Two labels of judge have the same name",
        ),
        (lambda f: config(f, id2label=["a", "b", "c"]), "labels of judge are malformed"),
        (lambda f: config(f, problem_type="guessing"), "problem_type that is not known"),
    ],
)
def test_labels_and_classifier_must_agree(judge: Path, edit: Edit, said: str) -> None:
    edit(judge)
    assert said in refusal(judge)


@given(cut=st.integers(0, 300_000))
def test_a_truncated_file_is_refused(originals: dict[Head, Path], tmp_path: Path, cut: int) -> None:
    content = (originals[QA] / "model.safetensors").read_bytes()
    path = tmp_path / "model.safetensors"
    path.write_bytes(content[: min(cut, len(content) - 1)])
    with pytest.raises(SpanlightError):
        read_header(path)


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=6))
def test_flipped_bytes_of_a_header_never_crash(
    originals: dict[Head, Path], reader: Path, flips: list[tuple[int, int]]
) -> None:
    content = bytearray((originals[QA] / "model.safetensors").read_bytes())
    for place, value in flips:
        content[place] = value
    (reader / "model.safetensors").write_bytes(content)
    _card_or_refusal(reader)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "model_type vocab_size hidden_size num_hidden_layers num_attention_heads max_position_embeddings architectures"
    " id2label problem_type pad_token_id embedding_size type_vocab_size num_labels intermediate_size"
).split()


@given(st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=3))
def test_a_config_of_any_values_never_crashes(
    originals: dict[Head, Path], judge: Path, values: dict[str, Any]
) -> None:
    shutil.copy(originals[CLASSIFY] / "config.json", judge)
    config(judge, **values)
    _card_or_refusal(judge)


@given(st.dictionaries(st.sampled_from(["model", "added_tokens", "window", "calibration", "measured"]), JSON))
def test_notes_and_tokenizers_of_any_values_never_crash(reader: Path, values: dict[str, Any]) -> None:
    (reader / "tokenizer.json").write_text(json.dumps(values))
    (reader / "spanlight.json").write_text(json.dumps(values))
    for read in (read_card, read_notes):
        try:
            read(reader)
        except SpanlightError as fault:
            assert fault.hint


def _card_or_refusal(folder: Path) -> None:
    try:
        card = read_card(folder)
    except SpanlightError as fault:
        assert fault.message
        assert fault.hint
    else:
        assert isinstance(card, ModelCard)


def test_notes_are_kept_as_written(reader: Path) -> None:
    notes = Notes(
        description="Reads short texts.",
        licence="Apache-2.0",
        window=256,
        stride=64,
        calibration=QaCalibration(2.0, -1.5, 0.25, 1.5, 0.4),
        class_temperature=1.25,
        measured={"dev": {"f1": 80.5, "em": 70.0}},
    )
    write_notes(reader, notes)
    assert read_notes(reader) == notes
    card = read_card(reader)
    assert card.calibration == notes.calibration
    assert (card.window, card.stride, card.class_temperature) == (256, 64, 1.25)
    assert card.measured == {"dev": {"f1": 80.5, "em": 70.0}}
    assert (card.description, card.licence) == ("Reads short texts.", "Apache-2.0")
    assert {path.name for path in reader.iterdir()} >= {"spanlight.json"}
    assert not list(reader.glob("*.part"))


def test_every_note_is_optional(reader: Path) -> None:
    (reader / "spanlight.json").write_text('{"calibration": {"threshold": 0.3}, "something": "else"}')
    card = read_card(reader)
    assert card.calibration == QaCalibration(threshold=0.3)
    assert card.class_temperature == 1.0


@pytest.mark.parametrize(("said", "window"), [(1, 16), (16, 16), (10**6, 512)])
def test_a_window_is_one_that_the_model_can_read(reader: Path, said: int, window: int) -> None:
    (reader / "spanlight.json").write_text(json.dumps({"window": said}))
    assert read_card(reader).window == window


def test_reading_cards_imports_no_torch(reader: Path) -> None:
    code = (
        "import sys; from app.models.installed import Shelf; from app.engine.client import Engine\n"
        f"assert Shelf([{str(reader.parent)!r}]).cards()\n"
        "print([name for name in ('torch', 'transformers', 'numpy', 'tokenizers') if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[2]
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert said.stdout.strip() == "[]"
