"""How many tokens a request may have, and how they are shared out."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import BudgetError, ContextBudget, Message, Share, TokenCounter, Tokens, UnknownModelError
from ctx_core.sizes import tokens_of


@dataclass
class ChatModel:
    """A model object as LangChain has it."""

    model_name: str = "gpt-4o"
    profile: dict[str, Any] | None = None


@dataclass
class Metadata:
    """What an LLM of LlamaIndex says of itself."""

    context_window: int = 9_000
    model_name: str = "gpt-4o"


@dataclass
class Llm:
    """A model object as LlamaIndex has it."""

    metadata: Metadata = field(default_factory=Metadata)
    model: str = "another"


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


@pytest.mark.parametrize(
    ("budget", "parts", "reserve", "limit"),
    [
        (ContextBudget.default(), (10_000, 25_000, 10_000, 15_000, 5_000), 35_000, 65_000),
        (ContextBudget.medium(), (4_000, 10_000, 4_000, 6_000, 2_000), 14_000, 26_000),
        (ContextBudget.local_small(), (600, 1_800, 600, 600, 0), 2_400, 3_600),
    ],
)
def test_presets_have_the_figures_of_spec(
    budget: ContextBudget, parts: tuple[int, ...], reserve: int, limit: int
) -> None:
    """System, history, summary, memory and task of the token-aware assistant."""
    assert tuple(map(budget.size_of, ("system", "history", "summary", "memory", "task"))) == parts
    assert (budget.reserve, budget.input_limit) == (reserve, limit)


@pytest.mark.parametrize(
    ("total", "share", "tokens"),
    [(100_000, 0.35, 35_000), (10, 0.99, 9), (3, 1 / 3, 1), (1_000, 0.29, 290), (1_000_000, 0.07, 70_000), (7, 0.0, 0)],
)
def test_shares_are_rounded_down(total: int, share: float, tokens: int) -> None:
    """As decimal fractions, not as binary ones."""
    assert tokens_of(Share(share), total) == tokens


@given(st.integers(1, 10**7), st.lists(st.integers(0, 100), min_size=1, max_size=6))
def test_shares_never_make_more_than_the_total(total: int, weights: list[int]) -> None:
    """Rounded down, all parts and the reserve are within it."""
    whole = sum(weights) + 2
    parts = {f"p{at}": Share(weight / whole) for at, weight in enumerate([*weights, 1])}
    budget = ContextBudget(total, parts=parts, reserve=Share(1 / whole))
    assert sum(budget.size_of(name) or 0 for name in budget.parts) + budget.reserve <= total


def test_fixed_parts_are_what_they_say() -> None:
    """A part that is not named has no size."""
    budget = ContextBudget(1_000, parts={"system": Tokens(300)}, reserve=200)
    assert (budget.size_of("system"), budget.size_of("history"), budget.input_limit) == (300, None, 800)


def test_fixed_parts_may_fill_the_total() -> None:
    """To the token; SPEC's plain chat does."""
    budget = ContextBudget(100_000, parts={"system": Tokens(10_000), "history": Tokens(50_000)}, reserve=40_000)
    assert budget.input_limit == 60_000


@pytest.mark.parametrize("shares", [(0.5, 0.49), (0.5, 0.51), (0.5, 0.5), (0.3, 0.7)])
def test_shares_may_be_a_little_off(shares: tuple[float, float]) -> None:
    """By a hundredth, as SPEC has it."""
    budget = ContextBudget(1_000, parts={"system": Share(shares[0])}, reserve=Share(shares[1]))
    assert budget.reserve == 1_000 * shares[1]


@pytest.mark.parametrize("total", [0, -1, 1.5, "1000", None, True, float("nan")])
def test_a_total_that_is_no_number_of_tokens_is_refused(total: Any) -> None:
    """The error shows what was found."""
    with pytest.raises(BudgetError, match=r"the budget must be a whole number of tokens above 0"):
        ContextBudget(total)


@pytest.mark.parametrize(
    ("parts", "reserve", "found"),
    [
        ({"system": Share(0.5), "memory": Share(0.2)}, Share(0.1), r"system 0.5, memory 0.2, reserve 0.1\) sum to 0.8"),
        ({"system": Share(0.9)}, Share(0.2), r"sum to 1.1"),
        ({"system": Share(0.5)}, 100, r"\(system 0.5\) sum to 0.5"),
        ({}, 1_000, "the reserve of 1,000 tokens leaves nothing of the total of 1,000"),
        ({}, 2_000, "the reserve of 2,000 tokens leaves nothing"),
        ({}, Share(1.0), "leaves nothing"),
        (
            {"system": Tokens(600), "memory": Tokens(300)},
            200,
            r"\(system 600, memory 300\) and the reserve of 200 make 1,100",
        ),
        ({"system": 100}, 0, r"part 'system' must be Share\(…\) or Tokens\(…\), found int"),
        ({"system": "10%"}, 0, r"part 'system' must be .* found str"),
        ({}, "10%", r"part 'reserve' must be .* found str"),
        ({}, None, r"part 'reserve' must be .* found NoneType"),
        ({}, 0.35, r"part 'reserve' must be .* found float"),
        ({}, -1, "found -1"),
    ],
)
def test_parts_that_cannot_work_are_refused(parts: Any, reserve: Any, found: str) -> None:
    """At construction, with an error that names them and shows the numbers."""
    with pytest.raises(BudgetError, match=found):
        ContextBudget(1_000, parts=parts, reserve=reserve)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True])
def test_what_is_no_share_is_refused(share: Any) -> None:
    """A share is from 0 to 1."""
    with pytest.raises(BudgetError, match="a share must be a number from 0 to 1"):
        Share(share)


@pytest.mark.parametrize("count", [-1, 1.5, "5", None, True, float("nan")])
def test_what_is_no_count_is_refused(count: Any) -> None:
    """A fixed part is a whole number of tokens."""
    with pytest.raises(BudgetError, match="a fixed part must be a whole number of tokens"):
        Tokens(count)


def test_parts_cannot_be_changed() -> None:
    """Neither in the budget nor through the mapping it was made from."""
    parts: dict[str, Any] = {"system": Tokens(300)}
    budget = ContextBudget(1_000, parts=parts)
    parts["system"] = Tokens(900)
    assert budget.size_of("system") == 300
    with pytest.raises(TypeError):
        budget.parts["system"] = Tokens(900)  # type: ignore[index] # pyright: ignore[reportIndexIssue]


@pytest.mark.parametrize(
    "budget",
    [
        ContextBudget(1_000),
        ContextBudget.default(),
        ContextBudget.local_small(),
        ContextBudget(1_000, parts={"system": Tokens(300)}, reserve=200, model="gpt-4o"),
        ContextBudget(997, parts={"a": Share(0.333), "b": Share(0.333)}, reserve=Share(0.334)),
        ContextBudget(3, parts={"a": Share(0.6)}, reserve=Share(0.4)),
    ],
)
def test_budgets_survive_pickling_and_copying(budget: ContextBudget) -> None:
    """They come out equal, hash and all."""
    for other in (pickle.loads(pickle.dumps(budget)), copy.deepcopy(budget), copy.copy(budget)):  # noqa: S301 - our own bytes
        assert other == budget
        assert hash(other) == hash(budget)
        assert other.parts == budget.parts


@pytest.mark.parametrize(
    ("model", "window", "name"),
    [
        ("gpt-4o", 128_000, "gpt-4o"),
        (ChatModel(profile={"max_input_tokens": 50_000}), 50_000, "gpt-4o"),
        (ChatModel(profile=None), 128_000, "gpt-4o"),
        (ChatModel(profile={}), 128_000, "gpt-4o"),
        (ChatModel(profile={"max_input_tokens": None}), 128_000, "gpt-4o"),
        (Llm(), 9_000, "another"),
        (Llm(Metadata(context_window=0), model="gpt-4o"), 128_000, "gpt-4o"),
    ],
)
def test_a_models_window_makes_a_budget(model: object, window: int, name: str) -> None:
    """What the object says of itself wins over the table."""
    budget = ContextBudget.for_model(model, reserve=1_000)
    assert (budget.total, budget.reserve, budget.model) == (window, 1_000, name)


def test_a_model_that_nobody_knows_is_refused() -> None:
    """The error says what to give instead."""
    with pytest.raises(UnknownModelError, match=r"'acme-1' is not known: give it in tokens, as ContextBudget\("):
        ContextBudget.for_model("acme-1")


def test_an_object_that_says_nothing_is_refused() -> None:
    """Its type is named."""
    with pytest.raises(UnknownModelError, match="a object without a profile or a name"):
        ContextBudget.for_model(object())


def test_check_says_how_a_request_stands() -> None:
    """Largest input, current, available, within or not, and whole percent."""
    budget = ContextBudget(100, reserve=20)
    check = budget.check([Message.user("word " * 37)], counter=words)
    assert (check.max_input, check.current, check.available, check.within, check.utilization) == (80, 44, 36, True, 55)


def test_check_says_what_is_too_much() -> None:
    """Nothing is available then, and more than 100 percent used."""
    check = ContextBudget(50).check([{"role": "user", "content": "word " * 93}], counter=words)
    assert (check.current, check.available, check.within, check.utilization) == (100, 0, False, 200)


@pytest.mark.parametrize(("words_in_it", "within"), [(43, True), (44, False)])
def test_check_is_exact_at_the_limit(words_in_it: int, within: bool) -> None:  # noqa: FBT001 - a table's column
    """The last token still fits."""
    assert ContextBudget(50).check([Message.user("word " * words_in_it)], counter=words).within is within


def test_check_counts_tools() -> None:
    """They go with the request."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    counter = TokenCounter(words)
    alone = ContextBudget(500).check([Message.user("hi")], counter=counter).current
    assert ContextBudget(500).check([Message.user("hi")], counter=counter, tools=tools).current == alone + 43


def test_check_counts_as_the_model_does() -> None:
    """A budget that was made for a model has its counter."""
    budget = ContextBudget.for_model("gpt-4o")
    messages = [Message.user("The tide turns at four.")]
    assert budget.check(messages).current == TokenCounter.for_model("gpt-4o").count_messages(messages)
    assert ContextBudget(500).check(messages).current == TokenCounter.for_model("").count_messages(messages)
