"""The results of tools, and what may become of them: cut to head and tail, or cleared. They are rarely needed for long.

Every rule about a result stands here. It sees the result in its place: the call that it answers, and its age.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.message_texts import text_units, with_unit_texts
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import TextPart
from ctx_core.conversation.text_steps import opening_of
from ctx_core.history.asked import Asked
from ctx_core.history.cuts import steps
from ctx_core.history.keys import content_name
from ctx_core.history.media import shows_screen, with_named_media
from ctx_core.history.pairing import Pairing
from ctx_core.history.places import Index, indexed, indices
from ctx_core.history.policy import ERROR_WORDS, ErrorWords
from ctx_core.history.shortening import Shortening
from ctx_core.truncation import cut_middle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.policy import ToolResultPolicy
    from ctx_core.history.repair import Entry

_ERROR: Final = re.compile("|".join(map(re.escape, ERROR_WORDS)), re.IGNORECASE)
_NOT_ONE: Final = r"(?:0\b(?!\.\d*[1-9])|no\b(?![ \t]+\w)|null\b|none\b|false\b|\"\"|''|\[\]|\{\})"
_NONE: Final = rf"""s?(?:["']?\s*[:=(]?|[ _-]\w+["']?\s*[:=(])\s*{_NOT_ONE}"""
_RAISED: Final = r"(?-i:(?:\w{1,60}\.){0,9}[A-Z]\w{0,60}(?:Error|Exception)):"
_TRACED: Final = r"Traceback \(most recent call last\):"
_BEGINS_WITH_ERROR: Final = re.compile(
    rf"[\W_]{{0,200}}(?:{_RAISED}|{_TRACED}|(?:{_ERROR.pattern})(?!{_NONE})(?!-free|less|ity))", re.IGNORECASE
)
"""Behind brackets, quotes and blanks at most: `[ERROR] …`, `{"error": …`. What says that there is none is no error:
`Errors found: 0`, `{"error": null, …`; what an exception is called stands before its colon: `ValueError: …`.
What Python raises is told by its last line, behind a first one that says that it comes."""


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

        First those of which a later call of the same kind has a newer one, then those of tools that the policy names,
        then those older than `clear_after_steps`, then, if `clear_rest`, all others but the newest step's; of each,
        those of tools of a low priority first.
        """
        rules: tuple[Callable[[Index], bool], ...] = (
            self._superseded().__contains__,
            lambda at: self._tool(at) in self._policy.first and self._gives_way(at),
            lambda at: self._gives_way(at, by_age=True),
            self._gives_way,
        )
        left = sorted(filter(self._may_be_cleared, self._found), key=self._priority)
        for rule in rules:
            going = [at for at in left if rule(at)]
            left = [at for at in left if at not in {*going}]
            for at in going:
                yield at, self._found[at].age

    def saved_by_clearing(self, chosen: Iterable[Index]) -> int:
        """Give the tokens that clearing all that may be cleared saves, on results as they were at first sight."""
        saved, policy = 0, self._policy
        clearable = dict(self.clearable())
        for at in chosen:
            if at not in clearable:
                continue
            result = self._found[at]
            cost = self._price(result.message, result)
            if policy.max_tokens is not None:
                cost = min(cost, policy.max_tokens)
            saved += max(0, cost - self._price(self.with_placeholder(at, result.age), result))
        return saved

    def with_placeholder(self, at: Index, age: int) -> Message:
        """Give a result with the placeholder in its place, as it was cleared at this age.

        A block that has more than a text stays, and says nothing more; a medium is named.
        """
        message = self._found[at].message
        tokens = self._size(message)
        placeholder = self._policy.placeholder.replace("{age}", str(age)).replace("{tokens}", f"{tokens}")
        placeholder = opening_of(message) + _named(placeholder, message)
        units = text_units(message)
        if units:
            form = with_unit_texts(message, units, [placeholder, *("" for _ in units[1:])])
        else:
            form = replace(message, parts=(TextPart(placeholder), *message.parts), altered=True)
        return with_named_media(form)

    def shortened(self, at: Index, limit: int, message: Message | None = None) -> Message:
        """Give a result with the middle of its texts left out, so that the whole message is within a limit.

        Media stay where there is room for them beside a text, else they are named. Where what cannot be cut alone is
        over the limit, all of it is one text. What a result in a user's message begins with belongs to the frame.

        Args:
            at: its index.
            limit: tokens of the message.
            message: the result in another form; by default as it came.
        """
        result = self._found[at]
        message = message or result.message
        opening = opening_of(message)
        named = with_named_media(message)
        units = text_units(named)
        if self._price(message, result) <= limit or not units or shows_screen(message):
            return message
        marker = _named(self._policy.cut_marker, result.message)
        shortening = Shortening(
            counter=self._counter,
            price=lambda form: self._price(form, result),
            cut=lambda text, most: cut_middle(text, most, self._counter, marker=marker),
        )
        words = message.with_only_text("".join(unit.text for unit in units))
        for form in (message, named, words):
            cut = shortening.of(form, limit, opening=opening)
            if cut is not None:
                return cut
        return message.with_only_text(opening)

    def least(self, at: Index) -> int:
        """Give the tokens of a result of which only the marker of what is missing is left."""
        result = self._found[at]
        marked = _named(self._policy.cut_marker, result.message)
        marker = result.message.with_only_text(opening_of(result.message) + marked)
        form = self.shortened(at, self._price(marker, result))
        return self._price(form if text_units(form) else result.message, result)

    def _tool(self, at: Index) -> str:
        """Give the name of the tool that gave a result; empty where nothing says it."""
        call = self._found[at].call
        return (self._found[at].message.name if call is None else call.name) or ""

    def _priority(self, at: Index) -> tuple[int, Index]:
        return self._policy.priorities.get(self._tool(at), 0), at

    def _superseded(self) -> set[Index]:
        """Give the results that a later call of the same tool with equal arguments has a newer one for."""
        policy = self._policy
        if policy.superseded is False or not policy.clears:
            return set()
        newest: dict[tuple[str, str], Index] = {}
        older = set[Index]()
        for at in sorted(self._found):
            result = self._found[at]
            if result.call is None:
                continue
            asked = (result.call.name, equal_arguments(result.call.arguments))
            if policy.superseded is None and asked[1] == _NO_ARGUMENTS:
                continue
            if asked in newest and not self._is_kept_error(self._found[newest[asked]]):
                older.add(newest[asked])
            newest[asked] = at
        return older

    def _may_be_cleared(self, at: Index) -> bool:
        """Whether a result is worth clearing, and neither of the newest step nor of a tool whose results are kept."""
        result, policy = self._found[at], self._policy
        if result.age == 0 or self._tool(at) in policy.keep:
            return False
        return self._size(result.message) >= policy.min_tokens and not shows_screen(result.message)

    def _gives_way(self, at: Index, *, by_age: bool = False) -> bool:
        """Whether a result is cleared because of its age, or else with the rest."""
        result, policy = self._found[at], self._policy
        old = policy.clear_after_steps is not None and result.age > policy.clear_after_steps
        if old and not self._is_kept_error(result):
            return True
        return policy.clear_rest and not by_age

    def _is_kept_error(self, result: Result) -> bool:
        return self._policy.keep_errors and is_error(result.message, self._policy.error_words)

    def _size(self, message: Message) -> int:
        """Give the tokens of what a result says: its text, its documents and its media."""
        others = tuple(part for part in message.parts if not isinstance(part, TextPart))
        count, tokens = self._counter.count_message, self._counter.count_text(message.text)
        return tokens + (count(replace(message, parts=others)) - count(replace(message, parts=())) if others else 0)

    def _price(self, message: Message, result: Result) -> int:
        return self._counter.count_message(message, parallel=result.parallel)


def _answered(
    start: Index, calls: Sequence[ToolCall], results: Sequence[tuple[Index, Message]]
) -> dict[Index, ToolCall]:
    """Give the call that each result of a step answers, where there is one."""
    if len(calls) == len(results) == 1 and calls[0].id and calls[0].id == results[0][1].tool_call_id:
        return {results[0][0]: calls[0]}
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


_NO_ARGUMENTS: Final = "{}"


def equal_arguments(arguments: str) -> str:
    """Give what arguments have in common that say the same: the order of keys and blanks say nothing."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _named(text: str, message: Message) -> str:
    """Give a placeholder with the name of what it stands for, where it tells it."""
    return text.replace("{id}", content_name(message)) if "{id}" in text else text


def is_error(message: Message, words: ErrorWords = "at_start") -> bool:
    """Tell whether a tool result reports an error: by its own mark, or by a word in its text or at its beginning."""
    if message.failed is not None:
        return message.failed
    if words == "anywhere":
        return _ERROR.search(message.text) is not None
    return _BEGINS_WITH_ERROR.match(message.text) is not None
