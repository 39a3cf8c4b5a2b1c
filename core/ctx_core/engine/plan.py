"""What a context is to be made of: the builder writes it down, the assembly carries it out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ctx_core.budget import ContextBudget
from ctx_core.conversation.messages import Role
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.counting.options import RequestOptions
from ctx_core.engine.layers import Layer
from ctx_core.engine.summary import RollingSummary
from ctx_core.history.policy import GAP_MARKER, HistoryPolicy
from ctx_core.providers.asked import ProviderLike
from ctx_core.sizes import tokens_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is known before the first message is seen."""

    budget: ContextBudget
    counter: TokenCounter
    layers: tuple[Layer, ...] = ()
    """Layers of text, in the order in which they are sent."""
    definitions: tuple[ToolDefinition, ...] = field(default=(), repr=False)
    """Tool definitions that go with the request."""
    options: RequestOptions | None = None
    """What else the request asks for."""
    label: str = ""
    """What its requests are logged as."""
    policy: HistoryPolicy = field(default_factory=HistoryPolicy)
    """How the history is cut."""
    provider: ProviderLike = None
    """The provider that the request goes to, whose rules it has to meet; None: the one that the model or the format
    tells. False: its rules are not looked at."""
    whole: bool = True
    """Whether the messages are all of the request; if not, somebody adds the question, or what follows."""
    question_follows: bool = False
    """Whether the last message is one that somebody else sends, as it is."""
    results_follow: bool = False
    """Whether what somebody adds may be results of the last calls: those that have none stay open."""
    without_tools: bool = False
    """Whether it was said that the request has no tools: without definitions it may have some that nobody told."""
    marks_beside: int = 0
    """Marks of where a cache ends in what goes beside the messages, such as a system text apart."""
    rolling: RollingSummary | None = None
    """The summary of what is left out of the history, if there is to be one."""
    reserve: int = 0
    """Tokens that are kept free beside the budget's own reserve, for what is not known yet."""
    taken: int = 0
    """Tokens of the request that somebody else sends along; a part of its input."""
    trims: bool = True
    """Whether anything may be cut. If not, everything is counted and nothing altered."""
    open_parts: bool = False
    """Whether the budget may name parts of layers that are not there in every request."""
    flexible_parts: bool = False
    """Whether parts of the budget count only where the request is over it."""
    volatile_last: bool = False
    """Whether layers that are not stable go behind the history."""
    count_original: bool = False
    """Whether the report says what everything there is would cost: a turn then costs the whole history."""

    @property
    def cut_policy(self) -> HistoryPolicy:
        """The policy as a cut goes by it: where a summary stands at the gap, it says what is missing."""
        told = self.rolling is not None and self.rolling.role is not Role.SYSTEM
        if not told or self.policy.omission_marker != GAP_MARKER:
            return self.policy
        return replace(self.policy, omission_marker=None)

    @property
    def summary_cap(self) -> int:
        """Tokens that the summary may ever have: its part or cap, and no more than its share of the input."""
        if self.rolling is None:
            return 0
        part = self.budget.size_of("summary")
        part = tokens_of(self.rolling.cap, self.budget.total) if part is None else part
        return min(part, int(self.limit * self.rolling.most))

    @property
    def limit(self) -> int:
        """Tokens that the whole input may have."""
        return self.budget.input_limit - self.reserve
