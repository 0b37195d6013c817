"""Feeds of releases for tests."""

from __future__ import annotations

import json
from typing import Any

from tests.helpers.hub_server import HubServer

DIGEST = "0f" * 32


def release(version: str = "0.2.0", **changed: Any) -> dict[str, Any]:
    """A release as a feed has it."""
    told = {
        "version": version,
        "date": "2027-05-03",
        "page": f"https://example.org/{version}",
        "notes": "Quicker.",
    }
    return told | changed


def file(**changed: Any) -> dict[str, Any]:
    """A release's file as a feed has it."""
    told = {"system": "linux", "machine": "x86_64", "kind": "deb", "size": 310_000_000, "sha256": DIGEST}
    return told | {"address": "https://example.org/spanlight_0.2.0_amd64.deb"} | changed


def feed(*releases: dict[str, Any], **changed: Any) -> bytes:
    """A feed's bytes."""
    return json.dumps({"format": 1, "releases": list(releases)} | changed).encode()


PATH = "/api/resolve-cache/models/spanlight/feed/*"


def serve(hub: HubServer, data: bytes) -> str:
    """The address of a feed that a server gives out."""
    commit = hub.add("spanlight/feed", {"feed.json": data})
    return f"{hub.url}/api/resolve-cache/models/spanlight/feed/{commit}/feed.json"
