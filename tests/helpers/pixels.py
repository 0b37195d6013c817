"""The pixels of a scroll area that have a colour of its theme."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea

from app.ui.kit.theme import Theme


def coloured(area: QAbstractScrollArea, theme: Theme, role: str) -> list[tuple[int, int]]:
    """The pixels (x, y) of the viewport that have the colour of a role."""
    image = area.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rgb = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    ys, xs = np.nonzero((rgb & 0xFFFFFF) == (theme.colour(role).rgb() & 0xFFFFFF))
    return list(zip(xs.tolist(), ys.tolist(), strict=True))
