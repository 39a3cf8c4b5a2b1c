"""`ctx-layers count`: what conversations cost, by role."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import TokenCounter
from ctx_core.cli import main
from tests.contract.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is the ferry?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "at the pier", "tool_call_id": "c1"},
    {"role": "assistant", "content": "At the pier."},
]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def rows(text: str) -> dict[str, list[str]]:
    """Give the rows of a printed table by their first word."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line}


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("with_tools", [False, True], ids=["no tools", "tools"])
@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "nobody-knows-it"])
def test_the_sum_is_that_of_the_requests(
    *, times: int, with_tools: bool, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The total is what the counter says of each request, and the rows add up to it."""
    file, tools = tmp_path / "talk.jsonl", tmp_path / "tools.json"
    file.write_text((json.dumps(TALK) + "\n") * times, encoding="utf-8")
    tools.write_text(json.dumps(TOOLS), encoding="utf-8")

    assert main(["count", str(file), "--model", model, *(["--tools", str(tools)] if with_tools else [])]) == 0

    out = capsys.readouterr().out
    total = times * TokenCounter.for_model(model).count_messages(TALK, tools=TOOLS if with_tools else ())
    found = rows(out)
    assert found["total"] == [str(5 * times), f"{total:,}"]
    names = ["system", "user", "assistant", "tool", *(["tools"] if with_tools else []), "framing"]
    assert sum(int(found[name][-1].replace(",", "")) for name in names) == total
    assert found["assistant"][0] == str(2 * times)
    assert out.splitlines()[-1].startswith(
        f"{total:,} tokens{' in 3 conversations' if times == 3 else ''}, counted with "
    )


@needs_shared
@pytest.mark.parametrize("name", ["agents/openhands", "chats/oasst_multilingual_60"])
def test_real_transcripts_are_counted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Recorded files of agents and of chats in many languages are counted to the end."""
    file = SHARED / "data" / f"{name}.jsonl.gz"

    assert main(["count", str(file), "--model", "gpt-4o"]) == 0

    counter = TokenCounter.for_model("gpt-4o")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        total = sum(counter.count_messages(json.loads(line)["messages"]) for line in lines)
    assert rows(capsys.readouterr().out)["total"][1] == f"{total:,}"
