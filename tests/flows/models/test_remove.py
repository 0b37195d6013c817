"""Removing a model: exactly what was announced is deleted."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.measures import Measure
from app.core.offers import Origin, Source
from app.core.report import Silent, Stopped
from app.flows.models import remove as remove_model
from app.flows.models.import_model import import_model
from app.flows.models.installed import use
from app.flows.models.remove import removal_of, remove
from app.flows.workspace import Workspace
from app.models.disk import shelving
from app.models.disk.copying import Meter, files_of
from app.models.disk.notes import write_origin
from app.models.disk.shelving import Staging
from app.settings import settings as settings_file
from tests.helpers.cards import CLASSIFY, QA, config
from tests.helpers.children import Listener
from tests.helpers.history_entries import entry
from tests.helpers.installing import STARTER, hidden, in_cache, names

REPOSITORY, COMMIT = "org/tiny-reader", "0" * 40


def from_hub(workspace: Workspace, reader: Path) -> Path:
    """A model as a download leaves it: links to the cache, and the mark."""
    return install_from(in_cache(reader, Path(workspace.settings.hub_cache)), workspace)


def install_from(snapshot: Path, workspace: Workspace) -> Path:
    cache, meter = workspace.settings.hub_cache, Meter(Silent(), "", 0)
    with Staging(workspace.paths.models, "tiny-reader") as stage:
        placed = [stage.put(snapshot / name, name, meter, link=True) for name in files_of(snapshot)]
        sizes = tuple((file.name, file.size) for file in placed)
        return stage.install(Origin(Source.HUB, REPOSITORY, COMMIT, linked=True, cache=cache, sizes=sizes))


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def measured(folder: str) -> Measure:
    when = "2026-01-01T00:00:00+00:00"
    return Measure("reader", folder, QA, "set", "0" * 64, 1, {"exact": 100.0}, 1.0, "CPU", "1", when)


def test_what_goes_is_told(workspace: Workspace, reader: Path) -> None:
    card = import_model(workspace, reader, Silent())
    removal = removal_of(workspace, "reader", Silent())
    assert removal.card == card
    assert removal.freed == size_of(Path(card.folder))
    assert (removal.cached, removal.chosen_for, removal.questions, removal.last_used) == (0, (), 0, "")
    use(workspace, QA, "reader")
    workspace.uses.used(card.folder)
    for number in range(3):
        workspace.history.add(replace(entry(number), model="reader" if number else "another"))
    removal = removal_of(workspace, card.folder, Silent())
    assert removal.chosen_for == (QA,)
    assert removal.questions == 2
    assert removal.last_used == workspace.uses.last(card.folder) != ""
    assert names(workspace) == ["reader", STARTER]


def test_removed_it_is_gone_with_all_that_was_kept_of_it(workspace: Workspace, reader: Path) -> None:
    card = import_model(workspace, reader, Silent())
    use(workspace, QA, "reader")
    workspace.settings.models[CLASSIFY.value] = STARTER
    workspace.uses.used(card.folder)
    workspace.measures.keep(measured(card.folder))
    workspace.history.add(replace(entry(), model="reader"))
    remove(workspace, removal_of(workspace, "READER", Silent()), Silent(), from_cache=True)
    assert names(workspace) == [STARTER]
    assert list(workspace.paths.models.iterdir()) == []
    assert workspace.settings.models == {CLASSIFY.value: STARTER}
    assert settings_file.load(workspace.paths.settings_file).models == {CLASSIFY.value: STARTER}
    assert workspace.uses.last(card.folder) == ""
    assert workspace.measures.all() == ()
    assert workspace.history.count() == 1
    assert (reader / "config.json").is_file()


def test_whatever_names_it_in_the_settings_goes_and_the_cache_is_told_apart(
    workspace: Workspace, reader: Path
) -> None:
    place = from_hub(workspace, reader)
    for name in ("Tiny-Reader", str(place), REPOSITORY):
        workspace.settings.models[QA.value] = name
        removal = removal_of(workspace, REPOSITORY, Silent())
        assert removal.chosen_for == (QA,), name
    assert removal.freed == (place / "origin.json").stat().st_size, "links count nothing"
    assert removal.cached == size_of(reader)
    remove(workspace, removal, Silent(), from_cache=False)
    assert workspace.settings.models == {}
    cache = Path(workspace.settings.hub_cache)
    assert len(list(cache.glob("*/blobs/*"))) == len(list(reader.iterdir()))
    assert names(workspace) == [STARTER]


def test_what_a_model_may_need_that_cannot_be_looked_at_stays_in_the_cache(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_hub(workspace, reader)
    locked = workspace.paths.models / "locked"
    locked.mkdir()
    look = Path.iterdir

    def refuse(folder: Path) -> Iterator[Path]:
        if folder == locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        return iter(look(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    removal = removal_of(workspace, "tiny-reader", Silent())
    assert removal.cached == 0
    remove(workspace, removal, Silent(), from_cache=True)
    cache = Path(workspace.settings.hub_cache)
    assert names(workspace) == [STARTER]
    assert len(list(cache.glob("*/blobs/*"))) == len(list(look(reader)))


def test_from_the_cache_too_where_that_is_asked(workspace: Workspace, reader: Path) -> None:
    from_hub(workspace, reader)
    other = Path(workspace.settings.hub_cache) / "models--org--other" / "blobs" / "x"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"x")
    workspace.settings.hub_cache = "elsewhere"  # changed since it was downloaded
    remove(workspace, removal_of(workspace, "tiny-reader", Silent()), Silent(), from_cache=True)
    assert not (other.parents[2] / "models--org--tiny-reader").exists()
    assert other.read_bytes() == b"x"


def test_files_that_other_programs_fetched_stay_in_the_cache(workspace: Workspace, reader: Path) -> None:
    from_hub(workspace, reader)
    storage = Path(workspace.settings.hub_cache) / "models--org--tiny-reader"
    (storage / "blobs" / "onnx").write_bytes(b"onnx")
    (storage / "snapshots" / COMMIT / "model.onnx").symlink_to("../../blobs/onnx")
    remove(workspace, removal_of(workspace, "tiny-reader", Silent()), Silent(), from_cache=True)
    assert [path.name for path in (storage / "blobs").iterdir()] == ["onnx"]
    assert (storage / "snapshots" / COMMIT / "model.onnx").read_bytes() == b"onnx"


def test_what_another_model_links_to_stays_in_the_cache(workspace: Workspace, reader: Path) -> None:
    from_hub(workspace, reader)
    snapshot = Path(workspace.settings.hub_cache) / "models--org--tiny-reader" / "snapshots" / COMMIT
    import_model(workspace, snapshot, Silent(), link=True, name="again")
    removal = removal_of(workspace, "tiny-reader", Silent())
    assert removal.cached == 0
    remove(workspace, removal, Silent(), from_cache=True)
    assert names(workspace) == ["again", STARTER]
    shutil.rmtree(workspace.settings.hub_cache)  # one whose cache is gone can be removed
    remove(workspace, removal_of(workspace, "again", Silent()), Silent(), from_cache=True)
    assert list(workspace.paths.models.iterdir()) == []


def refuse(*_: object, **__: object) -> Any:
    raise OSError(errno.EPERM, "A required privilege is not held by the client")


def test_with_hard_links_the_cache_frees_what_both_names_lead_to(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Path(workspace.settings.hub_cache)
    with monkeypatch.context() as patched:
        patched.setattr(shelving.Path, "symlink_to", refuse)
        storage = cache / "models--org--tiny-reader"
        snapshot = storage / "snapshots" / COMMIT
        shutil.copytree(reader, snapshot)  # such a system's cache has no blobs
        install_from(snapshot, workspace)
    removal = removal_of(workspace, "tiny-reader", Silent())
    assert removal.cached == size_of(reader)
    assert removal.freed < 5000  # the mark alone
    remove(workspace, removal, Silent(), from_cache=True)
    assert not storage.exists()


# What cannot be removed


def test_starters_stay(workspace: Workspace) -> None:
    removal = removal_of(workspace, STARTER, Silent())
    with pytest.raises(SpanlightError, match="comes along with Spanlight and cannot be removed") as caught:
        remove(workspace, removal, Silent(), from_cache=True)
    assert caught.value.hint
    assert names(workspace) == [STARTER]


def test_nothing_elsewhere_is_removed(workspace: Workspace, reader: Path) -> None:
    import_model(workspace, reader, Silent())
    removal = removal_of(workspace, "reader", Silent())
    before = sorted(workspace.paths.data.rglob("*"))
    for where in (".", "..", "../..", "models/reader/deeper", "models/.hidden", "elsewhere/x"):
        card = replace(removal.card, folder=str(workspace.paths.data / where))
        with pytest.raises(SpanlightError, match="removes nothing"):
            remove(workspace, replace(removal, card=card), Silent(), from_cache=True)
        assert sorted(workspace.paths.data.rglob("*")) == before


def test_what_is_not_installed_is_told(workspace: Workspace, reader: Path) -> None:
    def not_found() -> set[str]:
        hints = set()
        for name in ("", "  ", "nobody", "..", "/"):
            with pytest.raises(SpanlightError, match="There is no model") as caught:
                removal_of(workspace, name, Silent())
            hints.add(caught.value.hint)
        return hints

    assert not_found() == {"No model was added yet."}
    import_model(workspace, reader, Silent())
    assert not_found() == {"These can be removed: reader."}


def test_of_two_with_one_name_the_one_that_was_added_is_meant(workspace: Workspace, reader: Path) -> None:
    shutil.copytree(reader, workspace.paths.models / STARTER)
    removal = removal_of(workspace, STARTER, Silent())
    assert removal.card.heads == (QA,)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: os.truncate(place / "model.safetensors", 100),
        lambda place: config(place, hidden_dropout_prob=10**400),
        lambda place: (place / "spanlight.json").write_text('{"measured": {"a": {"b": 1' + "0" * 400 + "}}}"),
        lambda place: (place / "origin.json").write_text('{"source": "hub", "sizes": {"a": 1' + "0" * 5000 + "}}"),
        lambda place: [path.unlink() or path.mkdir() for path in place.iterdir() if path.name != "config.json"],
    ],
)  # fmt: skip
def test_broken_ones_can_be_removed(
    workspace: Workspace, reader: Path, spoil: Callable[[Path], object]
) -> None:
    place = Path(import_model(workspace, reader, Silent()).folder)
    spoil(place)
    assert names(workspace) == [STARTER]
    removal = removal_of(workspace, "reader", Silent())
    assert (removal.card.folder, removal.card.heads) == (str(place), ())
    remove(workspace, removal, Silent(), from_cache=True)
    assert list(workspace.paths.models.iterdir()) == []


@pytest.mark.parametrize(
    ("repository", "commit", "cache", "sizes"),
    [
        ("../precious", "..", "precious", (("config.json", 4),)),
        (REPOSITORY, COMMIT, "/a\0b", (("a\0b", 10**30),)),
    ],
)
def test_a_mark_that_leads_elsewhere_takes_nothing_with_it_and_hinders_nothing(
    workspace: Workspace,
    reader: Path,
    repository: str,
    commit: str,
    cache: str,
    sizes: tuple[tuple[str, int], ...],
) -> None:
    precious = workspace.paths.data / "precious"
    precious.mkdir(parents=True)
    (precious / "config.json").write_text("mine")
    place = Path(import_model(workspace, reader, Silent()).folder)
    cache = str(workspace.paths.data / cache)
    write_origin(place, Origin(Source.HUB, repository, commit, cache=cache, sizes=sizes))
    removal = removal_of(workspace, "reader", Silent())
    assert removal.cached == 0
    remove(workspace, removal, Silent(), from_cache=True)
    assert (precious / "config.json").read_text() == "mine"
    assert list(workspace.paths.models.iterdir()) == []


# In between


def test_stopped_before_it_began_it_stays_and_removed_twice_it_is_told(
    workspace: Workspace, reader: Path
) -> None:
    import_model(workspace, reader, Silent())
    removal = removal_of(workspace, "reader", Silent())
    with pytest.raises(Stopped):
        remove(workspace, removal, Listener(lambda _: True), from_cache=True)
    assert names(workspace) == ["reader", STARTER]
    remove(workspace, removal, Silent(), from_cache=False)
    with pytest.raises(SpanlightError, match="not there any more"):
        remove(workspace, removal, Silent(), from_cache=False)
    assert hidden(workspace) == []


class Holding:
    """A model process that has the model's files open until it is told to let go."""

    alive = True

    def __init__(self) -> None:
        self.held = True

    def unload(self, report: object) -> None:
        self.held = False

    def close(self) -> None:
        self.alive = False


def test_a_model_that_the_process_holds_is_let_go_of_first(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_model(workspace, reader, Silent())
    removal = removal_of(workspace, "reader", Silent())
    holding = Holding()
    workspace.engine = holding  # type: ignore[assignment]
    rename = Path.rename

    def as_windows(path: Path, target: Path) -> Path:
        if path.name == "reader" and holding.held:
            raise PermissionError(errno.EACCES, "The process cannot access the file")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", as_windows)
    remove(workspace, removal, Silent(), from_cache=False)
    assert not holding.held
    assert names(workspace) == [STARTER]


def test_a_cache_that_cannot_be_written_is_told_once_the_model_is_gone(
    workspace: Workspace, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_hub(workspace, reader)
    removal = removal_of(workspace, "tiny-reader", Silent())

    def no(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(remove_model, "forget", no)
    with pytest.raises(SpanlightError, match="is removed, but its files stay in the Hugging Face cache"):
        remove(workspace, removal, Silent(), from_cache=True)
    assert names(workspace) == [STARTER]
