"""The two figures of a whole request: the sum of its parts, and what only the whole shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import Part, ReasoningPart
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.documents import cites
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.structured import schema_text

if TYPE_CHECKING:
    from ctx_core.counting.prices import Prices
    from ctx_core.counting.tool_schemas import ToolDefinition

_TAIL: Final = 24
"""Characters at the end of a text that can decide how what is appended to it is divided into tokens."""


def measured(
    prices: Prices, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions | None
) -> TokenCount:
    """Give the estimate and the bound of a request."""
    options = options or RequestOptions()
    plain = prices.without_margin
    estimate = max(0, _sum(plain, messages, tools, options) - _savings(plain, messages, tools, options))
    if prices.margin.none:
        return TokenCount(estimate=estimate, bound=estimate)
    # A saving is an estimate too: the bound takes only what is charged on top.
    return TokenCount(estimate=estimate, bound=max(estimate, _sum(prices, messages, tools, options)))


def charged(prices: Prices, options: RequestOptions, *, tools: bool) -> int:
    """Give what the options of a request cost beside its messages and tools; what they save is not in the bound."""
    tokens = _charges(prices, options, tools=tools)
    return tokens if prices.margin.none else math.ceil(max(0, tokens) * prices.margin.tools)


def _sum(prices: Prices, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions) -> int:
    asked = charged(prices, options, tools=bool(tools))
    return prices.primer + prices.tools(tools) + prices.sequence(messages) + asked


def _charges(prices: Prices, options: RequestOptions, *, tools: bool) -> int:
    schema, reasoning = prices.framing.schema, prices.framing.reasoning
    tokens = _choice(prices, options.tool_choice) if tools else 0
    if options.schema is not None:
        # Some hosts show the model a schema that others only enforce: the bound is for both.
        per_token = schema.per_token if prices.margin.none else max(1.0, schema.per_token)
        text = schema_text(options.schema, name=options.schema_name, description=options.schema_description)
        tokens += round(prices.tokenizer.count(text) * per_token) + schema.per_schema
    if options.thinking:
        tokens += reasoning.per_request + (reasoning.with_tools if tools else 0)
    return tokens


def _savings(prices: Prices, messages: list[Message], tools: list[ToolDefinition], options: RequestOptions) -> int:
    framing, per_citation = prices.framing, prices.framing.documents.citations
    tokens = _hidden_reasoning(prices, messages)
    if tools and options.schema is not None and framing.tools.in_system:
        tokens += framing.schema.per_schema - 1  # both stand in one message
    if messages and messages[0].role.instructs:
        tokens += framing.messages.default_system
        if (tools or options.schema is not None) and framing.tools.in_system:
            tokens += 4 - _appended(prices, messages[0].text)
    if per_citation:
        quoted = sum(cites(part) for message in messages for part in message.parts)
        tokens += per_citation * max(0, quoted - 1)
    return tokens + (framing.messages.per_message + framing.messages.per_assistant) * sum(map(_empty, messages))


def _empty(message: Message) -> bool:
    return message.role is Role.ASSISTANT and not message.parts and not message.tool_calls


def _hidden_reasoning(prices: Prices, messages: list[Message]) -> int:
    """Give what the reasoning costs that the model is not shown again."""
    earlier = 1 + max((at for at, message in enumerate(messages) if message.role is Role.USER), default=-1)
    text_hidden = {"all": 0, "turn": earlier, "none": len(messages), "encrypted": 0}[prices.framing.reasoning.shown]
    hidden = [part for message in messages[:text_hidden] for part in message.parts if isinstance(part, ReasoningPart)]
    running = bool(messages) and messages[-1].role is not Role.USER
    copies: list[Part | ToolCall] = [
        holder
        for message in messages[: 0 if prices.framing.encrypted_reasoning.earlier_turns and running else earlier]
        for holder in (*message.parts, *message.tool_calls)
    ]
    return sum(prices.text(part.text) for part in hidden if part.text) + sum(
        prices.encrypted_reasoning(holder.encrypted)
        for holder in copies
        if isinstance(holder, ReasoningPart | ToolCall)
    )


def _appended(prices: Prices, text: str) -> int:
    """Give what a heading costs that is appended to a text, beyond the heading itself."""
    tail = text[-_TAIL:]
    return prices.text(f"{tail}\n\n#") - prices.text(tail) - prices.text("#")


def _choice(prices: Prices, choice: str) -> int:
    framing = prices.framing.tools
    if choice in {"auto", "none"}:
        return 0
    if choice == "any":
        return framing.required
    name = 0 if framing.forced_prefix is None else prices.text(framing.forced_prefix + choice)
    return framing.forced + name
