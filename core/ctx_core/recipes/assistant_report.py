"""The assistant's report: tokens and budget of each section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctx_core.budget import percent

if TYPE_CHECKING:
    from ctx_core.budget import ContextBudget
    from ctx_core.report.report import ContextReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the input."""

    used: int
    """Tokens that went out."""
    budget: int | None
    """Tokens of its share; None if the budget names no such part."""
    lent: int = 0
    """Tokens that others left it on top."""
    asked: int = 0
    """Tokens of everything that it had to say, where that is known."""

    @property
    def over(self) -> bool:
        """Whether it used more than its budget and what was lent to it; one without a budget is never over."""
        return self.budget is not None and self.used > self.budget + self.lent

    @property
    def without_part(self) -> bool:
        """Whether nothing of what it had to say went out, as its share is 0."""
        return self.budget == 0 and self.asked > 0 and self.used == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantReport:
    """One request, by section."""

    system: Section
    """The system prompt with the facts in it; the facts' budget is lent to it."""
    recent: Section
    """The messages, the current one and all framing among them; what the others leave unused is lent to it."""
    summary: Section
    """The summary of what was left out."""
    facts: Section
    """The facts; in `system` too."""
    task: int
    """Tokens of the task's state."""
    task_section: Section
    """The task's state, with its budget."""
    tools: int
    """Tokens of the tool definitions."""
    facts_included: int
    """Number of facts that went out."""
    messages_included: int
    """Number of messages that went out, the current one included."""
    trimmed: bool
    """Whether anything was cut or left out."""
    input_budget: int
    """Tokens that the whole input may have."""

    @property
    def total(self) -> int:
        """Tokens of the whole input: system (which has the facts), recent, summary; task and tools, where there are."""
        return self.system.used + self.recent.used + self.summary.used + self.task + self.tools

    @property
    def over(self) -> bool:
        """Whether any section is over its budget."""
        return self.system.over or self.recent.over or self.summary.over

    def __str__(self) -> str:
        """Give it as text, a line a section."""
        sections = [("system", self.system), ("recent", self.recent), ("summary", self.summary), ("facts", self.facts)]
        if self.task_section.asked:
            sections.append(("task", self.task_section))
        lines = [_line(name, section) for name, section in sections]
        counts = f"{self.facts_included:,} facts, {self.messages_included:,} messages"
        end = "something was cut" if self.trimmed else "nothing was cut"
        used = f"{self.total:,} of {self.input_budget:,} tokens ({percent(self.total, self.input_budget)} %)"
        return "\n".join([*lines, f"total input {used}; {counts}; {end}"])


def assistant_report(report: ContextReport, budget: ContextBudget) -> AssistantReport:
    """Give the sections of a report.

    Args:
        report: of a request that was built with the assistant's layers.
        budget: its shares.
    """
    used = {layer.name: layer.used for layer in report.layers}
    asked = {layer.name: layer.asked or 0 for layer in report.layers}
    parts = {name: budget.size_of(name) for name in ("system", "history", "summary", "memory", "task")}
    known = used.get("memory", 0)
    system, summary = used.get("system", 0) + known, used.get("summary", 0)
    task, tools = used.get("task", 0), used.get("tools", 0)
    others = system + summary + task + tools
    return AssistantReport(
        system=Section(used=system, budget=parts["system"], lent=parts["memory"] or 0, asked=asked.get("system", 0)),
        recent=Section(
            used=report.used - others,
            budget=parts["history"],
            lent=max(0, report.limit - others - (parts["history"] or 0)),
        ),
        summary=Section(used=summary, budget=parts["summary"], asked=asked.get("summary", 0)),
        facts=Section(
            used=known,
            budget=parts["memory"],
            lent=max(0, (parts["system"] or 0) - used.get("system", 0)),
            asked=asked.get("memory", 0),
        ),
        task=task,
        task_section=Section(used=task, budget=parts["task"], asked=asked.get("task", 0)),
        tools=tools,
        facts_included=report.layer("memory").items,
        messages_included=report.history.messages,
        trimmed=report.trimmed,
        input_budget=report.limit,
    )


def _line(name: str, section: Section) -> str:
    lent = f" + {section.lent:,} lent" if section.lent else ""
    of = f"of {section.budget:,}{lent} tokens" if section.budget is not None else f"tokens{lent}, no part of its own"
    end = "  OVER" if section.over else ""
    if section.without_part:
        end = f"  LEFT OUT: {section.asked:,} tokens, its part is 0"
    return f"{name:<8}{section.used:>9,} {of}{end}"
