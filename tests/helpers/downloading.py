"""What the tests of the download process share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.core.network import Network
from app.core.offers import Passport, RemoteFile
from app.core.report import Report, Silent
from app.flows.network.download_process import Downloads
from app.models.download.cache import blob_of, partial_of
from app.models.download.orders import Fetch, Fetched, Limits, LookUp
from tests.helpers.children import Listener
from tests.helpers.hub_server import HubServer

QUICK = Limits(connect=3.0, read=1.0, tries=3, pause=0.05)
NAME = "owner/reader"
WEIGHTS = "model.safetensors"


class LastingDownloads(Downloads):
    """The processes that use the network, for one workspace after the other; `end` ends them."""

    def close(self) -> None:
        """Leave the processes running for the next workspace."""

    def end(self) -> None:
        super().close()


class Visit:
    """Orders for one Hub, with limits that a test can wait for."""

    def __init__(self, downloads: Downloads, network: Network, limits: Limits = QUICK) -> None:
        self.downloads, self.network, self.limits = downloads, network, limits

    def look_up(self, name: str = NAME, commit: str = "", report: Report | None = None) -> Passport:
        return self.downloads.look_up(LookUp(name, commit, self.network, self.limits), report or Silent())

    def fetch(self, passport: Passport, report: Report | None = None) -> Fetched:
        return self.downloads.fetch(Fetch(passport, self.network, self.limits), report or Silent())

    def blob(self, passport: Passport, name: str = WEIGHTS) -> Path:
        return blob_of(Path(self.network.cache), passport.repository, file_of(passport, name))

    def partial(self, passport: Passport, name: str = WEIGHTS) -> Path:
        return partial_of(Path(self.network.cache), passport.repository, file_of(passport, name))

    def with_(self, **changed: object) -> Visit:
        """The same with another network: its fields by name."""
        return Visit(self.downloads, replace(self.network, **changed), self.limits)  # type: ignore[arg-type]


def file_of(passport: Passport, name: str = WEIGHTS) -> RemoteFile:
    return next(file for file in passport.files if file.name == name)


def whole(fetched: Fetched, hub: HubServer, passport: Passport) -> None:
    """That a snapshot holds exactly the passport's files, byte for byte as the Hub has them."""
    folder, held = Path(fetched.folder), hub.repositories[passport.repository].commits[passport.commit]
    assert {path.name for path in folder.iterdir()} == {file.name for file in passport.files}
    for file in passport.files:
        assert (folder / file.name).read_bytes() == held[file.name].data, file.name


def nothing_counts(visit: Visit, passport: Passport) -> None:
    """That of a model whose weights could not be had nothing stands where it would be taken for whole."""
    cache = Path(visit.network.cache)
    assert not visit.blob(passport).exists()
    assert not list(cache.glob(f"*/snapshots/*/{WEIGHTS}"))


def once(condition: Callable[[], bool]) -> Listener:
    """A report that stops the work as soon as something is so."""
    return Listener(lambda _: condition())
