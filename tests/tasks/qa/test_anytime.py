"""Reading of several sections: the likeliest first, in order, quickly; the answers are the same to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import DeviceChoice, Head, QaCalibration
from app.core.report import Silent
from app.core.results import HEAT_BINS
from app.core.text import Document, Span
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.qa import question_run as run_module
from app.tasks.qa.question_answering import read
from app.tasks.qa.question_run import BEST_GROUPS, LEAST_HEAT, heat
from app.tasks.qa.spans import Candidate
from app.tasks.task import Arrays, ReadyModel
from app.tasks.text.sections import sections
from tests.helpers.fake_models import Noted, SpanModel, reader_of, span_reader
from tests.helpers.long_texts import WORDS, ask, found
from tests.helpers.small_models import small_checkpoint

TEXTS = st.lists(st.sampled_from(WORDS), max_size=500).map(" ".join)
FILLER = "the of and to in a was that it for as with his on be at by had. \n\n"


@pytest.fixture
def short_sections(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sections of at most 500 code points, so that small texts have many."""
    monkeypatch.setattr(run_module, "sections", partial(sections, size=500))
    yield


class ShapedModel(SpanModel):
    """Logits depend a little on everything that is in the batch, as in bfloat16."""

    def __call__(self, arrays: Arrays) -> Arrays:
        logits = super().__call__(arrays)
        nudge = np.float32(1e-2 * np.sin(float(arrays["input_ids"].sum()) + arrays["input_ids"].size))
        return {name: values + nudge for name, values in logits.items()}


@pytest.mark.usefixtures("short_sections")
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(["who stole tarts", "king", "zebra"]),
    st.integers(0, 9),
)
def test_the_end_is_the_same_in_every_order(texts: list[str], words: str, seed: int) -> None:
    model = span_reader(seed=seed)
    model = replace(model, forward=ShapedModel(model.tokenizer, seed))
    best_first = read(ask(words, *texts, top_k=20), model, Silent())
    in_order = read(ask(words, *texts, top_k=20, in_order=True), model, Silent())
    assert found(best_first) == found(in_order)
    assert best_first.complete and not best_first.quick


def test_a_real_models_answers_are_the_same_in_every_order(tmp_path: Path, short_sections: None) -> None:
    folder = small_checkpoint(tmp_path / "model", "bert")
    loaded = load(read_card(folder), Head.QUESTION_ANSWERING, DeviceChoice("cpu", "float32", "a test"))
    model = ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward)
    dice = np.random.default_rng(3)
    text = " ".join(dice.choice(WORDS, 1000))
    one = read(ask("who stole the tarts", text, top_k=20), model, Silent())
    other = read(ask("who stole the tarts", text, top_k=20, in_order=True), model, Silent())
    assert one.windows > 10
    assert [a.span for a in one.answers] == [a.span for a in other.answers]
    assert found(one) == found(other)


PARIS = {"paris": 10.0}


def test_the_first_partial_holds_the_answer_where_the_questions_words_stand() -> None:
    text = FILLER * 600 + "the king stole tarts in paris. \n\n" + FILLER * 200
    model = reader_of(PARIS, window=384, stride=128)
    for options, first in (({}, True), ({"in_order": True}, False)):
        noted = Noted()
        last = read(ask("where did the king steal tarts", text, **options), model, noted)
        assert last.answers[0].text == "paris"
        partial = noted.partials[0]
        assert not partial.complete
        assert (partial.answers[0].text == "paris") is first
        assert partial.windows <= 4


def test_a_quick_reading_reads_the_best_windows_only(short_sections: None) -> None:
    text = FILLER * 300 + "the king stole tarts in paris. \n\n" + FILLER * 300 + "in paris"
    noted = Noted()
    calibration = QaCalibration(per_log_window=0.5)
    quick = read(
        ask("where did the king steal tarts", text, quick=True),
        reader_of(PARIS, calibration=calibration),
        noted,
    )
    whole = read(
        ask("where did the king steal tarts", text), reader_of(PARIS, calibration=calibration), Silent()
    )
    assert quick.quick and quick.complete
    assert quick.windows == quick.windows_total == BEST_GROUPS < whole.windows
    assert quick.share_read == whole.share_read == whole.share_of_text == 1.0
    assert quick.share_of_text == pytest.approx(BEST_GROUPS / whole.windows, rel=0.05)
    assert quick.answers[0].span == whole.answers[0].span
    assert not any(answer.span.start > len(text) - 10 for answer in quick.answers if answer.text == "paris")
    assert noted.told[-1].done == noted.told[-1].total == BEST_GROUPS
    assert all(told.total <= BEST_GROUPS for told in noted.told)
    assert noted.told[0].document == 0
    # As careful as the reading of everything: those windows were chosen from all.
    assert quick.no_answer_probability == pytest.approx(whole.no_answer_probability, abs=0.02)


def test_a_short_document_is_read_whole_by_a_quick_reading_too() -> None:
    model = reader_of(PARIS)
    for text in ("", "in paris", FILLER * 10 + "in paris"):
        quick = read(ask("where did he live", text, quick=True), model, Silent())
        whole = read(ask("where did he live", text), model, Silent())
        assert found(quick) == found(whole)
        assert not quick.quick


def test_heat_is_where_answers_were_seen() -> None:
    texts = (FILLER * 120, FILLER * 60 + "in paris \n\n" + FILLER * 60, "")
    reading = read(ask("where did he live", *texts), reader_of(PARIS), Silent())
    assert [len(heat) for heat in reading.heat] == [HEAT_BINS] * 3
    assert max(reading.heat[0]) == max(reading.heat[2]) == 0.0
    at = texts[1].index("paris") * HEAT_BINS // len(texts[1])
    assert reading.heat[1][at] == pytest.approx(1 - reading.no_answer_probability)
    # A span may begin up to 48 tokens before the word.
    assert {part for part, value in enumerate(reading.heat[1]) if value} <= set(range(at - 8, at + 2))
    assert max(reading.heat[1]) == reading.heat[1][at]


def test_equally_good_places_are_equally_strong_and_the_weak_leave_no_trace() -> None:
    documents = (Document("x" * 1000), Document("x" * 100), Document(""))
    seen = [
        Candidate(6.0, 1.0, 1, Span(50, 60)),
        Candidate(8.0, 3.0, 0, Span(0, 1)),
        Candidate(6.0, 3.0, 0, Span(999, 1000)),
        Candidate(-20.0, 3.0, 0, Span(500, 510)),
    ]
    one, other, none = heat(documents, seen, 0.8, QaCalibration(answer_temperature=2.0))
    assert {part: value for part, value in enumerate(one) if value} == {
        0: 0.8,
        HEAT_BINS - 1: 0.8 * np.exp(-1),
    }
    assert {part for part, value in enumerate(other) if value} == set(range(128, 152))
    assert set(other) == {0.0, 0.8}
    assert none == (0.0,) * HEAT_BINS


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 40), st.floats(-20, 20)), max_size=20),
    st.integers(1, 1000),
    st.floats(0, 1),
)
def test_heat_covers_the_spans_in_any_order(
    seen: list[tuple[int, int, float]], length: int, says: float
) -> None:
    candidates = []
    for tenth, size, score in seen:
        start = tenth * length // 10
        candidates.append(Candidate(score, 0.0, 0, Span(start, max(start + 1, min(length, start + size)))))
    documents, calibration = (Document("x" * length),), QaCalibration(answer_temperature=3.0)
    (values,) = heat(documents, candidates, says, calibration)
    assert (values,) == heat(documents, candidates[::-1], says, calibration)
    assert len(values) == HEAT_BINS
    best = max((c.score for c in candidates), default=0.0)
    for candidate in candidates:
        strength = says * np.exp((candidate.score - best) / 3.0)
        for at in range(candidate.span.start, candidate.span.end):
            assert values[at * HEAT_BINS // length] >= strength - LEAST_HEAT
    assert max(values) == pytest.approx(says if candidates and says >= LEAST_HEAT else 0.0)
