"""Which conversation a request belongs to: all that its config tells of that."""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Final
from uuid import UUID

from ctx_core.clean import told as told_of
from ctx_core.errors import BudgetError
from ctx_core.session import ConversationId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from langchain_core.runnables import RunnableConfig

_NAMES: Final = ("thread_id", "checkpoint_ns", "user_id", "session_id", "conversation_id")
"""Names under which LangChain and LangGraph configure a conversation; all that are present tell it apart."""
_HISTORY: Final = "message_history"
"""Where `RunnableWithMessageHistory` puts the history of the conversation: all else beside it was asked for by the
factory, or may have been."""
_NOT_ASKED: Final = (
    "checkpoint_id",
    "checkpoint_map",
    "run_id",
    "request_id",
    "trace_id",
    "budget",
    "counter",
    "tools",
)
"""What is another one in each request, or an option of ours."""


def conversation_of(config: RunnableConfig | None) -> ConversationId | None:
    """Give the conversation that a config names; None for one that it does not name."""
    configurable: Mapping[str, object] = (config or {}).get("configurable") or {}
    history = configurable.get(_HISTORY)
    asked = () if history is None else (name for name in configurable if not _is_noise(name))
    names = dict.fromkeys((*_NAMES, *sorted(asked)))
    told = {name: _written(name, value) for name in names if _tells(value := configurable.get(name))}
    if "checkpoint_ns" in told:  # LangGraph names the task of each step behind the node
        told["checkpoint_ns"] = "|".join(node.split(":")[0] for node in told["checkpoint_ns"].split("|"))
    if isinstance(key := getattr(history, "conversation_key", None), str) and key:
        told["history"] = key
    if not told:
        return None
    ((name, value), *others) = told.items()
    return ConversationId(key=json.dumps(told, sort_keys=True) if others else f"{name}:{value}")


def _tells(value: object) -> bool:
    return isinstance(value, str | int | UUID | Enum) and value != ""


def _written(name: str, value: object) -> str:
    try:
        return str(value)
    except ValueError as error:
        msg = f"{name} in the config must be the name of a conversation, found {told_of(value)}"
        raise BudgetError(msg) from error


def _is_noise(name: str) -> bool:
    return name.startswith("__") or name in _NOT_ASKED
