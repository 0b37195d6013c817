"""Checking for a newer version on a person's request, through the real process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import about
from app.core.errors import SpanlightError
from app.core.releases import Feed
from app.core.report import Report, Silent
from app.flows.network import network
from app.flows.network.network import (
    cache_remark,
    certificates_remark,
    check_for_updates,
    clear_ledger,
    has_ledger,
    ledger,
    standard_cache,
)
from app.flows.workspace import Workspace
from app.models.download.ledger import Ledger
from app.models.download.orders import AskFeed
from app.settings.paths import default_paths
from app.settings.settings import Settings
from tests.helpers.feeds import feed, file, release, serve
from tests.helpers.hub_server import HubServer
from tests.helpers.windows import FakeEngine, open_fake_workspace

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


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
    monkeypatch.setattr(network, "this_computer", lambda: ("linux", "x86_64", ("deb", "archive")))
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
    monkeypatch.setattr(network, "_GRACE", 0.1)
    with pytest.raises(SpanlightError, match=r"example\.org takes too long"):
        check_for_updates(workspace, Silent(), feed="https://example.org/", seconds=0.1)


def test_nothing_but_the_button_and_the_command_ask() -> None:
    """The flow is called from two places, neither of which is a start."""
    root = Path(network.__file__).parents[2]
    callers = [
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if "check_for_updates" in file.read_text("utf-8") and file.name not in ("network.py", "updates.py")
    ]
    assert sorted(callers) == ["ui/settings/settings_updates.py"]
    assert "check_for_updates(" in (root / "cli" / "updates.py").read_text("utf-8")


def test_a_file_of_certificates_is_told_from_others(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.pem", tmp_path / "wrong.pem"
    good.write_text(PEM, "utf-8")
    wrong.write_text("-----BEGIN PRIVATE KEY-----\n", "utf-8")
    assert not certificates_remark("  ").words
    assert not certificates_remark(str(good)).bad
    for typed in (str(wrong), str(tmp_path), str(tmp_path / "none.pem"), "a\0b"):
        assert certificates_remark(typed).bad, typed


def test_a_folder_for_downloads(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", "utf-8")
    assert not cache_remark("").words
    assert not cache_remark(str(tmp_path)).words
    remark = cache_remark(str(tmp_path / "new" / "deep"))
    assert not remark.bad and "made" in remark.words
    assert not (tmp_path / "new").exists(), "looking makes nothing"
    for typed in ("relative/folder", str(file), str(file / "below")):
        assert cache_remark(typed).bad, typed


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything can be written here")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert cache_remark(str(tmp_path)).bad
        assert cache_remark(str(tmp_path / "new")).bad
    finally:
        tmp_path.chmod(0o700)


def test_the_standard_cache_is_where_hugging_faces_tools_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert standard_cache() == tmp_path


def test_a_ledger_is_read_and_cleared_and_a_cleared_one_told_from_one_that_never_was(
    spanlight_home: Path,
) -> None:
    workspace = open_fake_workspace(FakeEngine(lambda *_: None))
    assert not has_ledger(workspace, Silent())
    clear_ledger(workspace, Silent())
    assert not has_ledger(workspace, Silent())
    Ledger(str(workspace.paths.ledger_file)).sending("GET", "https://huggingface.co/x", "look up a model")
    assert len(ledger(workspace, Silent())) == 1
    clear_ledger(workspace, Silent())
    assert ledger(workspace, Silent()) == ()
    assert has_ledger(workspace, Silent())
    workspace.paths.ledger_file.unlink()
    workspace.paths.ledger_file.mkdir()
    with pytest.raises(SpanlightError, match="cannot be read"):
        ledger(workspace, Silent())
    with pytest.raises(SpanlightError, match="cannot be cleared"):
        clear_ledger(workspace, Silent())
