"""The assistant's report: tokens and budget of each section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx_core.budget import ContextBudget
    from ctx_core.report.report import ContextReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the input."""

    used: int
    """Tokens that went out."""
    budget: int
    """Tokens of its share."""
    lent: int = 0
    """Tokens that others left it on top."""

    @property
    def over(self) -> bool:
        """Whether it used more than its budget and what was lent to it."""
        return self.used > self.budget + self.lent


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
    tools: int
    """Tokens of the tool definitions."""
    facts_included: int
    """Number of facts that went out."""
    messages_included: int
    """Number of messages that went out, the current one included."""
    trimmed: bool
    """Whether anything was cut or left out."""

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
        sections = (("system", self.system), ("recent", self.recent), ("summary", self.summary), ("facts", self.facts))
        lines = [_line(name, section) for name, section in sections]
        counts = f"{self.facts_included:,} facts, {self.messages_included:,} messages"
        end = "something was cut" if self.trimmed else "nothing was cut"
        return "\n".join([*lines, f"total input {self.total:,} tokens; {counts}; {end}"])


def assistant_report(report: ContextReport, budget: ContextBudget) -> AssistantReport:
    """Give the sections of a report.

    Args:
        report: of a request that was built with the assistant's layers.
        budget: its shares.
    """
    used = {layer.name: layer.used for layer in report.layers}
    parts = {name: budget.size_of(name) or 0 for name in ("system", "history", "summary", "memory", "task")}
    known = used.get("memory", 0)
    system, summary = used.get("system", 0) + known, used.get("summary", 0)
    task, tools = used.get("task", 0), used.get("tools", 0)
    others = system + summary + task + tools
    return AssistantReport(
        system=Section(used=system, budget=parts["system"], lent=parts["memory"]),
        recent=Section(
            used=report.used - others,
            budget=parts["history"],
            lent=max(0, report.limit - others - parts["history"]),
        ),
        summary=Section(used=summary, budget=parts["summary"]),
        facts=Section(used=known, budget=parts["memory"], lent=max(0, parts["system"] - used.get("system", 0))),
        task=task,
        tools=tools,
        facts_included=report.layer("memory").items,
        messages_included=report.history.messages,
        trimmed=report.trimmed,
    )


def _line(name: str, section: Section) -> str:
    lent = f" + {section.lent:,} lent" if section.lent else ""
    over = "  OVER" if section.over else ""
    return f"{name:<8}{section.used:>9,} of {section.budget:,}{lent} tokens{over}"
