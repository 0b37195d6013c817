"""Pages are drawn pixel for pixel, even where a unit of the window is not a whole number of the screen's pixels."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import ROOT

# Noise on a page in a pane that begins at an odd place of its window: any resampling would change it.
SCRIPT = """
import random, sys
from pathlib import Path
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from app.core.layout import Kind, Opened, PageText, Picture
from app.core.text import Document, Span
from app.ui.kit.theme import Theme
from app.ui.document.pdf.page_pane import PagePane
app = QApplication([])
theme = Theme(Path("resources"))
theme.choose("light")
window = QWidget()
column = QVBoxLayout(window)
column.setContentsMargins(15, 7, 3, 3)
pane = PagePane(theme)
column.addWidget(pane)
window.resize(803, 701)
chance = random.Random(3)
def draw(wanted):
    page, scale, left, top, width, height = wanted[0] if wanted else (0,) * 6
    if wanted:
        pane.take_picture(page, scale, left, top, Picture(width, height, chance.randbytes(width * height * 4)))
pane.pictures_wanted.connect(draw)
window.show()
pane.show_document(Opened(Document(""), Kind.PDF, pages=(PageText(595.28, 841.89, Span(0, 0)),) * 3))
pane.map.setValue(37)
pane._request_pictures()
ratio = window.devicePixelRatioF()
shown = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
rect, view = pane._stack.rect(0), pane.view()
sharp = [tile for tile in pane._shelf._cached if tile.scale == pane._stack.scale]
tile = next(tile for tile in sharp if tile.page == 0 and tile.top == 0)
corner = pane.viewport().mapTo(window, pane.viewport().rect().topLeft())
x = round(corner.x() * ratio) + rect.x() - view.x() + 40
y = round(corner.y() * ratio) + rect.y() - view.y() + 120
picture = pane._shelf.image(tile).copy(40, 120, 400, 300)
assert ratio == float(sys.argv[1]), ratio
assert shown.copy(x, y, 400, 300) == picture
print("the same pixels")
"""


def test_what_was_drawn_is_what_is_shown_between_whole_pixels() -> None:
    ratio = "1.25"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, ratio],
        cwd=ROOT,
        env=os.environ | {"QT_SCALE_FACTOR": ratio, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "the same pixels", done.stderr
