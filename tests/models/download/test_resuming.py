"""Downloads that break off, are killed or stopped resume at the byte where they were."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.offers import Passport
from app.core.report import Stopped
from app.models.download.cache import cached_bytes
from app.models.download.process import CHUNK
from tests.helpers.children import POSIX, Listener
from tests.helpers.downloading import NAME, WEIGHTS, Visit, file_of, once, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]
CDN = f"/cdn/*{WEIGHTS}"


def test_a_broken_download_resumes_at_the_byte(hub: HubServer, visit: Visit, large: Passport) -> None:
    before = hub.sent(CDN)
    hub.fail(CDN, cut=1_000_000, times=1)
    fetched = visit.fetch(large)
    whole(fetched, hub, large)
    first, second = hub.requests(CDN, "GET")[-2:]
    assert first.sent == 1_000_000 and first.first_byte == 0
    # What came of the last chunk before the cut is asked for again, no byte before it.
    assert 0 <= first.sent - second.first_byte < CHUNK
    assert second.status == 206 and second.first_byte + second.sent == file_of(large).size
    assert hub.sent(CDN) - before < file_of(large).size + CHUNK


def test_many_broken_connections_still_come_to_an_end(hub: HubServer, visit: Visit, large: Passport) -> None:
    hub.fail(CDN, cut=300_000)
    whole(visit.fetch(large), hub, large)
    starts = [asked.first_byte for asked in hub.requests(CDN, "GET")][1:]
    assert starts == sorted(starts) and len(starts) > file_of(large).size // 300_000


def test_a_server_that_gives_a_few_bytes_at_a_time_is_given_up(
    hub: HubServer, visit: Visit, large: Passport
) -> None:
    hub.fail(CDN, cut=1_000)
    with pytest.raises(SpanlightError, match="broke off again and again") as told:
        visit.fetch(large)
    assert "kept" in told.value.hint
    assert not visit.blob(large).exists()


def test_a_download_that_was_given_up_is_resumed_later(hub: HubServer, visit: Visit, large: Passport) -> None:
    hub.fail(CDN, cut=700_000, times=1)
    hub.fail(CDN, cut=0)
    with pytest.raises(SpanlightError, match="broke off"):
        visit.fetch(large)
    hub.heal()
    there = visit.partial(large).stat().st_size
    assert there > 700_000 - CHUNK
    small = sum(file.size for file in large.files if file.name != WEIGHTS)
    assert cached_bytes(large, visit.network) == there + small
    before = hub.sent(CDN)
    fetched = visit.fetch(large)
    whole(fetched, hub, large)
    assert hub.sent(CDN) - before == fetched.received == file_of(large).size - there
    assert hub.requests(CDN, "GET")[-1].first_byte == there


@POSIX
def test_a_killed_process_loses_nothing_and_leaves_nothing_that_counts(
    hub: HubServer, fresh: Visit, checkpoint: Files
) -> None:
    hub.add(NAME, checkpoint)
    passport = fresh.look_up()
    slow = hub.fail(CDN, rate=2_000_000)
    killed: list[int] = []

    def kill() -> bool:
        partial = fresh.partial(passport)
        pid = fresh.downloads.pids[1]
        if pid and not killed and partial.exists() and partial.stat().st_size > 500_000:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)
        return False

    with pytest.raises(EngineLost, match="what was fetched is kept"):
        fresh.fetch(passport, Listener(lambda _: kill()))
    hub.faults.remove(slow)
    there = fresh.partial(passport).stat().st_size
    assert there >= 500_000 and not fresh.blob(passport).exists()
    assert not list(Path(fresh.network.cache).glob(f"*/snapshots/*/{WEIGHTS}"))
    fetched = fresh.fetch(passport)
    whole(fetched, hub, passport)
    last = hub.requests(CDN, "GET")[-1]
    assert last.first_byte == there and last.sent == len(checkpoint[WEIGHTS]) - there
    assert not list(Path(fresh.network.cache).rglob("*.incomplete"))


def test_a_stop_is_quick_and_the_rest_comes_later(hub: HubServer, visit: Visit, large: Passport) -> None:
    slow = hub.fail(CDN, rate=1_500_000)
    partial = visit.partial(large)
    with pytest.raises(Stopped):
        visit.fetch(large, once(lambda: partial.exists() and partial.stat().st_size > 300_000))
    pid = visit.downloads.pids[1]
    hub.faults.remove(slow)
    there = partial.stat().st_size
    fetched = visit.fetch(large)
    whole(fetched, hub, large)
    assert visit.downloads.pids[1] == pid  # it stopped by itself
    assert hub.requests(CDN, "GET")[-1].first_byte == there > 300_000


def test_a_stop_is_quick_even_while_a_server_says_nothing(
    hub: HubServer, visit: Visit, passport: Passport
) -> None:
    hub.fail(CDN, hang=30.0)
    visit.limits = type(visit.limits)()
    began = time.monotonic()
    with pytest.raises(Stopped):
        visit.fetch(passport, once(lambda: bool(hub.requests(CDN, "GET")[1:])))
    assert time.monotonic() - began < 8
    hub.heal()
    whole(visit.fetch(passport), hub, passport)


def test_a_server_that_ignores_ranges_sends_it_all_again(
    hub: HubServer, visit: Visit, large: Passport
) -> None:
    hub.fail(CDN, cut=1_000_000, times=1)
    hub.fail(CDN, whole=True)
    listener = Listener()
    whole(visit.fetch(large, listener), hub, large)
    last = hub.requests(CDN, "GET")[-1]
    assert last.first_byte > 0 and last.status == 200 and last.sent == file_of(large).size
    assert max(partial.done for partial in listener.partials) == large.size


@pytest.mark.parametrize("length", [2_000_000, 10_000_000])
def test_a_download_resumes_after_a_wrong_content_length(
    hub: HubServer, visit: Visit, large: Passport, length: int
) -> None:
    before = hub.sent(CDN)
    hub.fail(CDN, length=length, times=1)
    whole(visit.fetch(large), hub, large)
    if length > file_of(large).size:
        assert hub.sent(CDN) - before < file_of(large).size + CHUNK
    else:
        assert hub.requests(CDN, "GET")[-1].first_byte == length


def test_a_complete_partial_file_is_only_verified(
    hub: HubServer, visit: Visit, small: Files, passport: Passport
) -> None:
    partial = visit.partial(passport)
    partial.parent.mkdir(parents=True)
    partial.write_bytes(small[WEIGHTS])
    before = hub.sent(CDN)
    whole(visit.fetch(passport), hub, passport)
    assert hub.sent(CDN) == before
    visit.blob(passport).unlink()
    partial.write_bytes(small[WEIGHTS] + b"x")
    whole(visit.fetch(passport), hub, passport)
    assert hub.sent(CDN) == before + len(small[WEIGHTS]), "one that is longer than the file is thrown away"


@POSIX
def test_a_link_in_place_of_a_partial_file_is_not_followed(
    hub: HubServer, visit: Visit, passport: Passport, tmp_path: Path
) -> None:
    other = tmp_path / "mine.txt"
    other.write_bytes(b"mine")
    visit.partial(passport).parent.mkdir(parents=True)
    visit.partial(passport).symlink_to(other)
    whole(visit.fetch(passport), hub, passport)
    assert other.read_bytes() == b"mine"


def test_a_file_that_another_program_is_fetching_is_waited_for(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    from huggingface_hub.utils import WeakFileLock

    hub.add(NAME, small)
    passport = visit.look_up()
    blob = visit.blob(passport)
    lock = Path(visit.network.cache) / ".locks" / blob.parent.parent.name / f"{blob.name}.lock"
    lock.parent.mkdir(parents=True)
    listener = Listener(lambda self: any("another program" in told.what for told in self.told))
    with WeakFileLock(lock), pytest.raises(Stopped):
        visit.fetch(passport, listener)
    whole(visit.fetch(passport), hub, passport)
