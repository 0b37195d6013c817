"""Checks of the files and folders in the network settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.network.ledger import clear_ledger, has_ledger, ledger
from app.flows.network.settings import cache_remark, certificates_remark, standard_cache
from app.models.download.ledger import Ledger
from tests.helpers.windows import FakeEngine, open_fake_workspace

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def test_a_file_of_certificates_is_told_from_others(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.pem", tmp_path / "wrong.pem"
    good.write_text(PEM, "utf-8")
    wrong.write_text("-----BEGIN PRIVATE KEY-----\n", "utf-8")
    assert not certificates_remark("  ").words
    assert not certificates_remark(str(good)).bad
    for typed in (str(wrong), str(tmp_path), str(tmp_path / "none.pem"), "a\0b"):
        assert certificates_remark(typed).bad, typed


def test_a_folder_for_downloads(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", "utf-8")
    assert not cache_remark("").words
    assert not cache_remark(str(tmp_path)).words
    remark = cache_remark(str(tmp_path / "new" / "deep"))
    assert not remark.bad and "made" in remark.words
    assert not (tmp_path / "new").exists(), "looking makes nothing"
    for typed in ("relative/folder", str(file), str(file / "below")):
        assert cache_remark(typed).bad, typed


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything can be written here")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert cache_remark(str(tmp_path)).bad
        assert cache_remark(str(tmp_path / "new")).bad
    finally:
        tmp_path.chmod(0o700)


def test_the_standard_cache_is_where_hugging_faces_tools_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert standard_cache() == tmp_path


def test_a_ledger_is_read_and_cleared_and_a_cleared_one_told_from_one_that_never_was(
    spanlight_home: Path,
) -> None:
    workspace = open_fake_workspace(FakeEngine(lambda *_: None))
    assert not has_ledger(workspace, Silent())
    clear_ledger(workspace, Silent())
    assert not has_ledger(workspace, Silent())
    Ledger(str(workspace.paths.ledger_file)).sending("GET", "https://huggingface.co/x", "look up a model")
    assert len(ledger(workspace, Silent())) == 1
    clear_ledger(workspace, Silent())
    assert ledger(workspace, Silent()) == ()
    assert has_ledger(workspace, Silent())
    workspace.paths.ledger_file.unlink()
    workspace.paths.ledger_file.mkdir()
    with pytest.raises(SpanlightError, match="cannot be read"):
        ledger(workspace, Silent())
    with pytest.raises(SpanlightError, match="cannot be cleared"):
        clear_ledger(workspace, Silent())
