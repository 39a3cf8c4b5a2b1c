"""What counts the tokens of a text, and what is done with one that cannot."""

from __future__ import annotations

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ctx_core import Message, TokenCounter, Tokenizer, TokenizerError, fit
from ctx_core.counting import FourCharacters
from ctx_core.counting.tokenizers import CachedTokenizer, tokenizer_name


class Recording:
    """Counts characters, and remembers what it was asked."""

    name = "recording"

    def __init__(self) -> None:
        """Begin with nothing."""
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        """Count, and write it down."""
        self.asked.append(text)
        return len(text)


def fails(text: str) -> int:
    """Raise with the text in the error, as a careless tokenizer does."""
    raise RuntimeError(text)


def test_the_protocol_has_one_method() -> None:
    """An object that counts is a tokenizer; a function is taken too, but is none."""
    assert isinstance(FourCharacters(), Tokenizer)
    assert not isinstance(len, Tokenizer)


def test_a_plain_function_counts() -> None:
    """From text to number is all it takes."""
    assert CachedTokenizer(len).count("four") == 4


@pytest.mark.parametrize("given", [0, 1, 7, 0.0, 7.0])
def test_counts_from_zero_up_are_taken(given: float) -> None:
    """Whole numbers, whatever their type."""
    answer: Any = given
    assert CachedTokenizer(lambda _: answer).count("x") == given


def test_a_fraction_is_rounded_up() -> None:
    """In doubt the count is high."""
    wrong: Any = lambda _: 1.01  # noqa: E731 - a function is what is tested
    assert CachedTokenizer(wrong).count("x") == 2


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (-1, "-1"),
        (-0.5, "-0.5"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (True, "True"),
        ("secret", "str"),
        (None, "NoneType"),
        ({1: 2}, "NoneType"),
    ],
)
def test_what_is_no_count_is_refused(given: object, shown: str) -> None:
    """The error names the tokenizer, what it gave, and the length of the text."""
    wrong: Any = lambda _: given  # noqa: E731 - a function is what is tested
    wrong.name = "mine"
    with pytest.raises(TokenizerError, match=rf"tokenizer mine gave {shown} for a text of 6 characters") as caught:
        CachedTokenizer(wrong).count("secret")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("given", [[7, 8, 9], (7, 8, 9), b"abc", {"input_ids": [7, 8, 9], "attention_mask": [1]}])
def test_tokens_are_as_many_as_they_are(given: object) -> None:
    """What gives the tokens themselves, as most tokenizers do, counts them."""
    gives: Any = lambda _: given  # noqa: E731 - a function is what is tested
    assert CachedTokenizer(gives).count("secret") == 3


def test_a_tokenizer_that_raises_is_named() -> None:
    """The error says which one, on how much text, and of what kind the fault is; its own text it doesn't repeat."""
    with pytest.raises(
        TokenizerError, match=r"tokenizer fails raised RuntimeError on a text of 6 characters"
    ) as caught:
        CachedTokenizer(fails).count("secret")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None  # it may say what the text was


def test_a_fault_is_not_remembered() -> None:
    """A tokenizer that failed once is asked again."""
    answers: list[Any] = [-1, 5]
    tokenizer = CachedTokenizer(lambda _: answers.pop(0))
    with pytest.raises(TokenizerError):
        tokenizer.count("x")
    assert tokenizer.count("x") == 5


@pytest.mark.parametrize("messages", [[{"role": "user", "content": "hi"}], [Message.user("hi")]])
def test_a_fault_comes_through_the_front_door(messages: list[Any]) -> None:
    """`fit` raises the same error."""
    with pytest.raises(TokenizerError, match="tokenizer fails"):
        fit(messages, 100, counter=fails)


@pytest.mark.parametrize("text", ["short", "long " * 1_000], ids=["short", "long"])
def test_a_text_is_counted_once(text: str) -> None:
    """Equal texts are one, whichever object holds them."""
    recording = Recording()
    tokenizer = CachedTokenizer(recording)
    assert tokenizer.count(text) == tokenizer.count("".join(list(text))) == len(text)
    assert len(recording.asked) == 1


def test_the_longest_unused_is_forgotten() -> None:
    """The cache holds so many, and what was asked for again stays."""
    recording = Recording()
    tokenizer = CachedTokenizer(recording, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        tokenizer.count(text)
    assert recording.asked == ["a", "b", "c", "b"]


def test_half_a_character_can_be_counted() -> None:
    """Broken surrogates come out of broken JSON; they are no reason to fail."""
    assert CachedTokenizer(len).count("\ud800" * 1_000) == 1_000


def test_threads_may_share_it() -> None:
    """Many threads on few texts get the right counts."""
    tokenizer = CachedTokenizer(len, size=5)
    texts = ["x" * (1 + at % 20) for at in range(2_000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tokenizer.count, texts)) == list(map(len, texts))


def test_a_copy_is_the_same_cache() -> None:
    """Copies of what holds a counter do not count again."""
    tokenizer = CachedTokenizer(len)
    assert copy.deepcopy(tokenizer) is tokenizer


def test_pickling_leaves_the_cache_behind() -> None:
    """What arrives counts as before."""
    tokenizer = CachedTokenizer(FourCharacters())
    tokenizer.count("x" * 8)
    arrived = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301 - our own bytes
    assert arrived.count("x" * 8) == 2
    assert arrived.name == "4 characters"


@pytest.mark.parametrize(
    ("tokenizer", "name"),
    [(FourCharacters(), "4 characters"), (len, "len"), (Recording(), "recording"), (object(), "object")],
)
def test_tokenizers_have_names(tokenizer: object, name: str) -> None:
    """Reports and errors call them by it."""
    assert tokenizer_name(tokenizer) == name


def test_a_counter_shares_its_cache_with_its_copies() -> None:
    """A counter made from a cached tokenizer counts nothing twice."""
    recording = Recording()
    first = TokenCounter(recording)
    second = TokenCounter(first.tokenizer)
    assert first.count_text("hi") == second.count_text("hi") == 2
    assert recording.asked == ["hi"]
