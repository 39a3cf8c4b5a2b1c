"""A message whose texts are cut so far that all of it costs no more than a limit, the largest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ctx_core.conversation.message_texts import text_units, with_unit_texts
from ctx_core.conversation.messages import Message
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.squeeze import squeeze


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """How texts are cut, and what that costs."""

    counter: TokenCounter
    price: Callable[[Message], int]
    """Gives the tokens of a message in its place."""
    cut: Callable[[str, int], str]
    """Gives a text within so many tokens, visibly cut; an empty one where nothing of it fits."""

    def of(self, message: Message, limit: int, *, opening: str = "") -> Message | None:
        """Give a message with its texts cut.

        Args:
            message: as it is.
            limit: tokens that all of it may cost.
            opening: what its first text begins with and keeps: it belongs to the frame.

        Returns:
            The message, of which nothing but what cannot be cut may be left; None where that alone is over the limit.
        """
        if self.price(message) <= limit:
            return message
        units = text_units(message)
        openings = [opening if unit is units[0] else "" for unit in units]
        texts = [unit.text.removeprefix(begun) for unit, begun in zip(units, openings, strict=True)]
        sizes = [*map(self.counter.count_text, texts)]
        frame = self.price(with_unit_texts(message, units, openings))
        if frame > limit:
            return None
        room = limit - frame
        while True:
            most = squeeze(sizes, by=sum(sizes) - room) if room < sum(sizes) else max(sizes)
            told = [
                text if size <= (most or 0) else self.cut(text, most or 0)
                for text, size in zip(texts, sizes, strict=True)
            ]
            form = with_unit_texts(message, units, [begun + text for begun, text in zip(openings, told, strict=True)])
            price = self.price(form)
            if price <= limit or room <= 0:
                return form if price <= limit else None
            # One that is written as a JSON string costs more than its text: the text must be so much shorter.
            words = sum(map(self.counter.count_text, told))
            room = min(room - 1, words * (limit - frame) // (price - frame) if price > frame else 0)
