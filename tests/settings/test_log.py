from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings.log import log_bug, start_log


@pytest.fixture(autouse=True)
def restore() -> Iterator[None]:
    logger = logging.getLogger("app")
    state = logger.handlers[:], logger.level, logger.propagate
    yield
    for handler in logger.handlers:
        if handler not in state[0]:
            handler.close()
    logger.handlers[:], logger.level, logger.propagate = state


def test_records_of_the_app_and_bugs_go_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "spanlight.log"
    start_log(path)
    logging.getLogger("app.flows.ask.question").warning("größe")
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError as fault:
        log_bug(fault)
    written = path.read_text(encoding="utf-8")
    assert "größe" in written
    assert "Traceback" in written
    assert "ZeroDivisionError: a bug" in written


def test_the_log_stays_small(tmp_path: Path) -> None:
    start_log(tmp_path / "spanlight.log")
    for _ in range(50):
        logging.getLogger("app").info("x" * 100_000)
    sizes = {each.name: each.stat().st_size for each in tmp_path.iterdir()}
    assert sizes.keys() == {"spanlight.log", "spanlight.log.1", "spanlight.log.2"}
    assert sum(sizes.values()) < 3_100_000


def test_starting_again_moves_the_log_and_a_folder_that_cannot_be_written_is_no_obstacle(
    tmp_path: Path,
) -> None:
    start_log(tmp_path / "one.log")
    start_log(tmp_path / "two.log")
    logging.getLogger("app").warning("moved")
    assert (tmp_path / "one.log").read_text() == ""
    assert (tmp_path / "two.log").read_text().count("moved") == 1
    start_log(tmp_path / "one.log" / "spanlight.log")
    logging.getLogger("app").warning("nowhere to go")


@pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
def test_only_its_owner_reads_the_log(tmp_path: Path) -> None:
    path = tmp_path / "spanlight.log"
    path.touch(mode=0o644)
    start_log(path)
    for _ in range(12):
        logging.getLogger("app").info("x" * 100_000)
    rights = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert rights == {"spanlight.log": 0o600, "spanlight.log.1": 0o600}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without a disk that is always full")
def test_a_full_disk_is_no_obstacle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "spanlight.log").symlink_to("/dev/full")
    start_log(tmp_path / "spanlight.log")
    logging.getLogger("app").warning("nowhere to go")
    assert capsys.readouterr().err == ""
