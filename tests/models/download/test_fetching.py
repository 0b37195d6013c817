"""Models are fetched whole, by huggingface_hub's code in the real download process."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.network import Network
from app.core.offers import Downloading, Passport, RemoteFile
from app.core.report import Silent
from app.models.disk.card import read_card
from app.models.download import fetch
from app.models.download.cache import blob_of, cached_file, snapshot_of
from app.models.download.context import RequestContext
from app.models.download.orders import Limits
from tests.helpers.children import Listener
from tests.helpers.downloading import NAME, WEIGHTS, Visit, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]


def test_a_model_arrives_whole_and_can_be_read(hub: HubServer, visit: Visit, checkpoint: Files) -> None:
    commit = hub.add(NAME, checkpoint)
    listener = Listener()
    passport = visit.look_up()
    fetched = visit.fetch(passport, listener)
    whole(fetched, hub, passport)
    assert Path(fetched.folder).name == commit == passport.commit
    assert read_card(fetched.folder).heads == passport.card.heads  # type: ignore[union-attr]
    assert fetched.checksums == tuple(
        sorted((file.name, hashlib.sha256(checkpoint[file.name]).hexdigest()) for file in passport.files)
    )
    assert fetched.received == passport.size and fetched.speed > 0
    last = listener.partials[-1]
    assert isinstance(last, Downloading) and last.done == last.total == passport.size
    done = [partial.done for partial in listener.partials]
    assert done == sorted(done)


def test_files_that_no_model_needs_are_never_requested(
    hub: HubServer, visit: Visit, checkpoint: Files
) -> None:
    hub.add(
        NAME, checkpoint | {"modeling.py": b"import os", "adapter_model.safetensors": b"x", "a/b.txt": b"y"}
    )
    passport = visit.look_up()
    visit.fetch(passport)
    assert {file.name for file in passport.files} == set(checkpoint) - {"pytorch_model.bin"}
    for name in ("pytorch_model.bin", "modeling.py", "adapter_model.safetensors", "b.txt"):
        assert not hub.requests(f"*{name}")


def test_fetched_files_are_found_by_other_programs_and_fetched_again_only_if_damaged(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    commit = hub.add(NAME, small)
    fetched = visit.fetch(visit.look_up())
    found = try_to_load_from_cache(NAME, WEIGHTS, cache_dir=visit.network.cache, revision=commit)
    assert found == str(Path(fetched.folder) / WEIGHTS)
    told = scan_cache_dir(visit.network.cache)
    assert not told.warnings and told.size_on_disk == sum(len(data) for data in small.values())
    again = visit.look_up()
    assert all(file.cached for file in again.files) and again.to_fetch == 0
    before = len(hub.requests())
    fetched = visit.fetch(again)
    assert fetched.received == 0 and len(hub.requests()) == before
    blob = visit.blob(again)
    data = bytearray(blob.read_bytes())
    data[-1] ^= 1
    blob.write_bytes(data)
    fetched = visit.fetch(again)
    whole(fetched, hub, again)
    assert fetched.received == len(small[WEIGHTS])


def test_the_commit_looked_up_is_fetched_though_main_moves_on(
    hub: HubServer, visit: Visit, small: Files, checkpoint: Files
) -> None:
    first = hub.add(NAME, small)
    passport = visit.look_up()
    hub.add(NAME, checkpoint)
    fetched = visit.fetch(passport)
    assert passport.commit == first
    whole(fetched, hub, passport)
    assert visit.look_up().commit != first
    assert visit.look_up(commit=first).commit == first


def test_two_commits_share_their_blobs(hub: HubServer, visit: Visit, checkpoint: Files) -> None:
    hub.add(NAME, checkpoint)
    visit.fetch(visit.look_up())
    sent = hub.sent("/cdn/*")
    changed = checkpoint | {"README.md": b"# Another reader\n"}
    hub.add(NAME, changed)
    second = visit.look_up()
    assert {file.name for file in second.files if not file.cached} == {"README.md"}
    fetched = visit.fetch(second)
    whole(fetched, hub, second)
    assert fetched.received == len(b"# Another reader\n") and hub.sent("/cdn/*") == sent
    entries = Path(visit.network.cache).rglob(WEIGHTS)
    assert len({path.resolve() for path in entries}) == 1


def test_a_name_without_owner_follows_the_hub_to_its_own_name(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    hub.add(NAME, small)
    hub.fail("/api/models/reader", redirect=f"/api/models/{NAME}?blobs=true")
    passport = visit.look_up("reader")
    assert passport.repository == NAME
    whole(visit.fetch(passport), hub, passport)


def test_a_file_other_than_the_one_looked_up_is_refused(
    hub: HubServer, visit: Visit, passport: Passport
) -> None:
    for field, said in (({"size": 7}, "More bytes came"), ({"sha256": "0" * 64}, "checksum is wrong")):
        files = tuple(replace(f, **field) if f.name == WEIGHTS else f for f in passport.files)
        with pytest.raises(SpanlightError, match=said):
            visit.fetch(replace(passport, files=files))
    assert not list(Path(visit.network.cache).rglob(WEIGHTS))


@pytest.mark.parametrize(
    "changed",
    [
        {"repository": "../../x"},
        {"commit": "main"},
        {"files": ()},
        {"endpoint": "https://elsewhere.example"},
        *(
            {"files": (RemoteFile(name, 1, blob="0" * 40),)}
            for name in ("../config.json", "/etc/passwd", "model.bin", "x/config.json", "a\\README.md")
        ),
    ],
)
def test_impossible_passports_are_refused_before_any_request(
    hub: HubServer, visit: Visit, passport: Passport, changed: dict[str, object]
) -> None:
    before = len(hub.requests())
    with pytest.raises(SpanlightError, match="does not hold any more"):
        visit.fetch(replace(passport, **changed))  # type: ignore[arg-type]
    assert len(hub.requests()) == before


def test_without_links_the_entry_is_the_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    file = RemoteFile("config.json", 3, blob="b" * 40)
    passport = Passport(NAME, "1" * 40, "https://x", None, (file,))
    blob = blob_of(tmp_path, NAME, file)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"abc")
    fetching = fetch._Fetching(passport, tmp_path, RequestContext(Network(), Limits(), Silent()))
    for _ in range(2):
        fetching._add_entry(file)
        found = cached_file(tmp_path, NAME, passport.commit, file)
        assert found == snapshot_of(tmp_path, NAME, passport.commit) / file.name
        assert found.read_bytes() == b"abc" and not blob.exists()
