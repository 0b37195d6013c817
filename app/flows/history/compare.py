"""Describes what changed between two answers to one question."""

from __future__ import annotations

from app.core.history import Entry, KeptAnswer
from app.core.message import Message, joined
from app.core.text import without_blanks
from app.core.wording import NO_ANSWER, percent


def compare_entries(before: Entry, now: Entry) -> tuple[bool, str]:
    """Return whether the same words are shown in the same place, or still none, and a sentence about the change."""
    old, new = before.shown, now.shown
    if new is None:
        return old is None, _no_answer_now(old, whole=now.words == NO_ANSWER)
    # White space in the same file may be read differently now.
    plain = without_blanks if before.sha256 == now.sha256 else shorten
    is_other_outcome = before.outcome is not now.outcome
    if old is None or is_other_outcome or plain(old.text) != plain(new.text):
        return False, _other_words_now(old, new, now, is_other_outcome=is_other_outcome)
    is_same = _are_same_place(before, old, now, new)
    where = new.where if (new.page, new.line, new.cell) != (old.page, old.line, old.cell) else ""
    sentence = _same_words_now(is_same, where, is_answer=now.best is not None)
    was, likely = percent(old.probability), percent(new.probability)
    if was == likely:
        return is_same, sentence
    surer = Message("Now {likely} (was {was}).", likely=likely, was=was)
    return is_same, joined((sentence, surer), " ")


def _no_answer_now(old: KeptAnswer | None, *, whole: bool) -> str:
    """The sentence if no words are shown now; unless the `whole` text was read, it is about the part that was."""
    if old is None:
        if whole:
            return Message("The text still does not say.")
        return Message("Still no answer in the part that was read.")
    if whole:
        return Message("The text does not say any more (was “{was}”).", was=shorten(old.text))
    return Message("Now no answer in the part that was read (was “{was}”).", was=shorten(old.text))


def _other_words_now(old: KeptAnswer | None, new: KeptAnswer, now: Entry, *, is_other_outcome: bool) -> str:
    """The sentence if other words than before are shown now, or words with another outcome."""
    words, likely = shorten(new.text), now.likely
    if now.best is not None and is_other_outcome:
        return Message("Now there is an answer: “{words}”. {likely}.", words=words, likely=likely)
    if old is None:
        return Message("Now there are nearest words: “{words}”. {likely}.", words=words, likely=likely)
    both = {"words": words, "was": shorten(old.text), "likely": likely}
    if is_other_outcome:
        return Message("Now there are only nearest words: “{words}” (was “{was}”). {likely}.", **both)
    if now.best is not None:
        return Message("Another answer now: “{words}” (was “{was}”). {likely}.", **both)
    return Message("Other nearest words now: “{words}” (was “{was}”). {likely}.", **both)


def _same_words_now(is_same_place: bool, where: str, *, is_answer: bool) -> str:
    """The sentence for the same words; `where` is their page or line, empty if that has not changed."""
    if is_same_place and is_answer:
        return Message("The same answer, at the same place.")
    if is_same_place:
        return Message("The same nearest words, at the same place.")
    if where and is_answer:
        return Message("The same answer, at another place: {where}.", where=where)
    if where:
        return Message("The same nearest words, at another place: {where}.", where=where)
    if is_answer:
        return Message("The same answer, at another place.")
    return Message("The same nearest words, at another place.")


def shorten(text: str, most: int = 120) -> str:
    """The text on one line, cut off after `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _are_same_place(before: Entry, old: KeptAnswer, now: Entry, new: KeptAnswer) -> bool:
    """Whether two answers are in the same place, or in a changed text in the same context."""
    if before.sha256 == now.sha256:
        return old.span == new.span or (old.page == new.page and _have_same_context(old, new))
    return old.page == new.page and shorten(old.before + old.text + old.after) == shorten(
        new.before + new.text + new.after
    )


def _have_same_context(old: KeptAnswer, new: KeptAnswer) -> bool:
    """Whether two answers have the same context, as far as both entries have it, apart from white space."""
    one, two = without_blanks(old.before), without_blanks(new.before)
    if not (one.endswith(two) or two.endswith(one)):
        return False
    one, two = without_blanks(old.after), without_blanks(new.after)
    return one.startswith(two) or two.startswith(one)
