"""Guesses the labels of texts, and teaches a classifier from the texts that a person has labelled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.labels import ENOUGH, Dataset, GivenLabels, HeldOut, Label
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.offers import Origin, Source
from app.core.plain import json_of
from app.core.report import Progress, Relay, Report
from app.core.requests import ClassCalibrationData, ClassReading, HeadToTeach, ModelChoice
from app.core.results import Classification, TaughtHead
from app.core.rows import without_surrogates
from app.flows.batches import GroupReport
from app.flows.heads.classify_batch import classify_texts
from app.flows.library.embed import vectors_of
from app.flows.models.installed import update_notes
from app.flows.models.installing import names_taken, timestamp
from app.flows.teach.datasets import checked_labels, normalise_text
from app.flows.workspace import Workspace
from app.models.disk.card import read_card
from app.models.disk.config import rename_labels
from app.models.disk.installed import fingerprint
from app.models.disk.names import free_name
from app.models.disk.notes import Notes, read_notes, read_origin, write_notes
from app.models.disk.shelving import Staging
from app.training import linear

if TYPE_CHECKING:
    from app.training.linear import Array

# The names of stored numbers; `_PARTS` are the probabilities of examples that were held out so far.
_VECTORS, _GUESSES, _PARTS = "vectors", "guesses", "parts"
# Texts whose numbers are computed and stored at a time.
_CHUNK = 2000
_MOST_USEFUL = 32
# Each label's words are added to its examples, about as often as makes 24 copies per label, at least once.
_LABEL_COPIES = 24
MORE = 64


@dataclass(frozen=True, slots=True)
class Labelled:
    """A data set with its texts, and the labels given to some of them, by row."""

    dataset: Dataset
    texts: Sequence[str]
    given: Mapping[int, GivenLabels]

    def examples(self) -> tuple[list[int], Examples]:
        """The labelled rows and their examples, without rows whose labels another window has renamed."""
        names, rows, targets = self.dataset.names, [], []
        for row, each in self.given.items():
            known = tuple(names.index(name) for name in each.labels if name in names)
            if known or (self.dataset.multi and not each.labels):
                rows.append(row)
                targets.append(known)
        return rows, Examples([self.texts[row] for row in rows], targets)


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts to learn from, and for each the indices of its labels in the data set."""

    texts: Sequence[str]
    targets: Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Guesses:
    """The probabilities of every text's labels, and the rows of the texts that are most useful to label next.

    `probabilities` are float32[rows, labels]. `taught` is whether a taught classifier computed them; otherwise they
    follow from the labels' words and the labelled texts, or from the words alone if there are none (`first`).
    """

    probabilities: Array
    next_rows: tuple[int, ...]
    taught: bool
    first: bool


def guess(workspace: Workspace, labelled: Labelled, report: Report) -> Guesses:
    """Guess the labels of a data set's texts with its classifier, or from the labels' words and the labelled texts.

    Raises SpanlightError if there is no encoder, Stopped when cancelled.
    """
    dataset, texts, given = labelled.dataset, labelled.texts, labelled.given
    vectors = _vectors(workspace, dataset, texts, report)
    pool = linear.Pool.of(
        vectors, embed_texts(workspace, tuple(label.text for label in dataset.labels), report)
    )
    rows, examples = labelled.examples()
    probabilities = _classifier_probabilities(workspace, dataset, texts, report)
    taught = probabilities is not None
    if probabilities is None:
        wanted = linear.targets_of(examples.targets, len(dataset.labels))
        head = pool.head(rows, wanted, multi=dataset.multi)
        probabilities = head.probabilities(pool.texts)
    open_rows = [row for row, text in enumerate(texts) if row not in given and text.strip()]
    useful = pool.most_useful(probabilities, rows, open_rows, _MOST_USEFUL)
    return Guesses(probabilities, tuple(useful), taught, not given and not taught)


def first_guesses(
    workspace: Workspace, texts: Sequence[str], labels: Sequence[Label], report: Report
) -> Array:
    """The probabilities of labels from their words alone, float32[texts, labels]. Raises as `guess` does."""
    vectors = embed_texts(workspace, tuple(texts), report)
    pool = linear.Pool.of(vectors, embed_texts(workspace, tuple(label.text for label in labels), report))
    head = pool.head([], linear.targets_of([], len(labels)), multi=False)
    return head.probabilities(pool.texts)


def missing(dataset: Dataset, given: Mapping[int, GivenLabels], enough: int = ENOUGH) -> dict[str, int]:
    """How many examples each label still lacks; empty if all labels have enough."""
    return lacking(dataset, Counter(name for each in given.values() for name in each.labels), enough)


def lacking(dataset: Dataset, counts: Mapping[str, int], enough: int = ENOUGH) -> dict[str, int]:
    """The same as `missing`, from the number of examples by label."""
    found = {name: enough - counts.get(name, 0) for name in dataset.names}
    return {name: number for name, number in found.items() if number > 0}


def change_labels(
    workspace: Workspace,
    dataset: Dataset,
    labels: Sequence[Label],
    renamed: Mapping[str, str],
    report: Report,
) -> Dataset:
    """Save new labels; `renamed` maps old names to new ones, under which texts and the classifier keep their labels.

    There is a notice if the classifier's labels could not be renamed. Raises SpanlightError for labels that cannot be
    used, and if they were changed meanwhile.
    """
    changed = workspace.datasets.change_labels(dataset, checked_labels(labels, dataset.multi), dict(renamed))
    if changed.names != dataset.names and changed.names == dataset.renamed(renamed):
        try:
            _rename_in_classifier(workspace, dataset, changed)
        except SpanlightError as fault:
            report.notice(Message("{fault} The classifier has to be taught again.", fault=fault.message))
    return changed


def _rename_in_classifier(workspace: Workspace, dataset: Dataset, renamed: Dataset) -> None:
    """Rename the labels in the classifier that was taught from a data set; its computed probabilities stay valid.

    Raises SpanlightError where its folder cannot be read or written.
    """
    folder = _own_classifier(workspace, dataset)
    if folder is None or (card := read_card(folder)).labels != dataset.names:
        return
    computed_by, guesses = workspace.datasets.numbers(dataset, _GUESSES)
    still_valid = computed_by == _numbers_key(card, dataset)
    notes = read_notes(folder)
    words = _rename_in_description(notes.description, dataset, renamed)
    try:
        rename_labels(folder, renamed.names)
        write_notes(folder, replace(notes, description=words))
    except OSError as fault:
        raise SpanlightError(
            Message("{name} could not be written: {reason}.", name=folder.name, reason=reason_of(fault))
        ) from fault
    if still_valid:
        workspace.datasets.put_numbers(dataset, _GUESSES, _numbers_key(card, dataset), guesses)


def _rename_in_description(description: str, dataset: Dataset, renamed: Dataset) -> str:
    before, after = ", ".join(dataset.names), ", ".join(renamed.names)
    if not isinstance(description, Message):  # written by an older version
        return description.replace(before, after)
    return description.filled(**{**description.values, "labels": after})


def teach(workspace: Workspace, labelled: Labelled, report: Report) -> Dataset:
    """Teach a classifier from the labelled texts, install it, classify all texts, and measure it; returns the data set.

    Partial results are the Dataset once its classifier is installed, and the Guesses once every text is classified.
    Raises SpanlightError for too few examples, a missing encoder, or when the disk refuses; Stopped when cancelled.
    """
    dataset = labelled.dataset
    if few := missing(dataset, labelled.given):
        raise SpanlightError(
            Message(
                "Some labels have fewer than {enough} examples: {labels}.",
                enough=ENOUGH,
                labels=", ".join(few),
            ),
            Message("Label some more texts."),
        )
    card = _teach(workspace, dataset, labelled.examples()[1], report)
    report.check()  # the labels may have been changed during the installation
    workspace.datasets.put_numbers(dataset, _GUESSES, "", b"")  # those of the old classifier
    workspace.datasets.put_held_out(dataset, HeldOut())
    dataset = workspace.datasets.set_model(dataset, card.folder)
    report.partial(dataset)
    labelled = replace(labelled, dataset=dataset)
    report.partial(guess(workspace, labelled, report))
    return measure(workspace, labelled, report)


def measure(workspace: Workspace, labelled: Labelled, report: Report) -> Dataset:
    """Measure a data set's classifier and fit its temperature by cross-validation; returns the data set.

    Raises as `teach` does.
    """
    dataset = labelled.dataset
    held_out = hold_out(workspace, dataset, *labelled.examples(), report)
    report.check()  # as in `teach`
    workspace.datasets.put_held_out(dataset, held_out)
    workspace.datasets.put_numbers(dataset, _PARTS, "", b"")
    _fit_temperature(workspace, dataset, read_card(dataset.model), held_out, report)
    return dataset


def is_unmeasured(workspace: Workspace, dataset: Dataset) -> bool:
    """Whether a data set's classifier was taught but not measured, because that was stopped or Spanlight was closed."""
    try:
        folder = _own_classifier(workspace, dataset)
        is_taught = folder is not None and read_card(folder).labels == dataset.names
    except SpanlightError:  # it cannot be read
        return False
    return is_taught and not workspace.datasets.held_out(dataset).rows


def _teach(workspace: Workspace, dataset: Dataset, examples: Examples, report: Report) -> ModelCard:
    """Teach a classifier, and install it in place of an earlier one. Raises as `teach` does."""
    old = _own_classifier(workspace, dataset)
    name = old.name if old is not None else free_name(dataset.name, names_taken(workspace))
    with Staging(workspace.paths.models, name) as staging:
        teach_into(workspace, dataset, examples, staging.folder, report)
        origin = Origin(Source.TAUGHT, path=_origin_mark(dataset), added=timestamp())
        place = staging.install(origin, replace=old is not None)
    return read_card(place)


def _own_classifier(workspace: Workspace, dataset: Dataset) -> Path | None:
    """The folder of the data set's classifier if it was taught from the data set; else None."""
    folder = Path(dataset.model)
    if not dataset.model or folder.parent != workspace.paths.models:
        return None
    origin = read_origin(folder)
    return (
        folder
        if origin is not None and (origin.source, origin.path) == (Source.TAUGHT, _origin_mark(dataset))
        else None
    )


def _origin_mark(dataset: Dataset) -> str:
    """The path in the origin of a classifier that was taught from the data set."""
    return f"labels {dataset.number}"


def teach_into(
    workspace: Workspace, dataset: Dataset, examples: Examples, folder: Path, report: Report
) -> TaughtHead:
    """Teach a classifier, and write it into a folder. Raises as `teach` does."""
    request = replace(_request(workspace, dataset, examples), output=str(folder))
    taught: TaughtHead = workspace.engine.run(request, None, _Phase(report, Message("Learning")))
    _describe(workspace, dataset, folder, len(examples.texts))
    return taught


def teach_examples_held(
    workspace: Workspace, dataset: Dataset, examples: Examples, held: Sequence[str], seed: int, report: Report
) -> tuple[tuple[float, ...], ...]:
    """Teach a classifier, and return its probabilities for the `held` texts; writes nothing. Raises as `teach` does."""
    request = _request(workspace, dataset, examples)
    texts, none = (*request.texts, *held), ((),) * len(held)
    of_held = tuple(range(len(request.texts), len(texts)))
    request = replace(request, texts=texts, targets=(*request.targets, *none), held=of_held, seed=seed)
    taught: TaughtHead = workspace.engine.run(request, None, _Phase(report, Message("Learning")))
    return taught.held


def classify_held(
    workspace: Workspace,
    dataset: Dataset,
    folder: str,
    texts: Sequence[tuple[str, tuple[str, ...]]],
    report: Report,
) -> HeldOut:
    """The probabilities of the classifier in a folder for texts with known labels. Raises as `teach` does."""
    said = _probabilities(workspace, dataset, folder, [words for words, _ in texts], report)
    return HeldOut(tuple(range(len(texts))), tuple(labels for _, labels in texts), tuple(said))


def _describe(workspace: Workspace, dataset: Dataset, folder: Path, examples: int) -> None:
    """Write a taught model's description into its folder. Raises SpanlightError where the disk refuses."""
    base = workspace.find_model(Head.EMBEDDINGS)
    words = Message(
        "Taught on this computer from {n:,} text of “{dataset}”: {labels}.",
        "Taught on this computer from {n:,} texts of “{dataset}”: {labels}.",
        n=examples,
        dataset=dataset.name,
        labels=", ".join(dataset.names),
    )
    notes = Notes(description=words, licence=base.licence, languages=base.languages)
    try:
        write_notes(folder, notes)
    except OSError as fault:
        raise SpanlightError(
            Message("{name} could not be written: {reason}.", name=folder.name, reason=reason_of(fault)),
            Message("Free some space."),
        ) from fault


def hold_out(
    workspace: Workspace,
    dataset: Dataset,
    rows: Sequence[int],
    examples: Examples,
    report: Report,
) -> HeldOut:
    """The probabilities of examples from classifiers that have not seen them: four-fold cross-validation.

    The probabilities of each fold are stored, and not computed again from the same examples after a stop. Raises as
    `teach` does.
    """
    wanted = linear.targets_of(examples.targets, len(dataset.labels))
    same = [normalise_text(text) for text in examples.texts]
    parts = linear.folds(wanted, texts=same)
    whole = _request(workspace, dataset, examples)
    key = sha256(repr(whole).encode()).hexdigest()
    by, packed = workspace.datasets.numbers(dataset, _PARTS)
    known: list[Sequence[Sequence[float]]] = json.loads(packed) if by == key else []
    found: dict[int, tuple[float, ...]] = {}
    for number, part in enumerate(parts, start=1):
        if number <= len(known):
            found.update(zip(part, map(tuple, known[number - 1]), strict=True))
            continue
        request = replace(whole, held=tuple(part))
        phase = _Phase(report, Message("Checking, part {number} of {parts}", number=number, parts=len(parts)))
        taught: TaughtHead = workspace.engine.run(request, None, phase)
        found.update(zip(part, taught.held, strict=True))
        known.append(taught.held)
        workspace.datasets.put_numbers(dataset, _PARTS, key, json_of(known).encode())
    vectors = embed_texts(workspace, tuple(examples.texts), report)
    curve = linear.learning_curve(vectors, wanted, multi=dataset.multi, texts=same)
    order = sorted(found)
    return HeldOut(
        tuple(rows[at] for at in order),
        tuple(tuple(dataset.names[label] for label in examples.targets[at]) for at in order),
        tuple(found[at] for at in order),
        tuple(curve),
        linear.gain(curve, MORE),
    )


class _Phase(Relay):
    """The Report of one phase of teaching: progress has the phase's name, and partial results are dropped."""

    def __init__(self, report: Report, what: str) -> None:
        super().__init__(report)
        self._what = what

    def progress(self, progress: Progress) -> None:
        if progress.total:
            progress = replace(progress, what=self._what)
        self._report.progress(progress)

    def partial(self, result: object) -> None:
        """Drop partial results."""


def _request(workspace: Workspace, dataset: Dataset, examples: Examples) -> HeadToTeach:
    """The request for teaching, with the labels' words among the examples."""
    each = max(1, _LABEL_COPIES * len(dataset.labels) // max(1, len(examples.texts)))
    words = tuple(label.text for label in dataset.labels) * each
    of_words = tuple((at,) for at in range(len(dataset.labels))) * each
    return HeadToTeach(
        tuple(map(without_surrogates, (*examples.texts, *words))),
        (*examples.targets, *of_words),
        dataset.names,
        workspace.find_model(Head.EMBEDDINGS).folder,
        multi=dataset.multi,
        device=workspace.settings.device,
    )


def _probabilities(
    workspace: Workspace,
    dataset: Dataset,
    folder: str,
    texts: Sequence[str],
    report: Report,
    keep: Callable[[Sequence[tuple[float, ...]]], None] = lambda said: None,
) -> list[tuple[float, ...]]:
    """The probabilities of the classifier in a folder for every text, zeros for a blank one.

    `keep` is called with the probabilities so far, after every chunk and at the end.
    """
    choice = _model_choice(workspace, folder)
    none = (0.0,) * len(dataset.labels)
    found: list[tuple[float, ...]] = []

    def take(text: str, item: Classification | None) -> None:
        found.append(tuple(score.probability for score in item.scores) if item is not None else none)
        if len(found) % _CHUNK == 0 or len(found) == len(texts):
            keep(found)

    whole = GroupReport(_Phase(report, Message("Classifying the texts")), len(texts), Message("texts"))
    classify_texts(workspace, ((text, text) for text in texts), choice, whole, take)
    return found


def _fit_temperature(
    workspace: Workspace, dataset: Dataset, card: ModelCard, held_out: HeldOut, report: Report
) -> None:
    """Fit the classifier's temperature on the held-out texts, and record its figures."""
    from app.flows.teach.figures import figures

    overall = figures(dataset, held_out)
    measured = {"held-out texts": {"texts": float(overall.texts), "accuracy": round(overall.accuracy, 4)}}
    # A temperature can only be fitted if some texts are right and some are wrong.
    if dataset.multi or overall.accuracy in (0.0, 1.0):
        update_notes(card, measured=measured)
        return
    # The classifier may have a temperature from an earlier measure, with which its stored guesses were computed.
    now = card.class_temperature
    readings = tuple(
        ClassReading(tuple(probabilities), dataset.names.index(labels[0]))
        for probabilities, labels in zip(
            linear.at_temperature(held_out.probabilities, now).tolist(), held_out.labels, strict=True
        )
    )
    choice = _model_choice(workspace, card.folder)
    temperature = workspace.engine.run(ClassCalibrationData(readings), choice, report)
    update_notes(card, class_temperature=temperature, measured=measured)
    stored = _stored_probabilities(workspace, dataset, card)
    if stored is not None:
        calm = linear.pack(linear.at_temperature(stored, temperature / now))
        workspace.datasets.put_numbers(dataset, _GUESSES, _numbers_key(card, dataset), calm)


def _classifier_probabilities(
    workspace: Workspace, dataset: Dataset, texts: Sequence[str], report: Report
) -> Array | None:
    """The probabilities of the data set's classifier, stored or computed now; None if it has no usable classifier."""
    if not dataset.model:
        return None
    try:
        card = read_card(dataset.model)
    except SpanlightError:
        return None  # it was removed
    if card.labels != dataset.names:
        return None
    stored = _stored_probabilities(workspace, dataset, card)
    before = linear.pack(stored) if stored is not None else b""
    missing_texts = texts[len(stored) if stored is not None else 0 :]
    if missing_texts:  # some may be stored from before a stop

        def keep(said: Sequence[tuple[float, ...]]) -> None:
            packed = before + linear.pack(said)
            workspace.datasets.put_numbers(dataset, _GUESSES, _numbers_key(card, dataset), packed)

        _probabilities(workspace, dataset, card.folder, missing_texts, report, keep)
        stored = _stored_probabilities(workspace, dataset, card)
    return stored


def _model_choice(workspace: Workspace, folder: str) -> ModelChoice:
    return ModelChoice(folder, workspace.settings.device, workspace.settings.precision)


def _stored_probabilities(workspace: Workspace, dataset: Dataset, card: ModelCard) -> Array | None:
    name, stored = workspace.datasets.numbers(dataset, _GUESSES)
    return linear.unpack(stored, len(dataset.labels)) if name == _numbers_key(card, dataset) else None


def _numbers_key(card: ModelCard, dataset: Dataset) -> str:
    return f"{fingerprint(Path(card.folder))}-{len(dataset.labels)}"


def _vectors(workspace: Workspace, dataset: Dataset, texts: Sequence[str], report: Report) -> Array:
    """The texts' vectors, stored or computed now, chunk by chunk; a stop loses one chunk."""
    card = workspace.find_model(Head.EMBEDDINGS)
    model = fingerprint(Path(card.folder))
    starts = range(0, len(texts), _CHUNK)
    found: list[bytes] = []
    for start in starts:
        by, packed = workspace.datasets.numbers(dataset, f"{_VECTORS} {start}")
        found.append(packed if by == model else b"")
    left = sum(len(texts[at * _CHUNK : (at + 1) * _CHUNK]) for at, packed in enumerate(found) if not packed)
    whole = _reading_report(report, left)
    for at, start in enumerate(starts):
        if not found[at]:
            found[at] = linear.pack(_embed_chunk(workspace, texts[start : start + _CHUNK], whole))
            workspace.datasets.put_numbers(dataset, f"{_VECTORS} {start}", model, found[at])
    return linear.unpack(b"".join(found), card.width)


def embed_texts(workspace: Workspace, texts: Sequence[str], report: Report) -> Array:
    """The unit vectors of texts, float32[texts, width]. Raises as `guess` does."""
    whole = _reading_report(report, len(texts))
    chunks = [texts[start : start + _CHUNK] for start in range(0, max(1, len(texts)), _CHUNK)]
    return linear.joined([_embed_chunk(workspace, chunk, whole) for chunk in chunks])


def _reading_report(report: Report, total: int) -> GroupReport:
    return GroupReport(_Phase(report, Message("Reading the texts")), total, Message("texts"))


def _embed_chunk(workspace: Workspace, texts: Sequence[str], whole: GroupReport) -> Array:
    """The unit vectors of one chunk of texts."""
    vectors = vectors_of(workspace, workspace.find_model(Head.EMBEDDINGS), texts, whole)
    whole.count_done(len(texts))
    return vectors
