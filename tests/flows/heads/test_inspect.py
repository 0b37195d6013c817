"""Looks and comparisons through a workspace, and their export as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.inside import Attention, InputToken, InputWindow, Losses, LossTerm, Part, Pooling
from app.core.inspection import (
    Example,
    Look,
    LookAtAttention,
    LookAtLoss,
    LookAtModel,
    LookAtPooling,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Subject,
)
from app.core.models import Head
from app.core.report import Report, Silent, Stopped
from app.core.requests import ModelChoice, PassagePairs, Question, TextsToClassify, TextsToTag, TextToFill
from app.core.text import Document
from app.flows.heads.export_inside import inside_csv, plain
from app.flows.heads.inspect import compare, look, request_of
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.fake_models import Noted
from tests.helpers.insides import ASKED, BLANKED, FOLLOWED, NAMED, REVIEW, SUBJECTS, answer

LOOKS: tuple[Look, ...] = (
    LookAtModel(ASKED),
    LookAtSpans(ASKED),
    LookAtPooling(REVIEW),
    LookAtLoss(ASKED, Example()),
    LookAtReasons(ASKED),
    LookAtAttention(ASKED, 1),
    LookWithout(ASKED),
)


class Looker(FakeEngine):
    """Answers looks, and plain requests with their choice's folder."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        self.requests.append(request)
        self.choices.append(choice)
        report.partial("half")
        return answer(request, choice, report)


@pytest.mark.parametrize("request_", LOOKS, ids=lambda one: type(one).__name__)
def test_a_look_goes_to_its_subject_s_head(tmp_path: Path, request_: Look) -> None:
    engine = Looker()
    workspace = fake_workspace(tmp_path, engine)
    seen = look(workspace, request_, Silent(), device="cpu")
    assert engine.requests == [request_]
    assert engine.choices == [workspace.choose(request_.subject.head, "", "cpu", Silent())]
    lines = list(csv.reader(io.StringIO(inside_csv(seen))))
    assert len({len(line) for line in lines}) == 1
    assert len(lines) > 2
    json.loads(json.dumps(plain(seen), allow_nan=False))


def test_numbers_come_out_whole() -> None:
    seen = answer(LookAtSpans(ASKED), None, Silent())
    rows = list(csv.DictReader(io.StringIO(inside_csv(seen))))
    assert [float(row["start logit"]) for row in rows] == list(seen.start_logits)
    assert [float(row["end probability"]) for row in rows] == list(seen.end_probabilities)
    assert [(row["token"], int(row["id"])) for row in rows] == [(t.piece, t.id) for t in seen.window.tokens]
    values = plain(seen)
    assert values["start_logits"] == list(seen.start_logits)
    assert values["window"]["tokens"][1]["span"] == {"start": 0, "end": 4}


@given(st.integers(1, 3), st.integers(1, 5), st.data())
def test_attention_by_head_and_token(heads: int, length: int, data: st.DataObject) -> None:
    weights = data.draw(
        st.lists(st.floats(0, 1, width=32), min_size=heads * length**2, max_size=heads * length**2)
    )
    window = InputWindow(tuple(InputToken(f"t{n}", n, 0, Part.TEXT) for n in range(length)))
    seen = Attention(window, 2, 6, heads, array("f", weights))
    lines = list(csv.reader(io.StringIO(inside_csv(seen))))
    flat = [float(cell) for line in lines[1:] for cell in line[4:]]
    assert flat == weights
    assert lines[0][4:] == [f"to {n} t{n}" for n in range(length)]
    nested = plain(seen)["weights"]
    assert [value for head in nested for row in head for value in row] == weights
    assert [len(nested), len(nested[0]), len(nested[0][0])] == [heads, length, length]


def test_what_is_undefined_is_said() -> None:
    window = InputWindow((InputToken("[CLS]", 101, 0, Part.SPECIAL),))
    terms = (LossTerm("Start", "=outside", 0.0, 0.0, counted=False),)
    seen = Losses(window, terms, "formula", math.nan, math.nan, 0.0)
    rows = list(csv.reader(io.StringIO(inside_csv(seen))))
    assert rows[1] == ["Start", "'=outside", "0.0", "0.0", "no"]
    assert [row[3] for row in rows[2:]] == ["nan", "nan", "0.0"]
    assert (plain(seen)["by_model"], plain(seen)["in_training"]) == (None, 0.0)


def test_a_state_that_no_layer_takes_stands_alone() -> None:
    rows = list(csv.reader(io.StringIO(inside_csv(Pooling(InputWindow(()), (0.5, -1.0))))))
    assert rows[1:] == [["0", "0.5", "", ""], ["1", "-1.0", "", ""]]


def test_what_is_compared_is_the_head_s_own_request() -> None:
    requests = [request_of(subject) for subject in (ASKED, REVIEW, BLANKED, FOLLOWED, NAMED)]
    assert requests == [
        Question(ASKED.pair, (Document(ASKED.text),)),
        TextsToClassify((REVIEW.text,)),
        TextToFill(BLANKED.text, BLANKED.blanks),
        PassagePairs(((FOLLOWED.text, FOLLOWED.pair),)),
        TextsToTag((NAMED.text,)),
    ]
    for head in (Head.CLASSIFICATION, Head.MASKED_WORDS, Head.NEXT_SENTENCE, Head.TOKEN_CLASSIFICATION):
        with pytest.raises(SpanlightError):
            request_of(Subject(head, " "))


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda one: one.head.value)
def test_models_are_compared_in_their_order(tmp_path: Path, subject: Subject) -> None:
    engine, report = Looker(), Noted()
    name = fake_workspace(tmp_path).find_model(subject.head).name
    workspace = fake_workspace(tmp_path, engine)
    found = compare(workspace, subject, (name, name), report)
    assert engine.requests == [request_of(subject)] * 2
    assert len(found) == 2
    assert report.partials == [found[:1]], "a model's own partial results are not the comparison's"
    assert (report.told[-1].done, report.told[-1].total, report.told[-1].what) == (2, 2, "models")


def test_a_missing_model_is_said_before_any_has_worked(tmp_path: Path) -> None:
    engine = Looker()
    workspace = fake_workspace(tmp_path, engine)
    name = workspace.find_model(Head.CLASSIFICATION).name
    with pytest.raises(SpanlightError):
        compare(workspace, REVIEW, (name, "nobody's"), Silent())
    assert engine.requests == []
    with pytest.raises(Stopped):
        compare(workspace, REVIEW, (name,), Noted(stop_at=1))
