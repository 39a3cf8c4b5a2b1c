"""Options that a memory must not lose: of a stored summary, and beside a recipe."""

from __future__ import annotations

import pickle

import pytest
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import (
    Calibration,
    ContextBudget,
    ContextBuilder,
    RequestOptions,
    RollingSummary,
    Share,
    TokenCounter,
    Tokens,
)
from llamaindex_ctx import ContextMemoryBuffer


def test_a_stored_memory_keeps_all_of_its_summarys_settings() -> None:
    """Also the share that it may have."""
    summary = RollingSummary(most=0.11, heading="So far:")
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, summary=summary)
    assert ContextMemoryBuffer.from_dict(memory.to_dict()).summary == summary


@pytest.mark.parametrize("reserve", [Share(0.1), Tokens(50), 70])
def test_a_stored_memory_keeps_its_reserve(reserve: Share | Tokens | int) -> None:
    """In whatever unit, through every way of storing it."""
    memory = ContextMemoryBuffer(budget=ContextBudget(9_000), reserve=reserve)
    for back in (
        ContextMemoryBuffer.from_dict(memory.to_dict()),
        ContextMemoryBuffer.from_string(memory.to_string()),
        pickle.loads(pickle.dumps(memory)),  # noqa: S301 - our own
    ):
        assert back.reserve == reserve


def test_a_recipe_beside_taken_tokens_keeps_calibration_and_options() -> None:
    """Tokens that somebody else sends along are added to a request, and take nothing from it."""
    calibration, options = Calibration(), RequestOptions(schema={"type": "object", "properties": {"a": {}}})
    counter = TokenCounter.for_model("gpt-4o")
    for taken in (0, 100):
        bare = ContextMemoryBuffer.from_defaults(recipe=ContextBuilder(5_000, counter))
        memory = ContextMemoryBuffer.from_defaults(
            recipe=ContextBuilder(5_000, counter), calibration=calibration, request_options=options
        )
        for one in (bare, memory):
            one.put(ChatMessage("When does the ferry leave?"))
            one.get(initial_token_count=taken)
        assert bare.last_report is not None
        assert memory.last_report is not None
        asked = counter.count_options(options)
        assert memory.last_report.used == bare.last_report.used + asked > taken
        assert asked > 0
