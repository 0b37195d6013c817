"""Faults of the Hub, the network and the data: each is reported in a sentence, and nothing incomplete counts."""

from __future__ import annotations

import shutil
import socket
import time
from dataclasses import replace

import pytest

from app.core.errors import SpanlightError
from app.core.offers import Passport
from app.core.report import Stopped
from app.models.download.ledger import read_ledger
from app.models.download.orders import NetworkFault
from tests.helpers.children import Listener
from tests.helpers.downloading import NAME, WEIGHTS, Visit, nothing_counts, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]
CDN = f"/cdn/*{WEIGHTS}"
RESOLVE = f"*/resolve/*/{WEIGHTS}"
HIDDEN = {"status": 401, "code": "RepoNotFound", "message": "Repository not found"}


@pytest.mark.parametrize(
    ("path", "name"), [(CDN, WEIGHTS), ("/api/resolve-cache/*tokenizer.json", "tokenizer.json")]
)
def test_a_wrong_checksum_is_reported_and_the_file_deleted(
    hub: HubServer, visit: Visit, passport: Passport, path: str, name: str
) -> None:
    hub.fail(path, wrong=True, times=1)
    with pytest.raises(SpanlightError, match=rf"{name} did not arrive as it is.*checksum"):
        visit.fetch(passport)
    nothing_counts(visit, passport)
    assert not visit.partial(passport, name).exists()
    whole(visit.fetch(passport), hub, passport)


@pytest.mark.parametrize(
    ("fault", "said", "hint"),
    [
        (HIDDEN, "has no model owner/reader, or shows it only", "Check the name"),
        ({"status": 404}, "has no model owner/reader", "Check the name"),
        ({"status": 403, "code": "GatedRepo"}, "only to people who have registered", "Register at http"),
        ({"status": 403}, "only to people who have registered", "Register at http"),
        (
            {"status": 403, "message": "Access to this resource is disabled."},
            "has switched owner/reader off",
            "another",
        ),
        (
            {"status": 404, "code": "RevisionNotFound"},
            "does not have that version",
            "Look the model up again",
        ),
        ({"status": 500}, "has a fault of its own at the moment .status 500", "later"),
        ({"status": 503}, "status 503", "later"),
        ({"status": 400}, "answered with status 400", "later"),
        ({"status": 407}, "proxy wants a name", "http://name"),
        ({"cut": 10}, "broke off again and again", "Try again"),
        ({"hang": 5.0}, "sent nothing for 1 second", "Try again"),
    ],
)
def test_refusals_of_the_hub_are_reported_by_a_look_up(
    hub: HubServer, visit: Visit, small: Files, fault: dict[str, object], said: str, hint: str
) -> None:
    hub.add(NAME, small)
    hub.fail("/api/models/*", **fault)
    with pytest.raises(NetworkFault, match=said) as told:
        visit.look_up()
    assert hint in told.value.hint
    assert "fetched" not in told.value.hint
    assert told.value.message.endswith(".") and "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (HIDDEN, "has no model"),
        ({"status": 403, "code": "GatedRepo"}, "registered"),
        ({"status": 404, "code": "EntryNotFound"}, r"does not have model\.safetensors any more"),
        ({"status": 404}, r"does not have model\.safetensors any more"),
        ({"status": 502}, "status 502"),
    ],
)
def test_refusals_of_the_hub_are_reported_by_a_download(
    hub: HubServer, visit: Visit, passport: Passport, fault: dict[str, object], said: str
) -> None:
    hub.fail(RESOLVE, **fault)
    with pytest.raises(NetworkFault, match=said):
        visit.fetch(passport)
    nothing_counts(visit, passport)
    hub.heal()
    whole(visit.fetch(passport), hub, passport)


def test_transient_errors_are_retried(hub: HubServer, visit: Visit, small: Files) -> None:
    hub.add(NAME, small)
    hub.fail("/api/models/*", status=503, times=2)
    hub.fail(RESOLVE, status=500, times=1)
    hub.fail(CDN, status=504, times=1)
    passport = visit.look_up()
    whole(visit.fetch(passport), hub, passport)


def test_a_requested_wait_is_shown_and_a_long_one_reported_at_once(
    hub: HubServer, visit: Visit, passport: Passport
) -> None:
    hub.fail(CDN, status=429, headers={"Retry-After": "2"}, times=1)
    listener = Listener()
    began = time.monotonic()
    whole(visit.fetch(passport, listener), hub, passport)
    assert 2 <= time.monotonic() - began < 6
    assert any("asks to wait. Again in 2 seconds." in told.what for told in listener.told)
    waits = [b.at - a.at for a, b in zip(hub.asked, hub.asked[1:], strict=False) if a.status == 429]
    assert len(waits) == 1 and waits[0] >= 2
    shutil.rmtree(visit.network.cache)
    hub.fail(CDN, status=429, headers={"Retry-After": "3600"})
    with pytest.raises(NetworkFault, match="asks to wait 1 hour") as refused:
        visit.fetch(passport)
    assert "kept" in refused.value.hint
    assert len([asked for asked in hub.asked if asked.status == 429]) == 2


def test_a_wait_can_be_stopped_at_once(hub: HubServer, visit: Visit, passport: Passport) -> None:
    visit.fetch(passport)
    shutil.rmtree(visit.network.cache)
    pid = visit.downloads.pids[1]
    hub.fail(CDN, status=429, headers={"Retry-After": "200"})
    seen: list[float] = []

    def waits(listener: Listener) -> bool:
        if listener.told and "asks to wait" in listener.told[-1].what:
            seen.append(time.monotonic())
            return True
        return False

    with pytest.raises(Stopped):
        visit.fetch(passport, Listener(waits))
    assert time.monotonic() - seen[0] < 1 and visit.downloads.pids[1] == pid


def test_a_trickling_server_is_shown_with_its_speed(hub: HubServer, visit: Visit, large: Passport) -> None:
    hub.fail(CDN, rate=200_000)
    listener = Listener(lambda self: len(self.partials) > 0 and bool(self.told[-1].seconds_left))
    with pytest.raises(Stopped):
        visit.fetch(large, listener)
    left = listener.told[-1].seconds_left
    assert left is not None
    speed = listener.partials[-1].speed
    assert 100_000 < speed < 300_000
    assert left == pytest.approx((large.size - listener.told[-1].done) / speed, rel=0.5)


def test_a_silent_server_is_shown_and_the_download_resumed(
    hub: HubServer, visit: Visit, large: Passport
) -> None:
    hub.fail(CDN, cut=1_000_000, stall=30.0, times=1)
    visit.limits = replace(visit.limits, read=4.0)
    listener = Listener()
    whole(visit.fetch(large, listener), hub, large)
    said = [told.what for told in listener.told]
    assert any("nothing has come for 3 seconds" in what for what in said)
    assert any("sent nothing for 4 seconds. Again in" in what for what in said)
    assert hub.requests(CDN, "GET")[-1].first_byte > 900_000


def test_a_login_page_is_no_hub(hub: HubServer, visit: Visit, small: Files) -> None:
    hub.add(NAME, small)
    commit = hub.add("inn/page", {"login.html": b"<html>Log in</html>"})
    hub.fail(
        f"/api/models/{NAME}", redirect=f"{hub.url}/api/resolve-cache/models/inn/page/{commit}/login.html"
    )
    with pytest.raises(SpanlightError, match="does not answer as a Hub does"):
        visit.look_up()


def test_a_missing_server_and_a_missing_network_are_reported_and_in_the_ledger(visit: Visit) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(NetworkFault, match=r"127\.0\.0\.1 cannot be reached"):
        visit.with_(endpoint=f"http://127.0.0.1:{port}").look_up()
    with pytest.raises(NetworkFault, match=r"no-such-host\.invalid cannot be found"):
        visit.with_(endpoint="https://no-such-host.invalid").look_up()
    entries = read_ledger(visit.network.ledger)  # one each: somebody waits who has no network
    assert [(e.status, e.error) for e in entries] == [(0, "name not found"), (0, "refused")]


def test_a_download_waits_for_the_network_to_come_back(
    hub: HubServer, visit: Visit, passport: Passport
) -> None:
    hub.fail(RESOLVE, redirect="http://no-such-host.invalid/x", method="GET", times=2)
    listener = Listener()
    whole(visit.fetch(passport, listener), hub, passport)
    assert any("there seems to be no network. Again in" in told.what for told in listener.told)


@pytest.mark.parametrize(
    "address",
    [
        "huggingface.co",
        "file:///etc",
        "https://",
        "https://x?y",
        "http://a:b",
        "ftp://x",
        "https://me:secret@x",
    ],
)
def test_malformed_addresses_are_reported(visit: Visit, address: str) -> None:
    with pytest.raises(SpanlightError, match="is no address of a Hub") as caught:
        visit.with_(endpoint=address).look_up()
    assert "secret" not in str(caught.value)
