"""`validate` on lists of messages, in any format, for any client."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from ctx_core import Message, MessageError, OptionError, Role, ToolCall, validate
from ctx_core.providers import Kind
from tests.providers.requests import as_parameters, known_of, vectors

SAID: Final = "Zaphod-4711"
CALL: Final[dict[str, Any]] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "abcDEF123", "type": "function", "function": {"name": "look", "arguments": '{"q": 1}'}}],
}
RESULT: Final[dict[str, Any]] = {"role": "tool", "tool_call_id": "abcDEF123", "content": "42"}
SYSTEM: Final[dict[str, Any]] = {"role": "system", "content": "Be brief."}
TOOLS: Final[list[dict[str, Any]]] = [{"type": "function", "function": {"name": "look", "parameters": {}}}]


def user(text: str = "Hello?") -> dict[str, Any]:
    """Make a user message."""
    return {"role": "user", "content": text}


def answer(text: str = "Hi.") -> dict[str, Any]:
    """Make an assistant message."""
    return {"role": "assistant", "content": text}


TALK: Final = [SYSTEM, user(), CALL, RESULT, answer(), user("And tomorrow?")]
MODELS: Final = {
    "openai": "gpt-4o",
    "responses": "gpt-5-codex",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
    "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "mistral": "mistral-large-latest",
    "deepseek": "deepseek-chat",
    "cohere": "command-a-03-2025",
    "chat_template": "llama3.1:8b",
    "unknown": "foo",
}
SAID_ROWS: Final = {"unknown": "unknown"}
"""For messages of chat completions and a name that says nothing, the row of OpenAI goes."""


@pytest.mark.parametrize("row", MODELS)
def test_a_sound_conversation_is_taken_by_everyone(row: str) -> None:
    """In the messages of chat completions, which every client makes its own of."""
    found = validate(TALK, MODELS[row], provider=SAID_ROWS.get(row), tools=TOOLS)
    assert found.provider.name == row
    assert found.accepted, str(found)
    assert found.doubts == ()


CASES: Final[list[tuple[str, list[dict[str, Any]], dict[str, set[Kind]]]]] = [
    (
        "a system message in the middle",
        [SYSTEM, user(), answer(), SYSTEM, user()],
        {
            "openai": set(),
            "responses": set(),
            "anthropic": {Kind.SYSTEM_APART},
            "gemini": {Kind.SYSTEM_APART},
            "bedrock": {Kind.SYSTEM_APART},
            "mistral": {Kind.SYSTEM_NOT_AFTER_ANSWER},
            "deepseek": set(),
            "cohere": set(),
            "chat_template": {Kind.SYSTEM_LEADS},
            "unknown": {Kind.SYSTEM_LEADS},
        },
    ),
    (
        "the assistant begins",
        [answer("Welcome."), user()],
        {
            "openai": set(),
            "responses": set(),
            "anthropic": {Kind.USER_BEGINS},
            "gemini": set(),
            "bedrock": {Kind.USER_BEGINS},
            "mistral": set(),
            "deepseek": set(),
            "cohere": set(),
            "chat_template": {Kind.USER_BEGINS},
            "unknown": {Kind.USER_BEGINS},
        },
    ),
    (
        "the user goes on behind a result",
        [user(), CALL, RESULT, user()],
        {
            "openai": set(),
            "responses": set(),
            "anthropic": set(),
            "gemini": set(),
            "bedrock": set(),
            "mistral": {Kind.NOT_USER_AFTER_TOOL},
            "deepseek": set(),
            "cohere": set(),
            "chat_template": {Kind.NOT_USER_AFTER_TOOL},
            "unknown": {Kind.NOT_USER_AFTER_TOOL},
        },
    ),
    (
        "a call behind an answer",
        [user(), answer("Let me see."), CALL, RESULT],
        {
            "openai": set(),
            "responses": set(),
            "anthropic": set(),
            "gemini": {Kind.CALL_AFTER_USER},
            "bedrock": set(),
            "mistral": set(),
            "deepseek": set(),
            "cohere": set(),
            "chat_template": {Kind.ALTERNATES},
            "unknown": {Kind.CALL_AFTER_USER, Kind.ALTERNATES},
        },
    ),
    (
        "an empty question",
        [user(""), answer(), user()],
        {
            "openai": set(),
            "responses": set(),
            "anthropic": {Kind.NOT_EMPTY},
            "gemini": {Kind.NOT_EMPTY},
            "bedrock": {Kind.NOT_EMPTY},
            "mistral": set(),
            "deepseek": set(),
            "cohere": {Kind.NOT_EMPTY},
            "chat_template": set(),
            "unknown": {Kind.NOT_EMPTY},
        },
    ),
]


@pytest.mark.parametrize(
    ("messages", "row", "kinds"),
    [pytest.param(m, row, kinds, id=f"{name}-{row}") for name, m, rows in CASES for row, kinds in rows.items()],
)
def test_each_provider_refuses_what_it_is_known_to_refuse(
    messages: list[dict[str, Any]], row: str, kinds: set[Kind]
) -> None:
    """The same messages, held against every row."""
    found = validate(messages, MODELS[row], provider=SAID_ROWS.get(row), tools=TOOLS)
    assert {refusal.kind for refusal in found.refusals} == kinds


def test_neutral_messages_are_read() -> None:
    """Those of the core itself."""
    call = ToolCall(id="c1", name="look", arguments="{}")
    messages: list[Message] = [
        Message(role=Role.USER, parts=()),
        Message(role=Role.ASSISTANT, parts=(), tool_calls=(call,)),
    ]
    found = validate(messages, "gpt-4o")
    assert [(refusal.kind, refusal.path) for refusal in found.refusals] == [
        (Kind.CALLS_ANSWERED, "messages[1].tool_calls[0]")
    ]


def test_a_format_of_one_api_says_the_provider() -> None:
    """Where neither the model nor the caller does."""
    contents: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "Hello?"}]},
        {"role": "model", "parts": []},
    ]
    found = validate(contents, "my-model")
    assert found.provider.name == "gemini"
    assert [refusal.kind for refusal in found.refusals] == [Kind.USER_ENDS, Kind.NOT_EMPTY]


def test_tools_that_are_not_known_are_not_missing() -> None:
    """Of a mere list nothing is known beside it; an empty list of tools says that there are none."""
    model = MODELS["bedrock"]
    assert validate(TALK, model).accepted
    assert [refusal.kind for refusal in validate(TALK, model, tools=[]).refusals] == [Kind.TOOLS_DEFINED]


def test_what_is_disputed_is_doubted() -> None:
    """A history of calls without tools, for Anthropic: the newest evidence says that it is taken."""
    found = validate(TALK, MODELS["anthropic"], tools=[])
    assert found.accepted
    assert [doubt.kind for doubt in found.doubts] == [Kind.TOOLS_DEFINED]
    assert "Two" in found.doubts[0].why or "two" in found.doubts[0].why


def test_what_the_client_does_is_no_refusal() -> None:
    """LangChain's client of Mistral's makes ids of its own; a whole request is not changed any more."""
    module = pytest.importorskip("langchain_mistralai")
    client = module.ChatMistralAI(model="mistral-large-latest", api_key="no-key")
    call = {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "id": "call_1"}]}
    messages = [user(), call, {**RESULT, "tool_call_id": "call_1"}]
    assert validate(messages, client).accepted
    request = {"model": "mistral-large-latest", "messages": messages}
    assert {refusal.kind for refusal in validate(request, client).refusals} == {Kind.IDS_PLAIN}


def test_what_the_client_drops_is_doubted() -> None:
    """Google's client leaves an orphan out: nobody refuses it, and something is lost."""
    module = pytest.importorskip("langchain_google_genai")
    client = module.ChatGoogleGenerativeAI(model="gemini-2.5-flash", api_key="no-key")
    found = validate([user(), RESULT], client)
    assert found.accepted
    assert [doubt.kind for doubt in found.doubts] == [Kind.RESULTS_CALLED]


def test_what_the_client_raises_on_is_refused() -> None:
    """LangChain's client of Cohere's raises, whatever the API would say."""
    module = pytest.importorskip("langchain_cohere")
    messages = [user(), answer()]
    client = module.ChatCohere(model="command-a-03-2025", cohere_api_key="no-key")
    assert [refusal.kind for refusal in validate(messages, client).refusals] == [Kind.USER_ENDS]
    assert [doubt.kind for doubt in validate(messages, "command-a-03-2025").doubts] == [Kind.USER_ENDS]


def test_what_is_too_long_is_refused() -> None:
    """By the model's window, or by that of the model object."""
    found = validate([user("word " * 9_000)], "gpt-4")
    assert [(refusal.kind, refusal.path) for refusal in found.refusals] == [(Kind.FITS_WINDOW, "messages")]
    assert validate([user("word " * 9_000)], "gpt-4o").accepted


def test_a_request_is_not_changed() -> None:
    """It is looked at, no more."""
    before = json.dumps(TALK)
    validate(TALK, "foo", tools=TOOLS)
    assert json.dumps(TALK) == before


@pytest.mark.parametrize("request_", [None, 7, "Hello?", b"x", [user(), "Hello?"], [object()], {"messages": 7}])
def test_what_is_no_request_is_an_error(request_: Any) -> None:
    """It says what was found, and where; a request without a list is refused as the provider would."""
    if isinstance(request_, dict):
        assert [refusal.kind for refusal in validate(request_, "gpt-4o").refusals] == [Kind.SOMETHING_SAID]
        return
    with pytest.raises(MessageError, match=r"expected a (request|dict)"):
        validate(request_, "gpt-4o")


def test_a_provider_that_there_is_not_is_an_error() -> None:
    """With those that there are."""
    with pytest.raises(OptionError, match="known are openai"):
        validate(TALK, provider="open ai")


def _with_secret(value: Any, key: str = "") -> Any:
    """Put the secret into every text that is none of the structure."""
    if isinstance(value, dict):
        return {name: _with_secret(held, name) for name, held in value.items()}
    if isinstance(value, list):
        return [_with_secret(held, key) for held in value]
    said = key in {"content", "text", "output", "arguments", "thinking", "args", "input", "reasoning_content"}
    return f"{value} {SAID}" if isinstance(value, str) and said and value.strip() else value


@pytest.mark.parametrize("vector", as_parameters(vectors()))
def test_nothing_that_is_said_is_quoted(vector: dict[str, Any]) -> None:
    """In no text, in no JSON, in no repr, whatever is refused."""
    request = _with_secret(vector["request"])
    found = validate({**request, SAID + " as a key": 1}, vector.get("model"), known=known_of(vector))
    for text in (str(found), repr(found), json.dumps(found.to_dict())):
        assert SAID not in text
