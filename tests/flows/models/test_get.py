"""Downloading models through the real download process from a local Hub."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.offers import Downloading, Passport, Source
from app.core.report import Silent, Stopped
from app.flows.models import get as get_model
from app.flows.models import installing
from app.flows.models.get import download, give_up, look_up, record_started, unfinished
from app.flows.network.download_process import Downloads
from app.flows.workspace import Workspace, open_workspace
from app.models.disk.notes import read_origin
from app.models.download.cache import cached_bytes, snapshot_of
from app.models.download.orders import Fetch, Limits
from app.settings import settings as settings_file
from tests.conftest import ROOT
from tests.helpers.cards import CLASSIFY, QA, config
from tests.helpers.children import Listener
from tests.helpers.hub_server import HubServer
from tests.helpers.installing import STARTER, TrialHere, a_workspace, hidden, names
from tests.helpers.small_models import small_checkpoint

NAME = "org/tiny-reader"
CDN = "/cdn/*model.safetensors"


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Head, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {
        QA: small_checkpoint(folder / "reader", positions=10_000),
        CLASSIFY: small_checkpoint(folder / "judge", "bert", CLASSIFY),
    }


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Downloads]:
    made = Downloads(tmp_path_factory.mktemp("log") / "download.log")
    yield made
    made.close()


@pytest.fixture
def workspace(
    originals: dict[Head, Path],
    hub: HubServer,
    downloads: Downloads,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Workspace]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(installing, "Engine", TrialHere)
    monkeypatch.setattr(get_model, "Fetch", partial(Fetch, limits=Limits(tries=2, pause=0.05)))
    with a_workspace(tmp_path / "home", originals[CLASSIFY]) as opened:
        own, opened.downloads = opened.downloads, downloads
        opened.settings.endpoint = hub.url
        opened.settings.hub_cache = str(tmp_path / "hub")
        yield opened
        opened.downloads = own


def put_up(workspace: Workspace, hub: HubServer, folder: Path) -> Passport:
    """Put a checkpoint on the Hub under NAME; the passport of this commit."""
    hub.add(NAME, folder)
    return look_up(workspace, NAME, Silent())


@pytest.fixture
def passport(workspace: Workspace, hub: HubServer, reader: Path) -> Passport:
    return put_up(workspace, hub, reader)


def record_begun(workspace: Workspace, passport: Passport) -> None:
    """Record a download as begun, as a process leaves it that is killed in the middle."""
    begun = get_model.StartedDownload(passport, "2026-01-01T00:00:00+00:00")
    record_started(workspace.paths.unfinished_downloads, begun)


def records(workspace: Workspace) -> list[str]:
    folder = workspace.paths.unfinished_downloads
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def nothing_counts(workspace: Workspace) -> None:
    assert names(workspace) == [STARTER]
    assert not workspace.shelf.refused
    assert hidden(workspace) == []


def cached(workspace: Workspace) -> list[str]:
    """The names of all files in the cache that hold bytes of a model."""
    cache = Path(workspace.settings.hub_cache)
    return sorted(path.name for path in cache.glob("models--*/blobs/*") if path.is_file())


def test_a_model_is_downloaded_tried_out_and_linked(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    commit = hub.add(NAME, reader, licence="mit", languages=["en"])
    passport = look_up(workspace, f" {NAME} ", Silent())
    assert (passport.commit, passport.repository) == (commit, NAME)
    listener = Listener()
    card = download(workspace, passport, listener)
    assert (card.name, card.repository, card.source) == ("tiny-reader", NAME, Source.HUB)
    assert (card.licence, card.languages) == ("mit", ("en",))
    place = Path(card.folder)
    assert place == workspace.paths.models / "tiny-reader"
    weights = place / "model.safetensors"
    assert weights.is_symlink() and weights.resolve().parent.name == "blobs"
    assert weights.read_bytes() == (reader / "model.safetensors").read_bytes()
    origin = read_origin(place)
    assert origin is not None
    assert (origin.commit, origin.linked) == (commit, True)
    assert dict(origin.sizes)["config.json"] == (reader / "config.json").stat().st_size
    assert any(isinstance(each, Downloading) for each in listener.partials)
    assert listener.told[-1].what == "Trying it out"
    assert records(workspace) == [] and hidden(workspace) == []
    assert workspace.shelf.find(NAME, QA) == card
    # A process that ended between the last two steps leaves its record.
    record_begun(workspace, passport)
    assert unfinished(workspace, Silent()) == () and records(workspace) == []
    # The same again needs no network.
    asked = len(hub.asked)
    workspace.settings.offline = True
    assert download(workspace, passport, listener) == card
    assert listener.notices == [f"{NAME} is installed already, as tiny-reader."]
    assert len(hub.asked) == asked


def test_offline_nothing_is_asked_and_no_process_started_in_any_spanlight(
    tmp_path: Path, workspace: Workspace, hub: HubServer, passport: Passport
) -> None:
    with a_workspace(tmp_path / "other") as other:
        other.settings.offline = True
        for doing in (lambda: look_up(other, NAME, Silent()), lambda: download(other, passport, Silent())):
            with pytest.raises(SpanlightError, match="Spanlight is offline") as caught:
                doing()
            assert caught.value.hint
        assert other.downloads.pids == (None, None)
        assert not other.paths.unfinished_downloads.exists()
    # One that is open already takes up what another process has saved.
    asked = len(hub.asked)
    elsewhere = settings_file.load(workspace.paths.settings_file)
    elsewhere.offline = True
    settings_file.save(elsewhere, workspace.paths.settings_file)
    for doing in (
        lambda: look_up(workspace, NAME, Silent()),
        lambda: download(workspace, passport, Silent()),
    ):
        with pytest.raises(SpanlightError, match="Spanlight is offline"):
            doing()
    assert len(hub.asked) == asked
    assert "offline" in workspace.chosen_elsewhere()
    assert workspace.chosen_elsewhere() == ()


def test_what_is_no_repository_or_no_commit_is_not_asked_for(workspace: Workspace, hub: HubServer) -> None:
    for name in ("", "a/b/c", "../x", "https://example.org/a/b", "a b", "org/name.git", "a\\b"):
        with pytest.raises(SpanlightError):
            look_up(workspace, name, Silent())
    for commit in ("main", "abc", "../..", "g" * 40, "A" * 40):
        with pytest.raises(SpanlightError, match="is no commit"):
            look_up(workspace, NAME, Silent(), commit=commit)
    assert hub.asked == []


def test_another_version_takes_its_place_only_when_asked(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    first = put_up(workspace, hub, reader)
    download(workspace, first, Silent())
    config(reader, max_position_embeddings=10_000, classifier_dropout=0.1)
    second = put_up(workspace, hub, reader)
    assert second.commit != first.commit
    with pytest.raises(
        SpanlightError, match="Another version of org/tiny-reader is installed, as tiny-reader"
    ):
        download(workspace, second, Silent())
    card = download(workspace, second, Silent(), replace=True)
    origin = read_origin(card.folder)
    assert origin is not None and origin.commit == second.commit
    assert names(workspace) == ["tiny-reader", STARTER]


def test_a_name_that_is_taken_has_the_owner_before_it(
    workspace: Workspace, passport: Passport, originals: dict[Head, Path]
) -> None:
    shutil.copytree(originals[CLASSIFY], workspace.paths.models / "Tiny-Reader")
    assert download(workspace, passport, Silent()).name == "org--tiny-reader"


def test_what_lies_in_the_cache_is_not_fetched_again(
    workspace: Workspace, hub: HubServer, passport: Passport
) -> None:
    shutil.rmtree(download(workspace, passport, Silent()).folder)
    before = hub.sent(CDN)
    passport = look_up(workspace, NAME, Silent())
    assert passport.to_fetch == 0
    again = download(workspace, passport, Silent())
    assert read_origin(again.folder) is not None
    # The look reads a few kilobytes of the header at most.
    assert hub.sent(CDN) - before < 100_000


def test_a_model_whose_cache_was_cleaned_is_downloaded_into_its_place(
    workspace: Workspace, passport: Passport
) -> None:
    card = download(workspace, passport, Silent())
    shutil.rmtree(workspace.settings.hub_cache)
    assert names(workspace) == [STARTER]
    assert "gone from the Hugging Face cache" in workspace.shelf.refused[card.folder].message
    again = download(workspace, look_up(workspace, NAME, Silent()), Silent())
    assert again.folder == card.folder
    assert names(workspace) == ["tiny-reader", STARTER]


# Cut, stopped, killed


def in_trial(listener: Listener) -> bool:
    return any(progress.what == "Trying it out" for progress in listener.told)


def test_a_download_that_was_cut_is_given_up_or_gone_on_with(
    workspace: Workspace, hub: HubServer, passport: Passport
) -> None:
    for give_it_up in (True, False):
        hub.fail(CDN, cut=500_000, times=1)
        hub.fail(CDN, cut=0)
        with pytest.raises(SpanlightError):
            download(workspace, passport, Silent())
        assert cached(workspace)
        if give_it_up:
            give_up(workspace, NAME, Silent())
            assert cached(workspace) == [] and records(workspace) == []
            with pytest.raises(SpanlightError, match="no unfinished download of org/tiny-reader"):
                give_up(workspace, NAME, Silent())
            hub.heal()
    nothing_counts(workspace)
    (there,) = unfinished(workspace, Silent())
    assert there.passport == passport
    assert 0 < there.done < passport.size
    assert there.done == cached_bytes(passport, workspace.network)
    assert there.begun.endswith("+00:00")
    hub.heal()
    before = hub.sent(CDN)
    download(workspace, there.passport, Silent())
    assert names(workspace) == ["tiny-reader", STARTER]
    assert hub.sent(CDN) - before < passport.size - 200_000
    assert unfinished(workspace, Silent()) == () and records(workspace) == []


def test_stopped_it_is_known_and_nothing_counts(
    workspace: Workspace, hub: HubServer, passport: Passport
) -> None:
    hub.fail(CDN, rate=200_000)
    with pytest.raises(Stopped):
        download(workspace, passport, Listener(lambda told: bool(told.partials)))
    nothing_counts(workspace)
    assert [each.passport.repository for each in unfinished(workspace, Silent())] == [NAME]
    hub.heal()
    with pytest.raises(Stopped):  # in the trial, all bytes there
        download(workspace, passport, Listener(in_trial))
    nothing_counts(workspace)
    assert [each.done for each in unfinished(workspace, Silent())] == [passport.size]


@pytest.mark.parametrize("work", ["look up", "download"])
def test_going_offline_breaks_off_what_is_under_way(
    workspace: Workspace, hub: HubServer, passport: Passport, work: str
) -> None:
    hub.fail(CDN if work == "download" else "/api/*", rate=20_000)

    def go_offline(_: object) -> bool:
        workspace.settings.offline = workspace.settings.offline or bool(listener.told)
        return False

    listener = Listener(go_offline)
    began = time.monotonic()
    with pytest.raises(SpanlightError, match="offline now"):
        if work == "download":
            download(workspace, passport, listener)
        else:
            look_up(workspace, NAME, listener)
    assert time.monotonic() - began < 5
    time.sleep(0.5)  # an answer that is on its way comes to its end
    sent = hub.sent("*")
    time.sleep(0.5)
    assert hub.sent("*") == sent
    nothing_counts(workspace)
    assert records(workspace) == (["org--tiny-reader.json"] if work == "download" else [])


def test_a_model_that_another_spanlight_installed_meanwhile_is_not_installed_twice(
    workspace: Workspace, passport: Passport, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_workspace(workspace.paths)
    other.settings = workspace.settings
    own, other.downloads = other.downloads, workspace.downloads
    fetch = get_model._fetch

    def fetch_later(asked: Workspace, *rest: object) -> object:
        if asked is workspace:
            download(other, passport, Silent())
        return fetch(asked, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(get_model, "_fetch", fetch_later)
    listener = Listener()
    card = download(workspace, passport, listener)
    assert card.name == "tiny-reader" and "installed already" in listener.notices[0]
    assert sorted(names(workspace)) == sorted(["tiny-reader", STARTER])
    assert records(workspace) == []
    other.downloads = own
    other.close()


def test_given_up_between_the_last_byte_and_its_entry_nothing_stays(
    workspace: Workspace, passport: Passport
) -> None:
    card = download(workspace, passport, Silent())
    # As a process leaves it that is killed right after the last file was renamed.
    shutil.rmtree(card.folder)
    snapshot = snapshot_of(Path(workspace.settings.hub_cache), NAME, passport.commit)
    (snapshot / "model.safetensors").unlink()
    record_begun(workspace, passport)
    give_up(workspace, NAME.upper(), Silent())
    assert cached(workspace) == [] and records(workspace) == []


def test_given_up_what_lay_in_the_cache_before_stays(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    shutil.rmtree(download(workspace, put_up(workspace, hub, reader), Silent()).folder)
    before = cached(workspace)
    (reader / "README.md").write_text("# Newer\n")
    with pytest.raises(Stopped):
        download(workspace, put_up(workspace, hub, reader), Listener(in_trial))
    assert len(cached(workspace)) == len(before) + 1
    give_up(workspace, NAME, Silent())
    assert cached(workspace) == before


def test_a_newer_commit_takes_the_unfinished_ones_place(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    (reader / "README.md").write_text("# Old\n")
    first = put_up(workspace, hub, reader)
    with pytest.raises(Stopped):
        download(workspace, first, Listener(in_trial))
    (reader / "README.md").write_text("# New\n")
    second = put_up(workspace, hub, reader)
    before = hub.sent(CDN)
    with pytest.raises(Stopped):
        download(workspace, second, Listener(in_trial))
    assert [each.passport.commit for each in unfinished(workspace, Silent())] == [second.commit]
    assert hub.sent(CDN) == before  # the weights are the same
    old = next(file for file in first.files if file.name == "README.md")
    assert old.blob not in cached(workspace)
    assert [path.name for path in Path(workspace.settings.hub_cache).glob("*/snapshots/*")] == [second.commit]
    assert download(workspace, second, Silent()).name == "tiny-reader"
    assert records(workspace) == []


SCRIPT = """
import sys
from pathlib import Path
from app.core.report import Silent
from app.flows.models.get import download, look_up
from app.flows.workspace import open_workspace
from app.settings.paths import Paths
if __name__ == "__main__":
    home, url, cache, name = sys.argv[1:]
    places = [Path(home) / each for each in ("config", "data", "logs", "resources")]
    workspace = open_workspace(Paths(*places))
    workspace.settings.endpoint, workspace.settings.hub_cache = url, cache
    passport = look_up(workspace, name, Silent())
    print("looked up", flush=True)
    download(workspace, passport, Silent())
"""


def test_killed_in_the_middle_it_goes_on_later(
    workspace: Workspace, hub: HubServer, reader: Path, tmp_path: Path
) -> None:
    hub.add(NAME, reader)
    hub.fail(CDN, rate=300_000)
    (tmp_path / "get.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "get.py"), str(tmp_path / "home"), hub.url]
    command += [workspace.settings.hub_cache, NAME]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "looked up\n"
        deadline = time.monotonic() + 60
        while not any(each.done > 300_000 for each in unfinished(workspace, Silent())):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    nothing_counts(workspace)
    hub.heal()
    (there,) = unfinished(workspace, Silent())
    before = hub.sent(CDN)
    download(workspace, there.passport, Silent())
    assert hub.sent(CDN) - before < there.passport.size - 250_000
    assert names(workspace) == ["tiny-reader", STARTER]
    assert records(workspace) == []


# Refused


def test_a_refused_passport_is_not_downloaded(workspace: Workspace, hub: HubServer, reader: Path) -> None:
    (reader / "model.safetensors").rename(reader / "pytorch_model.bin")
    passport = put_up(workspace, hub, reader)
    assert passport.card is None and passport.refused
    with pytest.raises(SpanlightError) as caught:
        download(workspace, passport, Silent())
    assert caught.value.message == passport.refused
    assert records(workspace) == [] and cached(workspace) == []


def test_files_that_turn_out_to_be_no_model_are_thrown_away(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    tokenizer = json.loads((reader / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["far too many"] = 10**6
    (reader / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(SpanlightError, match="okenizer"):
        download(workspace, put_up(workspace, hub, reader), Silent())
    nothing_counts(workspace)
    assert records(workspace) == [] and cached(workspace) == []


def test_a_model_that_fails_its_trial_does_not_count(
    workspace: Workspace, hub: HubServer, reader: Path
) -> None:
    data = bytearray((reader / "model.safetensors").read_bytes())
    data[-4000:] = b"\xff" * 4000  # not numbers
    (reader / "model.safetensors").write_bytes(data)
    with pytest.raises(SpanlightError):
        download(workspace, put_up(workspace, hub, reader), Silent())
    nothing_counts(workspace)
    give_up(workspace, NAME, Silent())
    assert cached(workspace) == []


# What was taken down of a download


def test_a_record_that_is_malformed_or_could_lead_elsewhere_is_left_out(
    workspace: Workspace, passport: Passport
) -> None:
    folder = workspace.paths.unfinished_downloads
    record_begun(workspace, passport)
    assert len(unfinished(workspace, Silent())) == 1
    path = folder / "org--tiny-reader.json"
    told = json.loads(path.read_text())
    changes: tuple[dict[str, object], ...] = (
        {"repository": "../../etc"},
        {"commit": "main"},
        {"commit": "../x"},
        {"card": None},
        {"files": [{"name": "../../x", "size": 3, "sha256": "0" * 64}]},
        {"files": [{"name": "config.json", "size": -3, "sha256": "0" * 64}]},
    )
    texts = [json.dumps(told | {"passport": told["passport"] | change}) for change in changes]
    texts += [
        "",
        "{",
        "[]",
        '{"passport": {}, "begun": ""}',
        '{"passport": null, "begun": "x"}',
        "[" * 100_000,
    ]
    for text in texts:
        path.write_text(text)
        assert unfinished(workspace, Silent()) == (), text[:200]
        with pytest.raises(SpanlightError, match="no unfinished download"):
            give_up(workspace, NAME, Silent())


def test_the_speed_is_kept_for_the_next_look(workspace: Workspace, hub: HubServer, reader: Path) -> None:
    hub.add(NAME, reader)
    workspace.settings.download_speed = 1234.5
    passport = look_up(workspace, NAME, Silent())
    assert passport.speed == workspace.settings.download_speed > 0
    download(workspace, passport, Silent())
    assert workspace.settings.download_speed > 0
