"""The window's part of the check, in a process of its own, with few imports at its start.

Qt's platform plugin without a screen is used, whatever the desktop has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.core.report import Report
    from app.flows.check.trial import WindowTrial


def start_window() -> Callable[[WindowTrial, Report], dict[str, str]]:
    """Create the handler of WindowTrials, which returns versions; called in that process only."""
    from app.ui.window.checked import try_window

    return try_window
