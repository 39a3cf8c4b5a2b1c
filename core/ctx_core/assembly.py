"""One build: fills the layers, gives the history what they leave, and writes down who got what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ctx_core.accounting import Account
from ctx_core.budget import Tokens, tokens_of
from ctx_core.context import Context
from ctx_core.errors import ContextOverflowError
from ctx_core.history.repair import Entry
from ctx_core.history.state import WindowState
from ctx_core.history.window import select
from ctx_core.layers import FilledLayer, fill
from ctx_core.messages import Message, Role
from ctx_core.plan import Plan
from ctx_core.transcript import Transcript

if TYPE_CHECKING:
    from ctx_core.history.window import Window
    from ctx_core.layers import Layer
    from ctx_core.transcript import Codec, NativeT


@dataclass(slots=True)
class Assembly:
    """What is known while a context is put together."""

    plan: Plan
    transcript: Transcript[Any]
    state: WindowState | None
    truncate: bool = field(kw_only=True)

    filled: list[FilledLayer] = field(init=False)
    tools: int = field(init=False)
    """Tokens of the tool definitions."""

    def __post_init__(self) -> None:
        """Fill every layer up to its own part."""
        counter = self.plan.counter
        self.tools = counter.count_tools(self.plan.definitions)
        self.filled = [fill(layer, self._budget_of(layer), counter) for layer in self.plan.layers]

    def context(self, codec: Codec[NativeT]) -> Context[NativeT]:
        """Give the finished context.

        Raises:
            ContextOverflowError: if what is protected does not fit.
        """
        window = self._window()
        account = Account(self.plan, self.filled, self.tools, window, total=window.tokens + self._fixed())
        if account.total > self.plan.budget.input_limit:
            raise ContextOverflowError(
                needed=account.total, limit=self.plan.budget.input_limit, layers=account.needed()
            )
        system = self._system_message()
        messages = [] if system is None else [codec.write(system)]
        conversation = [codec.write(entry.message) for entry in self._with_volatile(window)]
        return Context(
            messages=[*messages, *conversation],
            system_prompt="" if system is None else system.text,
            conversation=conversation,
            report=account.report(),
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
        size = self.plan.budget.parts.get("history")
        room = self._room()
        limit = min(room, size.count) if isinstance(size, Tokens) else room
        return select(
            self.transcript,
            max(0, limit),
            counter=self.plan.counter,
            policy=self.plan.policy,
            state=self.state,
            truncate=self.truncate and limit == room,
        )

    def _needed_now(self) -> int:
        """Give the tokens of the running turn: layers give way to it before it loses a step."""
        count, transcript = self.plan.counter.count_message, self.transcript
        tokens, limit = 0, self.plan.budget.input_limit
        for at in range(len(transcript) - 1, -1, -1):
            tokens += count(transcript[at])
            if tokens > limit or transcript.role(at) is Role.USER:
                break
        return min(tokens, limit)

    def _shed(self, needed: int, *, protected: bool) -> None:
        """Shrink layers, those of the lowest priority first, until the conversation has the room it needs."""
        order = sorted(range(len(self.filled)), key=lambda at: (self.filled[at].layer.priority, -at))
        for at in order:
            over = needed - self._room()
            layer = self.filled[at]
            if over <= 0:
                return
            if layer.used and layer.layer.protected == protected:
                counter, most = self.plan.counter, max(0, layer.used - over)
                self.filled[at] = fill(layer.layer, layer.budget, counter, at_most=most)

    def _room(self) -> int:
        """Tokens that are left for the conversation."""
        return self.plan.budget.input_limit - self._fixed()

    def _fixed(self) -> int:
        """Tokens of everything but the conversation."""
        count = self.plan.counter.count_message
        made = (self._system_message(), self._volatile_message())
        return self.plan.counter.primer + self.tools + sum(count(message) for message in made if message is not None)

    def _system_message(self) -> Message | None:
        return self._message(Role.SYSTEM, volatile=False)

    def _volatile_message(self) -> Message | None:
        return self._message(Role.USER, volatile=True)

    def _message(self, role: Role, *, volatile: bool) -> Message | None:
        last = self.plan.volatile_last
        texts = [f.text for f in self.filled if f.text and (last and not f.layer.stable) == volatile]
        parts = Message.user("\n\n".join(texts)).parts
        return Message(role=role, parts=parts, synthetic=True) if texts else None

    def _with_volatile(self, window: Window) -> list[Entry]:
        """Give the conversation with the volatile layers before the message that is being answered."""
        entries, volatile = list(window.entries), self._volatile_message()
        if volatile is not None:
            questions = [at for at, entry in enumerate(entries) if entry.message.role is Role.USER]
            at = questions[-1] if questions else 0
            entries.insert(at, Entry(-1, volatile, made=True))
        return entries

    def _budget_of(self, layer: Layer) -> int | None:
        budget = self.plan.budget
        part = budget.size_of(layer.name)
        return part if part is not None or layer.cap is None else tokens_of(layer.cap, budget.total)
