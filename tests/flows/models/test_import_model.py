"""Importing a model from a folder or a zip: it is installed only after it was copied and checked."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, ModelCard
from app.core.offers import Source
from app.core.report import Silent, Stopped
from app.core.requests import Question
from app.core.text import Document
from app.flows.ask.question import ask
from app.flows.models import import_model as importing
from app.flows.models import installing
from app.flows.models.import_model import import_model, looks_like_model
from app.flows.workspace import Workspace
from app.models.disk import copying
from app.models.disk.notes import read_origin
from tests.helpers.cards import CLASSIFY, QA, config
from tests.helpers.children import Listener
from tests.helpers.installing import STARTER, TrialHere, a_workspace, hidden, in_cache, names
from tests.helpers.small_models import small_checkpoint


def zipped(folder: Path, below: str = "") -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for each in sorted(folder.iterdir()):
            file.write(each, below + each.name)
    return path


def nothing_came(workspace: Workspace) -> None:
    assert names(workspace) == [STARTER]
    assert not workspace.shelf.refused
    models = workspace.paths.models
    assert not models.exists() or list(models.iterdir()) == []


def refused(workspace: Workspace, path: Path, match: str, **options: object) -> SpanlightError:
    with pytest.raises(SpanlightError, match=match) as caught:
        import_model(workspace, path, Silent(), **options)  # type: ignore[arg-type]
    assert caught.value.hint.endswith(".")
    assert "\n" not in caught.value.message
    nothing_came(workspace)
    return caught.value


def test_a_folder_is_copied_and_counts(workspace: Workspace, reader: Path) -> None:
    listener = Listener()
    card = import_model(workspace, reader, listener)
    place = workspace.paths.models / "reader"
    assert card.folder == str(place)
    assert card.source == Source.FOLDER
    assert card.heads == (QA,)
    assert names(workspace) == ["reader", STARTER]
    assert hidden(workspace) == []
    origin = read_origin(place)
    assert origin is not None
    assert origin.path == str(reader)
    assert not origin.linked
    assert dict(origin.sizes)["model.safetensors"] == (reader / "model.safetensors").stat().st_size
    assert len(dict(origin.checksums)["config.json"]) == 64
    shutil.rmtree(reader)
    assert names(workspace) == ["reader", STARTER]
    said = list(dict.fromkeys(told.what for told in listener.told))
    assert said == ["Checking", "Copying", "Checking", "Trying it out"] or said == [
        "Checking", "Copying", "Trying it out",
    ]  # fmt: skip


def test_it_answers_in_a_real_process_after_a_real_trial(originals: dict[Head, Path], tmp_path: Path) -> None:
    with a_workspace(tmp_path / "home") as workspace:
        import_model(workspace, originals[QA], Silent())
        reading = ask(workspace, Question("Who?", (Document("The knave stole the tarts."),)), Silent())
        assert reading.model == "reader"


@pytest.mark.parametrize("below", ["", "reader/"])
def test_a_zip_is_unpacked_and_counts(workspace: Workspace, reader: Path, below: str) -> None:
    path = zipped(reader, below)
    card = import_model(workspace, str(path), Silent())
    assert (card.name, card.source) == ("reader", Source.ARCHIVE)
    assert hidden(workspace) == []
    assert (Path(card.folder) / "model.safetensors").read_bytes() == (
        reader / "model.safetensors"
    ).read_bytes()


def test_a_folder_can_be_linked_and_stays_where_it_is(workspace: Workspace, reader: Path) -> None:
    card = import_model(workspace, reader, Silent(), link=True)
    place = Path(card.folder)
    assert (place / "model.safetensors").readlink() == reader / "model.safetensors"
    origin = read_origin(place)
    assert origin is not None and origin.linked
    shutil.rmtree(reader)
    assert names(workspace) == [STARTER]
    assert "gone" in workspace.shelf.refused[str(place)].message


@pytest.mark.parametrize("link", [False, True])
def test_notes_come_along_and_are_the_models_own(workspace: Workspace, reader: Path, link: bool) -> None:
    (reader / "spanlight.json").write_text(json.dumps({"description": "Mine", "licence": "mit"}))
    card = import_model(workspace, reader, Silent(), link=link)
    assert (card.description, card.licence) == ("Mine", "mit")
    assert not (Path(card.folder) / "spanlight.json").is_symlink()
    (Path(card.folder) / "spanlight.json").write_text(json.dumps({"description": "Ours"}))
    assert "Mine" in (reader / "spanlight.json").read_text()


def test_what_sentence_transformers_files_say_is_kept(workspace: Workspace, tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "meaning", head=Head.EMBEDDINGS)
    (folder / "spanlight.json").unlink()
    refused(workspace, folder, "holds no head that Spanlight can use")
    kinds = [{"type": f"sentence_transformers.models.{kind}"} for kind in ("Transformer", "Pooling")]
    (folder / "modules.json").write_text(json.dumps(kinds))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    assert import_model(workspace, folder, Silent()).heads == (Head.EMBEDDINGS,)
    assert not (folder / "spanlight.json").exists()


def test_a_tokenizer_is_made_where_only_its_vocabulary_is_there(workspace: Workspace, reader: Path) -> None:
    vocabulary = json.loads((reader / "tokenizer.json").read_text())["model"]["vocab"]
    (reader / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", "utf-8")
    (reader / "tokenizer.json").unlink()
    for path in (reader, zipped(reader)):
        card = import_model(
            workspace, path, Silent(), name=f"from-{path.suffix or 'folder'}".replace(".", "")
        )
        made = json.loads((Path(card.folder) / "tokenizer.json").read_text("utf-8"))
        assert made["model"]["vocab"] == vocabulary
    assert not (reader / "tokenizer.json").exists()


# Names


def test_a_name_that_is_taken_gets_a_number(
    workspace: Workspace, reader: Path, originals: dict[Head, Path], tmp_path: Path
) -> None:
    like_the_starter = reader.rename(reader.with_name(STARTER))
    assert import_model(workspace, like_the_starter, Silent()).name == f"{STARTER}-2"
    other = Path(shutil.copytree(originals[CLASSIFY], tmp_path / "more" / STARTER.upper()))
    assert import_model(workspace, other, Silent()).name == f"{STARTER.upper()}-3"


def test_it_can_be_given_a_name(workspace: Workspace, reader: Path) -> None:
    assert import_model(workspace, reader, Silent(), name=" My reader ").name == "My reader"
    with pytest.raises(SpanlightError, match="My reader is there already"):
        import_model(workspace, reader, Silent(), name="My reader")
    with pytest.raises(SpanlightError, match="cannot be called"):
        import_model(workspace, reader, Silent(), name="../reader")
    assert names(workspace) == ["My reader", STARTER]


def test_the_same_model_again_is_told(workspace: Workspace, reader: Path) -> None:
    import_model(workspace, reader, Silent(), name="first")
    for path in (reader, zipped(reader)):
        with pytest.raises(SpanlightError, match="installed already, as first"):
            import_model(workspace, path, Silent())
    assert names(workspace) == ["first", STARTER]
    assert import_model(workspace, reader, Silent(), name="second").name == "second"
    assert hidden(workspace) == []


def test_a_model_is_replaced_only_when_asked(
    workspace: Workspace, reader: Path, originals: dict[Head, Path]
) -> None:
    import_model(workspace, reader, Silent(), name="mine")
    card = import_model(workspace, originals[CLASSIFY], Silent(), name="mine", replace=True)
    assert card.heads == (CLASSIFY,)
    assert names(workspace) == ["mine", STARTER]
    assert hidden(workspace) == []


# What is not taken


def bad_numbers(folder: Path) -> None:
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-4000:] = b"\xff" * 4000  # not numbers
    path.write_bytes(data)


BROKEN: dict[str, Callable[[Path], object]] = {
    "no tokenizer": lambda folder: (folder / "tokenizer.json").unlink(),
    "program code": lambda folder: config(folder, auto_map={"AutoModel": "evil.Model"}),
    "cut weights": lambda folder: os.truncate(folder / "model.safetensors", 5000),
    "NaN weights": bad_numbers,
}


@pytest.mark.parametrize("way", ["copy", "link", "zip"])
def test_a_model_that_is_not_sound_leaves_nothing(
    workspace: Workspace, originals: dict[Head, Path], tmp_path: Path, way: str
) -> None:
    for kind, spoil in BROKEN.items():
        reader = Path(shutil.copytree(originals[QA], tmp_path / kind / "reader"))
        spoil(reader)
        path = zipped(reader) if way == "zip" else reader
        said = refused(workspace, path, ".", link=way == "link").message
        assert ".part" not in said, "a hidden folder's name"


def test_a_model_that_breaks_the_process_is_not_added(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: object, folder: str, report: object) -> ModelCard:
        raise EngineLost("The model process crashed.", "Try again.", -11)

    monkeypatch.setattr(TrialHere, "try_model", lost)
    refused(workspace, reader, "reader makes the model process break off, and was not added")


def test_what_is_no_model_or_a_zip_to_be_linked_is_told(
    workspace: Workspace, reader: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.txt").write_text("words")
    refused(workspace, tmp_path / "x.txt", "is no model")
    refused(workspace, tmp_path / "gone", "There is nothing at")
    (tmp_path / "empty").mkdir()
    refused(workspace, tmp_path / "empty", "config.json|vocabulary|safetensors")
    refused(workspace, zipped(reader), "is a zip", link=True)


# Links and odd places


@pytest.mark.parametrize("link", [False, True])
def test_links_that_lead_out_are_refused(
    workspace: Workspace, reader: Path, tmp_path: Path, link: bool
) -> None:
    (reader / "README.md").write_text("words")
    for name in ("config.json", "model.safetensors", "README.md"):
        (reader / name).rename(tmp_path / name)
        (reader / name).symlink_to(tmp_path / name)
        refused(workspace, reader, f"{name} of reader is a link that leads out of its folder", link=link)
        (tmp_path / name).replace(reader / name)


def test_a_folder_that_is_a_link_and_links_within_it_are_taken(
    workspace: Workspace, reader: Path, tmp_path: Path
) -> None:
    (reader / "model.safetensors").rename(reader / "weights.v3")
    (reader / "model.safetensors").symlink_to("weights.v3")
    (tmp_path / "by link").symlink_to(reader, target_is_directory=True)
    place = Path(import_model(workspace, tmp_path / "by link", Silent()).folder)
    assert not (place / "model.safetensors").is_symlink()
    assert (place / "model.safetensors").read_bytes() == (reader / "weights.v3").read_bytes()


@pytest.mark.parametrize("link", [False, True])
def test_a_snapshot_of_the_hugging_face_cache_is_taken(
    workspace: Workspace, reader: Path, tmp_path: Path, link: bool
) -> None:
    snapshot = in_cache(reader, tmp_path / "hub")
    card = import_model(workspace, snapshot, Silent(), link=link)
    assert card.name == "tiny-reader"
    weights = Path(card.folder) / "model.safetensors"
    assert weights.is_symlink() == link
    assert weights.read_bytes() == (reader / "model.safetensors").read_bytes()
    if link:
        assert weights.readlink().parent.name == "blobs"


def test_our_own_models_are_not_imported(workspace: Workspace, reader: Path) -> None:
    card = import_model(workspace, reader, Silent())
    for path, said in (
        (workspace.paths.models, "where Spanlight keeps its models"),
        (Path(card.folder), "reader is installed already"),
        (workspace.paths.starter_models / STARTER, f"{STARTER} is installed already"),
    ):
        with pytest.raises(SpanlightError, match=said):
            import_model(workspace, path, Silent())
    assert names(workspace) == ["reader", STARTER]


def test_a_model_folder_that_holds_our_data_is_taken(originals: dict[Head, Path], reader: Path) -> None:
    with pytest.MonkeyPatch.context() as patched, a_workspace(reader / "home") as workspace:
        patched.setattr(installing, "Engine", TrialHere)
        card = import_model(workspace, reader, Silent())
        assert not (Path(card.folder) / "home").exists()


# Things that happen in between


def test_a_file_that_changes_while_it_is_linked_is_not_taken(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = TrialHere.try_model

    def and_change(self: TrialHere, folder: str, report: Listener) -> ModelCard:
        card = real(self, folder, report)
        config(reader, extra="changed")
        return card

    monkeypatch.setattr(TrialHere, "try_model", and_change)
    refused(workspace, reader, "changed while it was being checked", link=True)


def test_what_is_copied_is_what_was_checked(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importing.files_of

    def and_change(folder: Path) -> tuple[str, ...]:
        found = real(folder)
        config(reader, auto_map={"AutoModel": "evil.Model"})  # after the first look
        return found

    monkeypatch.setattr(importing, "files_of", and_change)
    refused(workspace, reader, "program code")


def has_said(what: str) -> Callable[[Listener], bool]:
    return lambda told: any(progress.what == what for progress in told.told)


@pytest.mark.parametrize("at", ["Checking", "Copying", "Trying it out"])
def test_stopped_at_any_step_nothing_stays(workspace: Workspace, reader: Path, at: str) -> None:
    for path in (reader, zipped(reader)):
        what = "Unpacking" if at == "Copying" and path.suffix else at
        with pytest.raises(Stopped):
            import_model(workspace, path, Listener(has_said(what)))
        nothing_came(workspace)


def test_a_disk_that_runs_full_leaves_nothing(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(reader)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(copying.os, "fsync", full)
    refused(workspace, reader, "the disk is full")
    refused(workspace, path, "the disk is full")


def test_a_disk_without_room_is_told_first(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_free(folder: Path, needed: int) -> None:
        raise SpanlightError(f"There is no room for {needed} bytes.", "Free some space.")

    monkeypatch.setattr(importing, "check_space", none_free)
    total = sum(path.stat().st_size for path in reader.iterdir())
    refused(workspace, reader, f"no room for {total} bytes")
    refused(workspace, zipped(reader), f"no room for {total} bytes")
    monkeypatch.undo()


# A first look


def test_what_looks_like_a_model(reader: Path, tmp_path: Path) -> None:
    assert looks_like_model(reader)
    assert looks_like_model(str(zipped(reader)))
    config(reader, model_type="gpt2")
    assert looks_like_model(reader)  # so that it is told what is wrong with it
    (tmp_path / "x.txt").write_text("words")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "config.json").write_text("{}")
    for path in ("x.txt", "plain", "gone", "reader/config.json"):
        assert not looks_like_model(tmp_path / path)
