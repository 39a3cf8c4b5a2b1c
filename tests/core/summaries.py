"""A conversation that is summarized as it goes on, and summarizers for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core import (
    Context,
    ContextBuilder,
    ContextSession,
    Framing,
    HistoryPolicy,
    Message,
    Role,
    RollingSummary,
    Summarizing,
    TokenCounter,
    Tokens,
    WindowState,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
CAP = 12
HEADING = "So far:"


def talk(turns: int) -> list[OpenAIMessage]:
    """Make a conversation of so many answered turns of five words, and a last question."""
    return [
        *(
            {"role": role, "content": f"{text} {at}"}
            for at in range(turns)
            for role, text in (("user", "my question"), ("assistant", "answer"))
        ),
        {"role": "user", "content": f"my question {turns}"},
    ]


def texts(messages: Sequence[Message]) -> list[str]:
    """Show neutral messages."""
    return [message.text for message in messages]


def contents(context: Context[OpenAIMessage]) -> list[str]:
    """Show what goes out."""
    return [str(message["content"]) for message in context.messages]


class Notes:
    """Summarizes by numbering its own calls, and remembers what it was given."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls: list[tuple[str, list[str]]] = []

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given."""
        self.calls.append((summary, texts(messages)))
        return f"notes {len(self.calls)}"

    @property
    def given(self) -> list[str]:
        """All messages that were ever given, in order."""
        return [text for _, given in self.calls for text in given]


class Conversation:
    """Asks turn by turn, with the state of the turn before."""

    def __init__(
        self, role: Role = Role.USER, policy: HistoryPolicy | None = None, *, limit: int = 40, cap: int = CAP
    ) -> None:
        """Begin without a state."""
        rolling = RollingSummary(role=role, cap=Tokens(cap), heading=HEADING)
        self.builder = ContextBuilder(limit, WORDS).history(policy or HistoryPolicy()).rolling_summary(rolling)
        self.state = WindowState()
        self._sessions: dict[int, tuple[ContextBuilder, ContextSession[OpenAIMessage]]] = {}

    def session(self, summarizing: Summarizing) -> ContextSession[OpenAIMessage]:
        """Give the session with a summarizer, the same one each time."""
        builder, session = self._sessions.get(id(summarizing), (None, None))
        if session is None or builder is not self.builder:
            session = ContextSession[OpenAIMessage](self.builder, summarizer=summarizing)
            self._sessions[id(summarizing)] = (self.builder, session)
        return session

    def ask(self, summarizing: Summarizing, messages: list[OpenAIMessage]) -> Context[OpenAIMessage]:
        """Build a request, and remember its state."""
        context = self.session(summarizing).fit(messages, state=self.state)
        self.state = context.state
        return context

    async def aask(self, summarizing: Summarizing, messages: list[OpenAIMessage]) -> Context[OpenAIMessage]:
        """Build a request in a task, and remember its state."""
        context = await self.session(summarizing).afit(messages, state=self.state)
        self.state = context.state
        return context


def fail(summary: str, messages: Sequence[Message]) -> str:
    """Fail as a provider does, with content in the error."""
    msg = f"cannot summarize {messages[0].text!r} after {summary!r}"
    raise ConnectionError(msg)
