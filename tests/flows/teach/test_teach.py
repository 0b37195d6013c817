"""From a table of texts to a classifier: labelling, guessing, teaching and exporting, with a small real encoder."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from openpyxl import load_workbook

from app.core.errors import SpanlightError
from app.core.labels import Dataset, GivenLabels, HeldOut, Label
from app.core.message import Message
from app.core.models import Head
from app.core.report import Report, Silent, Stopped
from app.core.requests import HeadToTeach, TextBatch, TextsToClassify, TextsToEmbed
from app.flows.heads.heads import classify
from app.flows.teach import teach as flow
from app.flows.teach.datasets import (
    agreement,
    checked_labels,
    contradictions,
    export_dataset,
    labels_from,
    make_dataset,
)
from app.flows.teach.figures import figures
from app.flows.teach.files import read_text_table
from app.flows.teach.teach import Guesses, Labelled, change_labels, first_guesses, is_unmeasured, missing
from app.flows.workspace import Workspace
from app.models.disk.notes import read_notes
from tests.helpers.children import Listener
from tests.helpers.teaching import LABELS, TEXTS, HereEngine, table_file, teaching_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    found = teaching_workspace(tmp_path / "home")
    yield found
    found.close()


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Few steps of teaching."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("app.training.contrastive._FEWEST_STEPS", 6)
        patched.setattr("app.training.contrastive._MOST_STEPS", 6)
        yield


@pytest.fixture(scope="module")
def taught_home(quick: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a data set of which a classifier was taught."""
    folder = tmp_path_factory.mktemp("taught")
    workspace = teaching_workspace(folder / "home")
    teach(workspace, made(workspace, folder), Silent())
    workspace.close()
    return folder / "home"


@pytest.fixture
def taught(workspace: Workspace, taught_home: Path, tmp_path: Path) -> Dataset:
    """The data set of `taught_home` in this test's own workspace."""
    shutil.copytree(taught_home, tmp_path / "home", dirs_exist_ok=True)
    (dataset,) = workspace.datasets.all()
    return workspace.datasets.set_model(dataset, str(workspace.paths.models / Path(dataset.model).name))


def made(workspace: Workspace, folder: Path, *, labelled: bool = True) -> Dataset:
    table = read_text_table(workspace, table_file(folder, labelled=labelled), Silent())
    labels = () if labelled else (Label("cats", "the cat on the mat"), Label("teas", "tea and bread"))
    return make_dataset(workspace, table, "Topics", labels, Silent())


def labelled(workspace: Workspace, dataset: Dataset) -> Labelled:
    """A data set as it is stored."""
    texts = [row[dataset.text_column] for row in workspace.datasets.rows(dataset)]
    return Labelled(dataset, texts, workspace.datasets.given(dataset))


def guess(workspace: Workspace, dataset: Dataset, report: Report) -> Guesses:
    return flow.guess(workspace, labelled(workspace, dataset), report)


def teach(workspace: Workspace, dataset: Dataset, report: Report) -> Dataset:
    return flow.teach(workspace, labelled(workspace, dataset), report)


def measure(workspace: Workspace, dataset: Dataset, report: Report) -> Dataset:
    return flow.measure(workspace, labelled(workspace, dataset), report)


def requests_of(workspace: Workspace) -> list[Any]:
    """What the engine was asked, in order."""
    return cast("HereEngine", workspace.engine).requests


def test_a_table_brings_its_labels_along(workspace: Workspace, tmp_path: Path) -> None:
    dataset = made(workspace, tmp_path)
    assert dataset.names == ("cats", "teas") and dataset.rows == len(TEXTS)
    given = workspace.datasets.given(dataset)
    assert [given[row].labels[0] for row in range(len(TEXTS))] == LABELS
    assert made(workspace, tmp_path).name == "Topics 2"


def test_first_guesses_follow_from_the_labels_words(workspace: Workspace, tmp_path: Path) -> None:
    dataset = made(workspace, tmp_path, labelled=False)
    found = guess(workspace, dataset, Silent())
    assert found.probabilities.shape == (len(TEXTS), 2) and found.first and not found.taught
    assert len(set(found.next_rows)) == len(TEXTS)
    workspace.datasets.give(dataset, [GivenLabels(3, ("teas",))])
    after = guess(workspace, dataset, Silent())
    assert 3 not in after.next_rows and not after.first
    alone = first_guesses(workspace, TEXTS, dataset.labels, Silent())
    assert alone.shape == (len(TEXTS), 2)


def test_the_texts_are_read_once(workspace: Workspace, tmp_path: Path) -> None:
    dataset = made(workspace, tmp_path, labelled=False)
    guess(workspace, dataset, Silent())
    before = len(requests_of(workspace))
    guess(workspace, dataset, Silent())
    later = requests_of(workspace)[before:]
    assert [len(request.texts) for request in later] == [2]  # the labels' words only


def test_a_classifier_is_taught_installed_and_measured(workspace: Workspace, tmp_path: Path) -> None:
    dataset = made(workspace, tmp_path)
    report = Listener()
    taught = teach(workspace, dataset, report)
    assert [type(part) for part in report.partials] == [Dataset, Guesses]
    card = workspace.shelf.find(Path(taught.model).name, Head.CLASSIFICATION)
    assert card.labels == ("cats", "teas") and card.measured["held-out texts"]["texts"] == len(TEXTS)
    said = classify(workspace, TextsToClassify(tuple(TEXTS)), Silent(), model=card.name)
    assert [item.winner for item in said.items] == LABELS
    found = guess(workspace, taught, Silent())
    assert found.taught
    assert [dataset.names[int(row.argmax())] for row in found.probabilities] == LABELS
    held_out = workspace.datasets.held_out(taught)
    assert sorted(held_out.rows) == list(range(len(TEXTS)))
    assert figures(taught, held_out).texts == len(TEXTS)


def test_other_labels_make_the_classifiers_guesses_void(workspace: Workspace, taught: Dataset) -> None:
    changed = change_labels(workspace, taught, (*taught.labels, Label("books")), {}, Silent())
    found = guess(workspace, changed, Silent())
    assert not found.taught and found.probabilities.shape == (len(TEXTS), 3)
    assert missing(changed, workspace.datasets.given(changed)) == {"books": 8}
    with pytest.raises(SpanlightError, match="books"):
        teach(workspace, changed, Silent())


def test_a_renamed_label_is_renamed_in_the_classifier_and_nothing_is_computed_again(
    workspace: Workspace, taught: Dataset
) -> None:
    workspace.datasets.give(taught, [GivenLabels(0, ("cats",), "cats", True)])
    before, held_out = guess(workspace, taught, Silent()), workspace.datasets.held_out(taught)
    notes = read_notes(taught.model)
    asked = len(requests_of(workspace))
    labels = (Label("kittens", "the cat"), taught.labels[1])
    changed = change_labels(workspace, taught, labels, {"cats": "kittens"}, Silent())
    card = workspace.shelf.find(Path(changed.model).name, Head.CLASSIFICATION)
    assert card.labels == changed.names == ("kittens", "teas")
    assert "kittens, teas" in card.description and "cats" not in card.description
    assert read_notes(card.folder) == replace(notes, description=card.description)
    assert isinstance(card.description, Message)  # shown in the window's language
    found = guess(workspace, changed, Silent())
    assert found.taught and (found.probabilities == before.probabilities).all()
    later = requests_of(workspace)[asked:]
    assert [type(request) for request in later] == [TextsToEmbed]  # the labels' words only
    assert workspace.datasets.given(changed)[0] == GivenLabels(0, ("kittens",), "kittens", True)
    kept = workspace.datasets.held_out(changed)
    assert kept.probabilities == held_out.probabilities and kept.rows == held_out.rows
    assert {name for each in kept.labels for name in each} == {"kittens", "teas"}
    said = classify(workspace, TextsToClassify((TEXTS[0],)), Silent(), model=card.name)
    assert said.items[0].winner == "kittens"


def test_a_rename_whose_classifier_cannot_be_written_is_kept_and_told(
    workspace: Workspace, taught: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.flows.teach.teach.rename_labels", refuse)
    report = Listener()
    changed = change_labels(workspace, taught, (Label("kittens"), Label("teas")), {"cats": "kittens"}, report)
    (told,) = report.notices
    assert changed.names == ("kittens", "teas") and "taught again" in told
    assert not guess(workspace, changed, Silent()).taught


def test_a_classifier_of_other_labels_is_not_replaced(
    workspace: Workspace, taught: Dataset, tmp_path: Path
) -> None:
    first = taught
    weights = (Path(first.model) / "model.safetensors").read_bytes()
    table = read_text_table(workspace, table_file(tmp_path), Silent())
    other = make_dataset(workspace, table, "Other", first.labels, Silent(), model=first.model)
    workspace.datasets.give(other, [GivenLabels(row, (LABELS[1 - row % 2],)) for row in range(len(TEXTS))])
    second = teach(workspace, other, Silent())
    assert second.model != first.model
    assert (Path(first.model) / "model.safetensors").read_bytes() == weights


def test_teaching_twice_gives_the_same_probabilities(workspace: Workspace, taught: Dataset) -> None:
    before = guess(workspace, taught, Silent()).probabilities
    again = teach(workspace, taught, Silent())
    after = guess(workspace, again, Silent()).probabilities
    assert again.model == taught.model and abs(before - after).max() < 2e-3


def test_what_is_stopped_leaves_the_classifier_that_there_was(workspace: Workspace, taught: Dataset) -> None:
    weights = (Path(taught.model) / "model.safetensors").read_bytes()
    workspace.datasets.give(taught, [GivenLabels(0, ("teas",))])

    with pytest.raises(Stopped):
        teach(workspace, taught, Listener(lambda _: isinstance(requests_of(workspace)[-1], HeadToTeach)))
    assert (Path(taught.model) / "model.safetensors").read_bytes() == weights
    assert [path.name for path in workspace.paths.models.iterdir() if path.name.startswith(".")] == []
    assert workspace.datasets.given(taught)[0].labels == ("teas",)


def stopping_after(workspace: Workspace, kind: type, answers: int) -> Listener:
    """Stops once so many more requests of a kind were answered."""
    most = answers + sum(isinstance(each, kind) for each in requests_of(workspace))
    return Listener(lambda _: sum(isinstance(each, kind) for each in requests_of(workspace)) > most)


def test_reading_all_texts_goes_on_where_it_was_stopped(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = made(workspace, tmp_path, labelled=False)
    whole = guess(workspace, made(workspace, tmp_path, labelled=False), Silent()).probabilities
    monkeypatch.setattr("app.flows.teach.teach._CHUNK", 6)
    report = stopping_after(workspace, TextsToEmbed, 2)
    with pytest.raises(Stopped):
        guess(workspace, dataset, report)
    read = [progress for progress in report.told if progress.what == "Reading the texts"]
    assert read[-1].total == len(TEXTS) and read[-1].done >= 12
    asked = len(requests_of(workspace))
    found = guess(workspace, dataset, Silent())
    later = requests_of(workspace)[asked:]
    assert [len(each.texts) for each in later] == [6, 2, 2], "the last two pieces, and the labels' words"
    assert abs(found.probabilities - whole).max() < 1e-2


def test_classifying_all_texts_goes_on_where_it_was_stopped(
    workspace: Workspace, taught: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = guess(workspace, taught, Silent()).probabilities
    workspace.datasets.put_numbers(taught, "guesses", "", b"")
    monkeypatch.setattr("app.flows.teach.teach._CHUNK", 5)
    monkeypatch.setattr("app.flows.batches.MOST_ITEMS", 5)
    with pytest.raises(Stopped):
        guess(workspace, taught, stopping_after(workspace, TextBatch, 2))
    asked = len(requests_of(workspace))
    found = guess(workspace, taught, Silent())
    later = requests_of(workspace)[asked:]
    assert sum(len(request.texts) for request in later if isinstance(request, TextBatch)) == 10
    assert abs(found.probabilities - before).max() < 2e-3


def test_what_was_taught_but_not_measured_is_known_and_measured_later(
    workspace: Workspace, taught: Dataset
) -> None:
    assert not is_unmeasured(workspace, taught)
    with pytest.raises(Stopped):
        teach(workspace, taught, stopping_after(workspace, HeadToTeach, 2))
    (left,) = workspace.datasets.all()
    assert left.model and is_unmeasured(workspace, left), "the figures were of the classifier before"
    assert not is_unmeasured(workspace, replace(left, labels=(*left.labels, Label("books"))))
    asked = len(requests_of(workspace))
    measure(workspace, left, Silent())
    later = [each for each in requests_of(workspace)[asked:] if isinstance(each, HeadToTeach)]
    assert len(later) == 3, "the part that was held out before the stop is not again"
    assert not is_unmeasured(workspace, left)
    assert sorted(workspace.datasets.held_out(left).rows) == list(range(len(TEXTS)))


def test_a_classifier_that_is_measured_again_is_as_sure_as_before(
    workspace: Workspace, taught: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = guess(workspace, taught, Silent()).probabilities
    said = tuple((0.95, 0.05) if at % 4 else (0.05, 0.95) for at in range(len(TEXTS)))
    half_right = HeldOut(tuple(range(len(TEXTS))), tuple(("cats",) for _ in TEXTS), said)
    monkeypatch.setattr("app.flows.teach.teach.hold_out", lambda *_: half_right)
    measure(workspace, taught, Silent())
    temperature, found = read_notes(taught.model).class_temperature, guess(workspace, taught, Silent())
    assert temperature > 1.2 and abs(found.probabilities - before).max() > 0.01
    measure(workspace, taught, Silent())
    again = guess(workspace, taught, Silent())
    assert read_notes(taught.model).class_temperature == pytest.approx(temperature, rel=0.02)
    assert abs(again.probabilities - found.probabilities).max() < 2e-3


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
def test_the_table_comes_out_with_its_labels(workspace: Workspace, tmp_path: Path, suffix: str) -> None:
    dataset = made(workspace, tmp_path, labelled=False)
    workspace.datasets.give(dataset, [GivenLabels(0, ("cats",))])
    given = workspace.datasets.given(dataset)
    probabilities = guess(workspace, dataset, Silent()).probabilities
    path = tmp_path / f"out{suffix}"
    assert export_dataset(workspace, dataset, given, probabilities, path, Silent()) == len(TEXTS)
    if suffix == ".csv":
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    elif suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        head, *cells = load_workbook(path).active.iter_rows(values_only=True)
        rows = [dict(zip(head, row, strict=True)) for row in cells]
    assert len(rows) == len(TEXTS)
    assert rows[0]["message"] == TEXTS[0] and rows[0]["label"] == "cats" and rows[0]["label by"] == "you"
    assert rows[1]["label by"] == "model" and rows[1]["label"] in ("cats", "teas")
    assert 0 <= float(rows[1]["probability teas"]) <= 1


def test_labels_are_typed_in_lines_or_with_semicolons() -> None:
    assert labels_from("cats: they  purr\n\nteas") == (Label("cats", "they purr"), Label("teas"))
    assert labels_from("a; b ;c") == (Label("a"), Label("b"), Label("c"))
    for bad in ((), (Label("one"),), (Label("a"), Label("A")), tuple(Label(str(n)) for n in range(51))):
        with pytest.raises(SpanlightError):
            checked_labels(bad, multi=False)
    assert checked_labels((Label("one"),), multi=True)
    known = (Label("Delivery: late"), Label("Other", "all else"))
    assert labels_from("Delivery: late\nOther: all else\nNew", known) == (*known, Label("New"))
    assert labels_from("a\ud800b\nc")[0].name == "a\ufffdb"


def test_equal_texts_with_different_labels_are_found() -> None:
    given = {0: GivenLabels(0, ("a",)), 1: GivenLabels(1, ("b",)), 2: GivenLabels(2, ("a",))}
    assert contradictions(["Same", "same ", "other"], given) == [(0, 1)]
    assert contradictions(["Same", "other", "same"], given) == []


def test_agreement_tells_shown_guesses_from_hidden_ones() -> None:
    given = [
        GivenLabels(0, ("a",), "a", True),
        GivenLabels(1, ("a",), "b", True),
        GivenLabels(2, ("b",), "b", False),
        GivenLabels(3, ("b",)),
    ]
    assert agreement(given) == ((1, 2), (1, 1))


def test_figures_of_what_was_held_out() -> None:
    dataset = Dataset(1, "t", ("text",), 0, (Label("a"), Label("b")))
    held_out = HeldOut(
        (4, 5, 6, 7),
        (("a",), ("a",), ("b",), ("b",)),
        ((0.9, 0.1), (0.1, 0.9), (0.2, 0.8), (0.3, 0.7)),
        (),
        0.05,
    )
    found = figures(dataset, held_out)
    assert found.accuracy == 0.75 and found.low < 0.75 < found.high
    assert found.confusion == ((1, 1), (0, 2))
    assert [(each.recall, each.precision) for each in found.by_label] == [
        (0.5, 1.0),
        (1.0, pytest.approx(2 / 3)),
    ]
    assert [(doubt.row, doubt.label, doubt.rather) for doubt in found.doubts] == [(5, "a", "b")]
    several = figures(replace(dataset, multi=True), held_out)
    assert several.confusion == () and several.texts == 4


def test_more_examples_bring_no_more_than_is_left_to_gain() -> None:
    names = (Label("cats"), Label("teas"))
    dataset = Dataset(1, "topics", ("message",), labels=names)
    said = tuple((0.9, 0.1) for _ in range(20))
    one_wrong = (*[("cats",)] * 19, ("teas",))
    assert figures(dataset, HeldOut(tuple(range(20)), one_wrong, said, (), 0.07)).more == pytest.approx(0.05)
    assert figures(dataset, HeldOut(tuple(range(20)), (("cats",),) * 20, said, (), 0.07)).more == 0.0


def test_what_a_question_stops_goes_on_after_it(workspace: Workspace, tmp_path: Path) -> None:
    dataset = made(workspace, tmp_path)

    def steps(heard: Listener) -> list[int]:
        return [each.done for each in heard.told if each.what == "Learning" and each.total]

    with pytest.raises(Stopped):
        teach(workspace, dataset, Listener(lambda heard: 2 in steps(heard)))
    guess(workspace, dataset, Silent())
    later = Listener()
    assert teach(workspace, dataset, later).model and steps(later)[0] == 3
