"""The data of a memory as JSON types and back.

A conversation is worth more than the oddities in it: what JSON cannot hold is described in its place, and
the rest of the message is kept.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Mapping
from enum import Enum
from io import IOBase
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, cast

from llama_index.core.base.llms.types import ChatMessage, TextBlock
from pydantic import AnyUrl, BaseModel, ValidationError

from ctx_core import WindowState
from ctx_core.clean import escaped
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_DEPTH: Final = 40
"""Levels of nesting that are written; deeper ones are described."""
_BITS: Final = 1_024
"""Of numbers that are written: Python writes none of more than 4,300 digits, and few who read JSON take so many."""
_LEGACY_IMAGES: Final = "images"
"""`ChatMessage` turns these extras into blocks when it is made, and would do so again when it is read."""


def write_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Give messages as JSON types; what JSON cannot hold is described, with one warning in the log."""
    written: list[dict[str, Any]] = []
    odd = 0
    for message in messages:
        extras = {key: value for key, value in message.additional_kwargs.items() if key != _LEGACY_IMAGES}
        try:
            # pydantic's warnings quote what they are about, as all that it says
            plain = message.model_copy(update={"additional_kwargs": extras}).model_dump(mode="json", warnings=False)
            if extras or any(not isinstance(block, TextBlock) for block in message.blocks):
                json.dumps(plain)  # numbers of thousands of digits are dumped, and no JSON
            written.append(plain)
        except Exception:  # noqa: BLE001 - any object may be in there, and its dumping may raise anything
            odd += 1
            written.append(
                {key: _plain(value, ()) for key, value in {**dict(message), "additional_kwargs": extras}.items()}
            )
    if odd:
        _LOG.warning("%d of %d messages hold what JSON cannot; it is described in its place", odd, len(messages))
    return written


def read_messages(data: object) -> list[ChatMessage]:
    """Give messages that were written, or messages as they are.

    Raises:
        MessageError: for what is no message; it says where, and doesn't quote it.
    """
    if not isinstance(data, list | tuple):
        msg = f"messages must be a list, found {type(data).__name__}"
        raise MessageError(msg)
    items = cast("Sequence[object]", data)
    return [_read_message(item, f"message {at + 1} of {len(items)}") for at, item in enumerate(items)]


def read_state(data: object) -> WindowState:
    """Give a state that was written, or a state as it is; a fresh one for anything else, as it is only a hint."""
    if isinstance(data, WindowState):
        return data
    return WindowState.from_dict(cast("Mapping[str, Any]", data)) if isinstance(data, Mapping) else WindowState()


def _read_message(item: object, where: str) -> ChatMessage:
    if isinstance(item, ChatMessage):
        return item
    if not isinstance(item, Mapping):
        msg = f"{where}: expected a ChatMessage, found {type(item).__name__}"
        raise MessageError(msg)
    try:
        return ChatMessage.model_validate(item)
    except ValidationError as error:
        places = sorted({".".join(map(str, found["loc"])) for found in error.errors(include_input=False)})
    except Exception as error:  # noqa: BLE001 - LlamaIndex looks for the files of blocks as it reads them
        places = [type(error).__name__]
    # Outside of the handler, as pydantic's error quotes the message.
    msg = f"{where} cannot be read; wrong in it: {', '.join(map(escaped, places))}"
    raise MessageError(msg)


def _plain(value: object, above: tuple[int, ...]) -> Any:  # noqa: ANN401 - JSON types
    """Give anything as JSON types."""
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"[{type(value).__name__} of {value.bit_length()} bits]"
    if value is None or isinstance(value, bool | int | float) or type(value) is str:
        return value
    if isinstance(value, Enum):
        return _plain(value.value, above)
    if isinstance(value, str | AnyUrl | PurePath):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("ascii") if value.isascii() else base64.b64encode(value).decode("ascii")
    if isinstance(value, IOBase):
        return _content(value)
    if id(value) not in above and len(above) < _DEPTH:
        above = (*above, id(value))
        if isinstance(value, BaseModel):
            return {name: _plain(inner, above) for name, inner in value}
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return {_key(key, above): _plain(inner, above) for key, inner in items}
        if isinstance(value, list | tuple | set | frozenset):
            return [_plain(inner, above) for inner in cast("Sequence[object]", value)]
    return f"[{type(value).__name__}]"


def _key(key: object, above: tuple[int, ...]) -> str:
    """Give a key as one that UTF-8 can write."""
    return str(_plain(key, above)).encode(errors="backslashreplace").decode()


def _content(stream: IOBase) -> str:
    """Give all that is in a stream, as the blocks keep it: base64. The stream stands where it stood."""
    try:
        at = stream.tell()
        stream.seek(0)
        content: object = stream.read()
        stream.seek(at)
    except (OSError, ValueError, AttributeError):
        content = None
    return base64.b64encode(content).decode() if isinstance(content, bytes) else f"[{type(stream).__name__}]"
