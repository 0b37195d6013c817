"""A small real reader is taught from corrections: measured, kept as a version, used, exported and removed."""

from __future__ import annotations

import json
import shutil
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForQuestionAnswering

from app.core.corrections import Correction
from app.core.errors import Busy, SpanlightError
from app.core.models import Head
from app.core.report import Progress, Silent, Stopped
from app.core.requests import Question
from app.core.text import Document, Replacement, View
from app.flows.ask.question import ask
from app.flows.models.remove import removal_of, remove
from app.flows.teach import reader
from app.flows.teach.reader import (
    FEWEST,
    ReaderVersion,
    bases,
    discard_unfinished,
    export_version,
    remove_version,
    teach_reader,
    unfinished,
    use_version,
    versions,
)
from app.flows.workspace import Workspace
from app.models.disk.notes import read_notes, read_origin
from app.training.examples import read_qa
from tests.conftest import ROOT
from tests.helpers.children import Listener
from tests.helpers.teaching import corrections, question_row, reader_workspace

NUMBER = 20


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    before = torch.get_num_threads()
    found = reader_workspace(tmp_path / "home")
    yield found
    found.close()
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def taught_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home where a version was taught."""
    home = tmp_path_factory.mktemp("taught") / "home"
    workspace = reader_workspace(home)
    teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    workspace.close()
    return home


@pytest.fixture
def taught(workspace: Workspace, taught_home: Path, tmp_path: Path) -> ReaderVersion:
    """The version of `taught_home` in this test's own workspace."""
    shutil.copytree(taught_home, tmp_path / "home", dirs_exist_ok=True)
    (version,) = versions(workspace, Silent())
    return version


def stopping_at(step: int) -> Listener:
    """Stops the work at a step of the training."""
    return Listener(lambda heard: bool(heard.partials) and heard.partials[-1].step >= step)


def content(folder: str | Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def weights(folder: str | Path) -> dict[str, torch.Tensor]:
    return dict(AutoModelForQuestionAnswering.from_pretrained(folder).state_dict())


def test_a_version_is_taught_measured_and_installed_without_being_used(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[Any] = []
    measure = reader._measure

    def figures(workspace: Workspace, folder: str, *rest: Any) -> Any:
        notes.append(read_notes(folder))
        return measure(workspace, folder, *rest)

    monkeypatch.setattr(reader, "_measure", figures)
    base = workspace.find_model(Head.QUESTION_ANSWERING)
    was = content(base.folder)
    for one in corrections(NUMBER):
        workspace.corrections.put(one)
    watched = Listener()
    found = teach_reader(workspace, watched)
    assert (found.base, found.corrections, found.known.after.questions) == ("reader", NUMBER, 6)
    assert 3 <= found.held.before.questions == found.held.after.questions < NUMBER
    steps = watched.partials
    assert [step.step for step in steps if not step.dev] == list(range(1, steps[-1].steps + 1))
    assert len([step for step in steps if "f1" in step.dev]) == reader._EPOCHS
    parts = [what for what in dict.fromkeys(each.what for each in watched.told) if "Loading" not in what]
    assert parts == ["Measuring the reader", "Teaching", "Measuring what it learnt", "Installing"]
    fractions = [each.fraction for each in watched.told]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0, "one bar from the beginning to the end"
    assert content(base.folder) == was, "the base is as it was"
    assert workspace.find_model(Head.QUESTION_ANSWERING).folder == base.folder, "it is not used yet"
    assert versions(workspace, Silent()) == (found,)
    assert not workspace.paths.teaching.exists() and unfinished(workspace, Silent()) is None
    before, after = notes
    assert (after.calibration, after.window) == (before.calibration, before.window), (
        "measured with its base's"
    )


def test_a_version_is_half_its_base_has_what_the_base_had_and_is_exported(
    workspace: Workspace, taught: ReaderVersion, tmp_path: Path
) -> None:
    found = taught
    base, own = workspace.find_model(Head.QUESTION_ANSWERING), workspace.shelf.cards()[0]
    assert (own.name, own.dtype, own.window, own.stride) == (found.name, base.dtype, base.window, base.stride)
    assert own.calibration == base.calibration and own.languages == base.languages
    assert own.licence == base.licence and not own.reliability
    mark = read_origin(found.folder)
    assert mark is not None and mark.source == "taught" and dict(mark.checksums)
    old, new = weights(base.folder), weights(found.folder)
    assert old.keys() == new.keys()
    assert any(not torch.equal(old[name], new[name]) for name in old)
    use_version(workspace, found.name, Silent())
    assert workspace.find_model(Head.QUESTION_ANSWERING).name == found.name
    text = Document("the king took the tarts .")
    reading = ask(workspace, Question("who took the tarts?", (text,)), Silent())
    assert reading.model == found.name
    export_version(workspace, found.name, tmp_path / "out" / "mine", Silent())
    assert weights(tmp_path / "out" / "mine").keys() == new.keys()
    with pytest.raises(SpanlightError, match="there already"):
        export_version(workspace, found.name, tmp_path / "out" / "mine", Silent())


def test_a_sharded_reader_stays_sharded(workspace: Workspace) -> None:
    folder = Path(workspace.find_model(Head.QUESTION_ANSWERING).folder)
    model = AutoModelForQuestionAnswering.from_pretrained(folder, dtype=torch.float16)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="30KB")
    found = teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert len([*Path(found.folder).glob("model-*.safetensors")]) > 1
    assert weights(found.folder).keys() == weights(folder).keys()


@pytest.mark.parametrize(
    "family",
    [
        "distilbert",
        "albert",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("roberta", "mpnet", "mobilebert", "deberta-v2")
        ),
    ],
)
def test_readers_of_other_families_are_taught(tmp_path: Path, family: str) -> None:
    workspace = reader_workspace(tmp_path / "home", family=family)
    found = teach_reader(workspace, Silent(), corrections=corrections(FEWEST))
    old, new = weights(workspace.find_model(Head.QUESTION_ANSWERING).folder), weights(found.folder)
    changed = {name for name in old if not torch.equal(old[name], new[name])}
    assert any("qa_outputs" in name for name in changed) and any("ttention" in name for name in changed)
    assert family == "albert" or not any("word_embeddings" in name for name in changed)
    workspace.close()


def test_a_version_is_used_taught_again_and_removed(workspace: Workspace, taught: ReaderVersion) -> None:
    first = taught
    use_version(workspace, first.name, Silent())
    second = teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert second.base == first.name and second.name != first.name
    assert {each.name for each in versions(workspace, Silent())} == {first.name, second.name}
    assert [card.name for card in bases(workspace, Silent())] == ["reader"], "what a version began with"
    for untaught in ("", "reader"):
        use_version(workspace, first.name, Silent())
        use_version(workspace, untaught, Silent())
        assert workspace.find_model(Head.QUESTION_ANSWERING).name == "reader"
    use_version(workspace, second.name, Silent())
    remove_version(workspace, second.name, Silent())
    assert workspace.find_model(Head.QUESTION_ANSWERING).name == "reader"
    assert versions(workspace, Silent()) == (first,)
    with pytest.raises(SpanlightError, match="no version"):
        remove_version(workspace, "reader", Silent())


def test_a_stopped_teaching_goes_on_with_what_it_began_with(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(Stopped):
        teach_reader(workspace, stopping_at(7), corrections=corrections(NUMBER))
    begun = unfinished(workspace, Silent())
    assert begun is not None and (begun.base, begun.corrections) == ("reader", NUMBER)
    assert 0 < begun.step < begun.steps
    watched = Listener()
    found = teach_reader(workspace, watched, corrections=corrections(30))
    assert found.corrections == NUMBER and watched.partials[0].step == begun.step + 1
    assert "Measuring the reader" not in {each.what for each in watched.told}, "that was measured before"
    assert 0.2 < watched.told[0].fraction < 1.0, "nor does the bar begin anew"


def test_the_time_left_is_that_of_all_parts() -> None:
    told = Listener()
    measuring, teaching = (
        reader._Phase(told, "Measuring", 0, 100, 400),
        reader._Phase(told, "Teaching", 100, 200, 400, 8.0),
    )
    measuring.progress(Progress(1, 100, "questions", 99.0))
    measuring.progress(Progress(50, 100, "questions", 5.0))
    teaching.progress(Progress(5, 10, "Training", 12.0))
    # The first question tells nothing; then there are 200 more for the steps, and 100 to ask again.
    assert [each.seconds_left for each in told.told] == [None, pytest.approx(35), pytest.approx(20)]


def asked(heard: Listener) -> list[int]:
    """How many questions the first measure had asked, at each progress."""
    return [each.done for each in heard.told if each.what == "Measuring the reader"]


def test_a_stopped_measure_goes_on_and_comes_to_the_same_figures(
    workspace: Workspace, taught: ReaderVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_CHUNK", 3)
    with pytest.raises(Stopped):
        at_three = Listener(lambda heard: max(asked(heard), default=0) >= 3)
        teach_reader(workspace, at_three, corrections=corrections(NUMBER))
    watched = Listener()
    found = teach_reader(workspace, watched, corrections=corrections(NUMBER))
    assert min(asked(watched)) >= 3
    assert (found.held.before, found.known.before) == (taught.held.before, taught.known.before)


def test_a_teaching_that_is_not_wanted_any_more_is_discarded(workspace: Workspace) -> None:
    discard_unfinished(workspace, Silent())
    with pytest.raises(Stopped):
        teach_reader(workspace, stopping_at(2), corrections=corrections(NUMBER))
    discard_unfinished(workspace, Silent())
    assert unfinished(workspace, Silent()) is None
    assert teach_reader(workspace, Silent(), corrections=corrections(30)).corrections == 30


def test_a_teaching_whose_base_is_gone_begins_anew(workspace: Workspace, taught: ReaderVersion) -> None:
    first = taught
    use_version(workspace, first.name, Silent())

    def refuses_removal(heard: Listener) -> bool:
        if heard.partials:
            with pytest.raises(Busy):
                remove_version(workspace, first.name, Silent())
        return bool(heard.partials)

    with pytest.raises(Stopped):
        teach_reader(workspace, Listener(refuses_removal), corrections=corrections(NUMBER))
    assert versions(workspace, Silent()) == (first,), "it is being taught further"
    removal = removal_of(workspace, first.name, Silent())  # as on Models
    assert removal.unfinished == NUMBER and removal.freed > removal_of(workspace, "reader", Silent()).freed
    remove(workspace, removal, Silent(), from_cache=False)
    assert unfinished(workspace, Silent()) is None and not workspace.paths.teaching.exists()
    assert teach_reader(workspace, Silent(), corrections=corrections(30)).base == "reader"


def test_a_version_that_was_installed_right_before_a_kill_is_not_installed_twice(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(reader, "delete_run", lambda folder: None)
        first = teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert unfinished(workspace, Silent()) is not None
    assert teach_reader(workspace, Silent()) == first
    assert versions(workspace, Silent()) == (first,) and unfinished(workspace, Silent()) is None


def test_one_teaching_at_a_time(workspace: Workspace) -> None:
    def refuses_a_second(heard: Listener) -> bool:
        with pytest.raises(Busy):
            discard_unfinished(workspace, Silent())
        with pytest.raises(Busy):
            teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
        return True

    with pytest.raises(Stopped):
        teach_reader(workspace, Listener(refuses_a_second), corrections=corrections(NUMBER))


@pytest.mark.parametrize("number", [0, 1, 7])
def test_too_few_corrections_are_refused(workspace: Workspace, number: int) -> None:
    with pytest.raises(SpanlightError, match="too few") as refused:
        teach_reader(workspace, Silent(), corrections=corrections(number))
    assert "\n" not in refused.value.message
    assert unfinished(workspace, Silent()) is None


def test_corrections_of_one_kind_are_enough(workspace: Workspace) -> None:
    absent = [one for one in corrections(30) if one.span is None]
    assert teach_reader(workspace, Silent(), corrections=absent[:8]).held.after.questions == 3


def test_what_is_held_out_stays_held_out_as_more_corrections_come() -> None:
    few, many = ([reader._example(one) for one in corrections(number)] for number in (40, 160))
    held = {one.id for one in reader._split(few)[1]}
    assert held <= {one.id for one in reader._split(many)[1]}
    learnt, held_out = reader._split(many)
    assert len(learnt) + len(held_out) == 160 and 0.1 < len(held_out) / 160 < 0.3


def test_the_view_of_a_passage_is_learnt_from(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    view = View((Replacement(3, 4, " a "),), array("i", [4]), ((0, "Taken"),))
    viewed: list[Correction] = [replace(one, view=view) for one in corrections(NUMBER)]
    with pytest.raises(Stopped):
        teach_reader(workspace, stopping_at(2), corrections=viewed)
    assert all(one.view == view for one in read_qa(workspace.paths.teaching / "learn.jsonl"))


def rows_file(folder: Path, rows: list[dict[str, Any]], name: str = "mine.jsonl") -> Path:
    (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder / name


def test_a_file_is_taught_into_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    squad = {"data": [{"title": "", "paragraphs": [
        {"context": row["context"], "qas": [{**row, "is_impossible": not row["answers"]}]}
        for row in map(question_row, range(NUMBER))
    ]}]}  # fmt: skip
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(squad), encoding="utf-8")
    output = tmp_path / "taught"
    output.mkdir()
    with pytest.raises(Stopped):
        teach_reader(workspace, stopping_at(2), corrections=file, output=output)
    found = teach_reader(workspace, Silent(), corrections=file, output=output)
    assert found.folder == str(output) and found.corrections == NUMBER
    assert read_notes(output).measured and weights(output)
    assert versions(workspace, Silent()) == () and [*tmp_path.glob("taught*")] == [output]


def test_a_file_of_other_corrections_begins_anew(workspace: Workspace, tmp_path: Path) -> None:
    rows = [question_row(at) for at in range(NUMBER)]
    with pytest.raises(Stopped):
        teach_reader(
            workspace, stopping_at(2), corrections=rows_file(tmp_path, rows), output=tmp_path / "out"
        )
    file = rows_file(tmp_path, [*rows, question_row(NUMBER)])
    found = teach_reader(workspace, Silent(), corrections=file, output=tmp_path / "out")
    assert found.corrections == NUMBER + 1


def test_answers_that_contradict_each_other_in_a_file_are_listed(
    workspace: Workspace, tmp_path: Path
) -> None:
    rows = [question_row(at) for at in range(NUMBER)]
    other = {**rows[0], "id": "other", "answers": [{"text": "tarts", "answer_start": 18}]}
    with pytest.raises(SpanlightError, match=r"different answers.*“who took the tarts\?”\."):
        teach_reader(workspace, Silent(), corrections=rows_file(tmp_path, [*rows, other]))
    again = rows_file(tmp_path, [*rows, {**rows[0], "id": "again"}])
    assert teach_reader(workspace, Silent(), corrections=again).corrections == NUMBER


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"answers": [{"text": "king", "answer_start": 5}]}, "do not stand where"),
        ({"question": " "}, "is empty"),
        ({"answers": "king"}, "not of that form"),
        (
            {"view": {"replacements": [[0, 10**30, "a"]], "bounds": [10**30], "headings": []}},
            "not of that form",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    workspace: Workspace, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    rows = [question_row(at) for at in range(NUMBER)]
    with pytest.raises(SpanlightError, match=words):
        teach_reader(workspace, Silent(), corrections=rows_file(tmp_path, [*rows, rows[0] | change]))


def test_the_examples_that_come_along_fit() -> None:
    known, replay = (
        read_qa(ROOT / "resources" / "examples" / name)
        for name in ("replay-held-out.jsonl.xz", "replay.jsonl.xz")
    )
    assert len(replay) > 900 and len(known) > 190
    assert not {one.context for one in known} & {one.context for one in replay}
    for one in (*known, *replay):
        assert all(one.context[at : at + len(text)] == text for text, at in one.answers)
