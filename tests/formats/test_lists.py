"""Lists of a provider's own messages: whose they are, and what goes out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import (
    ContextBuilder,
    ContextSession,
    Framing,
    HistoryPolicy,
    MessageError,
    TokenCounter,
    WindowState,
    fit,
)
from ctx_core.conversation.formats.names import FormatName, format_of
from ctx_core.providers import Target, provider_named
from tests.formats.told import WRITERS, Call, Result, Said
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())

A, B = Call(id="a"), Call(id="b", name="find")
TOLD: Final = (
    Said(role="user", text="How is the weather? " * 5),
    Said(role="assistant", calls=(A, B), thinks=True),
    Result(call=B, text="stormy " * 9),
    Result(call=A, text="sunny " * 9),
    Said(role="assistant", text="It is mixed."),
    Said(role="user", text="And tomorrow?"),
)
NATIVE: Final = [name for name in WRITERS if name != "openai"]


def hi(**more: Any) -> dict[str, Any]:
    """Give a user's message that several formats can have."""
    return {"role": "user", "content": "hi", **more}


USE: Final = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
TOOL_USE: Final = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]}
CALLED: Final = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}
PICTURE: Final = {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]}


@pytest.mark.parametrize(
    ("messages", "name"),
    [
        ([], "openai"),
        ([hi()], "openai"),
        ([hi(), USE], "anthropic"),
        ([hi(), PICTURE], "anthropic"),
        ([PICTURE, CALLED], "openai"),
        ([{"role": "system", "content": "s"}, hi()], "openai"),
        ([{"role": "user", "parts": [{"text": "hi"}]}], "gemini"),
        ([{"role": "user", "content": [{"text": "hi"}]}], "bedrock"),
        ([hi(), TOOL_USE], "bedrock"),
        ([hi(), {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}], "responses"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}], "responses"),
        ([hi(type="message")], "responses"),
        ([hi(), {"role": "tool", "tool_call_id": "a", "content": ""}], "openai"),
    ],
)
def test_the_first_message_that_only_one_format_can_have_decides(messages: Sequence[Any], name: str) -> None:
    """Where none does it is OpenAI's; blocks that gateways take in chat completions are no mark beside its own."""
    assert format_of(messages) == name


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([hi(), USE, CALLED], "message 3 is of the format 'openai', and message 2 of 'anthropic'"),
        ([USE, TOOL_USE], "message 2 is of the format 'bedrock', and message 1 of 'anthropic'"),
        ([{"role": "user", "parts": []}, USE], "message 2 is of the format 'anthropic', and message 1 of 'gemini'"),
    ],
)
def test_a_mixed_list_is_refused(messages: list[Any], found: str) -> None:
    """The error names the places and both formats."""
    with pytest.raises(MessageError, match=found):
        fit(messages, 100)


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (
            [hi(), {"role": "model", "parts": [{"text": "x"}]}, {"role": "user", "parts": [{"text": "n"}]}],
            "message 1 of 3: a message with content in a list of Gemini's",
        ),
        ([{"role": "user", "parts": "hello"}], "message 1 of 1: a part that is a mere text"),
        (
            [{"role": "user", "content": [{"text": "q"}]}, USE],
            "message 1 of 2: a block with no type in a message of the format 'anthropic'",
        ),
        (
            [hi(), TOOL_USE, {"role": "user", "content": [{"type": "text", "text": "x"}]}],
            "message 3 of 3: a block with a type in a message of the format 'bedrock'",
        ),
    ],
)
def test_what_a_format_does_not_have_is_refused(messages: list[Any], found: str) -> None:
    """Messages that several formats may have, and blocks, are held against the one that was decided."""
    with pytest.raises(MessageError, match=found):
        fit(messages, 100)


def test_an_unknown_call_keeps_its_output() -> None:
    """Neither is known, and both stay where they stood."""
    unknown = [{"type": "zzz_call", "call_id": "z"}, {"type": "zzz_call_output", "call_id": "z", "output": "r"}]
    known = [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    messages = [hi(), *unknown, *known]
    assert fit(messages, 1_000, counter=WORDS).messages == messages


def test_an_unknown_format_is_refused() -> None:
    """The error names those that there are."""
    wrong: Any = "cohere"
    with pytest.raises(MessageError, match="unknown format 'cohere'; known are openai, anthropic, gemini, bedrock"):
        fit([hi()], 100, format=wrong)


@pytest.mark.parametrize("name", NATIVE)
def test_what_fits_goes_out_as_the_objects_that_came_in(name: FormatName) -> None:
    """With the system text apart from the list, and told by the messages themselves."""
    natives = WRITERS[name](TOLD)
    context = fit(natives, 500, counter=WORDS, system="Be brief.")
    assert [id(native) for native in context.messages] == [id(native) for native in natives]
    assert context.system_prompt == "Be brief."
    assert context.system_message is None
    assert context.tokens == WORDS.count_messages(natives) + 2


@pytest.mark.parametrize("name", NATIVE)
def test_what_does_not_fit_is_left_out_by_turns(name: FormatName) -> None:
    """What is left out is told by its places in the caller's own list."""
    natives = WRITERS[name](TOLD)
    context = fit(natives, 8, counter=WORDS, state=WindowState())
    assert [id(native) for native in context.messages] == [id(natives[-1])]
    assert context.left_out() == tuple(range(len(natives) - 1))


@pytest.mark.parametrize("name", WRITERS)
def test_sessions_and_builders_take_a_format_by_name(name: FormatName) -> None:
    """Turn by turn, with a state that is JSON."""
    natives = WRITERS[name](TOLD)
    session: ContextSession[Any] = ContextSession(budget=40, counter=WORDS, codec=name)
    session.add(natives[:-1])
    session.add(natives[-1:])
    context = session.window()
    built = ContextBuilder(40, WORDS).build(natives, codec=name, state=WindowState())
    again = session.fit(natives, state=context.state.to_dict())
    assert context.messages == built.messages == again.messages


@pytest.mark.parametrize("name", NATIVE)
def test_without_trimming_all_goes_out(name: FormatName) -> None:
    """Counted and not cut, with nothing put into a list that takes no instructions."""
    natives = WRITERS[name](TOLD)
    builder = ContextBuilder(5, WORDS).system("Be brief.").trimming(on=False)
    context = builder.build(natives, codec=name)
    assert [id(native) for native in context.messages] == [id(native) for native in natives]
    assert context.system_prompt == "Be brief."


@pytest.mark.parametrize(
    "system",
    ["Be brief.", [{"type": "text", "text": "Be brief."}], [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
     {"parts": [{"text": "Be brief."}]}],
)  # fmt: skip
def test_a_system_text_is_read_in_each_spelling(system: Any) -> None:
    """As a text, in Anthropic's or Bedrock's blocks, and as Gemini has it."""
    assert fit([hi()], 100, system=system).system_prompt == "Be brief."


def test_a_system_that_is_no_text_is_refused() -> None:
    """A picture has no place in a prompt that is a text."""
    with pytest.raises(MessageError, match="system must be a text or blocks of text, found 1 other blocks"):
        fit([hi()], 100, system=[{"type": "image", "source": {"type": "url", "url": "u"}}])


def test_thoughts_of_responses_go_with_what_follows_them() -> None:
    """A call that was never answered goes with its thoughts; where only the thoughts go, the next item loses its id."""
    thoughts = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "sunny"}
    policy = HistoryPolicy(unanswered="drop")
    dropped = fit([hi(), thoughts, call, hi()], 99, counter=WORDS, format="responses", policy=policy)
    assert dropped.messages == [hi(), hi()]
    old = HistoryPolicy(reasoning="drop_old_turns")
    bare = fit([hi(), thoughts, call, output, hi()], 99, counter=WORDS, format="responses", policy=old)
    assert bare.messages == [hi(), {key: call[key] for key in call if key != "id"}, output, hi()]


def test_neighbors_of_one_role_are_one_message_on_bedrock() -> None:
    """It wants roles to take turns."""
    natives = [{"role": "user", "content": [{"text": word}]} for word in ("one", "two")]
    assert fit(natives, 99).messages == [{"role": "user", "content": [{"text": "one"}, {"text": "two"}]}]


def test_instructions_in_the_middle_stand_before_an_answer() -> None:
    """Where a cut leaves them first, they wait for what the user says, if the model takes them there at all."""
    noted = {"role": "system", "content": "noted"}
    natives = [hi(content="long " * 50), {"role": "assistant", "content": "ok"}, hi(), noted, USE, hi(content=[
        {"type": "tool_result", "tool_use_id": "a", "content": "sunny"}])]  # fmt: skip
    opus = Target(provider=provider_named("anthropic"), model="claude-opus-5")
    context = fit([natives[0], noted, *natives[1:]], 20, counter=WORDS, provider=opus)
    assert [message["role"] for message in context.messages] == ["user", "system", "system", "assistant", "user"]
    context = fit([natives[0], noted, *natives[1:]], 60, counter=WORDS)
    assert [message["role"] for message in context.messages] == ["user"] * 3 + ["assistant", "user"]


def test_an_answer_that_was_paused_stays_with_its_rest() -> None:
    """A search that has not answered yet, and the message in which it does, are left out together or not at all."""
    asked = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tide " * 9}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    first, rest = ({"role": "assistant", "content": [block]} for block in (asked, found))
    for budget in range(5, 40):
        messages = fit([hi(), first, rest, hi(content="And tomorrow?")], budget, counter=WORDS).messages
        assert (first in messages) == (rest in messages)


@pytest.mark.parametrize("name", NATIVE)
def test_a_stub_has_the_form_of_its_format(name: FormatName) -> None:
    """A call that was never answered is answered in the place where the provider looks for it."""
    natives = WRITERS[name]([*TOLD[:3], TOLD[-1]])
    sent = fit(natives, 500, counter=WORDS).messages
    given = {"responses": "input", "gemini": "contents"}.get(name, "messages")
    payload = {given: sent, "toolConfig": {}, "store": False}
    model = {"bedrock": "anthropic.claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}.get(name, "")
    assert refusals(payload, name, model=model, subjects=["pairing"]) == []
    assert "[no result: the call was not answered]" in str(sent)


def test_a_computer_call_without_a_screenshot_is_left_out() -> None:
    """Its output has to be a picture, and no text can stand for one."""
    call = {"type": "computer_call", "id": "cu_1", "call_id": "c", "action": {"type": "click"}}
    seen = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}
    output = {"type": "computer_call_output", "call_id": "c", "output": seen}
    assert fit([hi(), call, output, hi()], 9_000).messages == [hi(), call, output, hi()]
    assert fit([hi(), call, hi()], 9_000).messages == [hi(), hi()]


@pytest.mark.parametrize(
    ("call", "output"),
    [
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "[no result: the call was not answered]"},
        ),
        (
            {"type": "mcp_approval_request", "id": "c", "name": "f", "arguments": "{}", "server_label": "s"},
            {"type": "mcp_approval_response", "approve": False, "approval_request_id": "c"},
        ),
    ],
)
def test_a_stub_is_of_the_type_that_answers_its_call(call: dict[str, Any], output: dict[str, Any]) -> None:
    """Every type of call has its own; what was never approved is not."""
    assert fit([hi(), call, hi()], 500, counter=WORDS).messages == [hi(), call, output, hi()]


def test_blocks_in_a_wrong_order_are_put_right() -> None:
    """Anthropic wants results before the words of their turn, and calls behind those of theirs."""
    text, result = {"type": "text", "text": "words"}, {"type": "tool_result", "tool_use_id": "a", "content": "sunny"}
    call = USE["content"][0]
    wrong = [hi(), {"role": "assistant", "content": [call, text]}, hi(content=[text, result])]
    right = [hi(), {"role": "assistant", "content": [text, call]}, hi(content=[result, text])]
    assert fit(wrong, 500, counter=WORDS).messages == right


def test_a_response_of_a_call_without_an_id_has_none() -> None:
    """Gemini pairs by ids where there are any: one that its call lacks is taken out."""
    asked = {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]}
    told = {"functionResponse": {"id": "7", "name": "look", "response": {"output": "sunny"}}}
    question = {"role": "user", "parts": [{"text": "And now?"}]}
    messages = [question, asked, {"role": "user", "parts": [told]}]
    sent: Any = fit(messages, 1_000, format="gemini", counter="gpt-4o").messages
    assert sent[2]["parts"][0]["functionResponse"] == {"name": "look", "response": {"output": "sunny"}}
