"""Arguments of calls with less in them: still JSON, of the same keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import json_text
from ctx_core.history.json_cuts import as_read, retold

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.conversation.messages import ToolCall
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.json_cuts import JsonCutter

_WORTH: Final = 2
"""A text is cleared if it has so many times the tokens of what is put in its place."""


def shortened_arguments(call: ToolCall, limit: int, cutter: JsonCutter) -> ToolCall:
    """Give a call with its arguments cut to so many tokens, as far as that can be done; itself where it has none."""
    if not call.arguments:
        return call
    return _with(call, cutter.within(call.arguments, limit, write=call.notation or json_text))


def clear_arguments(call: ToolCall, placeholder: Callable[[int], str], counter: TokenCounter, *, most: int) -> ToolCall:
    """Give a call with a placeholder for each long text in its arguments.

    Args:
        call: the call; itself where it has none.
        placeholder: gives what stands for so many tokens.
        counter: counts them.
        most: tokens that what is under a key may have when its texts are cleared; what has more gives way as a whole.
    """
    count = counter.count_text
    read, parsed = as_read(call.arguments)

    def instead(text: str) -> str:
        told = placeholder(count(text))
        return told if count(text) >= _WORTH * count(told) else text

    if not parsed:
        return _with(call, instead(call.arguments))
    write = call.notation or json_text
    told = retold(read, instead)
    if isinstance(told, dict):
        whole, without_texts = cast("dict[str, Any]", read), cast("dict[str, Any]", told)
        told = {
            key: held if isinstance(held, str) or count(write(held)) <= most else placeholder(count(write(whole[key])))
            for key, held in without_texts.items()
        }
    return call if told == read else _with(call, write(told))


def _with(call: ToolCall, arguments: str) -> ToolCall:
    return call if arguments == call.arguments else replace(call, arguments=arguments, altered=True)
