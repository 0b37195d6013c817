"""Results that come in any order: what is ready, and when it is worth handing over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.tasks.heads.texts import OrderedResults


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
