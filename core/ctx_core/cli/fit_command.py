"""`ctx-layers fit`: one conversation, or all of a file, into a budget."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.cli.input_error import InputError, shown
from ctx_core.cli.page import Page
from ctx_core.cli.progress import progress
from ctx_core.cli.source import Source
from ctx_core.cli.tally import Tally
from ctx_core.cli.terminal import console, print_json, table
from ctx_core.cli.tool_file import read_tools
from ctx_core.conversation.openai_messages import OpenAICodec, OpenAIMessage
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.errors import ContextOverflowError, UnknownModelError

if TYPE_CHECKING:
    from argparse import Namespace

    from ctx_core.cli.source import StoredConversation
    from ctx_core.engine.context import Context

Fitted: TypeAlias = "Context[OpenAIMessage]"


def fit_command(options: Namespace) -> int:
    """Run it; the status is 1 if the only conversation cannot fit."""
    work = _Work.of(options)
    if options.html is not None and _is_same_file(options.html, options.file):
        msg = f"--html {shown(options.html)} would overwrite the conversations"
        raise InputError(msg)
    with (
        Source(options.file) as source,
        Page(options.html, f"{shown(options.file)} in {work.budget.input_limit:,} tokens") as page,
    ):
        if options.all:
            return _fit_all(work, source, page, as_json=options.json)
        return _fit_one(work, source.one(options.line), page, name=shown(options.file), as_json=options.json)


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False  # one of them isn't there


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done to each conversation."""

    budget: ContextBudget
    counter: TokenCounter
    tools: list[ToolDefinition]

    @classmethod
    def of(cls, options: Namespace) -> _Work:
        return cls(_budget(options), TokenCounter.for_model(options.model or ""), read_tools(options.tools))

    def fit(self, conversation: StoredConversation) -> Fitted:
        builder = ContextBuilder(self.budget, self.counter).tools(self.tools)
        return builder.build(conversation.messages, codec=OpenAICodec())

    def count(self, messages: list[OpenAIMessage]) -> int:
        return self.counter.count_messages(messages, tools=self.tools)


def _budget(options: Namespace) -> ContextBudget:
    if options.budget is not None:
        return ContextBudget(options.budget, reserve=options.reserve or 0, model=options.model)
    if options.model is None:
        msg = "say a --budget in tokens, or a --model whose context window is known"
        raise InputError(msg)
    try:
        return ContextBudget.for_model(options.model, reserve=options.reserve)
    except UnknownModelError as error:
        msg = f"the context window of {options.model[:80]!r} is not known: say it in tokens with --budget"
        raise InputError(msg) from error


def _fit_one(work: _Work, conversation: StoredConversation, page: Page, *, name: str, as_json: bool) -> int:
    context = work.fit(conversation)
    where = name if conversation.line is None else f"{name}, line {conversation.line}"
    page.add(where, context.report)
    if as_json:
        print_json(_as_json(context))
        return 0
    out = console()
    out.print(context.report)
    out.print()
    out.print(_by_role(work, conversation.messages, context.messages))
    repairs = context.report.history.repairs
    if repairs:
        out.print("repaired: " + ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in repairs.items()))
    return 0


def _fit_all(work: _Work, source: Source, page: Page, *, as_json: bool) -> int:
    tally = Tally()
    with progress(source, beside_output=as_json) as advance:
        for conversation in source.conversations():
            try:
                context = work.fit(conversation)
            except ContextOverflowError as error:
                tally.overflow(conversation.line)
                if as_json:
                    print_json({"error": str(error)})
            else:
                tally.add(conversation.messages, context, before=work.count(conversation.messages))
                page.add(f"line {conversation.line or 1}", context.report)
                if as_json:
                    print_json(_as_json(context))
            advance()
    if not as_json and tally.layers:
        console().print(tally.table())
    console(stderr=as_json).print(tally.summary(), soft_wrap=True)
    return 0


def _as_json(context: Fitted) -> dict[str, Any]:
    return {"messages": context.messages, "report": context.report.to_dict()}


def _by_role(work: _Work, before: list[OpenAIMessage], after: list[OpenAIMessage]) -> object:
    """Give what came in and what goes out, a row a role."""
    codec, same = OpenAICodec(), {id(message) for message in before}
    rows: dict[str, list[int]] = {}
    for message in before:
        row = rows.setdefault(message["role"], [0, 0, 0, 0, 0])
        row[0] += 1
        row[3] += work.counter.count_message(codec.read(message))
    for message in after:
        row = rows.setdefault(message["role"], [0, 0, 0, 0, 0])
        row[1] += 1
        row[2] += id(message) not in same
        row[4] += work.counter.count_message(codec.read(message))
    names = ("role", "messages", "sent", "changed", "tokens", "tokens sent")
    return table(names, ((role, *row) for role, row in rows.items()))
