"""The subcommands of `models` for the network: how it is reached, what was requested, and the offline switch."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace

from app.cli.models.words import local_time
from app.cli.terminal import Action, TerminalReport, count, one_line, print_json, print_result, zero_or_more
from app.core.network import LedgerEntry, without_password
from app.core.wording import duration, size
from app.flows.network.network import clear_ledger, ledger
from app.flows.workspace import Workspace

_NETWORK_EPILOG = """\
Nothing but looking up and downloading a model, and asking for updates, uses the network. Each request is
written down before it is sent; the latest come first. Mirror, proxy and certificates are chosen in the
window, on the page Models under Network.
"""


def _network_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _NETWORK_EPILOG
    parser.add_argument(
        "--limit", type=zero_or_more, default=10, metavar="N", help="how many requests to list (10)"
    )
    parser.add_argument("--clear", action="store_true", help="forget the requests made so far")


def _print_network(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print how the network is reached, and the latest requests."""
    if arguments.clear:
        clear_ledger(workspace, report)
    entries = ledger(workspace, report)
    shown = entries[: arguments.limit]
    network, offline = workspace.network, workspace.settings.offline
    network = replace(network, proxy=without_password(network.proxy))
    if arguments.json:
        values = {"offline": offline, **asdict(network), "requests": len(entries)}
        print_json(values | {"entries": [asdict(entry) for entry in shown]})
        return
    print(_switch_state(offline))
    print(f"Models come from {one_line(network.endpoint)}")
    print(f"Proxy: {one_line(network.proxy) or 'as the system has it'}")
    print(f"Certificates: {one_line(network.certificates) or 'as the system has them'}")
    print(f"Hugging Face cache: {one_line(network.cache) or 'the standard folder'}")
    print(f"Token: {'the one that is saved is sent' if network.use_token else 'none is sent'}")
    print(
        f"\n{count(len(entries), 'request')} in {one_line(network.ledger)}"
        if entries
        else "\nNo request was made."
    )
    for entry in shown:
        _print(entry)


def _print(entry: LedgerEntry) -> None:
    came = (
        f"{entry.status}, {size(entry.received)}, {duration(entry.seconds)}" if entry.status else entry.error
    )
    print(f"  {local_time(entry.sent)}  {one_line(entry.method)} {one_line(entry.address)}")
    print(f"    {one_line(entry.why)}: {one_line(came) or 'no answer yet'}")


def _offline_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "switch", nargs="?", choices=("on", "off"), help="on forbids the network, off allows it; none tells"
    )


def _switch_offline(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Turn the offline switch on or off, and print its state."""
    if arguments.switch is not None:
        workspace.settings.offline = arguments.switch == "on"
        workspace.save_settings()
    offline = workspace.settings.offline
    print_result(arguments.json, {"offline": offline}, _switch_state(offline))


def _switch_state(offline: bool) -> str:
    """Return the switch's state in a sentence."""
    if offline:
        return "Offline: nothing is asked of the network."
    return "Online: models can be looked up and downloaded."


ACTIONS: dict[str, Action] = {
    "network": (_network_arguments, _print_network),
    "offline": (_offline_arguments, _switch_offline),
}
