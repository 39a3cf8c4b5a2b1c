"""The history: how it is repaired, cut at safe positions, and what is remembered of the cut."""

from ctx_core.history.policy import HistoryPolicy, ToolResultPolicy
from ctx_core.history.state import WindowState
from ctx_core.history.summary import RollingSummary

__all__ = ["HistoryPolicy", "RollingSummary", "ToolResultPolicy", "WindowState"]
