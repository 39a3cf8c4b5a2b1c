"""Items of OpenAI's Responses API: messages, calls, outputs and thoughts stand side by side in one list.

What the model gave in one go is one neutral message: its thoughts, its words and all of its calls. So calls side by
side stay together, and thoughts with the item that follows them. An output is a result; any other message is itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from ctx_core.conversation.block_table import MESSAGES
from ctx_core.conversation.calls import is_call, read_call
from ctx_core.conversation.content_blocks import read_content, settled
from ctx_core.conversation.fields import id_or_none, kind_of, mapped, shown_role, string_or_none
from ctx_core.conversation.formats.answer_items import item_parts, items_left, new_call
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.natives import copied, plain_dicts
from ctx_core.conversation.openai_blocks import RESPONSES
from ctx_core.conversation.parts import ImagePart, TextPart, same_parts
from ctx_core.conversation.results import is_result, read_result
from ctx_core.conversation.whole import beside_of
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROLES: Final = {
    "user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.DEVELOPER
}  # fmt: skip


class ResponsesFormat:
    """The door of Responses items, as dicts or as objects of OpenAI's client."""

    system_apart: ClassVar[bool] = True
    name: ClassVar = "responses"

    def split(self, natives: Sequence[Any]) -> Sequence[Piece]:
        """Give the pieces: one for each output and message, and one for all that the model gave in one go."""
        return self.split_from(natives, 0)

    def split_from(self, natives: Sequence[Any], begin: int) -> Sequence[Piece]:
        """Give the pieces of all messages from a place on; the message before it is not the assistant's."""
        pieces: list[Piece] = []
        for at, native in enumerate(natives[begin:], begin):
            try:
                role = _role(native)
            except MessageError as error:
                msg = f"message {at + 1} of {len(natives)}: {error}"
                raise MessageError(msg) from error
            before = pieces[-1] if pieces else None
            if role is Role.ASSISTANT and before is not None and before.role is role:
                grown = replace(before, natives=(*before.natives, native), places=(*before.places, at))
                pieces[-1] = grown
            else:
                pieces.append(Piece(natives=(native,), places=(at,), role=role))
        return pieces

    def told_by(self, native: object) -> object:
        """Give all that is read for a piece; None for a client's objects, which may tell each time something else."""
        return plain_dicts(native)

    def role(self, native: Any) -> Role:  # noqa: ANN401 - an item, or a piece
        """Give the role of a piece, or of an item."""
        return native.role if isinstance(native, Piece) else _role(native)

    def read(self, native: Any) -> Message:  # noqa: ANN401 - an item, or a piece
        """Give the neutral message of a piece, or of an item."""
        piece = native if isinstance(native, Piece) else self.split([native])[0]
        items = [mapped(item) or {} for item in piece.natives]
        if piece.role is Role.TOOL:
            return read_result(items[0], origin=piece)
        if piece.role is not Role.ASSISTANT:
            return Message(
                role=piece.role,
                parts=settled(read_content(items[0].get("content")), ()),
                beside=beside_of(MESSAGES[self.name], items[0]),
                id=string_or_none(items[0].get("id")),
                origin=piece,
            )
        read = list(zip(piece.natives, items, strict=True))
        calls = tuple(read_call(item) for item, fields in read if is_call(fields))
        said = [fields for fields in items if kind_of(fields) in {"", "message"}]
        return Message(
            role=Role.ASSISTANT,
            parts=settled((part for item, fields in read for part in item_parts(item, fields)), calls),
            tool_calls=calls,
            beside=tuple(part for fields in said for part in beside_of(MESSAGES[self.name], fields)),
            id=next((one for fields in items if (one := id_or_none(fields.get("id")))), None),
            origin=piece,
        )

    def write(self, message: Message) -> Any:  # noqa: ANN401 - an item
        """Give the item of a message that has one."""
        return self.join([message])[0]

    def join(self, messages: Sequence[Message]) -> list[Any]:
        """Give the items to send."""
        items: list[Any] = []
        asked: dict[str | None, str] = {}
        for message in _without_pictureless(messages):
            piece = message.origin
            asked.update({call.id: kind_of(mapped(call.raw) or {}) for call in message.tool_calls})
            if isinstance(piece, Piece) and not message.altered:
                items.extend(piece.natives)
            elif message.role is Role.TOOL:
                items.append(_output(message, asked.get(message.tool_call_id, "")))
            elif message.role is Role.ASSISTANT and isinstance(piece, Piece):
                items.extend(items_left(message, piece))
            else:
                items.extend(_new(message))
        return items


def _role(native: object) -> Role:
    fields = mapped(native)
    if fields is None:
        msg = f"expected an item of the format 'responses', found {type(native).__name__}"
        raise MessageError(msg)
    kind = kind_of(fields)
    if kind and kind != "message":
        return Role.TOOL if is_result(fields) else Role.ASSISTANT
    told = fields.get("role")
    role = _ROLES.get(told) if isinstance(told, str) else None
    if role is None:
        msg = f"unknown role {shown_role(told)} in the format 'responses'; known are {', '.join(_ROLES)}"
        raise MessageError(msg)
    return role


def _without_pictureless(messages: Sequence[Message]) -> list[Message]:
    """Give the messages without computer calls that have no picture for an answer: no text can stand for one."""
    repaired: list[Message] = []
    asking: int | None = None
    for message in messages:
        if message.role is not Role.TOOL:
            asking = len(repaired) if message.tool_calls else None
            repaired.append(message)
            continue
        pictureless = set[int]()
        if asking is not None and not any(isinstance(part, ImagePart) for part in message.parts):
            pictureless = {
                at
                for at, call in enumerate(repaired[asking].tool_calls)
                if call.id == message.tool_call_id and kind_of(mapped(call.raw) or {}) == "computer_call"
            }
        if asking is not None and pictureless:
            repaired[asking] = repaired[asking].without_calls(frozenset(pictureless))
        else:
            repaired.append(message)
    return repaired


def _new(message: Message) -> Iterator[object]:
    """Give the items of a message that was made here, or the changed copy of one."""
    if message.role is Role.ASSISTANT:
        if message.parts or not message.tool_calls:
            yield {"role": "assistant", "content": _answer(message)}
        yield from map(new_call, message.tool_calls)
        return
    piece = message.origin if isinstance(message.origin, Piece) else None
    held = None if piece is None else (mapped(piece.natives[0]) or {}).get("content")
    content = _content(message, listed=isinstance(held, list | tuple))
    yield (
        {"role": str(message.role), "content": content} if piece is None else copied(piece.natives[0], content=content)
    )


def _answer(message: Message) -> str | list[object]:
    """Give what an answer says: a text where no medium is in it, for thoughts are items, and only the provider's."""
    if not message.has_media:
        return "".join(getattr(part, "text", "") for part in message.parts)
    spelling = replace(RESPONSES, text="output_text")
    return [spelling.block(part) if part.raw is None else part.raw for part in message.parts]


def _content(message: Message, *, listed: bool) -> str | list[object]:
    if not listed and all(isinstance(part, TextPart) and part.raw is None for part in message.parts):
        return message.text
    return [RESPONSES.block(part) if part.raw is None else part.raw for part in message.parts]


def _output(message: Message, asked: str) -> object:
    """Give the item of a result: a changed copy of the one that came in, or a new one for a call of this type."""
    piece = message.origin if isinstance(message.origin, Piece) else None
    return output_item(message, None if piece is None else piece.natives[0], asked)


def output_item(message: Message, item: object, asked: str = "") -> object:
    """Give an item of a result with what its message says: a changed copy, or for None one for a call of a type."""
    fields = mapped(item) or {}
    kind = kind_of(fields) or _output_of(asked)
    if kind == "mcp_approval_response":
        told: dict[str, Any] = {"approval_request_id": message.tool_call_id}
        return copied(item, **told) if item is not None else {"type": kind, "approve": False, **told}
    told = {"call_id": message.tool_call_id}
    if item is None or not _says_the_same(message, item):
        told["output"] = _said(message, kind, listed=isinstance(fields.get("output"), list | tuple))
    if item is not None:
        return copied(item, **told)
    return {"type": kind, **told, **({"status": "failed"} if kind == "apply_patch_call_output" else {})}


def _output_of(asked: str) -> str:
    if asked == "mcp_approval_request":
        return "mcp_approval_response"
    return f"{asked}_output" if asked.endswith("_call") else "function_call_output"


def _says_the_same(message: Message, item: object) -> bool:
    """Whether a result's parts are those that its item was read to."""
    return same_parts(message.parts, read_result(mapped(item) or {}, origin=None).parts)


def _said(message: Message, kind: str, *, listed: bool = False) -> object:
    """Give what a result says in the shape that its type of output has."""
    match kind:
        case "computer_call_output":
            return next(part.raw for part in message.parts if isinstance(part, ImagePart))
        case _ if len(message.parts) == 1 and isinstance(told := message.parts[0].raw, list | tuple):
            return cast("list[object]", told)
        case "shell_call_output":
            return [{"stdout": message.text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
        case _:
            return _content(message, listed=listed)
