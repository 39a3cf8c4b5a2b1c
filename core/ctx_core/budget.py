"""How many tokens a request may have, and how they are shared out among its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from ctx_core.clean import told
from ctx_core.counting.counter import CounterLike, as_counter
from ctx_core.counting.windows import Room, least_room
from ctx_core.errors import BudgetError
from ctx_core.sizes import Share, Size, Tokens, as_size, check_shares, checked, is_count, tokens_of

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message
    from ctx_core.counting.counter import ToolDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetCheck:
    """How a request stands to its budget."""

    max_input: int
    """Tokens that the input may have: the total without the reserve."""
    current: int
    """Tokens that it has."""
    available: int
    """Tokens that are left, 0 if there are none."""
    within: bool
    """Whether it fits."""
    utilization: int
    """`current` in whole percent of `max_input`, a half rounded up."""

    @classmethod
    def of(cls, current: int, limit: int) -> Self:
        """Give how so many tokens stand to a limit."""
        return cls(
            max_input=limit,
            current=current,
            available=max(0, limit - current),
            within=current <= limit,
            utilization=percent(current, limit),
        )

    @property
    def over(self) -> int:
        """Tokens that are too many, 0 if it fits."""
        return max(0, self.current - self.max_input)


@dataclass(frozen=True, slots=True, init=False)
class ContextBudget:
    """The tokens of one request: its total, what is kept for the answer, and the parts of the rest.

    A part is a `Share` of the total or a fixed number of `Tokens`. With shares, all of them and the
    reserve must sum to 1. Parts that are not named have what is left; what a part leaves unused flows
    to the history, unless the history's own part is fixed.
    """

    total: int
    """The window, in tokens: input and answer together."""
    reserve: int
    """Tokens that are kept for the answer."""
    parts: Mapping[str, Size] = field(hash=False)
    """Size of each part by the name of its layer; read-only."""
    model: str | None
    """The model whose window it is, where it was made for one; its counter is then the default."""

    def __init__(
        self,
        total: int,
        *,
        parts: Mapping[str, Size] | None = None,
        reserve: int | Size = 0,
        model: str | None = None,
    ) -> None:
        """Take the total, the parts by name, and the reserve for the answer in tokens or as a share.

        Raises:
            BudgetError: if something is not positive, the shares don't sum to 1 (± 0.01), or fixed parts
                and the reserve exceed the total.
        """
        parts = dict(parts or {})
        if not is_count(total) or total == 0:
            msg = f"the budget must be a whole number of tokens above 0, found {told(total)}"
            raise BudgetError(msg)
        size = as_size(reserve)
        for name, part in {**parts, "reserve": size}.items():
            checked(name, part)
        check_shares({**parts, "reserve": size})
        reserved = tokens_of(size, total)
        if reserved >= total:
            msg = (
                f"the reserve of {reserved:,} tokens leaves nothing of the total of {total:,}: keep it below the total"
            )
            raise BudgetError(msg)
        fixed = {name: part.count for name, part in parts.items() if isinstance(part, Tokens)}
        if sum(fixed.values()) + reserved > total:
            named = ", ".join(f"{name} {count:,}" for name, count in fixed.items())
            msg = (
                f"the fixed parts ({named}) and the reserve of {reserved:,} make "
                f"{sum(fixed.values()) + reserved:,} tokens, over the total of {total:,}"
            )
            raise BudgetError(msg)
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "reserve", reserved)
        object.__setattr__(self, "parts", MappingProxyType(parts))
        object.__setattr__(self, "model", model)

    @classmethod
    def default(cls) -> Self:
        """Give 100,000 tokens: system 10 %, history 25, summary 10, memory 15, task 5, answer 35."""
        return cls(100_000, parts=_SHARES, reserve=Share(0.35))

    @classmethod
    def medium(cls) -> Self:
        """Give 40,000 tokens in the shares of `default`."""
        return cls(40_000, parts=_SHARES, reserve=Share(0.35))

    @classmethod
    def local_small(cls) -> Self:
        """Give 6,000 tokens: system 10 %, history 30, summary 10, memory 10, task 0, answer 40."""
        return cls(6_000, parts=_SMALL_SHARES, reserve=Share(0.40))

    @classmethod
    def for_model(
        cls, model: object, *, reserve: int | Size | None = None, parts: Mapping[str, Size] | None = None
    ) -> Self:
        """Give the budget of a model's whole window.

        Where the window is for the input alone, as Gemini's and GPT-5's are, a reserve in tokens is not taken from
        it: the total is both together. A reserve that is a share is one of the window. Of a model with fallbacks it
        is the budget of the one that has the least room for the input.

        Args:
            model: a name, or a model object of LangChain or LlamaIndex, in its wrappers or not: it is asked for its
                window and for what it will ask for.
            reserve: tokens kept for the answer. None: those that the object asks for (`max_tokens`, `num_predict`,
                …, from where it is bound, from the model, from the client's own default, thoughts included), else
                4,096, but no more than its longest answer or a quarter of a window of both.
            parts: as in the constructor.

        Raises:
            UnknownModelError: if neither the object nor the table of families knows the window.
            BudgetError: if the answer that is asked for leaves nothing for the input.
        """
        if reserve is None:
            room = least_room(model)
            size: Size = Tokens(_answer(room))
        else:
            size = checked("reserve", as_size(reserve))
            room = least_room(model, lambda window: tokens_of(size, window.tokens))
        beside = size.count if room.window.input_only and isinstance(size, Tokens) else 0
        return cls(room.window.tokens + beside, parts=parts, reserve=size, model=room.asked.name)

    @property
    def input_limit(self) -> int:
        """Tokens that the input may have: the total without the reserve."""
        return self.total - self.reserve

    def widened(self, input_limit: int) -> ContextBudget:
        """Give the same budget with more tokens for the input, and no more for the answer."""
        return _rebuild(max(self.total, input_limit + self.reserve), dict(self.parts), self.reserve, self.model)

    def resized(self, input_limit: int) -> ContextBudget:
        """Give the same budget with so many tokens for the input.

        Raises:
            BudgetError: if that is no number above 0.
        """
        if not is_count(input_limit) or input_limit == 0:
            msg = f"the budget must be a whole number of tokens above 0, found {told(input_limit)}"
            raise BudgetError(msg)
        return _rebuild(input_limit + self.reserve, dict(self.parts), self.reserve, self.model)

    def size_of(self, part: str) -> int | None:
        """Give the tokens of a part, rounded down; None where the budget doesn't name it."""
        size = self.parts.get(part)
        return None if size is None else tokens_of(size, self.total)

    def check(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        counter: CounterLike | None = None,
        tools: Iterable[ToolDefinition] = (),
    ) -> BudgetCheck:
        """Say how a request stands to this budget, counted from scratch.

        Args:
            messages: neutral messages or OpenAI-style dicts.
            counter: by default the counter of the budget's model, else the safe estimate.
            tools: tool definitions that go with the request.
        """
        current = as_counter(counter or self.model).count_messages(messages, tools=tools)
        return BudgetCheck.of(current, self.input_limit)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy through the constructor; a read-only mapping does neither."""
        return (_rebuild, (self.total, dict(self.parts), self.reserve, self.model))


def percent(part: int, whole: int) -> int:
    """Give a part in whole percent, a half rounded up."""
    return (200 * part + whole) // (2 * whole)


def _answer(room: Room) -> int:
    """Give the tokens that are kept for an answer, where they leave some for the input."""
    if room.input_limit > 0:
        return room.answer
    shown = room.asked.name or type(room.asked.model).__name__
    msg = (
        f"{shown} is asked for answers of {room.answer:,} tokens, which leaves nothing of its window of "
        f"{room.window.tokens:,}: lower what it is asked for (max_tokens, num_predict, …), tell it a larger window "
        "(num_ctx, …), or give reserve="
    )
    raise BudgetError(msg)


def _rebuild(total: int, parts: Mapping[str, Size], reserve: int, model: str | None) -> ContextBudget:
    # Checked when it was made: and the reserve may have been a share, without which the others don't sum to 1.
    budget = object.__new__(ContextBudget)
    for name, value in (("total", total), ("reserve", reserve), ("parts", MappingProxyType(parts)), ("model", model)):
        object.__setattr__(budget, name, value)
    return budget


_SHARES: Final[Mapping[str, Size]] = {
    "system": Share(0.10),
    "history": Share(0.25),
    "summary": Share(0.10),
    "memory": Share(0.15),
    "task": Share(0.05),
}
_SMALL_SHARES: Final[Mapping[str, Size]] = {
    "system": Share(0.10),
    "history": Share(0.30),
    "summary": Share(0.10),
    "memory": Share(0.10),
    "task": Share(0.0),
}
