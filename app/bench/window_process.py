"""Measures the event loop of the real window while it is used: `python -m app.bench.window_process ORDER.json`.

The order (`Order`) is a JSON file; the result goes to standard output as one JSON object. The caller sets
SPANLIGHT_HOME, so that the user's own data is not touched. Without an order a bare event loop is measured, for the gaps
that the system causes in an idle process: each line of standard input names the phase from then on, and the end of the
input ends the process.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.bench.gaps import Heartbeat, longest, percentile
from app.bench.person import Order, Person
from app.core.models import Head
from app.flows.workspace import open_workspace
from app.settings.paths import default_paths
from app.ui.window.start import make_application, open_window


def measure(order: Order) -> dict[str, Any]:
    """Carry out an order in a window; returns the gaps by phase in milliseconds, and other results."""
    workspace = open_workspace(default_paths())
    workspace.settings.welcomed = True
    workspace.settings.models[str(Head.QUESTION_ANSWERING)] = order.model
    if order.device:
        workspace.settings.device = order.device
    make_application(workspace)
    window = open_window(workspace)
    person = Person(window, order)
    heart = Heartbeat(QObject(window), person.beat)
    person.begin(heart)
    QApplication.exec()
    heart.stop()
    window.close()
    outcome = {"late": person.late, "stopped": person.stopped, "platform": QGuiApplication.platformName()}
    return gap_figures(heart) | outcome | person.facts


def gap_figures(heart: Heartbeat) -> dict[str, Any]:
    """Return each phase's duration, longest gap, most work in a gap, 99th percentile, and longest gaps."""
    return {
        "phases": {
            phase: {
                "seconds": sum(gaps) / 1000,
                "longest": longest(gaps),
                "work": longest(heart.work[phase]),
                "p99": percentile(gaps, 0.99),
                "longer": sorted((gap for gap in gaps if gap > 15.0), reverse=True)[:20],
            }
            for phase, gaps in heart.gaps.items()
            if phase
        }
    }


def measure_bare() -> dict[str, Any]:
    """Measure the gaps of an idle event loop, by the phases that standard input names."""
    application = QApplication([])
    named: deque[str] = deque()
    heart = Heartbeat(application)

    def follow() -> None:
        while named:
            phase = named.popleft()
            heart.begin(phase)
            if not phase:
                application.exit()

    heart.watched = follow

    def listen() -> None:
        for line in iter(sys.stdin.readline, ""):
            if line.strip():
                named.append(line.strip())
        named.append("")

    threading.Thread(target=listen, daemon=True).start()
    application.exec()
    heart.stop()
    return gap_figures(heart)


def main(argv: list[str]) -> int:
    """Carry out the order in a file, or without one measure a bare event loop, and print the result."""
    if not argv:
        print(json.dumps(measure_bare()))
        return 0
    fields = json.loads(Path(argv[0]).read_text("utf-8"))
    order = Order(**(fields | {"questions": tuple(fields["questions"])}))
    print(json.dumps(measure(order) | {"order": asdict(order)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
