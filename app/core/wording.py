"""Probabilities, places, sizes and times in words, the same in the window and on the command line."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from app.core.legible import legible
from app.core.message import Message

UNNAMED = Message("A text")  # in place of the name of a typed or pasted text
INDEXED_ANEW = Message("files indexed anew")  # files that an older Spanlight indexed
NO_ANSWER = Message("The text does not say.")
NO_ANSWER_IN_PART = Message("No answer in the part that was read.")
NEAREST_WORDS = Message("These are the nearest words, and may not be the answer.")
STOPPED = Message("Stopped")

_LIKELIHOODS = (
    (0.9, Message("Very likely")),
    (0.7, Message("Likely")),
    (0.4, Message("Possibly")),
    (0.15, Message("Unlikely")),
)

# A smaller difference between two probabilities is not worth saying.
_SMALL_DIFFERENCE = 0.05


def likelihood(probability: float) -> str:
    """Return a probability in words, from "Very likely" (0.9 and more) to "Very unlikely" (less than 0.15)."""
    return next((words for least, words in _LIKELIHOODS if probability >= least), Message("Very unlikely"))


def likely(probability: float) -> str:
    """Return a probability in words and as a percentage: "Very likely, 94%"."""
    return Message(
        "{likelihood}, {percent}", likelihood=likelihood(probability), percent=percent(probability)
    )


def best_of(probability: float, no_answer: float) -> str:
    """Return the best answer's probability in words and as a percentage: "Very likely, 94%".

    "Best of several, 23%" if the text probably answers (`no_answer` is the probability that it does not) and only
    which of its words do is uncertain.
    """
    if probability < _LIKELIHOODS[2][0] and no_answer < 0.5:
        return Message("Best of several, {percent}", percent=percent(probability))
    return likely(probability)


def low_confidence(probability: float) -> str:
    """Return the label of words that may or may not be the answer: "Low confidence, 43%"."""
    return Message("Low confidence, {percent}", percent=percent(probability))


def sure_of_both(probability: float, no_answer: float) -> str:
    """Name both the probability that the text answers and that of the best words; empty if they are nearly the same."""
    if 1 - no_answer - probability < _SMALL_DIFFERENCE:
        return ""
    return Message(
        "{text} sure that the text answers, {words} that these words do",
        text=percent(1 - no_answer),
        words=percent(probability),
    )


def without_answer(no_answer: float, *, whole: bool = True) -> tuple[str, str]:
    """Return the sentence for a text that does not answer, and how sure that is (`no_answer`): "94% sure".

    Unless the `whole` text was judged, the sentence is about the part that was read.
    """
    sure = Message("{percent} sure", percent=percent(no_answer))
    return NO_ANSWER if whole else NO_ANSWER_IN_PART, sure


def not_kept(sentence: str) -> str:
    """Say that an answer was not saved in the history, with the error's sentence as the reason."""
    return Message("The answer was not kept. {reason}", reason=sentence)


def read_as(question: str) -> str:
    """Return how a question with slips was read: "Read as “…”"; empty for one that was read as it is typed."""
    return Message("Read as “{question}”", question=question) if question else ""


def stopped_after(share: float | None, *, quick: bool | None = False, how: str = STOPPED) -> str:
    """Say how far a stopped reading got: "Stopped after 34% of the text"; a `share` of None is unknown.

    The share is one of the best passages for a `quick` reading, and of an unknown whole for None. It is not a bare
    number, because the numbers next to it are confidences of answers.
    """
    if share is None:
        return Message("{how} before the end", how=how)
    if not share:
        return Message("{how} at the start", how=how)
    if quick is None:
        return Message("{how} after {percent} of the reading", how=how, percent=percent(share))
    if quick:
        return Message("{how} after {percent} of the best passages", how=how, percent=percent(share))
    return Message("{how} after {percent} of the text", how=how, percent=percent(share))


def best_passages(share: float | None = None) -> str:
    """Say how much a quick reading read: "Only the best passages were read, 8% of the text"; None is unknown."""
    if share is None:
        return Message("Only the best passages were read")
    return Message("Only the best passages were read, {percent} of the text", percent=percent(share))


def page_in_words(number: int, label: str = "") -> str:
    """Name a page by its printed number, and by its number in the file if they differ: "page iv (4 in the file)"."""
    if label in ("", str(number)):
        return Message("page {number:,}", number=number)
    return Message("page {label} ({number:,} in the file)", label=label, number=number)


def place_in_words(page: int | None, label: str, line: int | None) -> str:
    """Name a place by its page, else by its line: "page 4", "line 1,204"; empty if there is neither."""
    if page is not None:
        return page_in_words(page, label)
    return Message("line {line:,}", line=line) if line is not None else ""


def cell_in_words(sheet: str, cell: str, column: str = "") -> str:
    """Name a cell: "sheet Budget, cell B12"; in a file with named columns "row 12, column Price"."""
    if column:
        row = int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return Message("row {row:,}, column {column}", row=row, column=column)
    return Message("sheet {sheet}, cell {cell}", sheet=sheet, cell=cell)


def percent(probability: float) -> str:
    """Return a probability as a whole percentage; "< 1%" and "> 99%" at the ends, never 0 or 100."""
    rounded = round(probability * 100)
    if rounded < 1:
        return Message("< 1%")
    return Message("> 99%") if rounded > 99 else Message("{number}%", number=rounded)


def precise_percent(probability: float) -> str:
    """Return a probability with two digits even if it is small: "94%", "3.4%", "0.021%", "1 in 48,000"."""
    if probability >= 0.0995:
        return percent(probability)
    if probability >= 0.0001:
        return Message("{number:#.2g}%", number=probability * 100)
    if probability < 1e-9:
        return Message("< 1 in a billion")
    inverse = round(1 / probability)
    digits = 10 ** (len(str(inverse)) - 2)
    return Message("1 in {number:,}", number=inverse // digits * digits)


def first_words(text: str, most: int = 60) -> str:
    """Return the beginning of a text on one line, cut between words, with an ellipsis, to about `most` characters."""
    line = legible(text[: 20 * most], 20 * most)
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + "…"


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name, followed by the first number from 2 on that makes it unique if it is taken: "Letters 2"."""
    free, number = name, 2
    while is_taken(free):
        free, number = f"{name} {number}", number + 1
    return free


def equal_names(paths: Iterable[str]) -> frozenset[str]:
    """Return the file names, casefolded, that several of these paths have."""
    names = Counter(os.path.split(path)[1].casefold() for path in set(paths))
    return frozenset(name for name, number in names.items() if number > 1)


def name_with_folder(path: str, equal: Collection[str]) -> str:
    """Return a file's name, with its folder if the name is one of the `equal_names`: "lease.pdf · 2024"."""
    folder, name = os.path.split(path)
    return f"{name} · {os.path.split(folder)[1]}" if name.casefold() in equal else name


def duration(seconds: float) -> str:
    """Return a length of time in words: "0.4 seconds", "12 seconds", "3 minutes", "2 hours 10 minutes"."""
    if seconds < 0.05:
        return Message("less than 0.1 seconds")
    if seconds < 9.95 and (tenths := round(seconds, 1)) != int(tenths):
        return Message("{number:.1f} seconds", number=tenths)
    rounded = round(seconds)
    if rounded < 90:
        return Message("{n} second", "{n} seconds", n=rounded)
    minutes = round(seconds / 60)
    if minutes < 60:
        return Message("{n} minute", "{n} minutes", n=minutes)
    whole, rest = divmod(minutes, 60)
    hours = Message("{n:,} hour", "{n:,} hours", n=whole)
    if not rest:
        return hours
    return Message("{hours} {minutes}", hours=hours, minutes=Message("{n} minute", "{n} minutes", n=rest))


def time_left(seconds: float) -> str:
    """Return an estimate of the time left, in coarse steps that do not flicker: "about 20 seconds left"."""
    if seconds < 5:
        return Message("a few seconds left")
    if seconds < 57.5:
        return Message("about {time} left", time=duration(5 * round(seconds / 5)))
    return (
        Message("about a minute left")
        if seconds < 90
        else Message("about {time} left", time=duration(seconds))
    )


def size(number: int) -> str:
    """Return a number of bytes in decimal units: "812 bytes", "46 MB", "1.2 GB"."""
    if number < 1000:
        return Message("{n} byte", "{n} bytes", n=number)
    value, units = number / 1000, ["kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        del units[0]
    if value < 9.95:
        return Message("{number:.1f} {unit}", number=value, unit=units[0])
    return Message("{number:.0f} {unit}", number=value, unit=units[0])
