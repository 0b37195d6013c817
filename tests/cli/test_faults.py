"""Errors are one line on standard error, with an exit code."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from pathlib import Path

import pytest

from app.__main__ import COMMANDS
from app.__main__ import main as start
from app.core import about
from app.core.report import Stopped
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import Command

# FILE is a text, FOLDER the folder that it lies in, with the folders `bare` and `pictures`.
WRONG = [
    ("sing", "no command"),
    ("ask", "No file was given"),
    ("ask FILE", "No question was given"),
    ("ask FILE -q ' '", "question is empty"),
    ("ask nowhere.txt -q Who?", "no file"),
    ("ask - - -q Who?", "only once"),
    ("ask FILE -q Who? --bogus", "--bogus"),
    ("ask FILE -q Who? --top-k 0", "--top-k"),
    ("ask FILE -q Who? --top-k two", "two is not a whole number"),
    ("ask FILE -q Who? --threshold 1.5", "--threshold"),
    ("ask FILE -q Who? --threshold 65", "between 0 and 1: for 65%, write 0.65"),
    ("ask FILE -q Who? --threshold 650", "650 is not between 0 and 1. See "),
    ("ask FILE -q Who? --threshold high", "high is not a number"),
    ("ask FILE -q Who? --threshold 0.5 --always-answer", "not allowed"),
    ("ask FILE -q Who? --model gone", "no model"),
    ("ask FILE -q Who? --output x", "--output goes with --batch"),
    ("ask --batch FILE", "Add --output"),
    ("ask FILE --batch FILE --output x", "its own texts"),
    ("ask --batch FILE --output FOLDER/x.jsonl", "not a JSON object"),
    ("ask FILE -q Who? --quik", "Did you mean --quick? See "),
    ("ask FILE -q Who? --treshold=0.5", "Did you mean --threshold? See "),
    ("ask FILE -q Who? --precision float23", "Did you mean float32? See "),
    ("ask FOLDER/bare -q Who?", "There is no document in"),
    ("ask --library gone -q Who?", "There is no library “gone”"),
    ("ask --library court", "No question was given"),
    ("ask FOLDER --library court -q Who?", "Either files or a library"),
    ("ask --library court -q Who? --every-passage", "Leave --every-passage out"),
    ("ask --library court --batch x --output y", "its own texts"),
    ("library sing", "library knows no word “sing”"),
    ("library stats", "Did you mean status?"),
    ("library add", "required"),
    ("library add ''", "Argument PATH: the name is empty."),
    ("ask '' -q Who?", "Argument FILE: the name is empty."),
    ("table FILE --over '' --output FOLDER/out.csv", "Argument --over: the name is empty."),
    ("library add FOLDER/nowhere", "There is nothing at"),
    ("library add FOLDER/bare", "/bare. Name another folder."),
    ("library add FOLDER/pictures", "only files of other kinds: 1 .jpg"),
    ("library remove", "required"),
    ("library status gone", "There is no library “gone”"),
    ("table FILE --over FOLDER", "--output is missing. Add --output OUT.xlsx."),
    ("table FILE --output FOLDER/out.csv", "--over is missing. Add --over FOLDER."),
    ("table FILE --over FOLDER --output FOLDER/out.txt", "Tables cannot be written as “out.txt”."),
    ("table FILE --over FOLDER --output FOLDER/out.jsonl --beside", ".csv or .xlsx."),
    ("table FILE --over nowhere --output FOLDER/out.csv", "There is no library “nowhere”."),
    ("table FILE --over no/where --output FOLDER/out.csv", "There is nothing at “"),
    ("table gone.txt --over FOLDER --output FOLDER/out.csv", "There is no file “gone.txt”"),
    ("table FILE --over FOLDER/bare --output FOLDER/out.csv", "There is no document in "),
    ("table FILE --over FOLDER --dry-run", "--dry-run goes with --cluster."),
    ("table FILE --cluster local", "--over is missing."),
    ("table FILE --over FOLDER --cluster local", "--output is missing."),
    ("table FILE --over x --output y --cluster local --beside", "--beside, --anew and --name do not go with"),
    ("table FILE --over x --output y --cluster local --name n", "--beside, --anew and --name do not go with"),
    ("table FILE x", "x is one argument too many."),
    ("table import x --over FOLDER", "x is one argument too many."),
    ("classify", "either texts"),
    ("classify '' x --model none", "Text 1 of 2 is empty"),
    ("classify a --batch b", "either texts"),
    ("classify a --column c", "--column goes with --file"),
    ("classify --file FILE --column c", "no column"),
    ("classify --file FILE --column c --output FILE", "would overwrite what is read"),
    ("classify a --output b", "--output goes with"),
    ("classify a --precision float8", "float8"),
    ("classify a --cluster local", "--cluster goes with --file."),
    ("classify --file FILE --cluster local", "--cluster goes with --file and --output"),
    ("fill", "either a text or --file"),
    ("fill 'a ___' --file x", "either a text or --file"),
    ("fill 'a cup'", "There is no blank to fill in."),
    ("fill 'a ___' --word b --word c", "2 words for 1 blank."),
    ("fill 'a ___' --top-k 0", "less than 1"),
    ("next", "Give either --first and --second, or --pairs."),
    ("next --first a --second b --pairs x.jsonl", "Give either --first and --second"),
    ("next --first a", "--first and --second go together."),
    ("next --first a --second ' '", "The second passage is empty."),
    ("next --first - --second -", "Standard input can be read only once."),
    ("next --pairs nowhere.jsonl", "There is no file"),
    ("tokens", "No text and no file"),
    ("tokens nowhere.txt", "no file “nowhere.txt”"),
    ("tokens - -", "only once"),
    ("tokens a --csv --conll", "not allowed"),
    ("tokens a --json --csv", "One form"),
    ("tokens a --joining best", "invalid choice"),
    ("tokens a ''", "Text 2 of 2 is empty"),
    ("evaluate sing FILE", "invalid choice"),
    ("evaluate qa FILE --join 1,x", "--join"),
    ("evaluate qa FILE --join -1", "--join"),
    ("evaluate qa nowhere.jsonl", "There is no file"),
    ("evaluate qa FILE", "does not hold examples"),
    ("evaluate tokens FILE --join 2", "--join goes with qa"),
    ("evaluate tokens FILE", "is not a JSON object"),
    ("evaluate pretraining FILE --fit", "--fit goes with qa and classification"),
    ("evaluate pretraining nowhere.txt", "There is no file"),
    ("evaluate documents FILE", "a file of questions and a folder"),
    ("evaluate documents FILE FOLDER FILE", "several such pairs"),
    ("evaluate documents FILE FOLDER", "is not a JSON object"),
    ("evaluate tables FILE FILE", "takes one file"),
    ("evaluate qa FILE --predictions x", "--predictions goes with documents and tables"),
    ("teach", "classification or reader"),
    ("train qa", "required"),
    ("train qa --base x --examples FILE --dev FILE --output y --option z", "NAME=NUMBER"),
    ("train qa --base x --examples FILE --dev FILE --output y", "no base model"),
    ("models lits", "Did you mean list? See "),
    ("models install", "models knows no word “install”. See "),
    ("models list extra", "Unrecognized arguments: extra"),
    ("models offline maybe", "invalid choice"),
    ("models use sing reader", "there is no task sing: it is one of ask, classify, fill, follow, names"),
    ("models measure", "needs a model's NAME"),
    ("models measure nobody", "There is no model"),
    ("models measure reader none.jsonl", "There is no file “none.jsonl”"),
    ("models measure reader --limit -1", "less than 0"),
    ("history word --check 1", "Words go with a list only."),
    ("history --yes", "--yes goes with --delete-all."),
    ("history --check 99", "no entry 99"),
    ("export 1 --search x", "Numbers and --search cannot go together."),
    ("export 99", "no entry 99"),
    ("export --json", "--format json"),
    ("export --search zebra", "nothing to export"),
    ("export --format pdf", "Name a file"),
    ("updates", "no address yet"),
    ("updates --feed http://example.org/", "Without https"),
]


@pytest.mark.parametrize(("typed", "words"), WRONG, ids=[typed for typed, _ in WRONG])
def test_errors_are_one_line_and_exit_code_2(
    command: Command, document: str, tmp_path: Path, typed: str, words: str
) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.jpg").write_bytes(b"x")
    given = shlex.split(typed)
    code, out, err = command(*(e.replace("FILE", document).replace("FOLDER", str(tmp_path)) for e in given))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize(
    ("typed", "meant"), [("clasify", "classify"), ("--chekc", "--check"), ("nowhere.txt", "")]
)
def test_a_mistyped_command_is_asked_after(
    capsys: pytest.CaptureFixture[str], typed: str, meant: str
) -> None:
    assert start([typed]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.count("Did you mean") == bool(meant)
    assert f"Did you mean {meant}? " in line or not meant


@pytest.mark.parametrize("name", COMMANDS)
def test_help(command: Command, name: str) -> None:
    code, out, err = command(name, "--help")
    assert (code, err) == (0, "")
    assert f"{about.command()} {name}" in out


def test_a_bug_is_logged_and_exit_code_1(command: Command, document: str, spanlight_home: Path) -> None:
    def fail(request: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    engine = FakeEngine(fail)
    code, out, err = command("ask", document, "-q", "Who?", engine=engine)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "ZeroDivisionError" in err
    log = (spanlight_home / "logs" / "spanlight.log").read_text()
    assert "a bug of ours" in log
    assert "Traceback" in log
    assert engine.closed


def test_a_full_disk_is_told_and_is_no_bug_to_the_log(
    command: Command, document: str, spanlight_home: Path
) -> None:
    def full(request: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    code, out, err = command("ask", document, "-q", "Who?", engine=FakeEngine(full))
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert "uncaught" not in (spanlight_home / "logs" / "spanlight.log").read_text()


@pytest.mark.parametrize("fault", [Stopped(), KeyboardInterrupt()])
def test_stopped_is_exit_code_130(command: Command, document: str, fault: BaseException) -> None:
    def stop(request: object) -> None:
        raise fault

    engine = FakeEngine(stop)
    assert command("ask", document, "-q", "Who?", engine=engine)[0] == 130
    assert engine.closed


def test_where_bench_was_left_out_one_sentence_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "app.bench", None)
    code, out, err = command("bench")
    assert (code, out) == (2, "") and "does not come along with an installer" in err


def test_what_bench_itself_lacks_is_no_installers_doing(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "app.bench.command", raising=False)
    monkeypatch.delattr("app.bench.command", raising=False)
    monkeypatch.setitem(sys.modules, "app.bench.plan", None)
    code, _, err = command("bench")
    assert code == 2 and "does not come along" not in err
