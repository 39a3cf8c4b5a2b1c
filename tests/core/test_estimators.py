"""Token estimates that need no vocabulary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import TokenCounter
from ctx_core.counting import Conservative, FourCharacters, SafeEstimate, Tokenizer, Words
from tests.contract.conversations import texts

ESTIMATORS = (FourCharacters(), Conservative(), Words(), SafeEstimate())


@pytest.mark.parametrize(("length", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (100, 25), (400, 100), (401, 101)])
def test_four_characters_are_a_token(length: int, tokens: int) -> None:
    """The figures of SPEC's plain chat."""
    assert FourCharacters().count("x" * length) == tokens


@pytest.mark.parametrize(("length", "tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3), (350, 100), (351, 101)])
def test_three_and_a_half_characters_are_a_token(length: int, tokens: int) -> None:
    """The figures of SPEC's rolling context, without an error of binary fractions."""
    assert Conservative().count("x" * length) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 1),
        (" \n ", 1),
        ("word", 2),  # 1.3
        ("word " * 10, 13),
        ("```word```", 4),  # 1.5 + 2
        ("```" + "word " * 10 + "```", 17),  # 15 + 2
        ("word " * 10 + "```" + "word " * 10 + "```" + "word " * 10, 43),  # 13 + 15 + 13 + 2
        ("```a``` ```b```", 7),  # 1.5 + 1.5 + 4
    ],
)
def test_words_in_prose_and_in_code(text: str, tokens: int) -> None:
    """The figures of SPEC's token-aware assistant."""
    assert Words().count(text) == tokens


def test_a_hundred_short_words_are_100_to_200_tokens() -> None:
    """As SPEC has it."""
    assert 100 <= Words().count("word " * 100) <= 200


@given(st.integers(1, 500))
def test_words_grow_linearly(times: int) -> None:
    """Twice the words are twice the tokens, but for rounding."""
    assert abs(Words().count("word " * (2 * times)) - 2 * Words().count("word " * times)) <= 1


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
@given(st.text())
def test_every_estimate_is_a_count(estimator: Tokenizer, text: str) -> None:
    """Any text, be it of broken surrogates, gives a whole number from 0 up."""
    tokens = estimator.count(text)
    assert isinstance(tokens, int)
    assert tokens >= (1 if text.strip() else 0)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
@given(text=texts, more=texts)
def test_more_text_is_never_less(estimator: Tokenizer, text: str, more: str) -> None:
    """An estimate grows with its text."""
    assert estimator.count(text + more) >= estimator.count(text)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
@pytest.mark.parametrize("text", [" " * 1_000_000, "a" * 180_000, "🚀" * 50_000, "\ud800"], ids=len)
def test_odd_texts_are_estimated(estimator: Tokenizer, text: str) -> None:
    """A million blanks, endless letters, emoji and half a character."""
    assert estimator.count(text) >= 1


@given(texts)
def test_the_safe_estimate_is_not_too_low(text: str) -> None:
    """In any script, emoji, code and identifiers it is at least what OpenAI's vocabulary of today gives."""
    assert SafeEstimate().count(text) >= TokenCounter.for_encoding("o200k_base").count_text(text)
