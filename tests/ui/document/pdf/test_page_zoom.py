"""The zoom of pages: fitted, in steps, and by wheel and gestures."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.ui.document.pdf.page_desk import ACTUAL, LEAST, MOST, fit_width_zoom, stepped, zoom_of


def wheel(turn: int, modifiers: Qt.KeyboardModifier) -> QWheelEvent:
    return QWheelEvent(
        QPointF(30, 40), QPointF(30, 40), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip


def test_most_pages_fill_the_width_within_bounds() -> None:
    pages = [(600.0, 800.0)] * 9 + [(1200.0, 600.0)]
    assert fit_width_zoom(pages, 600 * ACTUAL, 1.0) == pytest.approx(1.0)
    assert fit_width_zoom(pages, 6000, 1.0) == pytest.approx(1.25)
    assert fit_width_zoom(pages, 6000, 1.5) == pytest.approx(1.875)
    assert fit_width_zoom(pages, 1, 1.0) == LEAST
    assert LEAST <= fit_width_zoom([], 500, 1.0) <= MOST


def test_steps_go_up_and_down_again() -> None:
    zoom, seen = LEAST, [LEAST]
    while zoom < MOST:
        zoom = stepped(zoom, up=True)
        seen.append(zoom)
    assert seen == sorted(set(seen)) and 1.0 in seen
    back = [zoom]
    while zoom > LEAST:
        zoom = stepped(zoom, up=False)
        back.append(zoom)
    assert back == seen[::-1]
    assert stepped(0.97, up=True) == 1.0 and stepped(1.03, up=False) == 1.0
    assert stepped(MOST, up=True) == MOST and stepped(LEAST, up=False) == LEAST


def test_ctrl_and_the_wheel_zoom_at_the_pointer(qapp: QApplication) -> None:
    control, none = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
    asked = zoom_of(wheel(120, control))
    assert asked is not None and asked[0] > 1 and asked[1] == QPointF(30, 40)
    back = zoom_of(wheel(-120, control))
    assert back is not None and back[0] * asked[0] == pytest.approx(1)
    fine = zoom_of(wheel(30, control))
    assert fine is not None and 1 < fine[0] < asked[0]
    assert zoom_of(wheel(120, none)) is None
    assert zoom_of(QEvent(QEvent.Type.Enter)) is None


@pytest.mark.parametrize(
    ("kind", "value", "factor"),
    [
        (Qt.NativeGestureType.ZoomNativeGesture, 0.05, 1.05),
        (Qt.NativeGestureType.ZoomNativeGesture, -0.05, 0.95),
        (Qt.NativeGestureType.RotateNativeGesture, 0.05, None),
    ],
)
def test_two_fingers_on_a_trackpad_zoom(
    qapp: QApplication, kind: Qt.NativeGestureType, value: float, factor: float | None
) -> None:
    place = QPointF(50, 60)
    event = QNativeGestureEvent(
        kind, QPointingDevice.primaryPointingDevice(), 2, place, place, place, value, QPointF()
    )
    asked = zoom_of(event)
    assert (asked and asked[0]) == (pytest.approx(factor) if factor else None)
    assert asked is None or asked[1] == place
