"""Which models a rule is for."""

from __future__ import annotations

import pytest

from ctx_core.providers import PROVIDERS, Kind
from ctx_core.providers.models import Models, version_of


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("claude-opus-4-6", (4, 6)),
        ("claude-3-5-sonnet-20241022", (3, 5)),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", (4, 5)),
        ("claude-opus-4@20250514", (4,)),
        ("openrouter/anthropic/claude-sonnet-4.5", (4, 5)),
        ("gemini-3.6-flash", (3, 6)),
        ("gemini-3-pro-preview", (3,)),
        ("gpt-5.6-terra", (5, 6)),
        ("claude", ()),
    ],
)
def test_a_version_is_the_first_run_of_short_numbers(name: str, version: tuple[int, ...]) -> None:
    """Dates and revisions are none of it."""
    assert version_of(name) == version


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("claude-opus-4-5", False),
        ("claude-opus-4-6", True),
        ("claude-opus-5-5", True),
        ("claude-sonnet-4-6", False),
        ("claude-opus", True),
        ("gpt-4-6-opus", False),
    ],
)
def test_names_words_and_versions_say_it(name: str, has: bool) -> None:  # noqa: FBT001 - a table
    """A name without a version is of the newest."""
    assert Models(names=("claude",), word="opus", since=(4, 6)).has(name) is has


ASKED = [
    ("anthropic", Kind.USER_ENDS, "claude-opus-4-6", True),
    ("anthropic", Kind.USER_ENDS, "claude-sonnet-4-5", False),
    ("anthropic", Kind.USER_ENDS, "claude-haiku-4-5-20251001", False),
    ("anthropic", Kind.USER_ENDS, "claude-fable-5-1", True),
    ("anthropic", Kind.USER_ENDS, "my-deployment", True),
    ("anthropic", Kind.USER_ENDS, None, True),
    ("anthropic", Kind.SYSTEM_APART, "claude-opus-4-7", True),
    ("anthropic", Kind.SYSTEM_APART, "claude-opus-4-8", False),
    ("anthropic", Kind.SYSTEM_APART, "claude-sonnet-5", True),
    ("anthropic", Kind.SYSTEM_PLACED, "claude-opus-5-5", True),
    ("anthropic", Kind.SYSTEM_PLACED, None, False),
    ("anthropic", Kind.THINKING_BOUND, "claude-fable-5-1", True),
    ("anthropic", Kind.THINKING_BOUND, "claude-fable-5", False),
    ("anthropic", Kind.THINKING_BOUND, "claude-mythos-5-1", False),
    ("anthropic", Kind.THINKING_BOUND, "claude-mythos-5-2", True),
    ("anthropic", Kind.THINKING_BOUND, "claude-haiku-5-5", True),
    ("anthropic", Kind.THINKING_BOUND, "claude-opus-5", False),
    ("anthropic", Kind.LOOP_KEEPS_THINKING, "claude-sonnet-4-6", True),
    ("anthropic", Kind.LOOP_KEEPS_THINKING, "claude-opus-4-7", False),
    ("bedrock", Kind.THINKING_BOUND, "us.anthropic.claude-opus-5-5-v1:0", True),
    ("bedrock", Kind.RESULTS_ALONE, "mistral.mistral-large-2402-v1:0", True),
    ("bedrock", Kind.RESULTS_ALONE, "meta.llama3-1-8b-instruct-v1:0", True),
    ("bedrock", Kind.RESULTS_ALONE, "anthropic.claude-3-5-sonnet-20240620-v1:0", False),
    ("bedrock", Kind.NO_TRAILING_BLANKS, "amazon.nova-pro-v1:0", False),
    ("gemini", Kind.USER_ENDS, "gemini-3.6-flash", True),
    ("gemini", Kind.USER_ENDS, "gemini-3.5-flash", False),
    ("gemini", Kind.USER_ENDS, "gemini-3.5-flash-lite", True),
    ("gemini", Kind.USER_ENDS, "gemini-2.5-flash", False),
    ("gemini", Kind.CALLS_SIGNED, "gemini-3-pro-preview", True),
    ("gemini", Kind.CALLS_SIGNED, "gemini-2.5-pro", False),
    ("openai", Kind.TAKES_NO_SYSTEM, "o1-mini-2024-09-12", True),
    ("openai", Kind.TAKES_NO_SYSTEM, "o1", False),
    ("openai", Kind.TAKES_NO_SYSTEM, None, False),
    ("openai", Kind.TOOLS_WITHOUT_EFFORT, "gpt-5.4", True),
    ("openai", Kind.TOOLS_WITHOUT_EFFORT, "gpt-5.2", False),
    ("openai", Kind.PARAMETERS_FIT_MODEL, "gpt-5-chat-latest", False),
    ("openai", Kind.PARAMETERS_FIT_MODEL, "o3-mini", True),
    ("mistral", Kind.IDS_PLAIN, "mistral-large-latest", True),
    ("mistral", Kind.IDS_PLAIN, "magistral-medium-2507", False),
    ("mistral", Kind.CALLS_OR_TEXT, "open-mixtral-8x7b", True),
    ("mistral", Kind.CALLS_OR_TEXT, "mistral-small-latest", False),
    ("deepseek", Kind.CALLS_KEEP_REASONING, "deepseek-reasoner", True),
    ("deepseek", Kind.CALLS_KEEP_REASONING, "deepseek-chat", False),
    ("deepseek", Kind.CALLS_KEEP_REASONING, "deepseek-v4-flash", True),
    ("deepseek", Kind.ALTERNATES, "deepseek-v4-pro", False),
    ("chat_template", Kind.TAKES_NO_SYSTEM, "gemma-2-9b-it", True),
    ("chat_template", Kind.TAKES_NO_SYSTEM, "gemma-3-27b-it", False),
    ("unknown", Kind.ALTERNATES, "anything", True),
]


@pytest.mark.parametrize(("row", "kind", "model", "asks"), ASKED)
def test_a_row_asks_it_of_the_models_that_it_is_known_of(row: str, kind: Kind, model: str | None, asks: bool) -> None:  # noqa: FBT001 - a table
    """Of a model whose name says nothing, all but what a few old ones ask."""
    assert (PROVIDERS[row].asks(kind, model) is not None) is asks
