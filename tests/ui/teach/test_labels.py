"""Labels on the page Teach, with a small real encoder: a table is labelled, a classifier taught, all of it restored."""

from __future__ import annotations

import csv
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.labels import Dataset, Label
from app.core.models import Head
from app.flows.teach.teach import Guesses
from app.flows.workspace import Workspace
from app.ui.teach.head import FIGURES
from app.ui.teach.head import TEXTS as ALL_TEXTS
from app.ui.teach.labelled import LabelledTexts
from app.ui.teach.labels import LabelsSection
from tests.helpers.small_models import small_checkpoint
from tests.helpers.teaching import LABELS, TEXTS, table_file, teaching_workspace

NAMES = ("cats", "teas")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setattr("app.training.contrastive._FEWEST_STEPS", 4)
    monkeypatch.setattr("app.training.contrastive._MOST_STEPS", 4)
    found = teaching_workspace(tmp_path / "home")
    yield found
    found.close()


Open = Callable[[], LabelsSection]


@pytest.fixture
def open_teach(open_part: Callable[[type[LabelsSection]], LabelsSection]) -> Open:
    return partial(open_part, LabelsSection)


def read(page: LabelsSection, qtbot: QtBot, file: Path) -> None:
    page.open_files([file])
    qtbot.waitUntil(lambda: page.setup.isVisible())


def begun(
    page: LabelsSection, qtbot: QtBot, file: Path, labels: str = "cats: the cat\nteas: tea and bread"
) -> LabelsSection:
    read(page, qtbot, file)
    page.setup.labels.setPlainText(labels)
    page.setup.begin.click()
    qtbot.waitUntil(lambda: page.store.dataset is not None and page.desk.isVisible())
    qtbot.waitUntil(lambda: page.store.guesses is not None, timeout=20_000)
    return page


@pytest.fixture
def page(open_teach: Open, qtbot: QtBot, tmp_path: Path) -> LabelsSection:
    """The section with texts that are to be labelled."""
    return begun(open_teach(), qtbot, table_file(tmp_path, labelled=False))


@pytest.fixture
def labelled(open_teach: Open, qtbot: QtBot, tmp_path: Path) -> LabelsSection:
    """The section with texts that all have their labels, from which a classifier can be taught at once."""
    return begun(open_teach(), qtbot, table_file(tmp_path))


def press(page: LabelsSection, qtbot: QtBot, key: Qt.Key) -> None:
    qtbot.keyClick(page.desk, key)


def label_of(row: int) -> Qt.Key:
    return Qt.Key(Qt.Key.Key_1 + NAMES.index(LABELS[row]))


def test_a_sample_can_be_labelled(open_teach: Open, qtbot: QtBot) -> None:
    page = open_teach()
    assert page.welcome.isVisible() and not page.head.isVisible()
    page.welcome.sample.click()
    qtbot.waitUntil(lambda: page.setup.isVisible())
    assert page.setup.label_column.currentIndex() == 0
    assert sorted(page.setup.labels.toPlainText().split()) == ["negative", "positive"]
    page.setup.begin.click()
    qtbot.waitUntil(lambda: page.store.dataset is not None and page.desk.isVisible())
    assert not page.store.given and len(page.store.texts) == 150


def test_labels_given_by_keys_are_undone_and_saved(
    page: LabelsSection, open_teach: Open, qtbot: QtBot
) -> None:
    first = page.desk.row
    press(page, qtbot, label_of(first))
    second = page.desk.row
    assert second != first and page.store.given[first].labels == (LABELS[first],)
    press(page, qtbot, Qt.Key.Key_Space)
    assert page.desk.row not in (first, second)
    press(page, qtbot, Qt.Key.Key_U)
    assert page.store.given == {} and page.desk.row == first
    page._redo()
    assert set(page.store.given) == {first}
    qtbot.waitUntil(lambda: page.lanes.files.idle)
    again = open_teach()
    qtbot.waitUntil(lambda: again.store.dataset is not None)
    assert set(again.store.given) == {first} and again.store.texts == TEXTS


def test_a_classifier_is_taught_once_there_are_enough_examples(page: LabelsSection, qtbot: QtBot) -> None:
    for _ in range(len(TEXTS)):
        if page.store.is_teaching:
            break
        press(page, qtbot, label_of(page.desk.row))
    assert page.store.is_teaching and not page.store.missing()
    qtbot.waitUntil(lambda: page.store.guesses is not None and page.store.guesses.taught, timeout=60_000)
    qtbot.waitUntil(lambda: not page.store.is_teaching and bool(page.store.held_out.rows), timeout=60_000)
    page.head.parts._buttons[FIGURES].click()
    assert page.figures.isVisible() and "right" in page.figures.headline.text()
    shown: list[tuple[list[int], str]] = []
    page.figures.opened.connect(lambda rows, title: shown.append((rows, title)))
    page.figures.labels.opened.emit(page.figures.labels.rows()[0])
    assert shown and page.texts.isVisible()
    assert {row.row for row in page.texts.list.rows()} == set(shown[0][0])


def test_teaching_gives_way_to_other_work_and_resumes_with_the_same_examples(
    labelled: LabelsSection, qtbot: QtBot
) -> None:
    page = labelled
    assert len(page.store.given) == len(TEXTS)
    page.store.take_back([0])
    page.store.teach()
    with qtbot.waitSignal(page.lanes.work.start(lambda report: page.store.give([0], ["cats"])).done):
        pass
    assert page.store.is_teaching
    qtbot.waitUntil(lambda: not page.store.is_teaching, timeout=60_000)
    qtbot.waitUntil(lambda: bool(page.store.held_out.rows), timeout=60_000)
    assert page.store.dataset is not None and page.store.dataset.model
    assert 0 in page.store.given and 0 not in page.store.held_out.rows


def test_teaching_stops_when_its_examples_are_taken_back_and_starts_again_with_them(
    page: LabelsSection,
) -> None:
    page.store.give([at for at, label in enumerate(LABELS) if label == "cats"][:8], ["cats"])
    page.store.give([at for at, label in enumerate(LABELS) if label == "teas"][:8], ["teas"])
    assert page.store.is_teaching and not page.head.strip.isHidden()
    page._undo()
    assert page.store.missing() and not page.store.is_teaching and page.head.strip.isHidden()
    page.store.redo()
    assert page.store.is_teaching


def test_many_are_labelled_at_once_and_exported(page: LabelsSection, qtbot: QtBot, tmp_path: Path) -> None:
    page.head.parts._buttons[ALL_TEXTS].click()
    page.texts.search.setText("mat")
    qtbot.waitUntil(lambda: len(page.texts.list.rows()) == len(TEXTS) // 2)
    page.texts.list.selectAll()
    qtbot.keyClick(page.texts.list, Qt.Key.Key_1)
    assert len(page.store.given) == len(TEXTS) // 2
    assert {given.labels for given in page.store.given.values()} == {("cats",)}
    page._undo()
    assert not page.store.given
    page._redo()
    path = tmp_path / "out.csv"
    with qtbot.waitSignal(page.note):
        page.export_to(path)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["label"] for row in rows if row["label by"] == "you"] == ["cats"] * (len(TEXTS) // 2)


@pytest.mark.parametrize("filtered", [False, True])
def test_labelling_in_the_table_chooses_the_next_text(
    page: LabelsSection, qtbot: QtBot, filtered: bool
) -> None:
    page.head.parts._buttons[ALL_TEXTS].click()
    if filtered:
        page.texts.filter.setCurrentIndex(1)
        page.texts.filter.activated.emit(1)
    page.texts.search.setText("mat")
    qtbot.waitUntil(lambda: len(page.texts.list.rows()) == len(TEXTS) // 2)
    listed = page.texts.list
    rows = listed.rows()
    listed.choose(rows[1:3])
    qtbot.keyClick(listed, Qt.Key.Key_1)
    assert listed.chosen() == (rows[3],) and listed.currentIndex().row() == (1 if filtered else 3)
    qtbot.keyClick(listed, Qt.Key.Key_2)
    assert listed.chosen() == (rows[4],)
    assert {row.row: row.labels for row in rows if row.labels} == {
        rows[1].row: ("cats",), rows[2].row: ("cats",), rows[3].row: ("teas",),
    }  # fmt: skip
    listed.choose(rows[-1:])
    qtbot.keyClick(listed, Qt.Key.Key_1)
    assert rows[-1].labels == ("cats",)
    assert (rows[-1] in listed.rows()) is not filtered


def test_the_counts_follow_every_change(page: LabelsSection) -> None:
    store, dice = page.store, random.Random(5)
    rows = store.all_rows
    for _ in range(60):
        match dice.randrange(5):
            case 0 | 1:
                store.give(dice.sample(range(len(TEXTS)), 3), [dice.choice(NAMES)])
            case 2:
                store.take_back(dice.sample(range(len(TEXTS)), 3))
            case 3:
                store.undo()
            case 4:
                store.redo()
        given = Counter(label for each in store.given.values() for label in each.labels)
        assert +store.given_counts == given
        assert store.shown_counts() == Counter(row.label for row in rows if row.label)
        lacking = {name: 8 - given[name] for name in NAMES if given[name] < 8}
        assert store.missing() == lacking
        row = store.next_row(dice.randrange(len(TEXTS)), in_order=dice.random() < 0.5)
        assert row not in store.given if len(store.given) < len(TEXTS) else row == -1
    assert store.all_rows is rows, "they are made once"


def test_measuring_that_was_stopped_is_resumed_at_the_next_start_or_by_a_click(
    labelled: LabelsSection, open_teach: Open, qtbot: QtBot
) -> None:
    page = labelled
    page.store.teach()
    qtbot.waitUntil(lambda: page.store.is_unmeasured, timeout=60_000)
    assert page.store.stop()
    page.head.parts._buttons[FIGURES].click()
    assert page.figures.measure.isVisible() and "stopped" in page.figures.about.text()
    qtbot.waitUntil(lambda: page.lanes.work.idle, timeout=60_000)
    again = open_teach()
    qtbot.waitUntil(lambda: again.store.is_teaching)
    again.head.parts._buttons[FIGURES].click()
    assert not again.figures.measure.isVisible() and again.figures.headline.text() == "Being measured"
    assert again.store.stop()
    assert again.figures.measure.isVisible()
    again.figures.measure.click()
    qtbot.waitUntil(lambda: bool(again.store.held_out.rows), timeout=60_000)
    assert not again.figures.measure.isVisible() and "right" in again.figures.headline.text()
    assert sorted(again.store.held_out.rows) == list(range(len(TEXTS)))


def test_teaching_again_during_measuring_is_resumed_after_other_work(
    labelled: LabelsSection, qtbot: QtBot
) -> None:
    page = labelled
    page.store.teach()
    qtbot.waitUntil(lambda: page.store.is_unmeasured, timeout=60_000)
    page.store.teach()
    taught: list[object] = []
    page.store.taught.connect(lambda: taught.append(page.store.dataset))
    page.lanes.work.start(lambda report: None)
    qtbot.waitUntil(lambda: bool(page.store.held_out.rows), timeout=60_000)
    assert taught, "not only measured"


def test_labels_are_renamed_and_removed_and_a_data_set_is_removed(
    open_teach: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = begun(open_teach(), qtbot, table_file(tmp_path, labelled=False), "cats\nteas\nbooks")
    first = page.desk.row
    press(page, qtbot, Qt.Key.Key_1)
    second = page.desk.row
    press(page, qtbot, Qt.Key.Key_3)
    page._act("labels")
    page.setup.labels.setPlainText("kittens\nteas\n")
    page.setup.begin.click()
    assert page.losing.asking and page.store.dataset is not None and "books" in page.store.dataset.names
    page.losing.confirm.click()
    qtbot.waitUntil(
        lambda: page.store.dataset is not None and page.store.dataset.names == ("kittens", "teas")
    )
    assert page.store.given[first].labels == ("kittens",), "a renamed label keeps its texts"
    assert second not in page.store.given and not page.store.can_undo
    page._act("remove")
    assert page.removal.asking
    page.removal.confirm.click()
    qtbot.waitUntil(lambda: page.welcome.isVisible())
    assert page.store.dataset is None


def test_a_data_set_is_made_changed_and_removed_though_the_window_closes_at_once(
    open_teach: Open, workspace: Workspace, qtbot: QtBot, tmp_path: Path
) -> None:
    page, end = open_teach(), threading.Event()
    files, store = page.lanes.files, page.store
    read(page, qtbot, table_file(tmp_path, labelled=False))
    page.setup.labels.setPlainText("cats\nteas")
    files.start(lambda report: end.wait(10))
    page.setup.begin.click()
    files.finish_writes()
    assert [one.names for one in workspace.datasets.all()] == [NAMES]
    end.set()
    qtbot.waitUntil(lambda: store.dataset is not None and files.idle)
    end.clear()
    files.start(lambda report: end.wait(10))
    store.rename("Drinks")
    store.change_labels([Label("kittens"), Label("teas")], {"cats": "kittens"})
    files.finish_writes()
    assert [(one.name, one.names) for one in workspace.datasets.all()] == [("Drinks", ("kittens", "teas"))]
    store.remove()
    files.finish_writes()
    end.set()
    assert not workspace.datasets.all()


def test_errors_in_a_table_and_in_labels_are_shown_in_view(
    open_teach: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_teach()
    page.resize(1024, 640)
    page.open_files([tmp_path / "none.csv"])
    qtbot.waitUntil(lambda: page.notice.isVisible())
    read(page, qtbot, table_file(tmp_path, labelled=False))
    page.setup.labels.setPlainText("only")
    page.setup.begin.click()
    qtbot.waitUntil(lambda: page.setup.notice.isVisible())
    assert page.store.dataset is None
    for widget in (page.setup.begin, page.setup.cancel, page.setup.notice):
        assert widget.visibleRegion().boundingRect().size() == widget.size(), "it is seen without scrolling"
    assert page.stop() and page.welcome.isVisible()


def test_guesses_are_forgotten_when_another_window_changes_the_labels() -> None:
    texts = LabelledTexts()
    dataset = Dataset(1, "Mine", ("text",), 0, tuple(map(Label, ("cats", "teas", "books"))))
    texts.take_texts(dataset, TEXTS, {})
    texts.take_guesses(Guesses(np.tile(np.float32([0.1, 0.2, 0.7]), (len(TEXTS), 1)), (), False, True))
    assert texts.guess_of(0) == "books" and texts.shown_counts() == {"books": len(TEXTS)}
    texts.take_texts(replace(dataset, name="Ours"), TEXTS, {})
    assert texts.guess_of(0) == "books"
    texts.take_texts(replace(dataset, labels=dataset.labels[:2]), TEXTS, {})
    assert texts.guess_of(0) == "" and not texts.shown_counts()


def test_several_labels_are_chosen_before_they_are_given(
    open_teach: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_teach()
    read(page, qtbot, table_file(tmp_path, labelled=False))
    page.setup.multi.setChecked(True)
    page.setup.labels.setPlainText("cats\nteas")
    page.setup.begin.click()
    qtbot.waitUntil(lambda: page.desk.isVisible())
    row = page.desk.row
    press(page, qtbot, Qt.Key.Key_1)
    page._show_all()  # as when a guess is there: what is chosen stays
    press(page, qtbot, Qt.Key.Key_2)
    assert page.store.given == {}
    press(page, qtbot, Qt.Key.Key_Return)
    assert page.store.given[row].labels == ("cats", "teas")
    other = page.desk.row
    press(page, qtbot, Qt.Key.Key_0)
    assert page.store.given[other].labels == ()


def test_a_table_is_classified_with_an_installed_model(
    open_teach: Open, qtbot: QtBot, tmp_path: Path, workspace: Workspace
) -> None:
    small_checkpoint(workspace.paths.models / "moods", head=Head.CLASSIFICATION, labels=("good: yes", "bad"))
    page = open_teach()
    page.receive([table_file(tmp_path, labelled=False)])
    qtbot.waitUntil(lambda: page.setup.isVisible())
    assert page.setup.model is not None and page.setup.labels.isReadOnly()
    page.setup.begin.click()
    qtbot.waitUntil(lambda: page.store.guesses is not None, timeout=20_000)
    assert page.store.dataset is not None and page.store.dataset.names == ("good: yes", "bad")
    assert page.store.guesses is not None and page.store.guesses.taught
    weights = (workspace.paths.models / "moods" / "model.safetensors").read_bytes()
    page.store.give(range(len(TEXTS)), ["bad"])
    page.store.give(range(0, len(TEXTS), 2), ["good: yes"])
    qtbot.waitUntil(lambda: page.store.is_teaching)
    qtbot.waitUntil(lambda: not page.store.is_teaching, timeout=60_000)
    # What it was taught is a model of its own.
    assert Path(page.store.dataset.model).name != "moods"
    assert (workspace.paths.models / "moods" / "model.safetensors").read_bytes() == weights


def test_labels_that_could_not_be_saved_are_saved_with_the_next(
    page: LabelsSection, qtbot: QtBot, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = page.desk.row

    def refuse(*_: object) -> None:
        raise SpanlightError("The disk is full.", "Free some space.")

    with monkeypatch.context() as patched:
        patched.setattr(workspace.datasets, "give", refuse)
        press(page, qtbot, label_of(first))
        qtbot.waitUntil(lambda: page.notice.isVisible())
    assert first in page.store.given
    second = page.desk.row
    press(page, qtbot, label_of(second))
    qtbot.waitUntil(lambda: page.lanes.files.idle)
    assert page.store.dataset is not None
    assert set(workspace.datasets.given(page.store.dataset)) == {first, second}


def test_queued_labels_are_saved_after_the_window_has_closed(
    page: LabelsSection, qtbot: QtBot, workspace: Workspace
) -> None:
    end = threading.Event()
    page.lanes.files.start(lambda report: end.wait(10))
    first = page.desk.row
    press(page, qtbot, label_of(first))
    page.keep()
    page.lanes.files.quit()
    end.set()
    assert page.lanes.files.close()
    assert page.store.dataset is not None
    assert workspace.datasets.given(page.store.dataset)[first].labels == (LABELS[first],)
