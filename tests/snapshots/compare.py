"""Holds a text against its snapshot. To write all of them anew: `CTX_SNAPSHOTS=write pytest -k snapshots`."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parent


def matches(name: str, text: str) -> bool:
    """Say whether a text is what the snapshot of this name holds, after writing it where that was asked for."""
    path = _FOLDER / f"{name}.txt"
    if os.environ.get("CTX_SNAPSHOTS") == "write":
        path.write_text(text, encoding="utf-8", newline="\n")
    return path.is_file() and path.read_text(encoding="utf-8") == text
