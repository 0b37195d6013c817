"""Libraries: named lists of folders whose files are indexed, and answers found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.core.history import KeptAnswer
from app.core.layout import Kind
from app.core.message import Message, joined
from app.core.results import Answer, Reading

# The least probability of an answer unless the person sets a threshold, since something in a large library always seems
# to answer. Of 232 questions to 100,000 passages, 42 of them unanswerable, it cuts wrong answers from 109 to 51; of the
# 123 with right best words, 14 are shown with low confidence.
_LEAST_SURE = 0.45


class FileState(StrEnum):
    """The state of a library's file."""

    WAITING = (
        "waiting"  # new or changed: the next update reads it, and until then its old content is searched
    )
    READ = "read"
    NO_TEXT = "no text"  # pictures of pages without a text layer, or nothing at all
    LOCKED = "locked"  # needs its password
    FAILED = "failed"
    GONE = "gone"  # removed from a folder that is still there


_REASONS = {
    FileState.WAITING: Message("It is read with the next update."),
    FileState.NO_TEXT: Message("It holds no text."),
    FileState.LOCKED: Message("It needs a password."),
    FileState.FAILED: Message("It could not be read."),
    FileState.GONE: Message("It is not there any more."),
}
# The reason of a file that was read whole, with pages whose text was recognised.
RECOGNISED = Message(
    "The text of {n:,} page was recognised in its picture.",
    "The text of {n:,} pages was recognised in their pictures.",
)


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of a library, as its ledger has it.

    `number` identifies the file in all libraries, `text` the text read from it (0 for none). `reason` says why
    the file or a part of it was not read, or that pages of it were recognised. `modified` is its modification time in
    nanoseconds, `size` its size in bytes, both from when it was last checked. `sha256` is of its bytes, empty if they
    were never read. `language` is the ISO 639 code of its text's language, empty if uncertain.
    """

    number: int
    path: str
    state: FileState
    reason: str = ""
    size: int = 0
    modified: int = 0
    sha256: str = ""
    text: int = 0
    kind: Kind = Kind.TEXT
    pages: int = 0
    words: int = 0
    language: str = ""

    @property
    def why_unread(self) -> str:
        """Why the file, or a part of it, was not read; empty if it was read whole."""
        if self.state is FileState.READ and not is_gap(self.reason):
            return ""
        if self.state is FileState.WAITING and self.text:
            return Message("It has changed; until the next update it is searched as it was.")
        return self.reason or _REASONS.get(self.state, "")


def is_gap(reason: str) -> bool:
    """Whether the reason of a file that was read says that a part of it was not."""
    return bool(reason) and getattr(reason, "pattern", "") != RECOGNISED.pattern


@dataclass(frozen=True, slots=True)
class Library:
    """A named list of folders, with their subfolders, and of single files.

    `suffixes` are the file extensions to include ("pdf"), empty for every kind that Spanlight reads; `ignore` are
    patterns (`fnmatch`) of names, and of paths below a folder, to exclude. Hidden files are always excluded.
    """

    number: int
    name: str
    roots: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """How much of a library is indexed: its files by their state, and its passages.

    `embedded` counts the passages that have a vector. `missing` are the roots that are unavailable, on an unplugged
    drive, say, or empty although files of theirs were read, and such drives below roots; these files can still be
    asked. `refused` are the folders that the last update could not open. `languages` counts the files read by the
    language of their text, "" if uncertain; `in_part` counts those read that have a part that was not.
    """

    files: dict[FileState, int]
    passages: int = 0
    embedded: int = 0
    words: int = 0
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    languages: dict[str, int] = field(default_factory=dict)
    in_part: int = 0

    @property
    def read(self) -> int:
        """How many files can be asked."""
        return self.files.get(FileState.READ, 0)

    @property
    def total(self) -> int:
        """How many files there are, not counting those that are gone."""
        return sum(number for state, number in self.files.items() if state is not FileState.GONE)

    @property
    def in_words(self) -> str:
        """How many of the files were read: "412 of 415 files read", "64 files read, 2 in part"."""
        if self.in_part:
            whole = replace(self, in_part=0).in_words
            return Message("{files}, {n:,} in part", files=whole, n=self.in_part)
        if self.read == self.total:
            if not self.total:
                return Message("No files yet")
            return Message("{n:,} file read", "{n:,} files read", n=self.total)
        return Message(
            "{read:,} of {n:,} file read", "{read:,} of {n:,} files read", read=self.read, n=self.total
        )

    @property
    def without_answer(self) -> str:
        """The sentence that none of the files answers, of those that were read whole: "Not in 412 of 415 files."."""
        read = self.read - self.in_part
        if read == self.total:
            return Message("Not in {n:,} file.", "Not in {n:,} files.", n=self.total)
        return Message(
            "Not in {read:,} of {n:,} file.", "Not in {read:,} of {n:,} files.", read=read, n=self.total
        )

    @property
    def unreachable_in_words(self) -> str:
        """A line for each missing folder, and one for the folders that could not be opened."""
        lines: list[str] = [
            Message("“{folder}” is not there now; what was read from it can still be asked.", folder=root)
            for root in self.missing
        ]
        if len(self.refused) == 1:
            lines.append(Message("“{folder}” could not be opened.", folder=self.refused[0]))
        elif self.refused:
            lines.append(
                Message(
                    "“{folder}” and {n:,} other folder could not be opened.",
                    "“{folder}” and {n:,} other folders could not be opened.",
                    folder=self.refused[0],
                    n=len(self.refused) - 1,
                )
            )
        return joined(lines, "\n")


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """An answer in a file of a library, with its place there.

    `recognised` says that its words were recognised in a picture, and how surely; empty if they were not.
    """

    file: LibraryFile
    answer: KeptAnswer
    recognised: str = ""


@dataclass(frozen=True, slots=True)
class LibraryReading:
    """The result of a question to a library.

    `reading` is the reading of the passages found, best first; the documents and spans of its answers refer to these.
    `found` are the same answers, in the same order, at their places in the files. `passages` counts the passages read.
    """

    library: Library
    status: LibraryStatus
    reading: Reading
    found: tuple[FoundAnswer, ...]
    passages: int
    seconds: float


def is_sure(answers: Sequence[Answer]) -> bool:
    """Whether the first of a library's answers is probable enough where the person has set no threshold."""
    return bool(answers) and answers[0].probability >= _LEAST_SURE
