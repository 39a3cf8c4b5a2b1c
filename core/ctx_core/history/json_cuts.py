"""JSON with less in it: still JSON, of the same keys."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ctx_core.conversation.fields import json_text
from ctx_core.conversation.message_texts import LEFT_OUT
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.squeeze import squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

Write = Callable[[object], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonCutter:
    """How texts in JSON are cut, and what they cost.

    1. The longest texts in it, wherever they stand.
    2. Where that is not enough, lists and mappings under its keys become texts, which are cut too.
    3. Where that is not enough, nothing but a mark stands under each key.
    """

    counter: TokenCounter
    cut: Callable[[str, int], str]
    """Gives a text within so many tokens, visibly cut; an empty one where nothing of it fits."""
    cuts_keys: bool = False
    """Whether at the very last keys are cut too, and then left out."""

    def within(self, text: str, limit: int, *, write: Write = json_text) -> str:
        """Give JSON in so many tokens, as far as that can be done; what is no JSON is cut as a text.

        Args:
            text: the JSON.
            limit: tokens.
            write: writes a value as this is written.
        """
        if self._count(text) <= limit:
            return text
        read, parsed = as_read(text)
        if not parsed:
            return self.cut(text, limit) or LEFT_OUT
        for value in (read, _flat(read, write)):
            if (told := self._with_cut_texts(value, limit, write)) is not None:
                return told
        for mark in (LEFT_OUT, ""):
            told = write(_emptied(read, mark))
            if self._count(told) <= limit:
                return told
        return self._with_cut_keys(read, limit, write) if self.cuts_keys else write(_emptied(read, ""))

    def _count(self, text: str) -> int:
        return self.counter.count_text(text)

    def _with_cut_texts(self, value: object, limit: int, write: Write) -> str | None:
        """Give a value with its longest texts cut; None where all else in it is over the limit."""
        sizes = [self._count(text) for text in texts_of(value)]

        def told(most: int) -> str:
            return write(retold(value, lambda text: text if self._count(text) <= most else self._cut(text, most)))

        frame = self._count(told(0))
        if frame > limit:
            return None
        room = limit - frame
        while True:
            most = squeeze(sizes, by=sum(sizes) - room) if room < sum(sizes) else max(sizes, default=0)
            text = told(most or 0)
            if self._count(text) <= limit or room <= 0:
                return text
            over = self._count(text) - limit
            room = min(room - 1, room - over // 2)

    def _cut(self, text: str, most: int) -> str:
        return self.cut(text, most) or (LEFT_OUT if self._count(LEFT_OUT) <= most else "")

    def _with_cut_keys(self, value: object, limit: int, write: Write) -> str:
        """Give a mapping of the first keys, each cut to its share of the limit, as many as there is room for."""
        keys = list(cast("dict[str, object]", value)) if isinstance(value, dict) else []
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._count(write(self._of_keys(keys[:middle], 1))) <= limit
            low, high = (middle, high) if fits else (low, middle - 1)
        least, most = 1, max(1, limit)
        while least < most:
            middle = (least + most + 1) // 2
            fits = self._count(write(self._of_keys(keys[:low], middle))) <= limit
            least, most = (middle, most) if fits else (least, middle - 1)
        return write(self._of_keys(keys[:low], least))

    def _of_keys(self, keys: Sequence[str], most: int) -> dict[str, str]:
        """Give a mapping of nothing, with each key in so many tokens; none of them is that of another."""
        told, often = dict[str, str](), Counter[str]()
        for key in keys:
            short = unique = key if self._count(key) <= most else self._cut(key, most)
            while unique in told:
                often[short] += 1
                unique = f"{short}{often[short] + 1}"
            told[unique] = ""
        return told


def as_read(text: str) -> tuple[object, bool]:
    """Give what JSON means, and whether it is JSON at all: if not, the text itself."""
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return text, False


def texts_of(value: object) -> Iterator[str]:
    """Give each text in a value; keys are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for held in cast("dict[str, object]", value).values():
            yield from texts_of(held)
    elif isinstance(value, list):
        for held in cast("list[object]", value):
            yield from texts_of(held)


def retold(value: object, tell: Callable[[str], str]) -> object:
    """Give a value with what `tell` makes of each text in it."""
    if isinstance(value, str):
        return tell(value)
    if isinstance(value, dict):
        return {key: retold(held, tell) for key, held in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [retold(held, tell) for held in cast("list[object]", value)]
    return value


def _flat(value: object, write: Write) -> object:
    """Give a value in which the JSON of lists and mappings stands as a text; of a list, one text with all of it."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        return {key: write(held) if isinstance(held, dict | list) else held for key, held in fields}
    return [write(value)] if isinstance(value, list) else value


def _emptied(value: object, mark: str) -> object:
    """Give a value of the same keys with no more than a mark under them: where even its frame is too much."""
    return dict.fromkeys(cast("dict[str, object]", value), mark) if isinstance(value, dict) else type(value)()
