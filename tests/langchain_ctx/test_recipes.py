"""`ContextRunnable(recipe=…)`: what the recipe brings reaches the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableField
from langchain_core.tools import tool

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    HistoryPolicy,
    Role,
    RollingSummary,
    TokenCounter,
    UsageLog,
    WindowState,
)
from ctx_core.recipes import Assistant, Chat, Phase, Phased, Recipe, Rolling, Work, WorkspaceAgent, chat_budget
from ctx_core.workspace import Workspace
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextRunnable,
    InMemoryHistory,
    LangChainCodec,
    budgeted_session_history,
)
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig

    from ctx_core.conversation.messages import Message
    from ctx_core.counting.tool_schemas import ToolDefinition

PROMPT = ChatPromptTemplate.from_messages([MessagesPlaceholder("talk"), ("human", "{q}")])
NAMED: RunnableConfig = {"configurable": {"session_id": "s"}}


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


@tool
def lookup(city: str) -> str:
    """Look up the weather of a city."""
    return city


def talk(turns: int) -> list[BaseMessage]:
    """Make a conversation of so many turns."""
    return [
        message
        for at in range(turns)
        for message in (HumanMessage(f"question {at} of ten words one two three four five"), AIMessage(f"answer {at}"))
    ]


def summed(previous: str, messages: Sequence[Message]) -> str:
    """Summarize by counting."""
    return f"{previous} +{len(messages)}".strip()


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
def test_each_recipe_in_a_chain_sends_what_it_builds(at: int, tmp_path: Path) -> None:
    """A chain with a recipe sends the recipe's text and what fits, as the recipe itself would."""
    recipe = five(tmp_path)[at]
    model = EchoModel()
    (PROMPT | ContextRunnable(recipe=recipe) | model).invoke({"talk": talk(40), "q": "and now?"})
    sent = model.received[-1]
    built = recipe.build(talk(40), HumanMessage("and now?"), codec=LangChainCodec(), state=WindowState())
    assert isinstance(sent[0], SystemMessage)
    assert len(sent) < 82
    assert [message.text for message in sent[1:]] == [message.text for message in built.conversation]


async def test_the_async_doors_ask_the_async_builder() -> None:
    """`invoke` asks `builder`, `ainvoke` asks `abuilder`, each for the current question and the tools."""
    recipe = Doors()
    step = ContextRunnable(recipe=recipe, tools=[lookup])
    value = [HumanMessage("old"), AIMessage("a"), HumanMessage("new")]
    assert step.invoke(value)[0] == SystemMessage("About: new")
    assert (await step.ainvoke(value))[0] == SystemMessage("About: new")
    assert recipe.asked == [("sync", "new", 1), ("async", "new", 1)]


async def test_the_async_door_with_a_summarizer_asks_once() -> None:
    """A request that is built again for its summary asks the recipe only once."""
    recipe = Doors()
    await ContextRunnable(recipe=recipe, summarizer=summed).ainvoke([*talk(100), HumanMessage("new")])
    assert recipe.asked == [("async", "new", 0)]


def test_the_prompts_system_message_stays_behind_the_recipes() -> None:
    """The recipe's text comes first, the prompt's own second."""
    output = ContextRunnable(recipe=Chat(system="Recipe.")).invoke([SystemMessage("Prompt."), HumanMessage("hi")])
    assert output == [SystemMessage("Recipe."), SystemMessage("Prompt."), HumanMessage("hi")]


def test_tools_come_from_the_bound_model() -> None:
    """A model beside a recipe says which tools go along."""
    recipe = Doors()
    ContextRunnable(recipe=recipe, model=EchoModel().bind_tools([lookup])).invoke("hi")
    assert recipe.asked == [("sync", "hi", 1)]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"budget": 500}, "budget"),
        ({"counter": "gpt-4o"}, "counter"),
        ({"policy": HistoryPolicy()}, "policy"),
        ({"on_overflow": "raise"}, "on_overflow"),
    ],
)
def test_what_a_recipe_brings_is_not_given_beside_it(given: dict[str, Any], name: str) -> None:
    """The error names the recipe and what contradicts it."""
    with pytest.raises(BudgetError, match=f"both recipe and {name} are given"):
        ContextRunnable(recipe=Chat(), **given)


def test_what_is_no_recipe_is_refused() -> None:
    """The error says what was found."""
    not_one: Any = "chat"
    with pytest.raises(BudgetError, match="found str"):
        ContextRunnable(recipe=not_one)


@pytest.mark.parametrize(
    "make",
    [
        lambda given: BudgetedChatMessageHistory(InMemoryHistory(), **given),
        lambda given: budgeted_session_history(lambda _: InMemoryHistory(), **given),
    ],
)
def test_histories_say_where_a_recipe_goes(make: Callable[[dict[str, Any]], object]) -> None:
    """A history refuses a recipe and names the step that takes one."""
    with pytest.raises(BudgetError, match=r"prompt \| ContextRunnable\(recipe="):
        make({"recipe": Chat()})


def test_overflow_is_as_the_recipe_says() -> None:
    """An assistant truncates the message that is too large; told to raise, it raises."""
    recipe = Assistant(budget=ContextBudget(100, reserve=10))
    large = [HumanMessage("word " * 500)]
    (cut,) = ContextRunnable(recipe=recipe).invoke(large)
    assert len(cut.text) < 2_500
    with pytest.raises(ContextOverflowError):
        ContextRunnable(recipe=replace(recipe, on_overflow="raise")).invoke(large)


def test_both_logs_hear_of_requests() -> None:
    """The recipe's log records under its label, beside a log of the step's own; a preview is in neither."""
    recipe, log = Phased(), UsageLog()
    step = ContextRunnable(recipe=recipe, usage_log=log)
    step.preview("hi")
    step.invoke("hi")
    assert list(recipe.usage.latest()) == ["planning"]
    assert recipe.usage.stats().requests == log.stats().requests == 1


def test_phases_are_followed_from_request_to_request() -> None:
    """A step asks the recipe anew each time."""
    work = Work(types="class Token: ...")
    step = ContextRunnable(recipe=Phased(system="S.", work=lambda: work))
    assert "Token" not in step.invoke("hi")[0].text
    work = replace(work, phase=Phase.INTERFACE)
    assert "Token" in step.invoke("hi")[0].text


def test_the_summary_stands_where_the_recipe_says() -> None:
    """With a place of its own the summary is in the system prompt; without one it is a user message."""
    budget = ContextBudget(300, reserve=20)
    inside = Assistant(system="S.", budget=budget, summary=RollingSummary(role=Role.SYSTEM))
    output = ContextRunnable(recipe=inside, summarizer=summed).invoke([*talk(60), HumanMessage("q")], NAMED)
    assert "+" in output[0].text
    beside = Rolling(system="S.", budget=budget)
    output = ContextRunnable(recipe=beside, summarizer=summed).invoke([*talk(60), HumanMessage("q")], NAMED)
    assert output[0].text == "S."
    assert isinstance(output[1], HumanMessage)
    assert "+" in output[1].text


def test_configurable_fields_keep_the_recipe() -> None:
    """A step that is made anew for a field has the recipe, and the recipe itself can be set."""
    step = ContextRunnable(recipe=Chat(system="One."))
    key = step.configurable_fields(messages_key=ConfigurableField(id="key"))
    assert key.with_config(configurable={"key": "m"}).invoke({"m": ["hi"]})["m"][0] == SystemMessage("One.")
    other = step.configurable_fields(recipe=ConfigurableField(id="recipe"))
    assert other.with_config(configurable={"recipe": Chat(system="Two.")}).invoke("hi")[0] == SystemMessage("Two.")


def test_a_recipes_budget_counts_its_own_text() -> None:
    """Counted from scratch, text, history and question are within the recipe's budget."""
    counter = TokenCounter.for_model("gpt-4o")
    recipe = Rolling(system="word " * 40, budget=ContextBudget(150), counter=counter)
    output = ContextRunnable(recipe=recipe).invoke([*talk(40), HumanMessage("q")])
    assert 2 < len(output) < 20
    assert counter.count_messages([LangChainCodec().read(message) for message in output]) <= 150
