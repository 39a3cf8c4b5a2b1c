"""Every kind of block that a message may have, by who says it, each with a text of its own in it."""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.payloads.words import Words

    Block = Callable[[Words], dict[str, Any]]
    """Makes a block of texts."""


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


PICTURE: Final = _base64(
    b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02\0\0\0" + b"\0" * 90
)
PDF: Final = _base64(b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n" + b"%" * 90)
_WAVE: Final = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
SOUND: Final = _base64(b"RIFF" + struct.pack("<I", 836) + _WAVE + b"data" + struct.pack("<I", 800) + b"\0" * 800)
MEDIA: Final = (PICTURE, PDF, SOUND)
_PICTURE_URL: Final = f"data:image/png;base64,{PICTURE}"


def _source(kind: str, data: str) -> dict[str, Any]:
    return {"type": "base64", "media_type": kind, "data": data}


def _nested(words: Words, levels: int) -> Any:
    """Give a text so many levels deep, of lists and mappings by turns."""
    value: Any = words()
    for level in range(levels):
        value = {"l": value} if level % 2 else [value]
    return value


def _fetched(words: Words) -> dict[str, Any]:
    """Give a page that the provider's tool has fetched, with its document inside."""
    document = {
        "type": "document",
        "title": words(),
        "source": {"type": "text", "media_type": "text/plain", "data": words()},
    }
    found = {"type": "web_fetch_result", "url": "https://a.example/b", "content": document}
    return {"type": "web_fetch_tool_result", "tool_use_id": "s1", "content": found}


def _searched(words: Words) -> dict[str, Any]:
    found = {
        "type": "web_search_result",
        "title": words(),
        "url": "https://a.example/b",
        "encrypted_content": words.hidden(),
    }
    return {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]}


SHARED: Final[dict[str, Block]] = {
    "text": lambda words: {"type": "text", "text": words()},
    "a marked text": lambda words: {"type": "text", "text": words(), "cache_control": {"type": "ephemeral"}},
    "a text that says more": lambda words: {"type": "text", "text": words(), "note": words()},
    "an image": lambda _: {"type": "image", "source": _source("image/png", PICTURE)},
    "an image that says more": lambda words: {"type": "image_url", "image_url": {"url": _PICTURE_URL}, "text": words()},
    "an image by URL": lambda _: {"type": "image_url", "image_url": {"url": _PICTURE_URL}},
    "what nobody knows": lambda words: {"type": "brand_new", "id": words(), "data": {"signature": words()}},
    "what nobody knows, deep": lambda words: {"type": "brand_new", "held": _nested(words, 10)},
    "a picture in what nobody knows": lambda words: {
        "type": "brand_new",
        "held": [{"type": "image", "source": _source("image/png", PICTURE)}, {"said": words()}],
    },
    "structured content": lambda words: {"type": "structured_content", "data": {"rows": [{"place": words()}, words()]}},
}
"""Blocks that anybody may send, as dicts."""

USERS: Final[dict[str, Block]] = SHARED | {
    "a LangChain image": lambda _: {"type": "image", "base64": PICTURE, "mime_type": "image/png"},
    "a LangChain file": lambda _: {"type": "file", "base64": PDF, "mime_type": "application/pdf", "filename": "a.pdf"},
    "a LangChain recording": lambda _: {"type": "audio", "base64": SOUND, "mime_type": "audio/wav"},
    "a LangChain text file": lambda words: {"type": "text-plain", "text": words(), "mime_type": "text/plain"},
    "an OpenAI recording": lambda _: {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}},
    "an OpenAI file": lambda _: {
        "type": "file",
        "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"},
    },
    "a document": lambda words: {
        "type": "document",
        "title": words(),
        "context": words(),
        "source": _source("application/pdf", PDF),
    },
    "a plain document": lambda words: {
        "type": "document",
        "title": words(),
        "source": {"type": "text", "media_type": "text/plain", "data": words()},
    },
    "a document of blocks": lambda words: {
        "type": "document",
        "source": {
            "type": "content",
            "content": [{"type": "text", "text": words()}, {"type": "image", "source": _source("image/png", PICTURE)}],
        },
    },
    "a search result": lambda words: {
        "type": "search_result",
        "title": words(),
        "source": words(),
        "content": [{"type": "text", "text": words()}],
    },
    "a call of the user": lambda words: {
        "type": "tool_use",
        "id": "u1",
        "name": "look",
        "input": {"id": words(), "deep": _nested(words, 12)},
    },
}
ASSISTANTS: Final[dict[str, Block]] = SHARED | {
    "thoughts": lambda words: {"type": "thinking", "thinking": words(), "signature": "c2ln" * 40},
    "sealed thoughts": lambda _: {"type": "redacted_thinking", "data": "c2ln" * 40},
    "LangChain's thoughts": lambda words: {"type": "reasoning", "reasoning": words()},
    "a malformed call in a block": lambda words: {
        "type": "invalid_tool_call",
        "id": "b1",
        "name": "look",
        "args": words(),
        "error": words(),
    },
    "a call in a block": lambda words: {"type": "tool_use", "id": "b1", "name": "look", "input": {"id": words()}},
    "a call in an item": lambda words: {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "b1",
        "name": "look",
        "arguments": json.dumps({"place": words.plain()}),
    },
    "a call of the provider": lambda words: {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_search",
        "input": {"query": words()},
    },
    "a fetched document": _fetched,
    "a search": _searched,
    "a refusal": lambda words: {"type": "refusal", "refusal": words()},
    "a text with quotations": lambda words: {
        "type": "text",
        "text": words(),
        "citations": [
            {
                "type": "page_location",
                "cited_text": words(),
                "document_title": words(),
                "document_index": 0,
                "start_page_number": 1,
                "end_page_number": 2,
            }
        ],
    },
}
RESULTS: Final[dict[str, Block]] = SHARED | {
    "a screenshot and a text": lambda words: {
        "type": "tool_result",
        "tool_use_id": "r1",
        "content": [{"type": "image", "source": _source("image/png", PICTURE)}, {"type": "text", "text": words()}],
    },
    "a search result": USERS["a search result"],
    "a plain document": USERS["a plain document"],
}
