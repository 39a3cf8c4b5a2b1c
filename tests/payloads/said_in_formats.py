"""Messages of each provider's own format, each with one kind of block, call or field in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.payloads.kinds import ASSISTANTS, PDF, PICTURE, RESULTS, SOUND, USERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.conversation.formats.names import FormatName
    from tests.payloads.kinds import Block
    from tests.payloads.words import Words

    Said = Callable[[Words, int], list[Any]]
    """Makes messages of texts; the number is another for each, for ids."""


def _message(role: str, block: Block, key: str = "content") -> Said:
    return lambda words, _: [{"role": role, key: [block(words)]}]


def _under(key: str, block: Block) -> Block:
    return lambda words: {key: block(words)}


def _gave(block: Block) -> Block:
    return lambda words: {"toolUseId": "r1", "content": [block(words)]}


def _field(role: str, **fields: Callable[[Words], Any]) -> Said:
    return lambda words, _: [{"role": role, "content": words(), **{name: told(words) for name, told in fields.items()}}]


def _function(words: Words) -> dict[str, Any]:
    return {"name": "look", "arguments": json.dumps({"place": words.plain()})}


_OPENAI: Final[dict[str, Said]] = {
    **{f"the user: {name}": _message("user", block) for name, block in USERS.items()},
    **{f"the assistant: {name}": _message("assistant", block) for name, block in ASSISTANTS.items()},
    "a system text": lambda words, _: [{"role": "system", "content": words()}],
    "a name": lambda words, _: [{"role": "user", "name": words(), "content": words()}],
    "a refusal": _field("assistant", refusal=lambda words: words()),
    "thoughts": _field("assistant", reasoning_content=lambda words: words()),
    "thoughts in two places": lambda words, _: [
        {"role": "assistant", "content": words(), "reasoning": (told := words()), "reasoning_content": told[:]}
    ],
    "other thoughts": _field("assistant", reasoning=lambda words: words(), thinking=lambda words: words()),
    "details of thoughts": _field(
        "assistant",
        reasoning_details=lambda words: [
            {"type": "reasoning.text", "text": words(), "signature": "c2ln", "note": words()}
        ],
    ),
    "a call": _field(
        "assistant", tool_calls=lambda words: [{"id": "c1", "type": "function", "function": _function(words)}]
    ),
    "a call that says more": _field(
        "assistant",
        tool_calls=lambda words: [{"id": "c1", "type": "function", "function": _function(words), "note": words()}],
    ),
    "a custom call": _field(
        "assistant",
        tool_calls=lambda words: [{"id": "c1", "type": "custom", "custom": {"name": "look", "input": words()}}],
    ),
    "a function call": _field("assistant", function_call=_function),
    "calls of the user": _field(
        "user", tool_calls=lambda words: [{"id": "c1", "type": "function", "function": _function(words)}]
    ),
    "a result": lambda words, _: [{"role": "tool", "tool_call_id": "c1", "name": "look", "content": words()}],
    "a result that says more": lambda words, _: [
        {"role": "tool", "tool_call_id": "c1", "content": words(), "structured_content": {"rows": [{"id": words()}]}}
    ],
    "quotations": _field(
        "assistant", annotations=lambda words: [{"type": "url_citation", "url_citation": {"title": words()}}]
    ),
    "a recording": _field("assistant", audio=lambda words: {"id": "a1", "data": SOUND, "transcript": words()}),
    "pictures beside": _field("user", images=lambda _: [PICTURE]),
    "a field of nobody": _field("user", held=lambda words: {"id": [words()]}),
}


def _result_of_anthropic(block: Block) -> Said:
    return lambda words, at: [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"r{at}", "content": [block(words)]}]}
    ]


_ANTHROPIC: Final[dict[str, Said]] = {
    **{f"the user: {name}": _message("user", block) for name, block in USERS.items() if "call" not in name},
    **{f"the assistant: {name}": _message("assistant", block) for name, block in ASSISTANTS.items()},
    **{f"a result: {name}": _result_of_anthropic(block) for name, block in RESULTS.items()},
    "a result that says more": lambda words, at: [
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": f"r{at}", "content": words(), "data": words()}],
        }
    ],
    "a result in two forms": lambda words, at: [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": f"r{at}", "content": words()},
                {"type": "text", "text": words()},
            ],
            "held": words(),
        }
    ],
    "a text": lambda words, _: [{"role": "user", "content": words()}],
}
_GEMINI_PARTS: Final[dict[str, Block]] = {
    "a text": lambda words: {"text": words()},
    "a text with a signature": lambda words: {"text": words(), "thoughtSignature": "c2ln" * 40},
    "thoughts": lambda words: {"text": words(), "thought": True},
    "a picture": lambda _: {"inlineData": {"mimeType": "image/png", "data": PICTURE}},
    "a picture that says more": lambda words: {
        "inline_data": {"mime_type": "image/png", "data": PICTURE},
        "note": words(),
    },
    "a recording": lambda _: {"inlineData": {"mimeType": "audio/wav", "data": SOUND}},
    "a document": lambda _: {"inlineData": {"mimeType": "application/pdf", "data": PDF}},
    "code": lambda words: {"executableCode": {"language": "PYTHON", "code": words()}},
    "what code gave": lambda words: {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": words()}},
    "what nobody knows": lambda words: {"brandNew": {"id": words(), "data": {"signature": words()}}},
}
_GEMINI_RESULTS: Final[dict[str, Block]] = {
    "a text": lambda words: {"name": "look", "response": {"output": words()}},
    "JSON": lambda words: {"name": "look", "id": "c1", "response": {"rows": [{"id": words()}]}},
    "a picture": lambda words: {
        "name": "look",
        "response": {"output": words()},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": PICTURE}}],
    },
    "what says more": lambda words: {"name": "look", "response": {"output": words()}, "held": words()},
}
_GEMINI: Final[dict[str, Said]] = {
    **{f"the user: {name}": _message("user", block, "parts") for name, block in _GEMINI_PARTS.items()},
    **{f"the model: {name}": _message("model", block, "parts") for name, block in _GEMINI_PARTS.items()},
    **{
        f"a result: {name}": _message("user", _under("functionResponse", told), "parts")
        for name, told in _GEMINI_RESULTS.items()
    },
    "a call": _message("model", lambda words: {"functionCall": {"name": "look", "args": {"id": words()}}}, "parts"),
    "a call that says more": _message(
        "model", lambda words: {"functionCall": {"name": "look", "args": {"id": words()}, "held": words()}}, "parts"
    ),
}
_BEDROCK_BLOCKS: Final[dict[str, Block]] = {
    "a text": lambda words: {"text": words()},
    "a picture": lambda _: {"image": {"format": "png", "source": {"bytes": PICTURE}}},
    "a document": lambda _: {"document": {"format": "pdf", "name": "a", "source": {"bytes": PDF}}},
    "a document that says more": lambda words: {
        "document": {"format": "pdf", "name": "a", "context": words(), "source": {"bytes": PDF}}
    },
    "a plain document": lambda words: {"document": {"format": "txt", "name": "a", "source": {"text": words()}}},
    "a guarded text": lambda words: {"guardContent": {"text": {"text": words()}}},
    "a search result": lambda words: {
        "searchResult": {"title": words(), "source": words(), "content": [{"text": words()}]}
    },
    "quotations": lambda words: {
        "citationsContent": {"content": [{"text": words()}], "citations": [{"title": words()}]}
    },
    "the end of a cache": lambda _: {"cachePoint": {"type": "default"}},
    "what nobody knows": lambda words: {"brandNew": {"id": words(), "deep": [[[[[[[[[[words()]]]]]]]]]]}},
}
_BEDROCK: Final[dict[str, Said]] = {
    **{f"the user: {name}": _message("user", block) for name, block in _BEDROCK_BLOCKS.items()},
    **{
        f"a result: {name}": _message("user", _under("toolResult", _gave(block)))
        for name, block in _BEDROCK_BLOCKS.items()
    },
    "JSON": _message(
        "user", lambda words: {"toolResult": {"toolUseId": "r1", "content": [{"json": {"id": [words()]}}]}}
    ),
    "thoughts": _message(
        "assistant", lambda words: {"reasoningContent": {"reasoningText": {"text": words(), "signature": "c2ln" * 40}}}
    ),
    "a call": _message(
        "assistant", lambda words: {"toolUse": {"toolUseId": "r1", "name": "look", "input": {"id": words()}}}
    ),
}


def _item(kind: str, **fields: Callable[[Words], Any]) -> Said:
    return lambda words, at: [
        {"type": kind, "call_id": f"c{at}", **{name: told(words) for name, told in fields.items()}}
    ]


_RESPONSES: Final[dict[str, Said]] = {
    "a text": lambda words, _: [{"role": "user", "content": [{"type": "input_text", "text": words()}]}],
    "a picture": _message("user", lambda _: {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}),
    "a picture that says more": _message(
        "user", lambda words: {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}", "text": words()}
    ),
    "a document": _message(
        "user", lambda _: {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}
    ),
    "an answer": lambda words, _: [
        {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": words()}]}
    ],
    "quotations": lambda words, _: [
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": words(),
                    "annotations": [{"type": "file_citation", "filename": words()}],
                }
            ],
        }
    ],
    "a refusal": _message("assistant", lambda words: {"type": "refusal", "refusal": words()}),
    "a call": _item("function_call", name=lambda _: "look", arguments=lambda words: json.dumps({"id": words.plain()})),
    "a custom call": _item("custom_tool_call", name=lambda _: "look", input=lambda words: words()),
    "a shell call": _item("shell_call", action=lambda words: {"commands": [words()]}),
    "a computer call": _item(
        "computer_call", action=lambda _: {"type": "click"}, pending_safety_checks=lambda words: [{"message": words()}]
    ),
    "a result": _item("function_call_output", output=lambda words: words()),
    "a picture in a result": _item(
        "function_call_output",
        output=lambda words: [
            {"type": "input_text", "text": words()},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
        ],
    ),
    "a screenshot": _item(
        "computer_call_output",
        output=lambda _: {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PICTURE}"},
    ),
    "what a shell said": _item("shell_call_output", output=lambda words: [{"stdout": words(), "stderr": words()}]),
    "a result that says more": _item("function_call_output", output=lambda words: words(), held=lambda words: words()),
    "thoughts": _item(
        "reasoning",
        summary=lambda words: [{"type": "summary_text", "text": words()}],
        content=lambda words: [{"type": "reasoning_text", "text": words()}],
        encrypted_content=lambda _: "c2ln" * 300,
    ),
    "a search": _item("web_search_call", action=lambda words: {"type": "search", "query": words()}),
    "what was found": _item("file_search_call", results=lambda words: [{"text": words(), "filename": words()}]),
    "a picture that was made": _item(
        "image_generation_call", result=lambda _: PICTURE, revised_prompt=lambda words: words()
    ),
    "what nobody knows": _item("brand_new", data=lambda words: {"signature": words()}),
}
FORMATS: Final[dict[FormatName, dict[str, Said]]] = {
    "openai": _OPENAI,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "bedrock": _BEDROCK,
    "responses": _RESPONSES,
}
