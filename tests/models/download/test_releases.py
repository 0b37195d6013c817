"""The feed of releases, fetched by the real process: what is sent, accepted and refused."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.network import Network
from app.core.releases import MOST_BYTES, Feed
from app.core.report import Report, Silent, Stopped
from app.flows.network.download_process import Downloads
from app.models.download.ledger import read_ledger
from app.models.download.orders import AskFeed, Limits, NetworkFault
from tests.helpers.children import Listener
from tests.helpers.downloading import Visit
from tests.helpers.feeds import PATH, feed, file, release, serve
from tests.helpers.hub_server import HubServer

QUICK = Limits(connect=2.0, read=1.0)


def ask(
    downloads: Downloads, address: str, network: Network, report: Report | None = None, seconds: float = 5.0
) -> Feed:
    return downloads.ask_feed(AskFeed(address, network, QUICK, seconds), report or Silent())


def test_a_feed_is_asked_once_and_the_request_is_written_down(
    hub: HubServer, downloads: Downloads, network: Network
) -> None:
    address = serve(hub, feed(release(files=[file()])))
    found = ask(downloads, address + "?key=secret", replace(network, use_token=True))
    assert [each.version for each in found.releases] == ["0.2.0"]
    (asked,) = hub.requests()
    assert asked.method == "GET" and asked.headers["user-agent"] == f"Spanlight/{VERSION}"
    assert set(asked.headers) <= {"host", "accept", "accept-encoding", "connection", "user-agent"}
    (entry,) = read_ledger(network.ledger)
    assert (entry.address, entry.why, entry.status) == (address, "Check for updates", 200)
    assert entry.received == len(feed(release(files=[file()])))


def test_no_token_is_sent_whatever_the_settings_say(
    hub: HubServer, fresh: Visit, network: Network, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Even if the feed is at the chosen Hub."""
    home = tmp_path / "hf"
    home.mkdir()
    (home / "token").write_text("hf_" + "a" * 34)
    monkeypatch.setenv("HF_HOME", str(home))
    address = serve(hub, feed())
    ask(fresh.downloads, address, replace(network, use_token=True, endpoint=hub.url))
    assert hub.requests() and not [asked for asked in hub.requests() if "authorization" in asked.headers]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"status": 404}, "127.0.0.1 has nothing at that address"),
        ({"status": 403}, "does not show that address"),
        ({"status": 429, "headers": {"Retry-After": "90"}}, "too many requests"),
        ({"status": 503}, "fault of its own"),
        ({"status": 418}, "status 418"),
        ({"cut": 20}, "broke off"),
        ({"hang": 20.0}, "sent nothing for 1 second"),
        ({"length": 2_000_000, "stall": 20.0}, "sent nothing for 1 second"),
        ({"redirect": "javascript:alert(1)"}, "not safe to follow"),
        ({"redirect": "http://127.0.0.1:1/"}, "not safe to follow"),
        ({"redirect": "http://example.org/"}, "not safe to follow"),
        ({"redirect": "file:///etc/passwd"}, "not safe to follow"),
    ],
)
def test_faults_are_one_sentence(
    hub: HubServer, downloads: Downloads, network: Network, fault: dict[str, object], words: str
) -> None:
    address = serve(hub, feed(release()))
    hub.fail("*", **fault)
    with pytest.raises(SpanlightError, match=words) as told:
        ask(downloads, address, network)
    assert "Hub" not in str(told.value) and "download" not in str(told.value) and told.value.hint


@pytest.mark.parametrize(
    "data", [b"<html>log in</html>", b"[" * 500_000, feed(release(page="javascript:alert(1)")), b""]
)
def test_a_malformed_feed_does_no_harm(
    hub: HubServer, downloads: Downloads, network: Network, data: bytes
) -> None:
    with pytest.raises(SpanlightError, match="does not announce versions"):
        ask(downloads, serve(hub, data), network)
    assert ask(downloads, serve(hub, feed()), network).releases == ()  # the process goes on


def test_a_huge_answer_is_refused(hub: HubServer, downloads: Downloads, network: Network) -> None:
    with pytest.raises(SpanlightError, match="larger than any announcement"):
        ask(downloads, serve(hub, feed(release(notes="x" * 30 * MOST_BYTES))), network)
    (entry,) = read_ledger(network.ledger)
    assert entry.received < 2 * MOST_BYTES


def test_an_answer_that_trickles_is_given_up(hub: HubServer, downloads: Downloads, network: Network) -> None:
    hub.fail(PATH, rate=100.0)
    began = time.monotonic()
    with pytest.raises(NetworkFault, match="did not answer whole within 1 second"):
        ask(downloads, serve(hub, feed(release(notes="x" * 10_000))), network, seconds=1.0)
    assert time.monotonic() - began < 4


def test_a_stop_stops(hub: HubServer, downloads: Downloads, network: Network) -> None:
    hub.fail(PATH, rate=100.0)
    began = time.monotonic()
    stop = Listener(lambda _: time.monotonic() - began > 0.5)
    with pytest.raises(Stopped):
        ask(downloads, serve(hub, feed(release(notes="x" * 10_000))), network, stop, seconds=30.0)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "address", ["", "http://example.org/feed.json", "javascript:alert(1)", "file:///etc/x"]
)
def test_nothing_is_sent_to_other_addresses(downloads: Downloads, network: Network, address: str) -> None:
    with pytest.raises(SpanlightError):
        ask(downloads, address, network)
    assert not read_ledger(network.ledger)


def test_certificates_are_checked_and_redirects_to_https_followed(
    hub: HubServer, secure: HubServer, authority: tuple[Path, Path], downloads: Downloads, network: Network
) -> None:
    address = serve(secure, feed(release()))
    with pytest.raises(NetworkFault, match="localhost shows a certificate that this computer does not trust"):
        ask(downloads, address, network)
    trusting = replace(network, certificates=str(authority[0]))
    assert ask(downloads, address, trusting).releases
    hub.fail("*", redirect=address)
    assert ask(downloads, serve(hub, b""), trusting).releases
    secure.fail("*", redirect=serve(hub, feed()))
    with pytest.raises(SpanlightError, match="not safe to follow"):
        ask(downloads, address, trusting)
    secure.heal()
    secure.fail("*", redirect=address)
    with pytest.raises(SpanlightError, match="round in circles"):
        ask(downloads, address, trusting)
    assert len(secure.requests()) < 15
