"""The results of tools, and what may become of them: cut to head and tail, or cleared. They are rarely needed for long.

Every rule about a result stands here. It sees the result in its place: the call that it answers, and its age.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, OpaquePart, Role, ToolCall
from ctx_core.conversation.text_steps import opening_of
from ctx_core.history.cuts import steps
from ctx_core.history.keys import content_name
from ctx_core.history.pairing import Asked, Pairing
from ctx_core.history.places import Index, indexed, indices
from ctx_core.history.policy import ERROR_WORDS, ErrorWords
from ctx_core.truncation import cut_middle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.policy import ToolResultPolicy
    from ctx_core.history.repair import Entry

_ERROR: Final = re.compile("|".join(map(re.escape, ERROR_WORDS)), re.IGNORECASE)
_BEGINS_WITH_ERROR: Final = re.compile(rf"[\W_]*(?:{_ERROR.pattern})", re.IGNORECASE)
"""Behind brackets, quotes and blanks at most: `[ERROR] …`, `{"error": …`."""


@dataclass(frozen=True, slots=True)
class Result:
    """A result that came with the history."""

    message: Message
    call: ToolCall | None
    """The call that it answers."""
    age: int
    """How many steps ago that was."""
    parallel: bool
    """Whether it is one of several that were called side by side."""


class Results:
    """The results of a repaired conversation, by their indices."""

    def __init__(self, entries: Sequence[Entry], counter: TokenCounter, policy: ToolResultPolicy) -> None:
        """Find each result and its call."""
        self._counter = counter
        self._policy = policy
        self._found: dict[Index, Result] = {}
        self._many: set[Index] = set()
        found = steps(entries)
        for age, (start, end) in enumerate(reversed(found)):
            calls = entries[start].message.tool_calls
            answers = indices(start + 1, end)
            if len(calls) > 1:
                self._many.update(answers)
            called = [(at, entries[at].message) for at in answers if entries[at].message.role is Role.TOOL]
            answered = _answered(start, calls, called)
            for at in answers:
                if not entries[at].synthetic:
                    self._found[at] = Result(entries[at].message, answered.get(at), age, len(calls) > 1)
        for at, entry in indexed(entries):  # one whose call was cut off before it has no step
            if entry.message.is_result and not entry.synthetic:
                self._found.setdefault(at, Result(entry.message, None, len(found), parallel=False))

    def __contains__(self, at: object) -> bool:
        """Whether there is a result at an index; a stub is none."""
        return at in self._found

    def __getitem__(self, at: Index) -> Result:
        """Give the result at an index.

        Raises:
            KeyError: if there is none.
        """
        return self._found[at]

    def is_parallel(self, at: Index) -> bool:
        """Whether a result, or a stub, is one of several side by side: some providers bill those otherwise."""
        return at in self._many

    def clearable(self) -> Iterator[tuple[Index, int]]:
        """Give the results that may be cleared on overflow, in the order in which they go: index, and age in steps.

        First those older than `clear_after_steps`, then, if `clear_rest`, all others but the newest step's; of each,
        those of tools of a low priority first.
        """
        for by_age in (True, False):
            for at in sorted(self._found, key=self._priority):
                if self._gives_way(self._found[at], by_age=by_age):
                    yield at, self._found[at].age

    def saved_by_clearing(self, chosen: Iterable[Index]) -> int:
        """Give the tokens that clearing all that may be cleared saves, on results as they were at first sight."""
        saved, policy = 0, self._policy
        for at in chosen:
            result = self._found.get(at)
            if result is None or not any(self._gives_way(result, by_age=by_age) for by_age in (True, False)):
                continue
            cost = self._price(result.message, result)
            if policy.max_tokens is not None:
                cost = min(cost, policy.max_tokens)
            saved += max(0, cost - self._price(self.with_placeholder(at, result.age), result))
        return saved

    def with_placeholder(self, at: Index, age: int) -> Message:
        """Give a result with the placeholder in its place, as it was cleared at this age."""
        message = self._found[at].message
        tokens = self._counter.count_text(message.text)
        placeholder = self._policy.placeholder.replace("{age}", str(age)).replace("{tokens}", f"{tokens}")
        placeholder = _named(placeholder, message)
        return message.with_only_text(opening_of(message) + placeholder)

    def shortened(self, at: Index, limit: int) -> Message:
        """Give a result with the middle of its text left out, so that the whole message is within a limit.

        One whose frame and media alone exceed the limit keeps only its frame and the marker, or no text. What a result
        in a user's message begins with belongs to the frame.
        """
        result, counter = self._found[at], self._counter
        message, opening = result.message, opening_of(result.message)
        if self._price(message, result) <= limit:
            return message
        text = message.text.removeprefix(opening) or " ".join(
            part.text for part in message.parts if isinstance(part, OpaquePart) and part.text
        )
        empty = message.with_only_text(opening)
        if empty.parts == message.parts:
            return message
        frame, marker = self._price(empty, result), _named(self._policy.cut_marker, message)
        room = limit - frame
        while True:
            cut = cut_middle(text, max(0, room), counter, marker=marker) if text else ""
            form = message.with_only_text(opening + cut)
            price = self._price(form, result)
            if price <= limit or room <= 0:
                return form
            # One that is written as a JSON string costs more than its text: the text must be so much shorter.
            room = min(room - 1, counter.count_text(cut) * (limit - frame) // (price - frame))

    def _priority(self, at: Index) -> tuple[int, Index]:
        call = self._found[at].call
        name = self._found[at].message.name if call is None else call.name
        return self._policy.priorities.get(name or "", 0), at

    def _gives_way(self, result: Result, *, by_age: bool) -> bool:
        """Whether a result is cleared because of its age, or else with the rest."""
        policy = self._policy
        if by_age:
            old = policy.clear_after_steps is not None and result.age > policy.clear_after_steps
            if not old or (policy.keep_errors and is_error(result.message, policy.error_words)):
                return False
        elif not policy.clear_rest or result.age == 0:
            return False
        return self._counter.count_text(result.message.text) >= policy.min_tokens

    def _price(self, message: Message, result: Result) -> int:
        return self._counter.count_message(message, parallel=result.parallel)


def _answered(
    start: Index, calls: Sequence[ToolCall], results: Sequence[tuple[Index, Message]]
) -> dict[Index, ToolCall]:
    """Give the call that each result of a step answers, where there is one."""
    by_id = {call.id: call for call in calls if call.id}
    told = {message.tool_call_id for _, message in results}
    if len(by_id) == len(calls) and len(told) == len(results) and told <= by_id.keys():
        return {at: by_id[message.tool_call_id or ""] for at, message in results}
    asked = Asked(start, calls)
    pairing = Pairing[Index]()
    pairing.ask(asked)
    for _ in pairing.place(results):
        pass
    return {at: calls[number] for number, (at, _) in asked.answers.items()}


def _named(text: str, message: Message) -> str:
    """Give a placeholder with the name of what it stands for, where it tells it."""
    return text.replace("{id}", content_name(message)) if "{id}" in text else text


def is_error(message: Message, words: ErrorWords = "at_start") -> bool:
    """Tell whether a tool result reports an error: by its own mark, or by a word in its text or at its beginning."""
    if message.failed:
        return True
    if words == "anywhere":
        return _ERROR.search(message.text) is not None
    return _BEGINS_WITH_ERROR.match(message.text) is not None
