"""The two figures of a whole request: the sum of its parts, and what only the whole shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ctx_core.counting.counts import TokenCount
from ctx_core.counting.documents import cites
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.structured import schema_text
from ctx_core.messages import Message, Part, ReasoningPart, Role, ToolCall

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
    estimate = nearest.count_messages(messages, tools=tools) + charged(nearest, options, tools=bool(tools))
    estimate = max(0, estimate - _savings(nearest, messages, tools, options))
    if counter.margin.none:
        return TokenCount(estimate=estimate, bound=estimate)
    # A saving is an estimate too: the bound takes only what is charged on top.
    bound = counter.count_messages(messages, tools=tools) + charged(counter, options, tools=bool(tools))
    return TokenCount(estimate=estimate, bound=max(bound, estimate))


def charged(counter: TokenCounter, options: RequestOptions, *, tools: bool) -> int:
    """Give what the options of a request cost beside its messages and tools; what they save is not in the bound."""
    tokens = _charges(counter, options, tools=tools)
    return tokens if counter.margin.none else math.ceil(max(0, tokens) * counter.margin.tools)


def _charges(counter: TokenCounter, options: RequestOptions, *, tools: bool) -> int:
    framing = counter.framing
    tokens = _choice(counter, options.tool_choice) if tools else 0
    if options.schema is not None:
        # Some hosts show the model a schema that others only enforce: the bound is for both.
        per_token = framing.per_schema_token if counter.margin.none else max(1.0, framing.per_schema_token)
        text = schema_text(options.schema, name=options.schema_name, description=options.schema_description)
        tokens += round(counter.tokenizer.count(text) * per_token) + framing.per_schema
    if options.thinking:
        tokens += framing.thinking + (framing.thinking_with_tools if tools else 0)
    return tokens


def _savings(
    counter: TokenCounter, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions
) -> int:
    framing = counter.framing
    tokens = _unseen_thoughts(counter, messages)
    if tools and options.schema is not None and framing.tools_in_system:
        tokens += framing.per_schema - 1  # both stand in one message
    if messages and messages[0].role.instructs:
        tokens += framing.default_system
        if (tools or options.schema is not None) and framing.tools_in_system:
            tokens += 4 - _appended(counter, messages[0].text)
    if framing.citations:
        quoted = sum(cites(part) for message in messages for part in message.parts)
        tokens += framing.citations * max(0, quoted - 1)
    return tokens + (framing.per_message + framing.per_assistant) * sum(map(_empty, messages))


def _empty(message: Message) -> bool:
    return message.role is Role.ASSISTANT and not message.parts and not message.tool_calls


def _unseen_thoughts(counter: TokenCounter, messages: list[Message]) -> int:
    """Give what the thoughts cost that the model is not shown again."""
    shown = counter.framing.reasoning
    earlier = 1 + max((at for at, message in enumerate(messages) if message.role is Role.USER), default=-1)
    text_hidden = {"all": 0, "turn": earlier, "none": len(messages), "sealed": 0}[shown]
    thoughts = [part for message in messages[:text_hidden] for part in message.parts if isinstance(part, ReasoningPart)]
    running = bool(messages) and messages[-1].role is not Role.USER
    seals: list[Part | ToolCall] = [
        holder
        for message in messages[: 0 if counter.framing.earlier_seals and running else earlier]
        for holder in (*message.parts, *message.tool_calls)
    ]
    return sum(counter.count_text(part.text) for part in thoughts if part.text) + sum(
        counter.count_seal(holder.sealed) for holder in seals if isinstance(holder, ReasoningPart | ToolCall)
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
