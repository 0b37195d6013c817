"""Requests: recorded first, under Spanlight's name, and never redirected to unsafe addresses."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import httpx2
import pytest

from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.offers import Passport
from app.models.download.client import retry_after
from app.models.download.ledger import read_ledger
from app.models.download.orders import NetworkFault
from tests.helpers.downloading import NAME, WEIGHTS, Visit, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]


def test_every_request_is_in_the_ledger(hub: HubServer, visit: Visit, checkpoint: Files) -> None:
    hub.add(NAME, checkpoint)
    hub.fail(f"/cdn/*{WEIGHTS}", cut=900_000, times=1)
    hub.fail("*", status=503, times=1)
    passport = visit.look_up()
    hub.fail(f"/cdn/*{WEIGHTS}", cut=1_000_000, times=1)
    visit.fetch(passport)
    told = [(e.method, e.address, e.status) for e in reversed(read_ledger(visit.network.ledger))]
    seen = [(a.method, a.address.partition("?")[0], a.status) for a in hub.requests()]
    assert told == seen and len(seen) > 15
    entries = read_ledger(visit.network.ledger)
    assert sum(e.received for e in entries if WEIGHTS in e.address and "cdn" in e.address) <= hub.sent(
        "/cdn/*"
    )
    assert any(e.error == "broken off" for e in entries)
    assert {e.why for e in entries} >= {
        f"Look up {NAME}",
        f"Look into {NAME}",
        f"Download {WEIGHTS} of {NAME}",
    }
    assert "secret" not in Path(visit.network.ledger).read_text()


def test_a_request_is_in_the_ledger_before_it_is_sent(visit: Visit, tmp_path: Path) -> None:
    """A server that reads the ledger at the moment when the connection comes."""
    found: list[tuple[str, ...]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                # Nothing of the request has been read yet.
                found.append(tuple(e.address for e in read_ledger(visit.network.ledger)))
                connection.recv(65_536)
                connection.sendall(
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(NetworkFault, match="has no model"):
            visit.with_(endpoint=address).look_up()
        thread.join()
    assert found == [(f"{address}/api/models/{NAME}",)]
    (entry,) = read_ledger(visit.network.ledger)
    assert entry.status == 404 and entry.method == "GET" and not entry.error


def test_requests_carry_spanlights_name_and_nothing_of_the_person(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    hub.add(NAME, small)
    hub.fail("*", headers={"Set-Cookie": "who=you; Path=/"}, times=3)
    visit.fetch(visit.look_up())
    for asked in hub.requests():
        assert asked.headers["user-agent"] == f"Spanlight/{VERSION}"
        assert asked.headers["accept-encoding"] == "identity"
        allowed = {"host", "accept", "accept-encoding", "connection", "user-agent", "range"}
        assert set(asked.headers) <= allowed


TOKEN = "hf_" + "a" * 34


@pytest.fixture
def with_token(fresh: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Visit:
    """A process that starts with a token saved as Hugging Face's own tools save it."""
    home = tmp_path / "hf"
    home.mkdir()
    (home / "token").write_text(TOKEN)
    monkeypatch.setenv("HF_HOME", str(home))
    return fresh


def test_a_token_is_sent_only_to_the_hub_and_only_if_allowed(
    hub: HubServer, with_token: Visit, small: Files
) -> None:
    hub.add("owner/open", small)
    with_token.fetch(with_token.look_up("owner/open"))
    assert not [asked for asked in hub.requests() if "authorization" in asked.headers]
    hub.add(NAME, small, gated="manual")
    hub.fail(f"/{NAME}/*", token=TOKEN)
    passport = with_token.look_up()
    assert passport.gated and passport.card is None and "registered" in passport.refused
    assert not hub.requests(f"/{NAME}/*")
    wished = with_token.with_(use_token=True)
    passport = wished.look_up()
    assert passport.card is not None
    whole(wished.fetch(passport), hub, passport)
    assert all(a.headers.get("authorization") == f"Bearer {TOKEN}" for a in hub.requests(f"/{NAME}/*"))
    assert not [asked for asked in hub.requests("/cdn/*") if "authorization" in asked.headers]
    assert TOKEN not in Path(wished.network.ledger).read_text()


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:1", "data:,x", "gopher://x/"]
)
def test_redirects_to_anything_but_http_are_refused(
    hub: HubServer, visit: Visit, passport: Passport, target: str
) -> None:
    for path in ("/api/models/*", "*/resolve/*"):
        hub.fail(path, redirect=target)
    with pytest.raises(SpanlightError, match="which is not safe to follow"):
        visit.look_up()
    with pytest.raises(SpanlightError, match="which is not safe to follow"):
        visit.fetch(passport)
    assert not any(e.address.startswith(target[:5]) for e in read_ledger(visit.network.ledger))


def test_circular_redirects_and_endless_answers_are_ended(hub: HubServer, visit: Visit, small: Files) -> None:
    hub.add(NAME, small)
    hub.fail("/api/models/*", redirect=f"/api/models/{NAME}")
    with pytest.raises(SpanlightError, match="does not answer as a Hub does"):
        visit.look_up()
    assert len(hub.requests()) < 12
    hub.heal()
    hub.add(NAME, small, padding="x" * (33 * 2**20))
    with pytest.raises(SpanlightError, match="larger than any that a Hub gives"):
        visit.look_up()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"RateLimit": '"api";r=0;t=55'}, 55),
        ({"Retry-After": "soon"}, -1),
        ({"Retry-After": "9" * 400}, -1),
        ({"Retry-After": "-5"}, -1),
        ({}, -1),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(httpx2.Headers(headers)) == seconds
