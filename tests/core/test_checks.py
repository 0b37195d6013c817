from app.core.checks import Checked, CheckReport


def test_what_works_is_told_in_one_sentence() -> None:
    found = CheckReport((Checked("one", 0.1), Checked("two", 0.2)))
    assert not found.failed
    assert found.sentence == "All 2 things that were tried work."


def test_the_first_failure_is_named() -> None:
    found = CheckReport((Checked("one", 0.1), Checked("two", 0.2, "Broken."), Checked("three", 0.3, "Too.")))
    assert [part.what for part in found.failed] == ["two", "three"]
    assert found.sentence == "2 of 3 things that were tried failed; the first: two: Broken."
