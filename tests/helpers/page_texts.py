"""Pages of characters as a PDF gives them, made up for tests."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.layout import PageText
from app.core.page_runs import characters_in
from app.core.pages import PagePlace
from app.core.text import Span

Shape = tuple[float, float, float, float]
NOWHERE: Shape = (0.0, 0.0, 0.0, 0.0)


@dataclass
class PageMaker:
    """Puts characters on a page one after the other, and what reading made of each into its text."""

    start: int = 0
    characters: list[str] = field(default_factory=list)
    boxes: list[float] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    index: list[int] = field(default_factory=list)

    def put(self, character: str, box: Shape = NOWHERE, read: str | None = None) -> None:
        """A character of the page; `read` is what stands for it in the text, the character itself unless told."""
        for code_point in character if read is None else read:
            self.text.append(code_point)
            self.index.append(len(self.characters))
        self.characters.append(character)
        self.boxes.extend(box)

    def insert(self, text: str) -> None:
        """What reading puts in without a character for it."""
        self.text.extend(text)
        self.index.extend([-1] * len(text))

    def line(self, words: str, left: float, top: float, size: float = 10) -> None:
        """A line of characters, each 0.6 of the size wide and 1.2 high; blanks take no room of their own."""
        for at, letter in enumerate(words):
            near = left + 0.6 * size * at
            self.put(letter, NOWHERE if letter == " " else (near, top, near + 0.6 * size, top + 1.2 * size))

    def end_line(self, read: str = "\n") -> None:
        """The two characters that the engine puts at the end of a line, read as `read`."""
        self.put("\r", read="")
        self.put("\n", read="")
        self.insert(read)

    def page(self, doubtful: frozenset[int] = frozenset()) -> PageText:
        """The page as made so far."""
        return PageText(
            600,
            800,
            Span(self.start, self.start + len(self.text)),
            "".join(self.characters),
            array("f", self.boxes),
            array("i", self.index),
            doubtful,
        )


def text_of(*makers: PageMaker) -> str:
    """The text of the pages one behind the other."""
    return "".join("".join(maker.text) for maker in makers)


def characters_under(pages: Sequence[PageText], places: Sequence[PagePlace]) -> str:
    """The page's characters in boxes: those whose middle is in them, by box and by number.

    Characters that are not consecutive in the page's own order are separated by one blank.
    """
    pieces: list[str] = []
    for place in places:
        page = pages[place.page]
        numbers = list(
            dict.fromkeys(number for found in characters_in(page, place.boxes) for number in found)
        )
        for before, number in zip([-2, *numbers], numbers, strict=False):
            if number != before + 1:
                pieces.append(" ")
            pieces.append(page.characters[number])
    return "".join(pieces).strip()
