"""Blocks and roles on which the client of a request raises, or which it sends as nobody takes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import MediaPart, TextPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.parts import Part

_OPENAI, _GOOGLE = "llama-index-llms-openai", "llama-index-llms-google-genai"
_ANTHROPIC, _OLLAMA = "llama-index-llms-anthropic", "llama-index-llms-ollama"
_CITED: Final = frozenset({"cache", "citable", "citation"})
_NOT_TAKEN: Final[Mapping[str, frozenset[str]]] = {
    _OPENAI: _CITED | {"video"},
    _GOOGLE: _CITED | {"audio"},
    _ANTHROPIC: frozenset({"audio", "video"}),
    _OLLAMA: _CITED | {"audio", "document", "video"},
}
"""By client, the types of blocks that it raises on; llama-index-llms-openai 0.8, -google-genai 0.11, -anthropic 0.12,
-ollama 0.10."""
_NOT_BY_RESPONSES: Final = frozenset({"audio"})
"""Types that OpenAI's client raises on for the Responses API beside."""
_QUESTIONS: Final = frozenset({"image", "document"})
"""Types that no answer may have there."""
_ASSISTANTS: Final = frozenset({MessageRole.CHATBOT, MessageRole.MODEL})
"""Roles that clients send by these names, which few providers have."""
_NOTHING: Final = "[empty message]"


def with_taken_blocks(message: Message, row: str, client: str | None) -> Message:
    """Give a message that its client takes, and of which something is sent: itself where that is so.

    Args:
        message: of LlamaIndex.
        row: name of the provider's row.
        client: package of the client; None where it is unknown.
    """
    origin = message.origin
    if client is None or not isinstance(origin, ChatMessage):
        return message
    if origin.role in _ASSISTANTS:
        message = replace(message, origin=origin.model_copy(update={"role": MessageRole.ASSISTANT}))
    refused = _NOT_TAKEN.get(client, frozenset[str]())
    if row == "responses":
        refused |= _NOT_BY_RESPONSES | (_QUESTIONS if message.role is Role.ASSISTANT else frozenset[str]())
    parts = [taken for part in message.parts if (taken := _taken(part, refused)) is not None]
    if row == "responses" and message.role is Role.USER and not parts:
        parts = [TextPart(_NOTHING)]  # what says nothing is left out, and with it the question
    same = len(parts) == len(message.parts) and all(
        one is other for one, other in zip(parts, message.parts, strict=True)
    )
    return message if same else replace(message, parts=tuple(parts), altered=True)


def _taken(part: Part, refused: frozenset[str]) -> Part | None:
    """Give a part that is taken; None for what says nothing to another provider."""
    if getattr(part.raw, "block_type", None) not in refused:
        return part
    text = getattr(part, "text", None)
    if isinstance(text, str) and text:
        return TextPart(text)
    return TextPart(f"[{part.noun}]") if isinstance(part, MediaPart) else None
