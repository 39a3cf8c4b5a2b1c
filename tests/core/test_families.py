"""Which tokenizer and framing a model has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx_core import Framing, TokenCounter, register_tokenizer
from ctx_core.counting import FourCharacters, unregister_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "The tide turns at four, 请帮我查一下明天的高铁票, 3f9d2c1b."

O200K = TokenCounter.for_encoding("o200k_base")
CL100K = TokenCounter.for_encoding("cl100k_base")


@pytest.fixture
def own() -> Iterator[str]:
    """A prefix of the user's own, registered with a tokenizer that counts characters."""
    register_tokenizer("acme-", len, framing=Framing.free())
    yield "acme-"
    unregister_tokenizer("acme-")


@pytest.mark.parametrize(
    ("model", "counter"),
    [
        ("gpt-4o", O200K),
        ("gpt-4o-mini", O200K),
        ("gpt-4o-2024-08-06", O200K),
        ("chatgpt-4o-latest", O200K),
        ("gpt-4.1-nano", O200K),
        ("gpt-4.5-preview", O200K),
        ("gpt-5-mini", O200K),
        ("o1", O200K),
        ("o3-mini", O200K),
        ("o4-mini", O200K),
        ("gpt-4", CL100K),
        ("gpt-4-0613", CL100K),
        ("gpt-4-turbo", CL100K),
        ("gpt-4-32k", CL100K),
        ("gpt-3.5-turbo", CL100K),
    ],
)
def test_openais_models_have_their_own_vocabulary(model: str, counter: TokenCounter) -> None:
    """Old ones have cl100k_base, new ones o200k_base; the longest prefix decides."""
    made = TokenCounter.for_model(model)
    assert made.count_text(TEXT) == counter.count_text(TEXT)
    assert made.model == model


@pytest.mark.parametrize(
    "spelling",
    [
        "GPT-4o",
        " gpt-4o ",
        "openai/gpt-4o",
        "openrouter/openai/gpt-4o",
        "openai:gpt-4o",
        "azure/GPT-4o-mini",
        "ft:gpt-4o:acme::1",
    ],
)
def test_a_model_is_known_with_a_vendor_and_in_any_case(spelling: str) -> None:
    """What stands in front of the name does not hide it."""
    assert TokenCounter.for_model(spelling).tokenizer is TokenCounter.for_model("gpt-4o").tokenizer


@pytest.mark.parametrize(
    ("model", "per_request", "per_assistant"),
    [
        ("gpt-4o", 3, 0),
        ("gpt-4", 3, 0),
        ("gpt-5-chat-latest", 3, 0),
        ("gpt-5", 2, 2),
        ("o3", 2, 2),
        ("codex-mini", 2, 2),
    ],
)
def test_reasoning_models_have_another_framing(model: str, per_request: int, per_assistant: int) -> None:
    """They are billed 2 for the request, and 2 more for every assistant message."""
    framing = TokenCounter.for_model(model).framing.messages
    assert (framing.per_request, framing.per_message, framing.per_assistant) == (per_request, 4, per_assistant)


@pytest.mark.parametrize("model", ["", "some-model"])
@example([("user", "ok")] * 40)
@given(st.lists(st.tuples(st.sampled_from(("user", "assistant")), st.text(max_size=60)), max_size=20))
def test_a_model_that_nobody_knows_gets_a_safe_estimate(model: str, talk: list[tuple[str, str]]) -> None:
    """In text and in framing it is not below what OpenAI bills, whatever the size of the messages."""
    messages = [{"role": role, "content": content} for role, content in talk]
    assert TokenCounter.for_model(model).count_messages(messages) >= O200K.count_messages(messages)


def test_all_counters_of_an_encoding_share_its_cache() -> None:
    """A text that one has counted is known to all."""
    assert TokenCounter.for_model("gpt-4o").tokenizer is TokenCounter.for_model("o3").tokenizer is O200K.tokenizer


def test_an_own_tokenizer_is_registered_by_prefix(own: str) -> None:
    """All models whose name begins so are counted with it, in any case and behind a vendor."""
    for model in (own, "acme-1", "ACME-2-large", "vendor/acme-3"):
        counter = TokenCounter.for_model(model)
        assert (counter.count_text("four"), counter.framing) == (4, Framing.free())


def test_an_own_tokenizer_is_forgotten_again(own: str) -> None:
    """Unregistering twice does no harm."""
    unregister_tokenizer(own.upper())
    unregister_tokenizer(own)
    assert TokenCounter.for_model("acme-1").tokenizer is TokenCounter.for_model("").tokenizer


def test_an_own_tokenizer_wins_over_the_built_in_one() -> None:
    """Of the same prefix the user's is taken, of two prefixes the longer."""
    register_tokenizer("gpt-4o", FourCharacters())
    register_tokenizer("gpt", len)
    try:
        assert TokenCounter.for_model("gpt-4o-mini").tokenizer.name == "4 characters"
        assert TokenCounter.for_model("gpt-4.1").tokenizer is O200K.tokenizer
        assert TokenCounter.for_model("gpt-next").tokenizer.name == "len"
    finally:
        unregister_tokenizer("gpt-4o")
        unregister_tokenizer("gpt")
    assert TokenCounter.for_model("gpt-4o-mini").tokenizer is O200K.tokenizer


def test_a_registered_tokenizer_keeps_its_cache(own: str) -> None:
    """Counters made one after the other count a text once."""
    assert TokenCounter.for_model("acme-1").tokenizer is TokenCounter.for_model(own).tokenizer
