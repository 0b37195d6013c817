"""Proxies and certificates: the ways that requests take, and whom is trusted on them."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.core.errors import SpanlightError
from app.models.download.ledger import read_ledger
from app.models.download.orders import NetworkFault
from tests.helpers.children import POSIX
from tests.helpers.downloading import NAME, WEIGHTS, Visit, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]


class Proxy:
    """A proxy for plain requests and for CONNECT; `asked` holds the first line of each."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (part := near.recv(65_536)):
                return
            head += part
        line, _, rest = head.partition(b"\r\n")
        self.asked.append(line.decode())
        method, address, version = line.decode().split()
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{address}" if tunnel else address)
        far = socket.create_connection((parts.hostname, parts.port))
        if tunnel:
            near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            # One request for one connection, so that each is seen.
            path = address.partition("://")[2].partition("/")[2]
            rest = rest.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1).replace(
                b"keep-alive", b"close"
            )
            far.sendall(f"{method} /{path} {version}\r\n".encode() + rest)
        back = threading.Thread(target=self._answer, args=(far, near, tunnel), daemon=True)
        back.start()
        self._pump(near, far)

    def _answer(self, far: socket.socket, near: socket.socket, tunnel: bool) -> None:
        try:
            head = b""
            # The client is told that this connection ends: it would send its next request into a closed one.
            while not tunnel and b"\r\n" not in head:
                if not (part := far.recv(65_536)):
                    return
                head += part
            near.sendall(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        except OSError:
            return
        self._pump(far, near)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while part := source.recv(65_536):
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def test_a_proxy_is_used_for_everything(hub: HubServer, visit: Visit, small: Files, proxy: Proxy) -> None:
    hub.add(NAME, small)
    through = visit.with_(proxy=proxy.url)
    passport = through.look_up()
    whole(through.fetch(passport), small, passport)
    assert len(proxy.asked) == len(hub.requests())


def test_the_systems_proxy_is_used_where_none_is_set(
    hub: HubServer, fresh: Visit, small: Files, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(NAME, small)
    monkeypatch.setenv("http_proxy", proxy.url)
    fresh.look_up()
    assert len(proxy.asked) == len(hub.requests()) > 0


def test_the_systems_proxy_is_named_where_it_is_dead(
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


def test_addresses_that_the_system_excepts_need_no_proxy(
    hub: HubServer, fresh: Visit, small: Files, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(NAME, small)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    fresh.look_up()
    assert not proxy.asked and hub.requests()


def test_a_proxy_that_is_not_there_is_told(hub: HubServer, visit: Visit) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(NetworkFault, match=rf"The proxy {address} does not let the request through"):
        visit.with_(proxy=f"http://me:secret@{address}").look_up()
    assert not hub.requests() and "secret" not in Path(visit.network.ledger).read_text()


@pytest.mark.parametrize("typed", ["socks5://127.0.0.1:1", "http://", "http://a:b:c", "ftp://me:secret@x"])
def test_proxies_that_cannot_be_used_are_told(visit: Visit, typed: str) -> None:
    with pytest.raises(SpanlightError, match="is no proxy that can be used") as told:
        visit.with_(proxy=typed).look_up()
    assert "secret" not in str(told.value)


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate authority of our own, and a certificate with its key for localhost that it has signed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command")
    folder = tmp_path_factory.mktemp("authority")

    def run(*words: str) -> None:
        subprocess.run([openssl, *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test authority",
        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign")  # fmt: skip
    run("req", *key, "-keyout", "site.key", "-out", "site.csr", "-subj", "/CN=localhost")
    (folder / "more").write_text("subjectAltName=DNS:localhost\n")
    run("x509", "-req", "-in", "site.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
        "-extfile", "more", "-out", "site.pem")  # fmt: skip
    both = folder / "both.pem"
    both.write_bytes((folder / "site.pem").read_bytes() + (folder / "site.key").read_bytes())
    return folder / "ca.pem", both


@pytest.fixture
def secure(authority: tuple[Path, Path]) -> Iterator[HubServer]:
    with HubServer(authority[1]) as server:
        yield server


def test_a_certificate_of_nobody_known_is_refused(secure: HubServer, visit: Visit, small: Files) -> None:
    secure.add(NAME, small)
    with pytest.raises(NetworkFault, match="localhost shows a certificate that this computer does not trust"):
        visit.with_(endpoint=secure.url).look_up()
    assert not secure.requests()
    assert read_ledger(visit.network.ledger)[0].error == "certificate not trusted"


def test_an_authority_of_ones_own_is_trusted(
    secure: HubServer, visit: Visit, small: Files, authority: tuple[Path, Path], proxy: Proxy
) -> None:
    secure.add(NAME, small)
    own = visit.with_(endpoint=secure.url, certificates=str(authority[0]))
    passport = own.look_up()
    whole(own.fetch(passport), small, passport)
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


def test_a_file_without_certificates_is_told(visit: Visit, tmp_path: Path) -> None:
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
