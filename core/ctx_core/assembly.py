"""One build: fills the layers, gives the history what they leave, and writes down who got what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ctx_core.budget import Tokens, tokens_of
from ctx_core.context import Context
from ctx_core.errors import ContextOverflowError
from ctx_core.history.window import Window, select
from ctx_core.layers import FilledLayer, fill
from ctx_core.messages import Message, Role
from ctx_core.report import ContextReport, HistoryReport, LayerReport

if TYPE_CHECKING:
    from ctx_core.builder import ContextBuilder
    from ctx_core.history.repair import Entry
    from ctx_core.history.state import WindowState
    from ctx_core.layers import Layer
    from ctx_core.transcript import Codec, NativeT, Transcript


@dataclass(slots=True)
class Assembly:
    """What is known while a context is put together."""

    builder: ContextBuilder
    transcript: Transcript[Any]
    state: WindowState | None
    truncate: bool = field(kw_only=True)

    filled: list[FilledLayer] = field(init=False)
    tools: int = field(init=False)
    """Tokens of the tool definitions."""

    def __post_init__(self) -> None:
        """Fill every layer up to its own part."""
        counter = self.builder.counter
        self.tools = counter.count_tools(self.builder.definitions)
        self.filled = [fill(layer, self._budget_of(layer), counter) for layer in self.builder.layers]

    def context(self, codec: Codec[NativeT]) -> Context[NativeT]:
        """Give the finished context.

        Raises:
            ContextOverflowError: if what is protected does not fit.
        """
        window = self._window()
        if window.tokens > self._room():
            raise ContextOverflowError(
                needed=window.tokens + self._fixed(), limit=self.builder.budget.input_limit, layers=self._needed(window)
            )
        system = self._system_message()
        messages = [] if system is None else [codec.write(system)]
        conversation = [codec.write(entry.message) for entry in self._with_volatile(window)]
        return Context(
            messages=[*messages, *conversation],
            system_prompt="" if system is None else system.text,
            conversation=conversation,
            report=self._report(window),
            state=window.state,
        )

    def _window(self) -> Window:
        """Give the window of the conversation, after layers have given way to what is needed now."""
        self._shed(self._needed_now(), protected=False)
        window = self._select()
        if window.tokens > self._room() and self.truncate:
            self._shed(window.tokens, protected=True)
            window = self._select()
        return window

    def _select(self) -> Window:
        size = self.builder.budget.parts.get("history")
        room = self._room()
        limit = min(room, size.count) if isinstance(size, Tokens) else room
        return select(
            self.transcript,
            max(0, limit),
            counter=self.builder.counter,
            policy=self.builder.policy,
            state=self.state,
            truncate=self.truncate and limit == room,
        )

    def _needed_now(self) -> int:
        """Give the tokens of the running turn: layers give way to it before it loses a step."""
        count, transcript = self.builder.counter.count_message, self.transcript
        tokens, limit = 0, self.builder.budget.input_limit
        for at in range(len(transcript) - 1, -1, -1):
            tokens += count(transcript[at])
            if tokens > limit or transcript.role(at) is Role.USER:
                break
        return min(tokens, limit)

    def _shed(self, needed: int, *, protected: bool) -> None:
        """Shrink layers, the last first, until the conversation has the room it needs."""
        for at in range(len(self.filled) - 1, -1, -1):
            over = needed - self._room()
            layer = self.filled[at]
            if over <= 0:
                return
            if layer.used and layer.layer.protected == protected:
                counter, most = self.builder.counter, max(0, layer.used - over)
                self.filled[at] = fill(layer.layer, layer.budget, counter, at_most=most)

    def _room(self) -> int:
        """Tokens that are left for the conversation."""
        return self.builder.budget.input_limit - self._fixed()

    def _fixed(self) -> int:
        """Tokens of everything but the conversation."""
        count = self.builder.counter.count_message
        made = (self._system_message(), self._volatile_message())
        return self.builder.counter.primer + self.tools + sum(count(message) for message in made if message is not None)

    def _system_message(self) -> Message | None:
        return self._message(Role.SYSTEM, volatile=False)

    def _volatile_message(self) -> Message | None:
        return self._message(Role.USER, volatile=True)

    def _message(self, role: Role, *, volatile: bool) -> Message | None:
        last = self.builder.volatile_last
        texts = [f.text for f in self.filled if f.text and (last and not f.layer.stable) == volatile]
        return Message(role=role, parts=Message.user("\n\n".join(texts)).parts) if texts else None

    def _with_volatile(self, window: Window) -> list[Entry]:
        """Give the conversation with the volatile layers before the message that is being answered."""
        from ctx_core.history.repair import Entry  # noqa: PLC0415

        entries, volatile = list(window.entries), self._volatile_message()
        if volatile is not None:
            questions = [at for at, entry in enumerate(entries) if entry.message.role is Role.USER]
            at = questions[-1] if questions else 0
            entries.insert(at, Entry(-1, volatile, made=True))
        return entries

    def _budget_of(self, layer: Layer) -> int | None:
        budget = self.builder.budget
        part = budget.size_of(layer.name)
        return part if part is not None or layer.cap is None else tokens_of(layer.cap, budget.total)

    def _needed(self, window: Window) -> dict[str, int]:
        """Give what each layer still needs, for the error."""
        needed = {filled.layer.name: filled.used for filled in self.filled if filled.used}
        if window.instructions:
            needed["system"] = needed.get("system", 0) + window.instructions
        if self.tools:
            needed["tools"] = self.tools
        history = window.tokens - window.instructions - window.question
        if history:
            needed["history"] = history
        needed["current"] = window.question
        needed["framing"] = window.tokens + self._fixed() - sum(needed.values())
        return needed

    def _report(self, window: Window) -> ContextReport:
        builder, cut = self.builder, window.cut
        rows = [_layer_row(filled) for filled in self.filled]
        if window.instructions:
            rows = _add_instructions(rows, window, builder.budget.size_of("system"))
        if builder.definitions:
            rows.append(
                LayerReport(name="tools", asked=self.tools, budget=builder.budget.size_of("tools"), used=self.tools)
            )
        history = _history_report(window)
        used = window.tokens - window.instructions - window.question
        rows.append(
            LayerReport(
                name="history",
                asked=used if not _altered(history) else None,
                budget=builder.budget.size_of("history"),
                used=used,
                left_out=history.omitted,
                why=_why(history),
            )
        )
        rows.append(
            LayerReport(
                name="current",
                asked=window.question if not cut.truncated else None,
                budget=builder.budget.size_of("current"),
                used=window.question,
                why="truncated to fit" if cut.truncated else "",
            )
        )
        total = window.tokens + self._fixed()
        framing = total - sum(row.used for row in rows)
        rows.append(LayerReport(name="framing", asked=framing, budget=None, used=framing))
        return ContextReport(
            total=builder.budget.total,
            reserve=builder.budget.reserve,
            used=total,
            layers=tuple(rows),
            history=history,
            counter=builder.counter.tokenizer.name,
            model=builder.counter.model,
        )


def _layer_row(filled: FilledLayer) -> LayerReport:
    why = ""
    if filled.items_left_out:
        why = "over its part: the least important left out"
    elif filled.truncated:
        why = "truncated to its part" if filled.text else "no room"
    return LayerReport(
        name=filled.layer.name,
        asked=filled.asked,
        budget=filled.budget,
        used=filled.used,
        left_out=filled.items_left_out,
        why=why,
    )


def _add_instructions(rows: list[LayerReport], window: Window, budget: int | None) -> list[LayerReport]:
    """Count system messages of the history to the system layer, or make one for them."""
    at = next((at for at, row in enumerate(rows) if row.name == "system"), None)
    own = LayerReport(name="system", asked=0, budget=budget, used=0) if at is None else rows[at]
    row = LayerReport(
        name="system",
        asked=(own.asked or 0) + window.instructions,
        budget=own.budget,
        used=own.used + window.instructions,
        left_out=own.left_out,
        why=own.why,
    )
    return [row, *rows] if at is None else [*rows[:at], row, *rows[at + 1 :]]


def _history_report(window: Window) -> HistoryReport:
    cut = window.cut
    results = [entry for entry in window.entries if entry.message.role is Role.TOOL and not entry.made]
    cleared = sum(1 for entry in results if entry.position in cut.cleared)
    shortened = sum(
        1 for at in cut.kept if cut.stretch.is_result(at) and _is_shortened(window, at)
    )
    return HistoryReport(
        messages=len(window.entries),
        omitted=cut.omitted,
        cut=cut.made,
        cleared=cleared,
        shortened=shortened,
        truncated=len(cut.truncated),
        repairs=cut.stretch.repairs.as_dict(),
    )


def _is_shortened(window: Window, at: int) -> bool:
    stretch = window.cut.stretch
    return stretch.form(at) is not stretch.entries[at].message and stretch.entries[at].position not in window.cut.cleared


def _altered(history: HistoryReport) -> bool:
    return bool(history.omitted or history.cleared or history.shortened)


def _why(history: HistoryReport) -> str:
    parts = (
        (history.omitted, "oldest left out"),
        (history.cleared, f"{history.cleared} results cleared"),
        (history.shortened, f"{history.shortened} results shortened"),
        (sum(history.repairs.values()), f"{sum(history.repairs.values())} repaired"),
    )
    return ", ".join(text for count, text in parts if count)
