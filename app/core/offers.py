"""Models from elsewhere: the catalogue, what is known before a download, and what removing a model costs."""

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
    TAUGHT = "taught"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model came from; written into its folder last, which marks the model as complete.

    `repository`, `commit` and `endpoint` are set for a model from the Hub. `path` is an imported model's source, or
    what a taught model was taught: its labels, or its corrections. `added` is when it was installed (ISO 8601, UTC).
    `linked` is whether its files are links to others, `cache` the folder of the Hugging Face cache. `sizes` has each
    file's name with its bytes, `checksums` each file's name with its SHA-256 in hexadecimal digits.
    """

    source: Source
    repository: str = ""
    commit: str = ""
    endpoint: str = ""
    path: str = ""
    added: str = ""
    linked: bool = False
    cache: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    checksums: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model of the catalogue: facts stated by its authors, not measured here.

    `line` is a one-sentence description; `size` the bytes to download; `languages` are ISO 639 codes, "multi" for many;
    `max_length` is in tokens; `no_answer` is whether a reader can detect that a text does not answer, None for other
    heads; `squad2_f1` is a reader's F1 on the dev set of SQuAD 2.0 in per cent as reported by its authors, 0 if not
    reported; `commit` pins a revision, empty for the newest at look-up. `source` is the page of the facts, `checked`
    the day they were read (ISO 8601).
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
    """A repository's file that the model needs: its size in bytes and its checksum.

    A file in large-file storage has its `sha256`, any other one `blob`, git's object id (SHA-1 of header and content).
    `cached` is whether the file is in the Hugging Face cache already.
    """

    name: str
    size: int
    sha256: str = ""
    blob: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Passport:
    """What is known about a repository before its download, from its file list, its config and the weights' header.

    `commit` is the revision that it describes. `card` has heads, labels and limits from config.json and the weights'
    header; None if the model is refused, with the reason in `refused` and `hint`. `files` are the files needed.
    `licence` and `languages` are as stated by the repository, empty if not stated. `gated` is whether its owner
    requires registration. `speed` is the download speed just measured in bytes a second, 0 if too little was fetched to
    measure it. `free_disk` is the free bytes on the cache's disk.
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
        """The estimated seconds of the download at the measured speed, None without one."""
        return self.to_fetch / self.speed if self.speed else None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A download that is neither finished nor discarded; `done` counts the bytes received."""

    passport: Passport
    done: int
    begun: str


@dataclass(frozen=True, slots=True)
class Downloading:
    """A download's progress, sent as a partial result: bytes, and bytes a second over the last seconds."""

    done: int
    total: int
    speed: float
    file: str


@dataclass(frozen=True, slots=True)
class Removal:
    """The consequences of removing a model, shown beforehand.

    `freed` counts the bytes of its folder, `cached` those of its files in the Hugging Face cache (0 if it has none
    there), which other programs may use too. `chosen_for` are the heads it is chosen for, `questions` counts the
    history's questions that it answered, `last_used` is when it last ran (ISO 8601, UTC; empty for never).
    `unfinished` counts the corrections of an unfinished teaching run based on it, which is removed too.
    """

    card: ModelCard
    freed: int
    cached: int
    chosen_for: tuple[Head, ...]
    questions: int
    last_used: str
    unfinished: int = 0
