"""Choosing the model of a task, saving the choice, and returning to the default."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.offers import Origin, Source
from app.flows.models.installed import use
from app.flows.workspace import Workspace
from app.models.disk.notes import write_origin
from app.settings import settings as settings_file
from tests.helpers.cards import CLASSIFY, QA
from tests.helpers.installing import STARTER, a_workspace
from tests.helpers.small_models import small_checkpoint


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "reader", "bert", QA)


@pytest.fixture
def workspace(reader: Path, tmp_path: Path) -> Iterator[Workspace]:
    with a_workspace(tmp_path / "home", reader) as opened:
        shutil.copytree(reader, opened.paths.models / "mine")
        write_origin(opened.paths.models / "mine", Origin(Source.HUB, repository="org/tiny"))
        yield opened


def kept(workspace: Workspace) -> dict[str, str]:
    return settings_file.load(workspace.paths.settings_file).models


@pytest.mark.parametrize("name", ["mine", " Mine ", "org/tiny", "ORG/Tiny"])
def test_a_model_is_chosen_and_kept(workspace: Workspace, name: str) -> None:
    card = use(workspace, QA, name)
    assert card.name == "mine"
    assert kept(workspace) == {QA.value: "mine"}
    assert workspace.find_model(QA) == card


def test_without_a_name_it_is_the_first_again(workspace: Workspace) -> None:
    use(workspace, QA, STARTER)
    assert workspace.find_model(QA).name == STARTER
    assert use(workspace, QA, "") == workspace.find_model(QA)
    assert kept(workspace) == {}


def test_one_that_another_hides_is_kept_by_its_folder(workspace: Workspace, reader: Path) -> None:
    shutil.copytree(reader, workspace.paths.models / STARTER)
    hidden = workspace.paths.starter_models / STARTER
    assert use(workspace, QA, str(hidden)).folder == str(hidden)
    assert kept(workspace) == {QA.value: str(hidden)}
    assert workspace.find_model(QA).folder == str(hidden)


@pytest.mark.parametrize(("head", "name"), [(QA, "nobody"), (CLASSIFY, "mine"), (Head.MASKED_WORDS, "")])
def test_what_cannot_be_used_changes_nothing(workspace: Workspace, head: Head, name: str) -> None:
    use(workspace, QA, "mine")
    with pytest.raises(SpanlightError) as caught:
        use(workspace, head, name)
    assert caught.value.hint
    assert workspace.settings.models == kept(workspace) == {QA.value: "mine"}


def test_settings_that_cannot_be_written_leave_the_choice(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(workspace, QA, "mine")

    def full(*_: object) -> None:
        raise SpanlightError("The disk is full.", "Free some space.")

    monkeypatch.setattr(settings_file, "save", full)
    for name in (STARTER, ""):
        with pytest.raises(SpanlightError, match="full"):
            use(workspace, QA, name)
        assert workspace.settings.models == {QA.value: "mine"}
