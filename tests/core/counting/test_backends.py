"""Vocabularies: splintr held equal to tiktoken, and what hostile input does to either."""

from __future__ import annotations

import random

import pytest

from ctx_core.counting import SafeEstimate
from ctx_core.counting.backends import BUNDLED, TIKTOKEN, SplintrTokenizer, vocabulary
from ctx_core.counting.vocabulary import tiktoken_encoding

pytest.importorskip("splintr", reason="splintr-rs is not installed")

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz ",
    "ABCdef 0123456789.,;:!?\n\t",
    "äöüßéèçñøå ",
    "的一是不了在人有我他这",
    "かなカナ漢字ー。",
    "한국어문장을씁니다 ",
    "العربية نص ",
    "हिन्दी पाठ ",
    "ไทยภาษา",
    "🚀🎉👨‍👩‍👧🏽✨",
    "\u200b\u200d\ufeff\u00a0",
    "{}[]()<>/\\\"'`=+-*&^%$#@",
    "<|endoftext|>",
    "'s 't 're \r\n ",
    "0123456789",
    "\x00\x07\x1b",
)


def strings(count: int) -> list[str]:
    """Give that many strings of several scripts each, always the same ones."""
    dice = random.Random(20)  # noqa: S311 - a fixed sequence of test strings
    found: list[str] = []
    while len(found) < count:
        alphabets = dice.sample(ALPHABETS, dice.randint(1, 3))
        words = [dice.choices(dice.choice(alphabets), k=dice.randint(1, 12)) for _ in range(dice.randint(1, 6))]
        found.append("".join(map("".join, words)))
    return found


@pytest.mark.parametrize("name", sorted(TIKTOKEN))
def test_splintr_counts_like_tiktoken(name: str) -> None:
    """On 20,000 strings of many scripts both give the same number."""
    ours, reference = vocabulary(name), tiktoken_encoding(name)
    if isinstance(reference, SafeEstimate):
        pytest.skip("tiktoken has no vocabulary here")
    assert isinstance(ours, SplintrTokenizer)
    assert [text for text in strings(20_000) if ours.count(text) != reference.count(text)] == []


@pytest.mark.parametrize("name", sorted(BUNDLED))
def test_text_that_spells_a_special_token_is_text(name: str) -> None:
    """No vocabulary takes a marker in a text for the marker."""
    found = vocabulary(name)
    assert found is not None
    for marker in ("<|endoftext|>", "<|im_start|>", "<s>", "[INST]", "<|eot_id|>", "<bos>"):
        assert found.count(marker) > 1


@pytest.mark.parametrize("text", [" " * 1_000_000, "a" * 180_000, "中" * 60_000, "\u200b" * 60_000, "\ud800 half"])
def test_hostile_text_is_counted(text: str) -> None:
    """Long runs and halves of characters raise nothing."""
    found = vocabulary("o200k_base")
    assert found is not None
    assert found.count(text) > 0


def test_unknown_vocabulary_is_none() -> None:
    """A vocabulary that nobody carries is not made up."""
    assert vocabulary("claude") is None
