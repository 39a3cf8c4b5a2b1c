"""Cutting a text to a number of tokens, visibly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.counting.counter import TokenCounter

MARKER: Final = "\n[truncated]"
MIDDLE_MARKER: Final = "\n[… {tokens} tokens left out …]\n"


def cut_end(text: str, limit: int, counter: TokenCounter, *, marker: str = MARKER) -> str:
    """Give the longest beginning that fits with the marker behind it; the text itself if it fits whole.

    Args:
        text: what to cut.
        limit: tokens that the result may have.
        counter: counts them.
        marker: stands where something is missing.

    Returns:
        A text within the limit; empty if not even the marker fits.
    """
    if counter.count_text(text) <= limit:
        return text
    return _longest(text, limit, counter, lambda size: text[:size].rstrip() + marker)


def cut_middle(text: str, limit: int, counter: TokenCounter, *, marker: str = MIDDLE_MARKER) -> str:
    """Give head and tail of a text, as much as fits with the marker between them.

    Args:
        text: what to cut.
        limit: tokens that the result may have.
        counter: counts them.
        marker: stands in the gap; `{tokens}` in it becomes the tokens of the whole text less the limit.

    Returns:
        A text within the limit; empty if not even the marker fits.
    """
    whole = counter.count_text(text)
    if whole <= limit:
        return text
    gap = marker.replace("{tokens}", f"{whole - limit:,}")

    def halves(size: int) -> str:
        tail = size // 2
        return text[: size - tail] + gap + (text[-tail:] if tail else "")

    return _longest(text, limit, counter, halves)


def _longest(text: str, limit: int, counter: TokenCounter, build: Callable[[int], str]) -> str:
    """Search for the most characters of `text` whose built form fits.

    Begins at the proportional guess, so that a huge text is not tokenized again as a whole, and ends
    within 1 % of the most: counts grow with the text, but not strictly (a longer word may be one token).
    """

    def fits(size: int) -> bool:
        return counter.count_text(build(size)) <= limit

    if not fits(0):
        return ""
    low, high = 0, len(text)
    guess = min(high - 1, max(1, len(text) * limit // max(1, counter.count_text(text))))
    while low < guess < high:
        if fits(guess):
            low, guess = guess, guess + guess // 8 + 1
        else:
            high, guess = guess, guess - guess // 8 - 1
        if low and high < len(text):
            break
    while high - low > max(1, low // 128):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return build(low)
