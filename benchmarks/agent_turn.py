"""A turn's own time of `ContextMiddleware`: `python benchmarks/agent_turn.py [tokens]`.

First the middleware alone, driven as `create_agent` drives it, one step after the other, with a handler that answers at
once: at 100, 1,000 and 10,000 messages, with the ratio to the shortest. Then an agent of `create_agent` with it and
without it, a step of 10,000 messages each. Times are those of the processor, whatever else the machine does meanwhile.
"""

from __future__ import annotations

import sys
from statistics import median, quantiles
from time import process_time
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from pydantic import Field

from langchain_ctx import ContextMiddleware

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZES = (100, 1_000, 10_000)
_TURNS = 200
_STEPS = 40
_SAID = "the ferry leaves at 16:40. " * 20


@tool
def look(place: str) -> str:
    """Look at a place."""
    return f"Of {place} there is to be said: {_SAID}"


class Looking(BaseChatModel):
    """Calls a tool on each of its steps, and notes when it is asked."""

    asked: list[float] = Field(default_factory=list[float])

    @property
    def _llm_type(self) -> str:
        return "looking"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002 - the framework's signature
        """Give itself."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],  # noqa: ARG002 - the framework's signature
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: Any = None,  # noqa: ANN401, ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        self.asked.append(process_time())
        at = len(self.asked)
        call = {"name": "look", "args": {"place": f"pier {at}"}, "id": f"again-{at}", "type": "tool_call"}
        answer = AIMessage("", tool_calls=[call]) if at < _STEPS else AIMessage("Done.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


def step(at: int) -> list[BaseMessage]:
    """Give a call and its result."""
    call = {"name": "look", "args": {"place": f"place {at}"}, "id": f"call-{at}", "type": "tool_call"}
    said = f"Of place {at} there is to be said: {_SAID}"
    return [
        AIMessage(f"Step {at}.", tool_calls=[call], id=f"a{at}"),
        ToolMessage(said, tool_call_id=f"call-{at}", id=f"t{at}"),
    ]


def run_of(size: int) -> list[BaseMessage]:
    """Give a run of so many messages."""
    messages: list[BaseMessage] = [HumanMessage("When does the ferry leave?", id="q")]
    for at in range(size // 2):
        messages += step(at)
    return messages


def alone(size: int, limit: int) -> Iterator[float]:
    """Give the milliseconds of turns of the middleware by itself."""
    middleware = ContextMiddleware(limit, counter="gpt-4o")
    model: Any = FakeListChatModel(responses=["x"])
    messages = run_of(size)
    state: dict[str, Any] = {"messages": messages}
    answer = ModelResponse[Any](result=[AIMessage("x")])
    for turn in range(_TURNS):
        given: Any = {"messages": list(messages), "state": state, "tools": [look]}
        request: ModelRequest[Any] = ModelRequest(model=model, **given)
        start = process_time()
        response = middleware.wrap_model_call(request, lambda _: answer)
        yield (process_time() - start) * 1_000
        if isinstance(response, ExtendedModelResponse) and response.command is not None:
            state.update(response.command.update or {})
        messages += step(size + turn)


def beside(size: int, middleware: list[Any]) -> float:
    """Give the milliseconds of a step of an agent."""
    model = Looking()
    agent: Any = create_agent(model, [look], middleware=middleware)
    agent.invoke({"messages": [*run_of(size), HumanMessage("And now?")]}, {"recursion_limit": 10 * _STEPS})
    times = [(after - before) * 1_000 for before, after in zip(model.asked, model.asked[1:], strict=False)]
    return median(times)


def main() -> None:
    """Measure and print."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000
    shortest = 0.0
    for size in _SIZES:
        first, *rest = alone(size, limit)
        typical, late = median(rest), quantiles(rest, n=20)[-1]
        shortest = shortest or typical
        sys.stdout.write(
            f"{size:>6,} messages, {limit:,} tokens: first {first:.1f} ms, then median {typical:.2f} ms, "
            f"95 % under {late:.2f} ms; {typical / shortest:.2f} of the shortest\n"
        )
    size = _SIZES[-1]
    without = beside(size, [])
    with_it = beside(size, [ContextMiddleware(limit, counter="gpt-4o")])
    sys.stdout.write(
        f"{size:>6,} messages in create_agent: a step without it {without:.2f} ms, with it {with_it:.2f} ms\n"
    )


if __name__ == "__main__":
    main()
