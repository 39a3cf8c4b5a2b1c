"""Which row of the table a model has."""

from __future__ import annotations

import pytest

from ctx_core.counting import FAMILIES, TokenCounter, family_of, register_tokenizer, unregister_tokenizer
from ctx_core.counting.families import FALLBACK
from ctx_core.messages import Message, ReasoningPart, Role, TextPart


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4-turbo", "cl100k_base"), ("gpt-35-turbo", "cl100k_base"), ("azure/gpt-4o", "o200k_base"),
        ("ft:gpt-4.1-mini:org", "o200k_base"), ("openai.gpt-oss-20b-1:0", "o200k_harmony"),
        ("us.meta.llama3-3-70b-instruct-v1:0", "llama3"), ("Qwen/Qwen3-0.6B", "qwen3"),
        ("publishers/google/models/gemini-2.0-flash", "gemma3"), ("mistralai/devstral-small", "mistral_v3"),
        ("z-ai/glm-4.6", "glm4"), ("moonshotai/Kimi-K2", "kimi_k2"), ("deepseek-chat", "deepseek_v3"),
    ],
)  # fmt: skip
def test_name_finds_its_vocabulary(model: str, vocabulary: str) -> None:
    """A model is found with or without what hosts write before its name."""
    assert family_of(model).vocabulary == vocabulary


def test_every_row_says_where_it_comes_from() -> None:
    """No figure of the table is without a source."""
    assert all(family.source and family.models and family.rows >= 0 for family in FAMILIES)


def test_rows_of_an_api_and_of_a_host_go_before_general_ones() -> None:
    """The responses API and a host with prices of its own have their own rows."""
    assert family_of("gpt-5").framing.any_tools != family_of("gpt-5", api="responses").framing.any_tools
    assert family_of("openai/gpt-5", host="openrouter") == family_of("gpt-5", api="responses")
    assert family_of("gemini-2.5-flash").framing != family_of("gemini-2.5-flash", host="vertex").framing


def test_unknown_model_has_the_fallback() -> None:
    """A name of no family is counted on the safe side."""
    assert family_of("my-own-model") is FALLBACK
    messages = [Message.user("How far is it from here to there?")]
    assert TokenCounter.for_model("my-own-model").count_messages(messages) > TokenCounter.for_model(
        "gpt-4o"
    ).count_messages(messages)


def test_registered_tokenizer_wins_over_the_table() -> None:
    """What users register for a prefix is used for it."""
    register_tokenizer("gpt-4o-mine", len)
    try:
        assert TokenCounter.for_model("gpt-4o-mine-1").count_text("abc") == 3
        assert TokenCounter.for_model("gpt-4o").count_text("abc") == 1
    finally:
        unregister_tokenizer("gpt-4o-mine")


def test_hidden_system_message_is_saved_by_an_own_one() -> None:
    """Where a template puts in a system message, an own one takes its place."""
    counter = TokenCounter.for_model("kimi-k2")
    alone = counter.measure([Message.user("Hi")]).estimate
    assert counter.measure([Message.system("Hi"), Message.user("Hi")]).estimate < alone


def test_thoughts_before_the_running_turn_are_not_billed() -> None:
    """Claude is shown only the thoughts of the running turn; signatures never count."""
    counter = TokenCounter.for_model("claude-sonnet-4-5")
    thought = Message(role=Role.ASSISTANT, parts=(ReasoningPart("Let me think about this for long."), TextPart("Yes")))
    bare = Message.assistant("Yes")
    question = Message.user("Really?")
    earlier = [counter.measure([question, answer, question]).estimate for answer in (thought, bare)]
    assert earlier[0] == earlier[1]
    assert counter.measure([question, thought]).estimate > counter.measure([question, bare]).estimate
