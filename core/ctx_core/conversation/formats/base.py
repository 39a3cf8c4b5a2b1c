"""What the formats have in common whose messages are lists of blocks: Anthropic's, Bedrock's and Gemini's.

A user's message with results is as many results as it has, and behind them the user's words, if there are any. An
assistant's message is one neutral message, together with the next where a tool of the provider has not answered yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ctx_core.conversation.block_table import MESSAGES
from ctx_core.conversation.calls import is_call, read_call
from ctx_core.conversation.content_blocks import is_mark, read_block, read_content, settled
from ctx_core.conversation.fields import kind_of, mapped, shown_role, string_or_none
from ctx_core.conversation.formats.pieces import Written, chunks_of, pieces_of_user
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.natives import copied, plain_dicts, without
from ctx_core.conversation.parts import OpaquePart, Part, TextPart
from ctx_core.conversation.results import is_result, read_result
from ctx_core.conversation.whole import beside_of
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class BlockFormat:
    """The door of a format whose messages are lists of blocks."""

    system_apart: ClassVar[bool] = True
    name: ClassVar[str]
    content: ClassVar[str] = "content"
    """Under which key a message has its blocks."""
    typed: ClassVar[bool] = False
    """Whether each block has a type; else its keys tell."""
    ends_empty: ClassVar[bool] = False
    """Whether an answer at the end may say nothing."""
    roles: ClassVar[Mapping[str, Role]]
    """Who speaks, by the format's word for it."""

    def split(self, natives: Sequence[Any]) -> Sequence[Piece]:
        """Give the pieces of all messages, in order."""
        return self.split_from(natives, 0)

    def split_from(self, natives: Sequence[Any], begin: int) -> Sequence[Piece]:
        """Give the pieces of all messages from a place on; the message before it is not the assistant's."""
        pieces: list[Piece] = []
        waiting: frozenset[str] = frozenset()
        for at, native in enumerate(natives[begin:], begin):
            try:
                fields = self.fields_of(native)
                role, blocks = self._role(fields), self._blocks(fields)
                self.check(fields, blocks)
            except MessageError as error:
                msg = f"message {at + 1} of {len(natives)}: {error}"
                raise MessageError(msg) from error
            if role is not Role.ASSISTANT:
                waiting = frozenset()
                pieces.extend(pieces_of_user(native, at, role, blocks))
                continue
            piece = Piece(natives=(native,), places=(at,), role=role)
            if waiting:  # the rest of an answer that was paused while the provider's tools ran
                paused = pieces.pop()
                piece = replace(paused, natives=(*paused.natives, native), places=(*paused.places, at))
            pieces.append(piece)
            waiting = self.still_open(waiting, blocks)
        return pieces

    def told_by(self, native: object) -> object:
        """Give all that is read for a piece; None for a client's objects, which may tell each time something else."""
        return plain_dicts(native)

    def role(self, native: Any) -> Role:  # noqa: ANN401 - a message, or a piece
        """Give the role of a piece."""
        return self._piece(native).role

    def read(self, native: Any) -> Message:  # noqa: ANN401 - a message, or a piece
        """Give the neutral message of a piece."""
        piece = self._piece(native)
        if piece.role is Role.TOOL:
            blocks = self._blocks(self.fields_of(piece.natives[0]))
            mappings = [mapped(blocks[at]) or {} for at in piece.blocks or ()]
            marks = tuple(
                read_block(blocks[at]) for at in piece.blocks or () if not is_result(mapped(blocks[at]) or {})
            )
            return read_result(next(filter(is_result, mappings)), origin=piece, beside=(*marks, *self._beside(piece)))
        parts: list[Part] = []
        calls: list[ToolCall] = []
        for one in piece.natives:
            fields = self.fields_of(one)
            held = fields.get(self.content)
            if piece.blocks is None and not isinstance(held, list | tuple):
                parts.extend(read_content(held))
                continue
            blocks = self._blocks(fields)
            chosen = blocks if piece.blocks is None else [blocks[at] for at in piece.blocks]
            for block in chosen:
                parts.append(read_block(block))
                fields = mapped(block) or {}
                if is_call(fields):
                    calls.append(read_call(block))
                elif is_result(fields):
                    msg = f"a tool result in a message of the {piece.role}: only the user gives them"
                    raise MessageError(msg)
        if calls and piece.role is not Role.ASSISTANT:
            msg = f"a tool call in a message of the {piece.role}: only the assistant calls"
            raise MessageError(msg)
        return Message(
            role=piece.role,
            parts=settled(parts, calls),
            tool_calls=tuple(calls),
            beside=self._beside(piece),
            origin=piece,
        )

    def write(self, message: Message) -> Any:  # noqa: ANN401 - a dict, or an object of the caller's
        """Give the message of one neutral message."""
        return self.join([message])[0]

    def join(self, messages: Sequence[Message]) -> list[Any]:
        """Give the messages to send."""
        joined: list[Written] = []
        arranged = self.arranged([self._written(chunk) for chunk in chunks_of(messages)])
        for at, written in enumerate(arranged):
            may_be_empty = self.ends_empty and at == len(arranged) - 1 and written.role is Role.ASSISTANT
            if written.blocks == [] and not may_be_empty:
                continue  # nothing is left of it, and an empty message is refused
            last = joined[-1] if joined else None
            if last is not None and last.role is written.role and self.belong_together(last, written):
                joined[-1] = self._merged(last, written)
            else:
                joined.append(written)
        return [native for written in joined for native in written.natives]

    def arranged(self, written: list[Written]) -> list[Written]:
        """Give what goes out in the order in which the provider takes it."""
        return written

    def belong_together(self, before: Written, after: Written) -> bool:
        """Whether two neighbors of one role must be one message: results are, where one of them is new or a copy."""
        split = before.blocks is not None or after.blocks is not None
        return split and before.only_results and after.only_results

    def still_open(self, waiting: frozenset[str], blocks: Sequence[object]) -> frozenset[str]:
        """Give the ids of calls that the provider answers itself and has not answered yet, behind these blocks."""
        del blocks
        return waiting

    def check(self, fields: Mapping[str, Any], blocks: Sequence[object]) -> None:
        """Refuse what no message of this format has.

        Raises:
            MessageError: for a block with a type where blocks have none, or the other way round.
        """
        del fields
        for block in blocks:
            held = mapped(block)
            if held is not None and bool(kind_of(held)) is not self.typed:
                told = "a type" if kind_of(held) else "no type"
                msg = f"a block with {told} in a message of the format {self.name!r}: it is another provider's"
                raise MessageError(msg)

    def part_block(self, part: Part) -> object:
        """Give the block of a part that was split here."""
        raise NotImplementedError

    def call_block(self, call: ToolCall) -> object:
        """Give the block of a call: the one it was read from, with its id as it is now."""
        raise NotImplementedError

    def result_block(self, message: Message, block: object) -> object:
        """Give the block of a result: a changed copy of the one that it was read from, or a new one for None."""
        raise NotImplementedError

    def new(self, role: Role, blocks: Iterable[object]) -> Any:  # noqa: ANN401 - a dict
        """Give a new message: the assistant's, or else the user's, since few models take instructions in a list."""
        spoken = Role.ASSISTANT if role is Role.ASSISTANT else Role.USER
        return {"role": next(word for word, meant in self.roles.items() if meant is spoken), self.content: [*blocks]}

    def _written(self, chunk: list[Message]) -> Written:
        piece = chunk[0].origin if isinstance(chunk[0].origin, Piece) else None
        role = Role.USER if chunk[0].role is Role.TOOL else chunk[0].role
        if piece is None:
            blocks = self._listed(self.message_blocks(chunk[0]))
            role = role if role is Role.ASSISTANT else Role.USER
            return Written(natives=[self.new(role, blocks)], blocks=blocks, messages=chunk, role=role)
        numbers = [message.origin.number for message in chunk if isinstance(message.origin, Piece)]
        if piece.sound and numbers == list(range(piece.of)) and not any(message.altered for message in chunk):
            return Written(natives=list(piece.natives), blocks=None, messages=chunk, role=role)
        blocks = [block for message in chunk for block in self.message_blocks(message)]
        native = piece.natives[0]
        texts = [block for block in blocks if isinstance(block, str)]
        was_text = isinstance(self.fields_of(native).get(self.content), str)
        is_text = was_text or (self.ends_empty and not blocks)
        content = "".join(texts) if is_text and len(texts) == len(blocks) else self._listed(blocks)
        copy = copied(native, **{self.content: content})
        return Written(natives=[copy], blocks=self._listed(blocks), messages=chunk, role=role)

    def _listed(self, blocks: Iterable[object]) -> list[object]:
        return [self.part_block(TextPart(block)) if isinstance(block, str) else block for block in blocks]

    def _merged(self, before: Written, after: Written) -> Written:
        held = [
            self._blocks(self.fields_of(native))
            for one in (before, after)
            for native in (one.natives[-1:] if one is before else one.natives)
        ]
        blocks = self._listed(block for listed in held for block in listed)
        return Written(
            natives=[*before.natives[:-1], copied(before.natives[-1], **{self.content: blocks})],
            blocks=blocks,
            messages=[*before.messages, *after.messages],
            role=before.role,
        )

    def message_blocks(self, message: Message) -> list[object]:
        """Give the blocks of a neutral message, those that came in as they came."""
        piece = message.origin if isinstance(message.origin, Piece) else None
        if message.role is Role.TOOL:
            if piece is None:
                return [self.result_block(message, None)]
            held = self._blocks(self.fields_of(piece.natives[0]))
            chosen = [held[at] for at in piece.blocks or ()]
            if message.unmarked:
                marked = (one for one in chosen if not is_mark(mapped(one) or {}))
                chosen = [without(one, "cache_control") for one in marked]
            return [
                self.result_block(message, one) if message.altered and is_result(mapped(one) or {}) else one
                for one in chosen
            ]
        # In their order, those that were made anew too: where a signature is asked for, the first call has it.
        calls = iter([self.call_block(call) for call in message.tool_calls])
        waiting = Counter(id(call.raw) for call in message.tool_calls if call.raw is not None)
        words: list[object] = []
        asked: list[object] = []
        for part in message.parts:
            if isinstance(part, OpaquePart) and waiting[id(part.raw)]:
                waiting[id(part.raw)] -= 1
                asked.append(next(calls))
            elif part.raw is None and isinstance(part, TextPart) and _was_text(piece, self.content):
                words.append(part.text)
            elif part.raw is not None:
                # Thoughts stand where they stood: what was said behind a call is behind it.
                (asked if asked and (message.thinks or not _is_text(part.raw)) else words).append(part.raw)
            else:
                words.append(self.part_block(part))
        return [*words, *asked, *calls]

    def _beside(self, piece: Piece) -> tuple[Part, ...]:
        """Give what messages say beside their blocks; of several pieces the first has it."""
        if piece.number:
            return ()
        return tuple(part for one in piece.natives for part in beside_of(MESSAGES[self.name], self.fields_of(one)))

    def _piece(self, native: object) -> Piece:
        if isinstance(native, Piece):
            return native
        pieces = self.split([native])
        if len(pieces) == 1:
            return pieces[0]
        msg = f"a message of {len(pieces)} parts of a conversation was asked for as one"
        raise MessageError(msg)

    def fields_of(self, native: object) -> Mapping[str, Any]:
        """Give what a message says by name.

        Raises:
            MessageError: for something that is no message.
        """
        fields = mapped(native)
        if fields is None:
            msg = f"expected a message of the format {self.name!r}, found {type(native).__name__}"
            raise MessageError(msg)
        return fields

    def _role(self, fields: Mapping[str, Any]) -> Role:
        told = fields.get("role")
        role = self.roles.get(told) if isinstance(told, str) else None
        if role is None:
            msg = f"unknown role {shown_role(told)} in the format {self.name!r}; known are {', '.join(self.roles)}"
            raise MessageError(msg)
        return role

    def _blocks(self, fields: Mapping[str, Any]) -> list[object]:
        held: object = fields.get(self.content)
        if held is None or held == "":
            return []
        if isinstance(held, str):
            return [held]
        if isinstance(held, list | tuple):
            return list(cast("Iterable[object]", held))
        msg = f"{self.content} must be a list of blocks, found {type(held).__name__}"
        raise MessageError(msg)


def _was_text(piece: Piece | None, key: str) -> bool:
    return piece is not None and isinstance((mapped(piece.natives[0]) or {}).get(key), str)


def _is_text(raw: object) -> bool:
    fields = mapped(raw)
    return fields is None or string_or_none(fields.get("text")) is not None
