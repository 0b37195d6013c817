from __future__ import annotations

import json
import pickle
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.measures import ExampleSet, Measure
from app.core.models import Head, ProblemType
from app.core.report import Silent, Stopped
from app.core.requests import QuestionBatch, TextsToTag
from app.flows.measure.label_matching import LabelsDiffer, match_labels
from app.flows.measure.measure import (
    bring_back,
    compare,
    compare_models,
    example_set,
    example_sets,
    forget,
    measure,
    measured,
)
from app.flows.workspace import Workspace, open_workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace, keeping_workspace
from tests.helpers.fake_models import Noted
from tests.helpers.small_models import small_checkpoint

# The fake reader answers with the place of the question's last word, or guesses the first word of the text.
QUESTIONS = [
    ("The king stole tarts.", "Who was it: king?", ["king", "The king"]),  # right
    ("The red queen slept.", "Who was it: queen?", ["red queen"]),  # half right
    ("Alice grew.", "Who was it: girl?", ["Alice"]),  # not answered
    ("Alice grew.", "Who was it: duchess?", []),  # rightly not answered
    ("A duchess sneezed.", "Was it the duchess?", []),  # wrongly answered
]


def write(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> ExampleSet:
    rows: list[dict[str, object]] = [
        {
            "id": str(at),
            "context": context,
            "question": question,
            "answers": [{"text": text, "answer_start": context.index(text)} for text in answers],
        }
        for at, (context, question, answers) in enumerate(QUESTIONS)
    ]
    return example_set(write(tmp_path / "mine.jsonl", *rows))


def texts(tmp_path: Path, *rows: tuple[str, object], name: str = "texts") -> ExampleSet:
    return example_set(
        write(tmp_path / f"{name}.jsonl", *({"text": text, "label": label} for text, label in rows))
    )


def test_questions(tmp_path: Path, questions: ExampleSet) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(tmp_path, engine)
    report = Noted()
    found = measure(workspace, "reader", questions, report)
    assert (found.model, found.folder, found.head) == ("reader", "/models/reader", Head.QUESTION_ANSWERING)
    assert (found.data, found.examples, found.device) == ("mine", 5, "CPU")
    assert found.right == "10010"
    assert found.figures == {
        "exact": 40.0,
        "f1": pytest.approx(100 * (1 + 2 / 3 + 0 + 1 + 0) / 5, abs=0.01),
        "forced f1": pytest.approx(100 * (1 + 2 / 3 + 1) / 3, abs=0.01),
        "no answer right": 50.0,
        "calibration error": pytest.approx(100 * (abs(3 * 0.8 - 2) + abs(2 * 0.05 - 1)) / 5, abs=0.01),
    }
    assert found.seconds > 0 and found.speed == found.examples / found.seconds
    assert measured(workspace, Silent()) == (found,)
    # A few were read before the clock started, of which nothing was told.
    batches = [each for each in engine.requests if isinstance(each, QuestionBatch)]
    assert [len(each.questions) for each in batches] == [4, 5]
    assert [each.done for each in report.told] == [1, 2, 3, 4, 5, 5]
    assert all(each.total == 5 for each in report.told)


def test_the_clock_starts_after_the_warming(tmp_path: Path, questions: ExampleSet) -> None:
    seen: list[object] = []

    def slow_at_first(request: object) -> None:
        if not seen:
            time.sleep(0.3)
        seen.append(request)

    found = measure(fake_workspace(tmp_path, FakeEngine(slow_at_first)), "reader", questions, Silent())
    assert found.seconds < 0.2


def test_a_part_of_a_set(tmp_path: Path, questions: ExampleSet) -> None:
    workspace = fake_workspace(tmp_path)
    whole = measure(workspace, "reader", questions, Silent())
    first, second = (measure(workspace, "reader", questions, Silent(), limit=3) for _ in range(2))
    assert first.digest == second.digest != whole.digest
    assert (first.examples, first.data) == (3, "mine, a part")
    assert measure(workspace, "reader", questions, Silent(), limit=50).digest == whole.digest


def test_classes_by_name(tmp_path: Path) -> None:
    data = texts(tmp_path, ("so good", "Positive"), ("good for nothing", "negative"), ("bad", "negative"))
    found = measure(fake_workspace(tmp_path), "", data, Silent())
    assert found.right == "101"
    assert found.figures == {
        "accuracy": pytest.approx(66.67),
        "macro f1": pytest.approx(66.67),
        "calibration error": pytest.approx(100 * (abs(2 * 0.9 - 1) + abs(0.8 - 1)) / 3, abs=0.01),
    }


def test_labels_are_never_guessed(tmp_path: Path) -> None:
    workspace = fake_workspace(tmp_path)
    for rows in ([("good", "1"), ("bad", "0")], [("good", "POS"), ("bad", "NEG")], [("good", "neutral")]):
        with pytest.raises(LabelsDiffer) as refused:
            measure(workspace, "", texts(tmp_path, *rows), Silent())
        for label in (*dict(rows).values(), "negative", "positive"):
            assert label in refused.value.message
        assert refused.value.model_labels == ("negative", "positive")
        assert set(refused.value.set_labels) == set(dict(rows).values())
        again = pickle.loads(pickle.dumps(refused.value))
        assert (again.message, again.set_labels) == (refused.value.message, refused.value.set_labels)
    assert measured(workspace, Silent()) == ()


def test_labels_that_a_person_matched(tmp_path: Path) -> None:
    data = texts(tmp_path, ("so good", 1), ("good for nothing", 0), ("bad", 0))
    named = texts(tmp_path, ("so good", 1), ("good for nothing", 0), ("bad", 0), name="same")
    workspace = fake_workspace(tmp_path)
    labels = {"positive": "1", "negative": "0"}
    found = measure(workspace, "", data, Silent(), labels=labels)
    assert found.right == "101"
    assert measure(workspace, "", named, Silent(), labels=labels).digest == found.digest
    # What the model says beyond the set's labels is wrong.
    half = measure(workspace, "", data, Silent(), labels={"positive": "1"})
    assert half.right == "100"
    for wrong, sentence in (
        ({"fine": "1"}, "has no label “fine”"),
        ({"positive": "yes"}, "have no label “yes”"),
    ):
        with pytest.raises(SpanlightError, match=sentence):
            measure(workspace, "", data, Silent(), labels=wrong)


def test_several_labels_of_a_model_stand_for_one(tmp_path: Path) -> None:
    """Of the fake's two labels, 0.9 and 0.1, both stand for "any": together they are sure."""
    data = texts(tmp_path, ("so good", "any"), ("bad", "none"))
    found = measure(
        fake_workspace(tmp_path), "", data, Silent(), labels={"positive": "any", "negative": "any"}
    )
    assert found.right == "10"
    assert found.figures["calibration error"] == pytest.approx(50)
    # A model may know more classes than the set has.
    fewer = texts(tmp_path, ("so good", "positive"), ("bad", "positive"))
    assert measure(fake_workspace(tmp_path), "", fewer, Silent()).right == "10"


def test_numbers_belong_to_labels_with_the_number() -> None:
    assert match_labels("m", ("LABEL_0", "LABEL_1"), ("1", "0")) == {"LABEL_1": "1", "LABEL_0": "0"}
    assert match_labels("m", ("Very Good", "bad"), ("very_good",)) == {"Very Good": "very_good"}
    with pytest.raises(LabelsDiffer):
        match_labels("m", ("1 star", "2 stars"), ("1", "2"))
    many = [f"intent {at}" for at in range(70)]
    with pytest.raises(LabelsDiffer, match="and 62 more"):
        match_labels("m", many, ("x",))


@pytest.mark.parametrize("problem", [ProblemType.MULTI_LABEL, ProblemType.REGRESSION])
def test_only_a_head_with_one_winner(tmp_path: Path, problem: ProblemType) -> None:
    workspace = keeping_workspace(tmp_path, None, Head.CLASSIFICATION, problem=problem)
    with pytest.raises(SpanlightError, match="does not choose one"):
        measure(workspace, "", texts(tmp_path, ("good", "a")), Silent())


def test_names(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"tokens": ["Alice", "saw", "Paris"], "tags": ["B-PER", "O", "B-LOC"]},
        {"tokens": ["Nobody", "saw", "Bert", "there"], "tags": ["O", "O", "B-per", "O"]},
        {"tokens": ["Acme", "grew"], "tags": ["B-LOC", "O"]},
    ]
    data = example_set(write(tmp_path / "names.jsonl", *rows))
    engine = FakeEngine()
    found = measure(fake_workspace(tmp_path, engine), "", data, Silent())
    assert found.right == "110"  # Acme is taken for an organisation
    assert found.figures == {"f1": 75.0, "precision": 75.0, "recall": 75.0}
    assert len([each for each in engine.requests if isinstance(each, TextsToTag)]) == 2
    others = example_set(
        write(
            tmp_path / "others.jsonl",
            *[{**row, "tags": [str(t).replace("LOC", "place") for t in row["tags"]]} for row in rows],  # type: ignore[attr-defined]
        )
    )
    with pytest.raises(LabelsDiffer, match="PER and place; finder says LOC, MISC, ORG and PER"):
        measure(fake_workspace(tmp_path), "", others, Silent())
    mapped = measure(fake_workspace(tmp_path), "", others, Silent(), labels={"PER": "PER", "LOC": "place"})
    assert mapped.figures["precision"] == 100.0  # other kinds were said not to count


def test_a_stop_keeps_nothing_half(tmp_path: Path, questions: ExampleSet) -> None:
    workspace = fake_workspace(tmp_path)

    def die(request: object) -> None:
        raise EngineLost("The model process ended.", "Try again.")

    with pytest.raises(EngineLost):
        measure(fake_workspace(tmp_path, FakeEngine(die)), "reader", questions, Silent())
    for checks in range(1, 4):  # the warming, the reading, and what comes after it
        with pytest.raises(Stopped):
            measure(workspace, "reader", questions, Noted(stop_at=checks))
    assert measured(workspace, Silent()) == ()
    measure(workspace, "reader", questions, Noted(stop_at=4))
    assert len(measured(workspace, Silent())) == 1


def test_what_the_engine_notices_is_passed_on(tmp_path: Path, questions: ExampleSet) -> None:
    class Noticing(FakeEngine):
        def run(self, request, choice, report):  # type: ignore[no-untyped-def]
            report.notice("Memory ran out; the batch was halved.")
            return super().run(request, choice, report)

    report = Noted()
    measure(fake_workspace(tmp_path, Noticing()), "reader", questions, report)
    assert report.notices == ["Memory ran out; the batch was halved."] * 2


def test_comparing(tmp_path: Path, questions: ExampleSet) -> None:
    workspace = fake_workspace(tmp_path)
    first = measure(workspace, "reader", questions, Silent())
    second = replace(first, model="other", folder="/models/other", right="11000")
    found = compare(first, second)
    assert (found.both, found.only_first, found.only_second, found.neither) == (1, 1, 1, 2)
    assert found.chance == 1.0
    part = measure(workspace, "reader", questions, Silent(), limit=3)
    with pytest.raises(SpanlightError, match="very same examples"):
        compare(first, part)


def test_two_models_are_measured_where_they_were_not(tmp_path: Path, questions: ExampleSet) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(tmp_path, engine)
    found = compare_models(workspace, "reader", "reader", Silent(), data=questions)
    assert (found.both, found.neither) == (2, 3)
    kept = measured(workspace, Silent())
    asked = len(engine.requests)
    assert compare_models(workspace, "reader", "reader", Silent(), data=questions) == replace(
        found, first=kept[0], second=kept[0]
    )
    assert compare_models(workspace, "reader", "/models/reader", Silent()).both == 2
    assert len(engine.requests) == asked
    part = compare_models(workspace, "reader", "reader", Silent(), data=questions, limit=3)
    assert part.first.examples == 3
    # Nothing of a classifier is kept: it reads a set that comes along.
    assert compare_models(workspace, "classifier", "classifier", Silent()).first.data == "Short reviews"
    with pytest.raises(SpanlightError, match="fit classifier and reader"):
        compare_models(workspace, "classifier", "reader", Silent())
    with pytest.raises(SpanlightError, match="There is no model “nobody”"):
        compare_models(workspace, "nobody", "nobody", Silent())


def test_forgetting_and_bringing_back(tmp_path: Path, questions: ExampleSet) -> None:
    workspace = fake_workspace(tmp_path)
    one = measure(workspace, "reader", questions, Silent())
    two = measure(workspace, "reader", questions, Silent(), limit=2)
    forget(workspace, (one,), Silent())
    assert measured(workspace, Silent()) == (two,)
    bring_back(workspace, (one,), Silent())
    assert {kept.digest for kept in measured(workspace, Silent())} == {one.digest, two.digest}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with real small models of three heads, and the real model process."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPANLIGHT_HOME", str(home))
        workspace = open_workspace()
    small_checkpoint(workspace.paths.models / "reads", "bert", Head.QUESTION_ANSWERING)
    small_checkpoint(workspace.paths.models / "other", "distilbert", Head.QUESTION_ANSWERING, seed=3)
    small_checkpoint(workspace.paths.models / "feels", "bert", Head.CLASSIFICATION)
    small_checkpoint(
        workspace.paths.models / "stars", "roberta", Head.CLASSIFICATION, ("1 star", "2 stars", "3 stars")
    )
    kinds = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC", "I-MISC")
    small_checkpoint(workspace.paths.models / "names", "bert", Head.TOKEN_CLASSIFICATION, kinds)
    yield workspace
    workspace.close()


def test_real_models(real: Workspace) -> None:
    questions, reviews, names = example_sets(real, Silent())
    report = Noted()
    first: Measure = measure(real, "reads", questions, report, limit=20, device="cpu")
    assert (first.examples, len(first.right), first.device) == (20, 20, "CPU")
    assert first.figures["exact"] == pytest.approx(100 * first.right.count("1") / 20)
    assert first.seconds > 0
    assert report.told[-1].done == report.told[-1].total == 20
    again = measure(real, "reads", questions, Silent(), limit=20, device="cpu")
    assert (again.figures, again.right) == (first.figures, first.right)
    other = measure(real, "other", questions, Silent(), limit=20, device="cpu")
    found = compare(first, other)
    assert found.both + found.only_first + found.only_second + found.neither == 20
    classes = measure(real, "feels", reviews, Silent(), limit=30, device="cpu")
    assert classes.figures["accuracy"] == pytest.approx(100 * classes.right.count("1") / 30, abs=0.01)
    with pytest.raises(LabelsDiffer, match="1 star, 2 stars and 3 stars"):
        measure(real, "stars", reviews, Silent())
    stars = {"1 star": "negative", "2 stars": "negative", "3 stars": "positive"}
    assert measure(real, "stars", reviews, Silent(), limit=30, labels=stars).digest == classes.digest
    tagged = measure(real, "names", names, Silent(), limit=10, device="cpu")
    assert set(tagged.figures) == {"f1", "precision", "recall"}
    assert real.measures.all()[0].model == "names"
