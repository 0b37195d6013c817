"""A BERT learns from an MPNet that has its word pieces under other ids."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import TrainingRequest
from app.tasks.text.windows import PairTemplate
from app.training.examples import QaExample
from app.training.features import Features, with_paired
from app.training.folder import load_base, load_tokenizer
from app.training.parallel import Workers
from app.training.tasks import answer_loss, qa_task
from app.training.teacher import PREFIX, Teacher
from app.training.trainer import train
from tests.helpers.small_models import WORDS, small_checkpoint, small_tokenizer
from tests.training.test_trainer import Killed, Watched, request_for, resumes

BERT = small_tokenizer("bert")
OPTIONS = {"workers": 2.0, "bfloat16": 0.0, "checkpoint_every": 3.0}


def teacher_in(folder: Path, without: str = "", **kind) -> Path:
    """An MPNet with the small BERT's word pieces in reverse order, perhaps without one of them."""
    small_checkpoint(folder, "mpnet", seed=11, **kind)
    said = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = said["model"]["vocab"]
    last = len(vocabulary) + 4
    said["model"]["vocab"] = {w: n if n < 5 else last - n for w, n in vocabulary.items() if w != without}
    (folder / "tokenizer.json").write_text(json.dumps(said), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return teacher_in(tmp_path_factory.mktemp("teacher"))


@pytest.fixture(scope="module")
def teacher(folder: Path) -> Teacher:
    return Teacher(folder, BERT, 48)


def request_to(files: Path, folder: Path, **changes) -> TrainingRequest:
    return request_for(files, **{"teacher": str(folder), "options": OPTIONS} | changes)


TEXTS = st.lists(st.sampled_from([*WORDS, "zyx", "日", "?", "[SEP]"]), min_size=1, max_size=60).map(" ".join)


@given(asked=TEXTS, contexts=st.lists(TEXTS, min_size=1, max_size=3), title=st.sampled_from(["", "the king"]))
def test_the_teacher_reads_what_the_student_reads(
    folder: Path, teacher: Teacher, asked: str, contexts: list[str], title: str
) -> None:
    maker = Features(BERT, 48, beside=0.5, titled=0.5)
    examples = [QaExample("1", context, asked, (), title=title) for context in contexts]
    features = [maker.of_question(example, np.random.default_rng(1)) for example in examples]
    batch = teacher.collate(features, 0)
    own = load_tokenizer(folder)
    template = PairTemplate.of(own)
    for row, feature in enumerate(with_paired(features)):
        words = [BERT.id_to_token(i) for i in feature.input_ids.tolist()]
        question, context = words[1 : feature.context_at - 1], words[feature.context_at : -1]
        ids = batch[PREFIX + "input_ids"][row][batch[PREFIX + "attention_mask"][row] == 1].tolist()
        shown = [own.id_to_token(i) for i in ids]
        assert shown == ["<s>", *question, "</s>", "</s>", *context, "</s>"]
        assert not batch[PREFIX + "token_type_ids"].any() and len(ids) <= 48 - 3 + template.pair_overhead
        places = batch["teacher_positions"][row].tolist()
        assert [shown[place] for place in places if place >= 0] == ["<s>", *context]
        chosen = [at for at, place in enumerate(places) if place >= 0]
        assert chosen == [0, *range(feature.context_at, len(feature) - 1)]


@pytest.mark.parametrize("bfloat16", [0.0, pytest.param(1.0, marks=pytest.mark.long)])
def test_a_student_learns_from_the_teacher_without_any_label(
    files: Path, folder: Path, bfloat16: float
) -> None:
    options = {"workers": 2.0, "bfloat16": bfloat16, "unlabelled": 1.0}
    watched = Watched()
    train(
        request_to(files, folder, epochs=20.0, learning_rate=3e-3, evaluate_every=500, options=options),
        watched,
    )
    losses = [step.loss for step in watched.partials if not step.dev]
    assert sum(losses[-10:]) < 0.3 * sum(losses[:10])


def test_a_share_of_the_inputs_has_no_label(files: Path, folder: Path) -> None:
    def shares(**options: float) -> float:
        task = qa_task(replace(request, options=options), Path(request.base))
        made = task.epoch(np.random.default_rng(1))
        assert len(made) == task.epoch_size == 48
        return sum(f.targets == (len(f), len(f)) for f in made) / 48

    request = request_to(files, folder)
    assert shares() == 0 and shares(unlabelled=1.0) == 1 and 0.25 < shares(unlabelled=0.5) < 0.75
    request = replace(request, teacher="")
    assert shares(unlabelled=1.0) == 0


def test_labels_and_teacher_have_their_shares_in_the_loss(files: Path, folder: Path) -> None:
    def first_loss(**options: float) -> float:
        watched = Watched(1)
        with pytest.raises(Killed):
            train(request_to(files, folder, options=OPTIONS | options), watched)
        return watched.partials[0].loss

    with pytest.raises(Killed):
        train(request_for(files, options=OPTIONS), alone := Watched(1))
    labels, teacher = first_loss(imitate=0.0), first_loss(imitate=1.0)
    assert labels == pytest.approx(alone.partials[0].loss)
    assert labels != pytest.approx(teacher, rel=0.05)
    assert first_loss() == pytest.approx(0.3 * labels + 0.7 * teacher)
    assert first_loss(imitate=0.5) == pytest.approx((labels + teacher) / 2)
    assert first_loss(imitate=1.0, temperature=1.0) != pytest.approx(teacher, rel=0.01)


@pytest.mark.parametrize("bfloat16", [False, True])
def test_two_workers_learn_from_the_teacher_what_one_learns(
    tmp_path: Path, folder: Path, bfloat16: bool
) -> None:
    base = small_checkpoint(tmp_path, "bert")
    context = "the knave took the tarts . " + "the people went to the river . " * 30
    examples = [QaExample("1", context, f"who stole the {word}?", (("knave", 4),)) for word in WORDS[:5]]
    rng = np.random.default_rng(2)
    features = [Features(BERT, 48, beside=0.5).of_question(example, rng) for example in examples]
    assert {f.paired is None for f in features} == {True, False}
    found = []
    for count in (1, 2):
        model, teacher = load_base(base, "qa", (), 0.0, 1), Teacher(folder, BERT, 48)
        before = {name: weight.clone() for name, weight in teacher.model.state_dict().items()}
        with Workers(model, "cpu", answer_loss, count, bfloat16, teacher=teacher) as workers:
            loss = workers.learn(teacher.collate(features, 0))
        found.append((loss, torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])))
        assert all(torch.equal(w, before[n].to(w.dtype)) for n, w in teacher.model.state_dict().items())
    (one, wanted), (two, gradient) = found
    assert two == pytest.approx(one, rel=1e-2 if bfloat16 else 1e-5)
    assert float((gradient - wanted).norm() / wanted.norm()) < (0.05 if bfloat16 else 1e-5)


def test_a_killed_run_with_a_teacher_ends_with_the_same_weights(files: Path, folder: Path) -> None:
    ways = OPTIONS | {"unlabelled": 0.4, "swap": 0.2, "beside": 0.5}
    resumes(request_to(files, folder, dropout=0.1, options=ways), 7, 7)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_run_does_not_continue_with_another_teacher(files: Path, name: str) -> None:
    folder = teacher_in(files / "teacher")
    with pytest.raises(Killed):
        train(request_to(files, folder), Watched(7))
    path = folder / name
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000_000))
    watched = Watched(1)
    with pytest.raises(Killed):
        train(request_to(files, folder), watched)
    assert watched.partials[0].step == 1


def test_other_vocabularies_are_refused(files: Path, tmp_path: Path) -> None:
    for folder in (small_checkpoint(tmp_path / "a", "roberta"), teacher_in(tmp_path / "b", without="tarts")):
        with pytest.raises(SpanlightError, match="do not share their word pieces") as refused:
            train(request_to(files, folder), Silent())
        assert refused.value.hint
    assert "such as “tarts”" in str(refused.value)


def test_unsuitable_teachers_are_refused(files: Path, tmp_path: Path, folder: Path) -> None:
    short = teacher_in(tmp_path / "short", positions=48)
    headless = teacher_in(tmp_path / "headless", head=Head.CLASSIFICATION)
    for changes, sentence in (
        ({"teacher": str(tmp_path)}, "has no config.json"),
        ({"teacher": str(short)}, "at most 48 tokens at a time, and would need 49"),
        ({"teacher": str(headless)}, "cannot answer questions"),
        ({"options": {"imitate": 1.5}}, "cannot be imitated"),
        ({"options": {"temperature": 0.0}}, "cannot be imitated"),
    ):
        with pytest.raises(SpanlightError, match=sentence):
            train(request_to(files, folder, **changes), Silent())
    with pytest.raises(SpanlightError, match="Only question answering"):
        train(request_for(files, "classification", teacher=str(folder)), Silent())
