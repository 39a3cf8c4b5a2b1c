"""The terms of a text, in many languages."""

import pytest

from ctx_core.errors import BudgetError
from ctx_core.memory import snowball, words
from ctx_core.memory.english import english_forms, english_stem
from ctx_core.memory.words import plain_words


@pytest.mark.parametrize(
    "forms",
    [
        "hike hikes hiked hiking",
        "run runs running ran",
        "stop stops stopped stopping",
        "buy buys buying bought",
        "happy happiness happily",
        "study studies studied studying",
        "organize organizes organizing organization organization",
        "child children",
        "box boxes",
        "hope hoped hoping hopeful",
        "travel travels traveling travelling travelled",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    """A question and a memory rarely use the same form of a word."""
    assert len({english_stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["universe university", "bus busy", "thing think", "red reed", "news new", "sing sin"])
def test_different_words_keep_different_stems(pair: str) -> None:
    """A stem that joins unlike words finds the wrong memory."""
    one, other = pair.split()
    assert english_stem(one) != english_stem(other)


@pytest.mark.parametrize("word", ["", "s", "ed", "ing", "été", "123", "a1b", "здравствуйте", "日本"])
def test_what_is_no_english_word_is_left_alone(word: str) -> None:
    """Numbers, codes and other alphabets are not cut."""
    assert english_stem(word) == word


@pytest.mark.parametrize("word", ["hike", "bought", "happy", "studies", "running", "organize", "going", "child"])
def test_the_forms_of_a_word_begin_as_announced(word: str) -> None:
    """A large file is searched for beginnings, so one of them must begin the word itself."""
    assert any(word.startswith(form) for form in english_forms(word))


def test_stop_words_are_left_out() -> None:
    """What every sentence has tells nothing apart."""
    assert words("What did she do with the bicycle?") == [english_stem("bicycle")]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("东京", "我住在东京都"),
        ("猫", "我家有三只猫咪"),
        ("京都", "先週、京都へ行きました"),
        ("ラーメン", "好きな食べ物はラーメンです"),
        ("학교", "오늘 학교에서 공부했어요"),
        ("ภาษาไทย", "ฉันเรียนภาษาไทยทุกวัน"),
        ("ភាសា", "ខ្ញុំរៀនភាសាខ្មែរ"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ।"),
        ("Café", "the CAFE on the corner"),
        ("naïve", "a naive idea"),
        ("Москва", "столица — МОСКВА"),
        ("ＡＢＣ", "the abc of it"),
    ],
)
def test_a_word_is_found_in_its_script(question: str, text: str) -> None:
    """Scripts without spaces, accents, letter case and wide forms do not hide a word."""
    assert set(words(question)) & set(words(text))


def test_a_vowel_sign_does_not_split_a_word() -> None:
    """In Indic scripts a sign belongs to the letter before it."""
    assert plain_words("हिन्दी भाषा।") == ["हिन्दी", "भाषा"]


def test_snowball_stems_another_language() -> None:
    """The extra brings stemmers of other languages."""
    pytest.importorskip("snowballstemmer", reason="the extra `memory` is not installed")
    german = snowball("german")
    assert german("Häuser") == german("Hauses") == german("Haus")


def test_snowball_names_what_it_knows() -> None:
    """A misspelt language is answered with those there are."""
    pytest.importorskip("snowballstemmer", reason="the extra `memory` is not installed")
    with pytest.raises(BudgetError, match=r"klingon.*there are .*german"):
        snowball("klingon")
