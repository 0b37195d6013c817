from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import ProblemType
from app.core.report import Silent, Stopped
from app.core.requests import TextBatch, TextsToClassify
from app.core.results import Classification
from app.tasks.heads.classification import class_scores, classify, classify_batch
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import tokenise
from app.tasks.text.windows import PairTemplate, single_windows
from tests.helpers.fake_models import ClassModel, Noted, classifier

TWO = ("negative", "positive")
FOUR = ("anger", "joy", "optimism", "sadness")
PIECES = ("happy ", "sad ", "the best film\n\n", "worst. ", "日本 ", "👩\u200d👧 ", "x")
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES), st.integers(1, 60)).map(lambda run: run[0] * run[1]),
    min_size=1,
    max_size=6,
).map("".join)


def one(model: ReadyModel, text: str) -> Classification:
    (item,) = classify(TextsToClassify((text,)), model, Silent()).items
    return item


def probabilities(item: Classification) -> list[float]:
    return [score.probability for score in item.scores]


def by_hand(model: ReadyModel, text: str) -> tuple[np.ndarray, int, int]:
    """Pooled logits, windows and tokens: the mean over windows, weighted by the tokens each one scores."""
    fake = model.forward
    assert isinstance(fake, ClassModel)
    chunks = tokenise(model.tokenizer, text)
    card = model.card
    cut = list(
        single_windows(PairTemplate.of(model.tokenizer), chunks, text, length=card.window, stride=card.stride)
    )
    logits = [fake.table[w.input_ids].sum(axis=0) / 10 for w in cut]
    weights = [int(w.scored.sum()) for w in cut]
    return np.average(logits, axis=0, weights=weights), len(cut), sum(weights)


@given(TEXTS)
def test_a_long_text_is_the_weighted_mean_of_its_windows(text: str) -> None:
    model = classifier(FOUR, temperature=1.7)
    logits, windows, tokens = by_hand(model, text)
    e = np.exp((logits - logits.max()) / 1.7)
    item = one(model, text)
    assert probabilities(item) == pytest.approx((e / e.sum()).tolist(), abs=1e-5)
    assert (item.winner, item.probability) == (FOUR[int(np.argmax(logits))], max(probabilities(item)))
    assert item.problem == "single_label_classification"
    assert (item.windows, item.tokens) == (windows, tokens)
    assert tokens == len(model.tokenizer.encode(text, add_special_tokens=False).ids)


def scored(
    logits: list[float], labels: tuple[str, ...], problem: ProblemType, temperature: float = 1.0
) -> Classification:
    card = classifier(labels, problem, temperature=temperature).card
    return class_scores(np.array(logits, dtype=np.float32), card)


def test_multi_label_heads_give_every_label_its_own_probability() -> None:
    item = scored([0.0, np.log(3), -np.log(3), 0.0], FOUR, ProblemType.MULTI_LABEL)
    assert probabilities(item) == pytest.approx([0.5, 0.75, 0.25, 0.5])
    assert item.winner == "joy"
    assert item.problem == "multi_label_classification"
    assert scored([-1.0, -2.0, -0.1, -3.0], FOUR, ProblemType.MULTI_LABEL).winner == ""


def test_one_label_is_a_sigmoid_or_a_regression_never_a_softmax() -> None:
    spam = scored([np.log(3)], ("spam",), ProblemType.SINGLE_LABEL)
    assert probabilities(spam) == pytest.approx([0.75])
    assert spam.winner == "spam"
    assert scored([-1.0], ("spam",), ProblemType.SINGLE_LABEL).winner == ""
    stars = scored([3.75], ("stars",), ProblemType.REGRESSION, temperature=9.0)
    assert probabilities(stars) == [3.75]
    assert stars.winner == ""
    assert stars.problem == "regression"


def test_an_empty_text_is_refused_with_its_number() -> None:
    with pytest.raises(SpanlightError, match="Text 2 of 3 is empty"):
        classify(TextsToClassify(("a", " \n", "c")), classifier(TWO), Silent())
    with pytest.raises(SpanlightError, match="The text is empty"):
        classify(TextsToClassify(("",)), classifier(TWO), Silent())
    with pytest.raises(SpanlightError, match="no text"):
        classify(TextsToClassify(()), classifier(TWO), Silent())


def test_a_text_of_which_the_tokenizer_knows_nothing_still_has_classes() -> None:
    item = one(classifier(TWO), "\u200b\x01")
    assert sum(probabilities(item)) == pytest.approx(1.0)
    assert (item.windows, item.tokens) == (1, 0)


def test_every_text_of_a_batch_is_handed_over_as_soon_as_it_is_read() -> None:
    texts = tuple("happy sad film " * (1 + n * 7 % 40) + f"{n}" for n in range(150))
    model = classifier(FOUR)
    noted = Noted()
    items = classify_batch(TextBatch(texts), model, noted)
    whole = classify(TextsToClassify(texts), model, Silent()).items
    for item, other in zip(items, whole, strict=True):
        assert probabilities(item) == pytest.approx(probabilities(other), abs=1e-6)
    assert dict(noted.partials) == dict(enumerate(items))  # type: ignore[call-overload]
    assert len(noted.partials) == 150
    assert (noted.told[-1].done, noted.told[-1].total, noted.told[-1].what) == (150, 150, "texts")
    stopped = Noted(stop_at=70)
    with pytest.raises(Stopped):
        classify_batch(TextBatch(texts), model, stopped)
    assert 0 < len(stopped.partials) < 150


def test_one_long_text_tells_its_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    noted = Noted()
    item = classify(TextsToClassify(("the best film ever made. \n" * 900,)), classifier(TWO), noted).items[0]
    assert noted.told[-1].done == noted.told[-1].total == item.windows > 50
    assert noted.told[-1].what == "windows"
    assert noted.partials == []


def test_classifying_stops() -> None:
    model = classifier(TWO)
    with pytest.raises(Stopped):
        classify(TextsToClassify(("a film",) * 500), model, Noted(stop_at=70))
    fake = model.forward
    assert isinstance(fake, ClassModel)
    assert sum(fake.batches) < 100
