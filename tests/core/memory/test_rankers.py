"""What orders memories."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core.errors import BudgetError
from ctx_core.memory import Bm25, Boosted, Dense, Fused, MemoryItem, Weighted, importance, recall, recency, words

PETS = (
    MemoryItem("The user has a cat called Mia"),
    MemoryItem("The weather was rainy on Monday"),
    MemoryItem("The user went hiking in the Alps"),
    MemoryItem("The printer needs new toner"),
    MemoryItem("Lunch is at noon"),
)


class Counting:
    """Counts the texts it takes apart."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.texts = 0

    def __call__(self, text: str) -> list[str]:
        """Give the terms."""
        self.texts += 1
        return words(text)


class Letters:
    """Embeds a text as how often it has each letter."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.texts: list[str] = []

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Give the vectors."""
        self.texts += texts
        return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def best(scores: Sequence[float]) -> int:
    """Give the position of the highest score."""
    return max(range(len(scores)), key=lambda at: scores[at])


def test_words_find_the_memory_in_another_form() -> None:
    """`hike` finds `hiking`."""
    assert best(Bm25()("Where did we hike?", PETS)) == 2


def test_nothing_shared_scores_nothing() -> None:
    """A question that shares no word says nothing about any memory."""
    assert Bm25()("quantum chromodynamics", PETS) == [0.0] * 5


def test_neighbors_get_half_and_a_quarter() -> None:
    """The answer stands beside what is asked about."""
    scores = Bm25(episode=0)("Mia", PETS)
    assert [score / scores[0] for score in scores] == pytest.approx([1, 0.5, 0.25, 0, 0])


def test_an_episode_shares_its_relevance() -> None:
    """What was said within the same hours is a little more relevant than what was said on another day."""
    day = datetime(2024, 5, 1, tzinfo=UTC)
    times = [day, day, day + timedelta(days=3), day + timedelta(days=3)]
    items = [MemoryItem(text, time=time) for text, time in zip(["Mia purrs", "hello", "hi", "bye"], times, strict=True)]
    scores = Bm25(neighbors=())("Mia", items)
    assert scores[0] > scores[1] > scores[2] == scores[3] == 0


def test_a_day_is_found_as_people_write_it() -> None:
    """`in May 2023` finds what has a time in it, though its text doesn't say so."""
    items = [
        MemoryItem("We met", time=datetime(2022, 1, 1, tzinfo=UTC)),
        MemoryItem("We met", time=datetime(2023, 5, 8, tzinfo=UTC)),
    ]
    assert best(Bm25(neighbors=(), episode=0)("What happened in May 2023?", items)) == 1


def test_adding_an_item_indexes_only_it() -> None:
    """A turn costs its own words, not those of the conversation."""
    counting = Counting()
    ranker = Bm25(analyzer=counting)
    ranker("Mia", PETS)
    before = counting.texts
    ranker("Mia", (*PETS, MemoryItem("Mia is a tabby")))
    assert counting.texts - before == 2  # the question and the new item


def test_rebuilt_items_are_not_indexed_again() -> None:
    """Frameworks rebuild their objects: equal items are the same items."""
    counting = Counting()
    ranker = Bm25(analyzer=counting)
    ranker("Mia", PETS)
    before = counting.texts
    ranker("Mia", [MemoryItem(item.text) for item in PETS])
    assert counting.texts - before == 1


@given(
    st.lists(st.lists(st.sampled_from(["cat", "dog", "hiking", "rain", "toner"]), min_size=1), min_size=1, max_size=8)
)
def test_a_grown_index_scores_as_a_new_one(texts: list[list[str]]) -> None:
    """What was asked before changes no score."""
    items = [MemoryItem(" ".join(text)) for text in texts]
    grown = Bm25()
    for size in range(len(items) + 1):
        grown("cat hike", items[:size])
    assert grown("cat hike", items) == Bm25()("cat hike", items)


def test_a_shorter_list_is_not_scored_by_the_longer_ones_index() -> None:
    """An index that knows more than the items at hand is not used for them."""
    ranker = Bm25()
    ranker("Mia", PETS)
    assert ranker("Mia", PETS[:2]) == Bm25()("Mia", PETS[:2])


def test_a_ranker_is_shared_between_threads() -> None:
    """Many conversations at a time get the scores that each would get alone."""
    ranker = Bm25()
    lists = [[MemoryItem(f"cat {at} and dog {number}") for at in range(30)] for number in range(12)]
    with ThreadPoolExecutor(8) as threads:
        scores = list(threads.map(lambda at: ranker(f"dog {at % 12} cat 3", lists[at % 12]), range(96)))
    assert scores == [Bm25()(f"dog {at % 12} cat 3", lists[at % 12]) for at in range(96)]


def test_recency_goes_by_time_and_else_by_order() -> None:
    """The later in the list is the newer, unless every item says when it was."""
    day = datetime(2024, 5, 1, tzinfo=UTC)
    assert recency("", PETS[:2]) == [0.5, 1.0]
    times = [MemoryItem("a", time=day), MemoryItem("b", time=day.replace(tzinfo=None) - timedelta(days=1))]
    assert recency("", times) == [1.0, 0.5]


def test_weights_add_scaled_scores() -> None:
    """A ranker with large scores does not drown one with small ones."""
    large = [MemoryItem("a", importance=1000), MemoryItem("b", importance=0)]
    assert Weighted({importance: 1, recency: 3})("", large) == pytest.approx([1 + 3 * 0.5, 3])


def test_a_plain_function_is_a_ranker() -> None:
    """A ranker needs no class."""

    def longest(query: str, items: Sequence[MemoryItem], /) -> list[float]:
        del query
        return [float(len(item.text)) for item in items]

    assert recall("", PETS, ranker=longest, max_items=1)[0].text == max((item.text for item in PETS), key=len)


def test_fusion_adds_places() -> None:
    """What two rankers place well beats what only one of them places first."""

    def first(query: str, items: Sequence[MemoryItem], /) -> list[float]:
        del query, items
        return [9, 8, 1, 2]

    def second(query: str, items: Sequence[MemoryItem], /) -> list[float]:
        del query, items
        return [0, 8, 9, 0]

    scores = Fused(first, second)("", PETS[:4])
    assert best(scores) == 1
    assert scores[0] == pytest.approx(1 / 61)  # the second ranker gives it 0, and so nothing


def test_importance_tips_the_scale() -> None:
    """Of two memories that fit alike, the important one scores higher; what doesn't fit stays at nothing."""
    items = [MemoryItem("cat"), MemoryItem("cat", importance=5), MemoryItem("dog", importance=9)]
    scores = Boosted(Bm25(neighbors=(), episode=0))("cat", items)
    assert scores[1] > scores[0] > scores[2] == 0


def test_vectors_find_what_words_do_not() -> None:
    """Any object with a method `embed` will do."""
    assert best(Dense(Letters())("Mi has a cta user teh called", PETS)) == 0


def test_only_new_texts_are_embedded() -> None:
    """Embedding costs; a text is embedded once."""
    letters = Letters()
    dense = Dense(letters)
    dense("cat", PETS)
    letters.texts.clear()
    dense("cat", (*PETS, MemoryItem("new")))
    assert letters.texts == ["new", "cat"]


def test_an_embedder_is_checked() -> None:
    """An object without the method is refused where it is given."""
    with pytest.raises(BudgetError, match="embed"):
        Dense(object())  # type: ignore[arg-type]  # the point  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("scores", [[1.0], [float("nan")] * 5], ids=["too few", "NaN"])
def test_bad_scores_are_refused(scores: list[float]) -> None:
    """A ranker of one's own is told what is wrong with it."""
    with pytest.raises(BudgetError, match="the ranker gave"):
        recall("", PETS, ranker=lambda _query, _items: scores)


@pytest.mark.parametrize("wrong", [{"b": 2.0}, {"k1": -1.0}, {"episode": -0.1}, {"neighbors": (-1.0,)}])
def test_impossible_numbers_are_refused(wrong: dict[str, float]) -> None:
    """What cannot work is refused when it is made."""
    with pytest.raises(BudgetError):
        Bm25(**wrong)  # type: ignore[arg-type]  # a table of one of each  # pyright: ignore[reportArgumentType]
