"""A plugin for LangChain's agent tests: a `ContextMiddleware` behind the middlewares of every `create_agent`."""

from __future__ import annotations

from typing import Any

import langchain.agents
import langchain.agents.factory

from langchain_ctx import ContextMiddleware

_create_agent = langchain.agents.factory.create_agent


class Appended(ContextMiddleware):
    """The middleware with a budget that nothing overflows; counts its calls."""

    calls = 0

    def __init__(self) -> None:
        """Take no options."""
        super().__init__(1_000_000_000, counter=len, name="ctx")

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Count the call."""
        Appended.calls += 1
        return super().wrap_model_call(request, handler)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """Count the call."""
        Appended.calls += 1
        return await super().awrap_model_call(request, handler)


def create_agent(model: Any, tools: Any = None, *, middleware: Any = (), **options: Any) -> Any:
    """Create an agent with ours."""
    return _create_agent(model, tools, middleware=[*middleware, Appended()], **options)


langchain.agents.create_agent = create_agent
langchain.agents.factory.create_agent = create_agent  # type: ignore[assignment]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how often ours was called."""
    terminalreporter.write_line(f"ours was called {Appended.calls} times")
