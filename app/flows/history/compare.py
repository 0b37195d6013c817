"""What changed between two answers to one question, in words."""

from __future__ import annotations

from app.core.history import Entry, KeptAnswer
from app.core.message import Message, joined
from app.core.results import Outcome
from app.core.text import without_blanks
from app.core.wording import NO_ANSWER, percent


def compare_entries(before: Entry, now: Entry) -> tuple[bool, str]:
    """Whether the same words are shown as the answer in the same place (or none, as before), and what to say of it."""
    old, new = before.shown, now.shown
    if new is None:
        return old is None, _without_answer(old, whole=now.words == NO_ANSWER)
    if old is None or before.outcome is not now.outcome:
        return False, _otherwise(old, now, new)
    is_answer = now.outcome is Outcome.ANSWER
    if not _same_words(before, old.text, now, new.text):
        return False, _other_words(old, now, new, is_answer=is_answer)
    is_same = _same_place(before, old, now, new)
    where = new.where if (new.page, new.line, new.cell) != (old.page, old.line, old.cell) else ""
    sentence = _in_same_place(is_answer) if is_same else _in_other_place(where, is_answer=is_answer)
    was, likely = percent(old.probability), percent(new.probability)
    if was == likely:
        return is_same, sentence
    surer = Message("Now {likely} (was {was}).", likely=likely, was=was)
    return is_same, joined((sentence, surer), " ")


def _without_answer(old: KeptAnswer | None, *, whole: bool) -> str:
    """The sentence where no words are shown now; if not the `whole` text was judged, it is about the part read."""
    if old is None:
        if whole:
            return Message("The text still does not say.")
        return Message("Still no answer in the part that was read.")
    if whole:
        return Message("The text does not say any more (was “{was}”).", was=plain(old.text))
    return Message("Now no answer in the part that was read (was “{was}”).", was=plain(old.text))


def _otherwise(old: KeptAnswer | None, now: Entry, new: KeptAnswer) -> str:
    """The sentences where there was no answer, or one where nearest words are now, or the other way round."""
    words, likely = plain(new.text), now.likely
    if now.best is not None:
        return Message("Now there is an answer: “{words}”. {likely}.", words=words, likely=likely)
    if old is None:
        return Message("Now there are nearest words: “{words}”. {likely}.", words=words, likely=likely)
    return Message(
        "Now there are only nearest words: “{words}” (was “{was}”). {likely}.",
        words=words, was=plain(old.text), likely=likely,
    )  # fmt: skip


def _other_words(old: KeptAnswer, now: Entry, new: KeptAnswer, *, is_answer: bool) -> str:
    words, was, likely = plain(new.text), plain(old.text), now.likely
    if is_answer:
        return Message(
            "Another answer now: “{words}” (was “{was}”). {likely}.", words=words, was=was, likely=likely
        )
    return Message(
        "Other nearest words now: “{words}” (was “{was}”). {likely}.", words=words, was=was, likely=likely
    )


def _in_same_place(is_answer: bool) -> str:
    if is_answer:
        return Message("The same answer, at the same place.")
    return Message("The same nearest words, at the same place.")


def _in_other_place(where: str, *, is_answer: bool) -> str:
    """The sentence for the same words elsewhere; `where` is their page or line, empty if that is the same."""
    if is_answer:
        if where:
            return Message("The same answer, at another place: {where}.", where=where)
        return Message("The same answer, at another place.")
    if where:
        return Message("The same nearest words, at another place: {where}.", where=where)
    return Message("The same nearest words, at another place.")


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
