"""All strings of a payload but those that are free: worked out from the payload alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPOKEN: Final = ("messages", "input", "contents", "system", "systemInstruction", "instructions")
"""Where a payload has what is said; tools and options are counted by themselves."""

FREE: Final[dict[str, tuple[str, ...]]] = {
    "who speaks": ("role",),
    "what a block or an item is": ("type", "status"),
    "an id of a call or an item": ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "approval_request_id"),
    "a mark of a cache": ("cache_control", "cachePoint"),
    "a signature": ("signature", "thoughtSignature", "redactedContent"),
    "about a medium": ("media_type", "mime_type", "mimeType", "format", "detail"),
}
"""Keys by what makes them free, in blocks that are known."""
_KEYS: Final = frozenset(key for keys in FREE.values() for key in keys)
_UNKNOWN: Final = ("brand_new", "brandNew", "structured_content")
"""Blocks that nobody knows: nothing in them is free, but for the media."""
_ITS_OWN: Final = ("brandNew", "held", "structured_content", "input", "args", "arguments", "response", "json")
"""Under these stands what nobody knows, or what a tool is given or gives, whose keys are its own."""
_OUTPUT: Final = ("output", "result")
_CLIENTS_OWN: Final = ("I will assist you using the tools provided.",)
"""What a client says by itself. Ollama's begins each text with a line end."""
_TEXTS: Final = ("text", "input_text", "output_text")
_ALPHABETS: Final = str.maketrans("-_", "+/")


def strings(payload: dict[str, Any], media: Sequence[str]) -> Iterator[str]:
    """Give the strings that a payload says, without those that are free and without media, which are these.

    The texts of one content are one string, as providers join them.
    """
    for key in _SPOKEN:
        if key in payload:
            yield from _Payload(media).walk(payload[key], known=True)


class _Payload:
    def __init__(self, media: Sequence[str]) -> None:
        self._media = media

    def walk(self, value: Any, *, known: bool) -> Iterator[str]:
        if isinstance(value, str):
            if value.startswith("[{"):
                # Two clients write the blocks of a result as one JSON text: it says what the blocks say.
                yield from self.walk(json.loads(value), known=known)
            elif not self._is_medium(value) and value not in _CLIENTS_OWN:
                yield value.lstrip("\n")
        elif isinstance(value, list):
            texts = [one["text"] for one in value if known and _is_text(one)]
            if texts:
                yield "".join(texts)
            for one in value:
                yield from self.walk(_without_text(one) if known and _is_text(one) else one, known=known)
        elif isinstance(value, dict):
            yield from self._walk_mapping(value, known=known)

    def _walk_mapping(self, value: dict[str, Any], *, known: bool) -> Iterator[str]:
        kind = value.get("type")
        if kind in _UNKNOWN:
            known = False
        elif kind in (*_TEXTS, "image", "document") and (kind != "image" or self._is_medium(json.dumps(value))):
            known = True
        for key, held in value.items():
            if known and (key in _KEYS or _is_free(value, key)):
                continue
            if not known and key not in _OUTPUT:
                yield key
            yield from self.walk(held, known=known and key not in _ITS_OWN)

    def _is_medium(self, value: str) -> bool:
        return any(content in value.translate(_ALPHABETS) for content in self._media)


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type", "text") in _TEXTS and isinstance(block.get("text"), str)


def _without_text(block: dict[str, Any]) -> dict[str, Any]:
    return {key: held for key, held in block.items() if key != "text"}


def _is_free(holder: dict[str, Any], key: str) -> bool:
    """Whether a key is free because of what stands beside it."""
    if key == "name":  # of what a result answers, of a document
        return "response" in holder or "source" in holder or holder.get("role") in ("tool", "function")
    if key == "filename":
        return "file_data" in holder or "base64" in holder
    if key == "reasoning":  # hosts say the same in two places
        return bool(holder[key] == holder.get("reasoning_content"))
    if key == "tool_name":
        return holder.get("role") == "tool"
    if key == "cited_text":  # of a quotation that the provider has given, which costs nothing
        return "document_index" in holder or "url" in holder
    sealed = {"data": "redacted_thinking", "encrypted_content": "reasoning"}
    return key in sealed and holder.get("type") == sealed[key]
