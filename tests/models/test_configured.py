"""The config of a request chooses the model, and budget, reserve, counter and provider are those of the one chosen."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableField, RunnableConfig, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from ctx_core import BudgetError, UsageLog
from langchain_ctx import BudgetedChatMessageHistory, ContextMiddleware, ContextNode, ContextRunnable
from langchain_ctx.configured import ConfiguredOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core import ContextReport

init = pytest.importorskip("langchain.chat_models").init_chat_model
agents = pytest.importorskip("langchain.agents")
ChatAnthropic = pytest.importorskip("langchain_anthropic").ChatAnthropic
ChatOpenAI = pytest.importorskip("langchain_openai").ChatOpenAI
GenericFakeChatModel = pytest.importorskip("langchain_core.language_models").GenericFakeChatModel


def made_anew() -> Any:
    """Make a model that is made by the config of each request."""
    return init("anthropic:claude-sonnet-4-5", configurable_fields="any", config_prefix="llm", api_key="no-key")


def alternatives() -> Any:
    """Make a model with another one that a config may choose."""
    claude = ChatAnthropic(model="claude-sonnet-4-5", api_key="no-key")
    other = ChatOpenAI(model="gpt-4o", api_key="no-key")
    return claude.configurable_alternatives(ConfigurableField(id="llm_model"), default_key="claude", gpt=other)


MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "init_chat_model": (made_anew, "gpt-4o"),
    "init_chat_model, with tools": (lambda: made_anew().bind_tools([{"name": "look", "parameters": {}}]), "gpt-4o"),
    "init_chat_model, retried": (lambda: made_anew().with_retry(), "gpt-4o"),
    "configurable_alternatives": (alternatives, "gpt"),
    "configurable_alternatives, bound": (lambda: alternatives().bind(stop=["x"]), "gpt"),
}
pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
HELLO = [HumanMessage("Hello?")]


def chosen(value: str, **more: Any) -> RunnableConfig:
    """Make the config of a request that chooses a model."""
    told: dict[str, Any] = {"thread_id": "t", "llm_model": value, **more}
    if value == "gpt-4o":
        told["llm_model_provider"] = "openai"
    return {"configurable": told}


def facts(report: ContextReport) -> tuple[int, int, str | None]:
    """Give what a report says of the model: the window, the reserve, and what counted."""
    return report.total, report.reserve, report.model


@pytest.mark.parametrize(("make", "value"), MODELS.values(), ids=MODELS)
def test_each_request_is_fitted_for_the_model_that_its_config_chooses(make: Callable[[], Any], value: str) -> None:
    """The next one, whose config chooses none, for the default."""
    step = ContextRunnable(model=make())
    for config, wanted in (
        (CONFIG, (200_000, 64_000, "claude-sonnet-4-5")),
        (chosen(value), (128_000, 4_096, "gpt-4o")),
        (CONFIG, (200_000, 64_000, "claude-sonnet-4-5")),
    ):
        assert facts(step.preview(HELLO, config).report) == wanted


@pytest.mark.parametrize("make", [made_anew, alternatives])
def test_so_are_what_the_provider_takes_and_what_the_client_sends(make: Callable[[], Any]) -> None:
    """Anthropic refuses a second instruction behind a question, and OpenAI takes it."""
    step = ContextRunnable(model=make())
    talk = [SystemMessage("Be kind."), HumanMessage("Hello?"), SystemMessage("Be brief."), HumanMessage("And?")]
    value = "gpt" if make is alternatives else "gpt-4o"
    assert step.invoke(talk, chosen(value)) == talk
    assert step.preview(talk, CONFIG).report.changes != step.preview(talk, chosen(value)).report.changes


def test_parameters_that_a_config_sets_count_too() -> None:
    """The room for the answer is what this request asks for."""
    step = ContextRunnable(model=made_anew())
    assert step.preview(HELLO, {"configurable": {"llm_max_tokens": 5_000}}).report.reserve == 5_000


def test_what_the_caller_says_holds_for_every_model() -> None:
    """A budget or a counter of the step is not taken from the model; one in the config neither."""
    step = ContextRunnable(8_000, model=made_anew())
    assert facts(step.preview(HELLO, chosen("gpt-4o")).report) == (8_000, 0, "gpt-4o")
    config = chosen("gpt-4o", budget=900)
    assert step.preview(HELLO, config).report.limit == 900
    assert ContextRunnable(8_000, counter="gpt-4", model=made_anew()).preview(HELLO, config).report.model == "gpt-4"


def counting_models(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Give a list that grows whenever LangChain makes a model by a config."""
    made: list[object] = []
    kind = type(made_anew())
    original = kind._model  # noqa: SLF001 - no public name tells how often LangChain makes one

    def counted(self: object, config: RunnableConfig | None = None) -> object:
        made.append(config)
        return original(self, config)

    monkeypatch.setattr(kind, "_model", counted)
    return made


def test_a_config_that_was_seen_makes_no_model_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else stands in it, such as another thread."""
    step = ContextRunnable(model=made_anew())
    made = counting_models(monkeypatch)
    for thread in range(3):
        step.preview(HELLO, chosen("gpt-4o", thread_id=str(thread)))
    assert len(made) == 1


def test_one_model_has_one_counter_however_it_is_chosen() -> None:
    """What it has counted is kept from request to request."""
    options = ConfiguredOptions("ContextRunnable", {"model": made_anew()})
    first, second = (options.of(chosen("gpt-4o", llm_metadata={"tag": tag})) for tag in "ab")
    assert first is second
    assert options.of(chosen("claude-sonnet-4-5", llm_metadata={"tag": "c"})) is options.default


def test_what_is_kept_of_models_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many parameters configs bring, the oldest is made again."""
    step = ContextRunnable(model=made_anew())
    made = counting_models(monkeypatch)
    for tokens in (*range(1, 50), 1, 49):
        step.preview(HELLO, {"configurable": {"llm_max_tokens": tokens}})
    assert len(made) == 50


def test_a_model_without_a_default_is_known_when_a_config_comes() -> None:
    """Until then budget and counter are needed beside it."""
    model = init(config_prefix="llm", api_key="no-key")
    with pytest.raises(BudgetError, match="give init_chat_model a default model, or a budget and a counter beside it"):
        ContextRunnable(model=model)
    step = ContextRunnable(8_000, counter="gpt-4", model=model)
    assert facts(step.preview(HELLO, CONFIG).report) == (8_000, 0, "gpt-4")
    assert facts(step.preview(HELLO, chosen("gpt-4o")).report) == (8_000, 0, "gpt-4")
    with pytest.raises(BudgetError, match="cannot be made with this config"):
        step.preview(HELLO, {"configurable": {"llm_model": "no-such-model"}})


def test_a_copy_has_the_same_model_and_a_pickled_one_the_defaults() -> None:
    """A model may hold connections, which no other process can have."""
    step = ContextRunnable(model=alternatives())
    assert facts(copy.deepcopy(step).preview(HELLO, chosen("gpt")).report) == (128_000, 4_096, "gpt-4o")
    there = pickle.loads(pickle.dumps(step))  # noqa: S301 - our own bytes
    assert facts(there.preview(HELLO, chosen("gpt")).report) == (200_000, 64_000, "claude-sonnet-4-5")


def test_a_node_goes_by_the_config_of_its_run() -> None:
    """As the step in a chain does."""
    heard: list[ContextReport] = []
    node = ContextNode(model=alternatives(), on_report=heard.append)
    for config in (CONFIG, chosen("gpt")):
        node.invoke({"messages": HELLO}, config)
    assert [report.total for report in heard] == [200_000, 128_000]


def test_a_history_goes_by_the_config_of_the_chain_that_reads_it() -> None:
    """LangChain tells a history nothing; the config is that of what runs."""
    heard: list[int] = []
    history = BudgetedChatMessageHistory(model=alternatives(), on_report=lambda report: heard.append(report.total))
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("talk"), ("human", "{question}")])
    chain = RunnableWithMessageHistory(
        prompt | RunnableLambda(lambda _: AIMessage("Fine.")),
        lambda session_id: history,  # noqa: ARG005 - LangChain looks at the name
        input_messages_key="question",
        history_messages_key="talk",
    )
    for value in ("claude", "gpt"):
        chain.invoke({"question": "Hello?"}, {"configurable": {"session_id": "s", "llm_model": value}})
    assert (heard[0], heard[-1]) == (136_000, 123_904)


def test_an_agent_goes_by_the_config_of_its_run() -> None:
    """The same model object is another model in another run."""

    class Named(GenericFakeChatModel):  # type: ignore[misc, valid-type]  # whose class is not known where it is missing
        model_name: str

    def named(name: str) -> Any:
        return Named(model_name=name, messages=iter([AIMessage("Fine.")] * 9))

    model = named("claude-sonnet-4-5").configurable_alternatives(
        ConfigurableField(id="llm_model"), default_key="claude", gpt=named("gpt-4o")
    )
    log = UsageLog()
    middleware = ContextMiddleware(usage_log=log)
    agent = agents.create_agent(model, middleware=[middleware])
    for config in (CONFIG, chosen("gpt"), CONFIG):
        agent.invoke({"messages": HELLO}, config)
    assert [entry.limit for entry in log.entries] == [195_904, 123_904, 195_904]
