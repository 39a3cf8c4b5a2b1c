"""What of a stored conversation an engine gets to see: pure, from messages and settings to a view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import (
    Context,
    ContextBuilder,
    ContextOverflowError,
    ContextReport,
    HistoryPolicy,
    LayerReport,
    MessageError,
    Role,
    RollingSummary,
    TokenCounter,
    Tokens,
    WindowState,
)
from ctx_core.budget import ContextBudget
from ctx_core.builder import OnOverflow
from ctx_core.counting.counter import ToolDefinition
from llamaindex_ctx.convert import ChatMessageCodec
from llamaindex_ctx.recipes import fronted
from llamaindex_ctx.summaries import with_layer
from llamaindex_ctx.tool_calls import read_calls

CODEC: Final = ChatMessageCodec()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The messages that an engine gets, and what is to be known about them."""

    messages: list[ChatMessage] = field(repr=False)
    """The stored objects, or changed copies of them."""
    report: ContextReport
    """Of the whole request, as far as the engine has told: with its own tokens and its question."""
    context: Context[ChatMessage] = field(repr=False)
    """What it was taken from, with the state to be remembered for the next view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Settings of the views of one conversation."""

    budget: ContextBudget
    counter: TokenCounter
    policy: HistoryPolicy
    tools: Sequence[ToolDefinition]
    on_overflow: OnOverflow
    summary: RollingSummary | None
    """Where the summary of what is left out stands; None: there is none."""
    declared: ContextBuilder | None = None
    """A recipe's builder for this view, in the place of policy, tools and summary."""
    front: Role = Role.SYSTEM
    """Whose text stands at the front, where there is any."""

    def view(
        self, messages: Sequence[ChatMessage], state: WindowState, *, question: ChatMessage | None, taken: int
    ) -> View:
        """Choose what the engine gets.

        Args:
            messages: the whole conversation; not changed.
            state: what the last view gave.
            question: what the engine is going to ask, as it told. Room is kept for it if it is not stored
                yet: then the engine adds it itself.
            taken: tokens that the engine sends beside the conversation, as it told.

        Raises:
            ContextOverflowError: if what cannot be left out does not fit.
            MessageError: for a stored message that cannot be read.
        """
        if question is None or is_asked(question, messages):
            return self._stored(messages, state, taken)
        view = self._view(messages, state, question, taken)
        if view.report.history.messages == 1 and text_of(question) == _last_question(messages):
            # Asked before, or stored by an agent whose turn has an answer already: it must not be lost where nothing
            # but the question is left.
            return self._stored(messages, state, taken)
        return view

    def _stored(self, messages: Sequence[ChatMessage], state: WindowState, taken: int) -> View:
        """Choose from a conversation that has its question in it.

        Agents look at the conversation once more when their answer is stored. Nothing is asked then, so an
        answer that doesn't fit behind its question is left out instead of ending the run with an error.
        """
        try:
            return self._view(messages, state, None, taken)
        except ContextOverflowError:
            asked = len(messages) - _closing_answers(messages)
            if asked in (0, len(messages)):
                raise
            view = self._view(messages[:asked], state, None, taken)
            return replace(view, report=_with_left_out(view.report, len(messages) - asked))

    def _view(
        self, messages: Sequence[ChatMessage], state: WindowState, question: ChatMessage | None, taken: int
    ) -> View:
        context = self._built(messages, state, question, taken, self.on_overflow)
        if question is not None and context.messages[-1] is not question:
            # It was truncated, which is of no use, since the engine sends its own: without leave, this raises.
            context = self._built(messages, state, question, taken, "raise")
        shown = fronted(context, self.front)
        kept = shown if question is None else shown[:-1]
        return View(messages=kept, report=self._report(context.report, taken), context=context)

    def _built(
        self,
        messages: Sequence[ChatMessage],
        state: WindowState,
        question: ChatMessage | None,
        taken: int,
        on_overflow: OnOverflow,
    ) -> Context[ChatMessage]:
        if taken >= self.budget.input_limit:
            raise ContextOverflowError(needed=taken, limit=self.budget.input_limit, layers={"system": taken})
        if self.declared is not None:
            return self.declared.build(messages, question, codec=CODEC, state=state, on_overflow=on_overflow)
        builder = ContextBuilder(self._without(taken), self.counter).tools(self.tools).history(self.policy)
        builder = with_layer(builder, self.summary)
        try:
            return builder.build(messages, question, codec=CODEC, state=state, on_overflow=on_overflow)
        except ContextOverflowError as error:
            if not taken:
                raise
            layers = {**error.layers, "system": error.layers.get("system", 0) + taken}
            raise ContextOverflowError(
                needed=error.needed + taken, limit=self.budget.input_limit, layers=layers
            ) from None

    def _without(self, taken: int) -> ContextBudget:
        """Give the budget of what the engine leaves.

        To a memory matter only a fixed part of the history, and that of the summary.
        """
        room = self.budget.input_limit - taken
        history, summary = self.budget.parts.get("history"), self.budget.size_of("summary")
        parts = {"summary": min(summary or 0, room), "history": history.count if isinstance(history, Tokens) else 0}
        parts["history"] = min(parts["history"], room - parts["summary"])
        return ContextBudget(room, parts={name: Tokens(size) for name, size in parts.items() if size})

    def _report(self, report: ContextReport, taken: int) -> ContextReport:
        """Give the report in terms of the whole budget, with the engine's own tokens in it."""
        if self.declared is not None:
            return report  # in these terms already; the engine's own tokens are part of the framing
        rows = {row.name: row for row in report.layers}
        if taken:
            known = rows.pop("system", LayerReport(name="system", asked=0, budget=None, used=0))
            asked = None if known.asked is None else known.asked + taken
            rows = {"system": replace(known, asked=asked, used=known.used + taken), **rows}
        layers = tuple(replace(row, budget=self.budget.size_of(row.name)) for row in rows.values())
        return replace(
            report,
            total=self.budget.total,
            reserve=self.budget.reserve,
            used=report.used + taken,
            layers=layers,
            model=report.model or self.budget.model,
        )


def as_question(asked: object) -> ChatMessage | None:
    """Give what an engine tells as its `input` as a message; None for nothing.

    Raises:
        MessageError: for something that is neither a text nor a message.
    """
    if asked is None or asked == "":
        return None
    if isinstance(asked, str):
        return ChatMessage(asked, role=MessageRole.USER)
    if isinstance(asked, ChatMessage):
        return asked
    msg = f"input must be a text or a ChatMessage, found {type(asked).__name__}"
    raise MessageError(msg)


def is_asked(question: ChatMessage, messages: Sequence[ChatMessage]) -> bool:
    """Whether the question is stored already: as the last user message, with no answer behind it.

    Agents store it before they ask, chat engines behind the answer. An engine whose user repeats himself
    asks anew; so a question that was answered doesn't count.
    """
    for message in reversed(messages):
        role = CODEC.role(message)
        if role is Role.USER:
            return text_of(message) == text_of(question)
        if role is Role.ASSISTANT and not read_calls(message):
            return False
    return False


def _closing_answers(messages: Sequence[ChatMessage]) -> int:
    """Count the answers at the end: messages of the assistant that ask for no tool."""
    count = 0
    for message in reversed(messages):
        if CODEC.role(message) is not Role.ASSISTANT or read_calls(message):
            break
        count += 1
    return count


def _with_left_out(report: ContextReport, answers: int) -> ContextReport:
    why = "no room for the answer"
    layers = tuple(
        replace(row, asked=None, left_out=row.left_out + answers, why=f"{row.why}; {why}" if row.why else why)
        if row.name == "history"
        else row
        for row in report.layers
    )
    return replace(report, layers=layers)


def _last_question(messages: Sequence[ChatMessage]) -> str | None:
    return next((text_of(message) for message in reversed(messages) if CODEC.role(message) is Role.USER), None)


def text_of(message: ChatMessage) -> str:
    """Give the text of a message; its `content` is None where it has none."""
    return message.content or ""
