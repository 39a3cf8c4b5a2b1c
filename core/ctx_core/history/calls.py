"""The calls of a conversation, and what may become of their arguments: cut, or cleared, when they are old."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ctx_core.conversation.message_texts import text_units
from ctx_core.history.arguments import clear_arguments, shortened_arguments
from ctx_core.history.cuts import steps
from ctx_core.history.json_cuts import JsonCutter
from ctx_core.history.keys import content_name
from ctx_core.history.shortening import Shortening
from ctx_core.truncation import cut_middle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx_core.conversation.messages import Message, ToolCall
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.call_policy import ToolCallPolicy
    from ctx_core.history.decisions import Decisions
    from ctx_core.history.places import Index
    from ctx_core.history.repair import Entry


class Calls:
    """The messages with calls of a repaired conversation, by their indices."""

    def __init__(self, entries: Sequence[Entry], counter: TokenCounter, policy: ToolCallPolicy) -> None:
        """Find each and its age."""
        self._entries = entries
        self._counter = counter
        self._policy = policy
        self._ages: dict[Index, int] = {
            start: age for age, (start, _) in enumerate(reversed(steps(entries))) if entries[start].message.tool_calls
        }

    def decided(self, at: Index, message: Message, decisions: Decisions) -> Message:
        """Give an assistant's message in the form that was decided, or that the policy gives it at first sight."""
        position = self._entries[at].position
        if at in self._ages:
            if position in decisions.cleared_calls:
                message = self.with_placeholders(message, max(0, decisions.cleared_calls[position]))
            elif self._policy.max_tokens is not None:
                message = self._at_first_sight(message, self._policy.max_tokens)
        limit = decisions.shortened_calls.get(position)
        return message if limit is None else self.shortened(message, limit) or message

    def clearable(self) -> Iterator[tuple[Index, int]]:
        """Give the messages whose calls may be cleared on overflow, in the order in which they go: index, and age."""
        policy = self._policy
        for at, age in sorted(self._ages.items()):
            old = policy.clear_after_steps is not None and age > policy.clear_after_steps
            if age and (old or policy.clear_rest):
                yield at, age

    def saved_by_clearing(self, chosen: Iterable[Index]) -> int:
        """Give the tokens that clearing all that may be cleared saves, on calls as they were at first sight."""
        if not self._policy.clears:
            return 0
        clearable, saved, count = dict(self.clearable()), 0, self._counter.count_message
        for at in chosen:
            if at in clearable:
                message = self._entries[at].message
                saved += max(0, count(message) - count(self.with_placeholders(message, clearable[at])))
        return saved

    def with_placeholders(self, message: Message, age: int) -> Message:
        """Give a message with placeholders for the long arguments of its calls, as they were cleared at this age."""
        policy, counter = self._policy, self._counter
        named = _named(policy.placeholder, message).replace("{age}", str(age))
        return _with_calls(
            message,
            lambda call: (
                call
                if call.name in policy.keep or counter.count_text(call.arguments) < policy.min_tokens
                else clear_arguments(
                    call, lambda tokens: named.replace("{tokens}", f"{tokens}"), counter, most=max(1, policy.min_tokens)
                )
            ),
        )

    def _at_first_sight(self, message: Message, limit: int) -> Message:
        kept, cutter = self._policy.keep, self._cutter(message)
        return _with_calls(
            message, lambda call: call if call.name in kept else shortened_arguments(call, limit, cutter)
        )

    def shortened(self, message: Message, limit: int) -> Message | None:
        """Give a message of which text and arguments are cut so that it is within a limit; None where it cannot be.

        Without marks where there is no room for them, and with keys cut too where there is none for these.
        """
        for marked, cuts_keys in ((True, False), (False, False), (False, True)):
            cutter = self._cutter(message, marked=marked, cuts_keys=cuts_keys)
            shortening = Shortening(
                counter=self._counter,
                price=self._counter.count_message,
                cut=cutter.cut,
                cut_call=partial(shortened_arguments, cutter=cutter),
                only_said=True,
            )
            form = shortening.of(message, limit)
            if form is not None and (form.tool_calls or text_units(form)):
                return form
        return None

    def _cutter(self, message: Message, *, marked: bool = True, cuts_keys: bool = False) -> JsonCutter:
        counter = self._counter
        marker = _named(self._policy.cut_marker, message) if marked else ""
        return JsonCutter(
            counter=counter,
            cut=lambda text, most: cut_middle(text, most, counter, marker=marker),
            cuts_keys=cuts_keys,
        )


def _with_calls(message: Message, alter: Callable[[ToolCall], ToolCall]) -> Message:
    calls = tuple(map(alter, message.tool_calls))
    same = all(one is other for one, other in zip(calls, message.tool_calls, strict=True))
    return message if same else replace(message, tool_calls=calls, altered=True)


def _named(text: str, message: Message) -> str:
    return text.replace("{id}", content_name(message)) if "{id}" in text else text
