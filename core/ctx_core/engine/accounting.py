"""Writes down who got what: the rows of the report, and the numbers of an overflow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ctx_core.engine.plan import Plan
from ctx_core.engine.texts import Texts
from ctx_core.history.window import Selection
from ctx_core.report.figures import HistoryReport, LayerReport
from ctx_core.report.report import ContextReport

if TYPE_CHECKING:
    from ctx_core.engine.layers import FilledLayer
    from ctx_core.history.repair import Repairs


@dataclass(frozen=True, slots=True)
class Account:
    """A context that is decided upon."""

    plan: Plan
    texts: Texts
    window: Selection
    counted: int = field(kw_only=True)
    """Tokens of the whole input, as they are counted."""
    underestimate: int = field(kw_only=True)
    """Tokens that bills show to be added to what is counted."""
    added: int = field(kw_only=True, default=0)
    """Tokens by which the request is larger, or smaller, since its provider takes it only so."""
    provider: str | None = field(kw_only=True, default=None)
    """The row of the table whose rules it meets; None where they are not looked at."""
    changes: Mapping[str, int] = field(kw_only=True, default_factory=dict[str, int])
    """What was changed for them, by kind."""
    apart: int = field(kw_only=True, default=0)
    """How many results the provider takes apart from their calls, and gets so."""

    @property
    def total(self) -> int:
        """Tokens of the whole input."""
        return self.counted + self.underestimate

    @property
    def fits(self) -> bool:
        """Whether it is within the budget."""
        return self.total <= self.plan.limit

    def needed(self) -> dict[str, int]:
        """Give the tokens that each layer still has, for the error; `framing` is the rest of the total."""
        return {row.name: row.used for row in self._rows(_history(self.window, self.apart)) if row.used}

    def report(self, *, original: int | None = None) -> ContextReport:
        """Give the report, with the tokens of everything there was where they were counted."""
        plan, history = self.plan, _history(self.window, self.apart)
        return ContextReport(
            total=plan.budget.total,
            reserve=plan.budget.reserve + plan.reserve,
            used=self.total,
            original=original,
            layers=tuple(self._rows(history)),
            history=replace(history, cut=self.window.cut.newly_cut or self.texts.summary_gave_way),
            counter=plan.counter.tokenizer.name,
            estimated=not plan.counter.exact,
            model=plan.counter.model,
            label=plan.label,
            provider=self.provider,
            changes=self.changes,
        )

    def _rows(self, history: HistoryReport) -> list[LayerReport]:
        rows = with_taken(self._text_rows(), self.plan)
        if self.plan.definitions:
            rows.append(self._row("tools", self.texts.tools))
        rows += [self._history_row(history), self._current_row()]
        if self.added:
            rows.append(LayerReport(name="provider", asked=self.added, budget=None, used=self.added))
        if self.underestimate:
            rows.append(
                LayerReport(name="underestimate", asked=self.underestimate, budget=None, used=self.underestimate)
            )
        framing = self.total - sum(row.used for row in rows)
        return [*rows, LayerReport(name="framing", asked=framing, budget=None, used=framing)]

    def _text_rows(self) -> list[LayerReport]:
        """Give the rows of the layers of text; system messages of the history count to the system layer."""
        rows = {filled.layer.name: _text_row(filled) for filled in self.texts.filled}
        instructions = self.window.instructions
        if instructions and "system" in rows:
            own = rows["system"]
            rows["system"] = replace(own, asked=(own.asked or 0) + instructions, used=own.used + instructions)
        elif instructions:
            rows = {"system": self._row("system", instructions), **rows}
        return list(rows.values())

    def _history_row(self, history: HistoryReport) -> LayerReport:
        window = self.window
        used = window.tokens - window.instructions - window.question
        whole = not (history.omitted or history.altered)
        row = self._row("history", used)
        return replace(row, asked=used if whole else None, left_out=history.omitted, why=_why(history))

    def _current_row(self) -> LayerReport:
        row = self._row("current", self.window.question)
        cut = self.window.cut
        question = None if cut.question is None else cut.stretch.entries[cut.question].position
        return replace(row, asked=None, why="truncated to fit") if question in cut.truncated else row

    def _row(self, name: str, used: int) -> LayerReport:
        return LayerReport(name=name, asked=used, budget=self.plan.budget.size_of(name), used=used)


def with_taken(rows: list[LayerReport], plan: Plan) -> list[LayerReport]:
    """Give the rows of layers with what others send along, which is instructions as a rule, in that of `system`."""
    if not plan.taken:
        return rows
    budget = plan.budget.size_of("system")
    own = next(
        (row for row in rows if row.name == "system"), LayerReport(name="system", asked=0, budget=budget, used=0)
    )
    others = [row for row in rows if row is not own]
    return [replace(own, asked=(own.asked or 0) + plan.taken, used=own.used + plan.taken), *others]


def _text_row(filled: FilledLayer) -> LayerReport:
    why = ""
    if filled.items_left_out or filled.items_cut:
        done = ["the least important left out"] if filled.items_left_out else []
        why = "over its part: " + ", ".join([*done, f"{filled.items_cut} cut"] if filled.items_cut else done)
    elif filled.truncated:
        why = "truncated to its part" if filled.text else "left out: no room"
    return LayerReport(
        name=filled.layer.name,
        asked=filled.asked,
        budget=filled.budget,
        used=filled.used,
        items=len(filled.layer.items) - filled.items_left_out,
        left_out=filled.items_left_out,
        why=why,
    )


def _history(window: Selection, apart: int) -> HistoryReport:
    cut, stretch = window.cut, window.cut.stretch
    results = [at for at in cut.kept if at in stretch.results]
    cleared = {at for at in results if stretch.entries[at].position in cut.decisions.cleared}
    shortened = [at for at in results if at not in cleared and stretch.is_cut(at)]
    calls = {
        at: sum(call.altered for call in form.tool_calls) for at in cut.kept if (form := stretch.form(at)).tool_calls
    }
    placeholders = [at for at in calls if stretch.entries[at].position in cut.decisions.cleared_calls]
    return HistoryReport(
        messages=len(window.entries),
        omitted=cut.omitted,
        cut=cut.newly_cut,
        cleared=len(cleared),
        shortened=len(shortened),
        cleared_calls=sum(calls[at] for at in placeholders),
        shortened_calls=sum(calls.values()) - sum(calls[at] for at in placeholders),
        media=sum(stretch.media_gone(at) for at in cut.kept if at not in cleared),
        truncated=len(cut.truncated),
        truncated_answers=sum(stretch.is_answer_cut(at) for at in cut.kept),
        repairs=_repairs(stretch.repairs, apart),
    )


def _repairs(repairs: Repairs, apart: int) -> dict[str, int]:
    """Give what was repaired: what stands apart from its call was not moved after all."""
    return replace(repairs, moved=max(0, repairs.moved - apart)).as_dict()


def _why(history: HistoryReport) -> str:
    counts = (
        (history.cleared, "result", "cleared"),
        (history.shortened, "result", "shortened"),
        (history.cleared_calls, "call", "cleared"),
        (history.shortened_calls, "call", "shortened"),
        (history.media, "medium", "named"),
        (history.truncated_answers, "answer", "truncated"),
    )
    parts = ["oldest left out"] if history.omitted else []
    parts += [f"{count} {_plural(noun, count)} {done}" for count, noun, done in counts if count]
    repaired = sum(history.repairs.values())
    return ", ".join([*parts, f"{repaired} repaired"] if repaired else parts)


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else {"medium": "media"}.get(noun, f"{noun}s")
