"""Where the summary of what was left out stands, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctx_core.budget import Size, Tokens
from ctx_core.errors import BudgetError
from ctx_core.messages import Role

if TYPE_CHECKING:
    from ctx_core.history.state import WindowState


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingSummary:
    """Where the summary stands, and what it may cost."""

    cap: Size = field(default_factory=lambda: Tokens(1_000))
    """The most it may cost, where the budget has no part `summary`; a longer one is cut, with a marker."""
    most: float = 0.3
    """The most it may cost as a share of the input, whatever the cap says."""
    role: Role = Role.SYSTEM
    """Whose text it is: `SYSTEM`, in the system prompt; or `USER`, a message of its own where the messages left
    out stood, for agents that drop system messages of a history."""
    heading: str = "Summary of the conversation so far:"
    """Stands above it."""
    marker: str = "[{count} earlier messages omitted]"
    """Stands for messages that are left out and not summarized yet."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        if self.role not in (Role.SYSTEM, Role.DEVELOPER, Role.USER):
            msg = f"a summary is a system, developer or user message, not {self.role}"
            raise BudgetError(msg)
        if not 0 < self.most <= 1:
            msg = f"most must be above 0 and at most 1, found {self.most!r}"
            raise BudgetError(msg)

    def text(self, state: WindowState) -> str:
        """Give the text for what is left out now; empty if nothing is."""
        pending = len(state.unsummarized())
        # Where everything is there again, since the limit has grown, it is kept at hand and says nothing new.
        summary = f"{self.heading}\n{state.summary}" if state.summary and state.decided else ""
        marker = self.marker.replace("{count}", str(pending)) if pending else ""
        return "\n".join(part for part in (summary, marker) if part)
