"""What is known of a model before it is downloaded, printed."""

from __future__ import annotations

from dataclasses import asdict

from app.cli.models.words import does, few, make
from app.cli.terminal import TerminalReport, marked, one_line
from app.core.languages import languages
from app.core.offers import Passport
from app.core.wording import duration, size
from app.flows.measure.measure import measured
from app.flows.models.catalogue import suits
from app.flows.workspace import Workspace


def passport_values(passport: Passport) -> dict[str, object]:
    """A passport as `--json` prints it."""
    sizes = {"size": passport.size, "to_fetch": passport.to_fetch, "seconds": passport.seconds}
    return asdict(passport) | sizes


def print_passport(passport: Passport, workspace: Workspace, report: TerminalReport) -> None:
    """Print what a model is, what it would take to fetch it, and why not where it is refused."""
    print(marked(one_line(passport.repository)))
    print(f"  Revision {one_line(passport.commit)}, at {one_line(passport.endpoint)}")
    card = passport.card
    if card is not None:
        print(f"  For {does(card.heads)}")
        if card.labels:
            print(f"  Labels: {few(card.labels)}")
        print(f"  {make(card)}, {card.dtype}")
    print(f"  Licence: {one_line(passport.licence) or 'not stated'}")
    if passport.languages:
        print(f"  Languages: {one_line(languages(passport.languages, 8))}")
    if passport.gated:
        print("  Its owner asks people to register before they download it.")
    if card is None:
        return
    print("  Files:")
    for file in passport.files:
        here = ", in the Hugging Face cache already" if file.cached else ""
        print(f"    {one_line(file.name)}  {size(file.size)}{here}")
    seconds = passport.seconds
    time = f", {_about(seconds)} at {size(round(passport.speed))} a second" if seconds is not None else ""
    print(f"  To download: {size(passport.to_fetch)}{time}")
    if passport.free_disk:
        print(f"  Free disk: {size(passport.free_disk)}")
    if word := suits(passport, workspace, measures=measured(workspace, report)):
        print(f"  {word}")


def _about(seconds: float) -> str:
    return f"about {duration(seconds)}" if seconds >= 2 else "a moment"
