import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForTokenClassification

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.requests import TrainingRequest
from app.training.losses import IGNORED
from app.training.names import Tagging, collate_tagged, dev_figures, labels_of
from app.training.tagged import TaggedText, detokenise
from app.training.trainer import train
from tests.helpers.opened_models import daily
from tests.helpers.small_models import FAMILIES, small_tokenizer
from tests.training.test_trainer import opened_whole, request_for

BERT = small_tokenizer("bert")
MIXED = ["king", "Ann", "U.S.", "wonderfully", ",", "'s", "\u00e9t\u00e9", "\U0001f600"]
LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")


def tagged(words: str, tags: str) -> TaggedText:
    text, places = detokenise(words.split())
    return TaggedText(text, places, tuple(tags.split()), "s")


def pieces(example: TaggedText, length: int = 64) -> list[tuple[str, str]]:
    made = Tagging(BERT, LABELS, length).of_text(example)
    names = [LABELS[t] if t != IGNORED else "-" for t in made.tags]
    return [(BERT.id_to_token(i), name) for i, name in zip(made.input_ids.tolist(), names, strict=True)]


def test_first_pieces_carry_the_tag_and_a_name_goes_on_in_the_word() -> None:
    found = pieces(tagged("the U.S. king Wonderfully came .", "O B-LOC O B-PER I-PER O"))
    assert " ".join(tag for _, tag in found) == "- O B-LOC - - - O B-PER - - I-PER O -"
    assert found[2] == ("u", "B-LOC") and found[7] == ("wonderful", "B-PER")
    cut = pieces(tagged("king/queen came", "B-PER O"))
    assert [tag for piece, tag in cut if piece in ("king", "/", "queen")] == ["B-PER", "I-PER", "I-PER"]


@given(
    words=st.lists(st.sampled_from(MIXED), min_size=1, max_size=20),
    family=st.sampled_from(["bert", "roberta", "albert", "deberta-v2"]),
    length=st.integers(12, 80),
    seed=st.integers(0, 100),
)  # fmt: skip
def test_every_word_that_fits_has_its_own_first_token(words, family, length, seed) -> None:
    tokenizer = small_tokenizer(family)
    rng = np.random.default_rng(seed)
    text, places = detokenise(words)
    example = TaggedText(
        text, places, tuple(LABELS[int(i)] for i in rng.integers(len(LABELS), size=len(words)))
    )
    made = Tagging(tokenizer, LABELS, length).of_text(example)
    assert len(made) <= length and len(made.tags) == len(made)
    heads = [head for head in made.first_pieces.tolist() if head >= 0]
    assert heads == sorted(set(heads))
    for word, head in enumerate(made.first_pieces.tolist()):
        if head >= 0:
            assert LABELS[made.tags[head]][1:] == example.tags[word][1:]
    if length == 80 and family == "bert" and len(made) < length:
        assert all(head >= 0 for head in made.first_pieces)


def test_labels_are_sorted_with_b_and_i_of_each_kind() -> None:
    assert labels_of([tagged("Rome Ann", "B-LOC I-PER")]) == LABELS
    with pytest.raises(SpanlightError):
        labels_of([tagged("the king", "O O")])


def test_dev_figures_of_a_model_that_knows_and_of_one_that_does_not() -> None:
    examples = [tagged("Ann Lee came .", "B-PER I-PER O O"), tagged("wonderfully Rome", "O B-LOC")]
    make = Tagging(BERT, LABELS, 32)

    def read(batch):
        logits = np.zeros((*batch["targets"].shape, 5), dtype=np.float32)
        for at in np.argwhere(batch["targets"] > 0):
            logits[(*at, batch["targets"][tuple(at)])] = 1.0
        return [{"logits": logits}]

    known = dev_figures(examples, make, 0, read, Silent())
    assert known["f1"] == known["f1 PER"] == known["f1 LOC"] == known["f1 s"] == 1.0
    none = dev_figures(
        examples, make, 0, lambda b: [{"logits": np.eye(5)[0] + np.zeros((*b["targets"].shape, 5))}], Silent()
    )
    assert none["f1"] == none["recall"] == 0.0


def test_the_arrays_of_a_batch() -> None:
    make = Tagging(BERT, LABELS, 32)
    batch = collate_tagged(
        [make.of_text(tagged("Ann", "B-PER")), make.of_text(tagged("the king came", "O O O"))], 0
    )
    assert batch["targets"].shape == batch["input_ids"].shape == (2, 8)
    assert batch["targets"][0, :2].tolist() == [IGNORED, 3]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = []
    for i in range(40):
        name, place = ("king", "queen", "knave", "alice")[i % 4], ("paris", "france")[i // 4 % 2]
        rows.append(
            {
                "tokens": ["the", name, "came", "to", place, "."],
                "tags": ["O", "B-who", "O", "O", "B-LOC", "O"],
            }
        )
    (tmp_path / "names.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def request_of(files: Path, family: str = "bert", **changes) -> TrainingRequest:
    name = str(files / "names.jsonl") + "?labels=who:PER,LOC:LOC"
    options = {"workers": 2.0, "bfloat16": 0.0, "checkpoint_every": 3.0, "join": 3.0}
    named = {"examples": (name,), "dev": (name,), "options": options}
    return request_for(files, "tokens", family, **named | changes)


def test_names_are_learnt(files: Path) -> None:
    training = train(request_of(files, epochs=12.0, learning_rate=4e-3, evaluate_every=30), Silent())
    assert training.dev["f1"] > 0.95 and training.dev["f1 PER"] > 0.9
    model = AutoModelForTokenClassification.from_pretrained(training.folder)
    assert tuple(model.config.id2label.values()) == LABELS and model.config.label2id["I-PER"] == 4


@pytest.mark.parametrize("family", [daily(family) for family in FAMILIES])
def test_every_family_is_taught_and_opens_in_transformers(files: Path, family: str) -> None:
    training = train(request_of(files, family, epochs=0.4, options={"half": 1.0, "bfloat16": 0.0}), Silent())
    opened_whole(training.folder, AutoModelForTokenClassification)


def test_a_kind_of_dev_that_the_examples_lack_is_refused(files: Path) -> None:
    path = str(files / "names.jsonl")
    with pytest.raises(SpanlightError, match="lack"):
        train(request_of(files, examples=(path + "?labels=who:PER",), dev=(path,)), Silent())
