"""A long text read twice: what comes out is what reading everything exactly gives, in a fraction of the passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.report import Silent
from app.tasks.question_answering import read
from app.tasks.screening import LEAST_WINDOWS
from app.tasks.task import Arrays
from tests.helpers.fake_models import Noted
from tests.helpers.two_passes import Near, Varied, ask, found, text_of, twice


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 1000),
    st.floats(0, 0.25),
    st.sampled_from(["who stole the tarts", "king", "zebra"]),
    st.booleans(),
    st.sampled_from(["float32", "bfloat16"]),
    st.sampled_from([1, 5, 30]),
)
def test_reading_twice_gives_what_reading_everything_gives(
    seed: int, noise: float, words: str, in_order: bool, dtype: str, top_k: int
) -> None:
    model, exact, near = twice(seed, noise, dtype=dtype)
    texts = text_of(seed, 4000), "paris", text_of(seed + 1, 2000)
    whole = read(ask(words, *texts, top_k=top_k), replace(model, screen=None), Silent())
    everything, exact.rows = exact.rows, 0
    reading = read(ask(words, *texts, top_k=top_k, in_order=in_order), model, Silent())
    assert found(reading) == found(whole)
    assert reading.complete
    assert near.fitted == [4]
    assert reading.screened == everything - exact.rows > 0
    assert whole.screened == 0


def test_few_windows_are_read_exactly_and_the_answer_is_among_the_first() -> None:
    model, exact, near = twice(noise=0.3)
    text = text_of(4, 40_000)
    noted = Noted()
    reading = read(ask("who stole the tarts", text), model, noted)
    assert reading.windows > 1000
    assert exact.rows < reading.windows / 10
    assert near.calls < reading.windows / 7
    assert found(reading) == found(
        read(ask("who stole the tarts", text), replace(model, screen=None), Silent())
    )


def test_it_is_fitted_to_a_text_once_however_often_that_is_asked() -> None:
    model, _, near = twice()
    text, other = text_of(1), text_of(2)
    first = read(ask("who stole the tarts", text), model, Silent())
    for question in ("king", "who stole the tarts"):
        reading = read(ask(question, text), model, Silent())
        assert found(reading) == found(read(ask(question, text), replace(model, screen=None), Silent()))
        assert reading.screened
    assert near.fitted == [4]
    assert first.answers == reading.answers
    read(ask("king", text, "paris"), model, Silent())
    read(ask("king", other), model, Silent())
    assert near.fitted == [4, 4, 4], "another text, or more of them"


@pytest.mark.parametrize("words", [30, 2000])
def test_a_short_text_and_a_quick_question_are_never_screened(words: int) -> None:
    model, _, near = twice()
    reading = read(ask("king", text_of(1, words)), model, Silent())
    quick = read(ask("king", text_of(2), quick=True), model, Silent())
    assert reading.windows < LEAST_WINDOWS + 12
    assert quick.quick
    assert not near.fitted and not near.calls
    assert reading.screened == quick.screened == 0


class Broken(Near):
    """Works for `good` calls, then does what `fault` says."""

    def __init__(self, exact: Callable[[Arrays], Arrays], fault: str, good: int) -> None:
        super().__init__(exact, 0.1, begins=fault != "no")
        self.fault, self.good = fault, good

    def begin(self, arrays: Arrays, text: object = None) -> bool:
        if self.fault == "begin":
            raise RuntimeError("not here")
        return super().begin(arrays, text)

    def __call__(self, arrays: Arrays) -> Arrays:
        logits = super().__call__(arrays)
        if self.calls <= self.good:
            return logits
        match self.fault:
            case "raises":
                raise MemoryError
            case "nan":
                logits["end_logits"][-1, 5] = np.nan
            case "endless":
                logits["start_logits"][0, 3] = -np.inf
            case "short":
                return {name: values[:, :-1] for name, values in logits.items()}
            case "unnamed":
                return {"logits": logits["start_logits"]}
        return logits


@pytest.mark.parametrize("good", [0, 1, 5])
@pytest.mark.parametrize("fault", ["no", "begin", "raises", "nan", "endless", "short", "unnamed"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_screen_that_fails_is_given_up(fault: str, good: int, dtype: str) -> None:
    model, exact, _ = twice(dtype=dtype)
    broken = Broken(Varied(model.tokenizer), fault, good)
    question = ask("who stole the tarts", text_of(3))
    whole = read(question, replace(model, screen=None), Silent())
    everything, exact.rows = exact.rows, 0
    reading = read(question, replace(model, screen=broken), Silent())
    assert found(reading) == found(whole)
    assert broken.calls == (0 if fault in ("no", "begin") else good + 1)
    assert exact.rows == everything - reading.screened
    if not good:
        assert reading.screened == 0


@pytest.mark.parametrize("value", [0.0, -50.0, 50.0])
def test_a_screen_that_tells_nothing_costs_time_only(value: float) -> None:
    model, _, _ = twice()

    class Constant(Near):
        def __call__(self, arrays: Arrays) -> Arrays:
            return {name: np.full_like(values, value) for name, values in super().__call__(arrays).items()}

    question = ask("who stole the tarts", text_of(5))
    constant = replace(model, screen=Constant(Varied(model.tokenizer), 0.0))
    assert found(read(question, constant, Silent())) == found(
        read(question, replace(model, screen=None), Silent())
    )
