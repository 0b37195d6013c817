"""Results that come in any order: what is ready, when it is worth handing over, and that every head does so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.report import Silent
from app.core.requests import PassagePairs, TextsToClassify, TextsToTag
from app.tasks.heads.classification import classify
from app.tasks.heads.next_sentence import follow
from app.tasks.heads.texts import OrderedResults
from app.tasks.heads.token_classification import tag
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import Noted, classifier, tagger
from tests.tasks.heads.test_next_sentence import follower


@given(st.integers(1, 30).flatmap(lambda count: st.permutations(range(count))))
def test_what_is_handed_over_has_no_gap_and_is_in_order(order: list[int]) -> None:
    items: OrderedResults[str] = OrderedResults(len(order))
    handed = 0
    for come, index in enumerate(order, start=1):
        items.put(index, str(index))
        ready = next(at for at in range(len(order) + 1) if at not in order[:come])
        assert (items.done, items.ready, items.complete) == (come, ready, come == len(order))
        assert items.prefix() == [str(at) for at in range(ready)]
        if items.worth_reporting(items.ready):
            assert ready > handed and not items.complete
            handed = ready
    assert items.prefix() == [str(at) for at in range(len(order))]


def test_partial_results_grow_by_a_quarter_at_least() -> None:
    items: OrderedResults[int] = OrderedResults(1000)
    told = []
    for index in range(1000):
        items.put(index, index)
        if items.worth_reporting(items.ready):
            told.append(items.ready)
    assert told[:6] == [1, 2, 3, 4, 6, 8]
    assert len(told) < 40
    assert told[-1] < 1000, "the last one is no part"


TEXTS = tuple("happy sad film " * (1 + n * 7 % 40) + f"{n}" for n in range(200))
PAIRS = tuple((text, f"the queen {n}") for n, text in enumerate(TEXTS))


@pytest.mark.parametrize(
    ("run", "request_of", "model", "asked", "what"),
    [
        (classify, TextsToClassify, classifier(("anger", "joy", "sadness")), TEXTS, "texts"),
        (tag, TextsToTag, tagger(("O", "B-PER", "I-PER", "B-LOC", "I-LOC")), TEXTS, "texts"),
        (follow, PassagePairs, follower(), PAIRS, "pairs"),
    ],
    ids=["classify", "tag", "follow"],
)
def test_many_come_back_in_their_order_with_partials_on_the_way(
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[..., Any],
    request_of: Callable[..., Any],
    model: ReadyModel,
    asked: tuple[Any, ...],
    what: str,
) -> None:
    def numbers(item: Any) -> list[float]:
        rows = getattr(item, "scores", None) or getattr(item, "words", None) or [item]
        return [row.probability for row in rows]

    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    noted = Noted()
    found = run(request_of(asked), model, noted)
    assert (len(found.items), found.model, found.device) == (200, "fake", "CPU")
    for n in range(0, 200, 37):
        (alone,) = run(request_of(asked[n : n + 1]), model, Silent()).items
        assert numbers(found.items[n]) == pytest.approx(numbers(alone), abs=1e-6)
    assert (noted.told[-1].done, noted.told[-1].total, noted.told[-1].what) == (200, 200, what)
    sizes = [len(partial.items) for partial in noted.partials]  # type: ignore[attr-defined]
    assert len(sizes) > 1 and sizes == sorted(set(sizes)) and sum(sizes) < 5 * 200
    for partial in noted.partials:
        assert partial.items == found.items[: len(partial.items)]  # type: ignore[attr-defined]
