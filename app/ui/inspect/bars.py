"""The bar of buttons under every chart of a section."""

from __future__ import annotations

from app.ui.inspect.charts.export import ChartBar, Figures
from app.ui.inspect.section import Section


def bar_of(section: Section, chart: Figures) -> ChartBar:
    """The bar that copies and saves a chart or another widget with numbers, connected to its section."""
    bar = ChartBar(section.theme, chart)
    bar.save_asked.connect(section.save_asked)
    bar.note.connect(section.note)
    return bar
