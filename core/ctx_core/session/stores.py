"""Where cuts are remembered between turns, so that the start of a prompt stays put."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Protocol

from ctx_core.errors import BudgetError
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Mapping


class StateStore(Protocol):
    """Keeps a small JSON dict by the key of a conversation: a plain dict does, or any mutable mapping.

    One that has no `__delitem__` keeps an empty dict for a conversation that was forgotten.

    What it forgets is worked out again; what it holds is checked against the conversation before it is used.
    """

    def get(self, key: str, /) -> Mapping[str, Any] | None:
        """Give what was kept for a conversation, or None."""
        ...

    def __setitem__(self, key: str, state: dict[str, Any], /) -> None:
        """Keep it."""
        ...


class StateCache:
    """Remembers the conversations used last, in this process; shareable between threads.

    A copy, deep or pickled, starts empty.
    """

    __slots__ = ("_lock", "_states", "maxsize", "memory")

    maxsize: int
    """Number of conversations that are remembered."""
    memory: object
    """What reads and writes here: all who share this cache share it."""

    def __init__(self, maxsize: int = 1_024) -> None:
        """Take the number of conversations to remember.

        Raises:
            BudgetError: if it is not above 0.
        """
        if maxsize < 1:
            msg = f"maxsize must be 1 or more conversations, found {maxsize}"
            raise BudgetError(msg)
        self.maxsize = maxsize
        self.memory = None
        self._lock = Lock()
        self._states: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def get(self, key: str, /) -> dict[str, Any] | None:
        """Give what was kept for a conversation, or None; it is now the one used last."""
        with self._lock:
            if key in self._states:
                self._states.move_to_end(key)
            return self._states.get(key)

    def __setitem__(self, key: str, state: dict[str, Any], /) -> None:
        """Keep it, and forget the conversation that was not used for the longest time if there are too many."""
        with self._lock:
            self._states[key] = state
            self._states.move_to_end(key)
            if len(self._states) > self.maxsize:
                self._states.popitem(last=False)

    def __delitem__(self, key: str, /) -> None:
        """Forget a conversation."""
        with self._lock:
            del self._states[key]

    def __reduce__(self) -> tuple[type[StateCache], tuple[int]]:
        """Copy and pickle as an empty one: locks do neither, and states are only hints."""
        return (StateCache, (self.maxsize,))

    def __repr__(self) -> str:
        """Say how much it holds, not what."""
        return f"<StateCache of {len(self._states)} conversations, at most {self.maxsize}>"
