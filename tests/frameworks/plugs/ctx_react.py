"""A plugin for LangGraph's tests of `create_react_agent`: a `ContextNode`, or what gives all messages, as its hook."""

from __future__ import annotations

import os
from typing import Any

import langgraph.prebuilt
import langgraph.prebuilt.chat_agent_executor as executor

from langchain_ctx import ContextNode

_create_react_agent = executor.create_react_agent
_CALLS = {"ours": 0}
_NODE = ContextNode(1_000_000_000, counter=len)


def hook(state: Any, config: Any = None) -> Any:
    """Give the messages: as ours has them, or as they are."""
    messages = state["messages"] if isinstance(state, dict) else state.messages
    if os.environ.get("CTX_WITHOUT") == "1":
        return {"llm_input_messages": list(messages)}
    _CALLS["ours"] += 1
    return _NODE.invoke(state, config)


def create_react_agent(*arguments: Any, **options: Any) -> Any:
    """Create an agent with the hook, unless it has one."""
    if options.get("pre_model_hook") is None:
        options["pre_model_hook"] = hook
    return _create_react_agent(*arguments, **options)


executor.create_react_agent = create_react_agent
langgraph.prebuilt.create_react_agent = create_react_agent


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how often ours was called."""
    terminalreporter.write_line(f"ours was called {_CALLS['ours']} times")
