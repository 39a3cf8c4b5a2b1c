"""What an agent's tool finds again of its own conversation."""

import json
import re
from typing import Any

import pytest

from ctx_core import ContextSession, HistoryPolicy, ToolResultPolicy
from ctx_core.conversation.messages import Role
from ctx_core.counting.counter import as_counter
from ctx_core.errors import BudgetError
from ctx_core.memory import SEARCH_TOOL, ContextSearch, recalling

COUNTER = as_counter("gpt-4o")
LINES = "\n".join(f"line {at} ⟨ü⟩" for at in range(2_000))


def step(at: int, result: str) -> list[dict[str, Any]]:
    """Give a call and its result."""
    call = {"id": f"c{at % 3}", "type": "function", "function": {"name": "read", "arguments": json.dumps({"at": at})}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at % 3}", "content": result},
    ]


def run(steps: int, size: int = 120) -> list[dict[str, Any]]:
    """Give a run of an agent, of which each result has a word of its own. Ids of calls repeat."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read all the files."}]
    for at in range(steps):
        messages += step(at, f"File {at} holds the word secret{at}. " + f"line {at} of text. " * size)
    return messages


def fitted(messages: list[dict[str, Any]], limit: int = 3_000, policy: HistoryPolicy | None = None) -> Any:
    """Give the context of a run under a policy that names what it clears."""
    session = ContextSession[Any](budget=limit, counter="gpt-4o", policy=recalling(policy))
    return session.fit(messages, state={})


def test_a_placeholder_names_the_result_and_the_tool_gives_it_back() -> None:
    """What is named in the request is given back whole, from what the store has."""
    messages = run(10)
    context = fitted(messages)
    named = [found for one in context.messages for found in re.findall(r'id="([0-9a-f]{8})"', str(one["content"]))]
    assert named
    search = ContextSearch(counter=COUNTER, cap=2_000)
    results = {one["content"] for one in messages if one["role"] == "tool"}
    assert {search.answer(messages, id=name) for name in named} <= results


def test_a_long_result_is_given_in_pages_that_lose_nothing() -> None:
    """The pages, put together, are the result; each is within the cap."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read."}, *step(0, LINES)]
    search = ContextSearch(counter=COUNTER, cap=300)
    first = search.answer(messages, id="c0")
    count = int(re.findall(r"page 1 of (\d+)", first)[0])
    pages = [search.answer(messages, id="c0", page=page) for page in range(1, count + 1)]
    assert all(COUNTER.count_text(page) <= 300 for page in pages)
    assert "".join(page.split("\n", 1)[1] for page in pages) == messages[2]["content"]


def test_a_query_finds_steps_that_were_left_out_whole() -> None:
    """A step without a placeholder is found by its words, and the id that is told gives it whole."""
    messages = run(40)
    context = fitted(messages)
    search = ContextSearch(counter=COUNTER)
    answer = search.answer(messages, context.state, query="secret3")
    assert "secret3." in answer
    name = re.findall(r"\[([0-9a-f]{8}), tool", answer)[0]
    assert "secret3." in search.answer(messages, context.state, id=name, page=1)


def test_a_word_in_the_middle_of_a_long_result_is_found() -> None:
    """Results are searched in passages, not by their head and tail."""
    messages: list[dict[str, Any]] = [
        *run(1),
        *step(1, "padding words here. " * 600 + "xylophone " + "padding words here. " * 600),
        *run(20)[1:],
    ]
    answer = ContextSearch(counter=COUNTER).answer(messages, fitted(messages).state, query="xylophone")
    assert "xylophone" in answer


def test_what_is_shown_is_not_searched() -> None:
    """A conversation of which nothing is left out has nothing to find."""
    messages = run(2, size=5)
    assert "all of it is shown" in ContextSearch().answer(messages, fitted(messages).state, query="secret1")


def test_the_answers_of_the_tool_itself_are_not_found() -> None:
    """A copy of a passage does not crowd out the passage."""
    call = {"id": "s1", "type": "function", "function": {"name": SEARCH_TOOL, "arguments": '{"query": "secret3"}'}}
    own: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "s1", "content": "[aaaaaaaa, tool] secret3 as it was found"},
    ]
    messages = [*run(5), *own, *run(40)[1:]]
    answer = ContextSearch(counter=COUNTER).answer(messages, fitted(messages).state, query="secret3 found")
    assert "as it was found" not in answer


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({}, "Give search_context"),
        ({"id": "ffffffff"}, "Nothing in this conversation has that id"),
        ({"id": "c0", "page": 99}, "There is no page 99"),
        ({"query": "zzz qqq"}, "Other words may find it"),
    ],
)
def test_what_cannot_be_answered_is_said(asked: dict[str, Any], says: str) -> None:
    """A model's slip is an answer it can learn from, and no error."""
    messages = run(40)
    assert says in ContextSearch().answer(messages, fitted(messages).state, **asked)


def test_instructions_are_never_given() -> None:
    """The system prompt is not the conversation."""
    messages = [{"role": "system", "content": "The password is swordfish."}, *run(40)]
    answer = ContextSearch().answer(messages, fitted(messages).state, query="password swordfish")
    assert "swordfish" not in answer


def test_an_answer_stays_a_part_of_a_small_window() -> None:
    """Under a budget of 1,600 tokens a page has 200, so that it is not cut when it comes back."""
    messages = run(40)
    context = fitted(messages, 1_600)
    answer = ContextSearch(counter=COUNTER).answer(messages, context.state, query="line text")
    assert COUNTER.count_text(answer) <= 200 + 20


def test_a_policy_keeps_what_it_says_itself() -> None:
    """Only texts that nobody has chosen are put in the place of the usual ones."""
    own = HistoryPolicy(results=ToolResultPolicy(placeholder="[gone]"), omission_marker="[cut]")
    policy = recalling(own)
    assert (policy.results.placeholder, policy.omission_marker, policy.marker_role) == ("[gone]", "[cut]", Role.SYSTEM)
    assert SEARCH_TOOL in policy.results.cut_marker


def test_a_cap_that_holds_nothing_is_refused() -> None:
    """A page needs room for its heading."""
    with pytest.raises(BudgetError, match="cap must be 100 tokens or more, found 20"):
        ContextSearch(cap=20)
