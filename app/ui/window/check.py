"""The window's side of the check, in a process of its own: begins with no more than its name.

The platform plugin for no screen at all is taken, whatever the desktop has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.core.checks import WindowTrial
    from app.core.report import Report


def start_window() -> Callable[[WindowTrial, Report], dict[str, str]]:
    """Make the handler of WindowTrials, which gives versions; called in that process only."""
    from app.ui.window.checked import try_window

    return try_window
