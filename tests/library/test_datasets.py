from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.labels import Dataset, GivenLabels, HeldOut, Label
from app.library.datasets import Datasets

ROWS = [["1", "late again"], ["2", "thank you \ud800"], ["3", ""]]
DATASET = Dataset(
    0, "Survey", ("id", "text"), 1, (Label("Complaint", "angry"), Label("Praise")), source="/s.csv"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Datasets]:
    with closing(Datasets(tmp_path / "labels.sqlite3")) as found:
        yield found


def test_a_data_set_comes_back_whole(store: Datasets) -> None:
    given = GivenLabels(0, ("Complaint",), "Praise", True, 5.0)
    saved = store.add(DATASET, ROWS, [given])
    assert saved == replace(DATASET, number=saved.number, rows=3)
    assert store.all() == [saved]
    assert store.rows(saved) == ROWS
    assert store.given(saved) == {0: given}


def test_labels_are_given_in_place_of_others_and_taken_back(store: Datasets) -> None:
    saved = store.add(DATASET, ROWS)
    store.give(saved, [GivenLabels(0, ("Complaint",)), GivenLabels(1, ("Praise",))])
    store.give(saved, [GivenLabels(0, ("Praise",))], taken_back=[1])
    assert store.given(saved) == {0: GivenLabels(0, ("Praise",))}


def test_a_renamed_label_keeps_its_texts_and_one_that_is_gone_opens_them(store: Datasets) -> None:
    saved = store.add(DATASET, ROWS, [GivenLabels(0, ("Complaint",)), GivenLabels(1, ("Praise",))])
    changed = store.change_labels(saved, (Label("Grievance"), Label("Other")), {"Complaint": "Grievance"})
    assert changed.names == ("Grievance", "Other")
    assert store.given(changed) == {0: GivenLabels(0, ("Grievance",))}


def test_duplicate_names_are_refused(store: Datasets) -> None:
    first = store.add(DATASET, ROWS)
    with pytest.raises(SpanlightError):
        store.add(replace(DATASET, name="survey"), ROWS)
    second = store.add(replace(DATASET, name="Other"), ROWS)
    with pytest.raises(SpanlightError):
        store.rename(second, "SURVEY")
    assert [each.name for each in store.all()] == ["Other", first.name]


def test_numbers_and_figures_go_with_their_data_set(store: Datasets) -> None:
    saved = store.add(DATASET, ROWS)
    assert store.numbers(saved, "vectors") == ("", b"")
    store.put_numbers(saved, "vectors", "encoder", b"1234")
    store.put_numbers(saved, "vectors", "other", b"56")
    assert store.numbers(saved, "vectors") == ("other", b"56")
    held = HeldOut((0,), (("Complaint",),), ((0.25, 0.75),), ((4, 0.5),), 0.1)
    store.put_held_out(saved, held)
    assert store.held_out(saved) == held
    store.remove(saved)
    assert store.all() == [] and store.given(saved) == {} and store.held_out(saved) == HeldOut()
    store.put_numbers(saved, "vectors", "late", b"1")  # a job that ends after the removal
    with pytest.raises(SpanlightError):
        store.give(saved, [GivenLabels(0, ("Praise",))])
    with pytest.raises(SpanlightError):
        store.set_model(saved, "/m")
    with pytest.raises(SpanlightError):
        store.change_labels(saved, saved.labels, {})


def test_figures_by_other_labels_are_dropped(store: Datasets) -> None:
    saved = store.add(DATASET, ROWS)
    store.put_held_out(saved, HeldOut((0,), (("Complaint",),), ((0.25, 0.75),)))
    same = store.set_model(store.rename(saved, "Renamed"), "/m")
    assert store.held_out(same).rows == (0,)
    turned = store.change_labels(same, saved.labels[::-1], {})
    assert store.held_out(turned) == HeldOut()


def test_a_window_that_knows_other_labels_changes_none(store: Datasets) -> None:
    before = store.add(DATASET, ROWS, [GivenLabels(0, ("Complaint",))])
    after = store.change_labels(before, (Label("Grievance"), Label("Praise")), {"Complaint": "Grievance"})
    with pytest.raises(SpanlightError, match="Another window"):
        store.change_labels(before, (Label("Complaint"), Label("Other")), {})
    renamed = store.rename(before, "Renamed")  # by a window with the labels from before
    assert renamed.names == after.names == store.set_model(before, "/m").names
    store.give(before, [GivenLabels(1, ("Complaint",)), GivenLabels(2, ("Praise",))])
    assert store.given(after) == {0: GivenLabels(0, ("Grievance",)), 2: GivenLabels(2, ("Praise",))}


def test_names_that_utf_8_cannot_hold_come_back(store: Datasets) -> None:
    odd = replace(DATASET, name="caf\udce9", source="/caf\udce9.csv")
    saved = store.add(odd, ROWS, [GivenLabels(0, ("Praise",), "\ud800", True)])
    assert (saved.name, saved.source) == (odd.name, odd.source)
    assert store.given(saved)[0].guess == "\ud800"
