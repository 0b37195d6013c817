"""The window's side of the check, in this process, as the tests have no screen either."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.report import Silent
from app.flows.check.trial import Checked, WindowTrial
from app.ui.window import checked
from app.ui.window.check import start_window
from tests.conftest import ROOT


class Told(Silent):
    def __init__(self) -> None:
        self.faults: dict[str, str] = {}

    def partial(self, result: object) -> None:
        if isinstance(result, Checked):
            self.faults[result.what] = result.fault


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "offscreen")  # put back when the test is over


def test_what_is_missing_is_named(
    qtbot: QtBot, tmp_path: Path, no_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = tmp_path / "resources"
    resources.mkdir()
    for name in ("themes", "icons"):
        (resources / name).mkdir()
        for file in (ROOT / "resources" / name).iterdir():
            (resources / name / file.name).write_bytes(file.read_bytes())
    (resources / "icons" / "open.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
    monkeypatch.setattr(checked, "main_plugins", lambda: ("qnothing",))
    told = Told()
    order = WindowTrial(str(resources), str(tmp_path / "home"), ("app.ui.window.window", "app.ui.nothing"))
    versions = start_window()(order, told)
    assert versions["Qt"].startswith("6.")
    failed = {what: fault for what, fault in told.faults.items() if fault}
    assert list(failed) == [
        "The window's modules can be loaded",
        "Qt: the plugin that opens windows here",
        "The themes and their icons",
    ]
    first, second, third = failed.values()
    assert first == "app.ui.nothing: ModuleNotFoundError: No module named 'app.ui.nothing'"
    assert "is not in" in second
    assert third == "The icon open is empty in the light theme."
