"""The judge against requests whose fate is known, where the folder beside the repository has them."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.contract.shared import SHARED
from tests.payloads.judge import refusals

FILE: Final = SHARED / "provider_vectors.json"

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="no requests with a known fate beside the repository")

ROWS: Final = {
    ("openai", "chat_completions"): "openai",
    ("openai", "responses"): "responses",
    ("anthropic", "messages"): "anthropic",
    ("google", "generateContent"): "gemini",
    ("aws", "bedrock_converse"): "bedrock",
    ("mistral", "chat_completions"): "mistral",
    ("deepseek", "chat_completions"): "deepseek",
    ("cohere", "chat_v2"): "cohere",
}

NOT_OF_THE_CONVERSATION: Final = {
    "too large": ("overflow", "prompt-too-long", "max-tokens-plus-input", "max-tokens-over-model"),
    "unknown keys and types": ("unknown-key", "extra-key", "item-type", "unknown-tool-field"),
    "parameters": (
        "tools-with-effort",
        "tools-default-effort",
        "no-max-tokens",
        "block-binding-no-beta",
        "budget-on-4-7",
        "adaptive-on-4-5",
        "forced-tool-fable",
    ),
    "what only the server knows": (
        "chained-without-output",
        "previous-not-found",
        "resp-bad-encrypted",
        "modified-thinking",
        "corrupt-signature",
    ),
    "a model that is gone": ("r1-two-users",),
}
"""Requests that are refused for what the judge does not look at: why, and parts of their names."""


def vectors() -> list[Any]:
    """Give the requests, as parameters of a test."""
    if not FILE.is_file():
        return []
    return [pytest.param(vector, id=vector["id"]) for vector in json.loads(FILE.read_text("utf-8"))]


def is_of_the_conversation(name: str) -> bool:
    """Whether a request is judged by its conversation."""
    return not any(part in name for parts in NOT_OF_THE_CONVERSATION.values() for part in parts)


@pytest.mark.parametrize("vector", vectors())
def test_the_judge_agrees_with_what_is_known(vector: dict[str, Any]) -> None:
    """It refuses what is refused for its conversation, and nothing else."""
    found = refusals(
        vector["request"],
        ROWS[vector["provider"], vector["api"]],
        model=vector.get("model", ""),
        followers=vector.get("assume", {}).get("pairs"),
    )
    refused = not vector["accept"] and is_of_the_conversation(vector["id"])
    assert bool(found) == refused, found
