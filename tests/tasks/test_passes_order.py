"""Windows read exactly and looked over: in which order, what is said meanwhile, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from app.core.report import Silent, Stopped
from app.core.requests import QuestionBatch
from app.core.results import Reading
from app.tasks.passes import Passes
from app.tasks.question_answering import read, read_batch
from app.tasks.screening import Piece
from app.tasks.task import Arrays
from tests.helpers.fake_models import Noted
from tests.helpers.two_passes import Near, Varied, ask, found, text_of, twice


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
