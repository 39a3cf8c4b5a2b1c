"""What the last step changes for each provider, and that it leaves alone what this one takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import (
    Context,
    ContextOverflowError,
    HistoryPolicy,
    Message,
    OptionError,
    Role,
    TokenCounter,
    ToolCall,
    fit,
)
from ctx_core.conversation.parts import FilePart, ReasoningPart, TextPart
from ctx_core.providers import PROVIDERS, Target, provider_named

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTER: Final = TokenCounter(lambda text: len(text.split()))
HI, YES, NEXT = Message.user("hi"), Message.assistant("yes"), Message.user("next")
RULE: Final = Message.system("Be brief.")
NOTED: Final = Message.system("It is noon.")


def call(call_id: str | None = "a", name: str = "look", arguments: str = "{}", text: str = "") -> Message:
    """Give an assistant who calls."""
    return Message.assistant(text, tool_calls=(ToolCall(name=name, id=call_id, arguments=arguments),))


def result(call_id: str | None = "a") -> Message:
    """Give what the tool gave."""
    return Message.tool("sunny", tool_call_id=call_id)


def target(name: str, model: str | None = None) -> Target:
    """Give a row for a model."""
    return Target(provider=provider_named(name), model=model)


def sent(messages: Sequence[Message], provider: Any, **options: Any) -> Context[Message]:
    """Fit where everything fits; what goes out is counted anew, and what came in is as it was."""
    before = [repr(message) for message in messages]
    context = fit(list(messages), 10_000, counter=COUNTER, provider=provider, **options)
    assert [repr(message) for message in messages] == before
    assert context.tokens == COUNTER.count_messages(context.messages)
    return context


def shown(context: Context[Message]) -> list[str]:
    """Give who says what."""
    return [f"{message.role}: {message.text or len(message.tool_calls)}" for message in context.messages]


BEGIN: Final = "user: [The conversation begins.]"
GO_ON: Final = "user: [Go on.]"
STEP: Final = (call(), result())
STEPS: Final = ["assistant: 1", "tool: sunny"]
NOON: Final = "user: <system-message>\nIt is noon.\n</system-message>"


@pytest.mark.parametrize(
    ("provider", "messages", "expected"),
    [
        pytest.param("openai", [YES, HI], None, id="openai: any order"),
        pytest.param("openai", [RULE, HI, HI, YES, NOTED, YES], None, id="openai: neighbors, and the assistant last"),
        pytest.param("anthropic", [YES, HI], [BEGIN, "assistant: yes", "user: hi"], id="anthropic: a greeting"),
        pytest.param("anthropic", [HI, HI], None, id="anthropic: it merges neighbors itself"),
        pytest.param("anthropic", [RULE, HI, YES], ["system: Be brief.", "user: hi", "assistant: yes", GO_ON]),
        pytest.param(
            "anthropic", [RULE, HI, NOTED, YES, NEXT],
            ["system: Be brief.", "user: hi", NOON, "assistant: yes", "user: next"], id="anthropic: instructions",
        ),
        pytest.param(
            target("anthropic", "claude-opus-5"), [RULE, HI, NOTED, YES, NEXT], None, id="opus 5: where they may be",
        ),
        pytest.param(
            target("anthropic", "claude-opus-5"), [RULE, HI, YES, NOTED, NEXT],
            ["system: Be brief.", "user: hi", "assistant: yes", "user: next", "system: It is noon."],
            id="opus 5: moved to where they may be",
        ),
        pytest.param(target("anthropic", "claude-sonnet-4-5"), [HI, YES], None, id="sonnet 4.5: an answer at the end"),
        pytest.param(
            "gemini", [call(), result(), NEXT], [BEGIN, *STEPS, "user: next"], id="gemini: a call that is first",
        ),
        pytest.param(
            "gemini", [HI, YES, call(), result()], ["user: hi", "assistant: yes", GO_ON, *STEPS],
            id="gemini: a call behind an answer",
        ),
        pytest.param("gemini", [HI, HI, YES, YES, NEXT], None, id="gemini: neighbors"),
        pytest.param("bedrock", [HI, HI, YES, YES, NEXT],
            ["user: hi\n\nhi", "assistant: yes\n\nyes", "user: next"], id="bedrock: neighbors are one"),
        pytest.param(
            "bedrock", [HI, YES, call(text="so"), result(), NEXT],
            ["user: hi", "assistant: yes\n\nso", "tool: sunny", "user: next"], id="bedrock: calls with what was before",
        ),
        pytest.param(
            "mistral", [HI, *STEP, NEXT], ["user: hi", *STEPS, "assistant: OK.", "user: next"],
            id="mistral: a question behind results",
        ),
        pytest.param(
            "mistral", [HI, NOTED, YES, NEXT], None, id="mistral: instructions behind a question",
        ),
        pytest.param(
            "mistral", [HI, YES, NOTED, NEXT], ["user: hi", "assistant: yes", NOON, "user: next"],
            id="mistral: instructions behind an answer",
        ),
        pytest.param("cohere", [HI, YES], ["user: hi", "assistant: yes", GO_ON], id="cohere: the assistant last"),
        pytest.param(
            target("openai", "o1-mini"), [RULE, HI], [NOON.replace("It is noon.", "Be brief."), "user: hi"],
            id="o1-mini: no instructions",
        ),
        pytest.param(
            "chat_template", [RULE, YES, HI, NOTED], ["system: Be brief.", BEGIN, "assistant: yes",
            f"user: hi\n\n{NOON.removeprefix('user: ')}"], id="chat template: a greeting, and instructions at the end",
        ),
        pytest.param(
            "unknown", [RULE, YES, HI, NOTED, *STEP, NEXT],
            ["system: Be brief.", BEGIN, "assistant: yes", f"user: hi\n\n{NOON.removeprefix('user: ')}", *STEPS,
            "assistant: OK.", "user: next"], id="unknown: all of it",
        ),
        pytest.param("anthropic", [HI, call()], ["user: hi", "assistant: 1",
            "tool: [no result: the call was not answered]"], id="a call at the end"),
        pytest.param(False, [YES, HI, HI, call()], None, id="nobody's rules"),
    ],
)  # fmt: skip
def test_the_order_is_what_the_provider_takes(
    provider: Any, messages: list[Message], expected: list[str] | None
) -> None:
    """None: everything goes out as it came, the very objects."""
    context = sent(messages, provider)
    if expected is None:
        assert all(one is other for one, other in zip(context.messages, messages, strict=True))
        assert context.report.changes == {}
    else:
        assert shown(context) == expected
        assert context.report.changes


EMPTY: Final = "[empty message]"


@pytest.mark.parametrize(
    ("provider", "message", "expected"),
    [
        ("openai", Message.user(""), None),
        ("anthropic", Message.user(""), [EMPTY]),
        ("anthropic", Message.user(" \n"), [EMPTY]),
        ("anthropic", Message(role=Role.USER, parts=(TextPart(" "), TextPart("so"))), ["so"]),
        ("gemini", Message.user(""), [EMPTY]),
        ("bedrock", Message(role=Role.USER, parts=(FilePart(data="JVBERi0="),)), [None, "[a document]"]),
        ("cohere", Message.user(""), [EMPTY]),
        ("unknown", Message.user(""), [EMPTY]),
        (False, Message.user(" "), None),
    ],
)
def test_what_is_empty_is_completed(provider: Any, message: Message, expected: list[Any] | None) -> None:
    """A blank block goes beside others, and a message of blanks says that it is empty."""
    last = sent([HI, YES, message], provider).messages[-1]
    if expected is None:
        assert last is message
    else:
        assert [part.text if isinstance(part, TextPart) else None for part in last.parts] == expected


def test_blanks_at_the_end_of_an_answer_that_is_gone_on_with_go() -> None:
    """Models that go on with an answer take none."""
    answer = Message.assistant("So \n")
    context = sent([HI, answer], target("anthropic", "claude-sonnet-4-5"))
    assert shown(context) == ["user: hi", "assistant: So"]


def test_messages_with_thoughts_are_parted_and_not_merged() -> None:
    """Blocks of one answer go together, and with no other's."""
    thought = Message(role=Role.ASSISTANT, parts=(ReasoningPart("hm", encrypted=200), TextPart("yes")))
    context = sent([HI, thought, YES, NEXT], "bedrock")
    assert context.messages[1] is thought
    assert shown(context) == ["user: hi", "assistant: yes", GO_ON, "assistant: yes", "user: next"]


def test_the_marker_is_what_the_row_takes() -> None:
    """A system message, or user text, which is one message with its neighbor where roles take turns."""
    talk = [RULE, *(message for at in range(20) for message in (Message.user(f"q{at} " * 9), YES)), NEXT]
    policy = HistoryPolicy(omission_marker="[{count} left out]", keep_first=2)
    roles: dict[str, Role] = {}
    for name in PROVIDERS:
        context = fit(talk, 120, counter=COUNTER, policy=policy, provider=name)
        assert context.tokens == COUNTER.count_messages(context.messages) <= 120
        marker = next(message for message in context.messages if "left out]" in message.text)
        roles[name] = marker.role
    system = {name for name, role in roles.items() if role is Role.SYSTEM}
    assert system == {"openai", "responses", "deepseek", "cohere"}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("limit", range(20, 80, 4))
def test_what_is_added_is_within_the_limit(provider: str, limit: int) -> None:
    """The cut is tried again with so much kept free; where it cannot be, the error says what would be enough."""
    talk = [YES, *(message for at in range(6) for message in (*STEP, HI, NOTED, Message.assistant(f"a{at}"))), NEXT]
    try:
        context = fit(talk, limit, counter=COUNTER, provider=provider)
    except ContextOverflowError as error:
        limit = error.needed
        context = fit(talk, limit, counter=COUNTER, provider=provider)
    assert context.tokens == COUNTER.count_messages(context.messages) <= limit
    assert sum(row.used for row in context.report.layers) == context.tokens


@pytest.mark.parametrize(
    ("provider", "asked", "expected"),
    [
        ("openai", ["x" * 40], ["x" * 40]),
        ("openai", ["x" * 41], [None]),
        ("openai", [None, None], [None, None]),
        ("anthropic", ["functions.look:0", "good"], [None, "good"]),
        ("anthropic", ["same", "same"], ["same", None]),
        ("openai", ["same", "same"], ["same", "same"]),
        ("gemini", [None], [""]),
        ("mistral", ["call_1234567890", "abcdefgh1"], [None, "abcdefgh1"]),
        ("unknown", ["a:b", "good"], [None, "good"]),
    ],
)
def test_ids_are_what_the_provider_takes(provider: str, asked: list[Any], expected: list[str | None]) -> None:
    """None: one that was made, which both call and result have, which is taken, and no other call has."""
    talk = [HI, *(message for one in asked for message in (call(one), result(one)))]
    context = sent(talk, provider)
    ids = [one.id or "" for message in context.messages for one in message.tool_calls]
    answered = [message.tool_call_id or "" for message in context.messages if message.role is Role.TOOL]
    assert ids == answered
    for told, wanted in zip(ids, expected, strict=True):
        assert told == wanted if wanted is not None else told not in (*asked, "")
    if "same" not in asked:
        assert len({*ids}) == len(ids)
    longest = {"openai": 40, "mistral": 9}.get(provider, 64)
    assert all(one == "" or (one.replace("_", "").isalnum() and len(one) <= longest) for one in ids)


def test_an_id_that_is_made_is_the_same_on_every_turn() -> None:
    """Whatever came behind, and whatever was cut before."""
    old = [Message.user("old " * 40), call(None, "other"), result(None)]
    talk = [HI, call(None), result(None), call("a:b"), result("a:b")]
    known = [one.id for message in sent(talk, "anthropic").messages for one in message.tool_calls]
    later = sent([*talk, YES, NEXT, call(None), result(None)], "anthropic")
    assert [one.id for message in later.messages for one in message.tool_calls][:2] == known
    whole = sent([*old, *talk], "anthropic")
    cut = fit([*old, *talk], 80, counter=COUNTER, provider="anthropic")
    assert cut.report.history.omitted == len(old)
    before = [one.id for message in whole.messages for one in message.tool_calls]
    assert [one.id for message in cut.messages for one in message.tool_calls] == before[1:]


def test_a_provider_is_named_or_found() -> None:
    """By its name, by the model, by the format; else all rules hold."""
    dicts = [{"role": "user", "content": "hi"}]
    claude: Any = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}]
    assert fit(dicts, 100, counter=COUNTER).report.provider == "openai"
    assert fit(claude, 100, counter=COUNTER).report.provider == "anthropic"
    assert fit(dicts, 100, counter="mistral-large-latest").report.provider == "mistral"
    assert fit([HI], 100, counter=COUNTER).report.provider == "unknown"
    assert fit([HI], 100, counter="claude-sonnet-4-5").report.provider == "anthropic"
    assert fit([HI], 100, counter=COUNTER, provider="cohere").report.provider == "cohere"
    assert fit([HI], 100, counter=COUNTER, provider=False).report.provider is None
    with pytest.raises(OptionError, match="unknown provider 'nobody'"):
        fit([HI], 100, counter=COUNTER, provider="nobody")
    wrong: Any = 7
    with pytest.raises(OptionError, match="found int"):
        fit([HI], 100, counter=COUNTER, provider=wrong)


def test_the_report_says_what_was_changed() -> None:
    """In words, in numbers, and as a row of what it costs; and nothing where nothing was."""
    context = sent([YES, HI], "anthropic")
    report = context.report
    assert report.changes == {"user begins": 1}
    assert "changed for anthropic: user begins (1)" in str(report)
    page = report._repr_html_()  # pyright: ignore[reportPrivateUsage]  # Jupyter's name for it
    assert "changed for anthropic: user begins (1)" in page
    assert report.layer("provider").used == COUNTER.count_message(context.messages[0])
    assert report.to_dict()["changes"] == {"user begins": 1}
    plain = sent([HI], "anthropic").report
    assert "changed for" not in str(plain)
    assert [row.name for row in plain.layers] == ["history", "current", "framing"]
