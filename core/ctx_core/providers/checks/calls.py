"""Calls and results: that each has its other, where they stand, and what they are called."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctx_core.conversation.fields import id_or_none, mapped
from ctx_core.conversation.provider_tools import asked_id, given_id
from ctx_core.providers.checks.items import items_of, open_in_previous
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Block, Turn
    from ctx_core.providers.rules import Rule


def calls_answered(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find calls without a result, and that such a call stands in the response that is gone on from."""
    yield from _at(checked.pairing.unanswered)
    answered = {result.id for result in checked.pairing.uncalled}
    if (open_in_previous(checked) or frozenset()) - answered:
        yield Found(path="previous_response_id")


def results_called(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results without a call, here or in the response that is gone on from."""
    left_open = open_in_previous(checked)
    if left_open is not None:
        yield from _at(result for result in checked.pairing.uncalled if result.id not in left_open)


def answers_adjacent(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results that do not stand right behind their call."""
    return _at(checked.pairing.displaced)


def one_result_a_call(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results of calls that have one."""
    return _at(checked.pairing.surplus)


def results_together(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results that stand in another turn than the first of their call's turn."""
    return _at(checked.pairing.divided)


def provider_tools_paired(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find what the provider's own tools were asked without a result, unless the list ends there, and results alone."""
    waiting: dict[str, Block] = {}
    for turn in checked.turns:
        if turn.role == "user" and len(turn.results) < len(turn.blocks):
            yield from _at(waiting.values())
            waiting = {}
        for block in turn.blocks if turn.role == "assistant" else ():
            if (told := asked_id(block.raw)) is not None:
                waiting[told] = block
            elif (told := given_id(block.raw)) is not None and waiting.pop(told, None) is None:
                yield Found(path=block.path)


def results_before_text(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results behind a text, a picture or a document of the same turn."""
    for turn in checked.turns:
        said = False
        for block in turn.blocks:
            if block.kind == "result" and said and turn.role != "tool":
                yield Found(path=block.path)
            said = said or block.kind in {"text", "media", "document"}


def results_alone(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find texts beside results or calls."""
    for turn in checked.turns:
        if turn.role != "tool" and (turn.results or turn.calls):
            yield from _at(block for block in turn.blocks if block.kind in {"text", "media", "document"})


def calls_last(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find texts of the assistant's behind a call of the same turn, with no thought between them.

    A model that thinks between its calls speaks there too.
    """
    for turn in checked.turns:
        called = False
        for block in turn.blocks:
            if block.kind == "text" and called and turn.role == "assistant" and not block.signature:
                yield Found(path=block.path)
            called = (called or block.kind == "call") and block.kind != "thinking" and not block.signature


def calls_or_text(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find assistant messages with both a text and calls, or with neither."""
    for turn in checked.turns:
        if turn.role == "assistant" and bool(turn.calls) == bool(turn.of("text")):
            yield Found(path=turn.path)


def calls_not_empty_list(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find lists of calls that have none."""
    for turn in checked.reading.turns:
        if turn.raw.get("tool_calls") == []:
            yield Found(path=f"{turn.path}.tool_calls")


def arguments_are_objects(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find arguments that are no object, or no JSON text of one."""
    return _at(call for call in _calls(checked.turns) if not _is_object(call.arguments))


def ids_present(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find calls and results without an id."""
    return _at(block for block in _both(checked.turns) if block.id is None)


def ids_plain(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find ids that do not match the pattern."""
    pattern = re.compile(rule.pattern or ".*")
    return (Found(path=path) for path, ids in _ids(checked) if any(pattern.fullmatch(one) is None for one in ids))


def ids_short(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find ids that are too long."""
    most = rule.most or 0
    return (Found(path=path) for path, ids in _ids(checked) if any(len(one) > most for one in ids))


def ids_unique(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find calls of an id that another has, in the whole request or in their turn."""
    seen: set[str] = set()
    for turn in checked.turns:
        if rule.within == "turn":
            seen = set()
        for call in turn.calls:
            if call.id is not None and call.id in seen:
                yield Found(path=call.path)
            seen |= set() if call.id is None else {call.id}


def names_plain(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find names of tools that do not match the pattern, in calls and in definitions."""
    pattern = re.compile(rule.pattern or ".*")
    yield from _at(call for call in _calls(checked.turns) if call.name is None or pattern.fullmatch(call.name) is None)
    for path, name in defined_tools(checked):
        if name is not None and pattern.fullmatch(name) is None:
            yield Found(path=path)


def results_named(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results without a name, in Gemini's own format: of other formats, clients put the call's there."""
    if checked.reading.format == "gemini":
        yield from _at(block for turn in checked.turns for block in turn.results if block.name is None)


def results_are_objects(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find results that should be objects and are not, where they are in the provider's own format."""
    if not checked.reading.own:
        return
    for turn in checked.turns:
        for result in turn.results:
            if checked.reading.format == "gemini" and not isinstance(result.raw.get("response"), Mapping):
                yield Found(path=result.path)
            for inner in result.inner:
                if "json" in inner.raw and not isinstance(inner.raw["json"], Mapping):
                    yield Found(path=inner.path)


def tools_defined(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find the first call or result of a request that has no tools."""
    if checked.reading.tools is not None and not checked.reading.tools:
        first = next(_both(checked.turns), None)
        if first is not None:
            yield Found(path=first.path)


def defined_tools(checked: CheckedRequest) -> Iterator[tuple[str, str | None]]:
    """Give where tools are defined and what they are called."""
    path = checked.reading.tools_path
    for at, tool in enumerate(checked.reading.tools or ()):
        inner = mapped(tool.get("function")) or mapped(tool.get("toolSpec")) or tool
        name = inner.get("name")
        yield f"{path}[{at}]", name if isinstance(name, str) else None


def _ids(checked: CheckedRequest) -> Iterator[tuple[str, list[str]]]:
    """Give the ids of calls and results, and of the other items of Responses, with their places."""
    for block in _both(checked.turns):
        yield block.path, [one for one in (block.id, block.item) if one is not None]
    for turn in items_of(checked):
        if not turn.calls and not turn.results and (item := id_or_none(turn.raw.get("id"))) is not None:
            yield turn.path, [item]


def _calls(turns: Iterable[Turn]) -> Iterator[Block]:
    return (block for turn in turns for block in turn.calls)


def _both(turns: Iterable[Turn]) -> Iterator[Block]:
    return (block for turn in turns for block in turn.blocks if block.kind in {"call", "result"})


def _at(blocks: Iterable[Block]) -> Iterator[Found]:
    return (Found(path=block.path) for block in blocks)


def _is_object(arguments: object) -> bool:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return False
    return isinstance(arguments, Mapping)
