"""Every page in a language made up for this: nothing of it is left in English, and nothing is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.ui.window.window import MainWindow
from tests.helpers.accessible import cut_off, nodes
from tests.helpers.furnished import FurnishedEngine, furnish, places
from tests.helpers.pseudo import pseudo_language, untranslated
from tests.helpers.windows import FakeEngine

# What stands in no language of the window: names, the texts that are read, keys, terms of the field.
DATA = re.compile("|".join(("Spanlight",)))


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FurnishedEngine()


@pytest.fixture(scope="module", params=["longer", "right to left"])
def language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    with pseudo_language(right_to_left=request.param == "right to left"):
        yield request.param


@pytest.fixture(scope="module")
def furnished(
    language: str, shared_window: MainWindow, tmp_path_factory: pytest.TempPathFactory
) -> MainWindow:
    furnish(shared_window, tmp_path_factory.mktemp("files"))
    return shared_window


def texts(page: QWidget) -> Iterator[tuple[str, str]]:
    """What is seen and told of a page, with where it is."""
    for node in nodes(page):
        for text in (node.name, node.description):
            yield node.path, text
    for one in page.findChildren(QWidget):
        if one.isVisible():
            yield f"tip of {type(one).__name__}", one.toolTip()
            if isinstance(one, QLabel):
                yield "label", one.text()


def english(page: QWidget) -> Iterator[str]:
    """What of a page is in English."""
    for path, text in texts(page):
        if re.search(r"[A-Za-z]{3,}", DATA.sub("", untranslated(text))):
            yield f"{path}: {text[:120]}"


@pytest.mark.timeout(300)
def test_all_is_translated_and_nothing_is_cut(furnished: MainWindow, qtbot: QtBot) -> None:
    faults = []
    for name, page in places(furnished):
        furnished.setMinimumSize(0, 0)
        furnished.resize(1024, 640)
        qtbot.wait(20)
        found = [*english(page), *cut_off(page)]
        faults += [f"{name}: {fault}" for fault in dict.fromkeys(found)]
    assert not faults, "\n" + "\n".join(faults)
