"""Near decisions in less than float32: taken as in float32, and nothing is read again for clear ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import DeviceChoice, Head, QaCalibration
from app.core.report import Silent, Stopped
from app.core.requests import QuestionBatch
from app.core.results import Reading
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.qa.near_ties import TOLERANCES
from app.tasks.qa.question_answering import read, read_batch
from app.tasks.qa.question_run import QuestionRun
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.fake_models import Noted, SpanModel, span_reader
from tests.helpers.long_texts import ask, wave
from tests.helpers.small_models import small_checkpoint

WORDS = ("the king", "queen", "stole", "tarts", ". ", "\n\n", "שלום", "👩\u200d👩\u200d👧", "paris", "a")
TEXT = "The queen made good tarts. The knave of hearts stole all the tarts and took them away."
WHO = "Who stole the tarts?"


class Counted:
    """A forward pass that keeps what it was asked for, without padding."""

    def __init__(self, forward: Callable[[Arrays], Arrays | None]) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._forward = forward

    def __call__(self, arrays: Arrays) -> Arrays | None:
        for ids, mask in zip(arrays["input_ids"], arrays["attention_mask"], strict=True):
            self.rows.append(tuple(ids[mask == 1].tolist()))
        return self._forward(arrays)


class Narrow(SpanModel):
    """Logits that are off by at most `off`, at each place by another part of it."""

    off = 0.0

    def __call__(self, arrays: Arrays) -> Arrays:
        found = super().__call__(arrays)
        ids = arrays["input_ids"]
        places = np.arange(1, ids.shape[1] + 1)
        for phase, values in enumerate(found.values(), start=1):
            values += (self.off * np.sin(phase * 7.7 * places + ids)).astype(np.float32)
        return found


def fakes(off: float, seed: int = 1, dtype: str = "bfloat16") -> tuple[ReadyModel, ReadyModel, Counted]:
    """A model in less than float32, the same in float32, and what was read once more."""
    exact = span_reader(seed=seed, null=2.0)
    narrow = Narrow(exact.tokenizer, seed, 2.0)
    narrow.off = off
    again = Counted(exact.forward)
    device = replace(exact.device, dtype=dtype)
    return replace(exact, forward=narrow, device=device, precise=again), exact, again


def decided(reading: Reading) -> tuple[object, ...]:
    first = reading.answers[0].span if reading.answers else None
    return first, reading.answered, 1.0 - reading.no_answer_probability >= reading.absent


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("near") / "reader")


def real(folder: Path, dtype: str) -> ReadyModel:
    loaded = load(
        read_card(folder), Head.QUESTION_ANSWERING, DeviceChoice("cpu", dtype, "a test"), lambda: None
    )
    return ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward, precise=loaded.precise)


@pytest.mark.parametrize("limit", ["threshold", "absent"])
def test_a_near_outcome_of_bfloat16_is_that_of_float32(small: Path, limit: str) -> None:
    narrow, exact = real(small, "bfloat16"), real(small, "float32")
    assert exact.precise is None
    again = Counted(narrow.precise)
    margins = [
        read(ask(WHO, TEXT), model, Silent()).answers[0].rank
        for model in (replace(narrow, precise=None), exact)
    ]
    assert margins[0] != margins[1]
    near = ask(WHO, TEXT, threshold=0.5 if limit == "threshold" else 1.0)
    between = QaCalibration(offset=sum(margins) / 2, absent=0.5 if limit == "absent" else 0.0)
    card = replace(exact.card, calibration=between)
    narrow, exact = replace(narrow, card=card), replace(exact, card=card)
    plain, right = (read(near, model, Silent()) for model in (replace(narrow, precise=None), exact))
    assert decided(plain) != decided(right)
    found = read(near, replace(narrow, precise=again), Silent())
    assert decided(found) == decided(right)
    assert found.no_answer_probability == pytest.approx(right.no_answer_probability, abs=1e-6)
    assert len(again.rows) == 1
    (in_batch,) = read_batch(QuestionBatch((near,)), replace(narrow, precise=again), Silent())
    assert replace(in_batch, seconds=0.0) == replace(found, seconds=0.0)
    assert len(again.rows) == 2


def test_nothing_is_read_again_for_clear_answers_of_bfloat16(small: Path) -> None:
    narrow, exact = real(small, "bfloat16"), real(small, "float32")
    again = Counted(narrow.precise)
    clear = [
        ask(f"{word} {WHO}", TEXT, top_k=1, threshold=threshold)
        for word in ("king", "tarts", "paris", "movie", "war", "alice", "film", "story")
        for threshold in (0.0, 1.0)
    ]
    once: list[int] = []
    for question in clear:
        before = len(again.rows)
        found = read(question, replace(narrow, precise=again), Silent())
        assert decided(found) == decided(read(question, exact, Silent()))
        once.append(len(again.rows) - before)
    assert once.count(0) >= len(once) / 2
    assert max(once) <= 1
    assert narrow.precise.size == 0 or any(once), "it is loaded where it is needed only"


@given(
    st.integers(0, 1000),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=110),
    st.sampled_from(["who stole the tarts", "king", "zebra"]),
    st.sampled_from(["bfloat16", "float16"]),
    st.sampled_from([1, 5]),
    st.floats(0.05, 0.95),
    st.booleans(),
)
def test_what_differs_by_less_than_the_distances_never_decides(
    seed: int, words: list[str], question: str, dtype: str, top_k: int, threshold: float, batch: bool
) -> None:
    # A difference of two scores is one of four logits.
    narrow, exact, again = fakes(TOLERANCES[dtype].overlapping / 4.1, seed, dtype)
    asked = ask(question, " ".join(words), top_k=top_k, threshold=threshold)
    right = read(asked, exact, Silent())
    found = (
        read_batch(QuestionBatch((asked,)), narrow, Silent())[0] if batch else read(asked, narrow, Silent())
    )
    assert decided(found) == decided(right)
    assert len(set(again.rows)) <= right.windows_total
    assert (found.windows, found.windows_total, found.complete) == (
        right.windows, right.windows_total, True,
    )  # fmt: skip


def by_table(
    starts: dict[str, float], ends: dict[str, float], *, shift: float, shifted: str = "the"
) -> tuple[ReadyModel, Counted]:
    """A model with such logits, in which `shifted` starts `shift` better than in float32."""
    narrow, exact, again = fakes(0.0)
    number = narrow.tokenizer.token_to_id
    for model in (narrow.forward, exact.forward):
        model.starts[:] = model.ends[:] = -5.0
        for logits, words in ((model.starts, starts), (model.ends, ends)):
            for word, value in words.items():
                logits[number(word)] = value
    narrow.forward.starts[number(shifted)] += shift
    return narrow, again


@pytest.mark.parametrize(("ahead", "text", "read_again"), [(0.03, "king", 1), (0.07, "the king", 0)])
def test_a_span_that_shares_words_with_the_best_one_may_be_the_better(
    ahead: float, text: str, read_again: int
) -> None:
    # In float32 "king" alone is better by 0.02, in bfloat16 "the king" by so much as `ahead`.
    narrow, again = by_table({"the": 2.98, "king": 3.0}, {"king": 3.0}, shift=0.02 + ahead)
    asked = ask("who", "a story of the king", top_k=1, threshold=0.0)
    plain = read(asked, replace(narrow, precise=None), Silent())
    assert [one.text for one in plain.answers] == ["the king"]
    found = read(asked, narrow, Silent())
    assert [one.text for one in found.answers] == [text]
    assert len(again.rows) == read_again


def test_such_a_span_of_another_window_too() -> None:
    # In float32 "queen" is better by 0.02, in bfloat16 "king queen" by 0.03, which begins where another window scores.
    narrow, again = by_table({"king": 2.98, "queen": 3.0}, {"queen": 3.0}, shift=0.05, shifted="king")
    words = ["a"] * 80
    blank = QuestionRun(0, ask("who", " ".join(words)), narrow, Silent())
    [(_, first)], *_ = blank.groups(size=1)
    last = int(np.flatnonzero(first.scored)[-1])
    words[last : last + 2] = "king", "queen"
    asked = ask("who", " ".join(words), top_k=1, threshold=0.0)
    plain = read(asked, replace(narrow, precise=None), Silent())
    assert [one.text for one in plain.answers] == ["king queen"]
    found = read(asked, narrow, Silent())
    assert [one.text for one in found.answers] == ["queen"]
    assert len(again.rows) == 2


def test_in_float32_nothing_is_read_again() -> None:
    narrow, _, again = fakes(0.1, dtype="float32")
    asked = ask(WHO, " ".join(WORDS * 20))
    assert decided(read(asked, narrow, Silent())) == decided(
        read(asked, replace(narrow, precise=None), Silent())
    )
    assert not again.rows


def test_where_it_cannot_be_read_in_float32_all_stays_as_it_is() -> None:
    narrow, _, _ = fakes(0.02)
    asked = ask(WHO, " ".join(WORDS * 20))
    none = Counted(lambda arrays: None)
    found = read(asked, replace(narrow, precise=none), Silent())
    plain = read(asked, replace(narrow, precise=None), Silent())
    assert none.rows
    assert replace(found, seconds=0.0) == replace(plain, seconds=0.0)


def test_the_work_stops_before_it_is_read_again() -> None:
    narrow, _, again = fakes(0.02)
    asked = ask(WHO, " ".join(WORDS * 20))
    plain = Noted()
    read(asked, replace(narrow, precise=None), plain)
    with pytest.raises(Stopped):
        read(asked, narrow, Noted(stop_at=plain.checks + 1))
    assert not again.rows
    read(asked, narrow, Silent())
    assert again.rows


class Wavy(Narrow):
    """Some windows are much likelier to hold an answer than others."""

    def __call__(self, arrays: Arrays) -> Arrays:
        found = super().__call__(arrays)
        found["start_logits"][:, 1:] += 6 * wave(arrays) ** 9  # not of [CLS]
        return found


def test_of_a_long_text_few_windows_are_read_again() -> None:
    model = span_reader(seed=3, calibration=QaCalibration(threshold=0.5))
    exact, narrow = Wavy(model.tokenizer, 3), Wavy(model.tokenizer, 3)
    narrow.off = 0.01
    first, again = Counted(narrow), Counted(exact)
    device = replace(model.device, dtype="bfloat16")
    ready = replace(model, forward=first, precise=again, device=device)
    text = " ".join(np.random.default_rng(3).choice(WORDS, 6000))
    asked = ask("who stole the tarts", text, top_k=5)
    found = read(asked, ready, Silent())
    right = read(asked, replace(model, forward=exact), Silent())
    assert decided(found) == decided(right)
    assert [one.span for one in found.answers] == [one.span for one in right.answers]
    assert found.windows_total > 150
    assert 0 < len(again.rows) <= 18
    assert set(again.rows) <= set(first.rows)
    assert len(set(again.rows)) == len(again.rows), "each of them once"
