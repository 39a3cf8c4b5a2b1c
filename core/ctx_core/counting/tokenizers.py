"""What counts the tokens of a text: the protocol, tiktoken's encodings, and the cache around any of them."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence, Sized
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from ctx_core.conversation.fields import mapped
from ctx_core.errors import BudgetError, TokenizerError
from ctx_core.locks import Lock

_MOST_MARKS: Final = 64
_LONGEST_KEY: Final = 256
"""Texts up to this many characters are their own cache key; longer ones are kept as a digest."""


@runtime_checkable
class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """Give the number of tokens, 0 or more."""
        ...


class Encoder(Protocol):
    """Gives the tokens of a text: an encoding of tiktoken's, a tokenizer of Hugging Face's."""

    def encode(self, text: str) -> Any:  # noqa: ANN401 - each has its own kind of list
        """Give the tokens, in something that has a length."""
        ...


TokenizerLike: TypeAlias = Tokenizer | Encoder | Callable[[str], int | Sized]
"""What counts a text, or gives its tokens."""


class CachedTokenizer:
    """Any tokenizer, asked only once for a text, and checked.

    Texts are remembered by content, since frameworks rebuild their message objects on every turn. The
    cache holds up to `size` counts (about 100 bytes each for long texts, which are kept as digests) and
    forgets the longest unused first. Threads may share it.
    """

    def __init__(self, tokenizer: TokenizerLike, *, size: int = 65_536) -> None:
        """Take the tokenizer, or a plain function from text to count, or to tokens.

        Raises:
            BudgetError: for something that is neither.
        """
        if not is_tokenizer(tokenizer):
            msg = (
                "a tokenizer has a method count or encode, or is a function from text to count; "
                f"found {type(tokenizer).__name__}"
            )
            raise BudgetError(msg)
        self._tokenizer = tokenizer
        self._count = _counting(tokenizer)
        self._size = size
        self._known: OrderedDict[str | bytes, int] = OrderedDict()
        self._lock = Lock()
        self._marks: dict[object, tuple[object, object]] = {}
        self.name = tokenizer_name(tokenizer)
        self.estimates = bool(getattr(tokenizer, "estimates", False))
        """Whether it says of itself that it counts without a vocabulary."""

    def count(self, text: str) -> int:
        """Give the number of tokens of a text.

        Raises:
            TokenizerError: if the tokenizer raises, or gives something other than a finite number from 0 up.
        """
        if not text:
            return self._ask(text)
        return self._once(text if len(text) <= _LONGEST_KEY else _digest(text), lambda: self._ask(text))

    def count_written(self, given: str, write: Callable[[str], str]) -> int:
        """Give the number of tokens of a text as it is written for a model, which is done only once for a text.

        Args:
            given: the text.
            write: writes it; known by its name.
        """
        return self._once(_digest(f"{write.__qualname__}\0{given}"), lambda: self.count(write(given)))

    def mark(self, *told_by: Hashable, function: object) -> object:
        """Give what figures are kept under that are told by this tokenizer and something else.

        Equal things give the same mark; of functions it must be the very one.
        """
        key = (*told_by, id(function))
        known = self._marks.get(key)
        if known is None:
            if len(self._marks) >= _MOST_MARKS:
                self._marks.clear()
            known = self._marks[key] = (object(), function)  # held, so that no other has its identity
        return known[0]

    def _once(self, key: str | bytes, count: Callable[[], int]) -> int:
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        tokens = count()
        with self._lock:
            self._known[key] = tokens
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        return tokens

    def _ask(self, text: str) -> int:
        try:
            tokens, raised = _length(self._count(text)), None
        except Exception as error:  # noqa: BLE001 - it may raise anything
            tokens, raised = -1, type(error).__name__
        if raised is not None:  # outside of the handler, as what a tokenizer raises may quote the text
            msg = (
                f"tokenizer {self.name} raised {raised} on a text of {len(text):,} characters; it is given texts: "
                "of a function of a list of messages langchain_ctx.message_counter makes one"
            )
            raise TokenizerError(msg)
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0:
            return tokens
        if isinstance(tokens, float) and math.isfinite(tokens) and tokens >= 0:
            return math.ceil(tokens)
        shown = repr(tokens) if isinstance(tokens, int | float) else type(tokens).__name__
        msg = (
            f"tokenizer {self.name} gave {shown} for a text of {len(text):,} characters; expected a count of 0 or more"
        )
        raise TokenizerError(msg)

    def __eq__(self, other: object) -> bool:
        """Whether it asks an equal tokenizer, whatever either remembers."""
        return isinstance(other, CachedTokenizer) and self._tokenizer == other._tokenizer

    def __hash__(self) -> int:
        """Hash by the name, as a tokenizer need not be hashable."""
        return hash(self.name)

    def __deepcopy__(self, memo: dict[int, object]) -> CachedTokenizer:
        """Give itself: a cache by content can be shared."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the cache and its lock."""
        return (CachedTokenizer, (self._tokenizer,))


def _counting(tokenizer: TokenizerLike) -> Callable[[str], object]:
    """Give the function to be asked; of tiktoken's that which takes the names of special tokens for texts."""
    if isinstance(tokenizer, Tokenizer):
        return tokenizer.count
    bound = getattr(tokenizer, "__self__", None)
    encoder = bound if getattr(tokenizer, "__name__", None) == "encode" else tokenizer
    if encoder is not None and _encodes(encoder):
        encode: Callable[[str], object] = cast("Encoder", encoder).encode
        return cast("Callable[[str], object]", getattr(encoder, "encode_ordinary", encode))
    return cast("Callable[[str], object]", tokenizer)


def _encodes(value: object) -> bool:
    return not isinstance(value, type) and callable(getattr(value, "encode", None))


def _length(counted: object) -> object:
    """Give how many tokens were given, where they were and not their number."""
    fields = mapped(counted)
    told = counted if fields is None else fields.get("input_ids")  # as Hugging Face's have them
    return len(told) if isinstance(told, Sized) and not isinstance(told, str) else told


@lru_cache(16)  # a text that is cut is counted whole again and again
def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def is_tokenizer(value: object) -> bool:
    """Whether something counts texts. Strings and lists have a `count` too, but of another kind."""
    counts = isinstance(value, Tokenizer) and not isinstance(value, Sequence)
    return callable(value) or counts or (_encodes(value) and not isinstance(value, str))


def counts_messages(value: object) -> bool:
    """Whether a function says of itself that it counts a list of messages: by the name of what it takes, or its type.

    Such a function would take each character of a text for a message.
    """
    if isinstance(value, str | type) or not callable(value) or isinstance(value, Tokenizer):
        return False
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # built in, or with a signature that is none
        return False
    first = next(iter(parameters), None)
    if first is None:
        return False
    annotation = first.annotation
    kind = annotation if isinstance(annotation, str) else repr(annotation)
    return "message" in first.name.lower() or (annotation is not first.empty and "Message" in kind)


def tokenizer_name(tokenizer: object) -> str:
    """Give a name for reports and errors."""
    name = getattr(tokenizer, "name", None) or getattr(tokenizer, "__qualname__", None)
    return name if isinstance(name, str) else type(tokenizer).__name__
