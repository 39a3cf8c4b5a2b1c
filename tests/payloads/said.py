"""Short conversations of each framework, each with one kind of block or call in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from tests.payloads.kinds import ASSISTANTS, PDF, PICTURE, RESULTS, SOUND, USERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.payloads.client import Framework
    from tests.payloads.kinds import Block
    from tests.payloads.words import Words

    Said = Callable[[Words, int], list[Any]]
    """Makes messages of texts; the number is another for each, for ids."""


def _human(block: Block) -> Said:
    return lambda words, _: [HumanMessage([block(words), {"type": "text", "text": words()}]), AIMessage(words())]


def _answer(block: Block) -> Said:
    return lambda words, _: [HumanMessage(words()), AIMessage([{"type": "text", "text": words()}, block(words)])]


def _result(block: Block) -> Said:
    return lambda words, at: _step(words, at, ToolMessage([block(words)], tool_call_id=f"call_{at}"))


def _step(words: Words, at: int, result: Any) -> list[Any]:
    call: Any = {
        "type": "tool_call",
        "id": f"call_{at}",
        "name": "look",
        "args": {"place": words.plain(), "days": [1, 2]},
    }
    return [HumanMessage(words()), AIMessage("", tool_calls=[call]), result]


def _function(words: Words, at: int) -> dict[str, Any]:
    function = {"name": "look", "arguments": json.dumps({"place": words.plain()})}
    return {"id": f"call_{at}", "type": "function", "function": function}


_CALLS: Final[dict[str, Said]] = {
    "a call": lambda words, at: _step(words, at, ToolMessage(words(), tool_call_id=f"call_{at}")),
    "a call that is no JSON": lambda words, at: [
        HumanMessage(words()),
        AIMessage(
            "",
            invalid_tool_calls=[
                {"type": "invalid_tool_call", "id": f"call_{at}", "name": "look", "args": words(), "error": "no JSON"}
            ],
        ),
        ToolMessage(words(), tool_call_id=f"call_{at}"),
    ],
    "a call as OpenAI sent it": lambda words, at: [
        HumanMessage(words()),
        AIMessage("", additional_kwargs={"tool_calls": [_function(words, at)]}),
        ToolMessage(words(), tool_call_id=f"call_{at}"),
    ],
    "a function call": lambda words, at: [
        HumanMessage(words()),
        AIMessage(words(), additional_kwargs={"function_call": _function(words, at)["function"]}),
    ],
    "a function call that says more": lambda words, at: [
        HumanMessage(words()),
        AIMessage(words(), additional_kwargs={"function_call": _function(words, at)["function"] | {"note": words()}}),
    ],
    "a result of a long name": lambda words, at: _step(
        words, at, ToolMessage(words(), tool_call_id=f"call_{at}", name=f"look {words()}")
    ),
    "thoughts beside": lambda words, _: [
        HumanMessage(words()),
        AIMessage(words(), additional_kwargs={"reasoning_content": words()}),
    ],
    "a refusal beside": lambda words, _: [
        HumanMessage(words()),
        AIMessage(words(), additional_kwargs={"refusal": words()}),
    ],
}
LANGCHAIN: Final[dict[str, Said]] = {
    **{f"the user: {name}": _human(block) for name, block in USERS.items()},
    **{f"the assistant: {name}": _answer(block) for name, block in ASSISTANTS.items()},
    **{f"a result: {name}": _result(block) for name, block in RESULTS.items()},
    **_CALLS,
}

_USER_BLOCKS: Final[dict[str, Callable[[Words], Any]]] = {
    "a text": lambda words: TextBlock(text=words()),
    "a picture": lambda _: ImageBlock(image=PICTURE.encode(), image_mimetype="image/png"),
    "a picture by URL": lambda _: ImageBlock(url=f"data:image/png;base64,{PICTURE}"),
    "a recording": lambda _: AudioBlock(audio=SOUND.encode(), format="wav"),
    "a document": lambda _: DocumentBlock(data=PDF.encode(), title="a.pdf", document_mimetype="application/pdf"),
    "a source": lambda words: CitableBlock(title=words(), source=words(), content=[TextBlock(text=words())]),
    "a source that is a document": lambda words: CitableBlock(
        title=words(), source=words(), content=[DocumentBlock(data=PDF.encode(), document_mimetype="application/pdf")]
    ),
    "a quotation": lambda words: CitationBlock(
        cited_content=TextBlock(text=words()), source=words(), title=words(), additional_location_info={"start": 1}
    ),
    "the end of a cache": lambda _: CachePoint(cache_control={"type": "ephemeral"}),  # type: ignore[arg-type]  # as pydantic takes it
    "a call of the user": lambda words: ToolCallBlock(
        tool_call_id="u1", tool_name="look", tool_kwargs={"id": words.plain()}
    ),
}
_ANSWER_BLOCKS: Final[dict[str, Callable[[Words], Any]]] = {
    "a text": _USER_BLOCKS["a text"],
    "thoughts": lambda words: ThinkingBlock(content=words(), additional_information={"signature": "c2ln" * 40}),
    "thoughts that say more": lambda words: ThinkingBlock(content=words(), additional_information={"note": words()}),
    "a quotation": _USER_BLOCKS["a quotation"],
}


def _asked(block: Callable[[Words], Any]) -> Said:
    return lambda words, _: [
        ChatMessage(role="user", blocks=[TextBlock(text=words()), block(words)]),
        ChatMessage(role="assistant", content=words()),
    ]


def _answered(block: Callable[[Words], Any]) -> Said:
    return lambda words, _: [
        ChatMessage(role="user", content=words()),
        ChatMessage(role="assistant", blocks=[block(words), TextBlock(text=words())]),
    ]


def _gave(block: Callable[[Words], Any]) -> Said:
    return lambda words, at: [
        ChatMessage(role="user", content=words()),
        ChatMessage(
            role="assistant",
            blocks=[
                ToolCallBlock(
                    tool_call_id=f"call_{at}", tool_name="look", tool_kwargs={"place": words.plain(), "days": [1]}
                )
            ],
        ),
        ChatMessage(role="tool", blocks=[block(words)], additional_kwargs={"tool_call_id": f"call_{at}"}),
    ]


LLAMAINDEX: Final[dict[str, Said]] = {
    **{f"the user: {name}": _asked(block) for name, block in _USER_BLOCKS.items()},
    **{f"the assistant: {name}": _answered(block) for name, block in _ANSWER_BLOCKS.items()},
    **{f"a result: {name}": _gave(block) for name, block in _USER_BLOCKS.items() if "user" not in name},
    "calls beside": lambda words, at: [
        ChatMessage(role="user", content=words()),
        ChatMessage(
            role="assistant",
            content=words(),
            additional_kwargs={"tool_calls": [_function(words, at)], "refusal": words(), "note": {"id": words()}},
        ),
        ChatMessage(role="tool", content=words(), additional_kwargs={"tool_call_id": f"call_{at}", "name": "look"}),
    ],
    "a call in a block, and one beside that says more": lambda words, at: [
        ChatMessage(role="user", content=words()),
        ChatMessage(
            role="assistant",
            blocks=[ToolCallBlock(tool_call_id=f"call_{at}", tool_name="look", tool_kwargs={"place": words.plain()})],
            additional_kwargs={"tool_calls": [{**_function(words, at), "id": f"other_{at}", "note": words()}]},
        ),
        ChatMessage(role="tool", content=words(), additional_kwargs={"tool_call_id": f"call_{at}"}),
        ChatMessage(role="tool", content=words(), additional_kwargs={"tool_call_id": f"other_{at}"}),
    ],
    "the user: calls beside": lambda words, at: [
        ChatMessage(
            role="user",
            content=words(),
            additional_kwargs={"tool_calls": [_function(words, at)], "note": {"id": words()}},
        ),
        ChatMessage(role="assistant", content=words()),
    ],
    "a call as a text": lambda words, at: [
        ChatMessage(role="user", content=words()),
        ChatMessage(
            role="assistant",
            blocks=[ToolCallBlock(tool_call_id=f"call_{at}", tool_name="look", tool_kwargs=words.plain())],
        ),
        ChatMessage(role="tool", content=words(), additional_kwargs={"tool_call_id": f"call_{at}"}),
    ],
}
FRAMEWORKS: Final[dict[Framework, dict[str, Said]]] = {"langchain": LANGCHAIN, "llamaindex": LLAMAINDEX}
