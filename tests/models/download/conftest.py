"""A Hub on this computer with a small real checkpoint, and the real download process before it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.network import Network
from app.core.offers import Passport
from app.flows.network.download_process import Downloads
from tests.helpers.downloading import NAME, Visit
from tests.helpers.hub_server import HubServer, files_of
from tests.helpers.proxy import Proxy
from tests.helpers.small_models import small_checkpoint

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a reader of some megabytes, most of them its weights."""
    folder = small_checkpoint(tmp_path_factory.mktemp("checkpoint") / "reader", positions=40_000)
    files = files_of(folder)
    assert len(files["model.safetensors"]) > 3_000_000
    return files | {"README.md": b"# A reader\n", "LICENSE": b"", "pytorch_model.bin": b"\x80\x04."}


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a reader of some kilobytes."""
    return files_of(small_checkpoint(tmp_path_factory.mktemp("small") / "reader"))


@pytest.fixture(scope="session", autouse=True)
def plain_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No proxy, no token, and a Hugging Face home of our own, also for the processes that are started."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PROXIES:
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
            patch.delenv(name, raising=False)
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hugging-face")))
        yield


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture(scope="session")
def shared_downloads(
    plain_environment: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Downloads]:
    made = Downloads(tmp_path_factory.mktemp("log") / "download.log")
    yield made
    made.close()


@pytest.fixture
def downloads(shared_downloads: Downloads) -> Downloads:
    """The download process, one for all tests; what a test ends is started again by the next."""
    return shared_downloads


@pytest.fixture
def fresh(tmp_path: Path, network: Network) -> Iterator[Visit]:
    """A download process of a test's own, started with the environment as the test has made it."""
    made = Downloads(tmp_path / "download.log")
    yield Visit(made, network)
    made.close()


@pytest.fixture
def network(hub: HubServer, tmp_path: Path) -> Network:
    return Network(endpoint=hub.url, cache=str(tmp_path / "cache"), ledger=str(tmp_path / "ledger.jsonl"))


@pytest.fixture
def visit(downloads: Downloads, network: Network) -> Visit:
    return Visit(downloads, network)


@pytest.fixture
def passport(hub: HubServer, visit: Visit, small: dict[str, bytes]) -> Passport:
    """The passport of the small reader, which the Hub has under NAME."""
    hub.add(NAME, small)
    return visit.look_up()


@pytest.fixture
def large(hub: HubServer, visit: Visit, checkpoint: dict[str, bytes]) -> Passport:
    """The passport of the reader of some megabytes, which the Hub has under NAME."""
    hub.add(NAME, checkpoint)
    return visit.look_up()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


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
