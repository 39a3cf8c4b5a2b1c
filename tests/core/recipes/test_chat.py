"""Recipe 1, plain chat: a test for every line of it."""

from __future__ import annotations

import pytest

from ctx_core import BudgetError, ContextBudget, ContextOverflowError, Message, Role, TokenCounter, Tokens
from ctx_core.recipes import Chat, chat_budget

HISTORY = 50_000
OF_100 = "x" * 384
"""96 tokens, which with its frame is 100."""


def talk(turns: int, text: str = OF_100) -> list[Message]:
    """Give so many turns of a question and an answer, each numbered and of about 100 tokens."""
    makers = (Message.user, Message.assistant)
    return [makers[at % 2](f"{at:04}{text[4:]}") for at in range(2 * turns)]


@pytest.mark.parametrize(
    ("part", "tokens"), [("system", 10_000), ("history", 50_000)], ids=["system prompt 10,000", "history 50,000"]
)
def test_budget_100_000_tokens(part: str, tokens: int) -> None:
    """The parts are fixed, the response has 40,000 and the total is 100,000."""
    budget = Chat().budget
    assert budget.size_of(part) == tokens
    assert (budget.total, budget.reserve) == (100_000, 40_000)


def test_the_parts_sum_to_the_total() -> None:
    """A budget whose parts do not is refused, with a way to make one that does."""
    budget = chat_budget(system=100, history=700, response=200)
    assert budget.total == 1_000
    assert Chat(budget=budget).budget is budget
    with pytest.raises(BudgetError, match=r"800 tokens .* total of 1,000"):
        Chat(budget=ContextBudget(1_000, parts={"system": Tokens(100), "history": Tokens(500)}, reserve=200))


@pytest.mark.parametrize(
    ("characters", "tokens"),
    [(0, 0), (1, 1), (4, 1), (5, 2), (100, 25), (400, 100)],
    ids=["empty → 0", "at least 1", "4 chars → 1", "5 → 2", "100 → 25", "400 → 100"],
)
def test_estimator_4_characters_a_token(characters: int, tokens: int) -> None:
    """The estimate is ceil(length / 4)."""
    assert Chat().counter.count_text("x" * characters) == tokens


def test_every_history_message_costs_4_more() -> None:
    """The figure has the texts, and 4 for each message of the history; none for system prompt and new message."""
    recipe = Chat(system="s" * 40)
    context = recipe.build([Message.user("u" * 8), Message.assistant("a" * 8)], "n" * 12)
    assert recipe.figures(context).tokens == 10 + (2 + 4) * 2 + 3


@pytest.mark.parametrize(
    ("new", "kept"),
    [(4 * 100, 498), (4 * 1_000, 490), (4 * 49_800, 2), (4 * 49_900, 0), (4 * 50_000, 0), (4 * 59_000, 0)],
    ids=["100", "1,000", "49,800", "49,900", "50,000", "59,000"],
)
def test_the_new_message_is_paid_for_first(new: int, kept: int) -> None:
    """History may use max(0, 50,000 − tokens(new message)), in turns of 200 tokens here."""
    recipe = Chat()
    context = recipe.build(talk(300), "n" * new)
    assert len(context.messages) == kept + 1
    history = context.report.layer("history").used
    assert history <= max(0, HISTORY - new // 4) < history + 200 + (new // 4 > HISTORY) * 10_000


def test_history_that_fits_exactly_is_kept() -> None:
    """50,000 − tokens(new message) is the limit to the token; the new message's own frame is not the history's."""
    recipe = Chat(system="s" * 400)
    assert recipe.build(talk(245), "n" * 4 * 1_000).report.history.omitted == 0
    assert recipe.build(talk(245), "n" * 4 * 1_001).report.history.omitted == 2


def test_the_first_one_that_does_not_fit_ends_it() -> None:
    """No older, smaller message jumps over a gap."""
    small, large = talk(1, "s" * 40), talk(1, "l" * 4 * 30_000)
    context = Chat().build([*small, *large, *talk(2)], "new")
    assert [message.text[:4] for message in context.messages] == ["0000", "0001", "0002", "0003", "new"]


def test_chronological_order_is_kept() -> None:
    """What is kept stands in the order in which it came."""
    texts = [message.text[:4] for message in Chat().build(talk(300), "9999").messages]
    assert texts == sorted(texts)


def test_system_messages_inside_the_history_pass_through() -> None:
    """An instruction from before the cut is there, the very object."""
    note = Message.system("Speak French.")
    context = Chat().build([*talk(10), note, *talk(300)], "new")
    assert context.report.history.omitted > 0
    assert any(message is note for message in context.messages)


@pytest.mark.parametrize("length", [12, 4 * 59_000])
def test_the_new_message_is_always_there_always_last_never_cut(length: int) -> None:
    """However long it is, as long as the window holds it."""
    new = Message.user("n" * length)
    assert Chat(system="Be brief.").build(talk(300), new).messages[-1] is new


def test_a_new_message_that_no_window_holds_is_an_overflow() -> None:
    """It is never cut, and the system prompt makes no room for it: that is an error with the numbers."""
    with pytest.raises(ContextOverflowError) as caught:
        Chat(system="s" * 4 * 5_000).build(message="n" * 4 * 58_000)
    assert (caught.value.needed, caught.value.limit) == (63_008, 60_000)


@pytest.mark.parametrize(
    ("length", "cut"), [(0, False), (39_981, False), (40_000, False), (40_001, True), (200_000, True)]
)
def test_a_system_prompt_over_its_part_is_cut(length: int, cut: bool) -> None:  # noqa: FBT001 - a column of the table
    """At 10,000 × 4 − 20 characters, and it ends in a marker; an empty one stays empty."""
    recipe = Chat(system="s" * length)
    prompt = recipe.figures(recipe.build(message="new")).system_prompt
    assert prompt == ("s" * 39_980 + "\n[truncated]" if cut else "s" * length)


def test_an_empty_system_prompt_stays_empty() -> None:
    """No message is made of it."""
    recipe = Chat()
    figures = recipe.figures(recipe.build(message="new"))
    assert figures.system_prompt == ""
    assert [message.role for message in figures.messages] == [Role.USER]


def test_the_result_gives_messages_system_prompt_tokens_and_number_left_out() -> None:
    """All four; the messages are those without the system prompt."""
    recipe = Chat(system="Be brief.")
    context = recipe.build(talk(300), "new")
    figures = recipe.figures(context)
    assert figures.messages == context.messages[1:]
    assert figures.system_prompt == context.messages[0].text == "Be brief."
    assert figures.left_out == 600 - (len(figures.messages) - 1)
    assert figures.tokens == 3 + 100 * (len(figures.messages) - 1) + 1


def test_the_figure_says_nothing_of_the_content() -> None:
    """A repr of the result can be logged."""
    recipe = Chat(system="secret")
    assert "secret" not in repr(recipe) + repr(recipe.figures(recipe.build(message="secret")))


def test_the_smallest_part_still_marks_its_cut() -> None:
    """A part that hardly holds the marker is never exceeded by it."""
    counter = TokenCounter(lambda text: -(-len(text) // 4))
    for part in range(8):
        recipe = Chat(system="s" * 100, budget=chat_budget(system=part, history=100, response=10), counter=counter)
        assert recipe.build(message="new").report.layer("system").used <= part


def test_40_000_tokens_are_kept_free_whatever_the_history_has() -> None:
    """The part of the answer is headroom: no history fills it."""
    chat = Chat(system="s" * 40_000)
    history = [{"role": "user", "content": "h" * 396}] * 1_000
    assert chat.figures(chat.build(history, "n" * 400)).tokens <= 60_000


def test_any_other_tokenizer_can_take_the_estimators_place() -> None:
    """A function from a text to a number, or a model's name."""
    history = [{"role": "user", "content": "three short words"}]
    kept = [Chat(counter=counter).build(history, "new").tokens for counter in (len, "gpt-4o")]
    assert kept[0] == len("three short words") + 4 + len("new") + 4 + 3
    assert kept[1] < kept[0]
