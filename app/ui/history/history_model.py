"""The history as rows: a heading for each day, and below it the entries of that day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import QLocale, QModelIndex, Qt, QTime, Signal

from app.core.corrections import Correction
from app.core.days import day, local
from app.core.history import Entry
from app.core.wording import UNNAMED, read_as
from app.flows.history.export_text import Corrections
from app.ui.kit.row_list import Index, RowModel
from app.ui.kit.spoken import sentences
from app.ui.kit.translation import localised


@dataclass(frozen=True, slots=True)
class Row:
    """A day's heading (`entry` is None), or an entry with the texts to show.

    `name` is the document's, `place` the page or line in it, `part` the part of it that was read. `news` is the result
    of asking again, `changed` whether the answer differed. `respelt` is how the question was read if slips in it were
    corrected. `said` is the person's verdict on the answer in words, `agreed` whether it is that the answer is right.
    """

    title: str
    day: date
    entry: Entry | None = None
    answer: str = ""
    likely: str = ""
    name: str = ""
    place: str = ""
    part: str = ""
    time: str = ""
    news: str = ""
    changed: bool = False
    said: str = ""
    agreed: bool = False
    respelt: str = ""

    @property
    def where(self) -> str:
        """The document, the place in it, and the part of it that was read."""
        return f"{self.name}{self.place}{self.part}"

    @property
    def tip(self) -> str:
        """How the question was read, the document's path or else its name, and the part of it that was read."""
        if self.entry is None:
            return ""
        return "\n".join(
            filter(None, (self.respelt, self.entry.path or self.name, localised(self.entry.in_part)))
        )

    @property
    def accessible_text(self) -> str:
        """The row's text for a screen reader."""
        if self.entry is None:
            return self.title
        return sentences(self.title, self.respelt, self.answer, self.likely, self.said, self.where, self.news)


def row_of(entry: Entry, said: Correction | None = None, news: str = "", changed: bool = False) -> Row:
    """Return the row of an entry, with the correction of its answer, and what came of asking again."""
    shown, moment = entry.shown, local(entry.asked)
    place = f", {plain(shown.where)}" if shown is not None and shown.where else ""
    part = f"  ·  {localised(entry.in_part)}" if entry.in_part else ""
    return Row(
        plain(entry.question), moment.date(), entry, plain(entry.words), localised(entry.likely),
        plain(entry.name) or localised(UNNAMED), place, part,
        QLocale().toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat), news, changed,
        said=plain(said.verdict_in_words(entry.shown_span)) if said is not None else "",
        agreed=said is not None and said.agrees_with(entry.shown_span),
        respelt=plain(read_as(entry.read_as)),
    )  # fmt: skip


def _key(entry: Entry) -> tuple[str, str]:
    return entry.sha256, entry.question


def plain(text: str) -> str:
    """Return a text on one line, in the window's language if it is a message."""
    return " ".join(localised(text).replace("\0", " ").split())


class HistoryModel(RowModel):
    """Rows, newest first; `more_wanted` is sent when the list is scrolled to its end while there are older entries."""

    more_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(lambda row: (row.title, row.accessible_text, ""))
        self.rows: list[Row] = []
        self.entries: list[Entry] = []  # loaded so far
        self.total = 0  # of all entries, loaded or not
        self._news: dict[int, tuple[str, bool]] = {}
        self._said: dict[tuple[str, str], Correction] = {}
        self._waiting = False

    def set_entries(self, entries: Sequence[Entry], total: int, said: Corrections) -> None:
        """Show these entries, the newest of `total`; `said` are their corrections by `sha256` and `question`."""
        self._waiting = False
        is_said = all(self._said.get(key) == said.get(key) for key in map(_key, entries))
        if list(entries) == self.entries[: len(entries)] and total == self.total and is_said:
            return
        self.beginResetModel()
        self.entries, self.total, self._said = list(entries), total, dict(said)
        self.rows = []
        self.rows = self._rows_of(entries)
        self.endResetModel()

    def append(self, entries: Sequence[Entry], total: int, said: Corrections) -> None:
        """Add older entries below; `said` as for `set_entries`."""
        self._waiting = False
        self._said |= said
        self.total = total if entries else len(self.entries)
        self.entries += entries
        if rows := self._rows_of(entries):
            self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(rows) - 1)
            self.rows += rows
            self.endInsertRows()

    def remove(self, number: int) -> None:
        """Remove an entry, and its day's heading if that has no other one."""
        at = self.row_of(number)
        if at < 0:
            return
        self.entries = [entry for entry in self.entries if entry.number != number]
        self.total -= 1
        first = at - 1 if all(self.edges(at)) else at
        self.beginRemoveRows(QModelIndex(), first, at)
        del self.rows[first : at + 1]
        self.endRemoveRows()

    def set_news(self, number: int, news: str, changed: bool = False) -> None:
        """Show the result of asking again below an entry."""
        self._news[number] = (news, changed)
        at = self.row_of(number)
        row = self.row(at)
        if row is not None and row.entry is not None:
            self.rows[at] = self._row(row.entry)
            self.dataChanged.emit(self.index(at), self.index(at))

    def row_of(self, number: int) -> int:
        """Return the row of an entry, -1 if it is not loaded."""
        for at, row in enumerate(self.rows):
            if row.entry is not None and row.entry.number == number:
                return at
        return -1

    def row(self, at: int) -> Row | None:
        """Return a row, None if there is none."""
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Entries can be chosen, headings cannot."""
        row = self.row(index.row())
        if row is None or row.entry is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def canFetchMore(self, parent: Index) -> bool:
        """Whether there are older entries that were not requested yet."""
        return not parent.isValid() and not self._waiting and 0 < len(self.entries) < self.total

    def fetchMore(self, parent: Index) -> None:
        """Request older entries."""
        if self.canFetchMore(parent):
            self._waiting = True
            self.more_wanted.emit()

    def more_failed(self) -> None:
        """Note that loading older entries failed, so that they are requested again."""
        self._waiting = False

    def edges(self, at: int) -> tuple[bool, bool]:
        """Return whether an entry's row is the first of its day, and whether it is the last."""
        above, below = self.row(at - 1), self.row(at + 1)
        return above is None or above.entry is None, below is None or below.entry is None

    def _row(self, entry: Entry) -> Row:
        news, changed = self._news.get(entry.number, ("", False))
        return row_of(entry, self._said.get(_key(entry)), news, changed)

    def _rows_of(self, entries: Sequence[Entry]) -> list[Row]:
        """Return the entries' rows, to go below the present ones, with a heading for each new day."""
        rows: list[Row] = []
        today = date.today()
        before = self.rows[-1].day if self.rows else None
        for row in map(self._row, entries):
            if row.day != before:
                rows.append(Row(localised(day(row.day, today)), row.day))
            rows.append(row)
            before = row.day
        return rows
