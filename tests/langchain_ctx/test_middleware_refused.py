"""Where the provider says that a request is too long, or bills more than was counted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents.middleware import dynamic_prompt
from langchain_core.exceptions import ContextOverflowError as ProviderOverflowError
from langchain_core.messages import AIMessage

from ctx_core import ContextOverflowError
from langchain_ctx import ContextMiddleware
from tests.langchain_ctx.scripted import ScriptedModel, look, looking, question
from tests.langchain_ctx.scripted import agent as made

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG: Any = {"recursion_limit": 1_000}


class ApiError(Exception):
    """An error of a client that its integration does not recognize."""

    status_code = 400


def over(limit: int, error: Callable[[int], Exception]) -> Callable[[int], Exception | None]:
    """Refuse what has more tokens than a limit, in some words."""
    return lambda tokens: error(tokens) if tokens > limit else None


REFUSALS: list[Callable[[int], Exception]] = [
    lambda _: ProviderOverflowError("too long"),
    lambda tokens: ApiError(f"prompt is too long: {tokens} tokens > 2000 maximum"),
    lambda tokens: ApiError(f"input length and `max_tokens` exceed context limit: {tokens} + 400 > 2400"),
    lambda _: ValueError("Your input exceeds the context window of this model."),
    lambda tokens: ApiError(
        f"This model's maximum context length is 2000 tokens. However, your messages resulted in {tokens} tokens"
    ),
]


async def run(agent: Any, how: str) -> None:
    """Run an agent through one of its doors."""
    if how == "invoke":
        agent.invoke(question(), CONFIG)
    elif how == "ainvoke":
        await agent.ainvoke(question(), CONFIG)
    else:
        for _ in agent.stream(question(), CONFIG, stream_mode="messages"):
            pass


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream"])
@pytest.mark.parametrize("refusal", REFUSALS, ids=["class", "numbers", "answer", "in-stream", "length"])
async def test_a_refused_request_is_sent_once_more_and_smaller(how: str, refusal: Callable[[int], Exception]) -> None:
    """The budget is more than the provider takes: one request is refused, and of the later ones none."""
    model = ScriptedModel(script=looking(25), refuses=over(2_000, refusal))
    await run(made(model, [look], middleware=[ContextMiddleware(4_000, counter="gpt-4o")]), how)
    refused = [at for at, size in enumerate(model.sizes) if size > 2_000]
    assert len(refused) == 1
    assert model.sizes[refused[0] + 1] <= 2_000
    assert len(model.requests) == 27
    if refusal is not REFUSALS[0]:
        return
    assert max(model.sizes[refused[0] + 1 :]) <= 2_000


def test_a_model_that_counts_higher_gets_less() -> None:
    """A provider whose figure is half as much again as ours says so once, and is right from then on."""
    refused: list[int] = []

    def refuses(tokens: int) -> Exception | None:
        theirs = tokens * 3 // 2
        if theirs <= 3_000:
            return None
        refused.append(tokens)
        return ApiError(f"prompt is too long: {theirs} tokens > 3000 maximum")

    model = ScriptedModel(script=looking(40), refuses=refuses)
    made(model, [look], middleware=[ContextMiddleware(3_000, counter="gpt-4o")]).invoke(question(), CONFIG)
    assert len(refused) == 1


def test_a_request_that_cannot_become_smaller_is_not_sent_again() -> None:
    """The provider's own error comes out, and the model was asked once."""
    model = ScriptedModel(script=looking(1), refuses=over(10, REFUSALS[1]))
    with pytest.raises(ApiError, match="prompt is too long"):
        made(model, [look], middleware=[ContextMiddleware(4_000, counter="gpt-4o")]).invoke(question())
    assert len(model.requests) == 1


def test_it_is_tried_once_more_only() -> None:
    """A provider that refuses whatever it is sent is asked twice."""
    model = ScriptedModel(script=looking(30))
    model.refuses = lambda tokens: REFUSALS[3](tokens) if len(model.requests) > 10 else None
    with pytest.raises(ValueError, match="exceeds the context window"):
        made(model, [look], middleware=[ContextMiddleware(4_000, counter="gpt-4o")]).invoke(question(), CONFIG)
    assert len(model.requests) == 12


@pytest.mark.parametrize(
    "error", [ApiError("tokens per minute exceeded: rate limit"), ValueError("no such tool"), StopIteration()]
)
def test_other_errors_are_passed_on_as_they_are(error: Exception) -> None:
    """Sent once, and the very object comes out."""
    model = ScriptedModel(script=looking(1), refuses=lambda _: error)
    middleware = ContextMiddleware(4_000, counter="gpt-4o")
    with pytest.raises(type(error) if not isinstance(error, StopIteration) else RuntimeError):
        made(model, [look], middleware=[middleware]).invoke(question())
    assert len(model.requests) == 1


def test_switched_off_it_sends_nothing_again() -> None:
    """Off, a refusal is the caller's."""
    model = ScriptedModel(script=looking(30), refuses=over(1_000, REFUSALS[1]))
    middleware = ContextMiddleware(4_000, counter="gpt-4o", enabled=False)
    with pytest.raises(ApiError):
        made(model, [look], middleware=[middleware]).invoke(question(), CONFIG)
    assert sum(size > 1_000 for size in model.sizes) == 1


@dynamic_prompt
def long_prompt(_request: Any) -> str:
    """Give a prompt that the middleware before it never saw."""
    return "You know all the ferries of the bay, and when they leave. " * 100


def test_what_a_later_middleware_adds_is_seen_in_the_bill(caplog: pytest.LogCaptureFixture) -> None:
    """The first bill shows it: one warning, and from the next request on there is room for it."""
    model = ScriptedModel(script=looking(40), bills=True)
    middleware = ContextMiddleware(3_000, counter="gpt-4o")
    agent = made(model, [look], system_prompt="Be kind.", middleware=[middleware, long_prompt])
    with caplog.at_level(logging.WARNING, "langchain_ctx"):
        agent.invoke(question(), CONFIG)
        agent.invoke(question(1), CONFIG)
    said = [record.getMessage() for record in caplog.records if record.name == "langchain_ctx"]
    assert len(said) == 1
    assert "put ContextMiddleware last in the list" in said[0]
    assert "ferries" not in said[0]
    assert max(model.sizes) <= 3_000


def test_without_bills_a_later_prompt_is_seen_by_nobody() -> None:
    """The limit of it: a model that reports no usage."""
    model = ScriptedModel(script=looking(40))
    agent = made(model, [look], middleware=[ContextMiddleware(3_000, counter="gpt-4o"), long_prompt])
    agent.invoke(question(), CONFIG)
    assert max(model.sizes) > 3_000


def test_a_wrong_bill_stops_nothing() -> None:
    """Where what was billed cannot be kept free, the request goes out without."""
    usage = {"input_tokens": 2_900, "output_tokens": 1, "total_tokens": 2_901}
    script = looking(3)
    model = ScriptedModel(script=lambda at: script(at).model_copy(update={"usage_metadata": usage}))
    agent = made(model, [look], middleware=[ContextMiddleware(3_000, counter="gpt-4o")])
    answer = agent.invoke({"messages": [("user", "why " * 1_500)]}, CONFIG)["messages"][-1]
    assert isinstance(answer, AIMessage)
    assert answer.text == "Done 3."


def test_bills_that_agree_keep_nothing_free(caplog: pytest.LogCaptureFixture) -> None:
    """A model whose bills are what was counted has its whole window."""
    model = ScriptedModel(script=looking(40), bills=True)
    made(model, [look], middleware=[ContextMiddleware(3_000, counter="gpt-4o")]).invoke(question(), CONFIG)
    assert not [record for record in caplog.records if record.name == "langchain_ctx"]
    assert max(model.sizes) > 2_700


def test_our_own_overflow_is_no_refusal() -> None:
    """Nothing was sent, so nothing is learned or sent again."""
    model = ScriptedModel(script=looking(1))
    with pytest.raises(ContextOverflowError):
        made(model, [look], middleware=[ContextMiddleware(300, counter="gpt-4o")]).invoke(
            {"messages": [("user", "why " * 1_500)]}
        )
    assert model.requests == []
