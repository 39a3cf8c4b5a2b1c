"""Token estimates that need no vocabulary."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import TokenCounter
from ctx_core.counting import Conservative, FourCharacters, Guarded, SafeEstimate, Tokenizer, Words
from tests.contract.conversations import texts

ESTIMATORS = (
    FourCharacters(),
    Conservative(),
    Words(),
    SafeEstimate(),
    Guarded(Words()),
    Guarded(FourCharacters()),
)


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
        ("```", 1),  # an unclosed fence adds no 2
        ("word " * 10 + "```\n" + "word " * 10, 28),  # 13 + 15: what stands behind it is code
        ('{"a": 1, "b": 2}', 7),  # 1.6
        ('[{"id": 7, "tags": ["x", "y"]}, {"id": 8, "tags": []}]', 15),  # 1.6
        ("(a) [b] <c> -- d; e/f: g!", 10),  # 1.4
        ("a, b; c! d? e. f: g- h+", 12),  # 1.4
        ("Hello, world! How are you today? I am fine.", 12),  # 1.3
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
    """An estimate grows with its text; on the same line, what was a word may become a fence."""
    assert estimator.count(f"{text}\n{more}") >= estimator.count(text)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
@pytest.mark.parametrize("text", [" " * 1_000_000, "a" * 180_000, "🚀" * 50_000, "\ud800"], ids=len)
def test_odd_texts_are_estimated(estimator: Tokenizer, text: str) -> None:
    """A million blanks, endless letters, emoji and half a character."""
    assert estimator.count(text) >= 1


@given(texts)
def test_the_safe_estimate_is_not_too_low(text: str) -> None:
    """In any script, emoji, code and identifiers it is at least what OpenAI's vocabulary of today gives."""
    assert SafeEstimate().count(text) >= TokenCounter.for_encoding("o200k_base").count_text(text)


@pytest.mark.parametrize("length", [0, 1, 4, 5, 100, 400, 401])
def test_the_guard_changes_nothing_of_what_four_characters_was_made_for(length: int) -> None:
    """400 times the same letter stay 100 tokens."""
    assert Guarded(FourCharacters()).count("a" * length) == FourCharacters().count("a" * length)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 100,
        "hi " * 100,
        "The quick brown fox jumps over the lazy dog.",
        "I would like to know when the ferry leaves, and whether there is another one in the evening.",
        "word " * 10 + "```" + "word " * 10 + "```" + "word " * 10,
    ],
)
def test_the_guard_changes_nothing_of_english_prose(text: str) -> None:
    """The figure of the words."""
    assert Guarded(Words()).count(text) == Words().count(text)


OTHER_KINDS = {
    "Chinese": "我住在三层楼的房子里。你好，今天有什么特别的计划吗？",
    "Japanese": "フェリーは五時に出発します。夕方にもう一便ありますか。",
    "Korean": "배는 다섯 시에 떠납니다. 저녁에 한 편 더 있나요?",
    "Russian": "Паром отправляется в пять часов вечера, с приливом.",
    "Arabic": "تغادر العبارة في الساعة الخامسة مع المد.",
    "Hindi": "नौका पाँच बजे ज्वार के साथ निकलती है।",
    "Thai": "เรือเฟอร์รี่ออกเวลาห้าโมงเย็นพร้อมกับน้ำขึ้น",
    "German": "Die Fähre fährt um fünf Uhr nachmittags mit der nächsten Flut über die Förde.",
    "minified JSON": '{"items":[{"id":17,"name":"ferry","open":true},{"id":18,"name":"tide","open":false}]}',
    "minified code": "function f(a,b){return a.map(x=>x*b).filter(y=>y>3&&y<9)}var t=f([1,2,3],4);",
    "hexadecimal": "0x3f3504f3,0xbf800000,0x3eb17218\n0x40490fdb,0x3e22f983,0xc0000000\n",
    "digests": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 d2hhdCBhcmUgeW91IGRvaW5nIGhlcmU5",
    "punctuation": "!?;:,.-_()[]{}<>|/\\@#$%^&*~`+=",
    "emoji": "🚢🌊👍🏽🇵🇹🎉",
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
@pytest.mark.parametrize("estimator", [Words(), FourCharacters()], ids=lambda one: one.name)
def test_a_guarded_estimate_is_near_for_other_kinds_of_text(estimator: Tokenizer, kind: str) -> None:
    """Not below o200k by more than 5 %, nor over it by more than 80 %, but for a text of a few emoji."""
    text = OTHER_KINDS[kind] * 20
    counted = TokenCounter.for_encoding("o200k_base").count_text(text)
    assert 0.95 * counted <= Guarded(estimator).count(text) <= 1.8 * counted


def test_a_short_word_is_two_thirds_of_a_token_at_least() -> None:
    """However short it is, the vocabulary has a token for it, where four characters a token have half of one."""
    text = "if so:\n" * 30
    counted = TokenCounter.for_encoding("o200k_base").count_text(text)
    assert FourCharacters().count(text) < 0.6 * counted
    assert 0.95 * counted <= Guarded(FourCharacters()).count(text) <= 1.8 * counted


def test_a_guarded_estimate_is_picklable_and_equal_to_another_of_its_kind() -> None:
    """So recipes that have one are."""
    guarded = Guarded(Words())
    again = pickle.loads(pickle.dumps((guarded, TokenCounter(guarded))))  # noqa: S301 - our own
    assert again == (guarded, TokenCounter(guarded))
    assert guarded != Guarded(FourCharacters())
    assert guarded.name == "words, guarded"
