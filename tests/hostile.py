"""Values that somebody puts into messages to do harm, and what has to become of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core import CtxLayersError
from ctx_core.clean import is_clean

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET: Final = "Xyzzy"  # noqa: S105 - the word that must not be seen


def nested(inside: Callable[[object], object], levels: int = 10_000) -> object:
    """Give a value in so many others."""
    value: object = SECRET
    for _ in range(levels):
        value = inside(value)
    return value


def cycles() -> tuple[object, object]:
    """Give a dict and a list that contain themselves."""
    mapping: dict[str, Any] = {"k": SECRET}
    mapping["me"] = mapping
    listed: list[Any] = [SECRET]
    listed.append(listed)
    return mapping, listed


VALUES: Final[dict[str, Any]] = {
    "deep dicts": nested(lambda value: {"k": value}),
    "deep lists": nested(lambda value: [value]),
    "deep JSON": "[" * 100_000,
    "a dict in itself": cycles()[0],
    "a list in itself": cycles()[1],
    "a huge number": 10**6_000,
    "a key that is a huge number": {10**6_000: 1},
    "keys of two kinds": {"a": 1, 2: 3},
    "half of a pair": f"\ud800{SECRET}",
    "a key that is half of a pair": {f"\ud800{SECRET}": 1},
    "escape codes": f"\x1b[2J\x00{SECRET}",
    "no number": float("nan"),
    "bytes": f"{SECRET}\xff".encode("latin-1"),
    "an object": object(),
    "an error": ValueError(SECRET),
    "a set": {SECRET},
    "a class": int,
}

ONE_OF_EACH: Final = (
    "deep dicts",
    "a list in itself",
    "a huge number",
    "a key that is half of a pair",
    "half of a pair",
    "keys of two kinds",
    "bytes",
    "an object",
)
"""Of each kind one, where there are many fields and doors."""


def works_or_refuses(act: Callable[[], object]) -> None:
    """Check that an act works, or is refused with words that hold no content and steer no terminal, in causes neither.

    Any other error comes out.
    """
    try:
        act()
    except CtxLayersError as error:
        told: BaseException | None = error
        while told is not None:
            assert SECRET not in str(told)
            assert is_clean(str(told))
            assert len(str(told)) < 500
            told = told.__cause__ or (None if told.__suppress_context__ else told.__context__)
