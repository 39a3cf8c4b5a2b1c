"""One build: fills the layers, gives the history what they leave, and writes down who got what."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.accounting import Account
from ctx_core.budget import Tokens, tokens_of
from ctx_core.context import Context
from ctx_core.counting.calibration import Underestimate
from ctx_core.counting.counts import TokenCount
from ctx_core.errors import ContextOverflowError
from ctx_core.history.needed import newest_tokens
from ctx_core.history.remembered import Verify, matching
from ctx_core.history.repair import Entry
from ctx_core.history.state import WindowState
from ctx_core.history.window import select
from ctx_core.layers import FilledLayer, Layer, Rest, fill, message_of
from ctx_core.messages import MEDIA, Message, Role
from ctx_core.plan import Plan
from ctx_core.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.history.window import Window
    from ctx_core.transcript import Codec, NativeT


_TRIES: Final = 16
"""Times that something is tried whose outcome changes what it needs: larger budgets at an overflow, each farther
beyond the one before, and layers that give way."""


@dataclass(slots=True)
class Assembly:
    """What is known while a context is put together."""

    plan: Plan
    transcript: Transcript[Any]
    state: WindowState | None
    truncate: bool = field(kw_only=True)
    verify: Verify = field(kw_only=True, default="all")

    filled: list[FilledLayer] = field(init=False, default_factory=list[FilledLayer])
    tools: int = field(init=False)
    """Tokens of the tool definitions."""
    options: int = field(init=False)
    """Tokens of what else the request asks for."""
    excess: Underestimate = field(init=False)
    """By how much bills are above what is counted."""
    limit: int = field(init=False)
    """Tokens that all of it may count, without what others send along."""
    known: WindowState = field(init=False)
    """What is remembered, as far as it matches the conversation."""
    summary: FilledLayer | None = field(init=False, default=None)
    """The rolling summary, where there is one."""
    spare: int = field(init=False, default=0)
    """Tokens that are kept free for a summary which is still to be written."""

    def __post_init__(self) -> None:
        """Fill every layer up to its own part."""
        counter = self.plan.counter
        self.excess = Underestimate() if counter.calibration is None else counter.calibration.underestimate(counter)
        self.limit = self.excess.room(self.plan.limit) - self.plan.taken
        self.tools = counter.count_tools(self.plan.definitions)
        self.options = counter.count_options(self.plan.options, tools=bool(self.plan.definitions))
        for layer in self.plan.layers:
            self.filled.append(fill(layer, self._budget_of(layer), counter))
        self.known = matching(self.state, self.transcript, self.verify)

    def context(self, codec: Codec[NativeT]) -> Context[NativeT]:
        """Give the finished context.

        Raises:
            ContextOverflowError: if what is protected does not fit.
        """
        account = self.account()
        if not account.fits:
            raise self._overflow(account)
        window = account.window
        system, entries = self._system_message(), self._conversation(window)
        sent = [*([] if system is None else [system]), *(entry.message for entry in entries)]
        messages = [codec.write(message) for message in sent]
        leads = bool(sent) and sent[0].role.instructs
        return Context(
            messages=messages,
            system_prompt="" if system is None else system.text,
            system_message=messages[0] if leads else None,
            conversation=messages[leads:],
            report=account.report(original=self._original() if self.plan.count_original else None),
            state=window.state,
            count=self._count(sent, account.total - account.unseen - self.plan.taken),
            transcript=self.transcript,
        )

    def account(self) -> Account:
        """Decide, and give who got what; it may be over the budget."""
        window = self._window()
        layers = self.filled if self.summary is None else [*self.filled, self.summary]
        counted = window.tokens + self._fixed() + self.plan.taken
        unseen = self.excess.of(counted)
        return Account(self.plan, layers, self.tools, window, unseen, total=counted + unseen)

    def _overflow(self, account: Account) -> ContextOverflowError:
        """Say how much is enough: with more room, what has a share of it is larger, so that it has to be tried."""
        enough, over = account.total, 0
        for at in range(_TRIES):
            enough = account.total + over
            plan = replace(self.plan, budget=self.plan.budget.widened(enough + self.plan.reserve))
            wider = replace(self, plan=plan).account()
            if wider.fits:
                break
            account, over = wider, (wider.total - enough) << at
        return ContextOverflowError(needed=enough, limit=self.plan.limit, layers=account.needed())

    def _count(self, messages: list[Message], bound: int) -> TokenCount | None:
        """Give what the bill is compared with, where that is done. The price of a picture says nothing of texts."""
        counter = self.plan.counter
        if counter.calibration is None or not counter.calibration.enabled or counter.model is None:
            return None
        if any(isinstance(part, MEDIA) for message in messages for part in message.parts):
            return None
        plain = counter.without_margin.measure(messages, tools=self.plan.definitions, options=self.plan.options)
        return TokenCount(estimate=plain.estimate, bound=bound)

    def _window(self) -> Window:
        """Give the window of the conversation, after layers have given way to what is needed now."""
        self._summarize(self.known)
        self._shed(self._history_part(), lambda layer: layer.yields)
        running = self._running_turn()
        self._shed(running, lambda layer: not layer.protected)
        window = self._select()
        if self.plan.rolling is not None and (window.state != self.known or window.state.unsummarized()):
            # What is left out is not what it was: there is more to summarize, or nothing that a summary is shown for.
            to_come = bool(window.state.unsummarized())
            self._summarize(window.state, to_come=to_come)
            window = self._select()
            self._summarize(window.state, to_come=to_come)
        window = self._with_room_for_what_stays(window, running)
        if window.tokens > self._room() and self.summary is not None:
            self._shorten_summary(window.tokens - self._room())
            window = self._select()
        if window.tokens > self._room() and self.truncate:
            window = self._select(truncate=True)
        if window.tokens > self._room() and self.truncate:
            self._shed(window.tokens, lambda layer: layer.protected)
            window = self._select(truncate=True)
        return window

    def _with_room_for_what_stays(self, window: Window, running: int) -> Window:
        """Shrink layers until what stays of the history has room beside the running turn.

        What has a share of the room stays in greater numbers as the room grows: it takes several tries.
        """
        for tries in range(_TRIES):
            room = self._room()
            needed = max(running + window.cut.staying, window.tokens)
            if needed <= room:
                break
            self._shed(needed if tries + 1 < _TRIES else self.limit, lambda layer: not layer.protected)
            if self._room() == room:
                break
            window = self._select()
        return window

    def _shorten_summary(self, over: int) -> None:
        """Have the summary give way, and the room that is kept for one to come: the question is worth more."""
        self.spare, summary = 0, self.summary
        if summary is not None:
            most = max(0, summary.used - over)
            self.summary = fill(summary.layer, summary.budget, self.plan.counter, at_most=most)

    def _select(self, *, truncate: bool = False) -> Window:
        size = self.plan.budget.parts.get("history")
        room = self._room()
        limit = room
        if isinstance(size, Tokens) and not truncate:  # what is truncated has to go out, within its part or not
            limit = min(room, size.count + self._frame_of_new())
        return select(
            self.transcript,
            max(0, limit),
            counter=self.plan.counter,
            policy=self.plan.policy,
            state=self.known,
            remembers=self.state is not None,
            truncate=truncate,
            granted=self._granted(),
        )

    def _granted(self) -> int:
        """Give the tokens that the budget grants the conversation at most, whatever tools and layers take on a turn."""
        size, limit = self.plan.budget.parts.get("history"), self.plan.limit
        return min(limit, size.count) if isinstance(size, Tokens) else limit

    def _summarize(self, state: WindowState, *, to_come: bool = False) -> None:
        """Set the summary of what a state leaves out; one that is still to come has the whole of its cap kept free."""
        rolling, counter = self.plan.rolling, self.plan.counter
        if rolling is None:
            return
        layer = Layer(name="summary", text=rolling.text(state), cap=rolling.cap, stable=False)
        budget = self.plan.summary_cap
        self.summary = fill(layer, budget, counter)
        if to_come:
            frame = counter.count_message(Message(role=rolling.role)) + counter.count_text("\n\n")
            self.spare = max(0, budget + frame - self.summary.used)

    def _frame_of_new(self) -> int:
        """Give the frame of a new message at the end: a fixed part of the history pays for its content alone."""
        size = len(self.transcript)
        frame = self.plan.counter.framing.messages.per_message
        return frame if size and self.transcript.role(size - 1) is Role.USER else 0

    def _running_turn(self) -> int:
        """Give the tokens of the running turn, to which layers give way; not to what the policy lets go of it."""
        if not any(filled.used for filled in self.filled if not filled.layer.protected):
            return 0
        tokens, results = self._newest(self.limit, until_question=True), self.plan.policy.results
        if tokens <= self._room() or not results.clears:
            return tokens
        return self._newest(self.limit, until_question=True, clearing=True)

    def _history_part(self) -> int:
        """Give the tokens of the history, as far as they are within its part: some layers give way to them."""
        if not any(layer.yields for layer in self.plan.layers):
            return 0
        part, limit = self.plan.budget.size_of("history"), self.limit
        return self._newest(limit if part is None else min(limit, part + self._frame_of_new()), until_question=False)

    def _newest(self, limit: int, *, until_question: bool, clearing: bool = False) -> int:
        counter, results = self.plan.counter, self.plan.policy.results
        return newest_tokens(
            self.transcript, limit, counter=counter, policy=results, until_question=until_question, clearing=clearing
        )

    def _shed(self, needed: int, gives: Callable[[Layer], bool]) -> None:
        """Shrink layers, those of the lowest priority first, until the conversation has the room it needs."""
        order = sorted(range(len(self.filled)), key=lambda at: (self.filled[at].layer.priority, -at))
        for at in order:
            over = needed - self._room()
            layer = self.filled[at]
            if over <= 0:
                return
            if layer.used and gives(layer.layer):
                counter, most = self.plan.counter, max(0, layer.used - over)
                self.filled[at] = fill(layer.layer, layer.budget, counter, at_most=most)

    def _room(self) -> int:
        """Tokens that are left for the conversation."""
        return self.limit - self._fixed() - self.spare

    def _fixed(self) -> int:
        """Tokens of everything but the conversation."""
        count = self.plan.counter.count_message
        made = (self._system_message(), self._summary_message(), self._volatile_message())
        once = self.plan.counter.primer + self.tools + self.options
        return once + sum(count(message) for message in made if message is not None)

    def _original(self) -> int:
        """Tokens of everything there is, had nothing been left out."""
        count = self.plan.counter.count_message
        layers = message_of(Role.SYSTEM, [layer.body for layer in self.plan.layers])
        texts = 0 if layers is None else count(layers)
        conversation = self.plan.counter.count_sequence(self.transcript[at] for at in range(len(self.transcript)))
        return self.plan.counter.primer + self.tools + self.options + texts + conversation

    def _system_message(self) -> Message | None:
        texts = [filled.text for filled in self.filled if not self._is_last(filled)]
        if self.plan.rolling is not None and self.plan.rolling.role is Role.SYSTEM and self.summary is not None:
            texts.append(self.summary.text)
        return message_of(Role.SYSTEM, texts)

    def _summary_message(self) -> Message | None:
        """Give the summary where it is a message of its own."""
        rolling = self.plan.rolling
        if rolling is None or rolling.role is Role.SYSTEM or self.summary is None:
            return None
        return message_of(rolling.role, [self.summary.text])

    def _volatile_message(self) -> Message | None:
        return message_of(Role.USER, [filled.text for filled in self.filled if self._is_last(filled)])

    def _is_last(self, filled: FilledLayer) -> bool:
        return self.plan.volatile_last and not filled.layer.stable

    def _conversation(self, window: Window) -> list[Entry]:
        """Give the window with the summary at its gap and the volatile layers before what is being answered."""
        entries, summary, volatile = list(window.entries), self._summary_message(), self._volatile_message()
        if summary is not None:
            entries.insert(window.cut.gap, Entry(-1, summary, made=True))
        if volatile is not None:
            questions = [at for at, entry in enumerate(entries) if entry.message.role is Role.USER and not entry.made]
            entries.insert(questions[-1] if questions else 0, Entry(-1, volatile, made=True))
        return entries

    def _budget_of(self, layer: Layer) -> int | None:
        budget, cap = self.plan.budget, layer.cap
        part = budget.size_of(layer.name)
        if part is None and isinstance(cap, Rest):
            # Of the whole limit, whatever bills show: a size that moved with each of them would move the prompt.
            unseen = self.plan.limit - self.plan.taken - self.limit
            part = int(max(0, self._room() + unseen) * cap.share)
        elif part is None and cap is not None and not isinstance(cap, Rest):
            part = tokens_of(cap, budget.total)
        shared = [size for name in layer.shares_with if (size := budget.size_of(name)) is not None]
        if not shared:
            return part
        used = sum(filled.used for filled in self.filled if filled.layer.name in layer.shares_with)
        return max(0, (part or 0) + sum(shared) - used)
