"""What may happen to the results of tools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from ctx_core import (
    Context,
    ContextOverflowError,
    HistoryPolicy,
    TokenCounter,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.history.places import Index, Position
from ctx_core.history.repair import Entry
from ctx_core.history.results import Results, is_error
from tests.core.talks import WORDS, OpenAIMessage

GO = {"role": "user", "content": "go"}


def step(call_id: str, *results: Any) -> list[OpenAIMessage]:
    """Give a step of one call a result; a number is that of the words of a result."""
    ids = [f"{call_id}{at}" for at in range(len(results))]
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": ""}} for one in ids]
    texts = [" ".join(["r"] * one) if isinstance(one, int) else one for one in results]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": one, "content": text} for one, text in zip(ids, texts, strict=True)),
    ]


def run(
    messages: list[OpenAIMessage], budget: int, *, state: WindowState | None = None, **results: Any
) -> Context[Any]:
    """Fit with a policy about results; all calls here are alike, and none of them supersedes another."""
    defaults: dict[str, Any] = {
        "min_tokens": 5, "placeholder": "[gone]", "overflow_share": 1.0, "superseded": False
    }  # fmt: skip
    policy = HistoryPolicy(results=ToolResultPolicy(**defaults | results))
    return fit(messages, budget, counter=WORDS, policy=policy, state=state)


def results_of(context: Context[Any]) -> list[str]:
    """Show the results that went out, shortly."""
    sent = [message["content"] for message in context.messages if message["role"] == "tool"]
    return [text if len(text.split()) < 10 else f"{len(text.split())} words" for text in sent]


RUN = [GO, *step("a", 20), *step("b", 20), *step("c", 20), *step("d", 20)]
"""A run of four steps: 1 + 4 × 21 tokens."""


def test_within_the_budget_no_result_is_touched() -> None:
    """However old it is."""
    context = run(RUN, 85, clear_after_steps=0, clear_rest=True)
    assert all(mine is theirs for mine, theirs in zip(RUN, context.messages, strict=True))


def test_old_results_give_way_first() -> None:
    """Those older than so many steps, oldest first, no more than it takes."""
    assert results_of(run(RUN, 84, clear_after_steps=1)) == ["[gone]", "20 words", "20 words", "20 words"]
    assert results_of(run(RUN, 64, clear_after_steps=1)) == ["[gone]", "[gone]", "20 words", "20 words"]


def test_results_that_are_not_old_enough_stay() -> None:
    """Then steps go instead."""
    context = run(RUN, 46, clear_after_steps=5)
    assert results_of(context) == ["20 words", "20 words"]


def test_what_is_cleared_goes_before_what_is_not() -> None:
    """Where clearing was not enough, steps go with their placeholders."""
    assert results_of(run(RUN, 46, clear_after_steps=1)) == ["[gone]", "20 words", "20 words"]
    assert results_of(run(RUN, 44, clear_after_steps=1)) == ["20 words", "20 words"]


def test_the_rest_gives_way_too_if_it_may() -> None:
    """All but the newest step's."""
    assert results_of(run(RUN, 30, clear_after_steps=1, clear_rest=True)) == ["[gone]", "[gone]", "[gone]", "20 words"]


def test_parallel_results_are_of_the_same_age() -> None:
    """A step is one message and all its results."""
    messages = [GO, *step("a", 20, 20), *step("b", 20, 20)]
    assert results_of(run(messages, 60, clear_after_steps=0)) == ["[gone]", "[gone]", "20 words", "20 words"]


def test_a_placeholder_says_age_and_size() -> None:
    """As SPEC's rolling context words it."""
    policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=0, min_tokens=5))
    context = fit(RUN[:5], 35, counter=WORDS, policy=policy)
    assert context.messages[2]["content"] == "[content truncated - 1 steps ago, 20 tokens]"


def test_a_placeholder_of_ones_own_may_have_braces() -> None:
    """Only its own two names are filled in."""
    context = run(RUN[:5], 35, clear_after_steps=0, placeholder="{age}:{tokens}:{x}")
    assert context.messages[2]["content"] == "1:20:{x}"


def test_a_cleared_result_keeps_its_other_fields() -> None:
    """It is a copy with another content."""
    messages = [*RUN[:5]]
    messages[2] = {**messages[2], "artifact": {"k": 1}, "name": "f"}
    context = run(messages, 35, clear_after_steps=0)
    assert context.messages[2] == {**messages[2], "content": "[gone]"}
    assert messages[2]["content"] != "[gone]"


@pytest.mark.parametrize(
    "text",
    ["Error: x", "EXCEPTION raised", "failed", "fatal: no", "cannot open", "Unable to connect", '{"error": 1}'],
)
def test_results_that_report_an_error_are_kept(text: str) -> None:
    """Those that begin with one of SPEC's words, in any case: the model must not run into it again."""
    failed = f"{text} " + "r " * 20
    messages = [GO, *step("a", failed), *step("b", 20), *step("c", 20)]
    context = run(messages, 60, clear_after_steps=0)
    assert context.messages[2] is messages[2]
    assert results_of(context)[1:] == ["[gone]", "20 words"]


@pytest.mark.parametrize(("words", "kept"), [("at_start", False), ("anywhere", True)])
def test_a_word_anywhere_tells_an_error_by_name_only(words: Any, kept: bool) -> None:  # noqa: FBT001 - a column of the table
    """A page that speaks of errors is no error, unless the policy asks for the design's match."""
    said = "it has failed " + "r " * 20
    messages = [GO, *step("a", said), *step("b", 20), *step("c", 20)]
    context = run(messages, 60, clear_after_steps=0, error_words=words)
    assert (context.messages[2] is messages[2]) is kept


def asking(name: str, arguments: str, size: int = 20) -> list[OpenAIMessage]:
    """Give a step that calls a tool with arguments."""
    call, result = step(f"{name}{arguments}", size)
    call["tool_calls"][0]["function"] = {"name": name, "arguments": arguments}
    return [call, result]


SAME: Final = (
    GO,
    *asking("read", '{"path": "a", "line": 1}'),
    *asking("read", '{"path":"b"}'),
    *asking("read", '{"line":1,"path":"a"}'),
    *asking("list", '{"line":1,"path":"a"}'),
)
"""A file is read, another one, the first one again, and another tool is called with its arguments."""
ALL: Final = WORDS.count_messages(SAME)


@pytest.mark.parametrize(
    ("policy", "cleared"),
    [
        ({"clear_rest": True}, [0]),
        ({"clear_after_steps": 2}, [0]),
        ({"superseded": True}, [0]),
        ({"superseded": True, "keep": ["read"]}, []),
        ({"superseded": True, "min_tokens": 21}, []),
        ({"clear_rest": True, "priorities": {"read": 1, "list": -1}}, [0]),
        ({}, []),
    ],
)
def test_a_result_that_a_newer_one_supersedes_goes_first(policy: Any, cleared: list[int]) -> None:
    """Of one tool and equal arguments, however they are written; wherever results may be cleared, or asked by name."""
    whole: Any = {"superseded": None, **policy}
    assert [at for at, text in enumerate(results_of(run([*SAME], ALL - 15, **whole))) if text == "[gone]"] == cleared
    assert results_of(run([*SAME], ALL, **whole)) == ["20 words"] * 4, "there is room for it"


def test_an_error_is_not_superseded() -> None:
    """The model must not run into it again, unless the policy lets errors go."""
    failed = asking("read", "[1]")
    failed[1]["content"] = "error: locked " + "r " * 17
    messages = [GO, *failed, *asking("read", "[1]"), *asking("read", "[1]")]
    options: dict[str, Any] = {"clear_rest": True, "superseded": True}
    limit = WORDS.count_messages(messages) - 15
    assert results_of(run(messages, limit, **options))[1] == "[gone]"
    assert results_of(run(messages, limit, **options, keep_errors=False))[0] == "[gone]"


def test_calls_without_arguments_supersede_nothing_unless_asked() -> None:
    """A tool without any may go on where it was."""
    messages = [GO, *asking("look", "[1]"), *asking("next", "{}"), *asking("next", ""), *asking("look", "[2]")]
    limit = WORDS.count_messages(messages) - 15
    assert results_of(run(messages, limit, clear_rest=True, superseded=None))[0] == "[gone]"
    assert results_of(run(messages, limit, clear_rest=True, superseded=True))[1] == "[gone]"


def test_of_those_that_are_not_superseded_the_oldest_goes() -> None:
    """Where it is switched off, the result that was asked for again goes by its age."""
    again = [GO, *asking("read", "[0]"), *asking("read", "[1]"), *asking("read", "[1]"), *asking("read", "[2]")]
    limit = WORDS.count_messages(again) - 15
    assert results_of(run(again, limit, clear_rest=True, superseded=None))[1] == "[gone]"
    assert results_of(run(again, limit, clear_rest=True, superseded=False))[0] == "[gone]"


@pytest.mark.parametrize(
    ("policy", "cleared"),
    [
        ({"first": ("browse",)}, [1]),
        ({"keep": ("read",)}, [1]),
        ({"keep": ("read", "browse")}, []),
        ({"keep": ("read",), "clear_after_steps": 0, "clear_rest": False}, [1]),
        ({"first": ["browse"], "clear_after_steps": 1}, [1]),
        ({"first": ("browse",), "priorities": {"read": -5}}, [1]),
        ({}, [0]),
    ],
)
def test_results_go_by_the_names_of_their_tools(policy: Any, cleared: list[int]) -> None:
    """Some are never cleared, some before all others, whatever their age."""
    messages = [GO, *asking("read", "{}"), *asking("browse", "{}"), *asking("read", "[]")]
    options: dict[str, Any] = {"clear_rest": True, **policy}
    context = run(messages, WORDS.count_messages(messages) - 15, **options)
    assert [at for at, text in enumerate(results_of(context)) if text == "[gone]"] == cleared


@pytest.mark.parametrize(
    "text",
    [
        "0 errors, 2 warnings",
        "Errors: 0",
        "failed=0 passed=12",
        '{"error": null, "rows": []}',
        '{"errors": [], "n": 1}',
        "Errors found: 0",
        "Failed tests: none",
        "failed (0), passed (3)",
        "error_rate: 0.0%",
        "errors: no\n",
        "Error-free build",
        "Fatality report",
    ],
)
def test_what_says_that_there_is_no_error_is_none(text: str) -> None:
    """A build log counts its errors, an answer has an empty field for them."""
    assert not is_error(Message.tool(f"{text} " + "r " * 20, tool_call_id="c"))


def test_results_of_tools_of_a_low_priority_are_cleared_first() -> None:
    """Whatever their age, of equals the oldest."""
    messages = [GO, *step("a", 20), *step("b", 20), *step("c", 20)]
    calls: Any = messages[3]["tool_calls"]
    calls[0]["function"]["name"] = "browse"
    assert results_of(run(messages, 60, clear_after_steps=0, priorities={"browse": -1})) == [
        "20 words",
        "[gone]",
        "20 words",
    ]


def test_errors_are_cleared_if_the_policy_says_so() -> None:
    """Or if it is about all the rest."""
    messages = [GO, *step("a", "error " * 20), *step("b", 20)]
    assert results_of(run(messages, 35, clear_after_steps=0, keep_errors=False)) == ["[gone]", "20 words"]
    assert results_of(run(messages, 35, clear_rest=True)) == ["[gone]", "20 words"]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (Message.tool("all is well", tool_call_id="c"), False),
        (Message(role=Message.tool("x", tool_call_id="c").role, tool_call_id="c", failed=True), True),
        (Message.tool("ERROR", tool_call_id="c"), True),
        (Message.tool("ValueError: bad", tool_call_id="c"), True),
        (Message.tool('Traceback (most recent call last):\n  File "a.py"\nKeyError: 1', tool_call_id="c"), True),
        (Message.tool("Traceback of the parcel: it arrived", tool_call_id="c"), False),
        (Message.tool("requests.exceptions.ConnectionError: refused", tool_call_id="c"), True),
        (Message.tool("error: no such file", tool_call_id="c"), True),
        (Message.tool("error_rate: 0.5%", tool_call_id="c"), True),
        (replace(Message.tool("Error rates of the last year", tool_call_id="c"), failed=False), False),
    ],
)
def test_an_error_is_known_by_its_mark_or_its_words(message: Message, error: bool) -> None:  # noqa: FBT001 - a table's column
    """Frameworks mark some, tools write the others."""
    assert is_error(message) is error


def test_small_results_are_kept() -> None:
    """Their placeholder would save next to nothing."""
    messages = [GO, *step("a", 4), *step("b", 20), *step("c", 20)]
    assert results_of(run(messages, 40, clear_after_steps=0)) == ["r r r r", "[gone]", "20 words"]


def test_a_placeholder_that_is_longer_is_not_taken() -> None:
    """Clearing must save something."""
    context = run(RUN[:5], 35, clear_after_steps=0, placeholder="x " * 30)
    assert results_of(context) == ["20 words"]


def test_results_are_cleared_before_turns_go() -> None:
    """The older question stays, with its answer."""
    messages = [GO, *step("a", 20), *step("b", 5), {"role": "user", "content": "and?"}]
    context = run(messages, 12, clear_after_steps=0)
    assert results_of(context) == ["[gone]", "r r r r r"]
    assert context.messages[0] is GO


def test_a_result_over_its_size_is_shortened_when_first_seen() -> None:
    """Even where everything fits, so that it never has to be changed later."""
    context = run([GO, *step("a", 50), *step("b", 20)], 1_000, max_tokens=30, cut_marker=" … ")
    assert results_of(context) == ["30 words", "20 words"]
    assert context.report.history.shortened == 1
    assert not context.report.history.cut


def test_a_shortened_result_keeps_head_and_tail() -> None:
    """The marker says how much is missing."""
    text = " ".join(map(str, range(100)))
    content = run([GO, *step("a", text)], 1_000, max_tokens=30).messages[2]["content"]
    assert content.startswith("0 1 2")
    assert content.endswith("98 99")
    assert "70 tokens left out" in content


def test_a_shortened_result_looks_the_same_on_every_turn() -> None:
    """Whatever comes after it, with a state or without."""
    messages = [GO, *step("a", 50)]
    first = run(messages, 1_000, max_tokens=30)
    for state in (None, WindowState(), first.state):
        later = run([*messages, *step("b", 20)], 1_000, max_tokens=30, state=state)
        assert later.messages[:3] == first.messages


def test_a_single_giant_is_shortened_rather_than_everything_dropped() -> None:
    """On overflow, one over half of the history's tokens; the question before it stays."""
    messages = [GO, *step("a", 10), *step("b", 500)]
    context = run(messages, 100, overflow_share=0.5)
    assert [message["role"] for message in context.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert context.report.history.shortened == 1
    assert context.tokens <= 100


def test_the_share_of_a_giant_can_be_set() -> None:
    """A tenth of a hundred is ten."""
    context = run([GO, *step("a", 60), *step("b", 60)], 100, overflow_share=0.1, cut_marker=" … ")
    assert results_of(context) == ["10 words"] * 2
    assert context.report.history.shortened == 2


def test_the_newest_results_are_squeezed_at_last() -> None:
    """The largest first and equally, no further than it takes."""
    context = run([GO, *step("a", 300, 8, 300)], 100, overflow_share=1.0, cut_marker=" … ")
    sizes = [len(message["content"].split()) for message in context.messages if message["role"] == "tool"]
    assert sizes[1] == 8
    assert abs(sizes[0] - sizes[2]) <= 1
    assert 95 <= context.tokens <= 100


def test_results_too_small_for_a_marker_are_not_squeezed() -> None:
    """Then nothing more can go: an overflow."""
    with pytest.raises(ContextOverflowError):
        run([GO, *step("a", *["r r r"] * 20)], 40)


def test_a_result_in_parts_can_be_shortened() -> None:
    """Its texts are one text; the block of text takes their place."""
    messages: list[OpenAIMessage] = [GO, *step("a", 0)]
    messages[2]["content"] = [{"type": "text", "text": "r " * 40}, {"type": "text", "text": "s " * 40}]
    context = run(messages, 40, cut_marker=" … ")
    (block,) = context.messages[2]["content"]
    assert block["text"].startswith("r r")
    assert block["text"].endswith("s s ")


def test_clearing_is_decided_once() -> None:
    """With a state, further results are cleared only when it overflows again."""
    state, cuts = WindowState(), 0
    messages: list[OpenAIMessage] = [GO]
    before: list[OpenAIMessage] = []
    for turn in range(30):
        messages += step(f"c{turn}", 20)
        context = run(messages, 200, clear_after_steps=2, clear_rest=True, state=state)
        cuts += context.report.history.cut
        assert context.report.history.cut or context.messages[: len(before)] == before
        state, before = context.state, context.messages
    assert 2 <= cuts <= 8


@pytest.mark.parametrize("text", ["\n" * 3_000, '"a": "b",\n' * 500, "\\" * 4_000, "plain words " * 800, "\x01" * 900])
@pytest.mark.parametrize("limit", [200, 700])
def test_a_quoted_result_is_cut_to_its_limit_and_no_further(text: str, limit: int) -> None:
    """What a JSON string costs beside its text is cut off as well, but something of the text remains."""
    result = Message.tool(text, tool_call_id="a")
    counter = TokenCounter.for_model("gpt-4o")
    form = of([result, Message.tool("other", tool_call_id="b")], counter).shortened(Index(1), limit)
    assert form.text
    assert counter.count_message(form, parallel=True) <= limit


@pytest.mark.parametrize("over", range(1, 25))
def test_where_the_newest_result_is_too_small_older_ones_are_squeezed(over: int) -> None:
    """A few words over: the small one has nothing to give, the large one of the preserved turn has."""
    turn = [GO, *step("a", 230), {"role": "assistant", "content": "x " * 234}]
    messages = [*turn, GO, *step("b", 20)]
    limit = WORDS.count_messages(messages) - over
    context = fit(messages, limit, counter=WORDS, policy=HistoryPolicy(preserve_recent_turns=1))
    assert context.tokens <= limit
    assert len(context.messages) == len(messages)


def test_a_result_in_blocks_of_ones_own_is_shortened_as_text() -> None:
    """What can be read in them stands there, cut, instead of nothing."""
    messages: list[OpenAIMessage] = [GO, *step("a", 0)]
    messages[2]["content"] = [{"rows": ["r r r r"] * 40}]
    context = run(messages, 1_000, max_tokens=20, cut_marker=" … ")
    (block,) = context.messages[2]["content"]
    assert 10 < len(block["text"].split()) <= 20


def test_an_empty_result_is_not_shortened() -> None:
    """There is nothing to cut: however small the limit, it goes out as it is."""
    result = Message.tool("", tool_call_id="a")
    assert of([result], TokenCounter.for_model("gpt-4o")).shortened(Index(1), 1) is result


CALLS = (
    ToolCall(id="a", name="f", arguments='{"at": 1}'),
    ToolCall(id="b", name="g", arguments='{"at": 2}'),
    ToolCall(id="c", name="f", arguments='{"at": 3}'),
)


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (("a", "b", "c"), (1, 2, 3)),
        (("c", "a", "b"), (3, 1, 2)),
        (("c",), (3,)),
        (((None, "f"), (None, "g"), (None, "f")), (1, 2, 3)),
        (((None, "g"), (None, None), (None, None)), (2, 1, 3)),
        (((None, "f"), "a"), (3, 1)),
    ],
)
def test_a_result_is_seen_with_the_call_that_it_answers(answers: Any, found: tuple[int, ...]) -> None:
    """By its id, without one by the tool's name, without either in order; so a rule may go by the call."""
    given = [(one, None) if isinstance(one, str) else one for one in answers]
    results = of([Message.tool("r", tool_call_id=id_, name=name) for id_, name in given], WORDS, CALLS)
    seen = [results[Index(at + 1)] for at in range(len(given))]
    assert [one.call and one.call.arguments for one in seen] == [f'{{"at": {at}}}' for at in found]
    assert all(one.parallel and one.age == 0 for one in seen)


def of(results: list[Message], counter: TokenCounter, calls: tuple[ToolCall, ...] | None = None) -> Results:
    """Give the results of one step."""
    calls = calls or tuple(ToolCall(id=result.tool_call_id, name="f") for result in results)
    messages = [Message.assistant(tool_calls=calls), *results]
    return Results([Entry(Position(at), message) for at, message in enumerate(messages)], counter, ToolResultPolicy())


def test_results_of_preserved_turns_are_squeezed_too() -> None:
    """Where the newest step's are not enough; what an overflow says it needs is enough."""
    counter, policy = TokenCounter.for_model("gpt-4o"), HistoryPolicy(preserve_recent_turns=1)
    text = "a line of the log\n" * 3_000
    messages = [GO, *step("a", text), *step("b", text), *step("c", text), *step("d", text), {**GO, "content": "now"}]
    with pytest.raises(ContextOverflowError) as caught:
        fit(messages, 100, counter=counter, policy=policy)
    for budget in (caught.value.needed, 1_000):
        context = fit(messages, budget, counter=counter, policy=policy)
        assert context.tokens <= budget
        assert len(context.messages) == len(messages)
