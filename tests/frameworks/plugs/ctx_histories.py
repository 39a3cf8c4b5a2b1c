"""A plugin for langchain-core's tests of histories: ours, which nothing overflows, for the one in memory."""

from __future__ import annotations

from typing import Any

import langchain_core.chat_history

from langchain_ctx import BudgetedChatMessageHistory, InMemoryHistory

_MADE = {"ours": 0}


class History(BudgetedChatMessageHistory):
    """A history that is made as the one in memory is."""

    def __init__(self, messages: Any = None, **_options: Any) -> None:
        """Take messages."""
        _MADE["ours"] += 1
        super().__init__(InMemoryHistory(messages or ()), 1_000_000_000, counter=len)

    def __eq__(self, other: object) -> bool:
        """Compare the messages, as pydantic's models do."""
        return hasattr(other, "messages") and list(self.messages) == list(other.messages)

    __hash__ = None  # type: ignore[assignment]  # as the other's


langchain_core.chat_history.InMemoryChatMessageHistory = History  # type: ignore[assignment,misc]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many were made."""
    terminalreporter.write_line(f"ours was called {_MADE['ours']} times")
