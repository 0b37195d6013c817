"""`updates`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from app.core import about
from app.settings.settings import Settings
from tests.helpers.feeds import DIGEST, feed, file, release, serve
from tests.helpers.hub_server import HubServer
from tests.helpers.terminal import Terminal


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


WHEEL = file(system="any", machine="any", kind="wheel", address="https://example.org/s.whl")


def test_a_newer_version(terminal: Terminal, hub: HubServer) -> None:
    notes = "New:\n\u202e<b>tables</b>\x1b[2J"
    address = serve(hub, feed(release("99.0", notes=notes, files=[WHEEL])))
    said = terminal("updates", "--feed", address)
    assert said.code == 0 and not said.err
    assert f"Version 99.0 of 3 May 2027 is there; this is {about.VERSION}." in said.out
    for part in (
        "https://example.org/99.0",
        "s.whl (310 MB)",
        "https://example.org/s.whl",
        DIGEST,
        "<b>tables</b> [2J",
    ):
        assert part in said.out
    assert not {"\x1b", "\u202e"} & set(said.out)
    told = terminal("updates", "--feed", address, "--json").json
    assert (
        told["newest"]["version"] == "99.0"
        and told["file"]["sha256"] == DIGEST
        and told["own"] == about.VERSION
    )
    assert terminal.settings.updates == ""
    requests = terminal("models", "network", "--json").json["entries"]
    assert [entry["why"] for entry in requests] == ["Check for updates"] * 2


def test_the_newest_version(terminal: Terminal, hub: HubServer) -> None:
    address = serve(hub, feed(release("0.0.9")))

    def choose(settings: Settings) -> None:
        settings.updates = address

    terminal.change(choose)
    said = terminal("updates")
    assert (said.code, said.out) == (0, f"Spanlight {about.VERSION} is the newest version.\n")
    assert json.loads(terminal("updates", "--json").out)["newest"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--feed", "http://127.0.0.1:1/x"], "cannot be reached"),
        (["--feed", "HUB/nothing"], "has nothing at that address"),
    ],
)
def test_faults(terminal: Terminal, hub: HubServer, arguments: list[str], words: str) -> None:
    said = terminal("updates", *[each.replace("HUB", hub.url) for each in arguments])
    assert said.code == 2 and not said.out and words in said.err and said.err.count("\n") == 1


def test_offline(terminal: Terminal, hub: HubServer) -> None:
    terminal("models", "offline", "on")
    said = terminal("updates", "--feed", serve(hub, feed()))
    assert said.code == 2 and "Spanlight is offline." in said.err and not hub.requests()
