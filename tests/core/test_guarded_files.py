"""The recipes' estimates over real chats and runs of agents, against OpenAI's vocabulary."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import TokenCounter
from ctx_core.recipes import character_counter, word_counter
from tests.contract.shared import transcript_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHARACTERS = 150_000
"""Of a file, so many are enough to know."""


def texts(value: Any) -> Iterator[str]:
    """Give every text in a conversation."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


@pytest.mark.parametrize("path", transcript_files())
@pytest.mark.parametrize("form", ["texts", "JSON", "minified JSON"])
def test_no_default_is_far_from_the_vocabulary(path: Path, form: str) -> None:
    """Not below o200k by more than 5 % in total, nor over it by more than 80 %."""
    exact, totals, left = TokenCounter.for_encoding("o200k_base"), [0, 0, 0], _CHARACTERS
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            messages = json.loads(line)["messages"]
            separators = (",", ":") if form == "minified JSON" else None
            whole = json.dumps(messages, ensure_ascii=False, separators=separators)[:_CHARACTERS]
            for text in texts(messages) if form == "texts" else [whole]:
                for at, counter in enumerate((exact, character_counter(), word_counter())):
                    totals[at] += counter.count_text(text)
                left -= len(text)
            if left <= 0:
                break
    counted, *estimated = totals
    assert all(0.95 * counted <= estimate <= 1.8 * counted for estimate in estimated), totals
