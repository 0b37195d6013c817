"""The bundled samples: passages and texts to try."""

from __future__ import annotations

import logging
import tomllib
from dataclasses import dataclass

from app.core.message import shipped
from app.settings.paths import Paths

ASK = "ask"
CLASSIFY = "classify"
FILL = "fill"
FOLLOW = "follow"
NAMES = "names"
KINDS = (ASK, CLASSIFY, FILL, FOLLOW, NAMES)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of one of KINDS: for `ask` with `questions`, for `follow` with a `second` passage.

    Newlines of `text` are LF; `source` names its author.
    """

    name: str
    title: str
    kind: str
    text: str
    questions: tuple[str, ...] = ()
    source: str = ""
    second: str = ""


def samples(paths: Paths) -> tuple[Sample, ...]:
    """All samples, sorted by file name; a file that cannot be read as one is left out and logged."""
    found = []
    for path in sorted(paths.samples.glob("*.toml")):
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
            kind = values["kind"]
            if kind not in KINDS:
                raise ValueError(f"unknown kind {kind!r}")
            found.append(
                Sample(
                    name=path.stem,
                    title=shipped(str(values["title"])),
                    kind=kind,
                    text=str(values["text"]).strip("\n"),
                    questions=tuple(str(question) for question in values.get("questions", ())),
                    source=str(values.get("source", "")),
                    second=str(values.get("second", "")).strip("\n"),
                )
            )
        except (OSError, ValueError, KeyError) as fault:
            _log.warning("sample %s left out: %r", path.name, fault)
    return tuple(found)
