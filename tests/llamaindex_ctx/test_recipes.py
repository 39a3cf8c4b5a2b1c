"""`ContextMemoryBuffer(recipe=…)`: what the recipe brings reaches the model, in engines and agents."""

from __future__ import annotations

import copy
import logging
import pickle
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import CodeActAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.tools import FunctionTool

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    Framing,
    HistoryPolicy,
    Role,
    RollingSummary,
    TokenCounter,
    UsageLog,
    WindowState,
)
from ctx_core.counting import MessageFraming
from ctx_core.recipes import Assistant, Chat, Phase, Phased, Recipe, Rolling, Work, WorkspaceAgent, chat_budget
from ctx_core.workspace import Workspace
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer
from tests.llamaindex_ctx.test_agents import Script, ScriptedLLM, add, ask, calls, function_agent, react_agent, says
from tests.llamaindex_ctx.test_engines import SpyLLM, by_achat, by_astream, by_chat, by_stream, context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ctx_core.conversation.messages import Message
    from ctx_core.counting.tool_schemas import ToolDefinition
    from tests.llamaindex_ctx.test_engines import Talker

pytestmark = [
    pytest.mark.filterwarnings("ignore:The `__fields.*` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step"),
]

COUNTER = TokenCounter.for_model("gpt-4o")
CHAT = Chat(system="Speak like a sailor.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors(Recipe):
    """Notes which of its doors was used, and for which question."""

    asked: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Note a question."""
        self.asked.append(("sync", question, len(tools)))
        return ContextBuilder(1_000).system(f"About: {question}").tools(tools)

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Note a question."""
        self.asked.append(("async", question, len(tools)))
        return ContextBuilder(1_000).system(f"About: {question}").tools(tools)


def long_talk() -> list[ChatMessage]:
    """Make forty turns."""
    return [
        message
        for at in range(40)
        for message in (
            ChatMessage(f"question {at} of ten words one two three four five", role="user"),
            ChatMessage(f"answer {at}", role="assistant"),
        )
    ]


def summed(previous: str, messages: Sequence[Message]) -> str:
    """Summarize by counting."""
    return f"{previous} +{len(messages)}".strip()


def cost(messages: Sequence[ChatMessage], counter: TokenCounter = COUNTER) -> int:
    """Recount a request from scratch."""
    return counter.count_messages([ChatMessageCodec().read(message) for message in messages])


def five(folder: Path) -> list[Recipe]:
    """Give one of each recipe, small enough to have to cut."""
    (folder / "SOUL.md").write_text("You are Mira.")
    return [
        Chat(system="Be brief.", budget=chat_budget(system=50, history=150, response=20)),
        Assistant(system="Be brief.", facts=["Likes tea."], budget=ContextBudget(200, reserve=20)),
        WorkspaceAgent(workspace=Workspace(folder), budget=ContextBudget(600)),
        Rolling(system="Be brief.", budget=ContextBudget(200, reserve=20)),
        Phased(system="Be brief.", budget=ContextBudget(200, reserve=20), work=Work(phase=Phase.TESTING)),
    ]


@pytest.mark.parametrize("at", range(5))
def test_each_recipe_shows_what_it_builds(at: int, tmp_path: Path) -> None:
    """A view is the recipe's text and what of the conversation fits, as the recipe itself would give it."""
    recipe = replace(five(tmp_path)[at], provider="openai")  # a memory is a part of a request, what is built all of it
    question = ChatMessage("and now?", role="user")
    view = ContextMemoryBuffer.from_defaults([*long_talk(), question], recipe=recipe).get()
    built = recipe.build(long_talk(), question, codec=ChatMessageCodec(), state=WindowState())
    assert view[0].role == "system"
    assert len(view) < 82
    assert [message.content for message in view[1:]] == [message.content for message in built.conversation]


@pytest.mark.parametrize("talk", [by_chat, by_achat, by_stream, by_astream])
async def test_a_simple_chat_engine_sends_the_recipes_text(talk: Talker) -> None:
    """Behind the engine's own system prompt, in every way to chat, and it is never stored."""
    llm = SpyLLM(max_tokens=3, is_chat_model=True)
    memory = ContextMemoryBuffer.from_defaults(recipe=CHAT)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="Engine.")
    await talk(engine, "hello")
    await talk(engine, "again")
    assert [message.content for message in llm.sent[-1][:2]] == ["Engine.", "Speak like a sailor."]
    assert [message.role.value for message in llm.sent[-1]] == ["system", "system", "user", "assistant", "user"]
    assert [message.role.value for message in memory.get_all()] == ["user", "assistant"] * 2


@pytest.mark.parametrize("talk", [by_chat, by_achat])
async def test_a_context_chat_engine_sends_the_recipes_text(talk: Talker) -> None:
    """It goes along with what was retrieved."""
    llm = SpyLLM(max_tokens=3, is_chat_model=True)
    await talk(context(llm, ContextMemoryBuffer.from_defaults(recipe=CHAT)), "when?")
    contents = [message.content or "" for message in llm.sent[-1]]
    assert "tide" in contents[0]
    assert contents[1:] == ["Speak like a sailor.", "when?"]


async def test_what_the_engine_tells_is_taken_off_the_recipes_budget() -> None:
    """With a long system prompt of the engine's, every request of a long talk is within the recipe's budget."""
    llm = SpyLLM(max_tokens=3, is_chat_model=True)
    recipe = Rolling(system="Speak like a sailor.", budget=ContextBudget(220), counter=COUNTER)
    memory = ContextMemoryBuffer.from_defaults(recipe=recipe)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="word " * 100)
    for number in range(12):
        await by_achat(engine, f"question number {number} about the tide")
    assert max(map(cost, llm.sent)) <= 220
    assert memory.last_report is not None
    assert memory.last_report.history.omitted > 0
    with pytest.raises(ContextOverflowError):
        memory.get(initial_token_count=220)


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_function_agent_sends_the_recipes_text(*, streaming: bool) -> None:
    """In every step of its turn, behind its own system prompt."""
    script = Script([calls("add", "c1", a=1, b=2), says("three")])
    agent = function_agent(script, streaming=streaming, system_prompt="Agent.")
    await ask(agent, user_msg="1+2?", memory=ContextMemoryBuffer.from_defaults(recipe=CHAT))
    assert [shown[:2] for shown in script.shown()] == [["system: Agent.", "system: Speak like a sailor."]] * 2


@pytest.mark.parametrize(
    ("prompt", "role", "arrives"),
    [("Agent.", "system", True), (None, "system", False), ("Agent.", "user", True), (None, "user", True)],
)
async def test_a_react_agent_sends_the_recipes_text(prompt: str | None, role: str, *, arrives: bool) -> None:
    """The agent drops the first system message that it sees: its own, else ours; a user message always arrives."""
    script = Script([says("Thought: I know.\nAnswer: three")])
    memory = ContextMemoryBuffer.from_defaults(recipe=CHAT, recipe_role=role)
    await ask(react_agent(script, system_prompt=prompt), user_msg="1+2?", memory=memory)
    (shown,) = script.shown()
    assert (f"{role}: Speak like a sailor." in shown) is arrives


@pytest.mark.parametrize("make", [function_agent, react_agent])
async def test_as_a_user_message_it_reaches_agents_as_it_is(make: Callable[..., Any]) -> None:
    """With the role of a user it stands before the conversation in any agent."""
    script = Script([says("Thought: I know.\nAnswer: three")])
    memory = ContextMemoryBuffer.from_defaults(recipe=CHAT, recipe_role="user")
    await ask(make(script, system_prompt="Agent."), user_msg="1+2?", memory=memory)
    assert script.shown()[0][1:3] == ["user: Speak like a sailor.", "user: 1+2?"]


async def test_an_agent_that_overwrites_system_messages_leaves_a_user_message() -> None:
    """A CodeActAgent puts its prompt in the place of ours, unless ours is a user message."""
    seen: dict[str, bool] = {}
    for role in ("system", "user"):
        script = Script([says("done")])
        agent = CodeActAgent(
            code_execute_fn=lambda code: code,
            tools=[FunctionTool.from_defaults(add)],
            llm=ScriptedLLM.of(script),
            streaming=False,
        )
        await ask(agent, user_msg="hi", memory=ContextMemoryBuffer.from_defaults(recipe=CHAT, recipe_role=role))
        seen[role] = any("Speak like a sailor." in text for text in script.shown()[0])
    assert seen == {"system": False, "user": True}


def test_a_user_message_is_counted_as_one() -> None:
    """Where a system message has another price, the view is within the budget in the other role too."""
    framing = Framing(messages=MessageFraming(per_message=30, per_system=0))
    counter = TokenCounter(lambda text: len(text.split()), framing=framing)
    recipe = Rolling(system="one two", budget=ContextBudget(170), counter=counter, preserve_recent_turns=0)
    for role in ("system", "user"):
        view = ContextMemoryBuffer.from_defaults(long_talk(), recipe=recipe, recipe_role=role).get()
        assert view[0].role == role
        assert len(view) > 2
        assert cost(view, counter) <= 170


async def test_the_async_doors_ask_the_async_builder() -> None:
    """`get` asks `builder`, `aget` asks `abuilder`: for what the engine asks, else for the last question stored."""
    recipe = Doors()
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("old", role="user"), says("a")], recipe=recipe, tools=[add])
    assert memory.get("new")[0].content == "About: new"
    assert (await memory.aget())[0].content == "About: old"
    assert recipe.asked == [("sync", "new", 1), ("async", "old", 1)]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"budget": ContextBudget(500)}, "budget"),
        ({"token_limit": 500, "reserve": 5}, "token_limit"),
        ({"llm": MockLLM()}, "llm"),
        ({"counter": "gpt-4o"}, "counter"),
        ({"tokenizer_fn": list}, "tokenizer_fn"),
        ({"policy": HistoryPolicy()}, "policy"),
        ({"on_overflow": "raise"}, "on_overflow"),
    ],
)
def test_what_a_recipe_brings_is_not_given_beside_it(given: dict[str, Any], name: str) -> None:
    """The error names the recipe and what contradicts it."""
    with pytest.raises(BudgetError, match=f"both recipe and {name} are given"):
        ContextMemoryBuffer.from_defaults(recipe=CHAT, **given)


def test_the_class_itself_refuses_the_same() -> None:
    """A memory made without `from_defaults` takes a recipe, and nothing that the recipe brings."""
    assert ContextMemoryBuffer(recipe=CHAT).get()[0].content == "Speak like a sailor."
    with pytest.raises(ValueError, match="both recipe and budget"):
        ContextMemoryBuffer(recipe=CHAT, budget=ContextBudget(500))


@pytest.mark.parametrize("given", [{"recipe": "chat"}, {"recipe": CHAT, "recipe_role": "tool"}])
def test_what_cannot_be_is_refused(given: dict[str, Any]) -> None:
    """Something that is no recipe, or a role that gives no instructions, is a `ValueError` that says so."""
    with pytest.raises(ValueError, match="must be"):
        ContextMemoryBuffer.from_defaults(**given)


def test_limit_and_tokenizer_are_the_recipes() -> None:
    """What engines ask of a memory comes from the recipe."""
    memory = ContextMemoryBuffer.from_defaults(recipe=Rolling(budget=ContextBudget(900, reserve=100), counter=COUNTER))
    assert memory.token_limit == 800
    assert len(memory.tokenizer_fn("hello there")) == COUNTER.framing.messages.per_message + 2


def test_both_logs_hear_of_views() -> None:
    """The recipe's log records under its label, beside a log of the memory's own."""
    recipe, log = Phased(), UsageLog()
    ContextMemoryBuffer.from_defaults([ChatMessage("q", role="user")], recipe=recipe, usage_log=log).get()
    assert list(recipe.usage.latest()) == ["planning"]
    assert recipe.usage.stats().requests == log.stats().requests == 1


def test_overflow_is_as_the_recipe_says() -> None:
    """An assistant truncates the message that is too large; told to raise, it raises."""
    recipe = Assistant(budget=ContextBudget(100, reserve=10))
    large = [ChatMessage("word " * 500, role="user")]
    (cut,) = ContextMemoryBuffer.from_defaults(large, recipe=recipe).get()
    assert len(cut.content or "") < 2_500
    with pytest.raises(ContextOverflowError):
        ContextMemoryBuffer.from_defaults(large, recipe=replace(recipe, on_overflow="raise")).get()


def test_the_summary_stands_where_the_recipe_says() -> None:
    """With a place of its own the summary is in the system prompt; without one it is a user message."""
    budget = ContextBudget(300, reserve=20)
    inside = Assistant(system="S.", budget=budget, summary=RollingSummary(role=Role.SYSTEM))
    view = ContextMemoryBuffer.from_defaults(long_talk(), recipe=inside, summarizer=summed).get("q")
    assert "+" in (view[0].content or "")
    beside = Rolling(system="S.", budget=budget)
    view = ContextMemoryBuffer.from_defaults(long_talk(), recipe=beside, summarizer=summed).get("q")
    assert view[0].content == "S."
    assert view[1].role == "user"
    assert "+" in (view[1].content or "")


def test_a_stored_memory_is_given_its_recipe_again(caplog: pytest.LogCaptureFixture) -> None:
    """The recipe is code: given again it is in force, missing it is missed, and the window's size stays."""
    recipe = Assistant(system="Be brief.", budget=ContextBudget(250, reserve=20))
    memory = ContextMemoryBuffer.from_defaults(long_talk(), recipe=recipe, recipe_role="user")
    view = memory.get()
    stored = memory.to_string()
    del memory
    again = ContextMemoryBuffer.from_string(stored, recipe=recipe)
    assert again.get() == view
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        without = ContextMemoryBuffer.from_string(stored)
    assert "without its recipe" in caplog.text
    assert without.recipe is None
    assert without.token_limit == 230
    assert without.get()[-1] == view[-1]


def test_copies_share_the_recipe() -> None:
    """A deep copy has the recipe; so has a pickled copy while the memory is in use."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("q", role="user")], recipe=CHAT)
    for other in (copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):  # noqa: S301 - our own bytes
        assert other.recipe is CHAT
        assert other.get() == memory.get()
