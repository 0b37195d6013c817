"""Models that can be had: the catalogue's, and what is known of one before it is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.core.models import Head, ModelCard


class Source(StrEnum):
    """Where an installed model came from."""

    STARTER = "starter"
    FOLDER = "folder"
    ARCHIVE = "zip"
    HUB = "hub"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model came from; written last into its folder as the mark that it is whole.

    `repository`, `commit` and `endpoint` are of one from the Hub, `path` of one that was imported. `added` is when
    (ISO 8601, UTC). `linked` tells that its files are links to others; `was_cached` that nothing had to be
    downloaded, since another program had put it into the Hugging Face cache before, whose folder is `cache`.
    `sizes` maps a file's name to its bytes, `checksums` to its SHA-256 in hexadecimal digits.
    """

    source: Source
    repository: str = ""
    commit: str = ""
    endpoint: str = ""
    path: str = ""
    added: str = ""
    linked: bool = False
    was_cached: bool = False
    cache: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    checksums: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """One model of the catalogue: facts as its authors give them, none of them measured here.

    `line` is one honest sentence; `size` the bytes to download; `languages` are ISO 639 codes, "multi" for many;
    `max_length` is in tokens; `no_answer` tells whether a reader can say that a text does not answer, None for other
    heads; `squad2_f1` is a reader's F1 on the dev set of SQuAD 2.0 in per cent as its authors report it, 0 where they
    do not; `commit` pins a revision, empty to take the newest when it is looked up. `source` is the page that the
    facts were read on, `checked` the day they were (ISO 8601).
    """

    repository: str
    title: str
    heads: tuple[Head, ...]
    line: str
    family: str
    size: int
    parameters: int
    licence: str
    languages: tuple[str, ...]
    max_length: int
    labels: tuple[str, ...] = ()
    no_answer: bool | None = None
    squad2_f1: float = 0.0
    commit: str = ""
    source: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository that is needed: its size in bytes and its checksum.

    `sha256` is of a file in large-file storage, `blob` git's own object id (SHA-1 of its header and content) of any
    other; one of them is there. `cached` tells that it is in the Hugging Face cache already.
    """

    name: str
    size: int
    sha256: str = ""
    blob: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Passport:
    """What is known of a repository before its download, from its list of files, its config and the weights' header.

    `commit` is the revision that all of it holds for. `card` tells heads, labels and limits as read off config.json and
    the weights' header; None where the model is refused, with the reason in `refused` and `hint`. `files` are those
    needed. `licence` and `languages` are as the repository states them, empty where it does not. `gated` tells
    that its owner asks people to register first. `speed` is in bytes a second as measured just now, 0 where too little
    was fetched to tell. `free_disk` is the bytes free where the cache lies.
    """

    repository: str
    commit: str
    endpoint: str
    card: ModelCard | None
    files: tuple[RemoteFile, ...]
    refused: str = ""
    hint: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    gated: bool = False
    speed: float = 0.0
    free_disk: int = 0

    @property
    def size(self) -> int:
        """Bytes of all files needed."""
        return sum(file.size for file in self.files)

    @property
    def to_fetch(self) -> int:
        """Bytes of the files that are not in the cache yet."""
        return sum(file.size for file in self.files if not file.cached)

    @property
    def seconds(self) -> float | None:
        """How long the download will take at the speed measured, None where none was."""
        return self.to_fetch / self.speed if self.speed else None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A download that was begun and is neither finished nor given up; `done` counts the bytes there already."""

    passport: Passport
    done: int
    begun: str


@dataclass(frozen=True, slots=True)
class Downloading:
    """What a download says now and then as a partial result: bytes, and bytes a second over the last seconds."""

    done: int
    total: int
    speed: float
    file: str


@dataclass(frozen=True, slots=True)
class Removal:
    """What removing a model means, told before it is done.

    `freed` counts the bytes that go with its folder, `cached` those that its files take in the Hugging Face cache
    (0 where it has none there), which other programs may use too. `chosen_for` are the heads it is chosen for,
    `questions` counts kept questions that it answered, `last_used` is when (ISO 8601, UTC; empty for never).
    """

    card: ModelCard
    freed: int
    cached: int
    chosen_for: tuple[Head, ...]
    questions: int
    last_used: str
