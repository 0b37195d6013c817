"""Masked words and next sentences are learnt by small BERTs as transformers' own class would."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import BertForPreTraining

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.requests import TrainingRequest
from app.training.folder import load_base, weight_files
from app.training.parallel import Workers
from app.training.pretraining import IGNORED, collate_masked, forward, pretraining_loss, pretraining_task
from app.training.tasks import TrainingTask
from app.training.trainer import train
from tests.helpers.small_models import small_checkpoint
from tests.training.test_trainer import opened_whole, request_for, resumes

STORY = "The king took the tarts . The queen was sad . Alice came to the river . The war was long . "
OTHER = "A film was bad . The book was wonderful . The man saw a rabbit . The city was great . "


@pytest.fixture
def files(tmp_path: Path) -> Path:
    leads = "king queen knave alice man river book film city war capital movie".split()
    rows = [
        {"context": f"{lead} . {(STORY, OTHER)[i % 2]}", "title": str(i % 6)} for i, lead in enumerate(leads)
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "dev.txt").write_text("The man took a book . The queen came .\n\nThe film was sad . A war .")
    small_checkpoint(tmp_path / "base-bert")
    return tmp_path


def request_of(files: Path, **changes) -> TrainingRequest:
    settings = {
        "base": str(files / "base-bert"), "examples": (str(files / "texts.jsonl"),), "dev": (str(files / "dev.txt"),),
        "epochs": 4.0, "batch_size": 6, "max_length": 32,
        "options": {"workers": 2.0, "bfloat16": 0.0, "checkpoint_every": 3.0, "near": 0.1, "short": 0.2},
    }  # fmt: skip
    return request_for(files, "pretraining", **settings | changes)


def begun(files: Path, **changes) -> tuple[TrainingTask, BertForPreTraining]:
    request = request_of(files, **changes)
    task = pretraining_task(request, files / "base-bert")
    model = load_base(files / "base-bert", "pretraining", (), 0.0, 1)
    assert isinstance(model, BertForPreTraining)
    task.begin(model)
    return task, model


def test_the_loss_is_transformers_own(files: Path) -> None:
    task, model = begun(files)
    made = [pair for pair in task.epoch(np.random.default_rng(0)) if pair.relation != IGNORED][:6]
    batch = {k: torch.from_numpy(v) for k, v in collate_masked(made, 0).items()}
    labels = torch.full_like(batch["input_ids"], -100)
    for row, pair in enumerate(made):
        labels[row, torch.from_numpy(pair.masked)] = torch.from_numpy(pair.words)
    model.eval()
    names = ("input_ids", "attention_mask", "token_type_ids")
    with torch.inference_mode():
        theirs = model(
            **{name: batch[name] for name in names}, labels=labels, next_sentence_label=batch["targets"][:, 0]
        ).loss
        ours = pretraining_loss(forward(model, batch), batch["targets"])
    assert float(ours) == pytest.approx(float(theirs), rel=1e-5)


def test_inputs_without_a_relation_cost_only_their_words(files: Path) -> None:
    task, model = begun(files)
    pair = replace(task.epoch(np.random.default_rng(0))[0], relation=IGNORED)
    batch = {k: torch.from_numpy(v) for k, v in collate_masked([pair], 0).items()}
    output = forward(model, batch)
    loss = pretraining_loss(output, batch["targets"])
    words = torch.nn.functional.cross_entropy(output.prediction_logits, torch.from_numpy(pair.words))
    assert loss.item() == pytest.approx(words.item())


def test_a_fresh_head_starts_from_word_frequencies(files: Path) -> None:
    task, model = begun(files)
    bias = model.cls.predictions.bias
    ids = {word: task.tokenizer.token_to_id(word) for word in ("the", "tarts", "paris")}
    assert bias[ids["the"]] > bias[ids["tarts"]] > bias[ids["paris"]]
    assert torch.exp(bias.double()).sum().item() == pytest.approx(1.0, rel=1e-4)
    assert model.cls.predictions.decoder.bias is bias
    assert torch.equal(model.cls.predictions.transform.dense.weight, torch.eye(32))


@pytest.mark.parametrize("megabytes", [0.0, 0.02], ids=["one file", "shards"])
def test_an_existing_head_is_kept(files: Path, megabytes: float) -> None:
    options = {"workers": 2.0, "bfloat16": 0.0, "shard": megabytes}
    base = Path(train(request_of(files, epochs=1.0, options=options), Silent()).folder)
    task = pretraining_task(request_of(files, base=str(base)), base)
    model = load_base(base, "pretraining", (), 0.0, 1)
    task.begin(model)
    kept = {name: weight for path in weight_files(base) for name, weight in load_file(path).items()}
    assert all(torch.equal(p, kept[name]) for name, p in model.named_parameters())
    assert (len(weight_files(base)) > 1) is (megabytes > 0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tied_weights_stay_tied_whatever_the_workers(files: Path, count: int) -> None:
    task, model = begun(files)
    batch = collate_masked(task.epoch(np.random.default_rng(0))[:6], 0)
    with Workers(model, "cpu", pretraining_loss, count, bfloat16=False, forward=forward) as workers:
        workers.learn(batch)
        words = model.bert.embeddings.word_embeddings.weight
        assert words.grad is not None
        torch.optim.SGD(model.parameters(), lr=0.5).step()
        for each in workers._models:
            assert each.cls.predictions.decoder.weight is each.bert.embeddings.word_embeddings.weight
            assert each.cls.predictions.decoder.weight.data_ptr() == words.data_ptr()
            assert each.cls.predictions.decoder.bias.data_ptr() == model.cls.predictions.bias.data_ptr()
        parts = workers.outputs(batch)
    model.eval()
    with torch.inference_mode():
        alone = forward(model, {k: torch.from_numpy(v) for k, v in batch.items()})
    joined = np.concatenate([part["prediction_logits"] for part in parts])
    np.testing.assert_allclose(joined, alone.prediction_logits.numpy(), atol=1e-4)


@pytest.mark.parametrize("count", [1, 2])
def test_tied_weights_are_copied_into_bfloat16_once(files: Path, count: int) -> None:
    task, model = begun(files)
    batch = collate_masked(task.epoch(np.random.default_rng(0))[:6], 0)
    found = []
    for bfloat16 in (False, True):
        mine = copy.deepcopy(model)
        with Workers(mine, "cpu", pretraining_loss, count, bfloat16, forward) as workers:
            workers.learn(batch)
            torch.optim.SGD(mine.parameters(), lr=0.5).step()
            loss = workers.learn(batch)
        found.append((loss, mine.bert.embeddings.word_embeddings.weight.grad))
    (wanted, exact), (loss, near) = found
    assert loss == pytest.approx(wanted, rel=0.02)
    # What both uses of the tied weight add to its gradient is there.
    assert float((near - exact).norm() / exact.norm()) < 0.05


def test_a_killed_run_ends_with_the_same_weights(files: Path) -> None:
    resumes(request_of(files), 5, 4)


def test_a_trained_model_opens_whole_in_transformers(files: Path) -> None:
    dev = files / "told-again.txt"
    dev.write_text(f"A rabbit . {STORY}\n\nFrance . {OTHER}" * 4)
    learnt = {"dev": (str(dev),), "options": {"workers": 1.0, "half": 1.0, "bfloat16": 0.0}}
    training = train(
        request_of(files, epochs=80.0, learning_rate=4e-3, evaluate_every=80, **learnt), Silent()
    )
    assert set(training.dev) == {"masked_top1", "masked_top5", "masked_loss", "next_sentence"}
    assert training.dev["masked_top5"] > 0.6 and training.dev["masked_loss"] < 3
    model = opened_whole(training.folder, BertForPreTraining)
    stored = load_file(Path(training.folder) / "model.safetensors")
    assert "cls.predictions.decoder.weight" not in stored
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight


def test_dev_text_is_left_out_of_training(files: Path) -> None:
    with pytest.raises(SpanlightError, match="no examples"):
        train(request_of(files, dev=(str(files / "texts.jsonl"),)), Silent())


def test_only_a_bert_has_both_heads(files: Path) -> None:
    small_checkpoint(files / "base-bert", "electra")
    with pytest.raises(SpanlightError, match="cannot be loaded"):
        train(request_of(files), Silent())
