"""What stands in the fields of LlamaIndex's messages and blocks, as far as it is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    VideoBlock,
)
from pydantic import AnyUrl, BaseModel

from ctx_core.conversation.declared_fields import check_fields
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.declared_fields import FieldTypes

_TEXT: Final = (str,)
_NAME: Final = (str, type(None))
_MAPPING: Final = (dict, Mapping)
_ANYTHING: Final = (object,)
_MEDIUM: Final[FieldTypes] = {"path": (*_NAME, Path), "url": (*_NAME, AnyUrl)}
_OF_MESSAGES: Final[FieldTypes] = {"role": _TEXT, "blocks": (list, tuple), "additional_kwargs": _MAPPING}
_OF_BLOCKS: Final[Mapping[type[BaseModel], FieldTypes]] = {
    TextBlock: {"text": _TEXT},
    ThinkingBlock: {"content": _NAME, "additional_information": _MAPPING},
    ImageBlock: {**_MEDIUM, "image": _ANYTHING, "image_mimetype": _NAME, "detail": _NAME},
    AudioBlock: {**_MEDIUM, "audio": _ANYTHING, "format": _NAME},
    VideoBlock: {**_MEDIUM, "video": _ANYTHING, "video_mimetype": _NAME, "detail": _NAME},
    DocumentBlock: {**_MEDIUM, "data": _ANYTHING, "document_mimetype": _NAME, "title": _NAME},
    CitableBlock: {"title": _TEXT, "source": _TEXT, "content": (list, tuple)},
    CitationBlock: {"title": _TEXT, "source": _TEXT, "cited_content": _ANYTHING},
    ToolCallBlock: {"tool_call_id": _ANYTHING, "tool_name": _ANYTHING, "tool_kwargs": _ANYTHING},
    CachePoint: {"cache_control": _ANYTHING},
}
"""Fields by the class of the block; those of other classes are read as they are dumped."""


def check_message(native: ChatMessage) -> None:
    """Refuse a message with a field, or a block with one, of another type than its class declares.

    Raises:
        MessageError: names the field.
    """
    check_fields(native, _OF_MESSAGES)
    for block in native.blocks:
        _check_block(block)


def _check_block(block: object) -> None:
    if not isinstance(block, BaseModel):
        msg = f"a content block must be one of LlamaIndex's, such as TextBlock, found {type(block).__name__}"
        raise MessageError(msg)
    check_fields(block, _declared(type(block)))
    if isinstance(block, CitableBlock):
        for inner in block.content:
            _check_block(inner)
    elif isinstance(block, CitationBlock):
        _check_block(block.cited_content)


@lru_cache(256)
def _declared(kind: type[BaseModel]) -> FieldTypes:
    declared: dict[str, tuple[type, ...]] = {"block_type": _TEXT} if "block_type" in kind.model_fields else {}
    for of_class, fields in _OF_BLOCKS.items():
        if issubclass(kind, of_class):
            declared.update(fields)
    return declared
