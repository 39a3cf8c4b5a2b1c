"""The types of blocks that are known, each with the keys that are read and those that are free there.

In a type that has no row nothing is free. What a key without a row of its own has is written as JSON and counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.block_types import block_type
from ctx_core.conversation.media_blocks import MEDIA_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.block_types import BlockType

_ABOUT: Final = "type id index cache_control"
"""What any block of a known type may say about itself: nothing of it reaches the model."""
_THOUGHT: Final = "thought thoughtSignature thought_signature"
_NAMES: Final = "filename file_name name displayName display_name"
_SIGNED: Final = block_type(free="signature thoughtSignature thought_signature")
_CITED: Final = block_type(
    # That these cost nothing is what the provider's pages on citations and on web search say. The numbers tell where a
    # quotation stands.
    free="type cited_text title url document_index search_result_index start_char_index end_char_index "
    "start_page_number end_page_number start_block_index end_block_index"
)
WORDS: Final = replace(block_type("text", _ABOUT), not_for=MEDIA_KINDS)
"""Texts in a list; what else is in it is counted, media as what they are."""

TEXT: Final = block_type("text refusal", f"{_ABOUT} status phase {_THOUGHT}", extras=_SIGNED, citations=_CITED)
"""A text, of whichever provider."""

_FORM: Final = f"{_ABOUT} mime_type mimeType media_type source_type format detail file_id"
_SOURCE: Final = block_type("data bytes text url", "type media_type file_id s3Location", content=WORDS)
_URL: Final = block_type("url", "detail format mime_type")
_SOUND: Final = block_type("data url", "format id mime_type")
_INSIDE: Final = block_type(free="format detail", names=_NAMES, source=_SOURCE)
_ABOUT_FILE: Final = block_type(free="file_id", names=_NAMES)
_LOADED: Final = block_type("data", "mime_type mimeType file_uri fileUri", _NAMES)
MEDIUM: Final = block_type(
    "url base64 data image_url audio_url video_url input_video",
    f"{_FORM} file_uri {_THOUGHT}",
    _NAMES,
    source=_SOURCE,
    image_url=_URL,
    input_audio=_SOUND,
    audio_url=_URL,
    video_url=_URL,
    input_video=_SOUND,
    image=_INSIDE,
    audio=_INSIDE,
    video=_INSIDE,
    guardContent=block_type(image=_INSIDE),
    inline_data=_LOADED,
    inlineData=_LOADED,
    fileData=_LOADED,
    file_data=_LOADED,
    extras=_ABOUT_FILE,
    metadata=_ABOUT_FILE,
)
"""A picture, a recording or a film, of whichever provider."""
_CITES: Final = block_type(free="enabled")
_ABOUT_DOCUMENT: Final = block_type(free="file_id cache_control", names=_NAMES, citations=_CITES)
FILE: Final = replace(
    MEDIUM,
    read=MEDIUM.read | {"file_data"},
    free=MEDIUM.free | {"file_url"},
    within={
        **MEDIUM.within,
        "document": replace(_INSIDE, within={**_INSIDE.within, "citations": _CITES}),
        "file": block_type("file_data data", "file_id format mime_type", _NAMES),
        "citations": _CITES,
        "extras": _ABOUT_DOCUMENT,
        "metadata": _ABOUT_DOCUMENT,
    },
)
"""A block of a file that is a picture, a recording or a film."""
DOCUMENT: Final = replace(FILE, read=FILE.read | {"text"})
"""A document that is no plain text."""
_TITLED: Final = replace(_ABOUT_DOCUMENT, read=frozenset({"title", "context"}))
PLAIN_DOCUMENT: Final = replace(
    DOCUMENT,
    read=DOCUMENT.read | {"title", "context"},
    within={
        **DOCUMENT.within,
        "document": block_type("title context", "format", _NAMES, source=_SOURCE, citations=_CITES),
        "extras": _TITLED,
        "metadata": _TITLED,
    },
)
"""A document that is plain text, which is counted with what is said about it."""

QUOTED: Final = block_type("title source text cited_text citations", _ABOUT, content=WORDS)
"""A quotation, or what a search has found: texts with their title and their source."""

_CALLED: Final = block_type("name tool_name", f"id type toolUseId signature {_THOUGHT}")
CALL: Final = block_type(
    "name tool_name",
    f"{_ABOUT} call_id tool_call_id tool_id status server_label signature {_THOUGHT}",
    caller=block_type(free="type tool_id"),
    function=_CALLED,
    custom=_CALLED,
    toolUse=_CALLED,
    functionCall=_CALLED,
    function_call=_CALLED,
    extras=_SIGNED,
    extra_content=block_type(google=_SIGNED),
)
"""A call; its arguments are read too, under the key that they have."""
_RESPONSE: Final = block_type("response parts", "id", _NAMES)
RESULT: Final = block_type(
    "content output",
    f"{_ABOUT} tool_use_id call_id is_error status",
    toolResult=block_type("content", "toolUseId status type"),
    functionResponse=_RESPONSE,
    function_response=_RESPONSE,
)
"""A result of a call."""
APPROVAL: Final = block_type("approve reason", f"{_ABOUT} approval_request_id")

_COPY: Final = "signature encrypted_content thoughtSignature thought_signature"
REASONING: Final = block_type(
    free=f"{_ABOUT} status thought {_COPY}",
    extras=_SIGNED,
    reasoning_content=block_type("text", _COPY),
    reasoningContent=block_type("text", "signature redactedContent", reasoningText=block_type("text", "signature")),
)
"""Thoughts; what they say is read too, under the key that it has. The copy that only the provider can read costs what
the family's row says."""
DETAIL: Final = block_type(free=f"{_ABOUT} format data {_COPY}")
"""A piece of thoughts as OpenRouter has it beside a content."""
REDACTED: Final = replace(REASONING, free=REASONING.free | {"data"})
MADE_IMAGE: Final = block_type("result", f"{_ABOUT} status")
"""A picture that the provider's own tool has made."""

_RUN: Final = block_type(free="id index cache_control call_id tool_use_id status")
RUN_BY_PROVIDERS: Final[Mapping[str, BlockType]] = dict.fromkeys(
    (
        "server_tool_use", "mcp_tool_use", "web_search_tool_result", "web_fetch_tool_result",
        "code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
        "tool_search_tool_result", "mcp_tool_result", "server_tool_call", "server_tool_result", "web_search_call",
        "file_search_call", "code_interpreter_call", "tool_search_call", "tool_search_output", "mcp_call",
        "mcp_list_tools",
    ),
    _RUN,
)  # fmt: skip
"""Calls of the providers' own tools, and what these have given: all that is said in them is counted as JSON, with the
type, which says what it was."""

_AUDIO: Final = block_type(free="id expires_at")
BESIDE: Final = block_type(audio=_AUDIO)
"""What frameworks keep beside a message and send with it."""
_SAID: Final = "role id type status"
MESSAGES: Final[Mapping[str, BlockType]] = {
    "openai": block_type(
        "content", f"{_SAID} tool_call_id cache_control prefix", audio=_AUDIO, reasoning_details=DETAIL
    ),
    "anthropic": block_type("content", f"{_SAID} model stop_reason stop_sequence stop_details usage container"),
    "bedrock": block_type("content", "role"),
    "gemini": block_type("parts", "role"),
    "responses": block_type("content", f"{_SAID} phase"),
}
"""What stands beside the blocks of a message, by its format."""
