"""Reads the names of models as providers, hosts, frameworks and people spell them.

A name is read as words: runs of letters, and numbers with the letters behind them, so that `gpt4o`, `GPT-4o` and
`gpt_4o` are the same two words, and `llama-3.1`, `llama3-1` and `llama-v3p1` have the same numbers. A prefix fits a
name that begins with its words. So none ends within a word or a number: `glm` fits `glm-4.5` and `glm4`, not `glmnet`;
`o1` fits `o1-mini`, not `o1234`; `gpt-4` fits `gpt-4-0613`, not `gpt-4o` or `gpt-40`.

What stands in front is taken off where it is a path, a provider, a region or a vendor. Behind anything else, as in the
names that people give to deployments, only names that mean nothing but a model are read: `my-gpt-4o`, not `my-o3`,
but where a host of OpenAI's models stands in front: `azure:my-o3`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ctx_core.counting.fronts import DEPLOY, PROVIDERS, VENDORS, is_known
from ctx_core.counting.model_words import is_chat_model, is_derived, is_made_of, is_short, is_unmistakable

if TYPE_CHECKING:
    from collections.abc import Iterator

Words: TypeAlias = tuple[str, ...]

_WORD: Final = re.compile(r"[^\W\d_]+|\d+[^\W\d_]*")
_POINT: Final = re.compile(r"(?<=\d)p(?=\d)")
"""Fireworks' spelling of the point in a version, as in `llama-v3p1`."""
_GLUED: Final = re.compile(
    r"(gpt[-_ ]?\d[.\d]*o?|(?<![a-z\d])o[134])"
    r"(?=(?:mini|nano|turbo|chat|pro|preview|audio|realtime|search|vision)(?![a-z]))"
)
"""What deployments of OpenAI's models are called without a dash, as `gpt4omini`, `gpt35turbo` and `o3mini`."""
_WITHOUT_POINT: Final = re.compile(
    r"(?<![a-z])(?:(gpt[-_ ]?)(4[15]|5[1-6])|(qwen)(25|3[5-8])|(llama)(3[1-3]))(?![\d.bo])"
)
"""Versions as Azure's deployments have them, which may have no point in their names: `gpt-41`. 3.5 has its own row."""
_TUNED: Final = re.compile(r"(?:^|:)ft:([^:]+)")
"""OpenAI's name of a tuned model, `ft:model:organization:name:id`, of which only the model says anything."""
_CUSTOM: Final = re.compile(r"(:custom-model/[^/]+)/[^/]+$")
"""Bedrock's name of a tuned model, which has the model in front of its id."""

_LONGEST: Final = 512
"""Characters of a name: what is read again behind each of its words must not be a text."""
_FRONT: Final = re.compile(r"[/:]")
"""What stands between a host or a provider and what it has."""
_TAG: Final = re.compile(r":(?:batch|exacto|extended|floor|free|latest|nitro|online)$")
"""Hosts' tags behind a model's name, as in `openai/o3:batch`: how it is served, not which it is."""


class Fit(NamedTuple):
    """How well a prefix fits, to be compared."""

    begins: bool
    """Whether the name begins with it, but for what is known to stand in front."""
    length: int
    """Letters and digits of the prefix."""
    front: int
    """More, the more of what stands in front was taken off: `mistral.mixtral` is Mixtral's, behind its vendor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The words of a name from some place on."""

    words: Words
    begins: bool
    """Whether only a path, a provider, a region or a vendor stands in front, or any one word with a colon or point."""
    is_own: bool
    """Whether a prefix that a user registered may stand here."""
    is_model: bool
    """Whether a model of the table may stand here: words that mean other things need a model's words behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """The name of a model, with and without what stands in front of it."""

    whole: Words
    """All words, with those of the path."""
    readings: tuple[Reading, ...]
    """First without a path, then with ever less in front."""
    model: str
    """The last part of the path, in lower case; of a tuned model the one that was tuned."""
    host: str
    """The first part of the path, as `github_copilot`; empty if there is none."""

    @classmethod
    def read(cls, name: str, *, has_host: bool = False) -> ModelName:
        """Read a name, such as `bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0` or `openai:gpt-4o`.

        Args:
            name: as it was written; one of more than 512 characters is nobody's.
            has_host: whether its host is known otherwise; the name is read as if a provider stood in front.
        """
        return _read(name if len(name) <= _LONGEST else "", has_host=has_host)

    def fit(self, prefix: str, *, is_own: bool = False) -> Fit | None:
        """Say how well a prefix fits; None where it does not.

        Args:
            prefix: of models' names. One with a path fits names that begin with the path.
            is_own: whether a user registered it: it is taken at its word, whatever else its words mean.
        """
        wanted = words(prefix)
        if not wanted:
            return None
        if "/" in prefix and self.whole[: len(wanted)] == wanted:
            return Fit(begins=True, length=length(prefix), front=0)
        places = (
            (reading.begins, at)
            for at, reading in enumerate(self.readings)
            if (reading.is_own if is_own else reading.is_model) and reading.words[: len(wanted)] == wanted
        )
        found = max(places, default=None)
        return None if found is None else Fit(begins=found[0], length=length(prefix), front=found[1])


@lru_cache(maxsize=4_096)
def words(name: str) -> Words:
    """Divide a name into words, in lower case."""
    spelled = _GLUED.sub(r"\1-", name.lower())
    spelled = _WITHOUT_POINT.sub(lambda found: f"{found[0][:-1]}.{found[0][-1]}", spelled)
    return tuple(_WORD.findall(_POINT.sub(".", spelled)))


def length(prefix: str) -> int:
    """Give the letters and digits of a prefix."""
    return sum(map(len, words(prefix)))


@lru_cache(maxsize=1_024)
def _read(name: str, *, has_host: bool) -> ModelName:
    whole = _CUSTOM.sub(r"\1", name.strip().lower().rstrip("/"))
    # Only behind the last slash stands the model: what is in front may be called like one, as `gemini/gemma-3`.
    path, _, last = whole.rpartition("/")
    tuned = _TUNED.search(last)
    model = last if tuned is None else tuned[1]
    host = path.partition("/")[0].replace("-", "_")
    path_known = not path or is_known(path.rsplit("/", 1)[-1])
    readings = [
        # What stands next to a name decides: behind a vendor it does not matter what the path is called.
        _behind(
            text,
            is_known_front=known,
            is_known_path=path_known or text != model,
            is_whole=not (has_host or path or text != model),
        )
        for text, known in _without_front(model)
    ]
    is_deployed = not DEPLOY.isdisjoint(part.replace("-", "_") for part in _FRONT.split(whole)[:-1])
    within = _within(words(model), is_deployed=is_deployed)
    return ModelName(whole=words(whole), readings=(*readings, *within), model=model, host=host)


def _behind(text: str, *, is_known_front: bool, is_known_path: bool, is_whole: bool) -> Reading:
    """Read what stands behind what was taken off.

    Args:
        text: the rest.
        is_known_front: whether what was taken off is known to stand in front of models.
        is_known_path: whether the path is, if it is next to the rest.
        is_whole: whether nothing was taken off, no path stood there, and no host is known.
    """
    found = words(_TAG.sub("", text))
    fits = is_known_front or not is_short(found)
    return Reading(
        words=found,
        begins=True,
        is_own=fits,
        is_model=fits
        and is_chat_model(found, is_known_front=is_known_front and is_known_path, is_whole=is_whole)
        and not is_made_of(found),
    )


def _within(found: Words, *, is_deployed: bool) -> Iterator[Reading]:
    """Give the places within a name where nothing but a model can stand."""
    for at in range(1, len(found)):
        rest = found[at:]
        if is_unmistakable(rest, is_deployed=is_deployed) and not is_derived(found[:at]) and not is_made_of(rest):
            yield Reading(words=rest, begins=False, is_own=True, is_model=True)


def _without_front(name: str) -> Iterator[tuple[str, bool]]:
    """Give a name with ever less in front, and whether all that was taken off is known."""
    trusted = True
    while True:
        yield from ((rest, trusted and known) for rest, known in _without_vendor(name))
        provider, colon, name = name.partition(":")
        if not colon:
            return
        trusted = trusted and provider.replace("-", "_") in PROVIDERS


def _without_vendor(name: str) -> Iterator[tuple[str, bool]]:
    known = True
    yield name, known
    while (front := VENDORS.match(name)) is not None:
        known = known and (front[2] is not None or is_known(front[1]))
        name = name[front.end() :]
        yield name, known
