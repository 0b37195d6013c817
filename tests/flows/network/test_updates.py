"""Checking for a newer version on a person's request, through the real process."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core import about
from app.core.errors import SpanlightError
from app.core.releases import Feed
from app.core.report import Report, Silent
from app.flows.network import updates
from app.flows.network.ledger import ledger
from app.flows.network.updates import check_for_updates, this_computer
from app.flows.workspace import Workspace
from app.models.download.orders import AskFeed
from app.settings.paths import default_paths
from app.settings.settings import Settings
from tests.helpers.feeds import feed, file, release, serve
from tests.helpers.hub_server import HubServer


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    made = Workspace(Settings(), default_paths())
    yield made
    made.close()


def test_a_newer_version_is_found_with_its_file_for_this_computer(
    hub: HubServer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "this_computer", lambda: ("linux", "x86_64", ("deb", "archive")))
    address = serve(hub, feed(release("0.1.0"), release("99.1", files=[file()])))
    workspace.settings.updates = f" {address} "
    found = check_for_updates(workspace, Silent())
    assert found.newest is not None and found.newest.version == "99.1" and found.own == about.VERSION
    assert found.file is not None and found.file.kind == "deb" and found.feed == address
    assert [entry.why for entry in ledger(workspace, Silent())] == ["Check for updates"]
    workspace.settings.updates = ""
    assert check_for_updates(workspace, Silent(), feed=serve(hub, feed(release("0.0.1")))).newest is None
    assert workspace.settings.updates == ""


def test_nothing_is_asked_where_it_may_not_or_cannot_be(hub: HubServer, workspace: Workspace) -> None:
    with pytest.raises(SpanlightError, match="no address yet") as told:
        check_for_updates(workspace, Silent())
    assert "Settings" in told.value.hint
    workspace.settings.updates = "http://example.org/feed.json"
    with pytest.raises(SpanlightError, match="Without https"):
        check_for_updates(workspace, Silent())
    workspace.settings.updates = serve(hub, feed())
    workspace.settings.offline = True
    with pytest.raises(SpanlightError, match="Spanlight is offline") as told:
        check_for_updates(workspace, Silent())
    assert "check for updates" in told.value.hint
    assert not hub.requests() and "downloads" not in workspace.__dict__  # no process was started for it


def test_a_process_that_hangs_is_not_waited_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging:
        def ask_feed(self, order: AskFeed, report: Report) -> Feed:
            while True:
                report.check()
                time.sleep(0.01)

        def close(self) -> None:
            pass

    workspace.__dict__["downloads"] = Hanging()
    monkeypatch.setattr(updates, "_GRACE", 0.1)
    with pytest.raises(SpanlightError, match=r"example\.org takes too long"):
        check_for_updates(workspace, Silent(), feed="https://example.org/", seconds=0.1)


@pytest.mark.parametrize(
    ("platform", "machine", "frozen", "dpkg", "expected"),
    [
        ("linux", "x86_64", True, "/usr/bin/dpkg", ("linux", "x86_64", ("deb", "archive"))),
        ("linux", "aarch64", True, None, ("linux", "arm64", ("archive",))),
        ("win32", "AMD64", True, None, ("windows", "x86_64", ("installer", "archive"))),
        ("darwin", "arm64", True, None, ("macos", "arm64", ("dmg", "archive"))),
        ("linux", "x86_64", False, "/usr/bin/dpkg", ("linux", "x86_64", ("wheel",))),
        ("freebsd14", "amd64", True, None, ("freebsd14", "x86_64", ())),
    ],
)
def test_this_computer(
    monkeypatch: pytest.MonkeyPatch, platform: str, machine: str, frozen: bool, dpkg: Any, expected: Any
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("shutil.which", lambda name: dpkg)
    assert this_computer() == expected


def test_nothing_but_the_button_and_the_command_ask() -> None:
    """The flow is called from two places, neither of which is a start."""
    root = Path(updates.__file__).parents[2]
    callers = [
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if "check_for_updates" in file.read_text("utf-8") and file.name != "updates.py"
    ]
    assert sorted(callers) == ["ui/settings/settings_updates.py"]
    assert "check_for_updates(" in (root / "cli" / "updates.py").read_text("utf-8")
