"""Results in user messages: code that an agent ran, actions that it took. They are results, and never the question."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    ContextSession,
    Framing,
    HistoryPolicy,
    TokenCounter,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.conversation.codecs import transcript_of
from ctx_core.memory import ConversationMemory

OpenAIMessage = dict[str, Any]

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())

ACTION: Final = "Thought: I need a tool.\nAction: look\nAction Input: {'place': 'oslo'}"
ANSWER: Final = "Thought: I can answer.\nAnswer: It is sunny."
CODE: Final = "<execute>\nprint(look('oslo'))\n</execute>"
RAN: Final = "Result of executing the code given:\n\n"
SAW: Final = "Observation: "


def user(text: str) -> OpenAIMessage:
    """Make a user's message."""
    return {"role": "user", "content": text}


def assistant(text: str) -> OpenAIMessage:
    """Make an assistant's message."""
    return {"role": "assistant", "content": text}


ASKED: Final = user("How is the weather?")


@pytest.mark.parametrize(
    ("messages", "results"),
    [
        ([ASKED, assistant(ACTION), user(f"{SAW}sunny")], [2]),
        ([ASKED, assistant(CODE), user(f"{RAN}sunny")], [2]),
        ([ASKED, assistant("I ran it."), user(f"{RAN}sunny")], [2]),
        ([ASKED, assistant(ACTION), user("Observation:\nsunny"), user(f"{SAW}warm")], [2, 3]),
        ([ASKED, assistant(ACTION), user(f"\n {SAW}sunny")], [2]),
        ([ASKED, assistant("hm"), user("Error while parsing the output: no action\n\nThe output should be")], [2]),
        ([ASKED, assistant(""), user("FAILURE: Your previous response was empty.\nYou must output")], [2]),
        ([ASKED, assistant(f"{ACTION}\nObservation: rain\n{ANSWER}\n{ACTION}"), user(f"{SAW}sunny")], [2]),
        ([ASKED, assistant("**Action:** look"), user(f"{SAW}sunny")], [2]),
        ([ASKED, assistant(ACTION), {"role": "tool", "content": f"{SAW}sunny"}], [2]),
        ([user(f"{SAW}sunny"), assistant("Why?")], []),
        ([ASKED, user(f"{SAW}sunny")], []),
        ([ASKED, user(f"{RAN}sunny")], []),
        ([ASKED, assistant(ANSWER), user("Observation: that is wrong.")], []),
        ([ASKED, assistant("It is sunny."), user("Observation: that is wrong.")], []),
        ([ASKED, assistant(f"{ACTION}\nObservation: sunny\n{ANSWER}"), user("Observation: no.")], []),
        ([ASKED, assistant(ACTION), user("My observation: it rains.")], []),
        ([ASKED, assistant(ACTION), user("And?"), user(f"{SAW}sunny")], []),
        ([ASKED, assistant(ACTION), {"role": "system", "content": "Hurry."}, user(f"{SAW}sunny")], []),
    ],
)
def test_what_is_a_result(messages: list[OpenAIMessage], results: list[int]) -> None:
    """It opens as an agent opens it, right behind the answer that asks for it; what people write like it is theirs."""
    transcript = transcript_of(messages, None, None)
    assert [at for at in range(len(messages)) if transcript[at].step_result] == results
    backwards = transcript_of(messages, None, None)
    assert [at for at in reversed(range(len(messages))) if backwards[at].step_result] == results[::-1]


def test_a_current_message_is_a_question_whatever_it_says() -> None:
    """Who names it means it: it goes out whole."""
    history = [ASKED, assistant(ACTION)]
    message = f"{SAW}{'word ' * 30}"
    context = ContextBuilder(40, WORDS).build(history, message=message)
    assert context.messages[-1] == user(message)
    with pytest.raises(ContextOverflowError):
        ContextBuilder(20, WORDS).build(history, message=message)


@pytest.mark.parametrize(("answer", "opening"), [(ACTION, SAW), (CODE, RAN)])
def test_a_large_one_is_cut_to_head_and_tail_behind_its_opening(answer: str, opening: str) -> None:
    """The run goes on, in progress and after its answer, and the question is whole."""
    large = user(f"{opening}first {'word ' * 500}last")
    running = [ASKED, assistant(answer), large]
    for messages in (running, [*running, assistant(ANSWER)]):
        sent = fit(messages, 60, counter=WORDS).messages
        assert [message["role"] for message in sent] == [message["role"] for message in messages]
        assert sent[:2] == messages[:2]
        assert sent[2]["content"].startswith(f"{opening}first ")
        assert sent[2]["content"].endswith(" last")
    assert large["content"].count("word") == 500


@pytest.mark.parametrize("blank", ["\n", " \n", "\t", "\r\n", "\u2028"])
@pytest.mark.parametrize(("answer", "opening"), [(ACTION, SAW), (CODE, RAN)])
def test_one_of_blanks_alone_is_cut_too(answer: str, opening: str, blank: str) -> None:
    """They are the result, and no part of its opening, which is never cut."""
    messages = [ASKED, assistant(answer), user(opening + 20_000 * blank)]
    sent = fit(messages, 400, counter="gpt-4o")
    assert sent.report.used <= 400
    assert sent.messages[:2] == messages[:2]
    assert sent.messages[2]["content"].startswith(opening)


def test_max_tokens_and_placeholders_are_for_them_too() -> None:
    """At first sight, and on overflow by age: what stands in their place stands behind the opening."""
    steps = [message for at in range(4) for message in (assistant(ACTION), user(f"{SAW}number {at} {'word ' * 20}end"))]
    policy = HistoryPolicy(results=ToolResultPolicy(max_tokens=12))
    sent = fit([ASKED, *steps], 1_000, counter=WORDS, policy=policy).messages
    assert all(message["content"].startswith(f"{SAW}number {at} ") for at, message in enumerate(sent[2::2]))
    assert max(len(message["content"].split()) for message in sent[2::2]) <= 12
    policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=1, min_tokens=0))
    sent = fit([ASKED, *steps], 125, counter=WORDS, policy=policy).messages
    cleared = [message["content"] for message in sent[2::2]]
    assert cleared[:2] == [f"{SAW}[content truncated - {age} steps ago, 24 tokens]" for age in (3, 2)]
    assert cleared[2:] == [message["content"] for message in steps[5::2]]


def test_a_cut_takes_whole_steps_and_leaves_the_question() -> None:
    """Of a run longer than the budget the question stays, and each result stands behind the answer it goes with."""
    steps = [message for at in range(8) for message in (assistant(CODE), user(f"{RAN}number {at} {'word ' * 8}"))]
    sent = fit([user("old"), assistant("old"), ASKED, *steps], 60, counter=WORDS).messages
    assert sent[0] == ASKED
    assert 4 < len(sent) < len(steps)
    assert sent[1:] == steps[-len(sent) + 1 :]
    assert sent[1]["role"] == "assistant"


def test_a_finished_run_leaves_its_question_and_its_newest_steps() -> None:
    """One question later, as with calls."""
    steps = [message for at in range(8) for message in (assistant(CODE), user(f"{RAN}number {at} {'word ' * 8}"))]
    sent = fit([ASKED, *steps, assistant("Sunny."), user("And now?")], 60, counter=WORDS).messages
    assert sent[0] == ASKED
    assert sent[-2:] == [assistant("Sunny."), user("And now?")]
    assert sent[1:-2] == steps[-len(sent) + 3 :]


def test_what_is_asked_of_layers_is_the_question() -> None:
    """Sessions and memories get the user's words, and results are not remembered as those."""
    questions: list[str] = []

    def layer(request: Any) -> None:
        questions.append(request.question)

    running = [ASKED, assistant(ACTION), user(f"{SAW}sunny")]
    session = ContextSession[OpenAIMessage](budget=100, counter=WORDS, layers=[layer])
    session.fit(running)
    assert questions == [ASKED["content"]]
    items = ConversationMemory[OpenAIMessage]().items([*running, assistant(ANSWER), user("Observation: no.")])
    assert [item.source for item in items] == ["message 1", "message 2", "message 4", "message 5"]


_TEXTS: Final = st.integers(0, 40).map(lambda count: "word " * count + "end")


@st.composite
def runs(draw: st.DrawFn) -> list[OpenAIMessage]:
    """Give turns of agents that act in text, with observations of people among them; the last may be running."""
    told: list[OpenAIMessage] = []
    turns = draw(st.integers(1, 4))
    for turn in range(turns):
        said = "Observation: " if draw(st.integers(0, 4)) == 0 else ""
        told.append(user(f"{said}Question {turn}? {draw(_TEXTS)}"))
        for step in range(draw(st.integers(0, 4))):
            answer, opening = draw(st.sampled_from([(ACTION, SAW), (CODE, RAN)]))
            told.append(assistant(f"{turn}.{step}\n{answer}"))
            results = draw(st.integers(1, 2))
            told += [user(f"{opening}{turn}.{step}.{at} {draw(_TEXTS)}") for at in range(results)]
        if turn < turns - 1 or draw(st.booleans()):
            told.append(assistant(f"Thought: done.\nAnswer: {turn}"))
    return told


POLICIES: Final = (
    HistoryPolicy(),
    HistoryPolicy(keep_first=1, results=ToolResultPolicy(max_tokens=9)),
    HistoryPolicy(results=ToolResultPolicy(clear_after_steps=0, min_tokens=0)),
    HistoryPolicy(omission_marker="[{count} omitted]", results=ToolResultPolicy(clear_rest=True)),
)


@given(told=runs(), budget=st.integers(10, 200), policy=st.sampled_from(POLICIES), remembers=st.booleans())
def test_results_stay_behind_their_answers_and_the_question_stays_whole(
    told: list[OpenAIMessage], budget: int, policy: HistoryPolicy, *, remembers: bool
) -> None:
    """Turn by turn or at once, whatever the budget: in order, within it, and what is altered is altered as a result."""
    state: dict[str, Any] = {}
    for end in range(1, len(told) + 1) if remembers else (len(told),):
        source = told[:end]
        before = copy.deepcopy(source)
        known = WindowState.from_dict(json.loads(json.dumps(state))) if remembers else None
        try:
            context = fit(source, budget, counter=WORDS, policy=policy, state=known)
        except ContextOverflowError:
            continue
        state = context.state.to_dict()
        assert source == before
        assert WORDS.count_messages(context.messages) <= budget
        check(source, [message for message in context.messages if message["role"] != "system"])


def check(source: list[OpenAIMessage], sent: list[OpenAIMessage]) -> None:
    """Check what went out against what came in."""
    transcript = transcript_of(source, None, None)
    question = max(at for at in range(len(source)) if transcript.is_question(at))
    places = list[int]()
    for message in sent:
        same = [at for at, one in enumerate(source) if one == message and at > max(places, default=-1)]
        places.append(same[0] if same else altered(source, message, places))
    assert question in places
    for at in places:
        result = transcript[at].step_result
        assert not result or at - 1 in places
        assert result or source[at] in sent


def altered(source: list[OpenAIMessage], message: OpenAIMessage, places: list[int]) -> int:
    """Give the place of a result that was altered: the one behind what went before, with its opening."""
    at = places[-1] + 1
    opening = next(one for one in (SAW, RAN) if source[at]["content"].startswith(one))
    assert message["content"].startswith(opening)
    assert len(message["content"].split()) < len(source[at]["content"].split())
    return at
