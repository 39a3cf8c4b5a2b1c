"""Words, and thoughts alone, as messages of each format that the core takes."""

from __future__ import annotations

from typing import Any, Final

from ctx_core.conversation.messages import Role

Native = dict[str, Any]

FORMATS: Final = ("openai", "responses", "anthropic", "gemini", "bedrock")
"""The formats, which are the judge's words for the providers too."""
_LIST: Final = {"responses": "input", "gemini": "contents"}
"""Under which key a payload has its messages, where it is another than `messages`."""
THOUGHTS: Final[dict[str, Native]] = {
    "openai": {"role": "assistant", "content": "", "reasoning_content": "hm"},
    "responses": {"type": "reasoning", "id": "rs_alone", "summary": [], "encrypted_content": "QUJD"},
    "anthropic": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "QUJD"}]},
    "gemini": {"role": "model", "parts": [{"text": "hm", "thought": True, "thoughtSignature": "QUJD"}]},
    "bedrock": {
        "role": "assistant",
        "content": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "QUJD"}}}],
    },
}
"""An answer that has nothing but thoughts, in each format."""


def spoken(form: str, role: Role, text: str) -> Native:
    """Give a message of one text."""
    if form == "gemini":
        return {"role": "model" if role is Role.ASSISTANT else "user", "parts": [{"text": text}]}
    return {"role": str(role), "content": [{"text": text}] if form == "bedrock" else text}


def payload_of(form: str, messages: list[Native]) -> Native:
    """Give the request of these messages."""
    return {_LIST.get(form, "messages"): messages}
