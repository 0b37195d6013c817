"""Verdicts on a small real reader: from 50 on its calibration follows them, and without them it is its own again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.core.corrections import FEWEST_VERDICTS, Verdict
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Opened
from app.core.models import Head
from app.core.reliability import question_count
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document, Span
from app.engine.client import Engine
from app.flows.ask.question import ask, own_threshold
from app.flows.history.history import entry_of
from app.flows.measure.evaluate import evaluate_qa
from app.flows.measure.plan import Plan
from app.flows.teach.calibration import follow_verdicts, own_verdicts, set_followed
from app.flows.teach.corrections import correct
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf, fingerprint
from app.models.disk.notes import read_notes
from app.settings.paths import default_paths
from app.settings.settings import Settings
from tests.helpers.children import Listener
from tests.helpers.small_models import small_checkpoint
from tests.helpers.teaching import HereEngine

QA = Head.QUESTION_ANSWERING
TEXT = "the cat sat on the mat and the king stole tarts"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path)})
    for seed, name in enumerate(("reader", "second")):
        small_checkpoint(paths.models / name, head=QA, seed=seed)
    return tmp_path


@pytest.fixture
def workspace(home: Path) -> Iterator[Workspace]:
    paths = default_paths({"SPANLIGHT_HOME": str(home)})
    found = Workspace(Settings(), paths, Shelf([paths.models]), cast("Engine", HereEngine()))
    yield found
    found.close()


def opened(number: int = 0) -> Opened:
    return Opened(Document(TEXT), sha256=f"{number:064}")


def asked(workspace: Workspace) -> Entry:
    text = opened()
    question = Question("who stole tarts", (text.document,))
    return entry_of(text, question, ask(workspace, question, Silent()))


def judge(workspace: Workspace, numbers: range, verdict: Verdict, *, chance: float = 0.9) -> None:
    """Verdicts on answers that were given with this chance, without asking for each."""
    known = asked(workspace)
    for number in numbers:
        text = opened(number)
        entry = replace(known, sha256=text.sha256, no_answer_probability=1 - chance)
        answer = replace(entry.answers[0], span=Span(4, 7), text="cat", probability=0.8 * chance)
        correct(workspace, text, replace(entry, answers=(answer,)), verdict, Silent())


def test_from_fifty_verdicts_on_it_is_as_sure_as_they_say(workspace: Workspace) -> None:
    card = workspace.find_model(QA)
    before, threshold = asked(workspace), own_threshold(workspace, Silent())
    judge(workspace, range(FEWEST_VERDICTS - 1), Verdict.NOT_THERE)
    assert workspace.choose(QA, "", "", Silent()).adjustment is None
    assert asked(workspace).no_answer_probability == before.no_answer_probability
    own = own_verdicts(workspace, card, Silent())
    assert own is not None and (own.number, own.enough) == (FEWEST_VERDICTS - 1, False)
    judge(workspace, range(FEWEST_VERDICTS, FEWEST_VERDICTS + 1), Verdict.NOT_THERE)
    after = asked(workspace)
    assert after.no_answer_probability > before.no_answer_probability
    assert after.threshold == own_threshold(workspace, Silent()) != threshold
    assert after.answers[0].span == before.answers[0].span
    own = own_verdicts(workspace, card, Silent())
    assert own is not None and own.enough and own.followed
    assert question_count(own.bins) == FEWEST_VERDICTS and own.bins[7].right == 0.0
    assert workspace.choose(QA, "second", "", Silent()).adjustment is None, "another reader"
    assert workspace.choose(QA, "", "", Silent(), adjusted=False).adjustment is None
    # The model was not loaded again for it, nor are its notes changed.
    assert read_notes(card.folder).calibration == card.calibration


def test_verdicts_taken_back_bring_the_shipped_calibration_back(workspace: Workspace) -> None:
    before = asked(workspace)
    judge(workspace, range(FEWEST_VERDICTS), Verdict.NOT_THERE)
    assert asked(workspace).no_answer_probability != before.no_answer_probability
    judge(workspace, range(1), Verdict.NONE)
    assert asked(workspace).no_answer_probability == before.no_answer_probability
    judge(workspace, range(1), Verdict.NOT_THERE)
    assert asked(workspace).no_answer_probability != before.no_answer_probability
    gone = workspace.corrections.all()
    workspace.corrections.delete(each.number for each in gone)
    follow_verdicts(workspace, gone, Silent())
    assert asked(workspace).no_answer_probability == before.no_answer_probability
    assert own_verdicts(workspace, workspace.find_model(QA), Silent()) is None


def test_the_adjustment_can_be_left_out_and_the_verdicts_stay(workspace: Workspace) -> None:
    card, before = workspace.find_model(QA), asked(workspace)
    judge(workspace, range(FEWEST_VERDICTS), Verdict.NOT_THERE)
    adjusted = asked(workspace).no_answer_probability
    set_followed(workspace, card, False, Silent())
    judge(workspace, range(FEWEST_VERDICTS, FEWEST_VERDICTS + 2), Verdict.NOT_THERE)
    assert asked(workspace).no_answer_probability == before.no_answer_probability
    own = own_verdicts(workspace, card, Silent())
    assert own is not None and (own.number, own.followed) == (FEWEST_VERDICTS + 2, False)
    set_followed(workspace, card, True, Silent())
    assert asked(workspace).no_answer_probability == pytest.approx(adjusted, abs=0.05)


def test_later_verdicts_count_by_the_shipped_calibration(workspace: Workspace) -> None:
    shipped = asked(workspace)
    judge(workspace, range(FEWEST_VERDICTS), Verdict.NOT_THERE)
    later = asked(workspace)
    other = opened(FEWEST_VERDICTS)
    kept = correct(workspace, other, replace(later, sha256=other.sha256), Verdict.RIGHT, Silent())
    earlier = correct(workspace, opened(), shipped, Verdict.RIGHT, Silent())
    assert kept is not None and kept.adjustment is not None
    assert earlier is not None and earlier.adjustment is None, "it was asked before"
    judged = workspace.corrections.judgements(kept.weights)
    first, second = judged[-2:]
    unlike = abs(later.no_answer_probability - shipped.no_answer_probability)
    assert first.chance == pytest.approx(second.chance, abs=1e-6) and unlike > 0.05


def test_the_weights_are_those_of_the_reader_that_gave_the_words(workspace: Workspace) -> None:
    def weights(entry: Entry) -> str:
        kept = correct(workspace, opened(), entry, Verdict.RIGHT, Silent())
        assert kept is not None
        return kept.weights

    entry, folder = asked(workspace), workspace.paths.models
    assert weights(entry) == fingerprint(folder / "reader")
    assert weights(replace(entry, model="second")) == fingerprint(folder / "second") != weights(entry)
    assert weights(replace(entry, model="gone")) == ""
    assert weights(replace(entry, shared=True)) == "", "another of the documents may answer"
    assert weights(replace(entry, asked=entry.asked - 3600)) == "", "it has been replaced since"
    os.utime(folder / "reader" / "config.json", (time.time() + 60,) * 2)
    assert weights(entry) == ""


def test_an_evaluation_is_of_the_shipped_calibration(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "dev.jsonl"
    file.write_text(
        f'{{"id": "a", "context": "{TEXT}", "question": "who", "answers": '
        '[{"text": "cat", "answer_start": 4}], "source": "one"}\n'
    )
    before = evaluate_qa(workspace, Plan((file,)), Silent()).measured[0].overall
    judge(workspace, range(FEWEST_VERDICTS), Verdict.NOT_THERE)
    assert evaluate_qa(workspace, Plan((file,)), Silent()).measured[0].overall == before


def test_a_calibration_fitted_anew_is_not_adjusted_to_verdicts_on_the_one_before(
    workspace: Workspace, tmp_path: Path
) -> None:
    row = {"id": "a", "context": TEXT, "question": "who", "source": "one"}
    answered = [{"text": "cat", "answer_start": 4}]
    rows = [row | {"answers": answered}, row | {"id": "b", "question": "why", "answers": []}]
    file = tmp_path / "dev.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    judge(workspace, range(FEWEST_VERDICTS), Verdict.NOT_THERE)
    assert workspace.choose(QA, "", "", Silent()).adjustment is not None
    told = Listener()
    fitted = evaluate_qa(workspace, Plan((file,), fit=True), told).calibration
    card = workspace.find_model(QA)
    assert fitted is not None and card.calibration == fitted
    assert own_threshold(workspace, Silent()) == fitted.threshold and "no longer adjusted" in told.notices[-1]
    own = own_verdicts(workspace, card, Silent())
    assert own is not None and (own.number, own.followed) == (FEWEST_VERDICTS, False)


def test_a_verdict_is_kept_where_the_adjustment_cannot_be(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(workspace, range(1, FEWEST_VERDICTS), Verdict.NOT_THERE)

    def refuse(*_: object, **__: object) -> None:
        raise SpanlightError("adjustments.json could not be written: no space.")

    monkeypatch.setattr("app.models.disk.records.write_atomic", refuse)
    told = Listener()
    kept = correct(workspace, opened(), asked(workspace), Verdict.RIGHT, told)
    assert kept is not None and workspace.corrections.count() == FEWEST_VERDICTS
    (notice,) = told.notices
    assert "no space" in notice
