"""The window's pages, in the order of the rail; a page's module is imported when it is first shown."""

from __future__ import annotations

from typing import NamedTuple

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.libraries import Libraries
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme

LAB, FOOT = Message("Lab"), "foot"


class Place(NamedTuple):
    """A page on the rail: its `group` is empty for the first group, LAB, or FOOT for the rail's foot."""

    key: str
    title: str
    icon: str
    group: str = ""


def keys_of(at: int, key: str) -> str:
    """Return the shortcut of the page at a position on the rail, from 1; empty without one."""
    return "Ctrl+," if key == "settings" else f"Ctrl+{at}" if at < 10 else ""


PAGES = (
    Place("ask", Message("Ask"), "ask"),
    Place("table", Message("Table"), "table"),
    Place("classify", Message("Classify"), "classify"),
    Place("names", Message("Names"), "names"),
    Place("teach", Message("Teach"), "teach"),
    Place("fill", Message("Fill in"), "fill", LAB),
    Place("follow", Message("Next sentence"), "follow", LAB),
    Place("inspect", Message("Look inside"), "inspect", LAB),
    Place("history", Message("History"), "history", FOOT),
    Place("models", Message("Models"), "models", FOOT),
    Place("settings", Message("Settings"), "settings", FOOT),
)
# Pages that are reached from others, each with the page that the rail then shows as chosen.
APART = {"about": "settings"}
KEYS = (*(place.key for place in PAGES), *APART)


def make_page(key: str, workspace: Workspace, theme: Theme, lanes: Lanes, libraries: Libraries) -> Page:
    """Create the page with one of KEYS."""
    View: type[Page]  # noqa: N806, it is a class
    match key:
        case "ask":
            from app.ui.ask.ask import AskView

            return AskView(workspace, theme, lanes, libraries)
        case "table":
            from app.ui.table.table import TableView

            return TableView(workspace, theme, lanes, libraries)
        case "classify":
            from app.ui.heads.classify.classify import ClassifyView as View
        case "names":
            from app.ui.heads.names.names import NamesView as View
        case "teach":
            from app.ui.teach.teach import TeachView as View
        case "fill":
            from app.ui.heads.fill.fill import FillView as View
        case "follow":
            from app.ui.heads.next.follow import FollowView as View
        case "inspect":
            from app.ui.inspect.page import InspectView as View
        case "history":
            from app.ui.history.history import HistoryView as View
        case "models":
            from app.ui.models.page import ModelsView as View
        case "settings":
            from app.ui.settings.settings import SettingsView as View
        case "about":
            from app.ui.about.page import AboutView as View
        case _:
            raise ValueError(f"no page {key}")
    return View(workspace, theme, lanes)
