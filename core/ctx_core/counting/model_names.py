"""Reads the names of models as providers, hosts, frameworks and people spell them.

A name is read as words: runs of letters, and numbers with the letters behind them, so that `gpt4o`, `GPT-4o` and
`gpt_4o` are the same two words, and `llama-3.1`, `llama3-1` and `llama-v3p1` have the same numbers. A prefix fits a
name that begins with its words. So none ends within a word or a number: `glm` fits `glm-4.5` and `glm4`, not `glmnet`;
`o1` fits `o1-mini`, not `o1234`; `gpt-4` fits `gpt-4-0613`, not `gpt-4o` or `gpt-40`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Words: TypeAlias = tuple[str, ...]
Fit: TypeAlias = tuple[int, int]
"""How well a prefix fits: its length in letters and digits, then how much of what stands in front was taken off."""

_WORD: Final = re.compile(r"[^\W\d_]+|\d+[^\W\d_]*")
_POINT: Final = re.compile(r"(?<=\d)p(?=\d)")
"""Fireworks' spelling of the point in a version, as in `llama-v3p1`."""
_TUNED: Final = re.compile(r"(?:^|:)ft:([^:]+)")
"""OpenAI's name of a tuned model, `ft:model:organization:name:id`, of which only the model says anything."""
_VENDOR: Final = re.compile(
    r"(?:[a-z][a-z-]*\.|(?:amazon|anthropic|azure|c4ai|databricks|google|meta|openai|xai)[-_ ])(?=.)"
)
"""In front of a model's name: a region or a vendor with a point, as in Bedrock's names, or a vendor with a dash."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """The name of a model, with and without what stands in front of it."""

    spellings: tuple[str, ...]
    """In lower case, the whole name first, then with ever less in front: path, provider, region, vendor."""
    readings: tuple[Words, ...]
    """The words of those spellings that have no path in front."""

    @classmethod
    def read(cls, name: str) -> ModelName:
        """Read a name, such as `bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0` or `openai:gpt-4o`."""
        return _read(name)

    def fit(self, prefix: str) -> Fit | None:
        """Say how well a prefix fits, to be compared; None where it does not."""
        wanted = words(prefix)
        at = next((at for at, found in enumerate(reversed(self.readings)) if found[: len(wanted)] == wanted), None)
        return None if at is None or not wanted else (length(prefix), -at)


@lru_cache(maxsize=4_096)
def words(name: str) -> Words:
    """Divide a name into words, in lower case."""
    return tuple(_WORD.findall(_POINT.sub(".", name.lower())))


def length(prefix: str) -> int:
    """Give the letters and digits of a prefix."""
    return sum(map(len, words(prefix)))


@lru_cache(maxsize=1_024)
def _read(name: str) -> ModelName:
    whole = name.strip().lower().rstrip("/")
    paths = [whole]
    while "/" in paths[-1]:
        paths.append(paths[-1].split("/", 1)[1])
    # Only behind the last slash stands the model: what is in front may be called like one, as `gemini/gemma-3`.
    inner = [spelling for without in _without_provider(paths[-1]) for spelling in _without_vendor(without)]
    return ModelName(spellings=(*paths[:-1], *inner), readings=tuple(map(words, inner)))


def _without_provider(name: str) -> Iterator[str]:
    """Give `provider:model` also as the model, and a tuned model as the one that was tuned."""
    tuned = _TUNED.search(name)
    if tuned is not None:
        yield tuned[1]
        return
    yield name
    while ":" in name:
        name = name.split(":", 1)[1]
        yield name


def _without_vendor(name: str) -> Iterator[str]:
    yield name
    while (front := _VENDOR.match(name)) is not None:
        name = name[front.end() :]
        yield name
