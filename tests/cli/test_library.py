"""Libraries in the terminal: add, list, status, update, remove, and ask them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from app.cli.reading import FOLDERS
from app.cli.terminal import TerminalReport
from app.core.library import Library, LibraryStatus
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, Question
from app.core.wording import NEAREST_WORDS
from app.flows.library import folders
from app.flows.library import update as update_module
from app.library.index import Index
from tests.flows.fake_engine import READER, FakeEngine, FakeShelf, Slow
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import make_older, refuse, written
from tests.helpers.scans import letter, needs_tesseract, scan
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf
from tests.helpers.terminal import AsJson, Command

TARTS = "# Trial\n\nThe King sat.\n\nThe Knave stole the tarts.\n"
UNREAD = ["empty.txt", "locked.pdf"]


@pytest.fixture(autouse=True)
def reading_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let updates read documents in this process."""
    monkeypatch.setattr(update_module, "Documents", lambda logs: documents_here())


@pytest.fixture
def court(tmp_path: Path) -> Path:
    """A folder with three documents, two that cannot be read, and three files that are left out."""
    folder = tmp_path / "court"
    (folder / "more").mkdir(parents=True)
    (folder / "tarts.md").write_text(TARTS)
    (folder / "queen.pdf").write_bytes(
        small_pdf([Page(lines(words)) for words in ("A queen.", "Her roses.")])
    )
    (folder / "more" / "hatter.txt").write_text("The Hatter drinks tea. He has no tarts.")
    (folder / "locked.pdf").write_bytes(locked_pdf("The Knave.", "hearts"))
    (folder / "empty.txt").write_text("")
    for name in (".hidden.txt", "hole.jpg", "README"):
        (folder / name).write_text("The tarts are here.")
    return folder


@pytest.fixture
def added(command: Command, court: Path) -> Path:
    """The folder as the library "court"."""
    assert command("library", "add", str(court))[0] == 0
    return court


def test_a_folder_is_added_and_what_was_not_read_is_told(command: Command, court: Path) -> None:
    code, out, err = command("library", "add", str(court))
    assert (code, err) == (0, "")
    told = out.splitlines()
    assert told[0] == "court"
    assert told[1].startswith("  3 files read, 2 could not be read, in ")
    assert told[2:4] == [
        "  3 of 5 files read, 21 words",
        "  Other kinds, left out: 1 .jpg, 1 without an extension",
    ]
    assert told[4].startswith("  Not read: ")
    assert [line.partition(": ")[0] for line in told[5:]] == [f"    {court / name}" for name in UNREAD]
    assert "password" in told[6]


def test_libraries_are_listed(command: Command, added: Path, as_json: AsJson) -> None:
    command(
        "library", "add", str(added / "more"), "--name", "Tea party", "--suffix", ".TXT", "--ignore", "old*"
    )
    both = "  1 file read, 8 words\n", "  3 of 5 files read, 21 words\n"
    assert command("library")[1] == (
        f"court\n{both[1]}  {added}\nTea party\n{both[0]}  {added / 'more'}\n  Only .txt\n  Without old*\n"
    )
    second, first = as_json("library", "list")["libraries"]
    assert (first["name"], first["suffixes"], first["ignore"]) == ("Tea party", ["txt"], ["old*"])
    assert (second["roots"], second["read"], second["total"]) == ([str(added)], 3, 5)


def test_the_status_names_what_is_read_in_part(command: Command, court: Path, as_json: AsJson) -> None:
    queen = court / "queen.pdf"
    queen.write_bytes(queen.read_bytes().partition(b"xref")[0])
    assert command("library", "add", str(court))[0] == 0
    told = as_json("library", "status", "court")
    assert (told["read"], [each["path"] for each in told["in_part"]]) == (3, [str(queen)])
    out = command("library", "status", "court")[1]
    assert "  3 of 5 files read, 1 in part, " in out and "\n  Read in part: 1 file\n" in out
    assert f"    {queen}: This PDF is damaged" in out
    told = as_json(*ASK, "Who stole the tarts?")["library"]["read_in_part"]
    assert [each["path"] for each in told] == [str(queen)] and "This PDF is damaged" in told[0]["reason"]
    assert "\n3 of 5 files read, 1 in part (" in command(*ASK, "Who stole the tarts?")[1]
    assert command(*ASK, "Who is the King: zebra?")[1].splitlines()[1] == "3 of 5 files read, 1 in part."


def test_without_libraries_the_first_step_is_told(command: Command, as_json: AsJson) -> None:
    for words in ("list", "update", "status"):
        assert "library add FOLDER" in command("library", words)[1]
        assert as_json("library", words) == {"libraries": []}


def test_the_status_names_what_is_not_read(command: Command, added: Path, as_json: AsJson) -> None:
    (added / "new.txt").write_text("A new one.")
    (added / "tarts.md").write_text("There are none any more.")
    told = as_json("library", "status", "Court")
    assert (told["read"], told["to_read"], told["missing"], told["refused"]) == (3, 2, [], [])
    assert [Path(each["path"]).name for each in told["not_read"]] == UNREAD
    assert [each["state"] for each in told["not_read"]][1] == "locked"
    assert all(each["reason"] for each in told["not_read"])
    assert told["left_out"] == {"jpg": 1, "": 1}
    lines = command("library", "status", "court")[1].splitlines()
    assert lines[:3] == ["court", "  3 of 5 files read, 21 words", f"  {added}"]
    assert lines[3].startswith("  2 files new or changed: ") and lines[3].endswith(" library update court")
    assert [line for line in lines if line.startswith(f"    {added}/locked.pdf: ")]


def test_without_a_name_the_status_is_that_of_all_libraries(
    command: Command, added: Path, as_json: AsJson
) -> None:
    one, named = command("library", "status"), command("library", "status", "court")
    assert one == named and one[0] == 0
    command("library", "add", str(added / "more"))
    both = command("library", "status")[1]
    assert both == named[1] + command("library", "status", "more")[1]
    values = as_json("library", "status")["libraries"]
    assert values == [as_json("library", "status", name) for name in ("court", "more")]


def test_an_older_index_is_told_of_and_what_has_changed_since_is_counted(
    command: Command, added: Path, tmp_path: Path, as_json: AsJson
) -> None:
    make_older(next(tmp_path.rglob("index.sqlite3")).parent)
    for words in (["status", "court"], ["list"]):
        out = command("library", *words)[1]
        assert (
            "5 files, indexed by an older Spanlight; " in out
            and "read, " not in out
            and "new" not in out.split("anew")[-1]
        )
    (added / "new.txt").write_text("A new one.")
    assert as_json("library", "status", "court")["to_read"] == 1
    assert command("library", "update", "court")[0] == 0
    assert "  4 of 6 files read, " in command("library", "status", "court")[1]


def test_an_update_tells_what_changed(command: Command, added: Path, as_json: AsJson) -> None:
    assert "\n  Nothing has changed\n" in command("library", "update")[1]
    (added / "new.txt").write_text("A new one.")
    shutil.rmtree(added / "more")
    assert "\n  1 file read, 1 gone, in " in command("library", "update", "court")[1]
    (added / "new.txt").unlink()
    lines = command("library", "update", "court")[1].splitlines()
    assert lines[2].startswith("  2 of 4 files read, ")
    assert lines[4].startswith("  Not read: ") and "gone" not in lines[4]
    gone = lines.index("  Gone, and no longer counted: 2 files")
    assert "new.txt" in "".join(lines[gone + 1 :]) and "new.txt" not in "".join(lines[:gone])
    before = (added / "tarts.md").stat()
    (added / "tarts.md").write_text(TARTS.replace("tarts", "pears"))
    os.utime(added / "tarts.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    for more, number in ((), 0), (("--check-everything",), 1):
        (only,) = as_json("library", "update", *more)["libraries"]
        assert (only["update"]["read"], only["update"]["gone"], only["read"]) == (number, 0, 2)


def test_passages_are_prepared_to_be_found_by_meaning(
    command: Command, added: Path, monkeypatch: pytest.MonkeyPatch, as_json: AsJson
) -> None:
    encoder = ModelCard("encoder", str(added), "bert", (Head.EMBEDDINGS,), width=4)

    def run(engine: FakeEngine, request: object, choice: ModelChoice | None, report: Report) -> np.ndarray:
        return np.full((len(request.texts), 4), 0.5, dtype=np.float32)

    monkeypatch.setattr(FakeShelf, "cards", lambda self: (READER, encoder))
    monkeypatch.setattr(FakeEngine, "run", run)
    code, out, err = command("library", "update", "--vectors")
    assert (code, err) == (0, "") and "found by meaning" in out
    found = as_json("library", "update", "--vectors")
    assert 0 < found["found_by_meaning"] == found["passages"]


def test_a_root_that_is_away_keeps_its_files(command: Command, added: Path, as_json: AsJson) -> None:
    added.rename(added.with_name("elsewhere"))
    for words in (["update", "court"], ["status", "court"], ["list"]):
        out = command("library", *words)[1]
        assert "  3 of 5 files read, 21 words\n" in out and f"  {added} (not there now)\n" in out
    assert as_json("library", "status", "court")["missing"] == [str(added)]
    code, _, err = command(*ASK, "Who stole the tarts?")
    assert (code, err) == (0, f"“{added}” is not there now; what was read from it can still be asked.\n")
    assert as_json(*ASK, "Who stole the tarts?")["library"]["missing"] == [str(added)]


def test_folders_that_refuse_are_told(
    command: Command, added: Path, as_json: AsJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = [str(added / "more"), str(written(added / "zoo", {"b.txt": "A bat."}))]
    for folder in closed:
        refuse(monkeypatch, Path(folder))
    for words in (["update", "court"], ["status", "court"], ["list"]):
        out = command("library", *words)[1]
        assert sorted(line for line in out.splitlines() if "Cannot" in line) == [
            f"  Cannot be read: {folder}" for folder in closed
        ]
    assert as_json("library", "list")["libraries"][0]["refused"] == closed
    code, _, err = command(*ASK, "Who stole the tarts?")
    assert (code, err) == (0, f"“{closed[0]}” and 1 other folder could not be opened.\n")
    assert as_json(*ASK, "Who stole the tarts?")["library"]["refused"] == closed


class TestMany:
    """A folder with more files than are read without asking."""

    @pytest.fixture(autouse=True)
    def few_are_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(folders, "MANY_FILES", 2)

    @pytest.mark.parametrize("form", [[], ["--json"]])
    def test_without_a_terminal_yes_is_needed(
        self, command: Command, court: Path, form: list[str], as_json: AsJson
    ) -> None:
        code, out, err = command("library", "add", str(court), *form)
        assert (code, out) == (2, "")
        assert err.startswith("Nothing was read: it would be 5 files, ") and err.endswith(
            "Add --yes to read them.\n"
        )
        assert as_json("library")["libraries"] == []
        assert command("library", "add", str(court), "--yes")[0] == 0

    @pytest.mark.usefixtures("at_a_terminal")
    @pytest.mark.parametrize("wanted", [True, False])
    def test_a_person_is_asked(
        self, command: Command, court: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool, as_json: AsJson
    ) -> None:
        monkeypatch.setattr(sys.stdin, "readline", lambda: "y\n" if wanted else "\n", raising=False)
        code, _, err = command("library", "add", str(court))
        assert "5 files, " in err and "would be read. Read them? [y/N] " in err
        assert code == (0 if wanted else 2)
        assert len(as_json("library")["libraries"]) == wanted

    def test_what_was_read_before_is_not_asked_about(
        self, command: Command, court: Path, tmp_path: Path, as_json: AsJson
    ) -> None:
        assert command("library", "add", str(court), "--yes")[0] == 0
        (tmp_path / "one.txt").write_text("One more.")
        code, _, err = command("library", "add", str(tmp_path / "one.txt"), "--name", "COURT")
        assert (code, err) == (0, "")
        (only,) = as_json("library")["libraries"]
        assert (only["name"], only["read"], len(only["roots"])) == ("court", 4, 2)

    def test_a_large_folder_is_asked_once_the_person_agrees(self, command: Command, court: Path) -> None:
        ask = ("ask", str(court), "-q", "What: roses?", "--password", "hearts")
        code, out, err = command(*ask)
        library, refused = err.splitlines()
        assert (code, out) == (2, "") and library.endswith(f" library add {court}")
        assert refused.startswith("Nothing was read: it would be 5 files, ") and "--yes" in refused
        assert command(*ask, "--json")[:2] == (2, "")
        code, out, _ = command(*ask, "--yes")
        assert (code, out.splitlines()[0]) == (0, "roses")

    def test_folders_that_are_large_only_together_are_asked_about(
        self, command: Command, court: Path, tmp_path: Path
    ) -> None:
        small = written(tmp_path / "small", {"a.txt": "A walrus.", "b.txt": "A hare."})
        ask = ("ask", str(small), "-q", "What: walrus?")
        assert command(*ask)[0] == command(*ask, str(small), str(small / "a.txt"))[0] == 0
        code, out, err = command(*ask, str(court / "more"))
        assert (code, out) == (2, "") and "it would be 3 files" in err

    @pytest.mark.usefixtures("at_a_terminal")
    @pytest.mark.parametrize("wanted", [True, False])
    def test_a_person_is_asked_about_a_large_folder(
        self, command: Command, court: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool
    ) -> None:
        monkeypatch.setattr(sys.stdin, "readline", lambda: "y\n" if wanted else "\n", raising=False)
        code, out, err = command("ask", str(court), "-q", "What: roses?", "--password", "hearts")
        assert "5 files, " in err and "would be read. Read them? [y/N] " in err
        assert (code, out[:5]) == ((0, "roses") if wanted else (2, ""))


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_keeps_what_was_read(
    command: Command, court: Path, monkeypatch: pytest.MonkeyPatch, presses: int, as_json: AsJson
) -> None:
    left = [signal.SIGINT] * presses

    def press(report: TerminalReport, result: object) -> None:
        while left:
            signal.raise_signal(left.pop())

    with monkeypatch.context() as patch:
        patch.setattr(TerminalReport, "partial", press)
        code, out, err = command("library", "add", str(court))
    assert (code, out) == (130, "")
    first, last = err.splitlines()
    assert first.startswith("court: ") and first.endswith(" library update court") and last == "Stopped."
    (stopped,) = as_json("library")["libraries"]
    assert stopped["files"]["waiting"] and stopped["total"] == 5
    assert as_json("library", "update")["libraries"][0]["read"] == 3


def test_a_library_is_removed_and_no_document(command: Command, added: Path, as_json: AsJson) -> None:
    code, _, err = command("library", "remove", "court")
    assert (code, err) == (2, "Nothing was removed. Add --yes to remove it.\n")
    assert command("library", "remove", "court", "--yes")[1] == "court is removed.\n"
    assert as_json("library") == {"libraries": []}
    assert (added / "tarts.md").read_text() == TARTS
    assert command("library", "remove", "court", "--yes")[0] == 2


ASK = ("ask", "--library", "court", "--question")


def test_answers_come_by_file_with_how_many_were_read(command: Command, added: Path) -> None:
    code, out, err = command(*ASK, "Who stole the tarts?")
    assert (code, err) == (0, "")
    told = out.splitlines()
    file = told[0]
    assert file in (str(added / "tarts.md"), str(added / "more" / "hatter.txt"))
    assert told[1] == "  tarts" and told[2].startswith("  Likely, 80%, on line ")
    assert told[3].startswith("    The Knave stole" if file.endswith(".md") else "    He has no tarts.")
    assert told[4] == ""
    assert told[5].startswith("3 of 5 files read (") and told[5].endswith(
        " library status court lists the others)."
    )


def test_the_files_are_counted_once(
    added: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_json: AsJson
) -> None:
    make_older(next(tmp_path.rglob("index.sqlite3")).parent)
    counted: list[LibraryStatus] = []
    status = Index.status

    def count(index: Index, library: Library, vectors: str = "") -> LibraryStatus:
        counted.append(status(index, library, vectors))
        return counted[-1]

    monkeypatch.setattr(Index, "status", count)
    assert as_json(*ASK, "Who stole the tarts?")["library"]["read"] == 3
    assert len(counted) == 1 and counted[0].languages


def test_a_place_is_that_in_the_file(command: Command, added: Path, as_json: AsJson) -> None:
    assert "  Likely, 80%, on page 2.\n    Her roses.\n" in command(*ASK, "Whose are the roses?")[1]
    out = command(*ASK, "What of the Knave: stole?")[1]
    assert "  Likely, 80%, on line 5, under “Trial”.\n" in out
    told = as_json(*ASK, "What of the Knave: stole?")
    assert TARTS[2:][told["start"] : told["end"]] == told["answer"] == "stole"
    assert (told["document"], told["line"], told["page"]) == (str(added / "tarts.md"), 5, None)
    assert told["sha256"] == told["answers"][0]["sha256"] and len(told["sha256"]) == 64
    library = {"name": "court", "read": 3, "total": 5}
    assert library.items() <= told["library"].items() and told["passages"] >= 1
    assert told["library"]["read_in_part"] == []


def test_where_no_file_answers(command: Command, added: Path, as_json: AsJson) -> None:
    out = command(*ASK, "Who is the King: zebra?")[1].splitlines()
    assert out[0].startswith("Not in 3 of 5 files (")
    assert out[1:] == ["90% sure of the passages that were read."]
    for name in UNREAD:
        (added / name).unlink()
    command("library", "update")
    out = command(*ASK, "xyzzy plugh?")[1]
    assert out == "Not in 3 files.\nNo passage has a word of the question.\n"
    told = as_json(*ASK, "xyzzy plugh?")
    assert (told["outcome"], told["answer"], told["answers"], told["passages"]) == ("absent", "", [], 0)
    assert not as_json("history")["total"], "it is of no document"


def test_low_confidence_is_said(command: Command, added: Path) -> None:
    out = command(*ASK, "Perhaps the Knave: stole?")[1]
    assert f"  stole\n  Low confidence, 30%, on line 5, under “Trial”. {NEAREST_WORDS}\n" in out


def test_options_reach_the_reader(command: Command, added: Path) -> None:
    engine = FakeEngine()
    command(*ASK, "Where: tarts?", *"--quick --top-k 9 --threshold 0.9 --device cpu".split(), engine=engine)
    (question,), (choice,) = engine.requests, engine.choices
    assert isinstance(question, Question) and choice is not None
    assert (question.quick, question.threshold, choice.device) == (True, 0.9, "cpu")
    assert question.top_k >= 9 and question.passages_of > 0


def test_the_history_has_the_file_of_the_best_answer(command: Command, added: Path, as_json: AsJson) -> None:
    command(*ASK, "Whose are the roses?", "--no-history")
    assert not as_json("history")["total"]
    command(*ASK, "Whose are the roses?")
    (entry,) = as_json("history")["entries"]
    assert (entry["path"], entry["answers"][0]["text"]) == (str(added / "queen.pdf"), "roses")
    assert entry["answers"][0]["page"] == 2
    assert command("history", "--check", str(entry["number"]))[1] == "The same answer, at the same place.\n"


def test_a_stop_gives_the_best_so_far(command: Command, added: Path) -> None:
    code, out, err = command(*ASK, "Whose are the roses?", engine=Slow())
    assert (code, err.splitlines()[-1]) == (130, "Stopped.")
    assert out.splitlines()[:3] == [
        "Stopped after 34% of the best passages: the best so far.",
        str(added / "queen.pdf"),
        "  roses",
    ]
    told = json.loads(command(*ASK, "Whose are the roses?", "--json", engine=Slow())[1])
    assert (told["answer"], told["complete"], told["share_read"]) == ("roses", False, pytest.approx(0.34))


def test_a_folder_counts_as_its_files(command: Command, court: Path, tmp_path: Path, as_json: AsJson) -> None:
    other = tmp_path / "other.txt"
    other.write_text("A walrus.")
    code, out, err = command("ask", str(court), str(other), "-q", "What: walrus?")
    assert (code, out.splitlines()[1]) == (0, "Likely, 80%, on line 1 of other.txt.")
    pictures, first, second = err.splitlines()
    assert pictures == "1 picture was left out: name it to have its text recognised."
    assert "“empty.txt”" in first and "“locked.pdf” asks" in second
    told = as_json("ask", str(other), str(court), "-q", "What: Hatter?")
    assert told["document"] == str(court / "more" / "hatter.txt")
    assert [Path(each["document"]).name for each in told["not_read"]] == UNREAD
    assert all(each["reason"] for each in told["not_read"]) and told["pictures_left_out"] == 1


def test_a_file_without_text_is_told_as_not_read(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "sea"
    folder.mkdir()
    (folder / "walrus.txt").write_text("A walrus.")
    (folder / "scan.pdf").write_bytes(scan([Page(height=60, width=60)] * 21, dpi=100))
    code, out, err = command("ask", str(folder), "-q", "What: walrus?", "--json")
    (unread,) = json.loads(out)["not_read"]
    assert (code, unread["document"]) == (0, str(folder / "scan.pdf"))
    assert "no text to read" in unread["reason"] and "--recognise does it" in unread["reason"]
    assert "no text to read" in err


def test_pictures_that_are_named_are_not_left_out(command: Command, court: Path, as_json: AsJson) -> None:
    (court / "other.png").write_text("A picture by its name, a text by what it holds.")
    told = [str(court), str(court / "hole.jpg"), "-q", "What: tarts?"]
    assert "1 picture was left out: " in command("ask", *told)[2]
    assert as_json("ask", *told, str(court / "other.png"))["pictures_left_out"] == 0
    assert (
        "2 pictures were left out: name them to have their text recognised."
        in command("ask", str(court), "-q", "Who?")[2]
    )


@pytest.mark.parametrize("words", [("ask",), ("library", "add")])
def test_help_names_what_is_taken_of_a_folder(command: Command, words: tuple[str, ...]) -> None:
    told = command(*words, "--help")[1]
    assert FOLDERS in told and "--recognise" in told


@needs_tesseract
def test_a_long_scan_is_added_where_that_is_said(command: Command, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(
        scan([letter("The knave.")] + [Page(height=60, width=60)] * 20, dpi=100)
    )
    out = command("library", "add", str(tmp_path / "scan.pdf"), "--name", "Scans")[1]
    assert "0 of 1 file read" in out and "library update --recognise" in out
    assert "\n  1 file read, 2 words\n" in command("library", "update", "Scans", "--recognise")[1]


def test_a_named_file_in_a_folder_is_read_once(
    command: Command, court: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = FakeEngine()
    monkeypatch.chdir(court)
    command("ask", "tarts.md", ".", "more/../tarts.md", "-q", "What: tarts?", engine=engine)
    (question,) = engine.requests
    assert [each.path for each in question.documents] == ["tarts.md", "more/hatter.txt", "queen.pdf"]


def test_a_picture_that_was_added_is_not_counted_as_left_out(command: Command, added: Path) -> None:
    out = command("library", "add", str(added / "hole.jpg"), "--name", "court")[1]
    assert "  Other kinds, left out: 1 without an extension\n" in out


def test_where_none_of_several_files_can_be_read(command: Command, court: Path) -> None:
    code, out, err = command("ask", *(str(court / name) for name in UNREAD), "-q", "Who?")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == "None of 2 files could be read." and len(err.splitlines()) == 3


def test_files_of_one_name_are_told_apart(command: Command, tmp_path: Path) -> None:
    for folder, words in (("a", "A walrus."), ("b", "A carpenter.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text(words)
    file = tmp_path / "b" / "same.txt"
    assert f"on line 1 of {file}." in command("ask", str(tmp_path), "-q", "What: carpenter?")[1]
