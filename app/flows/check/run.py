"""Whether all of Spanlight works on this computer: everything is done for real, in a folder that is removed then."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.core.checks import Checked, CheckReport, WindowTrial
from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head
from app.core.network import HUB
from app.core.report import Report
from app.engine.child import Child
from app.engine.serve import Factory
from app.flows.check.documents import try_documents
from app.flows.check.families import try_families, try_training
from app.flows.check.heads import try_heads
from app.flows.check.modules import needed
from app.flows.check.trial import Trial, require
from app.flows.check.versions import engine_versions, own_versions
from app.flows.models.get import look_up
from app.flows.models.installed import installed
from app.flows.workspace import Workspace, open_workspace
from app.models.disk.heads import DOES
from app.settings.paths import default_paths

WINDOW = "app.ui"
# Nobody listens there, on this computer itself: what is asked of the network goes no further.
_NOWHERE = "http://127.0.0.1:9"
_ANY = "nobody/nothing"
_CACHE = "TORCHINDUCTOR_CACHE_DIR"
_LAST = 2000  # characters of a process's log


def check(window: Factory | None, report: Report) -> CheckReport:
    """Try everything out; every Checked is handed over as a partial result too.

    `window` makes the handler of WindowTrials, in a process of its own; None leaves the window out. Nothing of the
    person's is read or written. Raises SpanlightError where the resources are missing or nothing can be written even
    for the moment, Stopped when the report says so.
    """
    began = time.monotonic()
    try:
        home = tempfile.TemporaryDirectory(prefix="spanlight-check-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SpanlightError(
            f"No folder for the check could be made: {error.strerror or error}.",
            "Make room, or set TMPDIR to a folder that can be written to.",
        ) from error
    with home as folder, _elsewhere(Path(folder)):
        workspace = open_workspace(default_paths({"SPANLIGHT_HOME": folder}))
        trial = Trial(report)
        versions: dict[str, str] = {}
        try:
            _try_all(trial, workspace, window, Path(folder), versions)
        finally:
            workspace.close()
        found = CheckReport(tuple(trial.parts), versions, time.monotonic() - began)
        return replace(found, log=_logs(workspace.paths.logs)) if found.failed else found


@contextmanager
def _elsewhere(folder: Path) -> Iterator[None]:
    """Have PyTorch keep what it would keep for other programs in the folder, in the processes that are started."""
    before = os.environ.get(_CACHE)
    os.environ[_CACHE] = str(folder / "inductor")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE]
        else:
            os.environ[_CACHE] = before


def _try_all(
    trial: Trial, workspace: Workspace, window: Factory | None, folder: Path, versions: dict[str, str]
) -> None:
    workspace.paths.logs.mkdir(parents=True)
    workspace.settings.hub_cache = str(folder / "hub")
    workspace.settings.endpoint, workspace.settings.proxy = HUB, _NOWHERE
    workspace.engine.begin()
    ours: list[str] = []
    trial.run("Every module is there", partial(_look_for_modules, ours))
    trial.run("Every module can be loaded", partial(_import, trial, workspace, ours))
    trial.run("The starter models are there", partial(_starters, workspace))
    try_documents(trial, workspace, folder)
    try_heads(trial, workspace)
    try_families(trial, workspace, folder)
    try_training(trial, workspace, folder)
    trial.run("The download process: started, and refused where nobody is", partial(_reach, trial, workspace))
    trial.run("Versions of what reads documents", lambda: versions.update(own_versions()))
    trial.run("Versions of what computes", lambda: versions.update(engine_versions(workspace, trial.report)))
    if window is not None:
        _try_window(trial, workspace, window, tuple(ours), versions)


def _look_for_modules(ours: list[str]) -> None:
    found, missing = needed()
    ours += found
    require(not missing, f"Missing: {', '.join(missing)}.")


def _import(trial: Trial, workspace: Workspace, ours: list[str]) -> None:
    names = tuple(name for name in ours if not _of_window(name))
    faults = workspace.engine.import_modules(names, trial.report)
    require(not faults, "; ".join(f"{name}: {fault}" for name, fault in faults.items()))


def _of_window(name: str) -> bool:
    return name == WINDOW or name.startswith(WINDOW + ".")


def _starters(workspace: Workspace) -> None:
    cards = installed(workspace)
    require(bool(cards), f"None is in {workspace.paths.starter_models}.")
    lacking = [DOES[head] for head in Head if not any(head in card.heads for card in cards)]
    require(not lacking, f"None is there to {', to '.join(lacking)}.")


def _reach(trial: Trial, workspace: Workspace) -> None:
    try:
        look_up(workspace, _ANY, trial.report)
    except EngineLost:
        raise
    except SpanlightError as refused:
        require("proxy" in str(refused), str(refused))
    else:
        raise SpanlightError("Something answered where nobody should be.")


def _try_window(
    trial: Trial, workspace: Workspace, window: Factory, ours: tuple[str, ...], versions: dict[str, str]
) -> None:
    child = Child(window, title="window process", log=workspace.paths.logs / "window.log")
    modules = tuple(name for name in ours if _of_window(name))
    order = WindowTrial(str(workspace.paths.resources), str(workspace.paths.data.parent / "window"), modules)
    listener = _Parts(trial)
    try:
        trial.run(
            "The window's process, from start to end", lambda: versions.update(child.run(order, listener))
        )
    finally:
        child.close()


class _Parts:
    """A report whose partial results are what was tried by another process."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.progress, self.notice = trial.report.progress, trial.report.notice
        self.check = trial.report.check

    def partial(self, result: object) -> None:
        """Take it down."""
        if isinstance(result, Checked):
            self._trial.add(result)


def _logs(folder: Path) -> str:
    """The end of what each process has printed."""
    told = []
    for path in sorted(folder.glob("*.log")):
        said = path.read_text("utf-8", "replace").strip()
        if said:
            told.append(f"{path.name}: {said[-_LAST:]}")
    return "\n".join(told)
