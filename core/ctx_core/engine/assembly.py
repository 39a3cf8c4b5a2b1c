"""One build: fills the layers, gives the history what they leave, has what can give way until it fits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.transcript import Transcript
from ctx_core.counting.calibration import Underestimate
from ctx_core.engine.acceptance import asked_of
from ctx_core.engine.accounting import Account
from ctx_core.engine.call_ids import CallIds
from ctx_core.engine.concessions import CONCESSIONS
from ctx_core.engine.context import Context
from ctx_core.engine.measures import billed_count, tokens_of_all
from ctx_core.engine.placement import as_they_stood
from ctx_core.engine.plan import Plan
from ctx_core.engine.reasoning import Reasoning
from ctx_core.engine.texts import Texts
from ctx_core.errors import ContextOverflowError
from ctx_core.history.last_means import squeezed_by
from ctx_core.history.least import least_of
from ctx_core.history.made_from import leaves_out_the_same
from ctx_core.history.needed import sizes_with_heads
from ctx_core.history.places import Position
from ctx_core.history.remembered import Verify, matching
from ctx_core.history.repair import Entry
from ctx_core.history.state import WindowState
from ctx_core.history.window import Limits, Selection, select
from ctx_core.providers.asked import Asked
from ctx_core.providers.step import Accepted, accepted
from ctx_core.sizes import Tokens

if TYPE_CHECKING:
    from ctx_core.history.truncating import Truncation

_NOWHERE: Final = Position(-1)
"""Position of what is no part of the history."""


@dataclass(slots=True)
class Assembly:
    """What is known while a context is put together."""

    plan: Plan
    transcript: Transcript[Any]
    state: WindowState | None
    truncate: bool = field(kw_only=True)
    verify: Verify = field(kw_only=True, default="all")

    texts: Texts = field(init=False)
    """What layers and summary say, and the room that they leave."""
    window: Selection = field(init=False)
    """What of the conversation goes out."""
    _underestimate: Underestimate = field(init=False)
    """By how much bills are above what is counted."""
    _known: WindowState = field(init=False)
    """What is remembered, as far as it matches the conversation."""
    _asked: Asked | None = field(init=False)
    """What the provider asks; None: nothing is looked at."""
    _reasoning: Reasoning = field(init=False)
    """What becomes of the model's thoughts."""
    _ids: CallIds = field(init=False)
    """Where calls stand, by which ids are made anew."""
    _accepted: Accepted = field(init=False)
    """The conversation as it goes out."""
    _apart: int = field(init=False, default=0)
    """How many results go out apart from their calls, as they stood."""

    def __post_init__(self) -> None:
        """Decide; it may be over the budget."""
        counter = self.plan.counter
        self._underestimate = (
            Underestimate() if counter.calibration is None else counter.calibration.underestimate(counter)
        )
        self.texts = Texts(self.plan, self._underestimate.room(self.plan.limit) - self.plan.taken)
        # Held against the messages before anything is decided by it: what is remembered is a hint, never a truth.
        known, verify = self.state, self.verify
        if known is not None and verify == "all" and leaves_out_the_same(known, self.transcript):
            verify = "ends"  # all between them was compared just now
        self._known = matching(known, self.transcript, verify)
        self._asked = asked_of(self.plan, self.transcript)
        self._reasoning = Reasoning(self.plan, self._asked, self.transcript, state=self.state, known=self._known)
        self._ids = CallIds(self.transcript, self._known)
        self._settle()
        if self._reasoning.has_lost_its_place(self._accepted.messages, self.window, self.texts.system_message()):
            # All of it, once and for all: what was there before may not come back.
            self._known = replace(self._known, reasoning_from=Position(len(self.transcript)))
            self._settle()

    def _settle(self) -> None:
        """Decide until what makes the request acceptable fits too."""
        self._decide()
        # What makes a request acceptable depends on what is in it: where it does not fit, as much is reserved.
        while (added := self._accept()) > self.texts.reserved_for_provider and not self._account().fits:
            self.texts.reserved_for_provider = added
            self._decide()

    def _decide(self) -> None:
        """Choose the window, and have what can give way do so until all fits."""
        self._choose()
        for concession in CONCESSIONS:
            if concession.truncation != "no" and not self.truncate:
                break
            # Asked anew for each: what gave way before may have left room enough.
            needed = concession.needs(self)
            if needed > self.texts.room:
                concession.give(self.texts, needed)
                self._choose(concession.truncation)

    def context(self) -> Context[Any]:
        """Give the finished context.

        Raises:
            ContextOverflowError: if what is protected does not fit.
        """
        account = self._account()
        if not account.fits:
            raise ContextOverflowError(needed=self._enough(account), limit=self.plan.limit, layers=account.needed())
        system, apart, sent = self.texts.system_message(), self.transcript.system_apart, self._accepted.messages
        messages = self.transcript.write(sent)
        original = tokens_of_all(self.plan, self.transcript, self.texts.once) if self.plan.count_original else None
        leads = not apart and bool(sent) and sent[0].role.instructs
        return Context(
            messages=messages,
            system_prompt="" if system is None else system.text,
            system_message=messages[0] if leads else None,
            conversation=messages[leads:],
            report=account.report(original=original),
            state=self._reasoning.remembered(self._ids.remembered(self.window.state), sent, system),
            count=billed_count(
                self.plan,
                [*([system] if apart and system is not None else ()), *sent],
                account.counted - self.plan.taken,
            ),
            transcript=self.transcript,
        )

    def yielded_to(self) -> int:
        """Give the tokens of the history to which layers yield; 0 where none does.

        Those within its part, all of it where parts do not count yet, or those of its last messages where its policy
        says of how many.
        """
        if not self.texts.any(lambda layer: layer.yields):
            return 0
        last = self.plan.policy.layers_yield_to
        if last is not None:
            return self._select(self.texts.base).cut.asked(last=last)
        return self._select(self._within_part(None if self.plan.flexible_parts else self._history_size())).tokens

    def history_part(self) -> int:
        """Give the tokens of the history within its part, where parts count only now; 0 where no layer can go."""
        part = self._history_size()
        if part is None or not self.plan.flexible_parts or not self.texts.any(lambda layer: not layer.protected):
            return 0
        return self._select(self._within_part(part)).tokens

    def staying(self) -> int:
        """Give the tokens of the running turn and of what stays before it; 0 where no layer can give way to them.

        Not those of results that the policy cuts or clears anyway, unless there is room for them as it is.
        """
        if not self.texts.any(lambda layer: not layer.protected):
            return 0
        if self.plan.flexible_parts:
            return self._select(0).tokens
        cut = self.window.cut
        whole = cut.asked()
        return whole if whole <= self.texts.room else cut.asked(after_clearing=True)

    def _choose(self, truncation: Truncation = "no") -> None:
        """Choose the window for the room there is, and have the summary speak of what it leaves out."""
        self.texts.summarize(self._known)
        self.window = window = self._select(truncation=truncation)
        if self.plan.rolling is not None and (window.state != self._known or window.state.unsummarized()):
            # What is left out is not what it was: there is more to summarize, or nothing that a summary is shown for.
            to_come = bool(window.state.unsummarized())
            self.texts.summarize(window.state, to_come=to_come)
            self.window = self._select(truncation=truncation)
            self.texts.summarize(self.window.state, to_come=to_come)

    def _select(self, limit: int | None = None, *, truncation: Truncation = "no") -> Selection:
        """Choose what of the conversation goes out within a limit: by default the room there is, and its part."""
        size, part = self.plan.budget.parts.get("history"), self.plan.limit
        if isinstance(size, Tokens) and not self.plan.flexible_parts:
            part = size.count
        if limit is None:
            # What is truncated has to go out, within its part or not.
            limit = self.texts.room if truncation != "no" else min(self.texts.room, part + self._frame_of_new())
        limits = Limits(room=max(0, limit), granted=min(self.plan.limit, part), base=min(self.texts.base, part))
        select_by = partial(
            select,
            self.transcript,
            counter=self.plan.counter,
            state=self._known,
            remembers=self.state is not None,
            truncation=truncation,
            results_follow=self.plan.results_follow,
        )
        if self._reasoning.waits and truncation == "no":
            # A cut would take the reasoning of the loop that is running: it waits, if there is room beside the part.
            patient = replace(self._reasoning.policy, max_messages=None)
            window = select_by(replace(limits, room=max(limits.room, self.texts.room)), policy=patient)
            if not window.cut.newly_cut:
                return window
        return select_by(limits, policy=self._reasoning.policy)

    def _history_size(self) -> int | None:
        return self.plan.budget.size_of("history")

    def _within_part(self, part: int | None) -> int:
        """Give the most that the history may cost beside what is protected, within a part of the budget."""
        return self.texts.base if part is None else min(self.texts.base, part + self._frame_of_new())

    def _frame_of_new(self) -> int:
        """Give the frame of a new message at the end: a fixed part of the history pays for its content alone."""
        size = len(self.transcript)
        frame = self.plan.counter.framing.messages.per_message
        return frame if size and self.transcript.is_question(size - 1) else 0

    def _account(self) -> Account:
        """Give who got what."""
        counted = self._accepted_tokens() + self.plan.taken
        return Account(
            self.plan,
            self.texts,
            self.window,
            counted=counted,
            underestimate=self._underestimate.of(counted),
            added=counted - self.plan.taken - self.window.tokens - self.texts.fixed,
            provider=None if self._asked is None else self._asked.target.provider.name,
            changes=self._accepted.changes,
            apart=self._apart,
        )

    def _accept(self) -> int:
        """Have the provider's rules met; give the tokens that this adds."""
        system = self.texts.system_message()
        own: str | None = getattr(self.transcript.codec, "name", None)
        entries, self._apart = as_they_stood(self._conversation(), self._asked, own)
        spoken = [entry.message for entry in entries]
        sent = [*([] if system is None or self.transcript.system_apart else [system]), *spoken]
        if self._asked is None:
            self._accepted = Accepted(sent)
        else:
            self._accepted = accepted(sent, self._ids.placed(self._asked, self.window, entries))
        if gone := self._reasoning.gone(self.window):
            self._accepted = replace(self._accepted, changes={**self._accepted.changes, "reasoning dropped": gone})
        return self._accepted_tokens() - self.window.tokens - self.texts.fixed

    def _accepted_tokens(self) -> int:
        """Give the tokens of all that goes out, counted anew."""
        counter, system = self.plan.counter, self.texts.system_message()
        apart = counter.count_message(system) if self.transcript.system_apart and system is not None else 0
        return self.texts.once + apart + counter.count_sequence(self._accepted.messages)

    def _enough(self, account: Account) -> int:
        """Give the least limit under which it fits.

        All that could give way has done so: what is left needs as much under any limit, but for protected layers that
        were cut to their parts, which grow with it, and for first messages that have a share of what is left.
        """
        uncut = sum(max(0, row.asked - row.used) for row in self.texts.filled if row.layer.protected)
        cut, counted = self.window.cut, account.counted + uncut
        beside = self.plan.limit - self.texts.base
        # Arithmetic says where it may fit, and a build whether it does: more first messages protect more results.
        sizes = (size for saved in (squeezed_by(cut), 0) for size in sizes_with_heads(cut, counted - saved, beside))
        enough = next(filter(self._fits_within, sizes), self._everything(counted))
        if self.truncate:
            # What texts cost that were not cut, as it would not have been enough, says nothing of what they need.
            over = max(self._underestimate.room(self.plan.limit), self.texts.once + self.plan.taken)
            guess = None if cut.fewest is None else counted - cut.tokens + cut.fewest
            enough = least_of(self._fits_within, over=over, fitting=enough, guess=guess)
        return enough + self._underestimate.of(enough)

    def _everything(self, enough: int) -> int:
        """Give the tokens with which there is no cut."""
        return (
            enough
            - self.window.tokens
            + self.plan.counter.count_sequence(self.transcript[at] for at in range(len(self.transcript)))
        )

    def _fits_within(self, counted: int) -> bool:
        limit = counted + self._underestimate.of(counted)
        plan = replace(self.plan, budget=self.plan.budget.widened(limit + self.plan.reserve))
        wider = type(self)(plan, self.transcript, self.state, truncate=self.truncate, verify=self.verify)
        return wider._account().fits  # noqa: SLF001 - its own kind

    def _conversation(self) -> list[Entry]:
        """Give the window with the summary at its gap and the volatile layers before what is being answered."""
        entries = list(self.window.entries)
        summary, volatile = self.texts.summary_message(), self.texts.volatile_message()
        if summary is not None:
            entries.insert(self.window.cut.gap, Entry(_NOWHERE, summary, synthetic=True))
        if volatile is not None:
            questions = [at for at, entry in enumerate(entries) if entry.message.is_question and not entry.synthetic]
            entries.insert(questions[-1] if questions else 0, Entry(_NOWHERE, volatile, synthetic=True))
        return entries
