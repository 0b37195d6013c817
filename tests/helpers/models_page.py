"""The Models page over real flows: a home of its own, small models, and a Hub on this computer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pytestqt.qtbot import QtBot

from app.core.models import Head
from app.flows.workspace import Workspace, open_workspace
from app.settings import settings as settings_file
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import Section
from app.ui.kit.theme import Theme
from app.ui.models.installed import InstalledSection
from app.ui.models.offered import OfferedSection
from app.ui.models.page import ModelsView
from tests.helpers.small_models import small_checkpoint

SectionT = TypeVar("SectionT", bound=Section)


@dataclass
class Opened:
    """An opened page with everything around it."""

    page: ModelsView
    workspace: Workspace
    lanes: Lanes
    qtbot: QtBot

    def settle(self) -> None:
        """Wait until what is read from files is there."""
        self.qtbot.waitUntil(lambda: self.lanes.files.idle)

    def installed(self) -> InstalledSection:
        """The section of installed models, up and filled."""
        self.page.show_section("installed")
        self.settle()
        section = self.page.section()
        assert isinstance(section, InstalledSection)
        return section

    def offered(self) -> OfferedSection:
        """The section of models that can be had, up and filled."""
        self.page.show_section("offered")
        self.settle()
        section = self.page.section()
        assert isinstance(section, OfferedSection)
        return section

    def choose(self, title: str) -> InstalledSection:
        """Choose an installed model as a person does."""
        section = self.installed()
        row = next(row for row in section.list.rows() if row.title == title)
        at = section.list.rows().index(row)
        section.list.setCurrentIndex(section.list.model().index(at, 0))
        return section

    def look_up(self, repository: str) -> OfferedSection:
        """Type a repository's name and press the button."""
        section = self.offered()
        section.repository.line.setText(repository)
        section.repository.button.click()
        section.sheet.button.click()
        self.qtbot.waitUntil(lambda: section.sheet.strip.isHidden(), timeout=30_000)
        return section


def open_models(qtbot: QtBot, lanes: Lanes) -> Opened:
    """The page, as large as in a usual window."""
    workspace = open_workspace()
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    page = ModelsView(workspace, theme, lanes)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.shown()
    opened = Opened(page, workspace, lanes, qtbot)
    opened.settle()
    return opened


def open_section(
    kind: Callable[[Workspace, Theme, Lanes], SectionT], workspace: Workspace, qtbot: QtBot
) -> SectionT:
    """One section of the page by itself, up, with lanes of its own that the test closes."""
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    section = kind(workspace, theme, Lanes())
    qtbot.addWidget(section)
    section.resize(900, 800)
    section.show()
    section.shown()
    return section


def saved(section: Section) -> settings_file.Settings:
    """The settings as the file has them now."""
    return settings_file.load(section.workspace.paths.settings_file)


def put_model(workspace_models: Path, name: str, head: Head = Head.QUESTION_ANSWERING) -> Path:
    """A small model put by hand among the installed ones."""
    folder = workspace_models / name
    small_checkpoint(folder, head=head)
    return folder
