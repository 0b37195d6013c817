"""The package's copyright file: machine-readable, every licence explained, every library named."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib

from packaging.requirements import Requirement

from app.core.about import COPYRIGHT, NAME, PUBLISHER
from tests.conftest import ROOT

FILE = ROOT / "packaging" / "linux" / "copyright"


def stanzas() -> list[dict[str, str]]:
    """The fields of each paragraph; lines that go on are joined by line breaks."""
    found: list[dict[str, str]] = []
    for paragraph in FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in paragraph.splitlines():
            if line.startswith(" "):
                fields[name] += "\n" + line[1:]
            else:
                name, _, value = line.partition(":")
                assert name not in fields, f"{name} stands twice in one paragraph"
                fields[name] = value.strip()
        found.append(fields)
    return found


def test_it_is_of_the_machine_readable_format() -> None:
    header, first = stanzas()[:2]
    assert header["Format"] == "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    assert (header["Upstream-Name"], header["Upstream-Contact"]) == (NAME, PUBLISHER)
    assert (first["Files"], "Copyright " + first["Copyright"]) == ("*", COPYRIGHT)
    for stanza in stanzas()[1:]:
        assert "License" in stanza
        assert ("Files" in stanza) == ("Copyright" in stanza), stanza


def test_every_licence_that_is_named_is_explained_and_the_other_way_round() -> None:
    named: set[str] = set()
    explained: list[str] = []
    for stanza in stanzas()[1:]:
        if "Files" in stanza:
            named.update(re.split(r" and | or ", stanza["License"]))
        else:
            explained.append(stanza["License"].split("\n")[0])
            assert stanza["License"].count("\n"), f"{stanza['License']} has no text"
    assert len(set(explained)) == len(explained)
    assert set(explained) == named


def test_every_library_that_spanlight_needs_is_named() -> None:
    def name_of(distribution: str) -> str:
        return re.sub(r"[-_.]+", "-", distribution).lower()

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    waiting = [Requirement(line) for line in tomllib.loads(text)["project"]["dependencies"]]
    needed: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        marker = requirement.marker
        if name_of(requirement.name) in needed or (marker and not marker.evaluate({"extra": ""})):
            continue
        needed.add(name_of(requirement.name))
        waiting += [Requirement(line) for line in importlib.metadata.requires(requirement.name) or []]
    comments = "\n".join(stanza.get("Comment", "") for stanza in stanzas())
    lists = re.findall(r"Distributions: ((?:[a-z0-9-]+,?\s+)*[a-z0-9-]+)", comments)
    named = {name for each in lists for name in re.split(r",\s+|\n", each) if name}
    assert needed - named == set()


def test_every_starter_model_and_set_of_examples_is_named() -> None:
    patterns = "\n".join(stanza.get("Files", "") for stanza in stanzas())
    for folder in (ROOT / "resources" / "models").iterdir():
        assert f"*/resources/models/{folder.name}/*" in patterns
    for file in (ROOT / "resources" / "examples").glob("*.jsonl"):
        assert f"*/resources/examples/{file.name}" in patterns
