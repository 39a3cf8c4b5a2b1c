"""The end of a conversation in a database: a request reads as much of it as it needs, and not all that was ever said.

What is remembered of the last cut says where the window begins, which system messages stand before it, and how what is
left out begins and ends. That is read, and what follows. Of a conversation that was never cut the end is read that no
request can be larger than. A request that needs more after all has all of it read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast, overload

from llama_index.core.base.llms.types import ChatMessage
from typing_extensions import override

from ctx_core import WindowState
from ctx_core.conversation.transcript import Transcript
from ctx_core.effects import Effect, Effects
from ctx_core.history.keys import chained, key_at
from ctx_core.history.places import Position
from llamaindex_ctx.convert import CODEC

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.engine.plan import Plan
    from llamaindex_ctx.stores import DatabaseAccess

_HEAD: Final = 8
"""Messages at the beginning, among which system messages are found of a conversation that was never cut."""
_PAGE: Final = 64
"""Messages of which the end is read at first; twice as many each time that they might all fit."""
_GAP: Final = 8
"""Messages between two that are needed, which are rather read too than asked for apart."""


class NotReadError(BaseException):
    """A message was asked for that was not read. No handler of errors shall take it for one."""


class PartlyRead(Sequence[ChatMessage]):
    """A conversation of which only some messages were read."""

    def __init__(self, size: int, read: Mapping[int, ChatMessage]) -> None:
        """Take how long it is, and what was read by position."""
        self._size = size
        self._read = read

    @override
    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> ChatMessage: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[ChatMessage]: ...

    @override
    def __getitem__(self, at: int | slice) -> ChatMessage | Sequence[ChatMessage]:
        """Give a message, or the beginning.

        Raises:
            NotReadError: for one that was not read.
        """
        if isinstance(at, slice):
            start, stop, _ = at.indices(self._size)
            return PartlyRead(stop, self._read) if start == 0 else [self[one] for one in range(start, stop)]
        place = at + self._size if at < 0 else at
        if not 0 <= place < self._size:
            raise IndexError(at)
        message = self._read.get(place)
        if message is None:
            raise NotReadError
        return message


def read_tail(access: DatabaseAccess, state: WindowState, *, summarizes: bool) -> Effects[PartlyRead | None]:
    """Give what a request needs of a conversation that was cut; None where the store does not have that any more.

    Args:
        access: where it is kept.
        state: what is remembered of the cut.
        summarizes: whether what is not in the summary yet is needed too.
    """
    last = state.last_gone()
    if state.instructions is None or last is None:
        return None
    begin = min(last, state.summarized) if summarizes else last
    rows: list[ChatMessage] = yield Effect(partial(access.read_rows, begin), partial(access.aread_rows, begin))
    if begin + len(rows) <= state.start:
        return None
    read = dict(enumerate(rows, begin))
    places = {*state.staying, *state.kept_at_summary, *(state.summary_ends or ()), next(state.gone(), Position(0))}
    for start, stop in _runs(place for place in places if place < begin):
        count = stop - start
        rows = yield Effect(partial(access.read_rows, start, count), partial(access.aread_rows, start, count))
        read.update(enumerate(rows, start))
    return PartlyRead(max(read) + 1, read)


def read_end(access: DatabaseAccess, plan: Plan) -> Effects[tuple[PartlyRead, WindowState] | None]:
    """Give the end of a conversation that was never cut, with a state in which it begins there; None for a short one.

    Its first message is a question, and all behind it costs more than a request may have, so that it will be cut.
    """
    size: int = yield Effect(access.size, access.asize)
    read: dict[int, ChatMessage] = {}
    page, begin = _PAGE, size
    while size - page > _HEAD:
        start, count = size - page, begin - (size - page)
        rows: list[ChatMessage] = yield Effect(
            partial(access.read_rows, start, count), partial(access.aread_rows, start, count)
        )
        read.update(enumerate(rows, start))
        begin, page = start, 2 * page
        first = _begins_at(PartlyRead(size, read), begin, plan)
        if first is not None:
            head: list[ChatMessage] = yield Effect(
                partial(access.read_rows, 0, _HEAD), partial(access.aread_rows, 0, _HEAD)
            )
            read.update(enumerate(head))
            part = PartlyRead(size, read)
            return part, _cut_at(part, first)
    return None


def known_state(states: object, key: str) -> WindowState:
    """Give the state that is stored under a key, of several the one whose window begins last; fresh where none is."""
    try:
        stored: object = cast("Any", states).get(key)
    except Exception:  # noqa: BLE001 - whatever a store raises: what is read then is more
        return WindowState()
    entries: object = cast("Mapping[str, Any]", stored).get("states") if isinstance(stored, Mapping) else None
    listed = cast("list[object]", entries) if isinstance(entries, list) else []
    return max(map(WindowState.from_dict, listed), key=lambda state: state.start, default=WindowState())


def _begins_at(part: PartlyRead, begin: int, plan: Plan) -> Position | None:
    """Give the first question behind what was read first; None where all from there on might fit."""
    told = Transcript(part, (), CODEC)
    asked = [at for at in range(begin + 1, len(part)) if told.is_question(at)]
    if len(asked) <= plan.policy.preserve_recent_turns + 1:
        return None
    tokens = sum(plan.counter.count_message(told[at]) for at in range(asked[0], len(part)))
    return Position(asked[0]) if tokens > plan.limit else None


def _cut_at(part: PartlyRead, start: Position) -> WindowState:
    told = Transcript(part, (), CODEC)
    instructions = tuple(Position(at) for at in range(_HEAD) if told.role(at).instructs)
    first = next((Position(at) for at in range(_HEAD) if at not in instructions), Position(_HEAD))
    last = Position(start - 1)
    ends = key_at(told, first), key_at(told, last)
    return WindowState(
        start=start,
        start_key=key_at(told, start),
        instructions=instructions,
        head_end=Position(0),
        gone_keys=ends,
        gone_digest=chained(None, ends),  # not that of all: if all is read after all, the cut is decided anew
    )


def _runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Give stretches with all places in them, each with its end."""
    listed = sorted(places)
    if not listed:
        return []
    breaks = [at for at, (one, other) in enumerate(pairwise(listed), 1) if other - one > _GAP]
    edges = [0, *breaks, len(listed)]
    return [(listed[start], listed[stop - 1] + 1) for start, stop in pairwise(edges)]
