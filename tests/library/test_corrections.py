"""Corrections are stored, searched and deleted."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.corrections import Judgement, Verdict, passage_around
from app.core.models import Adjustment
from app.core.text import Document, Replacement, Span, View
from app.library.corrections import Corrections
from tests.helpers.corrections import correction

CORRECTION = correction(
    view=View((Replacement(0, 0, "Lease: "),), array("i", [14]), ((0, "Notice"),)),
    in_table=True,
    adjustment=Adjustment(0.5, 0.3, 1.5, 0.7),
)


@pytest.fixture
def corrections(tmp_path: Path) -> Corrections:
    return Corrections(tmp_path / "corrections.sqlite3")


def test_a_correction_comes_back_as_it_was(corrections: Corrections) -> None:
    put = corrections.put(CORRECTION)
    assert put == replace(CORRECTION, number=put.number)
    assert corrections.find(put.sha256, put.question) == put
    assert corrections.all() == [put]
    assert corrections.count() == 1


def test_a_question_of_a_document_has_one_verdict(corrections: Corrections) -> None:
    corrections.put(CORRECTION)
    absent = replace(CORRECTION, verdict=Verdict.NOT_THERE, words="", span=None)
    elsewhere = corrections.put(replace(CORRECTION, sha256="b" * 64, judged=CORRECTION.judged - 1))
    put = corrections.put(absent)
    assert corrections.all() == [put, elsewhere]
    assert corrections.all()[0].place is None


def test_search_ignores_case_and_accents_and_takes_signs_as_they_are(corrections: Corrections) -> None:
    put = corrections.put(replace(CORRECTION, question="Où est le café 100%?"))
    assert corrections.all("CAFE ou") == [put]
    assert corrections.all("100%") == [put]
    assert corrections.all("1_0%") == []
    assert corrections.all("lease.pdf 60") == [put]


def test_a_deleted_correction_gets_its_number_back(corrections: Corrections, tmp_path: Path) -> None:
    first, second = corrections.put(CORRECTION), corrections.put(replace(CORRECTION, question="Why?"))
    corrections.delete([first.number, 99])
    assert corrections.all() == [second]
    assert corrections.put(first) == first
    corrections.delete([second.number])
    assert corrections.all() == [first]
    corrections.close()
    assert Corrections(tmp_path / "corrections.sqlite3").all() == [first]


def test_an_undecodable_name_is_kept(corrections: Corrections) -> None:
    put = corrections.put(replace(CORRECTION, path="/home/me/\udce9.txt", name="\udce9.txt"))
    assert corrections.all() == [put]


@given(st.text(st.sampled_from("ab\n \U0001f469"), max_size=12).map(lambda text: text * 900), st.data())
def test_a_passage_holds_its_place(text: str, data: st.DataObject) -> None:
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    span = Span(bounds[0], min(bounds[1], bounds[0] + 40))
    start, passage, view = passage_around(Document(text), span)
    assert passage == text[start : start + len(passage)]
    assert Span(span.start - start, span.end - start).of(passage) == span.of(text)
    assert view is None


def test_verdicts_judge_the_probabilities(corrections: Corrections) -> None:
    said = {"probability": 0.6, "no_answer": 0.2, "adjustment": None}
    right = replace(
        CORRECTION, verdict=Verdict.RIGHT, span=CORRECTION.shown_span, words=CORRECTION.shown, **said
    )
    absent = replace(CORRECTION, verdict=Verdict.NOT_THERE, words="", span=None, **said)
    nothing = replace(CORRECTION, shown="", shown_span=None, **said | {"probability": 0.0, "no_answer": 1.0})
    for at, each in enumerate((right, replace(CORRECTION, **said), absent, nothing)):
        corrections.put(replace(each, question=f"Question {at}?"))
    corrections.put(replace(right, weights="", question="Whose?"))
    chance, share = 0.8, pytest.approx(0.75)
    assert corrections.judgements(CORRECTION.weights) == [
        Judgement(0.6, chance, share, answers=True, right=True),
        Judgement(0.6, chance, share, answers=True, right=False),
        Judgement(0.6, chance, share, answers=False, right=False),
        Judgement(None, 0.0, 0.0, answers=True, right=False),
    ]
    assert corrections.judgements("other") == []
    assert corrections.readers() == {("reader", CORRECTION.weights)}


def test_probabilities_are_those_before_an_adjustment(corrections: Corrections) -> None:
    corrections.put(CORRECTION)
    (judged,) = corrections.judgements(CORRECTION.weights)
    assert CORRECTION.adjustment is not None
    assert (judged.chance, judged.share) == CORRECTION.adjustment.undo(0.8, 0.62 / 0.8)
    assert judged.stated == 0.62
