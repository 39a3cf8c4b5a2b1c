"""What messages say: that it is something, and not too much of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.fields import mapped
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Block, Turn
    from ctx_core.providers.rules import Rule

_INSTEAD: tuple[str, ...] = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant message may have in place of a content."""


def content_present(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find null where a content belongs, in messages of chat completions."""
    if checked.reading.format != "openai":
        return
    for turn in checked.reading.turns:
        instead = turn.role == "assistant" and any(turn.raw.get(key) for key in _INSTEAD)
        if turn.raw and turn.raw.get("content") is None and not instead:
            yield Found(path=f"{turn.path}.content")


def not_empty(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find messages without content, and blocks with nothing in them."""
    for at, turn in enumerate(checked.turns):
        is_last = at == len(checked.turns) - 1
        free = rule.last_may and is_last and turn.role == "assistant"
        if not turn.blocks and turn.role != "" and not free:
            yield Found(path=turn.path)
        yield from _empty(turn.blocks)
    yield from _empty(checked.system)


def not_blank(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find texts that are empty or blank, in results too; one with a signature is Google's own."""
    for block in (*checked.system, *(block for turn in checked.turns for block in turn.blocks)):
        for one in (block, *block.inner):
            if one.kind == "text" and not one.text.strip() and not one.signature:
                yield Found(path=one.path)


def no_trailing_blanks(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find an answer at the end whose text ends in blanks."""
    if not checked.turns or checked.turns[-1].role != "assistant" or not checked.turns[-1].blocks:
        return
    last = checked.turns[-1].blocks[-1]
    if last.kind == "text" and last.text.strip() and last.text != last.text.rstrip():
        yield Found(path=last.path)


def document_with_text(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find documents in a message without a text."""
    for turn in checked.turns:
        if turn.of("document") and not turn.of("text"):
            yield Found(path=turn.of("document")[0].path)


def cache_marks(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find marks that are too many, on thinking, on an empty text, or of an hour behind one of five minutes."""
    marked = list(_marked(checked))
    short = False
    for count, (path, life, allowed) in enumerate(marked, start=1):
        if count > (rule.most or 0) or not allowed or (short and life == "1h"):
            yield Found(path=path)
        short = short or life == "5m"


def _marked(checked: CheckedRequest) -> Iterator[tuple[str, str, bool]]:
    """Give each mark in the order of the request: where, how long it lives, and whether it may stand there."""
    tools = [(f"{checked.reading.tools_path}[{at}]", tool) for at, tool in enumerate(checked.reading.tools or ())]
    for path, tool in tools:
        held = mapped(tool.get("cache_control")) or mapped(tool.get("cachePoint"))
        if held is not None:
            yield path, str(held.get("ttl", "5m")), True
    turns: Iterable[Turn] = checked.turns
    for block in (*checked.system, *(block for turn in turns for block in turn.blocks)):
        for one in (block, *block.inner):
            life = _mark(one)
            if life is not None:
                yield one.path, life, one.kind != "thinking" and (one.kind != "text" or bool(one.text))


def _mark(block: Block) -> str | None:
    """Give how long a cache mark lives; None where there is none."""
    held = mapped(block.raw.get("cache_control" if block.kind != "mark" else "cachePoint"))
    return None if held is None else str(held.get("ttl", "5m"))


def _empty(blocks: Iterable[Block]) -> Iterator[Found]:
    return (Found(path=block.path) for block in blocks if block.kind == "empty")
