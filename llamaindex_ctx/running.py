"""What a memory holds beside its data: how requests are fitted, and the last report. Neither is copied or stored."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import ref

from ctx_core import WindowState
from ctx_core.counting.counter import as_counter
from llamaindex_ctx.models import by_tokens, settings_tokenizer
from llamaindex_ctx.packing import Packed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import ContextReport, TokenCounter
    from ctx_core.session import Sessions


class Running:
    """The running side of one memory.

    Equal to any other, so that two memories are equal if their data are; a copy of the memory has a fresh one.
    """

    __slots__ = (
        "__weakref__", "_default", "_made_of", "_owner", "_sessions",
        "conversation", "counter", "limit", "packed", "report", "token",
    )  # fmt: skip

    def __init__(self) -> None:
        """Start without a report."""
        self.report: ContextReport | None = None
        self.token = uuid.uuid4().hex
        self.counter: TokenCounter | None = None
        self.limit = 0
        self.conversation = ""
        self.packed = Packed()
        self._default: tuple[str | None, object, TokenCounter] | None = None
        self._sessions: Sessions[ChatMessage] | None = None
        self._made_of: tuple[object, ...] = ()
        self._owner: Callable[[], object] = _nobody

    def default_counter(self, model: str | None) -> TokenCounter:
        """Give the counter where none was given, the same one each time, so that nothing is counted twice.

        It is that of `Settings.tokenizer` where somebody has set it, else the model's.
        """
        tokenizer = settings_tokenizer()
        if self._default is None or self._default[:2] != (model, tokenizer):
            counter = as_counter(model) if tokenizer is None else by_tokens(tokenizer)
            self._default = (model, tokenizer, counter)
        return self._default[2]

    def sessions(
        self, memory: HasState, made_of: tuple[object, ...], make: Callable[[], Sessions[ChatMessage]]
    ) -> Sessions[ChatMessage]:
        """Give how requests are fitted, made anew where a field was set to something else, or for a shallow copy."""
        same = len(made_of) == len(self._made_of) and all(map(_is, made_of, self._made_of))
        if self._sessions is None or not same or self._owner() is not memory:
            self._sessions, self._made_of, self._owner = make(), made_of, ref(memory)
        return self._sessions

    def note(self, report: ContextReport, counter: TokenCounter | None, conversation: str) -> None:
        """Note the latest request: its report, what counts it, and whose conversation it is."""
        self.report, self.limit, self.counter, self.conversation = report, report.total, counter, conversation

    def __eq__(self, other: object) -> bool:
        """Say that nothing of it makes a difference."""
        return isinstance(other, Running)

    __hash__ = None  # type: ignore[assignment]  # as any object that compares by value and can change

    def __deepcopy__(self, memo: dict[int, object]) -> Running:
        """Give a fresh one."""
        return Running()

    def __reduce__(self) -> tuple[object, ...]:
        """Come back as a fresh one."""
        return (Running, ())


_RESTORED: Final = "restored"
"""What names a state that came with the memory: one without a name would not be written again."""


class HasState(Protocol):
    """What has a state of its own."""

    state: WindowState


class OwnState:
    """A store of states that has room for one: the memory's own."""

    def __init__(self, memory: HasState) -> None:
        """Take the memory; it is not kept alive by this."""
        self._memory = ref(memory)
        self._id = ""

    def get(self, key: str, /) -> Mapping[str, Any] | None:
        """Give the state, whatever the key."""
        del key
        memory = self._memory()
        if memory is None or memory.state == WindowState():
            return None
        return {"states": [{"id": self._id or _RESTORED, **memory.state.to_dict()}]}

    def __setitem__(self, key: str, states: dict[str, Any], /) -> None:
        """Keep the one that was used last."""
        self._set(WindowState.from_dict(states["states"][0]), states["states"][0]["id"])

    def __delitem__(self, key: str, /) -> None:
        """Forget it."""
        self._set(WindowState(), "")

    def _set(self, state: WindowState, known: str) -> None:
        memory = self._memory()
        if memory is not None:
            memory.state, self._id = state, known


def _nobody() -> None:
    return None


def _is(one: object, other: object) -> bool:
    return one is other
