"""The two figures of a whole request: the sum of its parts, and what only the whole shows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ctx_core.counting.counts import TokenCount
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.structured import schema_text
from ctx_core.messages import Message, ReasoningPart, Role

if TYPE_CHECKING:
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.counting.tool_schemas import ToolDefinition

_TAIL = 24
"""Characters at the end of a text that can decide how what is appended to it is divided into tokens."""


def measured(
    counter: TokenCounter, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions | None
) -> TokenCount:
    """Give the nearest figure and the bound of a request."""
    options = options or RequestOptions()
    nearest = counter.nearest
    estimate = nearest.count_messages(messages, tools=tools)
    estimate += _charges(nearest, messages, tools, options) - _savings(nearest, messages, tools, options)
    if counter.margin.none:
        return TokenCount(estimate=max(0, estimate), bound=max(0, estimate))
    # A saving is an estimate too: the bound takes only what is charged on top.
    bound = counter.count_messages(messages, tools=tools) + math.ceil(
        max(0, _charges(counter, messages, tools, options)) * counter.margin.tools
    )
    return TokenCount(estimate=max(0, estimate), bound=max(0, bound, estimate))


def _charges(
    counter: TokenCounter, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions
) -> int:
    framing = counter.framing
    tokens = _choice(counter, options.tool_choice) if tools else 0
    if options.schema is not None:
        # Some hosts show the model a schema that others only enforce: the bound is for both.
        per_token = framing.per_schema_token if counter.margin.none else max(1.0, framing.per_schema_token)
        text = schema_text(options.schema, name=options.schema_name, description=options.schema_description)
        tokens += round(counter.tokenizer.count(text) * per_token) + framing.per_schema
    if options.thinking:
        tokens += framing.thinking + (framing.thinking_with_tools if tools else 0)
    if framing.signature_characters:
        tokens += _signatures(messages) // framing.signature_characters
    if framing.citations and _cited(messages):
        tokens += framing.citations
    if framing.parallel is not None:
        tokens += sum(_parallel(counter, messages, at) for at in range(len(messages)))
    return tokens


def _savings(
    counter: TokenCounter, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions
) -> int:
    framing = counter.framing
    tokens = _unseen_reasoning(counter, messages)
    if tools and options.schema is not None and framing.tools_in_system:
        tokens += framing.per_schema - 1  # both stand in one message
    if messages and messages[0].role.instructs:
        tokens += framing.default_system
        if (tools or options.schema is not None) and framing.tools_in_system:
            tokens += 4 - _appended(counter, messages[0].text)
    return tokens + (framing.per_message + framing.per_assistant) * sum(map(_empty, messages))


def _asked(messages: list[Message]) -> int:
    """Give where the running turn begins: behind the last user message."""
    return 1 + max((at for at, message in enumerate(messages) if message.role is Role.USER), default=-1)


def _signatures(messages: list[Message]) -> int:
    """Give the characters of the signatures that came with the calls of the running turn."""
    raws: list[object] = [call.raw for message in messages[_asked(messages) :] for call in message.tool_calls]
    return sum(
        len(str(cast("Mapping[str, object]", raw).get("thoughtSignature") or ""))
        for raw in raws
        if isinstance(raw, Mapping)
    )


def _cited(messages: list[Message]) -> bool:
    raws: list[object] = [part.raw for message in messages for part in message.parts]
    return any(map(_cites, raws))


def _cites(block: object) -> bool:
    if not isinstance(block, Mapping):
        return False
    wanted = cast("Mapping[str, object]", block).get("citations")
    return isinstance(wanted, Mapping) and bool(cast("Mapping[str, object]", wanted).get("enabled"))


def _empty(message: Message) -> bool:
    return message.role is Role.ASSISTANT and not message.parts and not message.tool_calls


def _unseen_reasoning(counter: TokenCounter, messages: list[Message]) -> int:
    """Give what thoughts cost that a model's template leaves out."""
    shown = counter.framing.reasoning
    if shown == "all":
        return 0
    hidden = messages if shown == "none" else messages[: _asked(messages)]
    return sum(
        counter.count_text(part.text)
        for message in hidden
        for part in message.parts
        if isinstance(part, ReasoningPart) and part.text
    )


def _appended(counter: TokenCounter, text: str) -> int:
    """Give what a heading costs that is appended to a text, beyond the heading itself."""
    tail = text[-_TAIL:]
    count = counter.count_text
    return count(f"{tail}\n\n#") - count(tail) - count("#")


def _choice(counter: TokenCounter, choice: str) -> int:
    framing = counter.framing
    if choice in {"auto", "none"}:
        return 0
    if choice == "any":
        return framing.required_tool
    name = 0 if framing.forced_prefix is None else counter.count_text(framing.forced_prefix + choice)
    return framing.forced_tool + name


def _parallel(counter: TokenCounter, messages: list[Message], at: int) -> int:
    """Give what calls side by side cost beyond single ones: one call of a tool that holds them, results as JSON."""
    calls = messages[at].tool_calls
    if len(calls) < 2:  # noqa: PLR2004 - one call is no parallel call
        return 0
    count, framing = counter.count_text, counter.framing
    results: list[Message] = []
    for message in messages[at + 1 :]:
        if message.role is not Role.TOOL:
            break
        results.append(message)
    uses = [{"recipient_name": f"functions.{call.name}", "parameters": _parsed(call.arguments)} for call in calls]
    together = (framing.parallel or 0) + count(_compact({"tool_uses": uses}))
    together += sum(count(_compact(result.text)) for result in results)
    single = sum(counter.count_message(result) for result in results) + counter.count_message(messages[at])
    single -= count(messages[at].text) + framing.per_message if messages[at].text else 0
    return together - single


def _parsed(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
