"""What a build gives: the messages to send, and what is to be known about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from ctx_core.conversation.message_types import NativeT
from ctx_core.conversation.transcript import Transcript
from ctx_core.counting.counts import TokenCount
from ctx_core.history.state import WindowState
from ctx_core.report.report import ContextReport

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Generic[NativeT]):
    """One request, ready to send. Its `repr` holds no content."""

    messages: list[NativeT] = field(repr=False)
    """Everything, in order, in the caller's own message type; messages that were not altered are the
    caller's own objects."""
    system_prompt: str = field(repr=False)
    """The text of the builder's layers, for providers that take it as a field of its own. In formats that have no
    system message in their list it is nowhere else; in others it is the first of `messages` too, if not empty."""
    system_message: NativeT | None = field(repr=False)
    """The system message that the request begins with: that of the builder's layers, else the conversation's own."""
    conversation: list[NativeT] = field(repr=False)
    """`messages` without that system message, for those who send it apart."""
    report: ContextReport
    """Who used how much, and what was left out."""
    state: WindowState
    """To be given to the next build of the same conversation."""
    count: TokenCount | None
    """Both figures of the request before any calibration: what its bill is compared with. None where the counter
    learns from no bills, or the request has pictures or other media."""
    transcript: Transcript[NativeT] = field(repr=False, compare=False)
    """The conversation it was built from, whole."""

    def left_out(self) -> tuple[int, ...]:
        """Give the positions in the caller's conversation of the messages that are left out whole, oldest first."""
        return self.transcript.native_positions(self.state.gone())

    def unsummarized(self) -> tuple[Message, ...]:
        """Give what is left out of the conversation and not in its summary, as neutral messages, oldest first."""
        return tuple(self.transcript[at] for at in self.state.unsummarized())

    @property
    def tokens(self) -> int:
        """Tokens of the whole input, tools and framing included."""
        return self.report.used
