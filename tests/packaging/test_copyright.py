"""The package's copyright file: machine-readable, every licence explained, every library named."""

from __future__ import annotations

import ast
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


def name_of(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def left_out() -> set[str]:
    """What the bundle does without, though a library that it holds asks for it."""
    tree = ast.parse((ROOT / "packaging" / "bundling" / "contents.py").read_text(encoding="utf-8"))
    lists = [
        each.value.func.value.value
        for each in tree.body
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "").startswith("EXCLUDED")
    ]
    assert len(lists) == 2
    return {name_of(word) for words in lists for word in words.split()}


def test_exactly_the_libraries_that_are_bundled_are_named() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    waiting = [Requirement(line) for line in tomllib.loads(text)["project"]["dependencies"]]
    bundled: set[str] = set()
    without = left_out()
    assert {"fsspec", "typer"} < without
    while waiting:
        requirement = waiting.pop()
        name, marker = name_of(requirement.name), requirement.marker
        if name in bundled | without or (marker and not marker.evaluate({"extra": ""})):
            continue
        if name.startswith(("nvidia-", "cuda-", "triton")):  # a PyTorch for GPUs is never bundled
            continue
        bundled.add(name)
        waiting += [Requirement(line) for line in importlib.metadata.requires(requirement.name) or []]
    comments = "\n".join(stanza.get("Comment", "") for stanza in stanzas())
    lists = re.findall(r"Distributions: ((?:[a-z0-9-]+,?\s+)*[a-z0-9-]+)", comments)
    named = [name for each in lists for name in re.split(r",\s+|\n", each) if name]
    assert sorted(named) == sorted(bundled)


def test_every_starter_model_and_set_of_examples_is_named() -> None:
    patterns = "\n".join(stanza.get("Files", "") for stanza in stanzas())
    for folder in (ROOT / "resources" / "models").iterdir():
        assert f"*/resources/models/{folder.name}/*" in patterns
    for file in (ROOT / "resources" / "examples").glob("*.jsonl*"):
        assert f"*/resources/examples/{file.name}" in patterns
