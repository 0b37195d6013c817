"""The steps of a set-up, in order; every one of them can be done again."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from bootstrapping import installer, requirements, system
from bootstrapping.environment import VERSION, Environment, Lock
from bootstrapping.progress import Progress, SetUpFault, duration


def set_up(environment: Environment, groups: Sequence[str], parts: Sequence[str]) -> int | None:
    """Make the environment ready and the system's parts there; an exit code when that failed, else None."""
    try:
        with Lock(environment, _say_waiting):
            if not environment.is_ready(groups, parts):
                _set_up(environment, groups, parts)
    except SetUpFault as fault:
        sys.stderr.write(f"{fault.message}\n{fault.hint}\n")
        return 1
    except PermissionError as fault:
        sys.stderr.write(
            f"{fault.filename or environment.folder} cannot be written to.\n"
            "Start Spanlight as the user who owns its folder, or copy that folder to a place of your own.\n"
        )
        return 1
    except OSError as fault:
        sys.stderr.write(
            f"Spanlight could not be set up: {fault}.\nPut that right and run the same command again.\n"
        )
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Run the same command again to go on; what has been fetched is kept.\n")
        return 130
    return None


def _say_waiting() -> None:
    sys.stderr.write("Another start is setting Spanlight up; waiting for it.\n")


def _set_up(environment: Environment, groups: Sequence[str], parts: Sequence[str]) -> None:
    began = time.monotonic()
    stamped = environment.stamped()
    every_group = list(dict.fromkeys([*groups, *(name for name in stamped if name in _groups(environment))]))
    fresh = environment.is_ready(groups, ())
    kept = not fresh and not os.path.exists(environment.unfinished) and environment.lacks(every_group) == []
    missing = {part: system.is_missing(part) for part in parts if stamped.get(part) != "yes"}
    by_apt = bool(any(missing.values())) and system.may_install()
    progress = Progress(3 * (not fresh and not kept) + by_apt, environment.log)

    if not fresh:
        if not kept:
            _install(environment, every_group, progress)
        stamped = (
            dict.fromkeys(every_group, environment.digest())
            | {"python": environment.version()}
            | _parts(stamped)
        )
        environment.write_stamp(stamped)
    for part, names in missing.items():
        if names and not by_apt:
            _ask_for(part, names, progress)
    if by_apt:
        _install_system(missing, progress)
    there = {part: "yes" for part in missing if not system.is_missing(part)}
    if there:
        environment.write_stamp(environment.stamped() | there)
    if progress.number:
        progress.say(f"Spanlight is set up ({duration(time.monotonic() - began)}).")


def _groups(environment: Environment) -> set[str]:
    return {"app", *requirements.optional_groups(environment.pyproject)}


def _parts(stamped: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in stamped.items() if value == "yes"}


def _install(environment: Environment, groups: Sequence[str], progress: Progress) -> None:
    lines = requirements.read(environment.pyproject, groups)
    pins = installer.pins_for(lines, requirements.tested(environment.pyproject))
    first_time = not os.path.exists(environment.stamp)
    if first_time:
        progress.say(
            "Spanlight is set up now, once: about 400 MB to fetch and 1.5 GB on disk, a few minutes."
        )
    else:
        progress.say("Something more is needed than is here: bringing the environment up to date.")
    with progress.step(f"An environment of its own in {environment.folder}"):
        _make(environment, progress)
    with open(environment.unfinished, "w", encoding="utf-8"):
        pass
    pip = installer.Pip(environment, progress)
    with progress.step("PyTorch, which runs the models"):
        torch = next(line for line in lines if requirements.Requirement(line).name == "torch")
        version = installer.installed_version(pip, "torch")
        if version and requirements.Requirement(torch).takes(version):
            progress.detail(f"{version} is here")
        else:
            installer.install_torch(pip, torch, pins)
    with progress.step("Qt for the window, transformers for the models, and what they need"):
        installer.install_rest(pip, lines, pins)
    rest = environment.lacks(groups)
    if rest is None or rest:
        raise SetUpFault(
            f"The set-up ended without {', '.join(rest or ['a working Python'])}.",
            f"Delete {environment.folder} and run the same command again. All that was said: {environment.log}",
        )
    os.unlink(environment.unfinished)


def _make(environment: Environment, progress: Progress) -> None:
    """The virtual environment with a pip that works; what is broken or half made is made afresh."""
    half_made = os.path.exists(environment.unfinished)
    if (
        os.path.exists(environment.python)
        and not half_made
        and environment.runs()
        and not _moved_on(environment)
    ):
        if environment.has_pip():
            return
        subprocess.run([environment.python, "-m", "ensurepip"], capture_output=True, check=False)
        if environment.has_pip():
            return
    if environment.is_this():
        raise SetUpFault(
            f"{environment.folder} is broken, and this Python runs from it.",
            "Leave it (deactivate) and run the same command again: it is then made afresh.",
        )
    if any(entry.path not in (environment.lock, environment.log) for entry in os.scandir(environment.folder)):
        progress.detail(
            "the one that is here is " + ("half made" if half_made else "broken") + ": making it afresh"
        )
    environment.clear()
    _create(environment, progress)


def _moved_on(environment: Environment) -> bool:
    """Whether the Python below the environment is another version than the one it was made with."""
    return environment.stamped().get("python", environment.version()) != environment.version()


def _create(environment: Environment, progress: Progress) -> None:
    minimal = _without_ensurepip()
    if minimal and system.may_install():
        package = f"python{VERSION}-venv"
        progress.detail(f"installing the system's package {package}")
        system.apt_install([package], progress.detail, progress.log)
        importlib.invalidate_caches()
        minimal = _without_ensurepip()
    if minimal and importlib.util.find_spec("pip") is None:
        line = f"sudo apt-get install python{VERSION}-venv"
        raise SetUpFault(
            "This Python comes without the part that makes environments (venv and ensurepip).",
            f"Run this line, then the same command again: {line}",
        )
    command = [sys.executable, "-m", "venv", *(["--without-pip"] if minimal else []), environment.folder]
    run = functools.partial(
        subprocess.run, capture_output=True, text=True, check=False, **environment.holding
    )
    done = run(command)
    progress.log(done.stdout + done.stderr)
    if done.returncode == 0 and minimal:  # the system's pip can fill an environment that has none
        command = [sys.executable, "-m", "pip", "--python", environment.python, "install", "pip"]
        done = run(command)
        progress.log(done.stdout + done.stderr)
    if done.returncode or not environment.has_pip():
        raise SetUpFault(
            f"No environment could be made in {environment.folder}.",
            f"What Python said: {(done.stdout + done.stderr).strip() or 'nothing'}",
        )


def _without_ensurepip() -> bool:
    return any(importlib.util.find_spec(name) is None for name in ("venv", "ensurepip"))


def _install_system(missing: dict[str, list[str]], progress: Progress) -> None:
    names = [name for part in missing.values() for name in part]
    packages = system.packages_for(names)
    with progress.step(f"{len(packages)} of the system's packages, by apt-get"):
        progress.detail(" ".join(packages))
        worked = system.apt_install(packages, progress.detail, progress.log)
        if not worked:
            progress.detail("apt-get could not install them; windows may not open. Try yourself:")
            progress.detail(system.line_for(names))


def _ask_for(part: str, names: Sequence[str], progress: Progress) -> None:
    what = {
        "windows": "Windows need libraries of the system that are missing here",
        "xvfb": "Tests of real windows need Xvfb, which is missing here; they are left out",
    }
    progress.say(f"{what[part]}. To install them, run:")
    progress.say("  " + system.line_for(names))
