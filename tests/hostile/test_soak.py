"""The soak tells what grows from what does not, and a round of it comes to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.conftest import ROOT
from tests.hostile.soak import BOUNDS, WARM_UP, Counted, figures_of, growing

WARM = [300.0, 700.0, 720.0]


def rounds(figure: str, *lives: Sequence[float]) -> list[Counted]:
    """The counts of one figure, a process after another."""
    return [{("window", figure): (pid, value)} for pid, values in enumerate(lives) for value in values]


@pytest.mark.parametrize("figure", BOUNDS)
def test_what_grows_with_every_round_is_said(figure: str) -> None:
    step = 10 * BOUNDS[figure].a_round
    (sentence,), _ = growing(rounds(figure, [*WARM, *(720 + step * number for number in range(15))]))
    assert sentence.startswith("window: ") and f" {figure} more each round" in sentence


@pytest.mark.parametrize("figure", BOUNDS)
def test_what_stays_is_not(figure: str) -> None:
    assert growing(rounds(figure, [*WARM, *[720.0] * 12])) == ([], [])


def test_ups_and_downs_one_jump_and_a_new_process_are_no_growth() -> None:
    assert growing(rounds("MB", [*WARM, *[720.0, 731, 718, 725] * 5])) == ([], [])
    assert growing(rounds("MB", [*WARM, *[720.0] * 10, *[760.0] * 3])) == ([], [])
    assert growing(rounds("MB", *[[*WARM, *[720.0] * 7]] * 3)) == ([], [])


def test_the_longest_life_of_a_process_is_judged() -> None:
    short, steady = [500.0, 800, 860, 870, 884, 885], [720.0] * 9
    assert growing(rounds("MB", short, short, [*WARM, *steady])) == ([], [])
    assert growing(rounds("MB", short, [*WARM, *(720.0 + 15 * number for number in range(9))]))[0]


def test_memory_that_comes_and_goes_as_pytorchs_does_is_no_growth() -> None:
    seen = [523.0, 799, 886, 799, 879, 881, 881, 881, 799, 866, 879, 799, 876, 876, 880]
    assert growing(rounds("MB", seen)) == ([], [])


def test_a_handle_lost_every_few_rounds_is_said() -> None:
    assert growing(rounds("handles", [*WARM, *(720 + number // 6 for number in range(30))]))[0]


def test_too_few_rounds_are_not_judged() -> None:
    assert growing(rounds("MB", [*WARM, 720.0, 900.0, 1100.0])) == ([], ["window"])
    assert len(WARM) == WARM_UP


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems tell less of a process")
def test_this_process_is_counted() -> None:
    found = figures_of(os.getpid())
    assert found["MB"] > 10 and found["handles"] >= 3 and found["threads"] >= 1
    with open(os.devnull) as _:
        assert figures_of(os.getpid())["handles"] == found["handles"] + 1


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_round_comes_to_its_end() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests", "--soak", "0"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("round 1, ")
    assert "Not judged" in found.stdout
