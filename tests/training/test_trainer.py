import json
import lzma
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification, AutoTokenizer

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import TrainingRequest
from app.core.results import TrainingStep
from app.models.compute.peak import Peak
from app.training import trainer
from app.training.trainer import train
from tests.helpers.children import Listener
from tests.helpers.opened_models import daily
from tests.helpers.small_models import FAMILIES, small_checkpoint
from tests.training.conftest import NAMES, THINGS


def request_for(files: Path, task: str = "qa", family: str = "bert", **changes) -> TrainingRequest:
    base = files / f"base-{family}"
    if not base.exists():
        head = Head.CLASSIFICATION if task == "classification" else Head.QUESTION_ANSWERING
        small_checkpoint(base, family, head, ("0", "1"))
    name = str(files / ("qa.jsonl" if task == "qa" else "texts.jsonl"))
    settings = {
        "task": task, "base": str(base), "examples": (name,), "dev": (name,), "output": str(files / "out"),
        "epochs": 2.0, "learning_rate": 1e-3, "batch_size": 8, "max_length": 48, "dropout": 0.0, "evaluate_every": 4,
        "device": "cpu", "options": {"workers": 2.0, "bfloat16": 0.0, "checkpoint_every": 3.0, "swap": 0.2},
    }  # fmt: skip
    return TrainingRequest(**(settings | changes))


# In bfloat16 the weights have copies; the other tests are in float32.
WAYS = pytest.mark.parametrize("bfloat16", [pytest.param(0.0, marks=pytest.mark.long), 1.0])


class Killed(Exception):
    pass


class Watched(Listener):
    """Records the steps, and kills the run at one of them."""

    def __init__(self, end_at: int = 0) -> None:
        super().__init__()
        self._end_at = end_at

    def partial(self, result: TrainingStep) -> None:
        super().partial(result)
        if result.step == self._end_at:
            raise Killed


def weights(folder: str) -> dict[str, torch.Tensor]:
    return load_file(Path(folder) / "model.safetensors")


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def resumes(request: TrainingRequest, end_at: int, first: int) -> None:
    """Hold that a run killed at a step goes on with step `first`, and ends as one that was not killed."""
    # The output's name belongs to the request: an uninterrupted run of the same name must not be mixed up.
    whole = train(replace(request, output=f"{request.output}-whole"), Silent())
    with pytest.raises(Killed):
        train(request, Watched(end_at))
    watched = Watched()
    resumed = train(request, watched)
    assert watched.partials[0].step == first
    assert equal(weights(whole.folder), weights(resumed.folder))
    assert (whole.best_step, whole.dev) == (resumed.best_step, resumed.dev)


def opened_whole(folder: str, kind: Any) -> Any:
    """The model in a folder of float16 weights, of which transformers lacks none and needs no other."""
    model, report = kind.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"] and not report["mismatched_keys"]
    assert model.dtype == torch.float16 and model.config.architectures == [type(model).__name__]
    return model


@pytest.mark.parametrize(("end_at", "first"), [(2, 1), (7, 7)])
def test_a_killed_run_ends_with_the_same_weights(files: Path, end_at: int, first: int) -> None:
    resumes(request_for(files, dropout=0.1), end_at, first)


@pytest.mark.parametrize(("family", "layers"), [("bert", 0), ("mpnet", 1)])
def test_frozen_layers_stay_as_they_are(files: Path, family: str, layers: int) -> None:
    options = {"workers": 2.0, "bfloat16": 0.0, "frozen": float(layers)}
    request = request_for(files, family=family, options=options)
    found = weights(train(request, Silent()).folder)
    for name, before in weights(request.base).items():
        shared = "embeddings" in name or "relative_attention_bias" in name
        if shared or any(f"layer.{i}." in name for i in range(layers)):
            assert torch.equal(found[name], before), name
        elif before.ndim == 2:
            assert not torch.equal(found[name], before), name


@WAYS
def test_the_loss_falls_and_the_answers_are_learnt(files: Path, bfloat16: float) -> None:
    watched = Watched()
    options = {"workers": 2.0, "bfloat16": bfloat16}
    request = request_for(files, epochs=25.0, learning_rate=3e-3, evaluate_every=50, options=options)
    training = train(request, watched)
    losses = [s.loss for s in watched.partials if not s.dev]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    assert training.dev["f1_answerable"] > 80 and training.dev["f1"] > 60
    assert watched.told[-1].done == training.steps == 150
    assert watched.partials[-1].dev
    rates = [s.learning_rate for s in watched.partials]
    assert max(rates) == 3e-3 and 0 < rates[-1] < 3e-5 and rates[0] < 1e-3
    assert not (files / "out.run").exists()
    assert {weight.dtype for weight in weights(training.folder).values()} == {torch.float32}


def test_classes_are_learnt_under_their_names(files: Path) -> None:
    name = str(files / "texts.jsonl") + "?labels=0:negative,1:positive"
    changes = {"learning_rate": 3e-3, "evaluate_every": 40, "options": {"workers": 2.0, "bfloat16": 0.0}}
    request = request_for(files, "classification", epochs=20.0, examples=(name,), dev=(name,), **changes)
    training = train(request, Silent())
    assert training.dev["accuracy"] > 0.95 and training.dev["macro_f1"] > 0.95
    model = AutoModelForSequenceClassification.from_pretrained(training.folder)
    assert model.config.id2label == {0: "negative", 1: "positive"}
    tokenizer = AutoTokenizer.from_pretrained(training.folder)
    with torch.inference_mode():
        logits = model(**tokenizer("the book was wonderful said the king", return_tensors="pt")).logits
    assert logits.argmax().item() == 1


@pytest.mark.parametrize("family", [daily(family) for family in FAMILIES])
@pytest.mark.parametrize("task", ["qa", "classification"])
def test_every_family_is_taught_and_opens_in_transformers(files: Path, family: str, task: str) -> None:
    request = request_for(files, task, family, epochs=0.5, options={"half": 1.0, "bfloat16": 0.0})
    training = train(request, Silent())
    kind = AutoModelForQuestionAnswering if task == "qa" else AutoModelForSequenceClassification
    opened_whole(training.folder, kind)
    written = {path.name for path in Path(training.folder).iterdir()}
    assert written == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    original = json.loads((Path(request.base) / "config.json").read_text())
    kept = json.loads((Path(training.folder) / "config.json").read_text())
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout"):
        assert kept.get(name) == original.get(name)


@pytest.fixture
def learnt_with(files: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, torch.Tensor]]:
    """The weights of a short run on a processor of given speeds, or one known to be fast or slow in bfloat16."""

    def learnt(
        peaks: dict[str, float] | None, family: str = "bert", quick: str = "", **options: float
    ) -> dict[str, torch.Tensor]:
        def measured(device: str, check: Callable[[], None]) -> tuple[Peak, ...]:
            assert peaks is not None, "nothing is to be measured"
            return tuple(Peak(dtype, flops) for dtype, flops in peaks.items())

        monkeypatch.setattr(trainer, "measure_peak", measured)
        monkeypatch.setattr(trainer.processor, "fast_bfloat16", lambda: quick)
        monkeypatch.setattr(trainer.processor, "bfloat16", lambda: quick if peaks is None else "AVX512-BF16")
        request = request_for(files, family=family, epochs=0.5, options={"workers": 1.0, **options})
        return weights(train(request, Silent()).folder)

    return learnt


@pytest.mark.parametrize(
    ("peaks", "wanted"),
    [
        ({"float32": 1e11, "bfloat16": 8e11, "float16": 1e10}, 1.0),
        ({"float32": 1e11, "bfloat16": 1.4e11}, 0.0),  # the copies cost more than that
        pytest.param({"float32": 1e11, "float16": 9e11}, 0.0, marks=pytest.mark.long),
        pytest.param({"bfloat16": 1e11}, 1.0, marks=pytest.mark.long),
        pytest.param({}, 0.0, marks=pytest.mark.long),
    ],
)
def test_bfloat16_is_used_where_the_processor_is_fast_in_it(
    learnt_with: Callable[..., dict[str, torch.Tensor]], peaks: dict[str, float], wanted: float
) -> None:
    found = learnt_with(peaks)
    assert equal(found, learnt_with(None, bfloat16=wanted))
    assert not equal(found, learnt_with(None, bfloat16=1.0 - wanted))


def test_no_speed_is_measured_where_family_or_processor_decide(
    learnt_with: Callable[..., dict[str, torch.Tensor]],
) -> None:
    assert equal(learnt_with(None, "deberta"), learnt_with(None, "deberta", bfloat16=0.0))
    assert equal(learnt_with(None, quick="AMX"), learnt_with(None, bfloat16=1.0))
    assert equal(learnt_with(None), learnt_with(None, bfloat16=0.0)), "without instructions for it"


@WAYS
def test_tables_and_documents_are_learnt_from(files: Path, bfloat16: float) -> None:
    table = {
        "id": "1",
        "question": "who took the book?",
        "table": [["man", "took"], *([name, thing] for name in NAMES for thing in THINGS)],
        "header_rows": 1,
        "answers": [{"text": "king", "row": 3, "column": 0, "start": 0}],
    }
    text = "the war\n\n" + "the people went to the river .\n" * 30 + "the king took the tarts ."
    asked = {"id": "2", "document": "a", "question": "who took the tarts?"}
    asked["answers"] = [{"text": "king", "answer_start": text.index("king")}]
    (files / "mixed.jsonl").write_text("\n".join(map(json.dumps, [table, asked] * 4)))
    with lzma.open(files / "documents.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"id": "a", "title": "Of the war", "text": text}))
    ways = {"bfloat16": bfloat16, "workers": 2.0, "beside": 0.7, "elsewhere": 0.2, "titled": 0.5}
    name = str(files / "mixed.jsonl")
    request = request_for(files, examples=(name,), dev=(name,), epochs=4.0, max_length=64, options=ways)
    watched = Watched()
    training = train(request, watched)
    assert training.steps == 4
    assert all(math.isfinite(step.loss) for step in watched.partials)
    assert not equal(weights(training.folder), weights(request.base))


def test_a_head_is_drawn_from_the_seed(files: Path) -> None:
    def head(seed: int) -> torch.Tensor:
        request = request_for(files, "classification", "electra", epochs=0.1, learning_rate=0.0, seed=seed)
        base = Path(request.base)
        kept = {k: v for k, v in load_file(base / "model.safetensors").items() if "classifier" not in k}
        save_file(kept, base / "model.safetensors", metadata={"format": "pt"})
        return weights(train(request, Silent()).folder)["classifier.out_proj.weight"]

    assert torch.equal(head(1), head(1))
    assert not torch.equal(head(1), head(2))


@pytest.mark.parametrize(
    "changes",
    [
        {"task": "translation"},
        {"examples": ("missing.jsonl",)},
        {"examples": ()},
        {"dev": ()},
        {"base": "nowhere"},
        {"device": "cuda:99"},
    ],
)
def test_impossible_requests_are_refused(files: Path, changes: dict) -> None:
    with pytest.raises(SpanlightError) as refused:
        train(request_for(files, **changes), Silent())
    assert refused.value.hint


def test_labels_that_do_not_fit_and_weights_cut_short_are_refused(files: Path) -> None:
    name = str(files / "texts.jsonl")
    for examples, dev in ((name + "?labels=0:no", name + "?labels=0:no"), (name + "?labels=0:a,1:b", name)):
        with pytest.raises(SpanlightError):
            train(request_for(files, "classification", examples=(examples,), dev=(dev,)), Silent())
    request = request_for(files)
    path = Path(request.base) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(SpanlightError):
        train(request, Silent())


@WAYS
def test_half_of_the_base_is_mixed_in_on_request(files: Path, bfloat16: float) -> None:
    options = {"workers": 2.0, "bfloat16": bfloat16, "last": 1.0}
    shares = {share: {"output": str(files / f"out{share}"), "evaluate_every": 5} for share in (0.0, 0.5)}
    whole, half = (
        train(request_for(files, options=options | {"of_base": share}, **changes), Silent())
        for share, changes in shares.items()
    )
    base, learnt, mixed = map(weights, (str(files / "base-bert"), whole.folder, half.folder))
    assert half.best_step == half.steps == 12
    for name, weight in mixed.items():
        torch.testing.assert_close(weight, (base[name] + learnt[name]) / 2, atol=1e-6, rtol=1e-5)
    assert any(not torch.equal(mixed[name], base[name]) for name in mixed)
