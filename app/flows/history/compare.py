"""What changed between two answers to one question, in words."""

from __future__ import annotations

from app.core.history import Entry, KeptAnswer
from app.core.results import Outcome
from app.core.text import without_blanks
from app.core.wording import NO_ANSWER, percent

_NOUNS = {
    Outcome.ANSWER: ("Another answer", "The same answer"),
    Outcome.LOW_CONFIDENCE: ("Other nearest words", "The same nearest words"),
}


def compare_entries(before: Entry, now: Entry) -> tuple[bool, str]:
    """Whether the same words are shown as the answer in the same place (or none, as before), and a sentence on it."""
    old, new = before.shown, now.shown
    was = f" (was “{plain(old.text)}”)" if old is not None else ""
    if new is None:
        silent = now.words == NO_ANSWER
        if old is None:
            return True, "The text still does not say." if silent else f"Still {_begun_small(now.words)}"
        instead = f"Now {_begun_small(now.words).rstrip('.')}"
        return False, f"{'The text does not say any more' if silent else instead}{was}."
    if old is None or before.outcome is not now.outcome:
        if now.best is not None:
            return False, f"Now there is an answer: {_quoted(now, new)}."
        return False, f"Now there are {'only ' if old else ''}nearest words: {_quoted(now, new)}{was}."
    another, same = _NOUNS[now.outcome]
    if not _same_words(before, old.text, now, new.text):
        return False, f"{another} now: {_quoted(now, new)}{was}."
    if _same_place(before, old, now, new):
        return True, f"{same}, at the same place{_surer(old, new)}."
    where = f", on {new.where}" if new.where and (new.page, new.line) != (old.page, old.line) else ""
    return False, f"{same}, at another place{where}{_surer(old, new)}."


def _quoted(entry: Entry, shown: KeptAnswer) -> str:
    """The words shown with their probability: "“noon”, very likely, 94%"."""
    return f"“{plain(shown.text)}”, {_begun_small(entry.likely)}"


def _begun_small(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"


def plain(text: str, most: int = 120) -> str:
    """The text on one line, cut where it is longer than `most`."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _same_words(before: Entry, old: str, now: Entry, new: str) -> bool:
    """Whether two answers are the same words; the same file may now be read with other blanks."""
    if before.sha256 == now.sha256:
        return without_blanks(old) == without_blanks(new)
    return plain(old) == plain(new)


def _same_place(before: Entry, old: KeptAnswer, now: Entry, new: KeptAnswer) -> bool:
    """Whether two answers are in the same place; where the text has changed, between the same words."""
    if before.sha256 == now.sha256:
        return old.span == new.span or (old.page == new.page and _same_around(old, new))
    return old.page == new.page and plain(old.before + old.text + old.after) == plain(
        new.before + new.text + new.after
    )


def _same_around(old: KeptAnswer, new: KeptAnswer) -> bool:
    """Whether two answers are between the same words, as far as both entries have them, and apart from blanks."""
    one, two = without_blanks(old.before), without_blanks(new.before)
    if not (one.endswith(two) or two.endswith(one)):
        return False
    one, two = without_blanks(old.after), without_blanks(new.after)
    return one.startswith(two) or two.startswith(one)


def _surer(old: KeptAnswer, new: KeptAnswer) -> str:
    was, now = percent(old.probability), percent(new.probability)
    return "" if was == now else f", now {now} (was {was})"
