from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.models.disk.card import read_card
from app.models.disk.weights import parse_object, read_header
from tests.helpers.cards import QA, Edit, config, refusal, rewrite, write_header

CONFIG, WEIGHTS, TOKENIZER, NOTES = "config.json", "model.safetensors", "tokenizer.json", "spanlight.json"
INDEX = "model.safetensors.index.json"


def gone(name: str) -> Edit:
    return lambda folder: (folder / name).unlink()


def wrote(name: str, content: str) -> Edit:
    return lambda folder: (folder / name).write_text(content)


def told(name: str, **values: Any) -> Edit:
    """Change the description of a weight in the header."""
    return lambda folder: rewrite(folder, lambda header: header[name].update(values))


def instead(name: str, other: str, content: str) -> Edit:
    return lambda folder: (gone(name)(folder), wrote(other, content)(folder))


# Each edit of a whole question answering checkpoint, and a part of the sentence that refuses it; tests.helpers.hostile
# has more, made to harm.
REFUSALS: dict[str, tuple[Edit, str]] = {
    "no folder": (shutil.rmtree, "There is no model folder"),
    "no config": (gone(CONFIG), "has no config.json"),
    "broken config": (wrote(CONFIG, "{"), "config.json is not well-formed JSON"),
    "config not an object": (wrote(CONFIG, "[]"), "config.json is not a JSON object"),
    "a folder for a config": (lambda f: (gone(CONFIG)(f), (f / CONFIG).mkdir()), "no config.json"),
    "unknown family": (lambda f: config(f, model_type="gpt2"), "of the family 'gpt2'"),
    "no family": (lambda f: config(f, drop=("model_type",)), "names no family"),
    "family not a text": (lambda f: config(f, model_type=["bert"]), "names no family"),
    "no weights": (gone(WEIGHTS), "has no model.safetensors"),
    "no tokenizer": (gone(TOKENIZER), "has no tokenizer.json"),
    "no vocabulary": (wrote(TOKENIZER, "{}"), "has no vocabulary"),
    "malformed vocabulary": (wrote(TOKENIZER, '{"model": {"vocab": {"a": "b"}}}'), "malformed vocabulary"),
    "another vocabulary": (lambda f: config(f, vocab_size=1000), "wrong shape the weights bert.embeddings.word"),
    "other positions": (lambda f: config(f, max_position_embeddings=600), "512 × 32 where its config says 600 × 32"),
    "another width": (lambda f: config(f, hidden_size=64), "32 where its config says"),
    "absurd layers": (lambda f: config(f, num_hidden_layers=10**9), "num_hidden_layers is 1000000000"),
    "absurd token types": (lambda f: config(f, type_vocab_size=10**9), "type_vocab_size is 1000000000"),
    "vocabulary a text": (lambda f: config(f, vocab_size="many"), "vocab_size is many"),
    "no attention heads": (lambda f: config(f, drop=("num_attention_heads",)), "num_attention_heads is missing"),
    "uneven attention heads": (lambda f: config(f, num_attention_heads=5), "32 is not a multiple of 5 heads"),
    "notes broken": (wrote(NOTES, '{"window": "wide"}'), "spanlight.json of reader is malformed"),
    "notes not JSON": (wrote(NOTES, "?"), "spanlight.json is not well-formed"),
    "calibration of no sense": (wrote(NOTES, '{"calibration": {"temperature": 0}}'), "out of range"),
    "an empty file": (wrote(WEIGHTS, ""), "ends before its own header does"),
    "too many bytes": (
        lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes() + b"0" * 8), "bytes that belong to no weight"
    ),
    "a weight twice": (lambda f: write_header(f / WEIGHTS, b'{"a": {}, "a": {}}', b""), "not well-formed JSON"),
    "offsets beyond the file": (
        lambda f: rewrite(
            f, lambda h: h.update(extra={"dtype": "F32", "shape": [2], "data_offsets": [10**9, 10**9 + 8]})
        ),
        "overlap or leave gaps",
    ),
    "wrong byte count": (told("qa_outputs.bias", dtype="F64"), "describes qa_outputs.bias wrongly"),
    "unknown dtype": (told("qa_outputs.bias", dtype="Q4"), "describes qa_outputs.bias"),
    "absurd shape": (told("qa_outputs.bias", shape=[2**62, 2**62, 0]), "qa_outputs.bias"),
    "an entry that is none": (lambda f: rewrite(f, lambda h: h.update(extra=7)), "describes extra wrongly"),
    "a head of another shape": (
        told("qa_outputs.weight", shape=[4, 16]),
        "reader holds in a wrong shape the weights qa_outputs.weight: 4 × 16 where its config says 2 × 32",
    ),
    "a head without biases": (
        lambda f: rewrite(f, lambda h: h.update(other=h.pop("qa_outputs.bias"))),
        "reader lacks the weights qa_outputs.bias",
    ),
    "an index of nothing": (instead(WEIGHTS, INDEX, '{"weight_map": {}}'), "names no weights"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_incomplete_checkpoints_are_refused_in_a_sentence(reader: Path, case: str) -> None:
    edit, said = REFUSALS[case]
    edit(reader)
    assert said in refusal(reader)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda f: config(f, id2label={"0": "bad", "1": "good"}), "names 2 labels, but its classifier has 3"),
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


def _card_or_refusal(folder: Path) -> None:
    try:
        card = read_card(folder)
    except SpanlightError as fault:
        assert fault.message
        assert fault.hint
    else:
        assert isinstance(card, ModelCard)


def test_a_large_vocabulary_lets_other_threads_work_meanwhile() -> None:
    vocabulary = [[f"▁word{number}", -number / 1000] for number in range(200_000)]
    text = json.dumps({"model": {"vocab": vocabulary}}).encode()
    found: list[dict[str, Any]] = []
    turns = 0
    reading = threading.Thread(target=lambda: found.append(parse_object(text, "tokenizer.json")))
    reading.start()
    while reading.is_alive():
        time.sleep(0.001)
        turns += 1
    assert found[0]["model"]["vocab"][-1] == vocabulary[-1]
    assert turns > 4


def test_numbers_are_as_json_has_them() -> None:
    found = parse_object(b'{"a": -12, "b": 1.5e3, "c": [0, 18446744073709551616]}', "config.json")
    assert found == {"a": -12, "b": 1500.0, "c": [0, 2**64]}
    assert type(found["a"]) is int and type(found["b"]) is float
    with pytest.raises(SpanlightError, match="not well-formed"):
        parse_object(b'{"a": ' + b"9" * 5000 + b"}", "config.json")
