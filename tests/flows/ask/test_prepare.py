"""The model process prepares documents before the first question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.core.report import Silent, Stopped
from app.core.requests import Question
from app.core.text import Document
from app.flows.ask.question import ask, prepare, with_view
from app.flows.workspace import Workspace, open_workspace
from app.settings.paths import default_paths
from tests.helpers.fake_models import Noted

FILLER = "The rain fell over the hills and nobody in the valley minded it very much at all.\n\n"
TEXT = FILLER * 20 + "The Knave of Hearts stole the tarts in 1865.\n\n" + FILLER * 20


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    home = tmp_path_factory.mktemp("home")
    workspace = open_workspace(default_paths({"SPANLIGHT_HOME": str(home)}))
    yield workspace
    workspace.close()


def test_a_prepared_document_is_asked_without_sending_it_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.client.LONG_TEXT", 3_000)
    prepare(workspace, [Document(TEXT)], Silent(), device="cpu", model="reader-quick")
    taken = workspace.engine._texts.pack(Question("", (with_view(Document(TEXT)),)))[1]
    assert [sent.text for sent in taken] == [None]
    question = Question("When did the Knave steal the tarts?", (Document(TEXT),), quick=True)
    reading = ask(workspace, question, Silent(), device="cpu", model="reader-quick")
    assert reading.answers[0].text == "1865"
    changed = replace(question, documents=(Document(TEXT.replace("1865", "1932")),))
    assert ask(workspace, changed, Silent(), device="cpu", model="reader-quick").answers[0].text == "1932"


def test_a_question_may_stop_it(workspace: Workspace) -> None:
    prepare(workspace, [], Silent(), device="cpu", model="reader-quick")
    pid = workspace.engine.pid

    class Impatient(Noted):
        def check(self) -> None:
            if self.told:
                raise Stopped

    with pytest.raises(Stopped):
        prepare(workspace, [Document(TEXT * 3)], Impatient(), device="cpu", model="reader-quick")
    question = Question("When did the Knave steal the tarts?", (Document(TEXT * 3),), quick=True)
    assert ask(workspace, question, Silent(), device="cpu", model="reader-quick").answers[0].text == "1865"
    assert workspace.engine.pid == pid
