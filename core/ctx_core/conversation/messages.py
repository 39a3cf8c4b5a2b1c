"""The neutral message: what every framework's message becomes inside, and what it is made from again.

A message remembers the caller's own object in `origin`. As long as it is not `altered`, that very
object is what goes out; an altered one is written as a copy of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from ctx_core.conversation.parts import MediaPart, OpaquePart, Part, ReasoningPart, TextPart, all_parts, is_thought
from ctx_core.conversation.tied import result_of, tied_by


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"

    @property
    def instructs(self) -> bool:
        """Whether it is an instruction to the model (system, developer) and not part of the talk."""
        return self is Role.SYSTEM or self is Role.DEVELOPER


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model asks for."""

    name: str
    arguments: str = field(default="{}", repr=False)
    """The arguments as the model wrote them: JSON text, not necessarily valid."""
    id: str | None = None
    """What the result refers to; None for the legacy `function_call`."""
    encrypted: int = 0
    """Characters of the encrypted thoughts that came with the call: Gemini puts them there."""
    signature: str | None = field(default=None, repr=False)
    """The signature that is written with it, where it has none of its own."""
    legacy: bool = field(default=False, compare=False)
    """Whether it is the one of OpenAI's first function API, which has no id and gets none."""
    raw: object = field(default=None, compare=False, repr=False)
    """The framework's own call object."""
    notation: Callable[[object], str] | None = field(default=None, compare=False, repr=False)
    """Writes arguments as these are, where the call object has them as an object and not as a text."""
    altered: bool = field(default=False, compare=False)
    """Whether the arguments are others than those of `raw`, so that a changed copy must be written."""
    sent_as_is: bool = field(default=False, compare=False)
    """Whether the client of the request is known to send `raw` as it is, where other clients would not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation, in no framework's terms."""

    role: Role
    parts: tuple[Part, ...] = ()
    """The content, in order; empty for a content of null or ""."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that an assistant message asks for."""
    beside: tuple[Part, ...] = field(default=(), compare=False, repr=False)
    """What the caller's own message says beside its content and is counted: it stays there, whatever the content.
    Two messages that differ in it alone, in the time at which each was stored say, are the same."""
    tool_call_id: str | None = None
    """Which call a tool message answers; None for the legacy `function` role."""
    name: str | None = None
    """Name of the speaker, or of the function that was called."""
    id: str | None = None
    """The message's own id, where the framework gives one."""
    failed: bool | None = None
    """Whether the caller's message says of this tool result that it is an error; None where it says nothing."""
    step_result: bool = field(default=False, compare=False)
    """Whether this user message is the result of the assistant's message before it: some agents write it so."""
    billed: int | None = field(default=None, compare=False)
    """Input tokens that the provider billed for the request which this message answers, where it says."""
    model: str | None = field(default=None, compare=False)
    """The model that gave this answer, where the framework says."""
    origin: object = field(default=None, compare=False)
    """The caller's own object, or None for a message that was made here."""
    synthetic: bool = field(default=False, compare=False)
    """Whether nobody said it: a stub, an omission marker, a layer of text in a message of its own."""
    unmarked: bool = field(default=False, compare=False)
    """Whether this result goes out without the marks of a cache that its block has in the caller's message."""
    altered: bool = field(default=False, compare=False)
    """Whether it differs from `origin`, so that a changed copy must be written."""
    figures: dict[object, object] = field(default_factory=dict[object, object], init=False, compare=False, repr=False)
    """What was worked out of it, by what worked it out: each figure only once, however long the message is kept."""

    @classmethod
    def system(cls, text: str) -> Self:
        """Make an instruction."""
        return cls(role=Role.SYSTEM, parts=_text_parts(text))

    @classmethod
    def user(cls, text: str, *, name: str | None = None) -> Self:
        """Make a message of the user."""
        return cls(role=Role.USER, parts=_text_parts(text), name=name)

    @classmethod
    def assistant(cls, text: str = "", *, tool_calls: tuple[ToolCall, ...] = ()) -> Self:
        """Make an answer of the model, with the calls it asks for."""
        return cls(role=Role.ASSISTANT, parts=_text_parts(text), tool_calls=tool_calls)

    @classmethod
    def tool(cls, text: str, *, tool_call_id: str | None, name: str | None = None) -> Self:
        """Make the result of a call."""
        return cls(role=Role.TOOL, parts=_text_parts(text), tool_call_id=tool_call_id, name=name)

    @property
    def text(self) -> str:
        """The text parts, joined without a separator, as providers do."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def has_media(self) -> bool:
        """Whether a picture, a recording, a film or a document is in it, wherever."""
        known = self.figures.get(MediaPart)
        if known is None:
            found = any(isinstance(part, MediaPart) for part in all_parts((*self.parts, *self.beside)))
            known = self.figures[MediaPart] = found
        return bool(known)

    @property
    def thinks(self) -> bool:
        """Whether it has thoughts, or signatures of some: their blocks stay where they are, whole, or go."""
        return any(map(is_thought, self.parts)) or any(call.encrypted for call in self.tool_calls)

    @property
    def is_question(self) -> bool:
        """Whether the user says it, and not an agent in the user's name."""
        return self.role is Role.USER and not self.step_result

    @property
    def is_result(self) -> bool:
        """Whether it is the result of a tool, or of a step that an agent takes in text."""
        return self.role is Role.TOOL or self.step_result

    def with_text(self, text: str) -> Self:
        """Give a copy with another text in the place of the first text part; media stay."""
        parts: list[Part] = []
        placed = False
        for part in self.parts:
            if not isinstance(part, TextPart):
                parts.append(part)
            elif not placed:
                parts.append(TextPart(text))
                placed = True
        if not placed:
            parts.append(TextPart(text))
        return replace(self, parts=tuple(parts), altered=True)

    def with_only_text(self, text: str) -> Self:
        """Give a copy whose whole content is this text; media and everything else in it go."""
        return replace(self, parts=_text_parts(text), altered=True)

    def without_calls(self, dropped: frozenset[int]) -> Self:
        """Give a copy without the calls at these positions, and without the blocks that spell them again."""
        lost = [call for at, call in enumerate(self.tool_calls) if at in dropped]
        remaining = tuple(call for at, call in enumerate(self.tool_calls) if at not in dropped)
        ids = {call.id for call in lost} - {call.id for call in remaining} - {None}
        raws = {id(call.raw) for call in lost if call.raw is not None}  # which of two with one id, or with none
        parts = tuple(
            part
            for part in self.parts
            if not (isinstance(part, OpaquePart) and (part.call_id in ids or id(part.raw) in raws))
        )
        while parts and not remaining and isinstance(parts[-1], ReasoningPart):
            parts = parts[:-1]  # thoughts go with what was thought of
        return replace(self, parts=parts, tool_calls=remaining, altered=True)

    def without_reasoning(self, *, signed: bool = False) -> Self:
        """Give a copy without reasoning, or this very message where it has none.

        What OpenAI's own tools did behind a thought goes with it: it is known by an id, by which the thought is missed.

        Args:
            signed: whether only what has an encrypted copy goes: that is what providers hold to what stood before.
        """
        parts: list[Part] = []
        gone = False
        lost = set[str]()
        for part in self.parts:
            tied = tied_by(part) if gone else None
            gone = isinstance(part, ReasoningPart) and (not signed or part.encrypted > 0)
            if tied is not None:
                lost.add(tied)
            elif not (gone or (lost and result_of(part) in lost)):
                parts.append(part)
        return self if len(parts) == len(self.parts) else replace(self, parts=tuple(parts), altered=True)

    def __repr__(self) -> str:
        """Say what it is without saying what it says."""
        calls = f", {len(self.tool_calls)} tool calls" if self.tool_calls else ""
        return f"<{self.role} message, {len(self.parts)} parts, {len(self.text)} characters{calls}>"


def _text_parts(text: str) -> tuple[Part, ...]:
    return (TextPart(text),) if text else ()
