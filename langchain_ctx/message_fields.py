"""What stands in the fields of LangChain's messages, as far as it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ChatMessage, ToolMessage

from ctx_core.conversation.declared_fields import check_fields
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.declared_fields import FieldTypes

_ANYTHING: Final[tuple[type, ...]] = (object,)
_TEXT: Final[tuple[type, ...]] = (str,)
_NAME: Final[tuple[type, ...]] = (str, type(None))
_MAPPING: Final[tuple[type, ...]] = (dict, Mapping)
_LIST: Final[tuple[type, ...]] = (list, tuple)
_OF_ALL: Final[FieldTypes] = {
    "type": _TEXT,
    "content": _ANYTHING,
    "additional_kwargs": _MAPPING,
    "response_metadata": _MAPPING,
    "name": _NAME,
    "id": _NAME,
}
_CALLS: Final = ("tool_calls", "invalid_tool_calls")
_OF_SOME: Final[Mapping[type[BaseMessage], FieldTypes]] = {
    AIMessage: {"usage_metadata": _ANYTHING, **dict.fromkeys(_CALLS, _LIST)},
    AIMessageChunk: {"tool_call_chunks": _LIST},
    ToolMessage: {"tool_call_id": _ANYTHING, "status": _ANYTHING},
    ChatMessage: {"role": _TEXT},
}
"""Beside those of all, by class."""


def check_message(native: BaseMessage) -> None:
    """Refuse a message with a field of another type than its class declares.

    Raises:
        MessageError: names the field.
    """
    check_fields(native, _declared(type(native)))
    if not isinstance(native, AIMessage):
        return
    for name in _CALLS:
        for at, call in enumerate(cast("Sequence[object]", getattr(native, name)), start=1):
            if not isinstance(call, _MAPPING):
                msg = f"{name} of {type(native).__name__}: call {at} must be a dict, found {type(call).__name__}"
                raise MessageError(msg)


@lru_cache(256)
def _declared(kind: type[BaseMessage]) -> FieldTypes:
    declared: dict[str, tuple[type, ...]] = dict(_OF_ALL)
    for of_class, fields in _OF_SOME.items():
        if issubclass(kind, of_class):
            declared.update(fields)
    return declared
