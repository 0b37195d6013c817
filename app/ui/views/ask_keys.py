"""What the keyboard does on the Ask page."""

from __future__ import annotations

from app.ui.views.finding import IN_FIND_BAR

SHORTCUTS = (
    ("Ctrl+L", "Go to the question"),
    ("Enter", "Ask"),
    ("Esc", "Stop; the best answer so far stays"),
    ("F3", "Next answer"),
    ("Shift+F3", "Previous answer"),
    ("Up, Down", "Earlier questions, in the question's box"),
    ("Ctrl+C", "Copy the answer with its sentence, or what is selected"),
    ("Ctrl+I", "Look inside: how the model came to the answer"),
    ("Ctrl+F", "Find in the text"),
    IN_FIND_BAR,
    ("Ctrl+O", "Open files"),
    ("Ctrl+T", "New text"),
    ("Ctrl+W", "Close the text"),
    ("Ctrl+Shift+T", "Bring a closed text back"),
    ("Ctrl+Tab", "Next text"),
    ("Ctrl++ / Ctrl+- / Ctrl+0", "Larger, smaller, usual size"),
)
