"""Models are installed and removed whole or not at all, whatever happens in between."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.offers import Origin, Source
from app.core.report import Silent
from app.models.disk import copying, shelving
from app.models.disk.copying import Meter, files_of
from app.models.disk.installed import Shelf
from app.models.disk.notes import ORIGIN, read_origin
from app.models.disk.shelving import Placed, Staging, clear_leftovers, delete_tree, remove_folder
from tests.conftest import ROOT
from tests.helpers.children import Listener

MARK = Origin(Source.FOLDER)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models"


def meter() -> Meter:
    return Meter(Silent(), "Copying", 0)


def put_all(stage: Staging, source: Path, *, link: bool = False) -> list[Placed]:
    return [stage.put(source / name, name, meter(), link=link) for name in files_of(source)]


def add(
    models: Path, source: Path, name: str = "reader", *, link: bool = False, replace: bool = False
) -> Path:
    with Staging(models, name) as stage:
        put_all(stage, source, link=link)
        return stage.install(MARK, replace=replace)


def hidden(models: Path) -> list[str]:
    return sorted(path.name for path in models.iterdir() if path.name.startswith("."))


@pytest.mark.parametrize("link", [False, True])
def test_a_model_is_put_into_place_whole(models: Path, reader: Path, link: bool) -> None:
    place = add(models, reader, link=link)
    assert place == models / "reader"
    assert hidden(models) == []
    assert {path.name for path in place.iterdir()} == {*files_of(reader), ORIGIN}
    assert all((place / name).is_symlink() == link for name in files_of(reader))
    assert all((place / name).read_bytes() == (reader / name).read_bytes() for name in files_of(reader))
    assert [card.folder for card in Shelf([models]).cards()] == [str(place)]
    assert read_origin(place) == MARK


def test_only_files_of_a_checkpoint_are_taken(reader: Path) -> None:
    for name in (
        "pytorch_model.bin",
        "modeling_evil.py",
        "adapter_model.safetensors",
        "optimizer.pt",
        ".git",
    ):
        (reader / name).write_bytes(b"x")
    for name in ("README.md", "LICENSE", "LICENSE.txt"):
        (reader / name).write_text("words")
    (reader / "LICENSE.huge").write_bytes(bytes(3 * 2**20))
    assert set(files_of(reader)) == {
        "config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors", "README.md", "LICENSE",
        "LICENSE.txt",
    }  # fmt: skip


@pytest.mark.parametrize("what", ["copy", "link", "replace", "remove"])
@pytest.mark.parametrize("how", ["kill", "fail"])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked to be killed")
def test_killed_at_any_step_nothing_incomplete_counts(
    reader: Path, tmp_path: Path, how: str, what: str
) -> None:
    command = [sys.executable, "-m", "tests.helpers.cut_short", how, what, str(reader), str(tmp_path / "cut")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) >= 8  # so many operations were cut at


def test_a_name_that_is_taken_is_left_alone_unless_it_is_to_be_replaced(
    models: Path, reader: Path, judge: Path
) -> None:
    add(models, reader, "Reader")
    with pytest.raises(SpanlightError, match="Reader is installed already"):
        add(models, judge, "reader")
    assert [card.labels for card in Shelf([models]).cards()] == [()]
    assert hidden(models) == []
    add(models, judge, "reader", replace=True)
    assert [(card.name, len(card.labels)) for card in Shelf([models]).cards()] == [("reader", 3)]
    assert hidden(models) == []


def test_leftovers_of_a_killed_process_are_cleared_but_not_of_a_living_one(
    models: Path, reader: Path, judge: Path
) -> None:
    for name in (".dead.part", ".dead.gone"):
        shutil.copytree(reader, models / name / "dead")
    (models / ".dead.lock").touch()
    with Staging(models, "living") as stage:
        put_all(stage, reader)
        add(models, judge, "judge")
        assert hidden(models) == [".living.lock", ".living.part"]
        with pytest.raises(SpanlightError, match="living is being added or removed already"):
            add(models, judge, "living")
        stage.install(MARK)
    assert hidden(models) == []
    assert {card.name for card in Shelf([models]).cards()} == {"judge", "living"}


def test_a_model_set_aside_for_a_failed_replacement_is_restored(models: Path, reader: Path) -> None:
    place = add(models, reader)
    place.rename(models / ".reader.old")
    assert Shelf([models]).cards() == ()
    (models / ".DS_Store").write_bytes(b"x")
    (models / ".git").mkdir()
    (models / ".part").mkdir()
    clear_leftovers(models)
    assert [card.name for card in Shelf([models]).cards()] == ["reader"]
    assert hidden(models) == [".DS_Store", ".git", ".part"], "hidden things of others are left"


# Links


def refuse(*_: object, **__: object) -> Any:
    raise OSError(errno.EPERM, "A required privilege is not held by the client")


@pytest.mark.parametrize("hard", [True, False])
def test_where_no_symbolic_link_can_be_made_a_hard_one_or_a_copy_is(
    models: Path, reader: Path, monkeypatch: pytest.MonkeyPatch, hard: bool
) -> None:
    monkeypatch.setattr(Path, "symlink_to", refuse)
    if not hard:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    with Staging(models, "reader") as stage:
        for file in put_all(stage, reader, link=True):
            assert file.linked == hard == (stage.folder / file.name).samefile(reader / file.name)
            assert not (stage.folder / file.name).is_symlink()


# The disk refuses


Usage = namedtuple("Usage", "total used free")


def test_a_full_disk_is_reported_before_anything_is_written(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying.shutil, "disk_usage", lambda _: Usage(10**12, 10**12 - 10**6, 10**6))
    with pytest.raises(SpanlightError, match=r"The disk has 1\.0 MB free, and 567 MB are needed") as caught:
        copying.check_space(models, 500_000_000)
    assert caught.value.hint
    copying.check_space(models, 0)


def test_an_unwritable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(SpanlightError, match="could not be installed"), Staging(tmp_path / "file", "reader"):
        pass

    def no(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", no)
    with (
        pytest.raises(SpanlightError, match="may not be written") as caught,
        Staging(tmp_path / "m", "reader"),
    ):
        pass
    assert caught.value.message.startswith("reader could not be installed")
    assert caught.value.hint == f"Check the permissions of {tmp_path / 'm'}."


def test_progress_counts_every_byte(models: Path, reader: Path) -> None:
    total = sum((reader / name).stat().st_size for name in files_of(reader))
    for link in (False, True):
        listener = Listener()
        counting = Meter(listener, "Copying", total)
        with Staging(models, "reader") as stage:
            for name in files_of(reader):
                stage.put(reader / name, name, counting, link=link)
        done = [each.done for each in listener.told]
        assert done == sorted(done)
        assert done[0] == 0 and done[-1] == total
        assert {(each.what, each.total) for each in listener.told} == {("Copying", total)}


def test_the_time_left_comes_from_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 0.5, 2.0])
    monkeypatch.setattr(copying.time, "monotonic", lambda: next(clock))
    listener = Listener()
    counting = Meter(listener, "Copying", 400)
    counting.add(50)
    counting.add(50)
    assert [each.seconds_left for each in listener.told] == [None, None, 6.0]


# Removal


def test_removing_follows_no_link(models: Path, reader: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("mine")
    place = add(models, reader, link=True)
    (place / "more").symlink_to(outside, target_is_directory=True)
    (place / "precious.txt").symlink_to(outside / "precious.txt")
    remove_folder(place, models)
    assert list(models.iterdir()) == []
    assert (outside / "precious.txt").read_text() == "mine"
    assert (reader / "model.safetensors").is_file()
    (models / "linked").symlink_to(reader, target_is_directory=True)
    remove_folder(models / "linked", models)
    assert list(models.iterdir()) == []
    assert (reader / "config.json").is_file()


@pytest.mark.parametrize("folder", ["..", ".hidden", "a/b", "../elsewhere", "."])
def test_nothing_is_removed_elsewhere(models: Path, folder: str, tmp_path: Path) -> None:
    models.mkdir(parents=True)
    with pytest.raises(ValueError, match="does not lie in"):
        remove_folder(models / folder, models)
    with pytest.raises(ValueError, match="does not lie in"):
        remove_folder(tmp_path, models)
    assert models.is_dir()


def test_missing_models_and_models_being_built_are_not_removed(models: Path, reader: Path) -> None:
    place = add(models, reader)
    with Staging(models, "reader"), pytest.raises(SpanlightError, match="already"):
        remove_folder(place, models)
    assert place.is_dir()
    with pytest.raises(SpanlightError, match="not there any more"):
        remove_folder(models / "other", models)
    assert hidden(models) == []


def test_undeletable_files_are_hidden_and_deleted_the_next_time(
    models: Path, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = add(models, reader)

    def held(path: Path) -> None:
        raise PermissionError(errno.EACCES, "in use by another program")

    with monkeypatch.context() as patched:
        patched.setattr(shelving, "delete_tree", held)
        remove_folder(place, models)
    assert Shelf([models]).cards() == ()
    assert hidden(models) == [".reader.gone"]
    clear_leftovers(models)
    assert list(models.iterdir()) == []


def test_a_read_only_copy_can_be_deleted(models: Path, reader: Path) -> None:
    place = add(models, reader)
    for path in place.iterdir():
        path.chmod(0o400)
    place.chmod(0o500)
    delete_tree(place)
    assert not place.exists()
