"""Trials of the window without a screen: Qt and its plugins, the themes, every page, a second start.

Qt's offscreen platform is used, whatever the desktop has.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6 import __version__ as binding_version
from PySide6.QtCore import qVersion
from PySide6.QtGui import QImage, QImageReader
from PySide6.QtWidgets import QApplication

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.system_libraries import missing_library_error
from app.flows.check.trial import Trial, WindowTrial, require
from app.flows.second_start import Answer, Claim, hand_over, name_of
from app.flows.workspace import Workspace, open_workspace
from app.settings.paths import default_paths
from app.ui.kit.messages import main_plugins, plugin_fault
from app.ui.kit.theme import Theme
from app.ui.window.one_window import OneWindow
from app.ui.window.pages import PAGES, make_page
from app.ui.window.start import make_application, open_window

_SECONDS = 20.0
_COLOURS = 4


def try_window(order: WindowTrial, report: Report) -> dict[str, str]:
    """Run all trials, reporting each Checked as a partial result; returns the versions of PySide6 and Qt."""
    folder = Path(order.folder)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")  # fontconfig's and Qt's own
    trial = Trial(report)
    trial.run("The window's modules can be loaded", lambda: _import(order.modules))
    workspace = open_workspace(default_paths({"SPANLIGHT_HOME": order.folder}))
    application = make_application(workspace)
    trial.run("Qt: the plugin that opens windows here", _try_platform)
    trial.run("Qt: pictures of every kind that is shown", _try_pictures)
    trial.run("The themes and their icons", lambda: _try_theme(Path(order.resources)))
    trial.run("A second start finds the first one's window", lambda: _try_second(application, folder))
    trial.run("The main window, painted with every page", lambda: _try_main(application, workspace))
    workspace.close()
    return {"PySide6": binding_version, "Qt": qVersion()}


def _import(names: tuple[str, ...]) -> None:
    faults = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            faults.append(f"{name}: {type(error).__name__}: {error}")
    require(not faults, "; ".join(faults))


def _try_platform() -> None:
    """Load this system's platform plugin without opening a window, to see that its libraries are there."""
    for number, name in enumerate(main_plugins()):
        fault = plugin_fault(name)
        if fault and (number == 0 or "is not in" not in fault):  # a bundle may leave out all but the first
            raise missing_library_error(fault) or SpanlightError(f"{fault.rstrip('.')}.")


def _try_pictures() -> None:
    kinds = {bytes(kind.data()).decode() for kind in QImageReader.supportedImageFormats()}
    lacking = {"svg", "png"} - kinds
    require(not lacking, f"Qt reads no {' and no '.join(sorted(lacking))}.")


def _try_theme(resources: Path) -> None:
    theme = Theme(resources)
    names = sorted(file.stem for file in (resources / "icons").glob("*.svg"))
    require(bool(names), f"There are no icons in {resources}.")
    for look in ("light", "dark"):
        theme.choose(look)
        for name in names:
            picture = theme.icon(name).pixmap(24, 24).toImage()
            require(_colours(picture, 1) > 1, f"The icon {name} is empty in the {look} theme.")
    for file in (resources / "icons").glob("*.svg"):  # as the style sheet uses them
        require(not QImage(str(file)).isNull(), f"Qt cannot read {file.name}.")
    theme.deleteLater()


def _try_second(application: QApplication, folder: Path) -> None:
    received: list[list[Path]] = []
    answers: list[Answer] = []
    claim = Claim(name_of(folder))  # where any window listens
    first = OneWindow(claim)
    first.requested.connect(lambda files, token: received.append(files))
    require(first.listening, "The first window does not listen.")
    file = folder / "a.pdf"
    second = threading.Thread(target=lambda: answers.append(hand_over(claim.name, [file])), daemon=True)
    second.start()
    _wait(application, lambda: bool(answers))
    first.close()
    claim.release()
    for place in (Path(claim.name).parent, Path(tempfile.gettempdir())):
        (place / f"{Path(claim.name).name}.lock").unlink(missing_ok=True)
    require(answers == [Answer.TAKEN] and received == [[file]], "Its files did not come.")


def _try_main(application: QApplication, workspace: Workspace) -> None:
    window = open_window(workspace)
    painted: list[bool] = []
    # What the window begins once it is painted is tried elsewhere.
    window.painted.first.disconnect()
    window.painted.first.connect(lambda: painted.append(True))
    _wait(application, lambda: bool(painted))
    require(bool(painted), "It was not painted.")
    require(_colours(window.grab().toImage(), 7) > _COLOURS, "It is empty.")
    for place in PAGES:  # not shown in the window, where each would load its model
        page = make_page(place.key, workspace, window.theme, window.lanes, window.libraries)
        page.resize(window.size())
        require(_colours(page.grab().toImage(), 7) > _COLOURS, f"The page {place.title} is empty.")
        page.deleteLater()
    window.close()


def _colours(picture: QImage, step: int) -> int:
    across, down = range(0, picture.width(), step), range(0, picture.height(), step)
    return len({picture.pixel(x, y) for x in across for y in down})


def _wait(application: QApplication, done: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not done() and time.monotonic() < end:
        application.processEvents()
        time.sleep(0.002)
