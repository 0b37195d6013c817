"""The report for bug reports: what is in it, and what never is."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.about import VERSION
from app.core.report import Silent
from app.flows import about as about_flow
from app.flows.about import about, changed_settings, diagnostics, last_lines, places, redact, system
from app.flows.workspace import Workspace, open_workspace
from app.settings.log import start_log
from app.settings.settings import Settings


@pytest.fixture
def workspace(spanlight_home: Path) -> Iterator[Workspace]:
    opened = open_workspace()
    yield opened
    opened.close()
    start_log(spanlight_home / "other" / "x.log")


def test_what_it_is_made_of_and_where_it_runs(workspace: Workspace) -> None:
    here = about(workspace, Silent())
    versions = dict(here.versions)
    assert versions["Spanlight"] == VERSION
    for name in (
        "Python",
        "PyTorch",
        "transformers",
        "tokenizers",
        "safetensors",
        "NumPy",
        "PDFium",
        "SQLite",
    ):
        assert versions[name][0].isdigit(), name
    assert here.processor and here.cores >= 1 and here.memory >= here.free > 0
    assert not here.bundled
    assert [place.folder for place in places(workspace)] == [
        workspace.paths.config,
        workspace.paths.data,
        workspace.paths.models,
        workspace.paths.logs,
    ]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("darwin", "macOS 14.5, arm64"),
        ("win32", "Windows 11, arm64"),
        ("linux", "Testian 9, Windows 11, arm64"),
    ],
)
def test_systems_are_told_as_people_name_them(monkeypatch: pytest.MonkeyPatch, kind: str, said: str) -> None:
    platform = about_flow.platform
    monkeypatch.setattr(about_flow.sys, "platform", kind)
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("14.5", ("", "", ""), "arm64"))
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    monkeypatch.setattr(platform, "release", lambda: "11")
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"PRETTY_NAME": "Testian 9"})
    assert system() == said


def test_it_tells_versions_the_window_models_and_the_log(workspace: Workspace) -> None:
    start_log(workspace.paths.log_file)
    logging.getLogger("app.test").warning("the reader fell over in %s/project", Path.home())
    (workspace.paths.logs / "engine.log").write_text("the engine's own words\n", encoding="utf-8")
    text = diagnostics(workspace, [("Platform", "xcb"), ("Screen 1", "1320 x 860, scale 2")], Silent())
    for told in (
        f"  Spanlight: {VERSION}\n",
        "  PyTorch: ",
        "  Platform: xcb\n",
        "  Documents: none has been read yet\n",
        "  Screen 1: 1320 x 860, scale 2\n",
        "  reader-careful: mpnet, ",
        "  reader-quick: bert, ",
        "Settings that were changed\n  none\n",
        "The end of spanlight.log\n",
        "the reader fell over in ~/project",
        "The end of engine.log\n  the engine's own words\n",
    ):
        assert told in text, told
    assert str(Path.home()) not in text.replace(str(workspace.paths.data.parent), "")


def test_settings_are_told_by_name_and_private_ones_are_not_told() -> None:
    settings = Settings(
        theme="dark",
        ask_top_k=9,
        proxy="http://me:hidden@proxy:80",
        geometry="AAAA",
        recent_files=["/home/x/letter.pdf"],
        models={"question-answering": "/home/x/secret place/my-reader", "fill-mask": ""},
        others={"newer": "value of a newer version"},
    )
    told = dict(changed_settings(settings))
    assert told == {
        "theme": "dark",
        "ask_top_k": "9",
        "proxy": "changed",
        "model for question-answering": "my-reader",
        "newer": "changed, of another version",
    }
    assert changed_settings(Settings(welcomed=True)) == [("none", "")]


@given(st.text("0123456789abcdef", min_size=12, max_size=20))
def test_no_private_setting_gets_into_the_text(secret: str) -> None:
    """Also one that is added later: only those that are known to be harmless are told."""
    settings = Settings()
    harmless = {"theme", "device", "precision", "names_joining", "last_view"}
    texts = [each.name for each in fields(Settings) if each.type == "str" and each.name not in harmless]
    assert {"proxy", "endpoint", "certificates", "hub_cache"} <= set(texts)
    for name in texts:
        setattr(settings, name, f"http://{secret}@host/{secret}")
    settings.recent_files = [f"/home/x/{secret}.pdf"]
    settings.models = {"qa": f"/home/{secret}/model"}
    log = f"opened /home/x/{secret}.pdf and {secret}.pdf over http://{secret}@host/{secret} or ftp://{secret}@other"
    text = redact(settings, "\n".join([*(f"{a} {b}" for a, b in changed_settings(settings)), log]))
    assert secret not in text


def test_the_end_of_a_log_is_short_and_whole(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    assert last_lines(log) == []
    log.write_bytes(b"\xff first\n" + b"".join(b"line %d\n" % number for number in range(100_000)))
    assert last_lines(log) == [f"line {number}" for number in range(99_940, 100_000)]
    log.write_bytes(b"only \xe2\x82\xac\n")
    assert last_lines(log) == ["only €"]
