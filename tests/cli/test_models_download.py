"""`models download` and `models network` against a server that speaks the Hub's interface."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core import about
from app.core.models import Head
from tests.helpers.hub_server import HubServer
from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import Terminal

NAME = "org/small-moods"
WEIGHTS = "/cdn/*model.safetensors"
BEGINNING = 2 * 2**20  # what is read of the weights to see what they are, and how fast they come


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # 5 MB, most of them embeddings of places: more than the beginning that a look at a model reads.
    folder = tmp_path_factory.mktemp("models") / "small-moods"
    return small_checkpoint(folder, head=Head.CLASSIFICATION, positions=40_000)


@pytest.fixture
def hub(checkpoint: Path) -> Iterator[HubServer]:
    with HubServer() as hub:
        hub.add(NAME, checkpoint, licence="mit", languages=["en", "de"])
        yield hub


@pytest.fixture
def terminal(terminal: Terminal, hub: HubServer, tmp_path: Path) -> Terminal:
    def change(settings: Any) -> None:
        settings.endpoint, settings.hub_cache = hub.url, str(tmp_path / "cache")

    terminal.change(change)
    return terminal


def weights_asked(hub: HubServer) -> int:
    """Return how many bytes of weights the server has sent."""
    return hub.sent("/cdn/*")


def test_without_yes_the_passport_is_printed_and_nothing_is_fetched(
    terminal: Terminal, hub: HubServer
) -> None:
    said = terminal("models", "download", NAME)
    assert said.code == 2
    assert said.err == "Nothing was downloaded. Add --yes to download it.\n"
    lines = said.out.splitlines()
    assert lines[0] == NAME
    for line in ("  For classifying texts", "  Labels: negative, positive", "  Licence: mit"):
        assert line in lines
    assert "  Languages: English, German" in lines
    assert any(line.startswith("    model.safetensors  ") for line in lines)
    assert any(line.startswith("  To download: ") for line in lines)
    assert any(line.startswith("  Fits easily: ") for line in lines)
    assert weights_asked(hub) <= BEGINNING
    assert terminal.installed() == []
    assert terminal("models", "download", "--unfinished").out == "No download is unfinished.\n"
    values = terminal("models", "download", NAME, "--json")
    assert (values.code, values.err, values.json["model"]) == (2, said.err, None)
    passport = values.json["passport"]
    assert (passport["repository"], len(passport["commit"])) == (NAME, 40)
    assert (passport["licence"], passport["languages"], passport["refused"]) == ("mit", ["en", "de"], "")
    assert passport["size"] == passport["to_fetch"] == sum(file["size"] for file in passport["files"])
    assert passport["card"]["heads"] == ["classification"]
    assert {"seconds", "speed", "free_disk", "gated", "endpoint", "hint"} <= passport.keys()


def test_download_list_ledger_again_and_remove(terminal: Terminal, hub: HubServer) -> None:
    said = terminal("models", "download", NAME, "--yes")
    assert said.code == 0, said.err
    assert f"\nInstalled as small-moods, in {terminal.models / 'small-moods'}\n" in said.out
    assert terminal.installed() == ["small-moods"]
    listed = terminal("models").out
    assert f"  Origin: downloaded, {NAME}, commit " in listed
    assert "  Licence: mit\n" in listed
    assert "  Languages: English, German\n" in listed
    # It works.
    classified = terminal("classify", "a good film", "--model", "small-moods", "--json")
    assert classified.code == 0, classified.err
    assert "negative" in classified.out and "positive" in classified.out
    # What was asked is told, the latest first.
    ledger = terminal("models", "network", "--json").json
    assert ledger["requests"] == len(
        terminal("models", "network", "--limit", "1000", "--json").json["entries"]
    )
    assert all(entry["status"] in (200, 206, 302, 307) for entry in ledger["entries"])
    assert all(entry["address"].startswith("http://127.0.0.1:") for entry in ledger["entries"])
    assert all(entry["why"] for entry in ledger["entries"])
    assert f" GET {hub.url}/" in terminal("models", "network", "--limit", "1000").out
    # Once more: nothing is fetched.
    sent = weights_asked(hub)
    again = terminal("models", "download", NAME, "--yes", "--json")
    assert again.code == 0, again.err
    assert again.json["model"]["name"] == "small-moods"
    assert f"{NAME} is installed already, as small-moods." in again.err
    assert weights_asked(hub) == sent
    assert terminal.installed() == ["small-moods"]
    # And away with it.
    said = terminal("models", "remove", NAME, "--from-cache", "--yes")
    assert said.code == 0, said.err
    assert terminal.installed() == []
    assert not list((terminal.home.parent / "cache").rglob("*.safetensors"))
    assert terminal("models", "network", "--clear").out.endswith("\nNo request was made.\n")


@pytest.mark.parametrize(("name", "asked"), [("org/not-there", True), ("org/na\x1b[2Jme", False)])
def test_names_that_are_none_or_not_there(name: str, asked: bool, terminal: Terminal, hub: HubServer) -> None:
    said = terminal("models", "download", name, "--yes")
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert "\x1b" not in said.err
    assert bool(hub.requests()) is asked
    assert terminal.installed() == []


def test_a_repository_without_safetensors_is_refused_with_its_passport(
    terminal: Terminal, hub: HubServer, checkpoint: Path
) -> None:
    files = {path.name: path.read_bytes() for path in checkpoint.iterdir() if path.suffix != ".safetensors"}
    hub.add("org/pickled", files | {"pytorch_model.bin": b"\x80\x04." * 100})
    said = terminal("models", "download", "org/pickled", "--yes")
    assert said.code == 2
    assert said.out.startswith("org/pickled\n")
    assert len(said.err.splitlines()) == 1
    values = terminal("models", "download", "org/pickled", "--yes", "--json")
    assert values.code == 2
    assert values.json["passport"]["card"] is None
    assert values.json["passport"]["refused"] in values.err
    assert hub.sent("/cdn/*") == 0
    assert terminal.installed() == []


def test_a_commit_can_be_asked_for(terminal: Terminal, hub: HubServer, checkpoint: Path) -> None:
    first = terminal("models", "download", NAME, "--json").json["passport"]["commit"]
    hub.add(NAME, {path.name: path.read_bytes() for path in checkpoint.iterdir()} | {"README.md": b"# New"})
    assert terminal("models", "download", NAME, "--json").json["passport"]["commit"] != first
    old = terminal("models", "download", NAME, "--commit", first, "--json").json["passport"]
    assert old["commit"] == first
    assert terminal("models", "download", NAME, "--commit", "main; rm", "--json").code == 2


def test_a_download_that_is_cut_goes_on_by_the_same_command(terminal: Terminal, hub: HubServer) -> None:
    hub.fail(WEIGHTS, times=1)  # the look at it goes well
    hub.fail(WEIGHTS, cut=3_000_000, times=1)
    hub.fail(WEIGHTS, status=404)
    said = terminal("models", "download", NAME, "--yes")
    assert said.code == 2
    assert terminal.installed() == []
    begun = terminal("models", "download", "--unfinished", "--json").json["unfinished"]
    assert [each["passport"]["repository"] for each in begun] == [NAME]
    assert begun[0]["done"] >= 2_900_000
    assert terminal("models", "download", "--unfinished").out.startswith(f"{NAME}: ")
    assert f"Not finished: {NAME}, " in terminal("models").out
    hub.heal()
    before = weights_asked(hub)
    said = terminal("models", "download", NAME, "--yes")
    assert said.code == 0, said.err
    assert "The download goes on where it stopped: " in said.err
    size = begun[0]["passport"]["size"]
    assert weights_asked(hub) - before <= BEGINNING + size - begun[0]["done"]
    assert terminal("models", "download", "--unfinished").out == "No download is unfinished.\n"
    assert terminal.installed() == ["small-moods"]


def test_ctrl_c_pauses_and_what_was_fetched_can_be_given_up(terminal: Terminal, hub: HubServer) -> None:
    hub.fail(WEIGHTS, times=1)  # the look at it goes well
    hub.fail(WEIGHTS, rate=400_000)
    watcher = threading.Thread(target=_interrupt_when, args=(hub,), daemon=True)
    watcher.start()
    said = terminal("models", "download", NAME, "--yes")
    watcher.join()
    assert said.code == 130, said.err
    assert f"Paused. What was fetched stays; to go on: {about.command()} models download {NAME}\n" in said.err
    assert said.err.endswith("Stopped.\n")
    assert terminal.installed() == []
    assert terminal("models", "download", "--unfinished", "--json").json["unfinished"]
    said = terminal("models", "download", NAME, "--give-up")
    assert (said.code, said.out) == (0, f"What was fetched of {NAME} is gone.\n")
    assert terminal("models", "download", "--unfinished", "--json").json == {"unfinished": []}
    cached = (terminal.home.parent / "cache").rglob("*")
    assert all(path.stat().st_size <= 10_000 for path in cached if path.is_file())
    assert terminal("models", "download", NAME, "--give-up").code == 2


def _interrupt_when(hub: HubServer) -> None:
    """Press Ctrl+C as soon as the server sends weights."""
    for _ in range(1200):
        if len(hub.requests(WEIGHTS, "GET")) >= 2:
            break
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)
