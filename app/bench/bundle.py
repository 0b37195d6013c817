"""Compare an installed bundle with the source: size, time to the window, time to the first answer."""

from __future__ import annotations

import tempfile
from pathlib import Path

from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow, in_turn, row
from app.bench.start import TEXT, Runs, ask_arguments, own_command, process_environment
from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report
from app.flows.workspace import Workspace

_WINDOW, _ANSWER = 9, 5  # the default number of measurements of each
_TRY = "Give the program `spanlight` of an installed or unpacked bundle."


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure the time until the window is painted and until a fresh process answers, in turn with this Spanlight.

    Each is started once before it is timed. Figures are medians in seconds, and the size on disk in MB (10^6 bytes).
    Raises SpanlightError if there is no such program or it does not work, Stopped when cancelled.
    """
    if not plan.bundle:
        raise SpanlightError("No bundle was named.", "Name its program with --bundle.")
    program = Path(plan.bundle).expanduser().absolute()
    if not program.is_file():
        raise SpanlightError(f"{program} is no program.", _TRY)
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text(TEXT, encoding="utf-8")
        runs = Runs(process_environment(Path(folder)), report)

        def paint(command: list[str]) -> float:
            return runs.painted([*command, "--painted"])

        def answer(command: list[str]) -> float:
            return runs.answered([*command, *ask_arguments(text, card.folder, plan.device)], _TRY)

        theirs, ours = [str(program)], own_command()
        for command in (theirs, ours):
            paint(command)
            answer(command)
        painted = in_turn(lambda _: paint(theirs), lambda _: paint(ours), plan.repeats or _WINDOW)
        answered = in_turn(lambda _: answer(theirs), lambda _: answer(ours), plan.repeats or _ANSWER)
    return BenchPart(
        name="bundle",
        title="The bundle beside the source",
        rows=(
            row("start to window painted", painted[0], "s", painted[1], worst=True),
            row("fresh process to first answer, a short text", answered[0], "s", answered[1]),
            BenchRow("on the disk", _megabytes(program), "MB"),
        ),
        notes=(f"The bundle is {program}.",),
        model=card.name,
        device=plan.device,
        reference=f"Spanlight {VERSION} as it runs here",
        details={"painted": painted, "answered": answered},
    )


def _megabytes(program: Path) -> float:
    """Return the size of a bundle's folder with its models; `program` may be a link, or the script that starts it."""
    here = program.resolve().parent
    # As laid out in a folder, an archive, a package.
    for folder in (here, here / "lib", here.parent / "lib" / "spanlight"):
        if (folder / "_internal").is_dir():
            files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
            return sum(path.stat().st_size for path in files) / 1e6
    raise SpanlightError(f"{program} is not in a bundle.", _TRY)
