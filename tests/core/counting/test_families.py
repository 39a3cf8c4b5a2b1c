"""Which row of the table a model has."""

from __future__ import annotations

import pytest

from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import FilePart, ReasoningPart, TextPart
from ctx_core.counting import (
    FAMILIES,
    Anchor,
    TokenCounter,
    count_anchored,
    family_of,
    register_tokenizer,
    unregister_tokenizer,
)
from ctx_core.counting.families import FALLBACK
from ctx_core.counting.model_names import words
from tests.core.counting.rows import spelled


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


def test_every_prefix_leads_to_its_own_row() -> None:
    """By its row's API and host; so no other row takes the models of a family."""
    wrong = [
        (prefix, family.api, family.host)
        for family in FAMILIES
        for prefix in family.models
        if family_of(spelled(prefix), api=family.api, host=family.host) is not family
    ]
    assert wrong == []


def test_no_two_rows_are_for_the_same_models() -> None:
    """In whatever spelling: prefixes of the same words are the same prefix."""
    rows = [(words(prefix), family.api, family.host) for family in FAMILIES for prefix in family.models]
    assert len(set(rows)) == len(rows)
    assert all(prefix == prefix.lower() for family in FAMILIES for prefix in family.models)


def test_rows_of_an_api_and_of_a_host_go_before_general_ones() -> None:
    """The responses API and a host with prices of its own have their own rows."""
    assert family_of("gpt-5").framing.tools.per_request != family_of("gpt-5", api="responses").framing.tools.per_request
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


def encrypted_step(characters: int) -> list[Message]:
    """Make a question and a step whose call came with encrypted thoughts."""
    call = ToolCall(name="look", id="1", encrypted=characters)
    return [Message.user("Hi"), Message.assistant(tool_calls=(call,)), Message.tool("3", tool_call_id="1")]


def test_encrypted_thoughts_of_gemini_are_in_the_bound_where_they_may_be_billed() -> None:
    """Google bills them in streams only: the estimate leaves them out, the bound does not."""
    google = TokenCounter.for_model("gemini-2.5-flash")
    plain, encrypted = google.measure(encrypted_step(0)), google.measure(encrypted_step(800))
    assert encrypted.estimate == plain.estimate
    assert encrypted.bound >= plain.bound + 100


def test_vertex_bills_encrypted_thoughts_of_earlier_turns_while_a_turn_runs() -> None:
    """All of them behind a tool's result, none behind a question."""
    vertex = TokenCounter.for_model("gemini-2.5-flash", host="vertex")
    twice = [*encrypted_step(900), *encrypted_step(900)]
    plain = [*encrypted_step(0), *encrypted_step(0)]
    assert vertex.measure(twice).estimate == vertex.measure(plain).estimate + 200
    question = Message.user("And now?")
    assert vertex.measure([*twice, question]).estimate == vertex.measure([*plain, question]).estimate


def test_an_anchor_says_whether_encrypted_thoughts_were_billed() -> None:
    """What was billed with them is taken off with them when the turn is over."""
    google = TokenCounter.for_model("gemini-2.5-flash")
    then, now = encrypted_step(800), [*encrypted_step(800), Message.assistant("It is 3."), Message.user("Thanks")]
    free = google.measure(then).estimate
    growth = google.measure(now).estimate - free
    assert count_anchored(google, now, Anchor(billed=free, sent=then)).estimate == free + growth
    assert count_anchored(google, now, Anchor(billed=free + 100, sent=then)).estimate == free + growth


@pytest.mark.parametrize(
    "quoted",
    [
        {"type": "document", "citations": {"enabled": True}},
        {"document": {"format": "txt", "name": "a", "citations": {"enabled": True}}},
    ],
)
def test_documents_that_are_to_be_quoted_cost_their_prompt_once(quoted: dict[str, object]) -> None:
    """Claude is told how to quote, once, however many documents and search results there are, at Bedrock as well."""
    claude = TokenCounter.for_model("claude-haiku-4-5")
    plain, asked = FilePart(text="It is 3."), FilePart(text="It is 3.", raw=quoted)

    def cost(*parts: FilePart) -> int:
        return claude.measure([Message(role=Role.USER, parts=parts)]).estimate

    assert cost(asked) == cost(plain) + claude.framing.documents.citations
    assert cost(asked, asked) == cost(plain, plain) + claude.framing.documents.citations
