"""`ctx-layers count`: what conversations cost, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.cli.source import Source
from ctx_core.cli.terminal import console, table
from ctx_core.cli.tool_file import read_tools
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.counting.counter import TokenCounter

if TYPE_CHECKING:
    from argparse import Namespace


def count_command(options: Namespace) -> int:
    """Run it."""
    counter, codec = TokenCounter.for_model(options.model), OpenAICodec()
    per_request = counter.count_tools(read_tools(options.tools))
    roles: dict[str, list[int]] = {}
    conversations = 0
    with Source(options.file) as source:
        for conversation in source.conversations():
            conversations += 1
            for message in conversation.messages:
                row = roles.setdefault(message["role"], [0, 0])
                row[0] += 1
                row[1] += counter.count_message(codec.read(message))
    rows: list[tuple[object, ...]] = [(role, *row) for role, row in roles.items()]
    rows += [("tools", 0, per_request * conversations)] if per_request else []
    rows += [("framing", 0, counter.primer * conversations)]
    messages = sum(row[0] for row in roles.values())
    total = sum(row[1] for row in roles.values()) + (per_request + counter.primer) * conversations
    out = console()
    out.print(table(("role", "messages", "tokens"), [*rows, ("total", messages, total)]))
    many = f" in {conversations:,} conversations" if conversations > 1 else ""
    out.print(f"{total:,} tokens{many}, counted with {counter.tokenizer.name}", soft_wrap=True)
    return 0
