"""The data of a memory as JSON types and back.

A conversation is worth more than the oddities in it: what JSON cannot hold is described in its place, and
the rest of the message is kept.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import Enum
from io import IOBase
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from llama_index.core.base.llms.types import ChatMessage
from pydantic import AnyUrl, BaseModel, ValidationError

from ctx_core import (
    ContextBudget,
    HistoryPolicy,
    RollingSummary,
    Share,
    TokenCounter,
    Tokens,
    ToolResultPolicy,
    WindowState,
)
from ctx_core.clean import escaped
from ctx_core.conversation.messages import Role
from ctx_core.counting.counter import as_counter
from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError, MessageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.counting.counter import CounterLike

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_DEPTH: Final = 40
"""Levels of nesting that are written; deeper ones are described."""
_LEGACY_IMAGES: Final = "images"
"""`ChatMessage` turns these extras into blocks when it is made, and would do so again when it is read."""
PolicyT = TypeVar("PolicyT", HistoryPolicy, ToolResultPolicy)


def write_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Give messages as JSON types; what JSON cannot hold is described, with one warning in the log."""
    written: list[dict[str, Any]] = []
    odd = 0
    for message in messages:
        extras = {key: value for key, value in message.additional_kwargs.items() if key != _LEGACY_IMAGES}
        try:
            written.append(message.model_copy(update={"additional_kwargs": extras}).model_dump(mode="json"))
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


def write_budget(budget: ContextBudget) -> dict[str, Any]:
    """Give a budget as JSON types."""
    parts = {name: write_size(size) for name, size in budget.parts.items()}
    return {"total": budget.total, "reserve": budget.reserve, "parts": parts, "model": budget.model}


def read_budget(data: object) -> ContextBudget:
    """Give a budget that was written, or a budget as it is.

    Raises:
        BudgetError: for anything else.
    """
    if isinstance(data, ContextBudget):
        return data
    if isinstance(data, int):
        return ContextBudget(data)
    if not isinstance(data, Mapping):
        msg = f"budget must be a ContextBudget, found {type(data).__name__}"
        raise BudgetError(msg)
    data = cast("Mapping[str, Any]", data)
    total, reserve = data["total"], data["reserve"]
    parts = {str(name): read_size(size) for name, size in data["parts"].items()}
    try:
        return ContextBudget(total, parts=parts, reserve=reserve, model=data["model"])
    except BudgetError:
        # The reserve was a share, without which the shares no longer sum to 1.
        return ContextBudget(total, parts=parts, reserve=Share(reserve / total), model=data["model"])


def write_policy(policy: HistoryPolicy) -> dict[str, Any]:
    """Give a policy as JSON types, without its `pinned` predicate, which is code."""
    return _write_fields(policy)


def read_policy(data: object) -> HistoryPolicy:
    """Give a policy that was written, or a policy as it is.

    Raises:
        BudgetError: for anything else.
    """
    if isinstance(data, HistoryPolicy):
        return data
    if not isinstance(data, Mapping):
        msg = f"policy must be a HistoryPolicy, found {type(data).__name__}"
        raise BudgetError(msg)
    return _read_fields(HistoryPolicy, cast("Mapping[str, Any]", data))


def write_counter(counter: TokenCounter | None) -> str | None:
    """Give the name of the model that a counter counts for; code is not stored."""
    return None if counter is None else counter.model


def read_counter(data: object) -> TokenCounter | None:
    """Give the counter for a name, or what `as_counter` makes of anything else; None stays None."""
    return None if data is None else as_counter(cast("CounterLike", data))


def is_by_name(counter: TokenCounter | None) -> bool:
    """Whether the name of its model is enough to make a counter again."""
    if counter is None:
        return True
    if counter.model is None or counter.calibration is not None or counter.of_message is not None:
        return False
    again = TokenCounter.for_model(counter.model)
    return (again.framing, again.margin, again.tokenizer.name) == (
        counter.framing,
        counter.margin,
        counter.tokenizer.name,
    )


def read_state(data: object) -> WindowState:
    """Give a state that was written, or a state as it is; a fresh one for anything else, as it is only a hint."""
    if isinstance(data, WindowState):
        return data
    return WindowState.from_dict(cast("Mapping[str, Any]", data)) if isinstance(data, Mapping) else WindowState()


def write_reserve(reserve: int | Share | Tokens) -> int | dict[str, Any]:
    """Give a reserve as JSON types."""
    return reserve if isinstance(reserve, int) else write_size(reserve)


def read_reserve(data: object) -> int | Share | Tokens:
    """Give a reserve that was written, or one as it is; what is none is refused where it is used."""
    return read_size(cast("Mapping[str, Any]", data)) if isinstance(data, Mapping) else cast("int", data)


def write_summary(summary: RollingSummary | None) -> dict[str, Any] | None:
    """Give the settings of a summary as JSON types."""
    if summary is None:
        return None
    written = {field.name: getattr(summary, field.name) for field in fields(summary)}
    return {**written, "cap": write_size(summary.cap), "role": str(summary.role)}


def read_summary(data: object) -> RollingSummary | None:
    """Give the settings that were written, or settings as they are; None stays None.

    Raises:
        BudgetError: for anything else.
    """
    if data is None or isinstance(data, RollingSummary):
        return data
    written = _written("summary", data, RollingSummary)
    written |= {"cap": read_size(written["cap"]), "role": Role(written["role"])}
    return RollingSummary(**written)


def write_options(options: RequestOptions | None) -> dict[str, Any] | None:
    """Give what else a request asks for as JSON types."""
    return None if options is None else asdict(options)


def read_options(data: object) -> RequestOptions | None:
    """Give the options that were written, or options as they are; None stays None.

    Raises:
        BudgetError: for anything else.
    """
    if data is None or isinstance(data, RequestOptions):
        return data
    return RequestOptions(**_written("request_options", data, RequestOptions))


def _written(name: str, data: object, kind: type[object]) -> dict[str, Any]:
    """Give what was written of a field, by name."""
    if isinstance(data, Mapping):
        return dict(cast("Mapping[str, Any]", data))
    msg = f"{name} must be {kind.__name__}, found {type(data).__name__}"
    raise BudgetError(msg)


def write_size(size: Share | Tokens) -> dict[str, Any]:
    """Give a size as JSON types."""
    return {"share": size.of_total} if isinstance(size, Share) else {"tokens": size.count}


def read_size(data: Mapping[str, Any]) -> Share | Tokens:
    """Give a size that was written."""
    return Share(data["share"]) if "share" in data else Tokens(data["tokens"])


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
    # Outside of the handler, as pydantic's error quotes the message.
    msg = f"{where} cannot be read; wrong in it: {', '.join(map(escaped, places))}"
    raise MessageError(msg)


def _plain(value: object, above: tuple[int, ...]) -> Any:  # noqa: ANN401 - JSON types
    """Give anything as JSON types."""
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
            return {str(key): _plain(inner, above) for key, inner in items}
        if isinstance(value, list | tuple | set | frozenset):
            return [_plain(inner, above) for inner in cast("Sequence[object]", value)]
    return f"[{type(value).__name__}]"


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


def _write_fields(policy: HistoryPolicy | ToolResultPolicy) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in fields(policy):
        value = getattr(policy, field.name)
        if isinstance(value, Share):
            written[field.name] = write_size(value)
        elif isinstance(value, ToolResultPolicy):
            written[field.name] = _write_fields(value)
        elif not callable(value):
            written[field.name] = str(value) if isinstance(value, Enum) else value
    return written


def _read_fields(kind: type[PolicyT], data: Mapping[str, Any]) -> PolicyT:
    known = {field.name for field in fields(kind)}
    read: dict[str, Any] = {name: value for name, value in data.items() if name in known}
    if "marker_role" in read:
        read["marker_role"] = Role(read["marker_role"])
    if isinstance(read.get("keep_first"), Mapping):
        read["keep_first"] = read_size(read["keep_first"])
    if "results" in read:
        read["results"] = _read_fields(ToolResultPolicy, read["results"])
    return kind(**read)
