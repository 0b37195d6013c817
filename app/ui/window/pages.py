"""The window's pages, in the order of the rail; a page's module is imported when it is first shown."""

from __future__ import annotations

from collections.abc import Callable

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme


def make_ask(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page for questions about documents."""
    from app.ui.ask.ask import AskView

    return AskView(workspace, theme, lanes)


def make_classify(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page where texts are classified."""
    from app.ui.heads.classify.classify import ClassifyView

    return ClassifyView(workspace, theme, lanes)


def make_fill(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page where blanks in a text are filled."""
    from app.ui.heads.fill.fill import FillView

    return FillView(workspace, theme, lanes)


def make_follow(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page on whether one passage continues another."""
    from app.ui.heads.next.follow import FollowView

    return FollowView(workspace, theme, lanes)


def make_names(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page where names in a text are found."""
    from app.ui.heads.names.names import NamesView

    return NamesView(workspace, theme, lanes)


def make_inspect(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page that shows the inside of a model."""
    from app.ui.inspect.page import InspectView

    return InspectView(workspace, theme, lanes)


def make_history(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page with the history."""
    from app.ui.history.history import HistoryView

    return HistoryView(workspace, theme, lanes)


def make_models(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page where models are downloaded, measured and chosen."""
    from app.ui.models.page import ModelsView

    return ModelsView(workspace, theme, lanes)


def make_settings(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The page with the settings."""
    from app.ui.settings.settings import SettingsView

    return SettingsView(workspace, theme, lanes)


def make_about(workspace: Workspace, theme: Theme, lanes: Lanes) -> Page:
    """The About page, which is not on the rail."""
    from app.ui.about.page import AboutView

    return AboutView(workspace, theme, lanes)


Make = Callable[[Workspace, Theme, Lanes], Page]
# Key, name on the rail, icon, whether at the bottom, and its factory: a page is created when it is first shown.
PAGES: tuple[tuple[str, str, str, bool, Make], ...] = (
    ("ask", "Ask", "ask", False, make_ask),
    ("classify", "Classify", "classify", False, make_classify),
    ("fill", "Fill in", "fill", False, make_fill),
    ("follow", "Follow on", "follow", False, make_follow),
    ("names", "Find names", "names", False, make_names),
    ("inspect", "Look inside", "inspect", False, make_inspect),
    ("history", "History", "history", True, make_history),
    ("models", "Models", "models", True, make_models),
    ("settings", "Settings", "settings", True, make_settings),
)
# Pages that are reached from others, each with the one that is then marked on the rail.
APART: dict[str, tuple[str, Make]] = {"about": ("settings", make_about)}


def maker(key: str) -> Make | None:
    """The factory of a page; None for an unknown key."""
    if key in APART:
        return APART[key][1]
    return next((make for name, _, _, _, make in PAGES if name == key), None)
