"""Items of OpenAI's Responses API in the content of a message: thoughts and what was generated behind them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.natives import without
from ctx_core.conversation.openai_fields import THOUGHTS_OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage

    Content = str | list[str | dict[Any, Any]]

_IDS_OF_CALLS: Final = "__openai_function_call_ids__"
"""Where langchain-openai's older form of a message has the ids of the items of calls."""


def without_thoughts_outside(extra: Mapping[str, Any], origin: BaseMessage) -> dict[str, Any]:
    """Give the fields of a message of which all thoughts have gone.

    In langchain-openai's older form an item of thoughts stands beside the content, the id of the text behind it is that
    of the message, and those of calls stand beside the content too.

    Args:
        extra: its `additional_kwargs` as they are now.
        origin: the message as it was.
    """
    gone = {*THOUGHTS_OUTSIDE}
    update: dict[str, Any] = {}
    if "id" in (mapped(extra.get("reasoning")) or {}):
        gone.add(_IDS_OF_CALLS)
        if (origin.id or "").startswith("msg_"):
            update["id"] = None
    return {**update, "additional_kwargs": {key: value for key, value in extra.items() if key not in gone}}


def with_their_thoughts(content: Content, before: Content) -> Content:
    """Give a changed content in which thoughts go with the item behind them, and an item without them has no id.

    By its id the provider would look for the thoughts.

    Args:
        content: what is left.
        before: what the message had.
    """
    if isinstance(content, str) or isinstance(before, str):
        return content
    items = [block for block in before if isinstance(block, dict)]
    thoughts = {id(item): following for item, following in pairwise(items) if _is_stored(item)}
    if not thoughts:
        return content
    left = {_name(block) for block in content}
    lost = {_name(following) for at, following in thoughts.items() if not _stays(items, at, left)}
    gone = {_name(item) for item in items if id(item) in thoughts and _name(thoughts[id(item)]) not in left}
    return [_without_id(block) if _name(block) in lost else block for block in content if _name(block) not in gone]


def _stays(items: Sequence[dict[Any, Any]], at: int, left: set[object]) -> bool:
    return any(id(item) == at and _name(item) in left for item in items)


def _is_stored(block: dict[Any, Any]) -> bool:
    return block.get("type") == "reasoning" and isinstance(block.get("id"), str)


def _name(block: object) -> object:
    """Give what a block is known by in a content: its id, else itself."""
    fields = mapped(block)
    told: object = None if fields is None else fields.get("id")
    return told if isinstance(told, str) else id(block)


def _without_id(block: str | dict[Any, Any]) -> str | dict[Any, Any]:
    """Give a block without the id of its item; in LangChain's own block of a call it stands beside that of the call."""
    if not isinstance(block, dict) or block.get("type") == "server_tool_call":
        return block
    if block.get("type") != "tool_call":
        return {key: value for key, value in block.items() if key != "id"}
    extras = mapped(block.get("extras"))
    return block if extras is None else {**block, "extras": without(extras, "item_id")}
