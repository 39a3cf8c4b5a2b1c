"""Real transcripts and cases, where the folder beside the repository has them; nothing of it is copied in."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.invariants import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OpenAIMessage = dict[str, Any]

SHARED = Path(__file__).parents[2].parent / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="no folder `shared` beside the repository")


def transcript_files() -> list[Any]:
    """Give the files of transcripts, as parameters of a test."""
    found = sorted(path for kind in ("agents", "chats") for path in (SHARED / "data" / kind).glob("*.jsonl.gz"))
    return [pytest.param(path, id=path.name.removesuffix(".jsonl.gz")) for path in found] or [_absent("transcripts")]


def transcripts(path: Path) -> Iterator[list[OpenAIMessage]]:
    """Give the conversations of a file, numbered."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield numbered(json.loads(line)["messages"])


def some_transcripts(path: Path) -> list[list[OpenAIMessage]]:
    """Give every tenth conversation of a file, at least five of them, or all where `CTX_REPLAYS` is `all`."""
    found = list(transcripts(path))
    return found if os.environ.get("CTX_REPLAYS") == "all" else found[:: max(1, min(10, len(found) // 5))]


def case_files(*operations: str) -> list[Any]:
    """Give the files of the cases with these operations, as parameters of a test."""
    found = [path for path in sorted((SHARED / "cases").glob("*.json")) if _operation(path) in operations]
    return [pytest.param(path, id=path.stem) for path in found] or [_absent("cases")]


def load(path: Path) -> dict[str, Any]:
    """Give a case, with its generated messages."""
    case: dict[str, Any] = _checks().load(path)
    return case


def failed(case: dict[str, Any], sent: list[OpenAIMessage] | None, error: Exception | None = None) -> list[str]:
    """Name the properties of a case that an output breaks."""
    judge: Callable[..., list[str]] = _checks().failed
    return judge(case, sent, error)


def _operation(path: Path) -> str:
    return str(json.loads(path.read_text("utf-8"))["op"])


def _absent(what: str) -> Any:
    return pytest.param(
        None, marks=pytest.mark.skip(reason=f"no {what}: there is no folder `shared` beside the repository")
    )


def _checks() -> Any:
    spec = importlib.util.spec_from_file_location("shared_case_checks", SHARED / "cases" / "checks.py")
    if spec is None or spec.loader is None:
        pytest.skip("the cases' own judge is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
