"""Numbers in words for the user; the command line and the window use the same words."""

from __future__ import annotations

from collections.abc import Callable

from app.core.legible import legible

UNNAMED = "A text"  # instead of the name of a typed or pasted one
INDEXED_ANEW = "files indexed anew"  # those that an older Spanlight has indexed
NO_ANSWER = "The text does not say."
NO_ANSWER_IN_PART = "No answer in the part that was read."
NEAREST_WORDS = "These are the nearest words, and may not be the answer."

_LIKELIHOODS = ((0.9, "Very likely"), (0.7, "Likely"), (0.4, "Possibly"), (0.15, "Unlikely"))

_NEXT_TO_SAME = 0.05


def likelihood(probability: float) -> str:
    """A probability in words, from "Very likely" (0.9 and more) to "Very unlikely" (less than 0.15)."""
    return next((words for least, words in _LIKELIHOODS if probability >= least), "Very unlikely")


def likely(probability: float) -> str:
    """A probability in words and number: "Very likely, 94%"."""
    return f"{likelihood(probability)}, {percent(probability)}"


def best_of(probability: float, no_answer: float) -> str:
    """The best answer's probability in words and number: "Very likely, 94%".

    "Best of several, 23%" if the text probably answers (`no_answer` is the probability that it does not), and only
    which of its words do is uncertain.
    """
    open_which = probability < _LIKELIHOODS[2][0] and no_answer < 0.5
    return f"Best of several, {percent(probability)}" if open_which else likely(probability)


def low_confidence(probability: float) -> str:
    """The label of words that may or may not be the answer: "Low confidence, 43%"."""
    return f"Low confidence, {percent(probability)}"


def sure_of_both(probability: float, no_answer: float) -> str:
    """The probability that the text answers and that of the best words, each named.

    Empty if they are nearly the same.
    """
    if 1 - no_answer - probability < _NEXT_TO_SAME:
        return ""
    return f"{percent(1 - no_answer)} sure that the text answers, {percent(probability)} that these words do"


def without_answer(no_answer: float, *, whole: bool = True) -> tuple[str, str]:
    """The sentence if the text does not answer, and how sure that is: "94% sure", with the probability `no_answer`.

    If not the `whole` text was judged, the sentence is about the part that was read.
    """
    return NO_ANSWER if whole else NO_ANSWER_IN_PART, f"{percent(no_answer)} sure"


def not_kept(sentence: str) -> str:
    """That an answer is not in the history, with the sentence of the fault that is why."""
    return f"The answer was not kept: {sentence[:1].lower()}{sentence[1:]}"


def stopped_after(share: float | None, *, quick: bool | None = False, how: str = "Stopped") -> str:
    """How far a stopped reading got: "Stopped after 34% of the text"; a `share` of None is unknown.

    For a `quick` reading it is a share of the best passages, for None of whatever was read. It is not just a number,
    because the numbers next to it are confidences of answers.
    """
    if share is None:
        return f"{how} before the end"
    read = "reading" if quick is None else "best passages" if quick else "text"
    return f"{how} after {percent(share)} of the {read}" if share else f"{how} at the start"


def best_passages(share: float | None = None) -> str:
    """How much a quick reading read: "Only the best passages were read, 8% of the text"; None if unknown."""
    part = f", {percent(share)} of the text" if share is not None else ""
    return f"Only the best passages were read{part}"


def page_in_words(number: int, label: str = "") -> str:
    """A page by its printed number, with that in the file if they differ: "page iv (4 in the file)", "page 4"."""
    printed = label not in ("", str(number))
    return f"page {label} ({number:,} in the file)" if printed else f"page {number:,}"


def place_in_words(page: int | None, label: str, line: int | None) -> str:
    """A place by its page, else by its line: "page iv (4 in the file)", "line 1,204"; empty if there is neither."""
    if page is not None:
        return page_in_words(page, label)
    return f"line {line:,}" if line is not None else ""


def percent(probability: float) -> str:
    """A probability as a whole number of per cent; "< 1%" and "> 99%" at the ends, never 0 or 100."""
    rounded = round(probability * 100)
    if rounded < 1:
        return "< 1%"
    return "> 99%" if rounded > 99 else f"{rounded}%"


def finely(probability: float) -> str:
    """A probability with precision for small ones: "94%", "3.4%", "0.021%", "1 in 48,000"."""
    if probability >= 0.0995:
        return percent(probability)
    if probability >= 0.0001:
        return f"{probability * 100:#.2g}%"
    if probability < 1e-9:
        return "< 1 in a billion"
    inverse = round(1 / probability)
    digits = 10 ** (len(str(inverse)) - 2)
    return f"1 in {inverse // digits * digits:,}"


def first_words(text: str, most: int = 60) -> str:
    """The beginning of a text on one line, cut between two words with an ellipsis beyond `most` characters."""
    line = legible(text[: 20 * most], 20 * most)
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + "…"


def count(number: int, one: str, several: str = "") -> str:
    """A number with its noun: "1 window", "1,204 windows"; `several` is an irregular plural."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """The name, with the first number from 2 on behind it that makes it free where it is taken: "Letters 2"."""
    free, number = name, 2
    while is_taken(free):
        free, number = f"{name} {number}", number + 1
    return free


def duration(seconds: float) -> str:
    """A length of time: "0.4 seconds", "12 seconds", "3 minutes", "2 hours 10 minutes"."""
    if seconds < 0.05:
        return "less than 0.1 seconds"
    if seconds < 9.95:
        tenths = f"{seconds:.1f}".removesuffix(".0")
        return f"{tenths} second" if tenths == "1" else f"{tenths} seconds"
    rounded = round(seconds)
    if rounded < 90:
        return count(rounded, "second")
    minutes = round(seconds / 60)
    if minutes < 60:
        return count(minutes, "minute")
    hours, rest = divmod(minutes, 60)
    return f"{count(hours, 'hour')} {count(rest, 'minute')}" if rest else count(hours, "hour")


def time_left(seconds: float) -> str:
    """An estimate of time left, in steps that do not flicker: "about 20 seconds left"."""
    if seconds < 5:
        return "a few seconds left"
    if seconds < 57.5:
        return f"about {5 * round(seconds / 5)} seconds left"
    return "about a minute left" if seconds < 90 else f"about {duration(seconds)} left"


def size(number: int) -> str:
    """A count of bytes in decimal units: "812 bytes", "46 MB", "1.2 GB"."""
    if number < 1000:
        return count(number, "byte")
    value, units = number / 1000, ["kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        del units[0]
    return f"{value:.1f} {units[0]}" if value < 9.95 else f"{value:.0f} {units[0]}"
