"""The history: how it is repaired, cut at safe positions, and what is remembered of the cut."""

from ctx_core.engine.summary import RollingSummary
from ctx_core.history.policy import HistoryPolicy, ToolResultPolicy
from ctx_core.history.state import WindowState

__all__ = ["HistoryPolicy", "RollingSummary", "ToolResultPolicy", "WindowState"]
