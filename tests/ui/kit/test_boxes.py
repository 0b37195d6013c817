from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.kit.boxes import column, row


def test_parts_stand_in_order_with_their_stretch_and_alignment(theme):
    first, second, third, whole = QLabel("1"), QLabel("2"), QLabel("3"), QWidget()
    inner = row(theme, (first, 2), 1, second, gap=2)
    outer = column(
        theme, inner, (third, 0, Qt.AlignmentFlag.AlignLeft), gap=1, margins=(1, 2, 3, 4), parent=whole
    )
    assert [inner.itemAt(number).widget() for number in range(inner.count())] == [first, None, second]
    assert [inner.stretch(number) for number in range(inner.count())] == [2, 1, 0]
    assert outer.itemAt(0).layout() is inner
    assert outer.itemAt(1).alignment() == Qt.AlignmentFlag.AlignLeft
    assert whole.layout() is outer and third.parentWidget() is whole


def test_lengths_follow_the_text_size(theme):
    whole = QWidget()
    box = column(theme, QLabel("1"), gap=2, margins=(1, 2, 3, 4), parent=whole)
    step = theme.step(4)
    assert (box.spacing(), box.contentsMargins().bottom()) == (theme.step(2), step)
    theme.choose("light", 2.0)
    assert (box.spacing(), box.contentsMargins().bottom()) == (theme.step(2), theme.step(4))
    assert theme.step(4) > step
