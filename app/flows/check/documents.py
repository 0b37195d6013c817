"""A known question asked of a known document of every kind, a page drawn, an answer marked, the history kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from app.core.layout import Kind, Opened
from app.core.requests import Question
from app.flows.ask.pages import draw_part
from app.flows.ask.question import ask
from app.flows.ask.read import read_document
from app.flows.check.trial import Trial, require
from app.flows.history.export_pdf import marked_copies
from app.flows.history.history import everything, past, remember
from app.flows.workspace import Workspace

QUESTION = "How far away can the lamp be seen?"
ANSWER = "forty kilometres away"
PLACE = "the lamp"
FILES = {
    "PDF": ("lighthouse.pdf", Kind.PDF),
    "Word": ("lighthouse.docx", Kind.DOCX),
    "web page": ("lighthouse.html", Kind.HTML),
    "Markdown": ("lighthouse.md", Kind.MARKDOWN),
    "plain text": ("lighthouse.txt", Kind.TEXT),
}


def try_documents(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Try all that is done with documents; what is written goes into the folder."""
    for title, (name, kind) in FILES.items():
        deed = partial(_ask, trial, workspace, workspace.paths.known_documents / name, kind)
        trial.run(f"{title}: opened, asked, answered with its exact words", deed)
    pdf = workspace.paths.known_documents / FILES["PDF"][0]
    trial.run("PDF: a page drawn", partial(_draw, trial, workspace, pdf))
    trial.run("History: kept and found", partial(_keep, trial, workspace, pdf))
    trial.run("PDF: an answer marked in a copy", partial(_mark, trial, workspace, folder / "marked.pdf"))


def _ask(trial: Trial, workspace: Workspace, path: Path, kind: Kind) -> None:
    opened = _opened(trial, workspace, path)
    require(opened.kind is kind, f"{path.name} was read as {opened.kind}.")
    text = opened.document.text
    reading = ask(workspace, Question(QUESTION, (opened.document,)), trial.report)
    best = reading.best
    require(best is not None, f"{path.name} gave no answer.")
    assert best is not None
    require(best.text == ANSWER, f"{path.name} was answered with “{best.text}”, not “{ANSWER}”.")
    place = text[best.span.start : best.span.end]
    require(place == ANSWER, f"In {path.name} the answer is said to stand where “{place}” does.")


def _opened(trial: Trial, workspace: Workspace, path: Path) -> Opened:
    return read_document(workspace, path, trial.report)


def _draw(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = _opened(trial, workspace, path)
    width, height = round(opened.pages[0].width), round(opened.pages[0].height)
    picture = draw_part(workspace, opened, 0, 1.0, 0, 0, width, height, trial.report)
    require(len(set(picture.pixels)) > 16, "The page's picture is empty.")  # letters have soft edges


def _keep(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = _opened(trial, workspace, path)
    question = Question(QUESTION, (opened.document,))
    remember(workspace, opened, question, ask(workspace, question, trial.report), trial.report)
    found = past(workspace, PLACE, trial.report)
    require(
        [entry.question for entry in found.entries] == [QUESTION], "The question is not found in the history."
    )


def _mark(trial: Trial, workspace: Workspace, copy: Path) -> None:
    entries = everything(workspace, "", trial.report)
    marked = marked_copies(workspace, entries, copy, trial.report)
    require(marked.count == 1 and copy.is_file(), "; ".join(marked.notes) or "Nothing was marked.")
