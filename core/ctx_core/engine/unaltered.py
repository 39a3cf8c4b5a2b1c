"""A request that is counted and not cut: what goes out while trimming is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Role
from ctx_core.engine.accounting import with_taken
from ctx_core.engine.context import Context
from ctx_core.engine.layers import message_of
from ctx_core.history.state import WindowState
from ctx_core.report.figures import HistoryReport, LayerReport
from ctx_core.report.report import ContextReport

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import NativeT
    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.engine.plan import Plan


def unaltered(plan: Plan, transcript: Transcript[NativeT], state: WindowState) -> Context[NativeT]:
    """Give the whole conversation, behind the layers as they are; it may be over the budget.

    Raises:
        MessageError: for a message that cannot be read.
    """
    codec = transcript.codec
    stable = [layer.body for layer in plan.layers if layer.stable or not plan.volatile_last]
    volatile = [layer.body for layer in plan.layers if not layer.stable and plan.volatile_last]
    system, late = message_of(Role.SYSTEM, stable), message_of(Role.USER, volatile)
    messages = transcript.natives()
    question = transcript.question_at()
    if late is not None:
        messages[(at := 0 if question is None else transcript.native_at(question)) : at] = transcript.write([late])
    if system is not None and not transcript.system_apart:
        messages.insert(0, codec.write(system))
    leads = not transcript.system_apart and bool(messages) and codec.role(messages[0]).instructs
    own = [message for message in (system, late) if message is not None]
    return Context(
        messages=messages,
        system_prompt="" if system is None else system.text,
        system_message=messages[0] if leads else None,
        conversation=messages[leads:],
        report=_report(plan, transcript, own, question),
        state=state if state.start <= len(transcript) else WindowState(),
        count=None,
        transcript=transcript,
    )


def _report(plan: Plan, transcript: Transcript[NativeT], own: list[Message], question: int | None) -> ContextReport:
    counter, size = plan.counter, len(transcript)
    costs = {at: counter.count_message(transcript[at]) for at in range(size)}
    conversation = counter.count_sequence(transcript[at] for at in range(size))
    tools = counter.count_tools(plan.definitions)
    once = counter.primer + tools + counter.count_options(plan.options, tools=bool(plan.definitions))
    used = once + plan.taken + conversation + sum(map(counter.count_message, own))
    instructions = sum(cost for at, cost in costs.items() if transcript.role(at).instructs)
    asked = 0 if question is None else costs[question]
    tokens = {layer.name: counter.count_text(layer.body) if layer.body else 0 for layer in plan.layers}
    rows = [_row(plan, name, count) for name, count in tokens.items()]
    rows = with_taken(rows, plan)
    if plan.definitions:
        rows.append(_row(plan, "tools", tools))
    rows += [_row(plan, "history", conversation - instructions - asked), _row(plan, "current", asked)]
    framing = used - sum(row.used for row in rows)
    return ContextReport(
        total=plan.budget.total,
        reserve=plan.budget.reserve + plan.reserve,
        used=used,
        original=used if plan.count_original else None,
        layers=(*rows, LayerReport(name="framing", asked=framing, budget=None, used=framing)),
        history=HistoryReport(messages=size),
        counter=counter.tokenizer.name,
        estimated=not counter.exact,
        model=counter.model,
        label=plan.label,
    )


def _row(plan: Plan, name: str, used: int) -> LayerReport:
    return LayerReport(name=name, asked=used, budget=plan.budget.size_of(name), used=used)
