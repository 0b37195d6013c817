"""The release workflow: what its steps name exists, nothing in it may do more than it must."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.core.about import VERSION
from app.core.releases import parse_feed
from tests.conftest import ROOT

FILE = ROOT / "packaging" / "release.yml"
SCRIPTS = sorted(path for folder in ("linux", "macos") for path in (ROOT / "packaging" / folder).glob("*.sh"))


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def steps(workflow: dict[Any, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Each step with the name of its job."""
    return [(name, step) for name, job in workflow["jobs"].items() for step in job["steps"]]


def test_every_file_that_a_step_names_exists(workflow: dict[Any, Any]) -> None:
    named = {
        path for _, step in steps(workflow) for path in re.findall(r"packaging/[\w./-]+", step.get("run", ""))
    }
    assert named >= {
        "packaging/linux/build.sh",
        "packaging/linux/check_install.sh",
        "packaging/windows/build.ps1",
        "packaging/windows/check_install.ps1",
        "packaging/macos/build.sh",
        "packaging/macos/check_install.sh",
        "packaging/feed.py",
    }
    assert [path for path in sorted(named) if not (ROOT / path).is_file()] == []


def test_the_feed_is_made_of_what_is_uploaded(workflow: dict[Any, Any], tmp_path: Path) -> None:
    """The names that the three jobs upload are names that the feed's maker takes."""
    built = tmp_path / "built"
    built.mkdir()
    patterns = [
        line
        for _, step in steps(workflow)
        if "upload-artifact" in step.get("uses", "")
        for line in step["with"]["path"].split()
    ]
    names = {
        "*.deb": f"spanlight_{VERSION}_amd64.deb",
        "*linux-x86_64*.tar.*": f"spanlight-{VERSION}-linux-x86_64.tar.xz",
        "*-windows-x86_64.exe": f"spanlight-{VERSION}-windows-x86_64.exe",
        "*-macos-arm64.dmg": f"spanlight-{VERSION}-macos-arm64.dmg",
    }
    assert sorted(patterns) == sorted(f"dist/{pattern}" for pattern in names)
    for pattern, name in names.items():
        assert Path(name).match(pattern)
        (built / name).write_bytes(name.encode())
    (command,) = (step["run"] for _, step in steps(workflow) if "packaging/feed.py" in step.get("run", ""))
    # As the step runs it, without an older feed to be had.
    fake = tmp_path / "bin" / "gh"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    (tmp_path / "packaging").symlink_to(ROOT / "packaging")
    site = "https://example.org/spanlight/releases"
    path = f"{fake.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=tmp_path,
        env=os.environ | {"VERSION": VERSION, "SITE": site, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    feed = parse_feed((tmp_path / "feed.json").read_bytes())
    (release,) = feed.releases
    assert release.version == VERSION
    assert {file.address for file in release.files} == {
        f"{site}/download/v{VERSION}/{name}" for name in names.values()
    }
    assert len((tmp_path / "SHA256SUMS").read_text().splitlines()) == len(names)


@pytest.mark.parametrize("job", ["linux", "windows", "macos"])
def test_what_is_uploaded_was_checked_before_and_after_installing(workflow: dict[Any, Any], job: str) -> None:
    said = [step.get("run", "") + step.get("uses", "") for name, step in steps(workflow) if name == job]
    order = ["build.", "--check", "check_install.", "upload-artifact"]
    places = [next(place for place, words in enumerate(said) if word in words) for word in order]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def test_actions_are_pinned_and_none_keeps_credentials(workflow: dict[Any, Any]) -> None:
    used = [step for _, step in steps(workflow) if "uses" in step]
    assert used
    for step in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
        if "checkout" in step["uses"]:
            assert step["with"]["persist-credentials"] is False
    comments = re.findall(r"uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", FILE.read_text(), flags=re.MULTILINE)
    assert len(comments) == len(used)


def test_only_the_last_job_may_write(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert writing == {"publish": {"contents": "write"}}
    assert set(workflow["jobs"]["publish"]["needs"]) == workflow["jobs"].keys() - {"publish"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


def test_secrets_reach_only_the_scripts_that_do_without_them(workflow: dict[Any, Any]) -> None:
    for name, step in steps(workflow):
        secrets = {key for key, value in step.get("env", {}).items() if "secrets." in str(value)}
        assert "secrets." not in step.get("run", "")
        if not secrets:
            continue
        (path,) = re.findall(r"packaging/[\w./-]+", step["run"])
        texts = [(ROOT / path).read_text(), *(p.read_text() for p in (ROOT / path).parent.glob("sign.ps1"))]
        for secret in secrets:
            assert any(secret in text for text in texts), f"{name}: {secret} is not used"
        assert re.search(r"ot signed, as there is no certificate", "".join(texts))


def test_nothing_from_outside_is_put_into_a_command(workflow: dict[Any, Any]) -> None:
    for _, step in steps(workflow):
        assert "${{" not in step.get("run", ""), step["name"]


def test_its_shell_steps_can_be_read_by_the_shell(workflow: dict[Any, Any], tmp_path: Path) -> None:
    for name, step in steps(workflow):
        if "run" not in step or step.get("shell") == "pwsh":
            continue
        done = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert shlex.split(step["run"].replace("\\\n", " "), comments=True)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_scripts_can_be_read_by_the_shell(path: Path) -> None:
    # Some are filled in where they are packed: a number stands for what does not stand there yet.
    text = re.sub(r"@[A-Z_]+@", "31", path.read_text(encoding="utf-8"))
    shell = text.splitlines()[0].rpartition("/")[2].rpartition(" ")[2]
    assert shell in ("sh", "bash")
    assert subprocess.run([shell, "-n"], input=text, capture_output=True, text=True).returncode == 0
    assert ("\nset -euo pipefail\n" in text) == (shell == "bash")
    if checker := shutil.which("shellcheck"):
        command = [checker, f"--shell={shell}", "--severity=error", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
