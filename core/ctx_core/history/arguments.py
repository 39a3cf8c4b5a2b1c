"""Arguments of calls with less in them: still JSON, of the same keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import json_text
from ctx_core.conversation.message_texts import LEFT_OUT
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.squeeze import squeeze

if TYPE_CHECKING:
    from ctx_core.conversation.messages import ToolCall

_WORTH: Final = 2
"""A text is cleared if it has so many times the tokens of what is put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentCutter:
    """How texts in arguments are cut, and what they cost."""

    counter: TokenCounter
    cut: Callable[[str, int], str]
    """Gives a text within so many tokens, visibly cut; an empty one where nothing of it fits."""

    def within(self, call: ToolCall, limit: int) -> ToolCall:
        """Give a call with its arguments cut to so many tokens, the longest texts first, as far as that can be done."""
        count = self.counter.count_text
        if not call.arguments or count(call.arguments) <= limit:
            return call
        read, parsed = _read(call.arguments)
        if not parsed:
            return _with(call, self.cut(call.arguments, limit) or LEFT_OUT)  # never none: clients leave such a call out
        write = call.notation or json_text
        sizes = [count(text) for text in _texts(read)]

        def told(most: int) -> str:
            return write(_retold(read, lambda text: text if count(text) <= most else self._cut(text, most)))

        frame = count(told(0))
        if frame > limit:
            marked = write(_emptied(read, LEFT_OUT))
            return _with(call, marked if count(marked) <= limit else write(_emptied(read, "")))
        room = limit - frame
        while True:
            most = squeeze(sizes, by=sum(sizes) - room) if room < sum(sizes) else max(sizes, default=0)
            arguments = told(most or 0)
            if count(arguments) <= limit or room <= 0:
                return _with(call, arguments)
            over = count(arguments) - limit
            room = min(room - 1, room - over // 2)

    def _cut(self, text: str, most: int) -> str:
        return self.cut(text, most) or (LEFT_OUT if self.counter.count_text(LEFT_OUT) <= most else "")


def clear_arguments(call: ToolCall, placeholder: Callable[[int], str], counter: TokenCounter, *, most: int) -> ToolCall:
    """Give a call with a placeholder for each long text in its arguments.

    Args:
        call: the call; itself where it has none.
        placeholder: gives what stands for so many tokens.
        counter: counts them.
        most: tokens that what is under a key may have when its texts are cleared; what has more gives way as a whole.
    """
    count = counter.count_text
    read, parsed = _read(call.arguments)

    def instead(text: str) -> str:
        told = placeholder(count(text))
        return told if count(text) >= _WORTH * count(told) else text

    if not parsed:
        return _with(call, instead(call.arguments))
    write = call.notation or json_text
    told = _retold(read, instead)
    if isinstance(told, dict):
        whole, without_texts = cast("dict[str, Any]", read), cast("dict[str, Any]", told)
        told = {
            key: held if isinstance(held, str) or count(write(held)) <= most else placeholder(count(write(whole[key])))
            for key, held in without_texts.items()
        }
    return call if told == read else _with(call, write(told))


def _with(call: ToolCall, arguments: str) -> ToolCall:
    return call if arguments == call.arguments else replace(call, arguments=arguments, altered=True)


def _read(arguments: str) -> tuple[object, bool]:
    """Give arguments as they mean, and whether they are JSON at all."""
    try:
        return json.loads(arguments), True
    except (ValueError, RecursionError):
        return arguments, False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for held in cast("dict[str, object]", value).values():
            yield from _texts(held)
    elif isinstance(value, list):
        for held in cast("list[object]", value):
            yield from _texts(held)


def _retold(value: object, tell: Callable[[str], str]) -> object:
    """Give a value with what `tell` makes of each text in it."""
    if isinstance(value, str):
        return tell(value)
    if isinstance(value, dict):
        return {key: _retold(held, tell) for key, held in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_retold(held, tell) for held in cast("list[object]", value)]
    return value


def _emptied(value: object, mark: str) -> object:
    """Give a value of the same keys with no more than a mark under them: where even its frame is too much."""
    return dict.fromkeys(cast("dict[str, object]", value), mark) if isinstance(value, dict) else type(value)()
