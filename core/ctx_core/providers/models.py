"""Which models a rule is for: by their names, and by the versions in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from ctx_core.counting.model_names import ModelName, words

if TYPE_CHECKING:
    from collections.abc import Iterator

Version: TypeAlias = tuple[int, ...]

_NUMBER: Final = re.compile(r"\d{1,2}")
"""A number of a version; longer ones are dates."""
_MONTH: Final = re.compile(r"2\d(?:0[1-9]|1[0-2])")
"""Year and month, as Mistral dates its models: `2507`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Models of some names and versions."""

    names: tuple[str, ...]
    """What their names begin with, in whole words and any spelling: see `ModelName.fit`."""
    word: str | None = None
    """A word that the name has too, as `opus`."""
    since: Version = ()
    """The first version, as `(4, 6)`; empty: from the first on. A name without a version is of the newest."""
    before: Version = ()
    """The first version that is not meant; empty: none."""
    since_month: int | None = None
    """The first month, as Mistral dates models: 2507. A name without a month is of none."""

    def has(self, model: str) -> bool:
        """Whether it is one of them."""
        if not is_named(model, self.names):
            return False
        found = words(ModelName.read(model).model)
        if self.word is not None and self.word not in found:
            return False
        if self.since_month is not None:
            return any(int(word) >= self.since_month for word in found if _MONTH.fullmatch(word))
        if not self.since and not self.before:
            return True
        version = version_of(model)
        if not version:
            return not self.before
        return version >= self.since and (not self.before or version < self.before)

    def __str__(self) -> str:
        """Say which they are."""
        text = ", ".join(self.names) + (f" with `{self.word}`" if self.word else "")
        if self.since:
            text += f" from {_shown(self.since)} on"
        if self.before:
            text += f" before {_shown(self.before)}"
        if self.since_month is not None:
            text += f" dated {self.since_month} or later"
        return text


@lru_cache(maxsize=4_096)
def is_named(model: str, names: tuple[str, ...]) -> bool:
    """Whether a model's name begins with one of these, in whatever spelling."""
    name = ModelName.read(model)
    return any((fit := name.fit(prefix)) is not None and fit.begins for prefix in names)


@lru_cache(maxsize=1_024)
def version_of(model: str) -> Version:
    """Give the version in a model's name: the first run of short numbers, as `(4, 6)` of `claude-opus-4-6-20260205`."""
    return tuple(_first_numbers(words(ModelName.read(model).model)))


def _first_numbers(found: tuple[str, ...]) -> Iterator[int]:
    begun = False
    for word in found:
        if _NUMBER.fullmatch(word):
            begun = True
            yield int(word)
        elif begun:
            return


def _shown(version: Version) -> str:
    return ".".join(map(str, version))
