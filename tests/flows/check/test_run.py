"""The self-check reports what does not work, and nothing else."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.flows.check import run
from app.flows.check.run import check
from app.flows.check.trial import TrialResult
from app.settings.paths import default_paths
from tests.conftest import ROOT
from tests.helpers.known_documents import known_documents
from tests.helpers.small_models import small_checkpoint


def test_the_known_documents_are_those_that_are_written() -> None:
    here = {path.name: path.read_bytes() for path in (ROOT / "resources" / "check").iterdir()}
    written = known_documents()
    assert here.keys() == written.keys()
    assert here.pop("lighthouse.png") and written.pop(
        "lighthouse.png"
    )  # drawn alike, and not to the last pixel
    assert here == written


class Told(Silent):
    def __init__(self, until: str = "") -> None:
        self.until = until
        self.parts: list[TrialResult] = []

    def partial(self, result: object) -> None:
        if isinstance(result, TrialResult):
            self.parts.append(result)

    def check(self) -> None:
        if self.until and any(part.what.startswith(self.until) for part in self.parts):
            raise Stopped


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Resources that can be spoilt, with the readers that come along and tiny models for all heads but names.

    They are taken in the place of the real ones; temporary folders lie below `tmp_path`.
    """
    made = tmp_path / "resources"
    made.mkdir()
    for entry in (ROOT / "resources").iterdir():
        if entry.name not in ("check", "models"):
            (made / entry.name).symlink_to(entry)
    for name in ("check", "models"):
        (made / name).mkdir()
    readers = [ROOT / "resources" / "models" / name for name in ("reader-careful", "reader-quick")]
    for entry in (*(ROOT / "resources" / "check").iterdir(), *readers):
        (made / entry.relative_to(ROOT / "resources")).symlink_to(entry)
    tiny: dict[str, Head | tuple[Head, ...]] = {
        "classifier": Head.CLASSIFICATION,
        "words": (Head.MASKED_WORDS, Head.NEXT_SENTENCE),
        "encoder": Head.EMBEDDINGS,
    }
    for name, head in tiny.items():
        small_checkpoint(made / "models" / name, head=head)
    monkeypatch.setattr(run, "default_paths", lambda env: replace(default_paths(env), resources=made))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return made


@pytest.mark.long
def test_what_is_spoilt_is_found_and_the_rest_goes_on(
    resources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = resources / "check"
    (known / "lighthouse.docx").unlink()
    text = (known / "lighthouse.txt").read_text("utf-8").replace("forty kilometres", "eleven miles")
    (known / "lighthouse.txt").unlink()
    (known / "lighthouse.txt").write_text(text, "utf-8")
    told = Told()
    # To find and load every module takes long; tests/cli/test_check.py does it.
    monkeypatch.setattr(run, "find_modules", lambda: (("app.core.about",), ()))
    found = check(None, told)
    failed = {part.what.split(":")[0]: part.fault for part in found.failed}
    no_names = "The starter model loaded to find names"
    assert list(failed) == ["The starter models are there", no_names, "Word", "plain text"]
    assert failed["The starter models are there"] == "None is there to find names."
    assert "lighthouse.docx" in failed["Word"]
    assert failed["plain text"] == "lighthouse.txt was read without “forty kilometres”."
    assert list(found.parts) == told.parts and len(found.parts) > 15
    assert found.versions["torch"] and found.versions["pdfium"] and found.versions["device"]
    assert not list((tmp_path / "temporary").iterdir())


def test_a_stop_leaves_nothing_behind(
    resources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(until="Every module is there")
    monkeypatch.setattr(run, "find_modules", lambda: (("app.core.about",), ()))
    with pytest.raises(Stopped):
        check(None, told)
    assert not list((tmp_path / "temporary").iterdir())


def test_without_a_place_to_write_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(SpanlightError, match="No folder for the check could be made"):
        check(None, Silent())
