"""Languages made up to test by: every text of the window in them is told from any that was not translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtWidgets import QApplication

_LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGER = str.maketrans(_LATIN, "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŹ")
_RIGHT_TO_LEFT = str.maketrans(_LATIN, ("אבגדהוזחטיכלמנסעפצקרשתםןףץ" * 2)[: len(_LATIN)])
_FIELDS = re.compile(r"(\{[^}]*\})")


class Pseudo(QTranslator):
    """Every text in ⟦ ⟧ and other letters, with its values: as English, 40 % longer, or written from right to left."""

    def __init__(self, *, right_to_left: bool) -> None:
        super().__init__()
        self._letters = _RIGHT_TO_LEFT if right_to_left else _LONGER
        self._longer = not right_to_left

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        if context:  # Qt's own
            return None
        source = disambiguation if disambiguation and n not in (-1, 1) else source
        parts = _FIELDS.split(source)
        words = "".join(part if at % 2 else part.translate(self._letters) for at, part in enumerate(parts))
        longer = len(_FIELDS.sub("", source)) * 2 // 5 if self._longer else 0
        return f"⟦{words}{(' ~~~~~' * longer)[:longer].rstrip()}⟧"


@contextmanager
def pseudo_language(*, right_to_left: bool = False) -> Iterator[None]:
    """The made-up language for as long as this is open."""
    application = QCoreApplication.instance()
    assert isinstance(application, QApplication)
    translator = Pseudo(right_to_left=right_to_left)
    application.installTranslator(translator)
    if right_to_left:
        application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    application.removeTranslator(translator)
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def untranslated(text: str) -> str:
    """What of a text stands outside of any ⟦ ⟧; a translated text may hold values, as a file's name."""
    depth, left = 0, []
    for character in text:
        if character == "⟦":
            depth += 1
        elif character == "⟧":
            depth -= 1
        elif depth <= 0:
            left.append(character)
    return "".join(left)
