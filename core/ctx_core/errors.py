"""Everything this package raises.

Each error says what was wrong, how much, where, and what to do about it. None of them ever quotes
the content of a message: only counts, names, roles and positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.clean import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping


class CtxLayersError(Exception):
    """Base of every error of this package, so that one `except` can catch them all.

    Its text is one line: what cannot be seen in the names that it tells is an escape, and obeyed by no terminal.
    """

    def __init__(self, *told: object) -> None:
        """Take the text."""
        super().__init__(*(escaped(one, len(one)) if isinstance(one, str) else one for one in told))


class BudgetError(CtxLayersError, ValueError):
    """A budget, a layer or a policy that cannot work; raised when it is made, not when it is used."""


class OptionError(BudgetError, TypeError):
    """An option that a function does not take: misspelt, or without a meaning there."""


class MessageError(CtxLayersError, ValueError):
    """A message that cannot be read: an unknown role, a wrong type, a content of no known shape."""


class TokenizerError(CtxLayersError, ValueError):
    """A tokenizer that raised, or that gave something other than a count of 0 or more."""


class UnknownModelError(CtxLayersError, LookupError):
    """A model whose context window is in no table; say it in numbers instead."""


class MissingExtraError(CtxLayersError, ImportError):
    """An optional dependency is not installed; the text names the exact `pip install`."""


class ContextOverflowError(CtxLayersError, ValueError):
    """What must be sent does not fit, however much else is left out.

    Attributes:
        needed: tokens that are enough for it, after everything that may be left out has been left out.
            Where something protected has a share of the limit it grows with it: then more than `layers` sum to.
        limit: tokens that the request may have (the window without the reserve for the answer).
        layers: tokens that each layer still needs, by name; `framing` is what the request costs beside them.
    """

    def __init__(self, *, needed: int, limit: int, layers: Mapping[str, int]) -> None:
        """Keep the numbers and compose the text."""
        self.needed = needed
        self.limit = limit
        self.layers = dict(layers)
        parts = ", ".join(f"{escaped(name)} {tokens:,}" for name, tokens in self.layers.items())
        super().__init__(
            f"Cannot fit request within context limit. After trimming: {needed:,} tokens, Max: {limit:,} tokens. "
            f"What is protected needs {parts}. "
            "Give a larger budget, shorten the largest of these, or allow on_overflow='truncate'."
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling, as errors that cross a process boundary must."""
        return (_rebuild_overflow, (self.needed, self.limit, self.layers))


def _rebuild_overflow(needed: int, limit: int, layers: Mapping[str, int]) -> ContextOverflowError:
    return ContextOverflowError(needed=needed, limit=limit, layers=layers)
