from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from app.core.errors import SpanlightError
from app.core.models import Head, ProblemType
from app.core.report import Silent, Stopped
from app.core.requests import HeadToTeach, TextsToClassify
from app.models.compute.device import choose
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.classification import classify
from app.tasks.task import ReadyModel
from app.tasks.text.windows import PairTemplate
from app.training.contrastive import ContrastiveTrainer, pair_loss, steps_for, teach_head
from app.training.pretraining import FOLLOWS, IGNORED, RANDOM, MaskedPair, Pairs, Passage, collate_masked
from tests.helpers.children import Listener
from tests.helpers.small_models import small_checkpoint, small_tokenizer
from tests.helpers.teaching import LABELS, TEXTS

NAMES = ("cats", "teas")
BERT = small_tokenizer("bert")
TEMPLATE = PairTemplate.of(BERT)
START, CLS, SEP, MASK = 5, *(BERT.token_to_id(name) for name in ("[CLS]", "[SEP]", "[MASK]"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("base") / "encoder", head=Head.EMBEDDINGS)


def request_for(base: Path, output: Path | None = None, **changes: object) -> HeadToTeach:
    targets = tuple((NAMES.index(label),) for label in LABELS)
    request = HeadToTeach(tuple(TEXTS), targets, NAMES, str(base), str(output or ""), steps=12, device="cpu")
    return replace(request, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def taught(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(teach_head(request_for(base, tmp_path_factory.mktemp("taught") / "a"), Silent()).folder)


def ready(folder: Path, *, opened: bool = False) -> ReadyModel:
    found = load(read_card(folder), Head.CLASSIFICATION, choose("cpu", "float32"), opened=opened)
    return ReadyModel(found.card, found.device, found.tokenizer, found.forward, found.inside)


def test_labels_are_learnt_and_predicted_for_held_out_texts(base: Path, tmp_path: Path) -> None:
    found = teach_head(request_for(base, held=(0, 1, 2, 3)), Silent())
    assert [NAMES[int(np.argmax(one))] for one in found.held] == LABELS[:4]
    assert all(sum(one) == pytest.approx(1.0, abs=1e-4) for one in found.held)
    assert found.folder == "" and found.steps == 12


def test_a_taught_folder_classifies_and_both_encoders_agree(taught: Path) -> None:
    card = read_card(taught)
    assert card.heads == (Head.CLASSIFICATION,) and card.labels == NAMES
    own, theirs = ready(taught), ready(taught, opened=True)
    found = classify(TextsToClassify(tuple(TEXTS)), own, Silent())
    assert [item.winner for item in found.items] == LABELS
    for text in (TEXTS[0], "bread", "the king and alice is a cat on the tea"):
        one, other = (classify(TextsToClassify((text,)), model, Silent()).items[0] for model in (own, theirs))
        assert [s.probability for s in one.scores] == pytest.approx(
            [s.probability for s in other.scores], abs=1e-4
        )


def test_transformers_opens_it_and_the_head_is_a_linear_over_the_mean(taught: Path) -> None:
    model, tokenizer = AutoModel.from_pretrained(taught).float().eval(), AutoTokenizer.from_pretrained(taught)
    weights = load_file(taught / "model.safetensors")
    inputs = tokenizer(TEXTS[1], return_tensors="pt")
    with torch.inference_mode():
        states = model(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
        ).last_hidden_state
        mean = torch.nn.functional.normalize(states.mean(1), dim=-1)
        logits = mean @ weights["classifier.weight"].float().T + weights["classifier.bias"].float()
    item = classify(TextsToClassify((TEXTS[1],)), ready(taught), Silent()).items[0]
    assert logits.softmax(-1)[0].tolist() == pytest.approx([s.probability for s in item.scores], abs=1e-4)


def test_several_labels_may_apply(base: Path, tmp_path: Path) -> None:
    targets = tuple((0, 1) if at % 3 == 0 else (at % 2,) for at in range(len(TEXTS)))
    folder = Path(
        teach_head(request_for(base, tmp_path / "taught", targets=targets, multi=True), Silent()).folder
    )
    card = read_card(folder)
    assert card.problem is ProblemType.MULTI_LABEL
    item = classify(TextsToClassify((TEXTS[0],)), ready(folder), Silent()).items[0]
    assert all(0 <= score.probability <= 1 for score in item.scores)


def test_a_missing_base_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError):
        teach_head(request_for(tmp_path / "none"), Silent())


def test_the_loss_is_least_where_cosines_are_the_shares_of_common_labels() -> None:
    vectors = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    targets = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert float(pair_loss(vectors, targets)) == pytest.approx(0.0, abs=1e-6)
    assert float(pair_loss(vectors, torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))) > 0.3
    half = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    angle = torch.tensor([[1.0, 0.0], [0.5, 3**0.5 / 2]])
    assert float(pair_loss(angle, half)) == pytest.approx(0.0, abs=1e-6)
    assert float(pair_loss(torch.ones(1, 2), torch.ones(1, 2))) == 0.0


def test_more_examples_take_more_steps_up_to_a_limit() -> None:
    counts = [steps_for(examples) for examples in (4, 100, 400, 10_000, 100_000)]
    assert counts == sorted(counts) and counts[0] == 30 and counts[-1] == 120


def stopping_in_step(steps: int, layers: int) -> Listener:
    """Stops after a number of steps and of layers of the next step."""
    left = iter(range(layers))
    return Listener(
        lambda heard: bool(heard.told) and heard.told[-1].done >= steps and next(left, None) is None
    )


@pytest.mark.parametrize("layers", [0, 80])
def test_a_run_that_was_stopped_in_a_step_goes_on_from_it(base: Path, tmp_path: Path, layers: int) -> None:
    whole = teach_head(request_for(base, held=(0, 1)), Silent())
    stopped: dict[HeadToTeach, ContrastiveTrainer] = {}
    with pytest.raises(Stopped):
        teach_head(request_for(base, tmp_path / "taught", held=(0, 1)), stopping_in_step(5, layers), stopped)
    assert not (tmp_path / "taught").exists()
    later = Listener()
    found = teach_head(request_for(base, held=(0, 1)), later, stopped)
    assert [each.done for each in later.told if each.total] == list(range(later.told[1].done, 13))
    assert later.told[1].done > 5 and found.held == whole.held


def test_a_run_from_other_examples_begins_anew(base: Path) -> None:
    stopped: dict[HeadToTeach, ContrastiveTrainer] = {}
    with pytest.raises(Stopped):
        teach_head(request_for(base), stopping_in_step(5, 0), stopped)
    later = Listener()
    teach_head(request_for(base, seed=14), later, stopped)
    assert later.told[1].done == 1 and not stopped


def numbered(shapes: list[list[int]], documents: list[str]) -> list[Passage]:
    """Passages of sentences of given lengths; every token of all of them has an id of its own, in order."""
    made, at = [], START
    for shape, document in zip(shapes, documents, strict=True):
        sentences = []
        for size in shape:
            sentences.append(np.arange(at, at + size))
            at += size
        made.append(Passage(tuple(sentences), document))
    return made


def whole(pair: MaskedPair) -> tuple[list[int], list[int]]:
    """Both segments, with their tokens at the masked positions."""
    ids = pair.input_ids.copy()
    ids[pair.masked] = pair.words
    ends = np.flatnonzero(ids == SEP).tolist()
    assert ids[0] == CLS and ids[-1] == SEP
    first = ids[1 : ends[0]].tolist()
    return first, ids[ends[0] + 1 : -1].tolist() if len(ends) > 1 else []


PASSAGES = st.lists(
    st.tuples(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.sampled_from("abc")),
    min_size=1,
    max_size=5,
)


@given(
    passages=PASSAGES,
    length=st.integers(16, 40),
    near=st.sampled_from([0.0, 0.5]),
    short=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 10_000),
)
def test_a_follow_up_follows_and_another_is_from_elsewhere(passages, length, near, short, seed) -> None:
    made = numbered([shape for shape, _ in passages], [document for _, document in passages])
    home = {int(token): i for i, p in enumerate(made) for s in p.sentences for token in s}
    ends = {int(s[-1]) for p in made for s in p.sentences}
    rng = np.random.default_rng(seed)
    index = int(rng.integers(len(made)))
    pair = Pairs(BERT, made, length, 0.15, near, short).draw(index, rng)
    assert len(pair) <= length and len(pair.masked) >= 1
    assert pair.token_type_ids.tolist() == sorted(pair.token_type_ids.tolist())
    first, second = whole(pair)
    for stretch in (first, second):
        assert all(b == a + 1 for a, b in pairwise(stretch))
        assert len({home[token] for token in stretch}) <= 1
    assert home[first[0]] == index
    if pair.relation == IGNORED:
        assert not second
        return
    assert first[-1] in ends
    if pair.relation == FOLLOWS:
        assert second[0] == first[-1] + 1 and home[second[0]] == index
    else:
        assert pair.relation == RANDOM and home[second[0]] != index
        if not near:
            assert made[home[second[0]]].document != made[index].document


def test_half_of_the_pairs_follow() -> None:
    made = numbered([[4] * 5] * 40, [str(i) for i in range(40)])
    pairs = Pairs(BERT, made, 32, 0.15)
    rng = np.random.default_rng(0)
    relations = [pairs.draw(i % 40, rng).relation for i in range(2000)]
    assert IGNORED not in relations
    assert abs(relations.count(FOLLOWS) / 2000 - 0.5) < 0.04


def test_one_document_alone_has_true_follow_ups_only() -> None:
    pairs = Pairs(BERT, numbered([[4] * 5] * 3, ["a"] * 3), 32, 0.15)
    rng = np.random.default_rng(0)
    assert {pairs.draw(i % 3, rng).relation for i in range(60)} == {FOLLOWS}


def test_a_passage_is_drawn_as_often_as_it_fills_inputs() -> None:
    pairs = Pairs(BERT, numbered([[3], [30] * 10], ["a", "b"]), 63, 0.15)
    assert (pairs.draws(0), pairs.draws(1)) == (1, 5)


def test_the_arrays_of_a_batch() -> None:
    made = numbered([[4] * 6, [5], [6] * 6], ["a", "b", "c"])
    pairs = Pairs(BERT, made, 40, 0.3)
    rng = np.random.default_rng(2)
    features = [pairs.draw(i, rng) for i in (0, 1, 2)]
    batch = collate_masked(features, pad_id=0)
    assert batch["input_ids"].shape[1] % 8 == 0
    assert batch["targets"][1, 0] == IGNORED
    for row, feature in enumerate(features):
        size = len(feature.masked)
        assert batch["masked"][row].tolist() == [
            *feature.masked.tolist(),
            *[-1] * (batch["masked"].shape[1] - size),
        ]
        assert batch["targets"][row, 1 : 1 + size].tolist() == feature.words.tolist()
        assert set(batch["targets"][row, 1 + size :].tolist()) <= {IGNORED}
        assert batch["attention_mask"][row].sum() == len(feature)
