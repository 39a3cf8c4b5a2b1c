"""What is remembered is bound to what it was made from: shown to its own conversation only, and while it matches."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextSession, HistoryPolicy, StateCache, ToolResultPolicy, WindowState
from ctx_core.history.places import Position
from tests.core.session.kitchen import LIMIT, WORDS, Notes, OpenAIMessage, step, talk, texts

if TYPE_CHECKING:
    from collections.abc import Callable


def make(limit: int = LIMIT, **options: Any) -> ContextSession[OpenAIMessage]:
    """Give a session that counts words."""
    return ContextSession[OpenAIMessage](budget=limit, counter=WORDS, **options)


def test_under_one_key_nothing_foreign_is_sent_and_nobody_is_pushed_out() -> None:
    """Two conversations whose names a caller did not tell apart: each has its own summary, written as if alone."""
    notes, alone, states = Notes(), Notes(), StateCache()
    mine = make(summarizer=alone)
    for turns in range(30):
        for name in ("my", "her"):
            shown = texts(make(summarizer=notes, states=states).fit(talk(turns, name)))
            assert not any(("her" if name == "my" else "my") in text for text in shown)
        mine.fit(talk(turns))
    assert notes.calls == 2 * alone.calls


@pytest.mark.parametrize("talks", [2, 12])
def test_conversations_that_begin_alike_keep_their_own(talks: int) -> None:
    """Few-shot prompts: the first messages are equal, the talks come in turn, and each is summarized as if alone."""
    from ctx_core.effects import run
    from ctx_core.session import Request, SessionOptions, Sessions

    examples = [*talk(4, "example")[:-1]]
    notes, alone = Notes(), Notes()
    sessions = Sessions[OpenAIMessage](SessionOptions(budget=2 * LIMIT, counter=WORDS, summarizer=notes))
    single = make(2 * LIMIT, summarizer=alone)
    for turns in range(40):
        for one in range(talks):
            context = run(sessions.fit(Request(history=[*examples, *talk(turns, f"talk{one}")])))
            assert all(f"talk{one}" in text or "talk" not in text for text in texts(context))
        single.fit([*examples, *talk(turns, "talk0")])
    assert notes.calls == talks * alone.calls


@pytest.mark.parametrize("form", ["pure", "keeping"])
@pytest.mark.parametrize("end", ["first", "last"])
def test_a_summary_is_checked_by_its_first_and_its_last_message(form: str, end: str) -> None:
    """If one of them is another one now, it is not shown, and a new one is written."""
    session, state = make(summarizer=Notes()), WindowState()
    context = session.fit(talk(20), state=state if form == "pure" else None)
    assert context.state.summary_ends is not None
    at = context.state.summary_ends[0 if end == "first" else 1]
    edited = talk(20)
    edited[at] = {**edited[at], "content": "something else"}
    again = session.fit(edited, state=context.state if form == "pure" else None)
    told = "told: something else" if end == "first" else "told: my question 0"
    assert texts(again)[0].endswith(f"{told}\n</summary>")
    assert again.report.history.cut


def test_a_summary_of_another_conversation_in_a_state_is_not_shown() -> None:
    """A state that a caller has mixed up: not even where the window would match."""
    state = make(summarizer=Notes()).fit(talk(20, "her"), state=WindowState()).state
    mine = make().fit(talk(20), state=WindowState()).state
    mixed = replace(
        mine,
        summary=state.summary,
        summarized=mine.start,
        summary_ends=(Position(0), Position(1)),
        summary_keys=("a", "b"),
    )
    assert not any("her" in text for text in texts(make().fit(talk(20), state=mixed)))
    assert make().fit(talk(20), state=mixed).state.summary == ""


@pytest.mark.parametrize("form", ["pure", "keeping"])
@pytest.mark.parametrize("larger", [41, 60, 120, 1_000])
def test_a_cut_is_decided_anew_when_the_limit_grows(form: str, larger: int) -> None:
    """Another model, a fallback that went back, a configured budget: what has room again is sent again."""
    states = StateCache()
    small = make(summarizer=Notes(), states=states).fit(talk(20), state=WindowState() if form == "pure" else None)
    given = small.state if form == "pure" else None
    grown = make(larger, summarizer=Notes(), states=states).fit(talk(20), state=given)
    anew = make(larger, summarizer=Notes()).fit(talk(20))
    assert grown.tokens <= larger
    assert len(grown.messages) >= len(anew.messages)
    if larger == 1_000:
        assert grown.messages == talk(20)
    back = make(LIMIT, summarizer=Notes(), states=states).fit(talk(20), state=grown.state if given else None)
    assert back.tokens <= LIMIT
    assert "told: my question 0" in texts(back)[0]


def test_a_limit_that_stays_or_shrinks_leaves_the_cut_alone() -> None:
    """Only what does not fit any more is cut, and a little more room moves no full window."""
    states = StateCache()
    first = make(states=states).fit(talk(20)).state
    assert make(LIMIT - 2, states=states).fit(talk(20)).state.start == first.start
    full = next(n for n in range(21, 40) if make(states=states).fit(talk(n)).tokens > LIMIT - 5)
    before = make(states=states).fit(talk(full))
    after = make(LIMIT + 1, states=states).fit(talk(full))
    assert (after.messages, after.report.history.cut) == (before.messages, False)


def test_a_cleared_result_comes_back_when_the_limit_grows() -> None:
    """It was cleared for want of room."""
    policy = HistoryPolicy(results=ToolResultPolicy(clear_rest=True, min_tokens=5))
    messages = [{"role": "user", "content": "go"}, *(one for at in range(6) for one in step(at, "seen " * 20))]
    states = StateCache()
    small = make(60, states=states, policy=policy).fit(messages)
    assert small.report.history.cleared
    large = make(500, states=states, policy=policy).fit(messages)
    assert large.messages == messages
    assert large.report.history.cut


def rebuilt(messages: list[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give the messages as a store gives them: other objects that say the same."""
    return copy.deepcopy(messages)


def in_json(messages: list[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give the messages as another process gets them."""
    restored: list[OpenAIMessage] = json.loads(json.dumps(messages))
    return restored


@pytest.mark.parametrize("given", [list, rebuilt, in_json], ids=["same objects", "rebuilt", "from JSON"])
@pytest.mark.parametrize("process", ["same", "another"])
@pytest.mark.parametrize("form", ["pure", "keeping"])
def test_an_edit_in_what_is_left_out_leads_to_a_new_decision(
    given: Callable[[list[OpenAIMessage]], list[OpenAIMessage]], process: str, form: str
) -> None:
    """Every position: an instruction written there is sent, and where nothing is edited nothing is cut anew."""
    messages = talk(20)
    states = StateCache()
    session = make(states=states)
    first = session.fit(messages, state=WindowState() if form == "pure" else None)
    state = first.state if form == "pure" else None
    if process == "another":
        session = make(states=states)
    unchanged = session.fit(given(messages), state=state)
    assert (unchanged.messages, unchanged.report.history.cut) == (first.messages, False)
    for at in range(first.state.start):
        system = {"role": "system", "content": f"new rule {at}"}
        edited = [*given(messages[:at]), system, *given(messages[at + 1 :])]
        context = (session if form == "pure" else make(states=copied(states))).fit(edited, state=state)
        assert context.messages[0] is system
        assert context.tokens <= LIMIT


def copied(states: StateCache) -> StateCache:
    """Give the same states to a test that shall not change them."""
    other = StateCache()
    other[""] = copy.deepcopy(states.get("") or {})
    return other


def test_an_edit_is_noticed_by_the_objects_themselves() -> None:
    """A list that is edited in its place, in the process that has read it."""
    messages = talk(20)
    session = make()
    start = session.fit(messages).state.start
    messages[start // 2] = {"role": "system", "content": "new rule"}
    assert session.fit(messages).messages[0]["content"] == "new rule"


def test_an_edited_question_is_sent_if_the_new_window_reaches_it() -> None:
    """And the one that is asked now always is."""
    session = make(60)
    messages = talk(20)
    start = session.fit(messages).state.start
    edited = [*messages]
    edited[start - 2] = {"role": "user", "content": "x"}
    edited[start - 1] = {"role": "assistant", "content": "y"}
    edited[-1] = {"role": "user", "content": "quite another question"}
    context = session.fit(edited)
    assert context.messages[-1]["content"] == "quite another question"
    assert context.messages == make(60).fit(edited).messages


def test_ends_only_are_checked_where_that_is_asked_for() -> None:
    """`verify="ends"` reads the first and the last message of what is left out, and no other."""
    messages = talk(2_000)
    state = make().fit(messages, state=WindowState()).state
    reads = list[int]()

    class Watched(list[OpenAIMessage]):
        def __getitem__(self, at: Any) -> Any:
            reads.append(at)
            return super().__getitem__(at)

    make(verify="ends").fit(Watched(messages), state=state)
    assert 0 < len({at for at in reads if isinstance(at, int)}) < 50
    kept = make(verify="ends", states=StateCache())
    kept.fit(messages)
    reads.clear()
    kept.fit(Watched(messages))
    assert 0 < len({at for at in reads if isinstance(at, int)}) < 50
    edited = Watched(messages)
    edited[state.start // 2] = {"role": "system", "content": "unnoticed"}
    assert make(verify="ends").fit(edited, state=state).messages[0]["content"] != "unnoticed"
    assert make().fit(edited, state=state, verify="ends").messages[0]["content"] != "unnoticed"
    assert make(verify="ends").fit(edited, state=state, verify="all").messages[0]["content"] == "unnoticed"
    edited[0] = {"role": "system", "content": "noticed"}
    assert make(verify="ends").fit(edited, state=state).messages[0]["content"] == "noticed"


def test_a_cleared_result_stays_cleared_in_the_last_squeeze() -> None:
    """With a limit just above the newest step its text does not come back, and nothing is cut a second time."""
    policy = HistoryPolicy(
        preserve_recent_turns=1, results=ToolResultPolicy(clear_rest=True, clear_after_steps=1, min_tokens=5)
    )
    messages = [{"role": "user", "content": "first question"}]
    messages += [one for at in range(4) for one in step(at, f"old {at} " + "seen " * 30)]
    messages += [{"role": "assistant", "content": "so far"}, {"role": "user", "content": "and then?"}]
    messages += step(9, "new " * 40)
    for limit in range(68, 140):
        session, cuts = make(limit, policy=policy), list[bool]()
        for _ in range(3):
            context = session.fit(messages)
            cuts.append(context.report.history.cut)
            assert context.tokens <= limit
            old = [text for text in texts(context) if text.startswith("old")]
            assert not (context.report.history.cleared and any("[" not in text for text in old))
        assert cuts[1:] == [False, False], limit


def test_forgetting_leaves_no_trace() -> None:
    """What was said is not in the store, and a new conversation under the key begins fresh."""
    states: dict[str, Any] = {}
    session = make(states=states, key="me", summarizer=Notes())
    session.fit(talk(20, "secret"))
    session.clear()
    assert states == {}
    assert not any("secret" in text for text in texts(session.fit(talk(20))))
