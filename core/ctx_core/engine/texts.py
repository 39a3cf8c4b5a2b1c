"""The texts of one request: what each layer says, the summary, and the room that they leave the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message, Role
from ctx_core.engine.layers import FilledLayer, Layer, Rest, fill, message_of
from ctx_core.sizes import tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.engine.plan import Plan
    from ctx_core.history.state import WindowState


class Texts:
    """Filled layers under one limit; they shrink where something else needs their room, and never grow again."""

    def __init__(self, plan: Plan, limit: int) -> None:
        """Fill every layer up to its own part.

        Args:
            plan: what the context is written of.
            limit: tokens that layers, tools and conversation may count together.
        """
        counter = plan.counter
        self._plan = plan
        self._limit = limit
        self.tools = counter.count_tools(plan.definitions)
        """Tokens of the tool definitions."""
        self.once = counter.primer + self.tools + counter.count_options(plan.options, tools=bool(plan.definitions))
        """Tokens of what a request has once: the tools, and what else it asks for."""
        self._filled: list[FilledLayer] = []
        self._summary: FilledLayer | None = None
        self._summary_most: int | None = None
        self._pending, self._shows_pending = "", True
        self._reserved_for_summary = 0
        self.reserved_for_provider = 0
        """Tokens that are reserved for what makes the request one that its provider takes."""
        for layer in plan.layers:
            self._filled.append(self._first_fill(layer))

    @property
    def filled(self) -> list[FilledLayer]:
        """All layers as they go out, the summary the last."""
        return self._filled if self._summary is None else [*self._filled, self._summary]

    @property
    def summary_gave_way(self) -> bool:
        """Whether the summary has lost room to what cannot go."""
        return self._summary_most is not None and self._summary is not None and self._summary.truncated

    @property
    def fixed(self) -> int:
        """Tokens of everything but the conversation."""
        count = self._plan.counter.count_message
        written = (self.system_message(), self.summary_message(), self.volatile_message())
        return self.once + sum(count(message) for message in written if message is not None)

    @property
    def room(self) -> int:
        """Tokens that are left for the conversation."""
        return self._limit - self.fixed - self._reserved_for_summary - self.reserved_for_provider

    @property
    def base(self) -> int:
        """Tokens that protected layers and tools leave: shares are of it, as it does not move while others shrink."""
        return self._left_of(self._limit)

    def shrink(self, needed: int, gives: Callable[[Layer], bool], *, to_parts: bool = False) -> None:
        """Shrink layers, those of the lowest priority first, until the conversation has the room it needs.

        Args:
            needed: tokens of the conversation.
            gives: which layers.
            to_parts: whether none goes below its part of the budget, and one without a part stays as it is.
        """
        # The lowest priority first, and of equals the last: what an author declares first matters most.
        order = sorted(range(len(self._filled)), key=lambda at: (self._filled[at].layer.priority, -at))
        self._shorten(needed, gives)
        for at in order:
            over = needed - self.room
            filled = self._filled[at]
            if over <= 0:
                return
            if filled.used and gives(filled.layer):
                part = self._part_of(filled.layer, at) if to_parts else 0
                if part is None or filled.used <= part:
                    continue
                most = max(part, filled.used - over)
                self._filled[at] = fill(
                    filled.layer, filled.budget, self._plan.counter, at_most=most, flexible=self._plan.flexible_parts
                )

    def _shorten(self, needed: int, gives: Callable[[Layer], bool]) -> None:
        """Cut items that have rules for it, in layers of which none has to go for that: before others lose any."""
        for at, filled in enumerate(self._filled):
            over = needed - self.room
            if over > 0 and gives(filled.layer) and any(item.cut is not None for item in filled.layer.items):
                most = max(0, filled.used - over)
                shorter = fill(
                    filled.layer, filled.budget, self._plan.counter, at_most=most, flexible=self._plan.flexible_parts
                )
                if not shorter.items_left_out:
                    self._filled[at] = shorter

    def any(self, holds: Callable[[Layer], bool]) -> bool:
        """Whether a layer that says something is one of those."""
        return any(filled.used and holds(filled.layer) for filled in self._filled)

    def summarize(self, state: WindowState, *, to_come: bool = False) -> None:
        """Set the summary of what a state leaves out; one that is still to come has the whole of its cap reserved."""
        rolling, counter = self._plan.rolling, self._plan.counter
        if rolling is None:
            return
        # Of the whole limit, whatever bills show: a cap that moved with each of them would move the prompt.
        cap = min(self._plan.summary_cap, int(self._left_of(self._plan.limit - self._plan.taken) * rolling.most))
        self._summary = fill(rolling.layer(state, counter), cap, counter, at_most=self._summary_most)
        self._pending = rolling.pending(state) if self._shows_pending else ""
        self._reserved_for_summary = 0
        if to_come and self._summary_most is None:
            frame = counter.count_message(Message(role=rolling.role)) + counter.count_text("\n\n")
            self._reserved_for_summary = max(0, cap + frame - self._summary.used)

    def shrink_summary(self, needed: int) -> None:
        """Give the conversation the room for a summary to come, then that of the summary, then that of its marker."""
        if self._summary is None:
            return
        self._reserved_for_summary = 0
        self._summary_most = max(0, self._summary.used - max(0, needed - self.room))
        self._summary = fill(self._summary.layer, self._summary.budget, self._plan.counter, at_most=self._summary_most)
        if needed > self.room:
            self._pending, self._shows_pending = "", False

    def system_message(self) -> Message | None:
        """Give the system message, or none if nothing is said in it."""
        texts = [filled.text for filled in self._filled if not self._is_last(filled)]
        if self._plan.rolling is not None and self._plan.rolling.role is Role.SYSTEM:
            texts.append(self._summary_text())
        return message_of(Role.SYSTEM, texts)

    def summary_message(self) -> Message | None:
        """Give the summary where it is a message of its own."""
        rolling = self._plan.rolling
        if rolling is None or rolling.role is Role.SYSTEM:
            return None
        return message_of(rolling.role, [self._summary_text()])

    def volatile_message(self) -> Message | None:
        """Give the layers that go behind the history, where they do."""
        return message_of(Role.USER, [filled.text for filled in self._filled if self._is_last(filled)])

    def _left_of(self, limit: int) -> int:
        protected = sum(filled.used for filled in self._filled if filled.layer.protected)
        return max(0, limit - self.once - protected)

    def _summary_text(self) -> str:
        return "\n".join(filter(None, ("" if self._summary is None else self._summary.text, self._pending)))

    def _is_last(self, filled: FilledLayer) -> bool:
        return self._plan.volatile_last and not filled.layer.stable

    def _first_fill(self, layer: Layer) -> FilledLayer:
        """Fill a layer behind those that are filled: up to its part, or its cap where parts do not count yet."""
        part, cap = self._part_of(layer, len(self._filled)), self._cap_of(layer)
        flexible, counter = self._plan.flexible_parts, self._plan.counter
        if flexible:
            return fill(layer, cap if part is None else part, counter, at_most=cap, flexible=True)
        return fill(layer, cap if part is None else part, counter)

    def _cap_of(self, layer: Layer) -> int | None:
        """Give the most that a layer may cost by its own word; those before it are filled."""
        plan, cap = self._plan, layer.cap
        if isinstance(cap, Rest):
            # Of the whole limit, as with the summary's cap.
            return int(max(0, plan.limit - plan.taken - self.fixed) * cap.share)
        return None if cap is None else tokens_of(cap, plan.budget.total)

    def _part_of(self, layer: Layer, at: int) -> int | None:
        """Give the part that the budget has for a layer, with what those it shares with leave of theirs.

        Args:
            layer: the layer.
            at: its place; those before it are filled.
        """
        size_of = self._plan.budget.size_of
        shared = [size for name in layer.shares_with if (size := size_of(name)) is not None]
        part = size_of(layer.name)
        if not shared:
            return part
        used = sum(filled.used for filled in self._filled[:at] if filled.layer.name in layer.shares_with)
        return max(0, (part or 0) + sum(shared) - used)
