"""What a provider takes goes out as it came, where there is room for all of it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctx_core import ContextBudget, ContextBuilder, Layer, WindowState, fit, validate
from tests.providers.requests import ROWS, known_of, row_of
from tests.providers.test_variations import ACCEPTED, ALTERATIONS, altered, key_of

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.providers.asked import ProviderLike

ROOM: Final = 10**6
IN_OWN_FORMAT: Final[tuple[FormatName, ...]] = ("anthropic", "bedrock", "gemini", "responses")
QUESTION: Final = {"role": "user", "content": "And now?"}

Messages = list[dict[str, Any]]


def call(name: str) -> dict[str, Any]:
    """A call of Responses."""
    return {"type": "function_call", "call_id": name, "name": "lookup", "arguments": "{}"}


def output(name: str) -> dict[str, Any]:
    """Its output."""
    return {"type": "function_call_output", "call_id": name, "output": f"found {name}"}


def uses(*names: str, text: str | None = None) -> dict[str, Any]:
    """Anthropic's answer with calls."""
    said = [] if text is None else [{"type": "text", "text": text}]
    return {
        "role": "assistant",
        "content": [*said, *({"type": "tool_use", "id": name, "name": "lookup", "input": {}} for name in names)],
    }


def results(*names: str) -> dict[str, Any]:
    """Anthropic's message of results."""
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": name, "content": f"found {name}"} for name in names],
    }


APART: Final[dict[str, tuple[str, Messages]]] = {
    "an output behind a user's message": ("gpt-5", [QUESTION, call("a"), QUESTION, output("a")]),
    "outputs in another order, far away": (
        "gpt-5", [QUESTION, call("a"), QUESTION, call("b"), QUESTION, output("b"), QUESTION, output("a"), QUESTION],
    ),
    "two answers with a call, one message of results": (
        "claude-sonnet-4-5", [QUESTION, uses("a"), uses("b"), results("a", "b")],
    ),
    "two answers with a call, results the other way round": (
        "claude-sonnet-4-5", [QUESTION, uses("a", text="I look."), uses("b"), results("b"), results("a"), QUESTION],
    ),
    "twice in one loop": (
        "claude-sonnet-4-5",
        [QUESTION, uses("a"), results("a"), uses("b"), uses("c", "d"), results("d", "b"), results("c"), uses("e"),
         results("e"), uses("f"), uses("g"), results("f", "g")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("model", "messages"), APART.values(), ids=APART)
def test_results_stay_where_the_provider_takes_them(model: str, messages: Messages) -> None:
    """Responses pair by ids alone, Anthropic looks at turns: nothing moves, and nothing is called repaired."""
    assert validate(messages, model, api="responses" if model == "gpt-5" else None).accepted
    context = fit(messages, ROOM, counter=model)
    assert len(context.messages) == len(messages)
    assert all(sent is message for sent, message in zip(context.messages, messages, strict=True))
    assert not context.report.history.repairs
    assert not context.report.changes


@pytest.mark.parametrize(("model", "messages"), APART.values(), ids=APART)
def test_what_was_sent_stays_when_more_is_said(model: str, messages: Messages) -> None:
    """Each request is the beginning of the next one, also where a result comes late."""
    state: WindowState | None = None
    before: Messages = []
    for turn in range(3):
        said = [*messages, *({"role": ("assistant", "user")[at % 2], "content": f"{at}"} for at in range(2 * turn))]
        context = fit(said, ROOM, counter=model, state=state)
        state = context.state
        assert context.messages[: len(before)] == before
        before = list(context.messages)


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([QUESTION, uses("a"), uses("b", text="And this."), results("b", "a")], id="a text behind a call"),
        pytest.param([QUESTION, uses("a"), QUESTION, results("a")], id="a question between"),
        pytest.param([QUESTION, uses("a"), uses("b"), results("b"), uses("c"), results("a", "c")], id="a call between"),
    ],
)
def test_results_move_where_they_are_refused(messages: Messages) -> None:
    """Anthropic wants them behind the turn that called."""
    assert not validate(messages, "claude-sonnet-4-5").accepted
    context = fit(messages, ROOM, counter="claude-sonnet-4-5")
    assert validate(list(context.messages), "claude-sonnet-4-5").accepted
    assert context.report.history.repairs.get("moved")


def test_messages_for_any_provider_have_each_result_behind_its_call() -> None:
    """Dicts of chat completions, whichever model they are for."""
    called = [
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": name, "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]}
        for name in ("a", "b")
    ]  # fmt: skip
    answers = [{"role": "tool", "tool_call_id": name, "content": "42"} for name in ("a", "b")]
    messages: Messages = [QUESTION, *called, *answers, QUESTION]
    for model in ("claude-sonnet-4-5", "gpt-5-codex", "gpt-4o"):
        sent = fit(messages, ROOM, counter=model).messages
        assert [id(one) for one in sent] == [id(messages[at]) for at in (0, 1, 3, 2, 4, 5)]


def test_results_move_where_nothing_tells_the_provider() -> None:
    """Most providers want each behind its call."""
    messages: Messages = [QUESTION, uses("a"), uses("b"), results("a", "b")]
    providers: tuple[ProviderLike, ...] = ("unknown", False)
    for provider in providers:
        sent = fit(messages, ROOM, counter=len, provider=provider).messages
        assert [message["role"] for message in sent][1:] == ["assistant", "user", "assistant", "user"]


def test_the_cut_keeps_a_late_output_with_its_call() -> None:
    """An output that stands apart goes when its call goes, and stays when it stays."""
    messages: Messages = [QUESTION]
    for at in range(40):
        messages += [call(f"c{at}"), {"role": "user", "content": f"Meanwhile, {at}. " + "word " * 20}, output(f"c{at}")]
    for limit in range(120, 1_500, 60):
        sent = list(fit(messages, limit, counter="gpt-5").messages)
        assert validate(sent, "gpt-5", api="responses").accepted
        places = [messages.index(one) for one in sent if one in messages]
        assert places == sorted(places)


def test_a_summary_and_volatile_layers_stand_where_they_would() -> None:
    """Before what they precede, whatever stands apart there."""
    messages: Messages = [QUESTION, call("a"), {"role": "user", "content": "Wait."}, output("a")]
    notes = Layer(name="notes", text="Volatile.", stable=False)
    builder = ContextBuilder(ContextBudget(ROOM), "gpt-5").layer(notes).place_volatile_last()
    sent = list(builder.build(messages).messages)
    assert [one.get("type", one.get("content")) for one in sent] == [
        "And now?", "function_call", "Volatile.", "Wait.", "function_call_output",
    ]  # fmt: skip


@pytest.mark.parametrize("provider", sorted(set(ROWS.values())))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_an_altered_request_that_is_accepted_goes_out_as_it_is(provider: str, data: st.DataObject) -> None:
    """But what is empty says so, since it is refused if it is the last one, and no result comes twice."""
    mine = [vector for vector in ACCEPTED if row_of(vector) == provider]
    if not mine:
        pytest.skip("no requests with a known fate beside the repository")
    vector = data.draw(st.sampled_from(mine))
    request = copy.deepcopy(vector["request"])
    key = key_of(request)
    for what in data.draw(st.lists(st.sampled_from(ALTERATIONS), max_size=3)):
        request[key] = altered(request[key], provider, what, data.draw(st.integers(0, 5)))
    known, model = known_of(vector), vector.get("model") or request.get("model")
    found = validate(request, vector.get("model"), provider=provider, known=known)
    if not found.accepted or found.doubts:
        return
    messages: Messages = request[key]
    own: list[FormatName] = [name for name in IN_OWN_FORMAT if provider == name]
    context = fit(messages, ROOM, counter=model or "gpt-4o", provider=provider, format=next(iter(own), None))
    assert set(context.report.changes) <= {"contents completed"}
    if not context.report.changes and not context.report.history.repairs.get("duplicates"):
        assert list(context.messages) == messages
