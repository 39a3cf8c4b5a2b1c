"""What is stored of what comes again."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_ctx import InMemoryHistory

Q, A = HumanMessage("q"), AIMessage("a")


def named(message: BaseMessage, name: str) -> BaseMessage:
    """Give a message with an id."""
    return message.model_copy(update={"id": name})


CASES: dict[str, tuple[list[list[BaseMessage]], int]] = {
    "two turns that are alike": ([[Q, A], [Q, A]], 4),
    "two turns whose answers share an id": ([[Q, named(A, "x")], [Q, named(A, "x")]], 4),
    "one id, other contents": ([[named(Q, "x")], [named(A, "x")], [named(AIMessage("b"), "x")]], 3),
    "an equal message later": ([[named(Q, "1"), named(A, "2")], [named(Q, "1")]], 3),
    "the whole before what is new": ([[Q, A], [Q, A, HumanMessage("two")]], 3),
    "the whole, now with ids": ([[Q, A], [named(Q, "1"), named(A, "2"), HumanMessage("two")]], 3),
    "the whole again, with ids": ([[named(Q, "1"), named(A, "2")]] * 3, 2),
    "a part again": ([[Q, A, HumanMessage("two")], [Q, A]], 5),
    "something else before what is new": ([[Q, A], [HumanMessage("other"), A, HumanMessage("two")]], 5),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_kept(case: str) -> None:
    """A whole history that comes again is kept once, and nothing else is lost."""
    added, kept = CASES[case]
    history = InMemoryHistory()
    for messages in added:
        history.add_messages(messages)
    assert len(history.messages) == kept


def test_an_add_costs_what_is_new() -> None:
    """Nothing that is kept is looked at for a message behind it."""
    compared: list[int] = []

    class Counted(HumanMessage):
        """Counts how often it is compared."""

        def __eq__(self, other: object) -> bool:
            compared.append(1)
            return super().__eq__(other)

        __hash__ = None  # type: ignore[assignment]

    history = InMemoryHistory([Counted(content=str(at)) for at in range(1_000)])
    for _ in range(100):
        history.add_messages([HumanMessage("q"), AIMessage("a")])
    assert compared == []
