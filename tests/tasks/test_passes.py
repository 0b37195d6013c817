"""A long text read twice: what comes out is what reading everything exactly gives, in a fraction of the passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.report import Silent, Stopped
from app.core.requests import Question, QuestionBatch
from app.core.results import Reading
from app.core.text import Document
from app.tasks.passes import Passes
from app.tasks.question_answering import read, read_batch
from app.tasks.screening import LEAST_WINDOWS, Piece
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.fake_models import Noted, SpanModel, span_reader

WORDS = (
    "the king",
    "queen",
    "stole",
    "tarts",
    ". ",
    "\n\n",
    "שלום",
    "日本語",
    "👩\u200d👩\u200d👧",
    "paris",
    "a",
    "story",
)


class Varied(SpanModel):
    """Some windows are much likelier to hold an answer than others; counts the windows that it reads."""

    rows = 0
    first = np.zeros((0, 0))

    def __call__(self, arrays: Arrays) -> Arrays:
        logits = super().__call__(arrays)
        self.rows += len(arrays["input_ids"])
        self.first = arrays["input_ids"] if len(self.shapes) == 1 else self.first
        logits["start_logits"] += 6 * wave(arrays, 1.0) ** 9
        return logits


def wave(arrays: Arrays, phase: float) -> np.ndarray:
    """A number for each row that its tokens make, -1 to 1, whatever else is in the batch."""
    ids = arrays["input_ids"] * arrays["attention_mask"]
    places = np.arange(1, ids.shape[1] + 1)
    return np.sin(phase * (ids * places).sum(axis=1, keepdims=True)).astype(np.float32)


class Near:
    """A screen that is off by at most `noise` in a span's score, each window by its own part of it."""

    def __init__(self, exact: Callable[[Arrays], Arrays], noise: float, *, begins: bool = True) -> None:
        self.noise = noise
        self.fitted: list[int] = []
        self.calls = 0
        self.text: object = None
        self._begins = begins
        self._exact = exact

    def fits(self, text: object) -> bool:
        return text is not None and self.text == text

    def begin(self, arrays: Arrays, text: object = None) -> bool:
        self.fitted.append(len(arrays["input_ids"]))
        self.text = text if self._begins else None
        return self._begins

    def __call__(self, arrays: Arrays) -> Arrays:
        self.calls += 1
        logits = self._exact(arrays)
        off = self.noise / 2 * wave(arrays, 2.0)
        return {name: values + off for name, values in logits.items()}


def twice(seed: int = 1, noise: float = 0.2, *, dtype: str = "float32") -> tuple[ReadyModel, Varied, Near]:
    model = span_reader(seed=seed)
    exact = Varied(model.tokenizer, seed)
    near = Near(Varied(model.tokenizer, seed), noise)
    device = replace(model.device, dtype=dtype)
    return replace(model, forward=exact, screen=near, device=device), exact, near


def text_of(seed: int, words: int = 6000) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


def ask(text: str, *documents: str, **options: object) -> Question:
    return Question(text, tuple(Document(d) for d in documents), **options)


def found(reading: Reading) -> tuple[object, ...]:
    return (
        reading.answers, reading.answered, reading.no_answer_probability, reading.heat,
        reading.windows, reading.windows_total, reading.complete, reading.quick,
    )  # fmt: skip


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


def test_a_batch_reads_long_texts_twice_and_short_ones_mixed() -> None:
    model, _, near = twice()
    texts = ("the king", text_of(6), "", text_of(7), "queen stole tarts", text_of(8, 300), "paris")
    questions = tuple(ask("who stole the tarts", text) for text in texts)
    noted = Noted()
    together = read_batch(QuestionBatch(questions), model, noted)
    alone = [read(question, replace(model, screen=None), Silent()) for question in questions]
    assert list(map(found, together)) == list(map(found, alone))
    assert [bool(reading.screened) for reading in together] == [len(text) > 20_000 for text in texts]
    assert near.fitted == [4, 4]
    assert sorted(noted.partials, key=lambda one: one[0]) == list(enumerate(together))
    assert noted.told[-1].done == noted.told[-1].total == len(texts)
    assert all(reading.seconds > 0 for reading in together if reading.windows)


def test_a_long_text_without_a_word_in_a_batch_is_answered_too() -> None:
    model, _, _ = twice()
    noted = Noted()
    questions = tuple(ask("who", text) for text in ("paris", " " * 600_000, "king"))
    readings = read_batch(QuestionBatch(questions), model, noted)
    assert list(map(found, readings)) == [
        found(read(question, replace(model, screen=None), Silent())) for question in questions
    ]
    assert readings[1].complete and not readings[1].windows
    assert noted.told[-1].done == len(questions)


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_in_less_than_float32_neighbours_are_read_together(
    seed: int, in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window's logits depend on its batch there: what they are must not depend on when it was read."""
    whole: dict[int, int] = {}
    batches: list[list[int]] = []
    groups, exactly = Passes._groups, Passes._exactly

    def noting_groups(self: Passes) -> Iterator[list[Piece]]:
        for group in groups(self):
            whole[group[0].group] = len(group)
            yield group

    def noting(self: Passes, pieces: Sequence[Piece]) -> Arrays:
        batches.append([piece.group for piece in pieces])
        return exactly(self, pieces)

    monkeypatch.setattr(Passes, "_groups", noting_groups)
    monkeypatch.setattr(Passes, "_exactly", noting)
    model, _, _ = twice(seed, 0.3, dtype="bfloat16")
    reading = read(ask("who stole the tarts", text_of(seed, 12_000), in_order=in_order), model, Silent())
    assert 0 < reading.screened < reading.windows
    for batch in batches:
        assert batch == batch[:1] * whole[batch[0]]


def test_progress_never_goes_back_and_ends_at_the_number_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    model, _, _ = twice(noise=1.5)
    noted = Noted()
    reading = read(ask("who stole the tarts", text_of(9, 12_000)), model, noted)
    assert reading.screened
    assert noted.told[-1].done == noted.told[-1].total == reading.windows == reading.windows_total
    assert all(after.done >= before.done for before, after in pairwise(noted.told))
    assert all(told.seconds_left is None or told.seconds_left >= 0 for told in noted.told)
    partials = [partial for partial in noted.partials if isinstance(partial, Reading)]
    assert len(partials) > 1
    assert not any(partial.complete for partial in partials)
    assert all(after.windows >= before.windows for before, after in pairwise(partials))
    bests = [partial.answers[0].score for partial in partials]
    assert bests == sorted(bests)


def test_what_may_be_the_answer_is_read_before_the_rest_is_screened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One window in the middle of a long text holds the answer: as soon as it was screened, it is read and shown."""
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    model, _, _ = twice()
    text = text_of(10, 20_000)

    class Marked(Varied):
        def __call__(self, arrays: Arrays) -> Arrays:
            logits = super().__call__(arrays)
            seen = arrays["input_ids"] == model.tokenizer.token_to_id("rabbit")
            logits["start_logits"][seen] = logits["end_logits"][seen] = 20.0
            return logits

    middle = len(text) // 2
    text = f"{text[:middle]} rabbit {text[middle:]}"
    marked = Marked(model.tokenizer)
    model = replace(model, forward=marked, screen=Near(Marked(model.tokenizer), 0.2))
    assert isinstance(model.screen, Near)
    calls: list[int] = []

    class When(Noted):
        def partial(self, result: object) -> None:
            super().partial(result)
            if isinstance(result, Reading) and result.answers[0].text == "rabbit":
                calls.append(model.screen.calls)

    reading = read(ask("story", text), model, When())
    assert reading.answers[0].text == "rabbit"
    assert calls and calls[0] < model.screen.calls


def test_of_a_long_text_the_likeliest_windows_are_read_alone_first() -> None:
    model, exact, _ = twice()
    text = text_of(12, 3000) + " rabbit knave hearts in paris " + text_of(13, 3000)
    question = ask("what did the rabbit knave of hearts do", text)
    noted = Noted()
    read(question, model, noted)
    sizes = [rows for rows, _ in exact.shapes]
    assert sizes[:6] == [1] * 6, "one of each of six groups"
    assert 1 < sizes[6] < 4, "then what is left of the first"
    partial = noted.partials[0]
    assert isinstance(partial, Reading)
    assert partial.windows == 1
    assert model.tokenizer.token_to_id("rabbit") in exact.first
    exact.shapes.clear()
    read(question, replace(model, device=replace(model.device, dtype="bfloat16")), Silent())
    assert exact.shapes[0][0] == 4


def test_a_stop_within_the_screen_is_a_stop() -> None:
    model, _, _ = twice()

    class Breaking(Near):
        def __call__(self, arrays: Arrays) -> Arrays:
            if self.calls == 3:
                raise Stopped
            return super().__call__(arrays)

    with pytest.raises(Stopped):
        read(ask("king", text_of(1)), replace(model, screen=Breaking(Varied(model.tokenizer), 0.1)), Silent())


def test_a_stop_comes_before_the_next_batch_of_either_pass() -> None:
    question = ask("who stole the tarts", text_of(11))
    model, _, _ = twice()
    counted = Noted()
    read(question, model, counted)
    for stop_at in range(5, counted.checks, max(1, counted.checks // 12)):
        model, exact, near = twice()
        before = exact.rows + near.calls
        with pytest.raises(Stopped):
            read(question, model, Noted(stop_at))
        assert exact.rows + near.calls >= before
