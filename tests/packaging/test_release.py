"""The release workflow: what its steps name exists, nothing in it may do more than it must."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

FILE = ROOT / "packaging" / "release.yml"
SCRIPTS = sorted(path for folder in ("linux", "macos") for path in (ROOT / "packaging" / folder).glob("*.sh"))


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def steps(workflow: dict[Any, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Each step with the name of its job."""
    return [(name, step) for name, job in workflow["jobs"].items() for step in job["steps"]]


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
