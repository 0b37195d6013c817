"""Teaches the reader from a person's corrections, measures whether that helped, and keeps the result as a version."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.corrections import Correction
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard, model_title
from app.core.offers import Origin, Source
from app.core.plain import from_plain, json_of
from app.core.report import Progress, Relay, Report
from app.core.requests import ModelChoice, TrainingRequest
from app.core.rows import without_surrogates
from app.flows.batches import GroupReport
from app.flows.measure.evaluate import QaOutcome, ask_known, qa_figures, question_on
from app.flows.measure.example_files import read_examples
from app.flows.models.installed import origin_of, use
from app.flows.models.installing import install_staged, names_taken, timestamp
from app.flows.models.remove import removal_of, remove
from app.flows.teach.run import (
    MARK,
    ReaderFigures,
    Run,
    delete_run,
    discard_run,
    hold_run,
    read_run,
    save_run,
)
from app.flows.train import QA, train
from app.flows.workspace import Workspace
from app.models.disk import copying
from app.models.disk.card import read_card
from app.models.disk.config import read_config
from app.models.disk.copying import Meter, check_space, files_of
from app.models.disk.installed import fingerprint
from app.models.disk.names import free_name
from app.models.disk.notes import read_notes, write_notes
from app.models.disk.shelving import Staging, delete_tree
from app.models.disk.weights import read_json, read_weights
from app.training.examples import QaExample, qa_row, read_qa, refuse_misplaced

# The fewest corrections to teach a reader from.
FEWEST = 8
# The share of the corrections that is held out, and the bounds of their number.
_HELD, _FEWEST_HELD, _MOST_HELD = 0.2, 3, 100
# Replayed examples of the reader's original training per correction and epoch, which preserve what it knows
# (arXiv 2401.09168).
_REPLAYED = 3
_REPLAY, _KNOWN = "replay.jsonl.xz", "replay-held-out.jsonl.xz"
_EPOCHS, _BATCH, _LENGTH, _MOST_STEPS = 3, 8, 256, 400
# The learning rate for hidden states up to 384 wide; it falls with the square of the width, as measured with 384 and
# 768.
_RATE, _WIDTH = 2e-4, 384
# The lowest third of the layers is frozen, which saves time and memory.
_FROZEN = 3
# The share of the base model in each averaged weight (WiSE-FT, Wortsman et al. 2022).
_OF_BASE = 0.5
# A step takes about as long as asking 4 questions; after this share of a part, its speed is used to estimate the rest.
_QUESTIONS_A_STEP, _TELLING = 4.0, 0.04
_CHECKPOINT_SECONDS = 20.0
# Bytes on the disk per weight: two checkpoints with their moments, the best weights, the finished model.
_ROOM = 34
_LEARN, _HOLD, _MODEL = "learn.jsonl", "held.jsonl", "model"
# The measures of the base and of the version, written after every batch of questions.
_BEFORE_FILE, _AFTER_FILE, _CHUNK = "before.json", "after.json", 32
_NAME = "my-reader"
# The names of figures in a version's notes.
_ON_HELD, _ON_KNOWN, _BEFORE = "held-out corrections", "what it knew", ", before"


@dataclass(frozen=True, slots=True)
class Change:
    """The figures of the base reader and of the version taught from it, on the same questions."""

    before: ReaderFigures
    after: ReaderFigures


@dataclass(frozen=True, slots=True)
class ReaderVersion:
    """A reader that was taught on this computer.

    `base` is the name of the reader that it was taught from, `corrections` how many were used. `held` is measured on
    those that were held out, `known` on questions like those of the base's original training. `made` is ISO 8601, UTC.
    """

    name: str
    folder: str
    base: str
    corrections: int
    held: Change
    known: Change
    made: str

    @property
    def is_better(self) -> bool:
        """Whether its F1 is higher on the held-out corrections, and at most a point lower on what the base knew."""
        return self.held.after.f1 > self.held.before.f1 and self.known.after.f1 >= self.known.before.f1 - 1.0


@dataclass(frozen=True, slots=True)
class UnfinishedTeaching:
    """A run of teaching that was neither finished nor discarded; `step` of `steps` are saved (0 of 0: none yet).

    `base` is the name of the reader that is taught; `begun` is ISO 8601, UTC.
    """

    base: str
    corrections: int
    step: int
    steps: int
    begun: str


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """An unfinished measure: chance, probability, answered, exact and f1 of each question so far, in order."""

    seconds: float = 0.0
    rows: tuple[tuple[float, float, bool, float, float], ...] = ()


def teach_reader(
    workspace: Workspace,
    report: Report,
    *,
    corrections: Sequence[Correction] | Path | None = None,
    base: str = "",
    output: Path | None = None,
) -> ReaderVersion:
    """Teach a reader from corrections (None takes all that are kept), or from a file of questions, and install it.

    The version is not used before `use_version`. `base` is the reader's name or folder, empty for the one in use. With
    `output`, the version is written into that folder instead of being installed.

    Partial results are TrainingSteps; `dev` has the F1 on the held-out corrections if it was just measured. A run that
    was stopped or killed continues from its last checkpoint when this is called again, with its original corrections.
    Raises SpanlightError for too few corrections, a reader that cannot be taught, or a full disk; Stopped when
    cancelled.
    """
    folder = workspace.paths.teaching if output is None else output.with_name(f"{output.name}.teaching")
    with hold_run(folder):
        run = read_run(folder)
        if run is None or output is not None:
            examples = _examples(workspace, corrections)
            card = workspace.find_model(Head.QUESTION_ANSWERING, base)
            if run is None or (run.asked, run.folder) != (_digest(examples), card.folder):
                run = _begin(workspace, folder, examples, card)
        sets = [read_qa(path) for path in (folder / _HOLD, workspace.paths.example_sets / _KNOWN)]
        asked, learning = sum(map(len, sets)), run.steps * _QUESTIONS_A_STEP
        whole = 2 * asked + learning
        if not run.before:
            part = _Phase(report, Message("Measuring the reader"), 0, asked, whole)
            measured, seconds = _measure(workspace, run.folder, sets, folder / _BEFORE_FILE, part)
            run = save_run(folder, dataclasses.replace(run, before=measured, seconds=seconds))
        model = folder / _MODEL
        if not _is_complete(model):
            part = _Phase(report, Message("Teaching"), asked, learning, whole, run.seconds)
            train(workspace, _request(workspace, run, folder), part)
        if not run.after:
            _describe(run, model, workspace.paths.models)  # the measure needs its calibration
            part = _Phase(report, Message("Measuring what it learnt"), asked + learning, asked, whole, 0.0)
            measured, _ = _measure(workspace, str(model), sets, folder / _AFTER_FILE, part)
            run = save_run(folder, dataclasses.replace(run, after=measured))
        _describe(run, model, workspace.paths.models)
        part = _Phase(report, Message("Installing"), whole, 0, whole, 0.0)
        version = _install(workspace, run, model, part) if output is None else _move(run, model, output)
        with suppress(OSError):  # leftovers are deleted when the next run begins
            delete_run(folder)
        return version


def versions(workspace: Workspace, report: Report) -> tuple[ReaderVersion, ...]:
    """The installed readers that were taught on this computer, newest first."""
    found = [version for card in workspace.shelf.cards() if (version := _version(card)) is not None]
    return tuple(sorted(found, key=lambda version: version.made, reverse=True))


def unfinished(workspace: Workspace, report: Report) -> UnfinishedTeaching | None:
    """The run that `teach_reader` would continue, None if there is none."""
    folder = workspace.paths.teaching
    run = read_run(folder)
    if run is None:
        return None
    steps = [path.name.removeprefix("step-") for path in (folder / f"{_MODEL}.run").glob("step-*")]
    step = (
        run.steps if _is_complete(folder / _MODEL) else max((int(s) for s in steps if s.isdigit()), default=0)
    )
    return UnfinishedTeaching(run.base, run.corrections, step, run.steps, run.begun)


def discard_unfinished(workspace: Workspace, report: Report) -> None:
    """Delete the unfinished run, if there is one. Raises Busy while it runs."""
    discard_run(workspace.paths.teaching)


def bases(workspace: Workspace, report: Report) -> tuple[ModelCard, ...]:
    """The installed readers from which a version was taught, and which are no versions themselves."""
    found = versions(workspace, report)
    cards: dict[str, ModelCard] = {}
    for one in found:
        with suppress(SpanlightError):  # it was removed
            card = workspace.find_model(Head.QUESTION_ANSWERING, one.base)
            cards[card.folder] = card
    taught = {one.folder for one in found}
    return tuple(card for folder, card in cards.items() if folder not in taught)


def use_version(workspace: Workspace, name: str, report: Report) -> None:
    """Use this version for questions, or one of the `bases`; "" is the bundled reader.

    Raises SpanlightError if there is none of that name, and where the settings cannot be written.
    """
    base = next((card for card in bases(workspace, report) if card.name == name), None)
    folder = base.folder if base is not None else _find(workspace, name, report).folder if name else ""
    use(workspace, Head.QUESTION_ANSWERING, folder)


def remove_version(workspace: Workspace, name: str, report: Report) -> None:
    """Remove a version and an unfinished run that teaches it; if it was in use, the bundled reader replaces it.

    Raises SpanlightError if there is none of that name, and where the disk refuses; Busy while it is being taught.
    """
    version = _find(workspace, name, report)
    remove(workspace, removal_of(workspace, version.folder, report), report, from_cache=False)


def export_version(workspace: Workspace, name: str, folder: Path, report: Report) -> None:
    """Copy a version into a new folder, from which transformers can load it.

    Raises SpanlightError if there is none of that name, or the folder exists; Stopped when cancelled.
    """
    source = Path(_find(workspace, name, report).folder)
    if folder.exists():
        raise SpanlightError(
            Message("“{folder}” is there already.", folder=str(folder)),
            Message("Give a new folder for the model."),
        )
    part = folder.with_name(f"{folder.name}.part")
    try:
        delete_tree(part)
        part.mkdir(parents=True)
        files = files_of(source)
        meter = Meter(report, Message("Copying"), sum((source / file).stat().st_size for file in files))
        for file in files:
            copying.write(copying.chunks_of(source / file), part / file, meter)
        part.rename(folder)
    except OSError as fault:
        raise copying.refusal(fault, Message("{name} could not be exported", name=name), folder) from fault
    finally:
        with suppress(OSError):
            delete_tree(part)


def _begin(workspace: Workspace, folder: Path, examples: Sequence[QaExample], card: ModelCard) -> Run:
    """Begin a new run in the folder, in place of any other."""
    if len(examples) < FEWEST:
        raise SpanlightError(
            Message("There are too few corrections to learn from: {number}.", number=len(examples)),
            Message("It takes at least {fewest}: correct some more answers.", fewest=FEWEST),
        )
    learn, hold = _split(examples)
    each = _steps_an_epoch(len(learn))
    steps = each * max(1, min(_EPOCHS, _MOST_STEPS // each))
    run = Run(
        card.name,
        card.folder,
        fingerprint(Path(card.folder)),
        len(examples),
        _digest(examples),
        timestamp(),
        steps,
    )
    try:
        delete_run(folder)
        check_space(folder, _ROOM * card.parameters)
        folder.mkdir(parents=True)
        for name, part in ((_LEARN, learn), (_HOLD, hold)):
            rows = (json_of(qa_row(example)) + "\n" for example in part)
            write_atomic(folder / name, "".join(rows).encode())
    except OSError as fault:
        raise copying.refusal(fault, Message("The teaching could not begin"), folder.parent) from fault
    return save_run(folder, run)


def _steps_an_epoch(learnt: int) -> int:
    return ceil(learnt * (1 + _REPLAYED) / _BATCH)


def _examples(workspace: Workspace, corrections: Sequence[Correction] | Path | None) -> list[QaExample]:
    """The corrections as questions with known answers, without lone surrogates, which tokenizers do not accept."""
    if isinstance(corrections, Path):
        found = read_examples(corrections, Head.QUESTION_ANSWERING).items
        examples = [one for one in found if isinstance(one, QaExample)]
        refuse_misplaced(examples, corrections.name)
        examples = _without_conflicts(examples, corrections.name)
    else:
        kept = workspace.corrections.all() if corrections is None else corrections
        examples = [_example(correction) for correction in kept]
    return [
        dataclasses.replace(
            one,
            question=without_surrogates(one.question),
            context=without_surrogates(one.context),
            answers=tuple((without_surrogates(text), start) for text, start in one.answers),
        )
        for one in examples
    ]


def _example(correction: Correction) -> QaExample:
    place = correction.place
    answers = ((correction.words, place.start),) if place is not None else ()
    number, view = str(correction.number), correction.view
    return QaExample(number, correction.passage, correction.question, answers, MARK, view=view)


def _without_conflicts(examples: Sequence[QaExample], name: str) -> list[QaExample]:
    """The examples without duplicates. Raises SpanlightError, which lists questions with different answers."""
    known: dict[tuple[str, str], QaExample] = {}
    differing: dict[str, None] = {}
    for one in examples:
        if not (one.question.strip() and one.context.strip()):
            raise SpanlightError(
                Message("A question or its text is empty in {name}: {id}.", name=name, id=one.id),
                Message("Leave it out."),
            )
        first = known.setdefault((one.question, one.context), one)
        if set(first.answers) != set(one.answers):
            differing[f"“{one.question[:80]}”"] = None
    if differing:
        some = ", ".join([*differing][:5])
        words = (
            Message(
                "{name} has different answers to one question on one text: {some} and {n} more.",
                "{name} has different answers to one question on one text: {some} and {n} more.",
                name=name, some=some, n=len(differing) - 5,
            )
            if len(differing) > 5
            else Message("{name} has different answers to one question on one text: {some}.", name=name, some=some)
        )  # fmt: skip
        raise SpanlightError(words, Message("Keep the right ones."))
    return list(known.values())


def _digest(examples: Sequence[QaExample]) -> str:
    rows = sorted(json_of([one.question, one.context, one.answers]) for one in examples)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _split(examples: Sequence[QaExample]) -> tuple[list[QaExample], list[QaExample]]:
    """Split examples into those to learn from and those to hold out, by a hash, so that they stay held out later."""

    def chance(example: QaExample) -> float:
        words = f"{example.question}\0{example.context}".encode()
        return int(hashlib.sha256(words).hexdigest()[:8], 16) / 2**32

    ranked = sorted(examples, key=chance)
    held = max(_FEWEST_HELD, min(_MOST_HELD, sum(chance(one) < _HELD for one in examples)))
    return ranked[held:], ranked[:held]


def _measure(
    workspace: Workspace, folder: str, sets: Sequence[Sequence[QaExample]], kept: Path, report: Report
) -> tuple[tuple[ReaderFigures, ...], float]:
    """Measure the reader in a folder on each set; returns the figures, and the seconds that it took.

    The outcomes are stored in the file `kept` after each batch, so a stopped measure can be continued.
    """
    choice = ModelChoice(folder, workspace.settings.device, workspace.settings.precision)
    examples = [one for each in sets for one in each]
    known = _read_outcomes(kept)
    rows = list(known.rows[: len(examples)])
    whole = GroupReport(report, len(examples), Message("questions"), before=len(rows))
    while len(rows) < len(examples):
        some = examples[len(rows) : len(rows) + _CHUNK]
        outcomes, _ = ask_known(workspace, ((one, question_on(one)) for one in some), choice, whole)
        rows += [(one.chance, one.probability, one.answered, one.exact, one.f1) for one in outcomes]
        write_atomic(kept, json_of(asdict(_Outcomes(known.seconds + whole.seconds, tuple(rows)))).encode())
    found, at = [], 0
    for part in sets:
        given = zip(part, rows[at : at + len(part)], strict=True)
        figures = qa_figures([QaOutcome(one, *row, windows=0) for one, row in given])
        values = (round(each, 2) for each in (figures.exact, figures.f1, figures.calibration_error))
        found.append(ReaderFigures(figures.questions, *values))
        at += len(part)
    return tuple(found), known.seconds + whole.seconds


def _read_outcomes(kept: Path) -> _Outcomes:
    """Read an unfinished measure; it is empty if it has not begun."""
    try:
        return from_plain(_Outcomes, read_json(kept))
    except (SpanlightError, OSError, ValueError):
        return _Outcomes()


def _request(workspace: Workspace, run: Run, folder: Path) -> TrainingRequest:
    card = read_card(run.folder)
    learn, replay = folder / _LEARN, workspace.paths.example_sets / _REPLAY
    learnt = len(read_qa(learn))
    weight = _REPLAYED * learnt / len(read_qa(replay))
    files = read_weights(Path(run.folder)).files
    largest = max(path.stat().st_size for path in files)
    each = _steps_an_epoch(learnt)
    config = read_config(Path(run.folder), run.base)
    # Layers that share their weights cannot be frozen one by one.
    frozen = {"frozen": float(config.layers // _FROZEN)} if config.family.layer_pattern else {}
    return TrainingRequest(
        QA, run.folder, (f"{learn}*1", f"{replay}*{weight:.6f}"), (f"{folder / _HOLD}*1",), str(folder / _MODEL),
        epochs=float(run.steps // each), learning_rate=_RATE * min(1.0, (_WIDTH / card.width) ** 2), batch_size=_BATCH,
        max_length=min(_LENGTH, card.max_length), warm_up=0.1, evaluate_every=each,
        device=workspace.settings.device,
        options={
            "checkpoint_seconds": _CHECKPOINT_SECONDS, "of_base": _OF_BASE, "last": 1.0,
            "half": float(card.dtype == "float16"), "shard": largest / 1e6 if len(files) > 1 else 0.0,
        } | frozen,
    )  # fmt: skip


def _is_complete(model: Path) -> bool:
    """Whether training has finished, and has written the complete model."""
    try:
        return bool(read_card(model).heads) and not model.with_name(f"{model.name}.run").exists()
    except SpanlightError:
        return False


def _describe(run: Run, model: Path, models: Path) -> None:
    """Write a version's notes: its description, the base's calibration, and its figures once there are any."""
    notes = read_notes(run.folder)
    measured = {
        f"{name}{when}": {
            "questions": float(figures.questions),
            "exact": figures.exact,
            "f1": figures.f1,
            "calibration error": figures.calibration_error,
        }
        for at, name in enumerate((_ON_HELD, _ON_KNOWN) if run.after else ())
        for when, figures in (("", run.after[at]), (_BEFORE, run.before[at]))
    }
    words = Message(
        "Taught on this computer from {n:,} correction; it began with {base}.",
        "Taught on this computer from {n:,} corrections; it began with {base}.",
        n=run.corrections,
        base=model_title(run.base),
    )
    finder = notes.finder if Path(run.folder).parent == models else ""
    notes = dataclasses.replace(notes, description=words, measured=measured, reliability={}, finder=finder)
    try:
        write_notes(model, notes)
    except OSError as fault:
        raise copying.refusal(fault, Message("{name} could not be written", name=_NAME)) from fault


def _install(workspace: Workspace, run: Run, model: Path, report: Report) -> ReaderVersion:
    """Install the version and return it; a run that was killed right after that has installed it already."""
    for card in workspace.shelf.cards():
        origin = origin_of(card.folder)
        if origin is not None and (origin.source, origin.path) == (Source.TAUGHT, run.mark):
            break
    else:
        name = free_name(_NAME, names_taken(workspace))
        files = files_of(model)
        with Staging(workspace.paths.models, name) as stage:
            meter = Meter(report, Message("Installing"), sum((model / file).stat().st_size for file in files))
            placed = [stage.put(model / file, file, meter, link=False) for file in files]
            origin = Origin(Source.TAUGHT, path=run.mark)
            card = install_staged(workspace, stage, origin, read_card(model), placed, report, replace=False)
    version = _version(card)
    assert version is not None
    return version


def _move(run: Run, model: Path, output: Path) -> ReaderVersion:
    """Move the version into the folder `output`, and return it."""
    try:
        with suppress(FileNotFoundError):
            output.rmdir()  # it may exist if it is empty
        os.replace(model, output)
    except OSError as fault:
        raise copying.refusal(
            fault, Message("{file} could not be written", file=str(output)), output.parent
        ) from fault
    held, known = (Change(before, after) for before, after in zip(run.before, run.after, strict=True))
    return ReaderVersion(output.name, str(output), run.base, run.corrections, held, known, timestamp())


def _version(card: ModelCard) -> ReaderVersion | None:
    """The version with this card, None for any other model."""
    origin = origin_of(card.folder)
    if origin is None or origin.source is not Source.TAUGHT:
        return None
    try:
        mark, corrections, _, base = origin.path.split(" ", 3)
        held, known = (
            Change(*(_figures_from_notes(card.measured[f"{name}{when}"]) for when in (_BEFORE, "")))
            for name in (_ON_HELD, _ON_KNOWN)
        )
        if mark != MARK:
            return None
        return ReaderVersion(card.name, card.folder, base, int(corrections), held, known, origin.added)
    except (ValueError, KeyError):
        return None  # a classifier, or notes that were edited by hand


def _figures_from_notes(values: dict[str, float]) -> ReaderFigures:
    return ReaderFigures(int(values["questions"]), values["exact"], values["f1"], values["calibration error"])


def _find(workspace: Workspace, name: str, report: Report) -> ReaderVersion:
    found = next((each for each in versions(workspace, report) if each.name == name), None)
    if found is None:
        raise SpanlightError(
            Message("There is no version “{name}” of the reader.", name=name), Message("Teach one.")
        )
    return found


class _Phase(Relay):
    """The Report of one part of a run, which reports the progress of the whole run, counted in questions.

    The part starts after `at` questions of the `whole`, and takes about as long as asking `size` of them. The time left
    is the part's own plus the `rest` in seconds; without a `rest`, the other parts are assumed to be as fast as this
    one.
    """

    def __init__(
        self, report: Report, what: str, at: float, size: float, whole: float, rest: float | None = None
    ) -> None:
        super().__init__(report)
        self._what, self._at, self._size, self._whole, self._rest = what, at, size, whole, rest
        self._done = 0.0

    def progress(self, progress: Progress) -> None:
        what, left = progress.what, None
        if progress.total:  # the loading of a model has none
            what, self._done = self._what, self._size * progress.fraction
            left = progress.seconds_left if progress.fraction >= _TELLING else None
        if left is not None and self._rest is not None:
            left += self._rest
        elif left is not None:
            left *= (self._whole - self._at - self._done) / max(1.0, self._size - self._done)
        done = round(self._at + self._done)
        self._report.progress(Progress(done, round(self._whole), what, left))
