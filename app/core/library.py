"""Libraries: named lists of folders whose files are indexed, and the answers found in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.history import KeptAnswer
from app.core.layout import Kind
from app.core.message import Message, joined
from app.core.results import Reading


class FileState(StrEnum):
    """What is known of a library's file."""

    WAITING = "waiting"  # new or changed: it is read with the next update, and searched as it was until then
    READ = "read"
    NO_TEXT = "no text"  # pictures of pages without a text layer, or nothing at all
    LOCKED = "locked"  # needs its password
    FAILED = "failed"
    GONE = "gone"  # it stood in a folder that is still there


_REASONS = {
    FileState.WAITING: Message("It is read with the next update."),
    FileState.NO_TEXT: Message("It holds no text."),
    FileState.LOCKED: Message("It needs a password."),
    FileState.FAILED: Message("It could not be read."),
    FileState.GONE: Message("It is not there any more."),
}


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A line of a library's ledger.

    `number` identifies the file in all libraries, `text` what was read from it (0 for nothing). `reason` is a sentence
    about a file that was not read, or that pages of it were recognised. `modified` is its modification time in
    nanoseconds, `size` its size in bytes, both as they were when it was last looked at. `sha256` is of its bytes,
    empty if these were never read. `language` is the code of its text's language, empty where it is unsure.
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
        """A sentence on why it was not read, empty for one that was."""
        if self.state is FileState.READ:
            return ""
        if self.state is FileState.WAITING and self.text:
            return Message("It has changed; until the next update it is searched as it was.")
        return self.reason or _REASONS.get(self.state, "")


@dataclass(frozen=True, slots=True)
class Library:
    """A named list of folders, with their subfolders, and of single files.

    `suffixes` are the files' extensions to take ("pdf"), empty for every kind that Spanlight reads; `ignore` are
    patterns of names and of paths below a folder (`fnmatch`) to leave out. Hidden files are always left out.
    """

    number: int
    name: str
    roots: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """How much of a library is indexed: its files by their state, and its passages.

    `embedded` counts the passages that have a vector. `missing` are the roots that are not there now, on a drive that
    was taken off, say, or that are empty though files of theirs were read; these can still be asked. `refused` are the
    folders that could not be looked into with the last update. `languages` counts the files that were read by the
    language of their text, "" where it is unsure.
    """

    files: dict[FileState, int]
    passages: int = 0
    embedded: int = 0
    words: int = 0
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    languages: dict[str, int] = field(default_factory=dict)

    @property
    def read(self) -> int:
        """How many files can be asked."""
        return self.files.get(FileState.READ, 0)

    @property
    def total(self) -> int:
        """How many files there are, without those that are gone."""
        return sum(number for state, number in self.files.items() if state is not FileState.GONE)

    @property
    def in_words(self) -> str:
        """How many of the files were read: "412 of 415 files read", "64 files read"."""
        if self.read == self.total:
            if not self.total:
                return Message("No files yet")
            return Message("{n:,} file read", "{n:,} files read", n=self.total)
        return Message(
            "{read:,} of {n:,} file read", "{read:,} of {n:,} files read", read=self.read, n=self.total
        )

    @property
    def unreachable_in_words(self) -> str:
        """A line for each root that is not there now, and one for the folders that could not be looked into."""
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

    `recognised` says that its words were recognised in a picture, and how sure; empty where they were not.
    """

    file: LibraryFile
    answer: KeptAnswer
    recognised: str = ""


@dataclass(frozen=True, slots=True)
class LibraryReading:
    """The result of a question to a library.

    `reading` is over the passages that were found, best first; its answers' documents and spans count in these.
    `found` are the same answers, in their order, at their places in the files. `passages` counts those that were read,
    and `status` is the library's own.
    """

    library: Library
    status: LibraryStatus
    reading: Reading
    found: tuple[FoundAnswer, ...]
    passages: int
    seconds: float
