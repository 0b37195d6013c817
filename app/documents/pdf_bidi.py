"""Lines of scripts written from right to left: the order of reading, found from where the characters stand.

A simplified inverse of the Unicode Bidirectional Algorithm (UAX #9): levels are found for the characters from left to
right as they are drawn, and rule L2's reversal, which is its own inverse, gives the order of reading.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence

from app.documents.pdf_characters import Sheet, Word

_OPENING, _CLOSING = "([{", ")]}"
_SEPARATORS = frozenset(".,:/-–+%")


def logical_words(words: list[Word], sheet: Sheet, fixes: dict[int, str]) -> list[Word]:
    """The words of a line that has letters from right to left, in the order of reading; others as they are.

    Brackets that stand the wrong way round are put into `fixes`, by their place on the page.
    """
    characters, boxes = sheet.characters, sheet.boxes
    if not any(_side(characters[each]) == "R" for word in words for each in word.characters()):
        return words
    quarter = words[0].quarter
    centres = {each: _centre(boxes, each, quarter) for word in words for each in range(word.first, word.last)}
    visual: list[int] = []
    starts = set()
    for word in sorted(words, key=lambda each: each.left):
        starts.add(len(visual))
        visual += _visual(word, characters, centres)
    levels = _levels([_side(characters[each]) for each in visual], [characters[each] for each in visual])
    order = _reordered(levels)
    if len(words) == 1:
        starts = {0}
    ordered = _in_words(order, visual, starts, words)
    _turn_brackets(ordered, characters, fixes)
    return ordered


def _centre(boxes: Sequence[float], place: int, quarter: int) -> float:
    left, top, right, bottom = boxes[4 * place : 4 * place + 4]
    return ((left + right) / 2, -(top + bottom) / 2, -(left + right) / 2, (top + bottom) / 2)[quarter]


def _side(character: str) -> str:
    """R for a letter from right to left, L for one from left to right, N for a digit, and M for a mark."""
    kind = unicodedata.bidirectional(character)
    if kind in ("R", "AL"):
        return "R"
    return {"L": "L", "EN": "N", "AN": "N", "NSM": "M"}.get(kind, "")


def _visual(word: Word, characters: str, centres: dict[int, float]) -> list[int]:
    """A word's characters from left to right as they are drawn, marks at the left of the letter they belong to.

    Of characters drawn at one place the engine has turned the order round where they are from right to left.
    """
    places = list(range(word.first, word.last))
    for before, each in itertools.pairwise(places):
        if _side(characters[each]) == "M" and _side(characters[before]) == "R":
            centres[each] = centres[before] - 0.01
    places.sort(key=lambda each: centres[each])
    return places


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
        latin = False
        while end < count and sides[end] != "R":
            latin = latin or sides[end] == "L"
            if sides[end] in ("L", "N"):
                # Between two numbers only separators hold together; between letters anything does.
                between = characters[last + 1 : end]
                if end > last + 1 and not latin and not _SEPARATORS.issuperset(between):
                    break
                last = end
            end += 1
        levels[place : last + 1] = [2] * (last + 1 - place)
        place = last + 1
    return levels


def _reordered(levels: list[int]) -> list[int]:
    """Places from left to right, in the order of reading (rule L2)."""
    order = list(range(len(levels)))[::-1]
    place = 0
    while place < len(order):
        end = place
        while end < len(order) and levels[order[end]] == 2:
            end += 1
        order[place:end] = order[place:end][::-1]
        place = max(end, place + 1)
    return order


def _in_words(order: list[int], visual: list[int], starts: set[int], words: list[Word]) -> list[Word]:
    """Words of the line in the order of reading, each with its characters in that order."""
    number, owner = -1, []
    for place in range(len(visual)):
        number += place in starts
        owner.append(number)
    by_left = sorted(words, key=lambda each: each.left)
    ordered: list[Word] = []
    before = -1
    for place in order:
        own = owner[place]
        model = by_left[own]
        if own == before:
            assert ordered[-1].order is not None
            ordered[-1].order.append(visual[place])
            continue
        gap = before >= 0 and _has_gap(by_left, own, before)
        ordered.append(
            Word(
                model.first,
                model.last,
                model.left,
                model.right,
                model.base,
                model.size,
                model.bold,
                model.quarter,
                gap,
                [visual[place]],
            )
        )
        before = own
    return ordered


def _has_gap(by_left: list[Word], one: int, other: int) -> bool:
    """Whether there is a blank between two words, by their numbers from left to right."""
    if abs(one - other) != 1:
        return True
    left, right = by_left[min(one, other)], by_left[max(one, other)]
    return right.left - left.right > 0.12 * max(left.size, right.size)


def _turn_brackets(words: Sequence[Word], characters: str, fixes: dict[int, str]) -> None:
    """Turn brackets round where they do not match and the blanks around them say which way they open."""
    places = [each for word in words for each in word.characters()]
    brackets = [each for each in places if characters[each] in _OPENING + _CLOSING]
    if not brackets or _is_nested("".join(characters[each] for each in brackets)):
        return
    firsts = {word.characters()[0] for place, word in enumerate(words) if place == 0 or word.gap}
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
