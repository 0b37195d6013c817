"""The trials of the window in a process of their own, as `--check` runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

TRY = """
import sys
from app.core.report import Silent
from app.flows.check.trial import TrialResult, WindowTrial
from app.ui.window import trials
from app.ui.window.check import start_window

class FaultPrinter(Silent):
    def partial(self, result):
        if isinstance(result, TrialResult) and result.fault:
            print(f"{result.what} | {result.fault}")

trials.main_plugins = lambda: ("qnothing",)
order = WindowTrial(sys.argv[1], sys.argv[2], ("app.ui.window.window", "app.ui.nothing"))
print("Qt", start_window()(order, FaultPrinter())["Qt"])
"""


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    resources = tmp_path / "resources"
    for name in ("themes", "icons"):
        (resources / name).mkdir(parents=True)
        for file in (ROOT / "resources" / name).iterdir():
            (resources / name / file.name).write_bytes(file.read_bytes())
    (resources / "icons" / "open.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
    command = [sys.executable, "-c", TRY, str(resources), str(tmp_path / "home")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    modules, plugin, icon, versions = done.stdout.splitlines()
    missing = "app.ui.nothing: ModuleNotFoundError: No module named 'app.ui.nothing'"
    assert modules == f"The window's modules can be loaded | {missing}"
    assert plugin.startswith("Qt: the plugin that opens windows here | ") and "is not in" in plugin
    assert icon == "The themes and their icons | The icon open is empty in the light theme."
    assert versions.startswith("Qt 6."), done.stderr
