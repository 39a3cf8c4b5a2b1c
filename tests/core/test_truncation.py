"""Cutting a text to a number of tokens, visibly."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import TokenCounter
from ctx_core.counting import FourCharacters, Tokenizer, Words
from ctx_core.truncation import cut_end, cut_middle

COUNTER = TokenCounter(FourCharacters())
WORDS = TokenCounter(lambda text: len(text.split()))
EXACT = TokenCounter.for_encoding("o200k_base")

Cut = Callable[[str, int, TokenCounter], str]


class Recording:
    """Counts characters by four, and adds up how many it was asked for."""

    def __init__(self) -> None:
        """Begin with none."""
        self.characters = 0

    def count(self, text: str) -> int:
        """Count, and write it down."""
        self.characters += len(text)
        return -(-len(text) // 4)


@pytest.mark.parametrize("cut", [cut_end, cut_middle])
def test_what_fits_is_left_alone(cut: Cut) -> None:
    """The text itself comes back, without a marker."""
    text = "word " * 8
    assert cut(text, 10, COUNTER) is text


def test_the_end_is_cut_and_marked() -> None:
    """The beginning stays, as far as it fits with the marker."""
    assert cut_end("abcdefgh" * 10, 8, COUNTER) == ("abcdefgh" * 10)[:20] + "\n[truncated]"


def test_blanks_before_the_marker_go() -> None:
    """The marker stands at the end of a line of text."""
    assert cut_end("one two three\n\n\nfour five six", 4, WORDS) == "one two three\n[truncated]"


def test_the_middle_is_cut_and_marked() -> None:
    """Head and tail stay, and the marker says how much is missing."""
    text = "a" * 200 + "b" * 200
    cut = cut_middle(text, 40, COUNTER)
    assert cut.startswith("a" * 60)
    assert cut.endswith("b" * 60)
    assert "\n[… 60 tokens left out …]\n" in cut


def test_a_marker_of_ones_own_is_used() -> None:
    """`{tokens}` in it becomes the number, and braces of other kinds stay."""
    assert "<60 gone {x}>" in cut_middle("a" * 400, 40, COUNTER, marker="<{tokens} gone {x}>")
    assert cut_end("a" * 400, 40, COUNTER, marker=" …").endswith("a …")


@pytest.mark.parametrize("cut", [cut_end, cut_middle])
@pytest.mark.parametrize("limit", [-5, 0, 1, 2])
def test_where_not_even_the_marker_fits_nothing_is_left(cut: Cut, limit: int) -> None:
    """A piece of a marker would say nothing."""
    assert cut("word " * 100, limit, COUNTER) == ""


@pytest.mark.parametrize("cut", [cut_end, cut_middle])
@pytest.mark.parametrize("tokenizer", [FourCharacters(), Words(), EXACT.tokenizer], ids=["letters", "words", "o200k"])
@given(text=st.text(max_size=300) | st.text(alphabet="ab \n中🚀", max_size=2_000), limit=st.integers(0, 200))
def test_a_cut_text_is_within_its_limit(cut: Cut, tokenizer: Tokenizer, text: str, limit: int) -> None:
    """Whatever the text and the tokenizer, the limit is kept, or nothing is left."""
    counter = TokenCounter(tokenizer)
    result = cut(text, limit, counter)
    assert result == "" or counter.count_text(result) <= limit


@pytest.mark.parametrize("cut", [cut_end, cut_middle])
@given(length=st.integers(400, 50_000), limit=st.integers(40, 99))
def test_nearly_as_much_as_fits_is_kept(cut: Cut, length: int, limit: int) -> None:
    """The search ends within a few percent of the limit."""
    assert COUNTER.count_text(cut("x" * length, limit, COUNTER)) >= limit - 1 - limit // 50


def test_cutting_a_huge_text_reads_it_once() -> None:
    """Only the first count is of the whole; the search is about pieces of the size of the limit."""
    recording = Recording()
    cut_middle("x" * 1_000_000, 100, TokenCounter(recording))
    assert recording.characters < 1_020_000
