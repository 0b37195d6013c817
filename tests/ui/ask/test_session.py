"""A question's states and transitions, without a window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.history import KeptAnswer
from app.core.layout import Kind, Opened
from app.core.library import FileState, FoundAnswer, Library, LibraryFile
from app.core.report import Progress
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span
from app.core.wording import percent
from app.flows.history.kept_answers import locate_answers
from app.ui.ask.run import AskRun, RunState, Scope, ScopeKind, TextState, scope_of
from app.ui.ask.session import AskSession, DocumentState, WaitingQuestion, next_question
from tests.helpers.ask_page import finish, take_partial

TEXT = "The tide is high at noon, low at dawn, and the moon is full at midnight."
PART = Reading((), True, 0.1, 0.4, 10, 100, 1.0, complete=False, model="careful", absent=0.05)


def answer(words: str, probability: float = 0.8, rank: float = 1.0) -> Answer:
    at = TEXT.index(words)
    return Answer(0, Span(at, at + len(words)), words, probability, rank, 0.0)


def found(words: str, windows: int, *, model: str = "careful", whole: bool = False) -> Reading:
    """Return a reading of this many of a hundred windows."""
    return replace(PART, answers=(answer(words),), windows=windows, model=model, complete=whole)


def begun(session: AskSession | None = None, question: str = "When?") -> AskRun:
    opened = Opened(Document(TEXT))
    run = AskRun(Question(question, (opened.document,)), (opened,))
    if session is not None:
        session.run = run
    run.begin()
    run.start_reading()
    return run


def texts(run: AskRun) -> list[str]:
    return [one.text for one in run.answers()]


def test_a_question_is_queued_read_and_done() -> None:
    session = AskSession()
    opened = Opened(Document(TEXT))
    session.run = run = AskRun(Question("When?", (opened.document,)), (opened,))
    run.begin()
    assert run.state is RunState.QUEUED and session.running() is run and run.visit() is None
    run.start_reading()
    assert take_partial(run, found("noon", 10)) and run.state is RunState.READING and not run.facts()
    finish(run, found("dawn", 100, whole=True))
    assert run.state is RunState.DONE and session.running() is None and texts(run) == ["dawn"]
    assert run.note == f"{len(TEXT)} characters read whole in 1 second"
    assert run.facts() == "1 second, read whole by careful"
    visit = run.visit()
    assert visit is not None and visit.subject.focus == answer("dawn").span


def test_a_misspelt_question_is_looked_into_as_it_was_read() -> None:
    run = begun(question="whne?")
    finish(run, replace(found("dawn", 100, whole=True), read_as="when?"))
    visit = run.visit()
    assert visit is not None and visit.subject.pair == "when?"


def test_it_is_said_which_reader_found_and_which_read() -> None:
    run = begun()
    both = found("noon", 100, model="reader-careful", whole=True)
    finish(run, replace(both, quick=True, finder="reader-quick"))
    names = "found by Spanlight quick reader, read by Spanlight reader"
    assert run.facts() == f"1 second, the best passages {names}"
    finish(run, replace(found("noon", 100, model="quick", whole=True), quick=True, finder="quick"))
    assert run.facts() == "1 second, the best passages read by quick"
    assert run.note == f"The best passages of {len(TEXT)} characters read in 1 second"


@pytest.mark.parametrize("progress", [None, Progress(2, 100), Progress(34, 100)])
def test_a_stop_counts_as_far_as_the_last_answer_or_progress(progress: Progress | None) -> None:
    run = begun()
    take_partial(run, found("noon", 34))
    if progress is not None:
        run.take_progress(progress)  # the answer may come before its progress
    run.stop()
    assert run.state is RunState.STOPPED and run.note == f"Stopped after {percent(0.34)} of the text"
    assert run.reading is not None and run.reading.windows == 34
    assert run.reading.seconds < 1.0, "as long as it was read, not as of its last answer"
    assert run.facts().endswith("read in part by careful")


def test_without_an_answer_it_is_said_how_far_it_came() -> None:
    run = begun()
    run.stop()
    assert run.note == "Stopped at the start"
    run = begun()
    run.take_progress(Progress(13, 100))
    run.stop("Broke off")
    assert run.note == f"Broke off after {percent(0.13)} of the reading"


def paused(words: str = "noon", windows: int = 30) -> AskRun:
    run = begun()
    take_partial(run, found(words, windows))
    run.take_progress(Progress(windows, 100))
    run.pause()
    return run


def test_what_was_found_stays_until_as_much_was_read_again() -> None:
    run = paused()
    assert run.state is RunState.PAUSED and run.is_running and run.reached == run.shown_share == 0.3
    assert run.note == f"Paused after {percent(0.3)} of the text"
    run.begin()
    assert not run.note and not take_partial(run, found("dawn", 10)) and texts(run) == ["noon"]
    assert not run.take_progress(Progress(10, 100))
    assert run.progress is not None and run.progress.what == "Reading again" and run.fraction == 0.3
    assert run.take_progress(Progress(30, 100)), "what was held back, as nothing better came since"
    assert texts(run) == ["dawn"] and run.progress.what == "Reading"
    assert take_partial(run, found("midnight", 31)) and texts(run) == ["midnight"]


@pytest.mark.parametrize(
    ("windows", "model", "taken"),
    [(10, "careful", False), (30, "careful", True), (10, "another", True), (10, "its finder", False)],
)
def test_less_is_held_back_unless_another_model_reads(windows: int, model: str, taken: bool) -> None:
    run = paused()
    assert run.reading is not None
    run.reading = replace(run.reading, finder="its finder")
    run.begin()
    assert take_partial(run, found("dawn", windows, model=model)) is taken


def test_a_stop_while_it_is_read_again_says_how_far_it_came_once() -> None:
    run = paused()
    took = run.reading
    run.begin()
    run.take_progress(Progress(10, 100))
    run.stop()
    assert run.note == f"Stopped after {percent(0.3)} of the text" and run.reading == took


def test_where_nothing_was_found_before_a_pause_whatever_is_found_shows_at_once() -> None:
    run = begun()
    run.take_progress(Progress(34, 100))
    run.pause()
    run.begin()
    assert take_partial(run, found("noon", 5)) and run.fraction == 0.34
    run.take_progress(Progress(12, 100))
    run.pause()
    run.begin()
    assert not take_partial(run, found("dawn", 4)) and take_partial(run, found("dawn", 12))


def test_an_answer_that_was_gone_to_stays_while_better_ones_come() -> None:
    run = begun()
    take_partial(run, replace(PART, answers=(answer("high"), answer("low", 0.1))))
    run.choose(1)
    take_partial(run, replace(PART, answers=(answer("noon", 0.8),), no_answer_probability=0.15))
    assert texts(run) == ["noon", "low"] and run.chosen == 1
    assert run.answers()[1].probability == pytest.approx(0.05), "no more than what the others leave"
    assert run.place(1).text == "low" and run.place(1).probability == run.answers()[1].probability
    twice = (answer("noon", 0.8), replace(answer("dawn", 0.8), text="Noon"))
    take_partial(run, replace(PART, answers=twice, no_answer_probability=0.15))
    assert run.answers()[2].probability == pytest.approx(0.05), "words that stand twice count once"
    grown = answer("low at dawn", 0.7)
    take_partial(run, replace(PART, answers=(grown, answer("high"))))
    assert run.pinned == grown and run.chosen == 0 and len(run.answers()) == 2, "it grew by a word"
    finish(run, found("noon", 100, whole=True))
    run.choose(0)
    assert run.pinned is not None and run.pinned.text == grown.text, "nothing better comes any more"


def test_an_answer_below_those_found_since_has_the_probability_of_its_rank() -> None:
    run = begun()
    take_partial(run, replace(PART, answers=(answer("high", 0.1, rank=1.0),)))
    run.choose(0)
    both = (answer("noon", 0.4, rank=3.0), answer("dawn", 0.2, rank=2.0))
    take_partial(run, replace(PART, answers=both))
    assert run.answers()[2].probability == pytest.approx(0.1)


def test_the_threshold_and_why_not_decide_what_is_highlighted() -> None:
    run = begun()
    assert run.highlighted() == () and not run.is_answered
    nearest = replace(
        PART,
        answers=(answer("noon", 0.3),),
        answered=False,
        no_answer_probability=0.75,
        complete=True,
        absent=0.3,
    )
    finish(run, nearest)
    assert run.highlighted() == ()
    run.show_nearest(True)
    assert [one.text for one in run.highlighted()] == ["noon"] and not run.is_answered
    run.show_nearest(False)
    run.set_threshold(0.2)
    assert run.is_answered and run.highlighted() and run.judged().threshold == 0.2
    assert nearest.threshold == 0.4 and not run.is_running, "nothing is read again"


def test_a_text_that_was_changed_or_emptied_may_come_back() -> None:
    session = AskSession()
    assert not session.text_changed(is_blank=False, is_same=False), "nothing was asked"
    run = begun(session)

    def edited(blank: bool = False, same: bool = False) -> TextState:
        session.text_changed(is_blank=blank, is_same=same)
        return run.text

    assert edited() is TextState.CHANGED and session.shown_run is run
    assert not session.text_changed(is_blank=False, is_same=False), "once is enough"
    assert edited(same=True) is TextState.SAME
    assert edited(blank=True) is TextState.EMPTIED and session.shown_run is None
    assert session.text_changed(is_blank=False, is_same=False), "another text ends the reading"
    assert run.text is TextState.EMPTIED and edited(same=True) is TextState.SAME


def test_a_file_that_is_read_again_keeps_its_question() -> None:
    session = AskSession(state=DocumentState.LOADING)
    assert session.is_awaited and not session.is_open
    run = begun(session)
    session.file_read(Opened(Document(TEXT, "tides.txt")))
    assert session.is_open and session.name == "tides.txt" and run.text is TextState.SAME
    session.file_read(Opened(Document("Another text.", "tides.txt")))
    assert session.run is run and run.text is TextState.CHANGED and run.visit() is None


def asked(at: float, state: RunState = RunState.PAUSED) -> AskSession:
    session = AskSession()
    run = begun(session)
    run.state, run.asked_at = state, at
    return session


def waiting(at: float) -> AskSession:
    session = AskSession()
    session.waiting = WaitingQuestion("When?", whole=False, asked_at=at)
    return session


def test_the_latest_of_those_that_wait_or_are_paused_comes_next() -> None:
    early, late, done = asked(1), asked(3), asked(9, RunState.DONE)
    middle, newest, elsewhere = waiting(2), waiting(4), AskSession()
    everyone = [early, late, done, middle, newest, elsewhere]
    assert next_question(everyone, [middle, newest], [elsewhere]) is newest
    assert next_question(everyone, [middle], [elsewhere]) is late, "the newest is not ready"
    assert next_question([early, middle], [middle], [elsewhere]) is middle
    assert next_question([early, elsewhere], [], [elsewhere]) is early
    assert next_question([done, newest], [], [done]) is None


@pytest.mark.parametrize("state", [RunState.READING, RunState.QUEUED])
def test_while_one_is_read_for_only_a_newer_one_of_the_current_sheet_goes_first(state: RunState) -> None:
    reading, older, newer = asked(2, state), waiting(1), waiting(3)
    everyone = [reading, asked(1), older, newer]
    assert next_question(everyone, [older, newer], [newer]) is newer
    assert next_question(everyone, [older, newer], [older]) is None
    assert next_question(everyone, [older, newer], [reading]) is None
    assert next_question(everyone, [older], [newer]) is None, "its file is not open yet"


@pytest.mark.parametrize(
    "scope", [Scope(), Scope(ScopeKind.OPEN), Scope(ScopeKind.LIBRARY, 3), Scope(ScopeKind.LIBRARY, 12)]
)
def test_what_is_asked_is_the_same_after_it_was_saved(scope: Scope) -> None:
    assert scope_of(scope.key) == scope


@pytest.mark.parametrize("key", ["library:", "library:x", "library:-1", "elsewhere"])
def test_a_key_that_is_none_means_the_document_on_the_page(key: str) -> None:
    assert scope_of(key) == Scope()


def across(*names: str) -> AskRun:
    """Return a question that is read for, about this many documents with the same text."""
    documents = tuple(Opened(Document(TEXT, name)) for name in names)
    request = Question("When?", tuple(one.document for one in documents))
    run = AskRun(request, documents, None, keys=names, chosen=-1)
    run.begin()
    run.start_reading()
    return run


def test_answers_in_several_documents_are_grouped_and_the_place_gone_to_stays_chosen() -> None:
    run = across("one", "two")
    assert run.scope == Scope(ScopeKind.OPEN) and run.activity == "Reading 2 documents"
    run.take_progress(Progress(1, 9, "windows", document=1))
    assert run.progress is not None and run.progress.what == "Reading two"
    noon, dawn = answer("noon", 0.4), replace(answer("dawn", 0.3), document=1)
    take_partial(run, replace(PART, answers=(noon, dawn)))
    assert run.chosen == -1, "nothing was gone to"
    run.chosen = 1
    high = replace(answer("high", 0.5), document=1)
    finish(run, replace(PART, answers=(high, noon, dawn), complete=True))
    assert [(run.place(at).document, run.place(at).text) for at in range(3)] == [
        ("two", "high"),
        ("two", "dawn"),
        ("one", "noon"),
    ]
    assert run.chosen == 1 and run.visit() is None
    entry = run.entry(1)
    assert entry.name == "two" and [one.text for one in entry.answers] == ["dawn", "high"]
    assert run.no_answer == "Not in the 2 open documents."
    run.chosen = 2
    finish(run, replace(PART, answers=(high,), complete=True))
    assert run.chosen == -1, "it is not among them any more"


@pytest.mark.parametrize("names", [("one",), ("one", "two")])
def test_an_answer_that_is_shown_again_is_still_one_of_several_documents(names: tuple[str, ...]) -> None:
    run, opened = across(*names), Opened(Document(TEXT, "one"))
    finish(run, replace(PART, answers=(answer("noon"),), complete=True))
    entry = run.entry(0)
    assert entry.shared == (len(names) > 1)
    session = AskSession()
    session.restore(entry, locate_answers(opened, entry), PART, None)
    assert session.run is not None and session.run.entries()[0].shared == entry.shared


def test_an_answer_of_a_library_says_that_its_words_were_recognised() -> None:
    file = LibraryFile(0, "/papers/scan.pdf", FileState.READ, sha256="", kind=Kind.PDF)
    found = FoundAnswer(file, KeptAnswer(Span(0, 3), "six", 0.9, "six"), "Text recognised, English, 96% sure")
    run = AskRun(Question("When?", ()), (), None, library=Library(1, "Papers", ()), found=(found,))
    assert run.place(0).recognised == "Text recognised, English, 96% sure"


def test_answers_in_files_of_equal_names_show_their_folders() -> None:
    found = tuple(
        FoundAnswer(LibraryFile(0, path, FileState.READ), KeptAnswer(Span(0, 3), "six", 0.9, "six"))
        for path in ("/2024/lease.txt", "/2025/lease.txt", "/2025/lease.txt", "/2025/other.txt")
    )
    run = AskRun(Question("When?", ()), (), None, library=Library(1, "Papers", ()), found=found)
    names = [run.place(at).source for at in range(4)]
    assert names == ["lease.txt · 2024", "lease.txt · 2025", "lease.txt · 2025", "other.txt"]
