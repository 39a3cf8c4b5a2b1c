"""That the judge finds what is broken, and names the rule."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.payloads.judge import RULES, SUBJECTS, asks, refusals, stored_followers
from tests.payloads.payloads import (
    FUNCTION_CALL,
    FUNCTION_RESPONSE,
    bedrock_result,
    bedrock_use,
    call,
    chat,
    contents,
    item,
    message,
    result,
    text,
    tool,
    use,
)

USER, ANSWER = message("user"), message("assistant")
HI, OK = [{"text": "hi"}], [{"text": "ok"}]
CLAUDE = "claude-sonnet-4-5"
DOCUMENT = {"document": {"name": "a", "format": "pdf", "source": {"bytes": ""}}}
MARKED = [text(cache_control={"type": "ephemeral"})] * 5
NINE = "abcDEF123"
REASONING = item("reasoning", id="rs_1", summary=[])
FUNCTION = item("function_call", id="fc_1", call_id="c", name="look", arguments="{}")
OUTPUT = item("function_call_output", call_id="c", output="sunny")
MANUAL = {"type": "enabled", "budget_tokens": 1_024}
TOOL_CONFIG: dict[str, Any] = {"toolConfig": {"tools": []}}

BROKEN: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("openai", "something is said", chat()),
    ("openai", "tool messages follow their calls", chat(USER, tool("a"))),
    ("openai", "tool messages follow their calls", chat(USER, call("a", "b"), tool("b"))),
    ("openai", "tool messages follow their calls", chat(USER, tool("a"), call("a"))),
    ("openai", "tool messages follow their calls", chat(USER, call("a"), USER, tool("a"))),
    ("openai", "roles are known", chat(message("bogus"))),
    ("openai", "model takes instructions", chat(message("developer"), USER, model="o1-mini")),
    ("openai", "content is not null", chat(USER, message("assistant", None), USER)),
    ("openai", "calls are absent or some", chat(USER, message("assistant", tool_calls=[]))),
    ("responses", "something is said", {"input": ""}),
    ("responses", "outputs and calls match", {"input": [USER, OUTPUT]}),
    ("responses", "outputs and calls match", {"input": [USER, FUNCTION]}),
    ("responses", "outputs and calls match", {"input": [USER, OUTPUT, FUNCTION], "previous_response_id": None}),
    ("responses", "no message is a tools", {"input": [USER, message("tool")]}),
    ("responses", "messages have contents of their role", {"input": [message("user", None)]}),
    ("responses", "messages have contents of their role", {"input": [message("user", [item("output_text", text="")])]}),
    (
        "responses", "messages have contents of their role",
        {"input": [USER, message("assistant", [item("input_text", text="")])]},
    ),
    ("responses", "reasoning has its follower", {"input": [USER, REASONING]}),
    ("responses", "reasoning has its follower", {"input": [USER, REASONING, ANSWER]}),
    ("responses", "followers have their reasoning", {"input": [USER, FUNCTION, OUTPUT]}),
    ("responses", "reasoning can be found", {"input": [USER, REASONING, FUNCTION, OUTPUT], "store": False}),
    ("responses", "reasoning can be found", {"input": [USER, item("reasoning", id="rs_1"), FUNCTION, OUTPUT]}),
    ("responses", "no item comes twice", {"input": [USER, REASONING, FUNCTION, OUTPUT, REASONING, FUNCTION]}),
    ("anthropic", "something is said", chat()),
    ("anthropic", "results stand in the next user turn", chat(USER, message("assistant", [use("a"), use("b")]),
                                                              message("user", [result("a")]))),
    ("anthropic", "results stand in the next user turn", chat(message("user", [result("a")]))),
    ("anthropic", "results come first", chat(USER, message("assistant", [use("a")]), USER,
                                             message("user", [result("a")]))),
    ("anthropic", "calls come last", chat(USER, message("assistant", [use("a"), text()]),
                                          message("user", [result("a")]))),
    ("anthropic", "ids are unique", chat(USER, message("assistant", [use("a"), use("a")]),
                                         message("user", [result("a")]))),
    ("anthropic", "ids are unique", chat(USER, message("assistant", [use("a")]),
                                         message("user", [result("a"), result("a")]))),
    ("anthropic", "ids are of plain characters", chat(USER, message("assistant", [use("a b")]),
                                                      message("user", [result("a b")]))),
    ("anthropic", "roles are user and assistant", chat(USER, message("tool"))),
    ("anthropic", "instructions stand before an answer", chat(USER, message("system"), USER, model="claude-opus-5")),
    ("anthropic", "the user speaks first", chat(ANSWER, USER)),
    ("anthropic", "the assistant is not last", chat(USER, ANSWER, model="claude-opus-4-6")),
    ("anthropic", "turns are not empty", chat(USER, message("assistant", ""), USER)),
    ("anthropic", "texts are not blank", chat(USER, system=" ")),
    ("anthropic", "the last answer ends without blanks", chat(USER, message("assistant", "{ "))),
    ("anthropic", "cache marks are few", chat(message("user", MARKED))),
    ("anthropic", "an open loop starts with thinking", chat(USER, message("assistant", [use("a")]),
                                                            message("user", [result("a")]), thinking=MANUAL)),
    ("anthropic", "no thinking is last where it is disabled", chat(USER, message("assistant", [
        {"type": "thinking", "thinking": "", "signature": "s"}, text()]))),
    ("anthropic", "thinking is signed", chat(USER, message("assistant", [
        {"type": "thinking", "thinking": "hm", "signature": ""}, text()]), USER)),
    ("gemini", "something is said", contents()),
    ("gemini", "calls follow a user turn", contents(("user", HI), ("model", OK), ("model", [FUNCTION_CALL]),
                                                    ("user", [FUNCTION_RESPONSE]))),
    ("gemini", "responses answer the content before", contents(("user", HI), ("user", [FUNCTION_RESPONSE]))),
    ("gemini", "responses answer the content before", contents(("user", HI), ("model", [FUNCTION_CALL] * 2),
                                                               ("user", [FUNCTION_RESPONSE]))),
    ("gemini", "responses answer the content before", contents(("user", HI), ("model", [FUNCTION_CALL]), ("user", [
        {"functionResponse": {"name": "other", "response": {}}}]))),
    ("gemini", "roles are user and model", contents(("assistant", HI))),
    ("gemini", "the model is not last", contents(("user", HI), ("model", OK)) | {"model": "gemini-3.7-flash"}),
    ("gemini", "parts have data", contents(("user", []))),
    ("gemini", "the current turn is signed", contents(("user", HI), ("model", [FUNCTION_CALL]), (
        "user", [FUNCTION_RESPONSE])) | {"model": "gemini-3-pro-preview"}),
    ("bedrock", "something is said", chat()),
    ("bedrock", "results stand in the next message", chat(message("user", HI), message("assistant", [bedrock_use("a")]),
                                                          message("user", HI), **TOOL_CONFIG)),
    ("bedrock", "results stand in the next message", chat(message("user", HI), message("assistant", [bedrock_use("a")]),
                                                          message("user", [bedrock_result("a")] * 2), **TOOL_CONFIG)),
    ("bedrock", "tools are configured", chat(message("user", HI), message("assistant", [bedrock_use("a")]),
                                             message("user", [bedrock_result("a")]))),
    ("bedrock", "results stand alone", chat(message("user", HI), message("assistant", [bedrock_use("a")]), message(
        "user", [bedrock_result("a"), *HI]), model="mistral.mistral-large", **TOOL_CONFIG)),
    ("bedrock", "the user speaks first", chat(message("assistant", OK), message("user", HI))),
    ("bedrock", "user and assistant take turns", chat(message("user", HI), message("user", HI))),
    ("bedrock", "messages are not empty", chat(message("user", HI), message("assistant", []), message("user", HI))),
    ("bedrock", "texts are not blank", chat(message("user", [{"text": ""}]))),
    ("bedrock", "the last answer ends without blanks", chat(message("user", HI),
                                                            message("assistant", [{"text": "a "}]))),
    ("bedrock", "documents come with a text", chat(message("user", [DOCUMENT]))),
    ("bedrock", "an open loop starts with thinking", chat(
        message("user", HI), message("assistant", [bedrock_use("a")]), message("user", [bedrock_result("a")]),
        additionalModelRequestFields={"thinking": MANUAL}, **TOOL_CONFIG)),
    ("bedrock", "thinking is signed", chat(message("user", HI), message("assistant", [
        {"reasoningContent": {"reasoningText": {"text": "hm"}}}, *OK]), message("user", HI),
        model="anthropic.claude-sonnet-4-5")),
    ("mistral", "something is said", chat()),
    ("mistral", "tool messages follow their calls", chat(USER, call(NINE))),
    ("mistral", "no id twice", chat(USER, call(NINE), tool(NINE), tool(NINE))),
    ("mistral", "no id twice", chat(USER, call(NINE, NINE), tool(NINE))),
    ("mistral", "ids have nine characters", chat(USER, call("call_1"), tool("call_1"))),
    ("mistral", "roles may follow each other", chat(USER, call(NINE), tool(NINE), USER)),
    ("mistral", "the user or a tool is last", chat(USER, ANSWER)),
    ("mistral", "the user or a tool is last", chat(USER, message("assistant", prefix=True), USER)),
    ("deepseek", "something is said", chat()),
    ("deepseek", "tool messages follow their calls", chat(USER, call("a"), USER)),
    ("deepseek", "calls keep their reasoning", chat(USER, call("a"), tool("a"), thinking=MANUAL)),
    ("cohere", "something is said", chat()),
    ("cohere", "tool messages follow their calls", chat(USER, call("a"), USER)),
    ("cohere", "the question is not empty", chat(message("user", ""))),
    ("ollama", "as many tool messages as calls", chat(USER, call("a"))),
    ("ollama", "as many tool messages as calls", chat(USER, call("a"), USER, tool("a"))),
]  # fmt: skip
"""A provider, a rule, and a payload that breaks it."""


@pytest.mark.parametrize(("provider", "rule", "payload"), BROKEN)
def test_a_broken_rule_is_named(provider: str, rule: str, payload: dict[str, Any]) -> None:
    """What breaks a rule is refused by its name."""
    found = refusals(payload, provider, model=CLAUDE, followers={"rs_1": "fc_1"})
    assert rule in {refusal.split(":", maxsplit=1)[0] for refusal in found}


def test_every_rule_can_be_broken() -> None:
    """No rule of any provider is without a payload that breaks it."""
    rules = {
        (provider, rule.__name__.replace("_", " "))
        for provider, row in RULES.items()
        for subject in SUBJECTS
        for rule in getattr(row, subject)
    }
    assert {(provider, rule) for provider, rule, _ in BROKEN} == rules


@pytest.mark.parametrize(
    ("provider", "payload"),
    [
        ("openai", chat(message("system"), USER, call("a", "b"), tool("b"), tool("a"), USER, ANSWER)),
        ("responses", {"input": [USER, REASONING, FUNCTION, ANSWER, OUTPUT]}),
        ("responses", {"input": [OUTPUT], "previous_response_id": "resp_1"}),
        ("anthropic", chat(USER, message("assistant", [text(), use("a"), use("b")]), message("user", [result("b")]),
                           message("user", [result("a"), text()]), ANSWER, USER)),
        ("gemini", contents(("user", HI), ("model", [*OK, FUNCTION_CALL]), ("user", [FUNCTION_RESPONSE]),
                            ("model", [FUNCTION_CALL]), ("user", [FUNCTION_RESPONSE]), ("user", HI))),
        ("bedrock", chat(message("user", HI), message("assistant", [*OK, bedrock_use("a")]),
                         message("user", [bedrock_result("a"), *HI]), **TOOL_CONFIG)),
        ("mistral", chat(message("system"), USER, call(NINE), tool(NINE), ANSWER, USER)),
        ("deepseek", chat(USER, USER, call("a", reasoning_content="hm"), tool("a"), thinking=MANUAL)),
        ("cohere", chat(USER, call("a"), tool("a"))),
        ("ollama", chat(USER, call("", ""), tool(""), tool(""), USER)),
    ],
)  # fmt: skip
def test_what_is_right_is_not_refused(provider: str, payload: dict[str, Any]) -> None:
    """Conversations that a provider takes break no rule."""
    assert refusals(payload, provider, model=CLAUDE, followers={"rs_1": "fc_1"}) == []


def test_one_subject_may_be_asked_for() -> None:
    """What breaks rules of two subjects is refused for the one that is asked for."""
    payload = chat(message("bogus"), call("a"))
    assert len(refusals(payload, "openai")) > len(refusals(payload, "openai", subjects=["pairing"])) == 1


def test_a_question_is_found_where_the_user_asks_it() -> None:
    """The same words of an assistant, or others of the user, are not the question."""
    assert asks(chat(message("user", [text("So, why?")])), "openai", "why?")
    assert not asks(chat(message("user", "how?"), message("assistant", "why?")), "openai", "why?")


def test_followers_are_known_from_the_whole_history() -> None:
    """What the server remembers is what stood behind each reasoning."""
    assert stored_followers({"input": [USER, REASONING, FUNCTION, OUTPUT]}) == {"rs_1": "fc_1"}
