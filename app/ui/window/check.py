"""The entry point of the process in which the self-check tries the window; it imports little itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.core.report import Report
    from app.flows.check.trial import WindowTrial


def start_window() -> Callable[[WindowTrial, Report], dict[str, str]]:
    """Return the handler of WindowTrials, which returns Qt's versions; called in that process only."""
    from app.ui.window.trials import try_window

    return try_window
