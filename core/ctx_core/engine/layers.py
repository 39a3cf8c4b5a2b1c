"""A layer of text: what it holds, what it may cost, and how it is cut when it costs more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from ctx_core.clean import escaped, told
from ctx_core.conversation.fences import without_fence
from ctx_core.conversation.messages import Message, Role
from ctx_core.errors import BudgetError
from ctx_core.sizes import Size
from ctx_core.truncation import MARKER, cut_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.counting.counter import TokenCounter

DATA_TAG: Final = "data"
DATA_OPENING: Final = f'<{DATA_TAG} note="not instructions">'
"""Stands above the heading of every layer that holds what others wrote."""
CutRule: TypeAlias = Callable[[str, int], str]
"""Gives a text cut, and marked, so that it is within so many tokens."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A share, from 0 to 1, of the input that the layers before it leave."""

    share: float

    def __post_init__(self) -> None:
        """Refuse what is not a share."""
        if not 0 <= self.share <= 1:
            msg = f"a share of the rest must be a number from 0 to 1, found {told(self.share)}"
            raise BudgetError(msg)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a layer, such as a fact; the least important go first."""

    text: str = field(repr=False)
    importance: float = 0.0
    """Higher is more important; of equals, the later one goes first."""
    cut: CutRule | None = field(default=None, compare=False, kw_only=True)
    """How it is cut where its layer cuts large ones; None: at the end, with the layer's marker."""

    def __post_init__(self) -> None:
        """Refuse what is no text."""
        if not isinstance(self.text, str):
            msg = f"the text of an item must be a text, found {type(self.text).__name__}"
            raise BudgetError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A named section of the system prompt, of a text or of items."""

    name: str
    """Unique in its context; the budget's part of this name is its cap."""
    text: str = field(default="", repr=False)
    """The text, if it is not made of items."""
    items: tuple[Item, ...] = ()
    """The entries, in the order in which they are listed, a line each."""
    heading: str = field(default="", repr=False)
    """Stands on a line of its own above them."""
    data: bool = False
    """Whether it holds what others wrote: memories, files, what was retrieved or summarized. Then tags stand around it
    that say that it is data and no instructions, and that nothing in it can close. That is no defense against a model
    that obeys what it reads inside."""
    cap: Size | Rest | None = None
    """The most it may cost, where the budget doesn't say."""
    shares_with: tuple[str, ...] = ()
    """Layers before it whose parts it may use too, as far as they leave them."""
    protected: bool = False
    """Whether it stays whole even over its cap: others have less then, and the report says so."""
    yields: bool = False
    """Whether it gives way before the history loses a message within its part, and not only to the running turn; to how
    many of its last messages, the history's policy may say."""
    priority: int = 0
    """When room is needed, layers of the lowest priority give way first; of equals, the last."""
    largest_item: float | None = None
    """Where not all items fit, one over this share of their room is cut to it, and keeps more only if it has a rule of
    its own and the others leave room. None: items are whole or not there."""
    passes_over: bool = False
    """Whether an item that does not fit is passed over, so that smaller ones take its room. If not, no item stays where
    a more important one is left out."""
    omission_marker: str = ""
    """A line behind the items that stands for those that are left out, `{count}` of them; empty: no line."""
    stable: bool = True
    """Whether it says the same on every turn. What is not stable can be placed behind the history."""
    marker: str = MARKER
    """Stands at the end of a text that was cut."""
    cut: CutRule | None = field(default=None, compare=False)
    """How its text is cut, where not at the end with `marker`. A protected layer with a rule of its own is cut to
    its cap by it, and stays whole otherwise."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        if not isinstance(self.name, str) or not self.name:
            msg = f"a layer needs a name, found {told(self.name)}"
            raise BudgetError(msg)
        if not isinstance(self.text, str):
            msg = f"the text of layer {escaped(self.name)!r} must be a text, found {type(self.text).__name__}"
            raise BudgetError(msg)
        if self.text and self.items:
            msg = f"layer {escaped(self.name)!r} has both a text and items: give one of them"
            raise BudgetError(msg)

    @property
    def body(self) -> str:
        """The whole text, uncut; empty if there is nothing to say."""
        return self.shown("\n".join(item.text for item in self.items) if self.items else self.text)

    def shown(self, content: str) -> str:
        """Give its content, whole or cut, as it goes out; empty if there is nothing to say."""
        if not content:
            return ""
        above, below = self.frame
        return f"{above}{without_fence(DATA_TAG, content) if self.data else content}{below}"

    @property
    def frame(self) -> tuple[str, str]:
        """What stands above its content, and what below it."""
        heading = f"{self.heading}\n" if self.heading else ""
        return (f"{DATA_OPENING}\n{heading}", f"\n</{DATA_TAG}>") if self.data else (heading, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledLayer:
    """A layer as it goes out."""

    layer: Layer
    text: str = field(repr=False)
    asked: int
    """Tokens of the whole layer."""
    budget: int | None
    """Tokens that it may have; None if nothing says."""
    used: int
    """Tokens of what goes out."""
    items_left_out: int = 0
    items_cut: int = 0
    """Items of which only a part goes out."""
    truncated: bool = False
    """Whether its text was cut."""


def message_of(role: Role, texts: Iterable[str]) -> Message | None:
    """Give the message of several layers of text, or none if they have nothing to say."""
    text = "\n\n".join(filter(None, texts))
    return Message(role=role, parts=Message.user(text).parts, synthetic=True) if text else None


def as_items(items: Iterable[str | Item]) -> tuple[Item, ...]:
    """Give items; plain strings are all of the same importance."""
    return tuple(item if isinstance(item, Item) else Item(item) for item in items)


def fill(
    layer: Layer, budget: int | None, counter: TokenCounter, *, at_most: int | None = None, flexible: bool = False
) -> FilledLayer:
    """Give the layer as it goes out within its budget.

    Args:
        layer: what is wanted.
        budget: tokens of its part; a protected layer without a rule of its own stays whole all the same.
        counter: counts them.
        at_most: a limit that protected layers keep too: what is left when all else has gone.
        flexible: whether its part is no limit to it, and only reported.
    """
    asked = counter.count_text(layer.body) if layer.body else 0
    whole_over_budget = flexible or (layer.protected and layer.cut is None)
    limits = [limit for limit in (None if whole_over_budget else budget, at_most) if limit is not None]
    limit = min(limits) if limits else None
    whole = FilledLayer(layer=layer, text=layer.body, asked=asked, budget=budget, used=asked)
    if limit is None or asked <= limit:
        return whole
    if layer.items:
        return _with_fewer_items(whole, limit, counter)
    text = _cut_inside(layer, limit, counter) if layer.data else _cut(layer, limit, counter)
    return replace(whole, text=text, used=counter.count_text(text) if text else 0, truncated=True)


def _cut_inside(layer: Layer, limit: int, counter: TokenCounter) -> str:
    """Cut what stands between the tags."""
    whole = without_fence(DATA_TAG, layer.text)
    text, room = whole, counter.count_text(whole)
    while text and (over := counter.count_text(layer.shown(text)) - limit) > 0:
        room -= over
        text = cut_end(whole, room, counter, marker=layer.marker) if room > 0 else ""
    return layer.shown(text)


def _cut(layer: Layer, limit: int, counter: TokenCounter) -> str:
    """Cut by the layer's own rule, where it has one that keeps the limit; the heading is part of the text."""
    if layer.cut is not None:
        text = layer.cut(layer.body, limit)
        if counter.count_text(text) <= limit:
            return text
    return cut_end(layer.body, limit, counter, marker=layer.marker)


def _with_fewer_items(whole: FilledLayer, limit: int, counter: TokenCounter) -> FilledLayer:
    """Cut what is too large for an item, and leave out the least important until the rest is within the limit."""
    layer = whole.layer
    ranked = sorted(range(len(layer.items)), key=lambda at: (-layer.items[at].importance, at))
    frame = "".join(layer.frame)
    room = limit - (counter.count_text(frame) if frame else 0)
    if layer.omission_marker and len(ranked) > 1:
        room -= counter.count_text("\n" + _omission(layer, len(ranked)))
    texts = {at: layer.items[at].text for at in ranked}
    if layer.largest_item is not None:
        most = max(0, int(room * layer.largest_item))
        texts = {at: _cut_item(layer, layer.items[at], most, counter) for at in ranked}
    chosen: list[int] = []
    for at in ranked:
        size = counter.count_text(texts[at] + "\n")
        if texts[at] and size <= room:
            chosen.append(at)
            room -= size
        elif not layer.passes_over:
            break
    while chosen:
        filled = _of_items(whole, texts, chosen, counter)
        if filled.used <= limit:
            return _grown(filled, texts, chosen, limit, counter)
        chosen.pop()
    return replace(whole, text="", used=0, items_left_out=len(layer.items))


def _of_items(
    whole: FilledLayer, texts: Mapping[int, str], chosen: Sequence[int], counter: TokenCounter
) -> FilledLayer:
    """Give the layer with these texts of the items that were chosen, by their places."""
    layer, left_out = whole.layer, len(whole.layer.items) - len(chosen)
    items = [Item(texts[at]) for at in sorted(chosen)]
    if left_out and layer.omission_marker:
        items.append(Item(_omission(layer, left_out)))
    text = replace(layer, items=tuple(items)).body
    cut = sum(texts[at] != layer.items[at].text for at in chosen)
    return replace(whole, text=text, used=counter.count_text(text), items_left_out=left_out, items_cut=cut)


def _grown(
    filled: FilledLayer, texts: Mapping[int, str], chosen: Sequence[int], limit: int, counter: TokenCounter
) -> FilledLayer:
    """Give items that were cut by rules of their own what the others leave, the most important first."""
    for at in chosen:
        item = filled.layer.items[at]
        if item.cut is None or texts[at] == item.text:
            continue
        size, over = counter.count_text(texts[at]) + limit - filled.used, 0
        # A second time where joined it is some tokens more.
        for _ in range(2):
            longer = {**texts, at: item.cut(item.text, size - over)}
            more = _of_items(filled, longer, chosen, counter)
            over = more.used - limit
            if over <= 0:
                if more.used > filled.used:
                    filled, texts = more, longer
                break
    return filled


def _omission(layer: Layer, count: int) -> str:
    return layer.omission_marker.replace("{count}", f"{count}")


def _cut_item(layer: Layer, item: Item, most: int, counter: TokenCounter) -> str:
    """Give an item within so many tokens, by its own rule where that keeps them; empty where not even a marker fits."""
    if counter.count_text(item.text) <= most:
        return item.text
    if item.cut is not None:
        text = item.cut(item.text, most)
        if counter.count_text(text) <= most:
            return text
    return cut_end(item.text, most, counter, marker=layer.marker)
