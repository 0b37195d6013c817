"""Finds the reading order of lines in right-to-left scripts from the characters' positions.

A simplified inverse of the Unicode Bidirectional Algorithm (UAX #9): levels are found for the characters from left to
right as they are drawn, and rule L2's reversal, which is its own inverse, gives the reading order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from app.documents.pdf.characters import Sheet, Word
from app.documents.pdf.geometry import level_sides

_OPENING, _CLOSING = "([{", ")]}"
_SEPARATORS = frozenset(".,:/-–+%")
# In em: the least gap between two characters that is a blank.
_BLANK = 0.12


def logical_words(words: list[Word], sheet: Sheet, fixes: dict[int, str]) -> list[Word]:
    """The words of a line with right-to-left letters, in reading order; other lines unchanged.

    Corrections of brackets that are the wrong way round are put into `fixes`, by their number on the page.
    """
    characters = sheet.characters
    if not any(_side(characters[each]) == "R" for word in words for each in range(word.first, word.last)):
        return words
    visual = _with_blanks(_visual(words, characters, sheet.boxes), words, sheet.boxes)
    letters = [characters[each] if each >= 0 else " " for each in visual]
    order = _reordered(_levels([_side(each) for each in letters], letters))
    ordered = _in_words([visual[each] for each in order], words)
    _turn_brackets(ordered, characters, fixes)
    return ordered


def _side(character: str) -> str:
    """R for a right-to-left letter, L for a left-to-right one, N for a digit, and M for a mark."""
    kind = unicodedata.bidirectional(character)
    if kind in ("R", "AL"):
        return "R"
    return {"L": "L", "EN": "N", "AN": "N", "NSM": "M"}.get(kind, "")


def _visual(words: Sequence[Word], characters: str, boxes: Sequence[float]) -> list[int]:
    """A line's characters from left to right as they are drawn, marks to the left of their letter.

    The engine reverses the order of right-to-left characters that are drawn at one place.
    """
    quarter = words[0].quarter
    places = [each for word in words for each in range(word.first, word.last)]
    centres = {each: sum(_sides(boxes, each, quarter)) / 2 for each in places}
    for before, each in pairwise(places):
        if _side(characters[each]) == "M" and _side(characters[before]) in ("R", "M"):
            centres[each] = centres[before] - 0.01
    return sorted(places, key=lambda each: centres[each])


def _with_blanks(visual: Sequence[int], words: Sequence[Word], boxes: Sequence[float]) -> list[int]:
    """The characters from left to right, with -1 for each gap that is a blank."""
    quarter, size = words[0].quarter, max(word.size for word in words)
    spaced: list[int] = []
    reached = float("inf")
    for each in visual:
        left, right = _sides(boxes, each, quarter)
        if left - reached > _BLANK * size:
            spaced.append(-1)
        reached = max(right, reached) if spaced else right
        spaced.append(each)
    return spaced


def _sides(boxes: Sequence[float], place: int, quarter: int) -> tuple[float, float]:
    """A character's left and right edges in the frame in which its line is level."""
    left, top, right, bottom = boxes[4 * place : 4 * place + 4]
    return level_sides(left, top, right, bottom, quarter)


def _levels(sides: list[str], characters: list[str]) -> list[int]:
    """The embedding levels of a line of base level 1: 1 for right to left, 2 for left to right and for numbers."""
    count = len(sides)
    levels = [1] * count
    place = 0
    while place < count:
        if sides[place] not in ("L", "N"):
            place += 1
            continue
        end = last = place
        latin, depth = False, 0
        while end < count and sides[end] != "R":
            depth += (characters[end] in _OPENING) - (characters[end] in _CLOSING)
            if depth < 0:
                break  # its opening bracket is before the run
            latin = latin or sides[end] == "L"
            if sides[end] in ("L", "N"):
                # Two numbers are only connected by separators, letters by anything.
                between = characters[last + 1 : end]
                if end > last + 1 and not latin and not _SEPARATORS.issuperset(between):
                    break
                last = end
            end += 1
        levels[place : last + 1] = [2] * (last + 1 - place)
        place = last + 1
    return levels


def _reordered(levels: list[int]) -> list[int]:
    """The indices of the levels, which are from left to right, in reading order (rule L2)."""
    order = list(range(len(levels)))[::-1]
    place = 0
    while place < len(order):
        end = place
        while end < len(order) and levels[order[end]] == 2:
            end += 1
        order[place:end] = order[place:end][::-1]
        place = max(end, place + 1)
    return order


def _in_words(places: Sequence[int], words: Sequence[Word]) -> list[Word]:
    """Words made of characters in reading order, which -1 separates, with the styles of the words they come from."""
    style = {each: word for word in words for each in range(word.first, word.last)}
    ordered: list[Word] = []
    gap = True
    for each in places:
        if each < 0:
            gap = True
            continue
        if gap:
            ordered.append(replace(style[each], gap=bool(ordered), order=[]))
            gap = False
        own = ordered[-1].order
        assert own is not None
        own.append(each)
    return ordered


def _turn_brackets(words: Sequence[Word], characters: str, fixes: dict[int, str]) -> None:
    """Reverse brackets that do not match, if the blanks around them show which way they open."""
    places = [each for word in words for each in word.characters()]
    brackets = [each for each in places if characters[each] in _OPENING + _CLOSING]
    if not brackets or _is_nested("".join(characters[each] for each in brackets)):
        return
    firsts = {word.characters()[0] for word in words}
    depth = 0
    for each in brackets:
        character = characters[each]
        kind = max(_OPENING.find(character), _CLOSING.find(character))
        opens = each in firsts or depth == 0
        depth += 1 if opens else -1
        fixes[each] = (_OPENING if opens else _CLOSING)[kind]


def _is_nested(brackets: str) -> bool:
    awaited: list[str] = []
    for each in brackets:
        if each in _OPENING:
            awaited.append(_CLOSING[_OPENING.index(each)])
        elif not awaited or awaited.pop() != each:
            return False
    return not awaited
