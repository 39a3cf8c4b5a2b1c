"""What may stand before a model in a chain, as a list of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from langchain_core.messages import BaseMessage, HumanMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue

from ctx_core.errors import MessageError

_LONGEST: Final = 40
"""Characters of a key that an error names."""
_SHOWN: Final = 8
"""Keys of a dict that an error names."""


def read_messages(value: object) -> list[BaseMessage]:
    """Give the messages of a prompt value, a text, or a sequence of messages, tuples, dicts and texts.

    Messages stay the objects they are. The list is the caller's to change.

    Raises:
        MessageError: for anything else, naming the position of what cannot be read.
    """
    if isinstance(value, PromptValue):
        return list(value.to_messages())
    if isinstance(value, str):
        return [HumanMessage(value)]
    if isinstance(value, Sequence):
        likes = cast("Sequence[object]", value)
        # Of a long history each is asked by its type only, of which there are few.
        if all(issubclass(kind, BaseMessage) for kind in set(map(type, likes))):
            return [*cast("Sequence[BaseMessage]", likes)]
        return [like if isinstance(like, BaseMessage) else _converted(like, at) for at, like in enumerate(likes)]
    msg = f"expected a prompt value, a text or a list of messages, found {type(value).__name__}"
    if isinstance(value, BaseMessage):
        msg += ": put the message into a list"
    raise MessageError(msg)


def messages_in(state: Mapping[str, Any], key: str) -> object:
    """Give what a dict holds as its messages.

    Raises:
        MessageError: if it has no such key.
    """
    if key in state:
        return state[key]
    # One that is no identifier may be what somebody said.
    known = [name for name in state if isinstance(name, str) and name.isidentifier() and len(name) <= _LONGEST]
    names = [repr(name) for name in known[:_SHOWN]]
    others = len(state) - len(names)
    told = ", ".join([*names, *([f"{others:,} others"] if others else [])])
    msg = f"the dict has no key {key!r}, only {told or 'none'}"
    if "role" in state:
        msg += ": put a single message into a list"
    raise MessageError(msg)


def _converted(like: object, at: int) -> BaseMessage:
    try:
        return convert_to_messages([cast("Any", like)])[0]
    except (ValueError, NotImplementedError, TypeError, LookupError, AttributeError, RecursionError) as error:
        kind, cause = type(like).__name__, type(error).__name__
    # Raised outside of the handler: LangChain's own error quotes the message.
    msg = f"message {at + 1} ({kind}) is no message, (role, content) pair, message dict or text ({cause})"
    raise MessageError(msg)
