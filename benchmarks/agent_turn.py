"""A turn's own time of `ContextMiddleware`, beside the agent without it: `python benchmarks/agent_turn.py [messages]`.

The middleware is driven as `create_agent` drives it, one step after the other, with a handler that answers at once:
what is measured is the difference. Times are those of the processor, whatever else the machine does meanwhile.
"""

from __future__ import annotations

import sys
from statistics import median, quantiles
from time import thread_time
from typing import Any

from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_ctx import ContextMiddleware

_LIMIT = 8_000
_TURNS = 200


def step(at: int) -> list[BaseMessage]:
    """Give a call and its result."""
    call = {"name": "look", "args": {"place": f"place {at}"}, "id": f"call-{at}", "type": "tool_call"}
    said = f"Of place {at} there is to be said: " + "the ferry leaves at 16:40. " * 20
    return [
        AIMessage(f"Step {at}.", tool_calls=[call], id=f"a{at}"),
        ToolMessage(said, tool_call_id=f"call-{at}", id=f"t{at}"),
    ]


def main() -> None:
    """Measure and print."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    middleware = ContextMiddleware(_LIMIT, counter="gpt-4o")
    model: Any = FakeListChatModel(responses=["x"])
    messages: list[BaseMessage] = [HumanMessage("When does the ferry leave?", id="q")]
    for at in range(size // 2):
        messages += step(at)
    state: dict[str, Any] = {"messages": messages}
    answer = ModelResponse[Any](result=[AIMessage("x")])
    times: list[float] = []
    for turn in range(_TURNS):
        request = ModelRequest[Any](model=model, messages=list(messages), state=state)  # type: ignore[arg-type]
        start = thread_time()
        response = middleware.wrap_model_call(request, lambda _: answer)
        times.append((thread_time() - start) * 1_000)
        if isinstance(response, ExtendedModelResponse) and response.command is not None:
            state |= response.command.update  # type: ignore[operator]
        messages += step(size + turn)
    first, *rest = times
    late = quantiles(rest, n=20)[-1]
    sys.stdout.write(
        f"{size:,} messages: first {first:.1f} ms, then median {median(rest):.2f} ms, 95 % under {late:.2f} ms\n"
    )


if __name__ == "__main__":
    main()
