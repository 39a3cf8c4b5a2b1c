"""The window of a model by its name: what the table of families says, and the size in the name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ctx_core.counting.family import UnknownWindow, Window
from ctx_core.counting.fronts import SMALLER
from ctx_core.counting.model_names import ModelName, Words, words
from ctx_core.counting.model_words import words_not_for_chat
from ctx_core.counting.named_families import best, named_family

_SIZE: Final = re.compile(
    r"(?<![^\W_])(?<!\d\.)(?:(\d{1,4})k|(\d{1,2})m|(2048|4096|8192|16384|32768|65536|131072))(?![^\W_])(?![-_ ]?[rt]pm)"
)
"""A size as a word of its own, `-32k`, `:24k`, `-1m` or `-8192`: not the 1.5k of a version, nor tokens a minute.

Millions of more than two digits are parameters, as in `gemma-3-270m`."""
_PARAMETERS: Final = re.compile(r"(?<![^\W_])\d+(?:\.\d+)?b(?![^\W_])")
_MOST_MILLIONS: Final = 10
_NAME: Final = "the size in the model's name"


def named_window(name: str) -> Window | UnknownWindow | None:
    """Give the window of the family's that fits best, or the size in the name where that is less; None: no model.

    A larger size than the table's counts only where such models are published: it may be that of a training set.
    """
    read = ModelName.read(name)
    family = named_family(read)
    found = None if family is None else best(read, family.windows)
    if found is None:
        return _not_for_chat(read, ()) or _of_no_family(read)
    if read.host in SMALLER:
        return UnknownWindow(models=(), reason=f"{SMALLER[read.host]} gives models smaller windows than their makers")
    window, prefix = found
    covered = words(prefix)
    return _not_for_chat(read, covered) or _sized(read, window, covered)


def _not_for_chat(read: ModelName, covered: Words) -> UnknownWindow | None:
    """Say that a model holds no conversations, if a word of its name does that the table doesn't know of."""
    said = words_not_for_chat(words(read.model)).difference(covered)
    if not said:
        return None
    return UnknownWindow(models=(), reason=f"by the {min(said)!r} in its name it is not a chat model")


def _of_no_family(read: ModelName) -> Window | None:
    """Give the size in a name that can only be a model's, as it has its parameters too: `vicuna-13b-v1.5-16k`.

    It is a power of two, as windows are: others are those of training sets, as in `zephyr-7b-ultrachat-200k`.
    """
    sizes = _sizes(read, ())
    if len(sizes) != 1 or sizes[0] & (sizes[0] - 1) or _PARAMETERS.search(read.model) is None:
        return None
    return Window(models=(), tokens=sizes[0], source=_NAME)


def _sized(read: ModelName, window: Window | UnknownWindow, covered: Words) -> Window | UnknownWindow:
    sizes = _sizes(read, covered)
    if not sizes:
        return window
    size = min(sizes)
    if isinstance(window, UnknownWindow):
        return Window(models=window.models, tokens=size, source=_NAME)
    if size > window.tokens and not window.is_least:
        return window
    longest = None if window.max_output is None else min(window.max_output, size)
    return replace(window, tokens=size, max_output=longest, source=_NAME)


def _sizes(read: ModelName, covered: Words) -> tuple[int, ...]:
    """Give the sizes in a name that the table doesn't know of."""
    found = (_tokens(one) for one in _SIZE.finditer(read.model) if one[0] not in covered)
    return tuple(tokens for tokens in found if tokens > 0)


def _tokens(found: re.Match[str]) -> int:
    """Give the tokens of a size: powers of two by 1,024, as 8k and 128k are in the models' cards, others by 1,000."""
    if found[3] is not None:
        return int(found[3])
    if found[2] is not None:
        return int(found[2]) * 1_000_000 if int(found[2]) <= _MOST_MILLIONS else 0
    thousands = int(found[1])
    return thousands * (1_000 if thousands & (thousands - 1) else 1_024)
