import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from app.engine.child import ChildBug
from app.flows.check.trial import CheckReport, Trial, TrialResult, require, words_of


class Told(Silent):
    def __init__(self) -> None:
        self.parts: list[object] = []
        self.stop = False

    def partial(self, result: object) -> None:
        self.parts.append(result)

    def check(self) -> None:
        if self.stop:
            raise Stopped


def refuse() -> None:
    require(False, "It is wrong.")


def test_what_fails_does_not_end_the_rest() -> None:
    told = Told()
    trial = Trial(told)
    assert trial.run("one", lambda: 1 / 1)
    assert not trial.run("two", lambda: 1 / 0)
    assert not trial.run("three", refuse)
    assert trial.run("four", list)
    assert [(part.what, part.fault) for part in trial.parts] == [
        ("one", ""),
        ("two", "ZeroDivisionError: division by zero"),
        ("three", "It is wrong."),
        ("four", ""),
    ]
    assert told.parts == trial.parts


def test_a_wish_to_stop_is_no_failure() -> None:
    told = Told()
    trial = Trial(told)
    told.stop = True
    with pytest.raises(Stopped):
        trial.run("one", list)
    assert not trial.parts


def test_what_another_process_raised_is_told_by_its_last_line() -> None:
    traceback = "Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'lxml'\n"
    assert words_of(ChildBug(traceback)) == "ModuleNotFoundError: No module named 'lxml'"


def test_a_fault_is_told_with_its_cause_on_one_line() -> None:
    try:
        try:
            raise OSError("the disk\nis full")
        except OSError as cause:
            raise SpanlightError("It could not be written.", "Make room.") from cause
    except SpanlightError as fault:
        assert words_of(fault) == "It could not be written. Make room. (OSError: the disk is full)"


def test_what_was_tried_elsewhere_counts_too() -> None:
    trial = Trial(Told())
    trial.add(TrialResult("there", 1.0, "No."))
    assert trial.parts[0].fault == "No."


def test_the_result_in_a_sentence() -> None:
    assert CheckReport((TrialResult("One", 1.0),)).sentence == "All 1 things that were tried work."
