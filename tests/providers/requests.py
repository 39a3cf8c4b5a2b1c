"""Requests whose fate is known, where the folder beside the repository has them, and what is assumed of each."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, Final

import pytest

from ctx_core.providers.checks.known import Known
from tests.contract.shared import SHARED

FILE: Final = SHARED / "provider_vectors.json"
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
_BEFORE_THE_RULE: Final = date(2026, 1, 1)

Vector = dict[str, Any]


def vectors() -> list[Vector]:
    """Give all that are there."""
    return json.loads(FILE.read_text("utf-8")) if FILE.is_file() else []


def as_parameters(found: list[Vector]) -> list[Any]:
    """Give them as parameters of a test."""
    absent = pytest.param(None, marks=pytest.mark.skip(reason="no requests with a known fate beside the repository"))
    return [pytest.param(vector, id=vector["id"]) for vector in found] or [absent]


def row_of(vector: Vector) -> str:
    """Give the name of the row that a request is for."""
    return ROWS[vector["provider"], vector["api"]]


def known_of(vector: Vector) -> Known:
    """Give what the server knows beside the request."""
    assumed = vector.get("assume", {})
    signatures: dict[str, str] = assumed.get("signatures", {})
    sealed: dict[str, str] = assumed.get("encrypted", {})
    stored = assumed.get("stored_items")
    responses: dict[str, Any] = assumed.get("responses", {})
    return Known(
        headers=assumed.get("headers", {}),
        account_created=_BEFORE_THE_RULE if assumed.get("account") == "legacy" else None,
        window=assumed.get("context_window"),
        longest_answer=assumed.get("max_output_tokens"),
        followers=assumed.get("pairs", {}),
        stored=None if stored is None else frozenset(stored),
        responses={name: tuple(response["pending_calls"]) for name, response in responses.items()},
        thinking={
            name: said.removeprefix("valid_for:") for name, said in signatures.items() if said.startswith("valid_for:")
        },
        invalid=frozenset(name for name, said in (signatures | sealed).items() if said == "invalid"),
        bound_elsewhere=frozenset(name for name, said in signatures.items() if "different prefix" in said),
    )
