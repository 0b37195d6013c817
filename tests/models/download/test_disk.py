"""Disks that fill up, are too small, or cannot be written while a model is downloaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.offers import Passport
from tests.conftest import ROOT
from tests.helpers.downloading import NAME, WEIGHTS, Visit, nothing_counts, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]
CDN = f"/cdn/*{WEIGHTS}"

LIMITED = """
import resource, signal, sys
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.network.download_process import Downloads
from app.core.network import Network
from app.models.download.orders import Fetch, LookUp
if __name__ == "__main__":
    endpoint, cache, most = sys.argv[1:]
    downloads = Downloads()
    network = Network(endpoint=endpoint, cache=cache)
    passport = downloads.look_up(LookUp("owner/reader", "", network), Silent())
    downloads.close()
    downloads = Downloads()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), resource.RLIM_INFINITY))
    try:
        downloads.fetch(Fetch(passport, network), Silent())
    except SpanlightError as fault:
        print(fault)
    downloads.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on a file's size are POSIX's")
def test_a_disk_that_fills_up_is_reported_and_received_bytes_are_kept(
    hub: HubServer, visit: Visit, large: Passport
) -> None:
    command = [sys.executable, "-c", LIMITED, hub.url, visit.network.cache, "1500000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "model.safetensors could not be downloaded: the disk is full." in done.stdout
    assert "Free some space" in done.stdout and "kept" in done.stdout
    nothing_counts(visit, large)
    assert visit.partial(large).stat().st_size == 1_500_000
    whole(visit.fetch(large), hub, large)
    assert hub.requests(CDN, "GET")[-1].first_byte == 1_500_000


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can make a small disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], capture_output=True)
    if made.returncode:
        pytest.skip("no small disk can be made here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_that_is_too_small_is_reported_before_anything_is_fetched(
    hub: HubServer, visit: Visit, checkpoint: Files, tiny_disk: Path
) -> None:
    hub.add(NAME, checkpoint)
    here = visit.with_(cache=str(tiny_disk / "cache"))
    passport = here.look_up()
    assert 0 < passport.free_disk <= 2 * 2**20
    before = len(hub.requests())
    with pytest.raises(SpanlightError, match=r"The disk has .* free, and .* are needed"):
        here.fetch(passport)
    assert len(hub.requests()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="a file in a folder's place is told apart on POSIX")
def test_an_unwritable_cache_is_reported(hub: HubServer, visit: Visit, small: Files, tmp_path: Path) -> None:
    hub.add(NAME, small)
    (tmp_path / "file").write_bytes(b"")
    there = visit.with_(cache=str(tmp_path / "file" / "cache"))
    passport = there.look_up()
    with pytest.raises(SpanlightError, match="could not be put into"):
        there.fetch(passport)


def test_with_an_unwritable_ledger_nothing_is_sent(
    hub: HubServer, visit: Visit, small: Files, tmp_path: Path
) -> None:
    hub.add(NAME, small)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SpanlightError, match="network ledger cannot be written"):
        visit.with_(ledger=str(tmp_path / "file" / "ledger.jsonl")).look_up()
    assert not hub.requests()
