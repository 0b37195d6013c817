from __future__ import annotations

import io
import os
import pickle
import signal
from contextlib import closing
from pathlib import Path

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.memory_limit import OUT_OF_MEMORY
from app.core.message import Message
from app.core.report import Progress, Silent, Stopped
from app.engine.child import Child, ChildBug, _PlainUnpickler
from tests.engine import handlers
from tests.helpers.children import POSIX, Listener, gone, once_begun


def test_one_process_answers_all_requests_and_keeps_its_state(shared: Child) -> None:
    first = shared.run(("pid",), Silent())
    before = shared.run(("count",), Silent())
    assert first != os.getpid()
    assert shared.pid == first
    assert shared.run(("count",), Silent()) == before + 1
    assert shared.run(("pid",), Silent()) == first
    assert shared.alive


def test_large_texts_cross_whole(shared: Child) -> None:
    text = "Wort 🤷🏽‍♀️ \0 ﬁ \u202e ترتيب\n" * 200_000
    assert shared.run(("echo", text), Silent()) == text


def test_progress_is_thinned_and_its_end_arrives_and_every_partial_result(shared: Child) -> None:
    listener = Listener()
    assert shared.run(("tell", 20_000), listener) == "told"
    assert listener.told[-1] == Progress(20_000, 20_000, "telling")
    assert len(listener.told) < 2_000
    assert [p.done for p in listener.told] == sorted(p.done for p in listener.told)
    assert listener.partials == list(range(100, 20_001, 100))
    listener = Listener()
    shared.run(("phases", ("one", "two", "two", "three")), listener)
    assert [p.what for p in listener.told] == ["one", "two", "three"], "a new phase is told at once"


def test_every_notice_arrives_once_and_in_its_place(shared: Child) -> None:
    class Mixed(Listener):
        def partial(self, result: object) -> None:
            self.notices.append(f"before {result}")

    sentences = tuple(f"The memory ran out {at} times: “less” 🤏." for at in range(50))
    listener = Mixed()
    assert shared.run(("notices", sentences), listener) == "noticed"
    assert listener.notices == [said for one in sentences for said in (f"before {one}", one)]


def test_an_ended_process_is_followed_by_another(child: Child) -> None:
    first = child.run(("pid",), Silent())
    child.end()
    assert not child.alive
    assert gone(first)
    assert child.run(("pid",), Silent()) not in (None, first)
    child.end()
    child.end()
    assert child.pid is None


def test_a_stop_is_seen_by_the_work_and_the_process_lives_on(shared: Child) -> None:
    before = shared.run(("pid",), Silent())
    with pytest.raises(Stopped):
        shared.run(("until_stopped",), Listener(once_begun))
    assert shared.run(("pid",), Silent()) == before
    assert shared.run(("echo", 1), Silent()) == 1, "a stop is for one request only"


def test_work_that_never_checks_is_killed_and_the_next_request_starts_anew(child: Child) -> None:
    before = child.run(("pid",), Silent())
    with pytest.raises(Stopped):
        child.run(("never_checks",), Listener(once_begun))
    assert gone(before)
    assert not child.alive
    assert child.run(("pid",), Silent()) != before


@pytest.mark.parametrize(
    "error", [RuntimeError("a view is broken"), KeyboardInterrupt()], ids=["bug", "ctrl-c"]
)
def test_an_error_in_the_listener_stops_the_work(shared: Child, error: BaseException) -> None:
    class Broken(Listener):
        def partial(self, result: object) -> None:
            raise error

    with pytest.raises(type(error)):
        shared.run(("until_stopped",), Broken())
    assert shared.run(("echo", "still here"), Silent()) == "still here"


@POSIX
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (-9, "memory ran out"),
        (-11, "crashed"),
        (OUT_OF_MEMORY, "used more memory than it is allowed"),
        (3, "ended while it was at work"),
        (0, "ended while it was at work"),
    ],
)
def test_a_process_that_ends_at_work_is_said_in_a_sentence_and_started_again(
    child: Child, how: int, said: str
) -> None:
    listener = Listener()
    with pytest.raises(EngineLost) as caught:
        child.run(("end", how), listener)
    assert said in caught.value.message
    assert caught.value.message.startswith("The helper process ")
    assert caught.value.hint
    assert listener.partials == ["begun"]
    assert child.run(("echo", "again"), Silent()) == "again"


@POSIX
def test_a_process_lost_between_two_requests_is_replaced_in_silence(child: Child) -> None:
    first = child.run(("pid",), Silent())
    os.kill(first, signal.SIGKILL)
    assert gone(first)
    assert child.run(("pid",), Silent()) != first


def test_faults_cross_as_themselves(shared: Child) -> None:
    with pytest.raises(SpanlightError) as caught:
        shared.run(("fault",), Silent())
    assert (caught.value.message, caught.value.hint) == ("The file is broken.", "Take another.")
    with pytest.raises(handlers.FileFault, match="The file is locked"):
        shared.run(("own_fault",), Silent())
    with pytest.raises(SpanlightError, match="too little free memory"):
        shared.run(("memory",), Silent())


def test_a_bug_crosses_with_its_traceback_and_the_process_lives_on(shared: Child) -> None:
    before = shared.run(("pid",), Silent())
    with pytest.raises(ChildBug, match="nobody thought of this") as caught:
        shared.run(("bug",), Silent())
    assert "handlers.py" in str(caught.value)
    assert "in bug" in str(caught.value)
    with pytest.raises(ChildBug, match="pickle"):
        shared.run(("unpicklable",), Silent())
    assert shared.run(("pid",), Silent()) == before


def test_a_process_begun_early_is_ready_and_the_same_that_answers(child: Child) -> None:
    child.begin()
    first = child.pid
    assert first is not None
    child.begin()
    assert child.run(("is_warm",), Silent()) is True
    assert child.run(("pid",), Silent()) == first == child.pid


def test_a_large_request_can_be_stopped_while_the_process_is_made_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopping(Listener):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks == 15:  # 50 ms apart: by then it would be sent to a process that listens too soon
                raise Stopped

    gate = tmp_path / "gate"
    monkeypatch.setenv("SPANLIGHT_TEST_GATE", str(gate))
    with closing(Child(handlers.make_behind_a_gate, title="test process")) as child:
        child.begin()
        first = child.pid
        with pytest.raises(Stopped):
            child.run(("echo", "a" * 10_000_000), Stopping())
        assert not gate.exists() and child.pid == first and child.alive
        gate.touch()
        assert child.run(("is_warm",), Silent()) is True
        assert child.pid == first


@pytest.mark.parametrize("early", [True, False])
def test_what_a_handler_lacks_is_said_by_each_request(early: bool) -> None:
    with closing(Child(handlers.make_badly, title="test process")) as child:
        if early:
            child.begin()
        for _ in range(2):
            with pytest.raises(SpanlightError, match="not whole: no such library"):
                child.run(("pid",), Silent())
    child.begin()
    assert not child.alive


@pytest.mark.parametrize("reads", [None, ()])
def test_messages_arrive_with_their_values(reads: tuple[str, ...] | None) -> None:
    listener = Listener()
    with (
        closing(Child(handlers.make, title="test process", reads=reads)) as child,
        pytest.raises(SpanlightError) as fault,
    ):
        child.run(("told_fault",), listener)
    for message in (fault.value.message, *listener.notices):
        assert isinstance(message, Message) and message == "1,204 files in the red one."
        assert (message.pattern, message.several) == ("{n:,} file in {folder}.", "{n:,} files in {folder}.")
        where = message.values["folder"]
        assert message.values["n"] == 1204 and isinstance(where, Message)
        assert (where.pattern, where.values) == ("the {colour} one", {"colour": "red"})
    assert isinstance(fault.value.hint, Message) and isinstance(listener.told[0].what, Message)


def test_of_a_confined_process_nothing_but_plain_values_is_taken(tmp_path: Path) -> None:
    """Unpickling calls whatever a pickle names: a process taken over by a file could do all that its parent may."""
    with closing(Child(handlers.make, title="test process", reads=())) as child:
        said = [Progress(1, 2, "words"), {"numbers": (1, 2.5, None)}, b"bytes", frozenset("ab")]
        assert child.run(("echo", said), Silent()) == said
        with pytest.raises(EngineLost):
            child.run(("hostile", str(tmp_path / "made")), Silent())
        assert not (tmp_path / "made").exists()
        for module, name in (
            ("app.core.files", "os.mkdir"),
            ("app.core.files", "size"),
            ("builtins", "eval"),
        ):
            with pytest.raises(pickle.UnpicklingError):
                _PlainUnpickler(io.BytesIO(f"c{module}\n{name}\n.".encode())).load()
        assert child.run(("count",), Silent()) == 1, "another process answers"
