"""The request that a provider takes, made of one that it would refuse."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.fields import mapped
from ctx_core.providers.changes.contents import is_without_data
from ctx_core.providers.changes.texts import BEGIN
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.counting.counter import CounterLike, ToolDefinition
    from ctx_core.engine.context import Context
    from ctx_core.providers.checks.reading import Reading, Turn
    from ctx_core.providers.resolve import Target

_NO_LIMIT: Final = 10**12
"""Tokens that no request has, counted by its characters."""
_SYSTEMS: Final = {
    "anthropic": "system",
    "bedrock": "system",
    "gemini": "systemInstruction",
    "responses": "instructions",
}
"""Where formats have the system text that is no message."""

_APART: Final = frozenset({"anthropic", "bedrock", "gemini"})
"""Formats whose lists have no system message at their head."""


def corrected(
    messages: Sequence[Any],
    reading: Reading,
    target: Target,
    *,
    limit: int | None = None,
    counter: CounterLike | None = None,
) -> Context[Any]:
    """Give the messages that the provider takes, as a context that a builder has built.

    Args:
        messages: as they came in.
        reading: the same, read.
        target: where they go.
        limit: tokens that they may have; None: as many as they are.
        counter: counts the tokens; it is not asked without a limit.

    Raises:
        ContextOverflowError: if what is protected does not fit the limit.
        MessageError: for a message that cannot be read.
    """
    budget = ContextBudget(_NO_LIMIT if limit is None else limit)
    # Asked of whom it may be, the request is made one that every row takes.
    told = target.provider if target.provider == UNKNOWN else target
    builder = ContextBuilder(budget, len if limit is None else counter).provider(told)
    if reading.tools:
        builder = builder.tools(cast("Iterable[ToolDefinition]", reading.tools))
    elif reading.tools is not None:
        builder = builder.without_tools()
    leading = _leading(reading)
    if leading:
        builder = builder.system("\n\n".join(block.text for turn in leading for block in turn.of("text")))
    spoken = messages[len(leading) :]
    # Instructions alone are no request where they are not in the list.
    begun = BEGIN if leading and not spoken else None
    context = builder.build(spoken, begun, codec=reading.format)
    # Where nothing of a list could stay, results without calls say, nothing would be asked.
    return context if context.messages else builder.build([], BEGIN, codec=reading.format)


def _leading(reading: Reading) -> tuple[Turn, ...]:
    """Give the system messages at the head of a list whose format has none there: they are system text."""
    if reading.format not in _APART:
        return ()
    return tuple(takewhile(lambda turn: turn.role == "system", reading.turns))


def with_messages(reading: Reading, context: Context[Any]) -> dict[str, Any]:
    """Give a whole request with these messages: system text that left the list stands behind what there is of it."""
    request = {**reading.request, reading.listed: context.messages}
    key = _SYSTEMS.get(reading.format)
    if key is not None and key in request and reading.format in _APART:
        said = _without_blanks(request.pop(key))
        request |= {} if said is None else {key: said}
    if key is not None and context.system_prompt:
        request[key] = _behind(request.get(key), context.system_prompt, reading.format)
    return request


def _behind(system: object, text: str, named: str) -> object:
    """Put a text behind the system text of a request, in the form that it has."""
    fields: Mapping[str, Any] | None = mapped(system)
    if named == "gemini":
        held = () if fields is None else cast("Sequence[object]", fields.get("parts") or ())
        return {**(fields or {}), "parts": [*held, {"text": text}]}
    if isinstance(system, list | tuple) or named == "bedrock":
        block = {"text": text} if named == "bedrock" else {"type": "text", "text": text}
        return [*cast("Sequence[object]", system or ()), block]
    return f"{system}\n\n{text}" if system else text


def _without_blanks(system: object) -> object:
    """Give the system text of a request without blocks that say nothing; None where nothing is left of it."""
    fields: Mapping[str, Any] | None = mapped(system)
    held: object = system if fields is None else fields.get("parts")
    if not isinstance(held, list | tuple):
        return system
    blocks = cast("Sequence[object]", held)
    said = [block for block in blocks if not _says_nothing(mapped(block) or {})]
    if len(said) == len(blocks):
        return system
    if fields is None or not said:
        return said or None
    return {**fields, "parts": said}


def _says_nothing(block: Mapping[str, Any]) -> bool:
    text: object = block.get("text")
    return is_without_data(block) or (isinstance(text, str) and not text.strip())
