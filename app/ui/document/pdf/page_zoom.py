"""How large pages are shown: fitted to the width, or at a size that a person chose."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QGesture, QGestureEvent, QPinchGesture

# Pixels for a point at the size that a page has on paper: 96 pixels and 72 points to an inch.
ACTUAL = 96 / 72
LEAST, MOST = 0.1, 8.0
# Fitted pages are no larger than this: a wider line is harder to read, and the desk stays in sight.
_WIDEST = 1.25
_STEPS = (0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_WHEEL = 1.1
_LEAST_PINCH = 0.2


def fitted(sizes: Sequence[tuple[float, float]], room: float, text_scale: float) -> float:
    """The zoom at which most pages fill a width in pixels, 1 being the size on paper, within readable bounds."""
    usual = median(width for width, _ in sizes) if sizes else 1.0
    return min(max(room / (max(1.0, usual) * ACTUAL), LEAST), _WIDEST * max(1.0, text_scale))


def stepped(zoom: float, up: bool) -> float:
    """The next of the usual zooms above or below one."""
    if up:
        return next((step for step in _STEPS if step > zoom * 1.01), MOST)
    return next((step for step in reversed(_STEPS) if step < zoom * 0.99), LEAST)


def zoom_asked(event: QEvent) -> tuple[float, QPointF] | None:
    """By which factor an event zooms, and around which place of its widget; None where it does not.

    Ctrl and the wheel, or two fingers moved apart on a trackpad or a touch screen.
    """
    if isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return float(_WHEEL ** (event.angleDelta().y() / 120)), event.position()
    if isinstance(event, QNativeGestureEvent):
        if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            return max(_LEAST_PINCH, 1.0 + event.value()), event.position()
        return None
    if isinstance(event, QGestureEvent):
        pinch: QGesture | None = event.gesture(Qt.GestureType.PinchGesture)
        if isinstance(pinch, QPinchGesture) and pinch.scaleFactor() > 0:
            event.accept(pinch)
            return pinch.scaleFactor(), QPointF(event.widget().mapFromGlobal(pinch.centerPoint().toPoint()))
    return None
