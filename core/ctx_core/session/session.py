"""`ContextSession`: one conversation in time, in the pure form and in the keeping one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Unpack, get_args

from ctx_core.clean import told
from ctx_core.conversation.codecs import as_codec, as_sequence, codec_for
from ctx_core.conversation.message_types import Codec, NativeT
from ctx_core.conversation.transcript import read_natives
from ctx_core.effects import arun, run
from ctx_core.errors import BudgetError
from ctx_core.history.remembered import Verify
from ctx_core.history.state import WindowState
from ctx_core.locks import Lock
from ctx_core.session.conversation_id import ConversationId
from ctx_core.session.options import SessionKeywords, SessionOptions
from ctx_core.session.request import Request
from ctx_core.session.sessions import Sessions

if TYPE_CHECKING:
    from ctx_core.budget import ContextBudget
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.counting.counter import ToolDefinition
    from ctx_core.engine.context import Context
    from ctx_core.session.declaration import Declaration


class ContextSession(Generic[NativeT]):
    """One conversation from turn to turn: what was cut stays cut, what left is summarized, nothing foreign is shown.

    Keeping form: `session.fit(messages)` reads and writes `states` under `key`; those who have no list of their own
    `session.add(messages)` and take `session.window()`. Pure form: `session.fit(messages, state=state)` remembers
    nothing; the new state is `context.state`, and `state.to_dict()` is JSON. Threads, tasks and processes may share
    a session.
    """

    def __init__(
        self,
        recipe: Declaration | None = None,
        *,
        budget: ContextBudget | int | None = None,
        key: str = "",
        codec: Codec[NativeT] | FormatName | None = None,
        verify: Verify = "all",
        **options: Unpack[SessionKeywords],
    ) -> None:
        """Begin, or go on with, a conversation.

        Args:
            recipe: a `ContextBuilder` or a `Recipe`, which declares the context of each request.
            budget: in its place a budget, or tokens of input.
            key: name of the conversation in `states`.
            codec: the door of the message type, or the name of a provider's; by default that of neutral messages or of
                the provider whose messages they are.
            verify: how a `state` is held against the messages: `all` of what it leaves out, which is read, or its
                `ends` only.
            options: those of `SessionOptions`.

        Raises:
            OptionError: for an option that is not known.
            BudgetError: for one that cannot work.
        """
        keywords: dict[str, Any] = {**options, "budget": budget}
        if recipe is not None:
            keywords["recipe"] = recipe
        read = SessionOptions.read("ContextSession", keywords)
        self.enabled = read.enabled
        if not isinstance(key, str):
            msg = f"key must be a text, the name of the conversation, found {told(key)}"
            raise BudgetError(msg)
        self.conversation = ConversationId(key=key)
        self._sessions: Sessions[NativeT] = Sessions(read, codec)
        if verify not in get_args(Verify):
            msg = f"verify must be 'all' or 'ends', found {told(verify)}"
            raise BudgetError(msg)
        self._verify: Verify = verify
        self._codec = as_codec(codec)
        self._messages: list[NativeT] = []
        self._lock = Lock()

    def fit(
        self,
        messages: Sequence[NativeT],
        message: NativeT | str | None = None,
        *,
        tools: Sequence[ToolDefinition] | None = None,
        state: WindowState | Mapping[str, Any] | None = None,
        verify: Verify | None = None,
    ) -> Context[NativeT]:
        """Give the context of a request.

        Args:
            messages: the conversation so far, whole; never changed.
            message: the current message, if it is not the end of them.
            tools: definitions of the tools of this request; by default those of the session.
            state: what the last call gave as `context.state`, or its JSON; `WindowState()` or `{}` for the first
                call. By default the session remembers.
            verify: how this `state` is held against the messages; by default as the session says.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        return run(self._sessions.fit(self._request(messages, message, tools, state, verify)))

    async def afit(
        self,
        messages: Sequence[NativeT],
        message: NativeT | str | None = None,
        *,
        tools: Sequence[ToolDefinition] | None = None,
        state: WindowState | Mapping[str, Any] | None = None,
        verify: Verify | None = None,
    ) -> Context[NativeT]:
        """Give the context of a request without holding up the event loop; as `fit`."""
        return await arun(self._sessions.fit(self._request(messages, message, tools, state, verify)))

    def add(self, messages: Iterable[NativeT]) -> None:
        """Add messages to those that the session holds: all of them, or none if one cannot be read.

        Raises:
            MessageError: for something that is no message; it says which.
        """
        new = [*as_sequence(messages)]
        for _ in read_natives(new, self._codec or codec_for(new, None)):
            pass  # one that cannot be read says so
        with self._lock:
            self._messages = [*self._messages, *new]

    def window(
        self, message: NativeT | str | None = None, *, tools: Sequence[ToolDefinition] | None = None
    ) -> Context[NativeT]:
        """Give the context of a request for the messages that were added, as `fit` does."""
        return self.fit(self._messages, message, tools=tools)

    async def awindow(
        self, message: NativeT | str | None = None, *, tools: Sequence[ToolDefinition] | None = None
    ) -> Context[NativeT]:
        """Give the context of a request for the messages that were added, as `fit` does."""
        return await self.afit(self._messages, message, tools=tools)

    @property
    def messages(self) -> list[NativeT]:
        """All messages that were added, in a list of the caller's own."""
        return list(self._messages)

    def clear(self) -> None:
        """Forget the conversation: its messages, its state, its summary."""
        with self._lock:
            self._messages = []
        self._sessions.forget(self.conversation)

    async def aclear(self) -> None:
        """Forget the conversation without holding up the event loop; as `clear`."""
        import asyncio

        await asyncio.to_thread(self.clear)

    def __repr__(self) -> str:
        """Say how much it holds, not what."""
        return f"<ContextSession {self.conversation.key!r} of {len(self._messages)} messages>"

    def _request(
        self,
        messages: Sequence[NativeT],
        message: NativeT | str | None,
        tools: Sequence[ToolDefinition] | None,
        state: WindowState | Mapping[str, Any] | None,
        verify: Verify | None,
    ) -> Request[NativeT]:
        return Request(
            history=messages,
            message=message,
            conversation=self.conversation,
            state=WindowState.from_dict(state) if isinstance(state, Mapping) else state,
            tools=None if tools is None else tuple(tools),
            enabled=self.enabled,
            verify=self._verify if verify is None else verify,
        )
