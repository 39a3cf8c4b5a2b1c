"""A message whose texts are cut so far that all of it costs no more than a limit, the largest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ctx_core.conversation.message_texts import text_units, with_unit_texts
from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.conversation.parts import TextPart
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.json_cuts import JsonCutter
from ctx_core.history.squeeze import squeeze


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """How texts are cut, and what that costs."""

    counter: TokenCounter
    price: Callable[[Message], int]
    """Gives the tokens of a message in its place."""
    cut: Callable[[str, int], str]
    """Gives a text within so many tokens, visibly cut; an empty one where nothing of it fits."""
    cut_call: Callable[[ToolCall, int], ToolCall] | None = None
    """Gives a call with its arguments within so many tokens, as far as that can be done; None: calls stay whole."""

    only_said: bool = False
    """Whether nothing but texts is cut: what a provider's own tools have put into an answer is signed or looked up."""

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
        units = [
            unit
            for unit in text_units(message)
            if not self.only_said or isinstance(message.parts[unit.places[0]], TextPart)
        ]
        openings = [opening if unit is units[0] else "" for unit in units]
        texts = [unit.text.removeprefix(begun) for unit, begun in zip(units, openings, strict=True)]
        json_cutter = JsonCutter(counter=self.counter, cut=self.cut)
        cuts = [json_cutter.within if unit.structured else self.cut for unit in units]
        calls = message.tool_calls if self.cut_call is not None else ()
        said = [*texts, *(call.arguments for call in calls)]
        sizes = [*map(self.counter.count_text, said)]

        def told(most: int) -> Message:
            words = [
                begun + (text if size <= most else cut(text, most))
                for begun, text, size, cut in zip(openings, texts, sizes, cuts, strict=False)
            ]
            form = with_unit_texts(message, units, words)
            if self.cut_call is None or not calls:
                return form
            return replace(form, tool_calls=tuple(self.cut_call(call, most) for call in calls), altered=True)

        frame = self.price(told(0))
        if frame > limit:
            return None
        room = limit - frame
        while True:
            most = squeeze(sizes, by=sum(sizes) - room) if room < sum(sizes) else max(sizes)
            form = told(most or 0)
            price = self.price(form)
            if price <= limit or room <= 0:
                return form if price <= limit else None
            # One that is written as a JSON string costs more than its text: the text must be so much shorter.
            room = min(room - 1, room * (limit - frame) // max(1, price - frame))
