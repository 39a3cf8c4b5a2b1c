"""The LangChain faces of ctx-layers: what goes to a model fits its budget.

`ContextMiddleware` is for the agents of `create_agent`, `ContextNode` for graphs, `ContextRunnable` stands between
prompt and model; `BudgetedChatMessageHistory` and `budgeted_session_history` are for `RunnableWithMessageHistory`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from ctx_core.errors import MissingExtraError

if find_spec("langchain_core") is None:
    _MSG: Final = 'langchain_ctx needs langchain-core: pip install "ctx-layers[langchain]"'
    raise MissingExtraError(_MSG)

from ctx_core.session import StateCache, StateStore
from langchain_ctx.convert import LangChainCodec
from langchain_ctx.counters import message_counter
from langchain_ctx.runnable import ContextRunnable
from langchain_ctx.summarizer import ChatModelSummarizer
from langchain_ctx.token_counts import latest_anchor, token_counter

if TYPE_CHECKING:
    from langchain_ctx.history import BudgetedChatMessageHistory
    from langchain_ctx.in_memory import InMemoryHistory
    from langchain_ctx.middleware import ContextMiddleware as ContextMiddleware
    from langchain_ctx.node import ContextNode as ContextNode
    from langchain_ctx.sessions import budgeted_session_history

# LangChain means to remove its chat histories: only those who use ours import theirs.
_HISTORIES: Final = {
    "BudgetedChatMessageHistory": "langchain_ctx.history",
    "InMemoryHistory": "langchain_ctx.in_memory",
    "budgeted_session_history": "langchain_ctx.sessions",
}
# Agents are another package: its names are no part of `import *`, which needs langchain-core alone.
_AGENTS: Final = {"ContextMiddleware": "langchain_ctx.middleware", "ContextNode": "langchain_ctx.node"}
_PACKAGES: Final = ("langchain", "langgraph")

__all__ = [
    "BudgetedChatMessageHistory",
    "ChatModelSummarizer",
    "ContextRunnable",
    "InMemoryHistory",
    "LangChainCodec",
    "StateCache",
    "StateStore",
    "budgeted_session_history",
    "latest_anchor",
    "message_counter",
    "token_counter",
]


def __getattr__(name: str) -> object:
    """Import the histories and the parts for agents when they are first asked for."""
    if name in _AGENTS and not all(map(find_spec, _PACKAGES)):
        msg = f'langchain_ctx.{name} needs langchain and langgraph: pip install "ctx-layers[agents]"'
        raise MissingExtraError(msg)
    if name in _HISTORIES or name in _AGENTS:
        return getattr(import_module({**_HISTORIES, **_AGENTS}[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
