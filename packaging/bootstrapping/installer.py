"""pip in the environment: PyTorch first, in the right build, then the rest, which cannot replace it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence

from bootstrapping import requirements, system
from bootstrapping.environment import Environment
from bootstrapping.progress import Progress, SetUpFault

# Where PyTorch's makers keep the builds without CUDA; on Windows and macOS the ordinary build is one.
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
_OFFLINE = re.compile(
    r"Failed to establish a new connection|Temporary failure in name resolution|Network is unreachable|"
    r"getaddrinfo failed|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|Max retries exceeded|"
    r"ProxyError|Connection refused",
)
_NOT_TO_BE_HAD = re.compile(r"No matching distribution found for (\S+)|ResolutionImpossible")


class Pip:
    """The environment's own pip."""

    def __init__(self, environment: Environment, progress: Progress) -> None:
        self.environment = environment
        self.progress = progress

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [self.environment.python, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]

    def ask(self, arguments: Sequence[str]) -> str | None:
        """What pip prints, None when it fails."""
        done = subprocess.run(
            self._command(arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            **self.environment.holding,  # type: ignore[call-overload]
        )
        self.progress.log(f"$ pip {' '.join(arguments)}\n{done.stderr}")
        return done.stdout if done.returncode == 0 else None

    def install(self, arguments: Sequence[str]) -> str:
        """Install, telling what is fetched; an empty text when it worked, else all that pip said."""
        self.progress.log(f"$ pip install {' '.join(arguments)}")
        process = subprocess.Popen(
            self._command(["install", "--progress-bar", "off", "--retries", "2", *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            **self.environment.holding,  # type: ignore[call-overload]
        )
        assert process.stdout is not None
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                self.progress.log(line)
                self._tell(line.strip())
        except BaseException:
            process.terminate()
            raise
        finally:
            process.wait()
        return "" if process.returncode == 0 else "".join(said)

    def _tell(self, line: str) -> None:
        fetched = re.match(r"(Downloading|Using cached) (\S+) \(([\d.]+ \S+)\)", line)
        if fetched:
            name = fetched[2].rsplit("/", 1)[-1]
            if name.endswith(".metadata") or fetched[3].endswith(("kB", "bytes")):
                return
            verb = "fetching" if fetched[1] == "Downloading" else "taking from the last download"
            self.progress.detail(f"{verb} {'-'.join(name.split('-')[:2])}, {fetched[3]}")
        elif line.startswith("Installing collected packages:"):
            count = line.count(",") + 1
            self.progress.detail("unpacking" + (f" {count} packages" if count > 1 else ""))


def fault(said: str, what: str, log: str) -> SetUpFault:
    """pip's complaint as one sentence and a next step."""
    if "No space left on device" in said:
        return SetUpFault("The disk is full.", "Spanlight needs about 2 GB; make room and start it again.")
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return SetUpFault(
            f"{what} could not be fetched: the other side's certificate does not verify.",
            "If a proxy signs connections here, name its certificate (PIP_CERT=FILE) and run the same command again.",
        )
    if _OFFLINE.search(said):
        return SetUpFault(
            f"{what} could not be fetched: the internet cannot be reached from here.",
            "Connect, then run the same command again; what has been fetched is kept.",
        )
    missing = _NOT_TO_BE_HAD.search(said)
    if missing:
        return SetUpFault(
            f"There is no build of {missing[1] or what} for this computer "
            f"(Python {sys.version_info[0]}.{sys.version_info[1]}, {sys.platform}).",
            "There are builds for Python 3.11 to 3.13 on 64-bit Linux and Windows and on Macs with an Apple chip.",
        )
    if "Permission denied" in said:
        return SetUpFault(
            "The folder .venv cannot be written to.", "Start Spanlight as the user who made it."
        )
    last = next((line for line in reversed(said.splitlines()) if line.startswith("ERROR")), "pip failed")
    return SetUpFault(
        f"{what} could not be installed ({last.removeprefix('ERROR: ')}).", f"All that pip said: {log}"
    )


def pins_for(lines: Sequence[str], tested: Sequence[str]) -> list[str]:
    """The tested versions that lie inside the ranges of `lines`."""
    wanted = {r.name.lower(): r for r in map(requirements.Requirement, lines) if r.applies()}
    return [
        pin for pin in tested if (r := wanted.get(pin.split("==")[0].lower())) and r.takes(pin.split("==")[1])
    ]


def install_torch(pip: Pip, line: str, pins: Sequence[str]) -> None:
    """PyTorch in the build for this machine.

    Without an NVIDIA driver on Linux: the makers' CPU build; where that address cannot be reached, the ordinary
    build if it comes without CUDA (as it does on some platforms and indexes); else the ordinary one, said plainly.
    """
    progress = pip.progress
    wanted = next((pin for pin in pins if pin.startswith("torch==")), line)
    if not sys.platform.startswith("linux"):
        _install(pip, wanted, line, [])
    elif system.nvidia_driver():
        progress.detail("an NVIDIA driver answers: taking the build with CUDA, about 3 GB to fetch")
        _install(pip, wanted, line, [])
    elif not _install_cpu(pip, wanted):
        if brings_cuda(pip, wanted):
            progress.detail(f"the build without CUDA cannot be reached ({CPU_INDEX});")
            progress.detail("taking the one with CUDA, which works without a GPU too: about 3 GB to fetch")
        _install(pip, wanted, line, [])


def _install(pip: Pip, wanted: str, line: str, options: list[str]) -> None:
    said = pip.install([*options, wanted])
    if wanted != line and _NOT_TO_BE_HAD.search(said) and not _OFFLINE.search(said):
        pip.progress.detail(f"{wanted} is not to be had for this computer: taking the newest that is")
        said = pip.install([*options, line])
    if said:
        raise fault(said, "PyTorch", pip.environment.log)


def _install_cpu(pip: Pip, wanted: str) -> bool:
    index = ["--index-url", CPU_INDEX]
    seen = pip.ask(["index", "versions", "torch", "--timeout", "8", "--retries", "1", *index])
    if not seen or "torch" not in seen:
        return False
    # What PyTorch itself needs comes with the rest, from the ordinary index.
    return not pip.install(["--no-deps", *index, wanted])


def brings_cuda(pip: Pip, wanted: str) -> bool:
    """Whether the ordinary build would bring NVIDIA's packages along, asked before anything is fetched."""
    # Older ones fetch a whole wheel to read what it needs.
    pip.ask(["install", "--retries", "1", "--quiet", "--upgrade", "pip>=23.2"])
    options = ["--retries", "1", "--dry-run", "--quiet", "--ignore-installed", "--report", "-"]
    report = pip.ask(["install", *options, wanted])
    if report is None:
        return False
    names = [item["metadata"]["name"].lower() for item in json.loads(report)["install"]]
    return any(name == "triton" or name.startswith(("nvidia-", "cuda-")) for name in names)


def install_rest(pip: Pip, lines: Sequence[str], pins: Sequence[str]) -> None:
    """All the lines; PyTorch stays as it is, whatever another package would like."""
    version = installed_version(pip, "torch")
    hold = [f"torch=={version}"] if version else []
    others = [pin for pin in pins if not pin.startswith("torch==")]
    said = ""
    for constraints in [[*hold, *others], hold]:
        path = os.path.join(pip.environment.folder, "spanlight-constraints.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(constraints) + "\n")
        said = pip.install(["--constraint", path, *lines])
        if not said:
            return
        if not _NOT_TO_BE_HAD.search(said) or _OFFLINE.search(said):
            break
    raise fault(said, "Qt and the other packages", pip.environment.log)


def installed_version(pip: Pip, name: str) -> str:
    """The version in the environment, local part included; empty where it is not installed."""
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    done = subprocess.run(
        [pip.environment.python, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""
