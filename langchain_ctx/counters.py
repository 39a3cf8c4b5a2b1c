"""Everything that LangChain takes as a `token_counter`, as a counter of ours."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately

from ctx_core.counting import FALLBACK, Framing, MessageFraming, family_of, model_name
from ctx_core.counting.counter import TokenCounter, as_counter
from ctx_core.counting.tokenizers import Tokenizer, counts_messages, tokenizer_name
from ctx_core.errors import BudgetError, TokenizerError
from langchain_ctx.bound_model import asked_in, served_by
from langchain_ctx.convert import CODEC

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message
    from ctx_core.counting.counter import CounterLike

MessagesCounter: TypeAlias = Callable[[Sequence[Any]], int]
"""Gives the tokens of a list of messages, as `count_tokens_approximately` does."""

_BY_MODEL: Final = "get_num_tokens_from_messages"


def counter_of(counter: CounterLike | None) -> TokenCounter:
    """Give the counter that is meant: one of ours, a text's, or one of those that LangChain takes.

    Those are `"approximate"`, a function of a list of messages or, as its type says, of one, a model, in its wrappers
    or not, and a model's `get_num_tokens_from_messages`; which is the counter of that model, where its family is known.
    A function that takes both texts and lists counts texts: `len` their characters.

    Raises:
        BudgetError: for what is none of them.
    """
    if counter == "approximate":
        return message_counter(count_tokens_approximately)
    if getattr(counter, "__name__", None) == _BY_MODEL and isinstance(
        getattr(counter, "__self__", None), BaseLanguageModel
    ):
        counter = cast("Any", counter).__self__
    asked = asked_in(counter)
    if asked is not None:
        return model_counter(asked.model)
    if takes_one_message(counter):
        of_one = cast("Callable[[BaseMessage], int]", counter)
        return message_counter(lambda messages: sum(map(of_one, messages)))
    if counts_messages(counter) or _takes_no_text(counter):
        return message_counter(cast("MessagesCounter", counter))
    return as_counter(counter)


def trimming_counter(counter: Any) -> Any:  # noqa: ANN401 - whatever LangChain takes, and None
    """Give what `trim_messages` means by a token counter: a function that says nothing else counts a list of messages.

    Raises:
        TokenizerError: if it raises, or gives no number from 0 up, for a message without text.
    """
    given = cast("object", counter)
    plain = inspect.isroutine(given) or isinstance(given, partial)
    known = not plain or takes_one_message(counter) or _takes_texts(counter) or asked_in(counter) is not None
    return counter if known or getattr(counter, "__name__", None) == _BY_MODEL else message_counter(counter)


def _takes_texts(counter: Callable[..., object]) -> bool:
    """Whether a function says by a type that it takes a text, or is that of an encoder."""
    if getattr(counter, "__name__", None) == "encode":
        return True
    try:
        first = next(iter(inspect.signature(counter).parameters.values()), None)
    except (TypeError, ValueError):  # built in, or with a signature that is none
        return False
    return first is not None and first.annotation in (str, "str")


def takes_one_message(counter: object) -> bool:
    """Whether a function counts one message, as LangChain finds out: by the type of what it takes."""
    if not callable(counter) or isinstance(counter, str | type | Tokenizer):
        return False
    try:
        first = next(iter(inspect.signature(counter).parameters.values()), None)
    except (TypeError, ValueError):  # built in, or with a signature that is none
        return False
    return first is not None and first.annotation in (BaseMessage, BaseMessage.__name__)


def _takes_no_text(counter: object) -> bool:
    """Whether a function that says nothing of what it takes raises on a text, and counts a list of messages."""
    if not inspect.isroutine(counter) and not isinstance(counter, partial):
        return False
    tried = cast("Callable[[Any], object]", counter)
    try:
        tried("text")
    except Exception:  # noqa: BLE001 - it may raise anything
        with suppress(Exception):
            return isinstance(tried([HumanMessage("text")]), int | float)
    return False


def model_counter(model: object) -> TokenCounter:
    """Give the counter of a model object: by its name, its API and its host, else the one that it brings itself.

    Raises:
        BudgetError: if it has neither a name nor a counter of its own.
    """
    name = model_name(model)
    brings = _brings_counter(model)
    if name is not None and (not brings or family_of(name) is not FALLBACK):
        api, host = served_by(model)
        return TokenCounter.for_model(name, api=api, host=host)
    if brings:
        return message_counter(cast("MessagesCounter", getattr(model, _BY_MODEL)), model=name)
    msg = (
        f"{type(model).__name__} says neither its model's name nor how it counts: give counter= the name of a model "
        "that counts like it, such as 'gpt-4o', or a function from a text to its number of tokens"
    )
    raise BudgetError(msg)


def message_counter(function: MessagesCounter, *, model: str | None = None) -> TokenCounter:
    """Give a counter whose messages are counted by a function of a list of LangChain's messages.

    A message costs what the function gives for it alone, less what it adds once a request. Texts that are no message
    yet, as those of layers, and tool definitions are counted by what a message grows by with their text.

    Args:
        function: such as `count_tokens_approximately`, `partial(count_tokens_approximately, chars_per_token=3)`, or
            one of your own. It is asked for one message at a time.
        model: name of the model it counts for, if one.

    Raises:
        BudgetError: for what is no function.
        TokenizerError: if it raises, or gives no number from 0 up, for a message without text; it is tried at once.
    """
    if not callable(function):
        msg = f"a counter of messages is a function of a list of messages, found {type(function).__name__}"
        raise BudgetError(msg)
    counts = _Counts(function)
    empty = HumanMessage("")
    one = counts(empty)
    once = max(0, 2 * one - counts(empty, empty))
    framing = MessageFraming(
        per_request=once,
        per_message=one - once,
        per_system=counts(SystemMessage("")) - once,
        per_assistant=counts(AIMessage("")) - one,
    )
    return TokenCounter(
        _Texts(counts, one),
        framing=Framing(messages=framing),
        model=model,
        of_message=_Messages(counts, once),
    )


class _Counts:
    """The function, checked."""

    def __init__(self, function: MessagesCounter) -> None:
        self._function = function
        self.name = tokenizer_name(function)

    def __call__(self, *messages: BaseMessage) -> int:
        try:
            tokens, raised = self._function(list(messages)), None
        except Exception as error:  # noqa: BLE001 - it may raise anything
            tokens, raised = -1, type(error).__name__
        if raised is not None:  # outside of the handler, as what a counter raises may quote the messages
            msg = f"counter {self.name} raised {raised} on {len(messages)} message(s)"
            raise TokenizerError(msg)
        if isinstance(tokens, int | float) and not isinstance(tokens, bool) and math.isfinite(tokens) and tokens >= 0:
            return math.ceil(tokens)
        msg = f"counter {self.name} gave {type(tokens).__name__} for messages; expected a count of 0 or more"
        raise TokenizerError(msg)


class _Texts:
    """Counts texts by what a message grows by with them."""

    def __init__(self, counts: _Counts, empty: int) -> None:
        self._counts, self._empty = counts, empty
        self.name = counts.name

    def count(self, text: str) -> int:
        """Give the tokens of a text."""
        return max(0, self._counts(HumanMessage(text)) - self._empty)


class _Messages:
    """Counts neutral messages as LangChain's."""

    def __init__(self, counts: _Counts, once: int) -> None:
        self._counts, self._once = counts, once

    def __call__(self, message: Message) -> int:
        """Give the tokens of a message in a list."""
        ours = message if isinstance(message.origin, BaseMessage) else replace(message, origin=None)
        return max(0, self._counts(CODEC.write(ours)) - self._once)


def _brings_counter(model: object) -> bool:
    """Whether a model counts messages in its own way: LangChain's own is by GPT-2's vocabulary."""
    own = getattr(type(model), _BY_MODEL, None)
    return own is not None and own is not getattr(BaseLanguageModel, _BY_MODEL)
