"""Proxies and certificates: how requests are sent, and which authorities are trusted."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.models.download.ledger import read_ledger
from app.models.download.orders import NetworkFault
from tests.helpers.children import POSIX
from tests.helpers.downloading import NAME, WEIGHTS, Visit, whole
from tests.helpers.hub_server import HubServer
from tests.helpers.proxy import Proxy

Files = dict[str, bytes]


def test_a_proxy_is_used_for_everything(hub: HubServer, visit: Visit, small: Files, proxy: Proxy) -> None:
    hub.add(NAME, small)
    through = visit.with_(proxy=proxy.url)
    passport = through.look_up()
    whole(through.fetch(passport), hub, passport)
    assert len(proxy.asked) == len(hub.requests())


@pytest.mark.parametrize("is_exempt", [False, True])
def test_the_systems_proxy_is_used_where_none_is_set_but_for_exempt_addresses(
    hub: HubServer,
    fresh: Visit,
    small: Files,
    proxy: Proxy,
    monkeypatch: pytest.MonkeyPatch,
    is_exempt: bool,
) -> None:
    hub.add(NAME, small)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1" if is_exempt else "")
    fresh.look_up()
    assert hub.requests() and len(proxy.asked) == (0 if is_exempt else len(hub.requests()))


def test_a_dead_system_proxy_is_named(
    hub: HubServer, fresh: Visit, small: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(NAME, small)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setenv("http_proxy", f"http://someone:secret@{address}")
    with pytest.raises(
        NetworkFault, match=f"The proxy {address}, which this computer's settings name"
    ) as told:
        fresh.look_up()
    assert "secret" not in str(told.value) and not hub.requests()


def test_a_missing_proxy_is_reported(hub: HubServer, visit: Visit) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(NetworkFault, match=rf"The proxy {address} does not let the request through"):
        visit.with_(proxy=f"http://me:secret@{address}").look_up()
    assert not hub.requests() and "secret" not in Path(visit.network.ledger).read_text()


@pytest.mark.parametrize("typed", ["socks5://127.0.0.1:1", "http://", "http://a:b:c", "ftp://me:secret@x"])
def test_unusable_proxies_are_reported(visit: Visit, typed: str) -> None:
    with pytest.raises(SpanlightError, match="is no proxy that can be used") as told:
        visit.with_(proxy=typed).look_up()
    assert "secret" not in str(told.value)


def test_a_certificate_of_an_unknown_authority_is_refused(
    secure: HubServer, visit: Visit, small: Files
) -> None:
    secure.add(NAME, small)
    with pytest.raises(NetworkFault, match="localhost shows a certificate that this computer does not trust"):
        visit.with_(endpoint=secure.url).look_up()
    assert not secure.requests()
    assert read_ledger(visit.network.ledger)[0].error == "certificate not trusted"


def test_a_private_authority_is_trusted(
    secure: HubServer, visit: Visit, small: Files, authority: tuple[Path, Path], proxy: Proxy
) -> None:
    secure.add(NAME, small)
    own = visit.with_(endpoint=secure.url, certificates=str(authority[0]))
    passport = own.look_up()
    whole(own.fetch(passport), secure, passport)
    tunnelled = own.with_(proxy=proxy.url)
    assert tunnelled.look_up().card is not None
    assert {line.split()[0] for line in proxy.asked} == {"CONNECT"}


@POSIX
def test_the_systems_authorities_are_trusted(
    secure: HubServer,
    fresh: Visit,
    small: Files,
    authority: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where OpenSSL looks for the system's authorities can be set, other than on Windows and macOS."""
    secure.add(NAME, small)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority[0]))
    if subprocess.run(["uname"], capture_output=True, text=True).stdout.strip() != "Linux":
        pytest.skip("the system's own list of authorities cannot be set here")
    assert fresh.with_(endpoint=secure.url).look_up().card is not None


def test_a_file_without_certificates_is_reported(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("nothing")
    for name in ("no.pem", "missing.pem"):
        with pytest.raises(SpanlightError, match="holds no certificates"):
            visit.with_(certificates=str(tmp_path / name)).look_up()


def test_a_redirect_from_https_to_http_is_refused(
    secure: HubServer, hub: HubServer, visit: Visit, small: Files, authority: tuple[Path, Path]
) -> None:
    commit = hub.add(NAME, small)
    assert secure.add(NAME, small) == commit
    own = visit.with_(endpoint=secure.url, certificates=str(authority[0]))
    passport = own.look_up()
    secure.fail(f"*/resolve/*{WEIGHTS}", redirect=f"{hub.cdn}/cdn/{NAME}/{commit}/{WEIGHTS}")
    with pytest.raises(SpanlightError, match="which is not safe to follow"):
        own.fetch(passport)
    assert not hub.requests()
