"""That the judge finds what is broken in the payloads of real clients, in every format alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.payloads.clients import clients
from tests.payloads.conversations import CONVERSATION, TOOLS, native
from tests.payloads.judge import read, refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.payloads.client import Client
    from tests.payloads.turns import Turn

    Breaking = Callable[[Any, Sequence[Turn]], None]
    """Breaks a payload in place, of which these turns were read."""


def place(payload: Any, raw: Any) -> tuple[list[Any], int]:
    """Give the list of a payload that something stands in, and where in it."""
    return next(
        (found, at) for found in lists(payload) for at, element in enumerate(found) if element is raw
    )  # fmt: skip


def lists(value: Any) -> Iterator[list[Any]]:
    """Give every list of a payload."""
    if isinstance(value, list):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from lists(inner)


def without_a_result(payload: Any, turns: Sequence[Turn]) -> None:
    """Take out the last result."""
    found, at = place(payload, [result for turn in turns for result in turn.results][-1].raw)
    del found[at]


def without_a_call(payload: Any, turns: Sequence[Turn]) -> None:
    """Take out the last call."""
    found, at = place(payload, [call for turn in turns for call in turn.calls][-1].raw)
    del found[at]


def with_results_before_calls(payload: Any, turns: Sequence[Turn]) -> None:
    """Move what calls behind what was answered."""
    for turn in turns:
        if turn.calls:
            found, at = place(payload, turn.raw)
            found.append(found.pop(at))


def with_a_result_twice(payload: Any, turns: Sequence[Turn]) -> None:
    """Say the last result twice."""
    raw = [result for turn in turns for result in turn.results][-1].raw
    found, at = place(payload, raw)
    found.insert(at, raw)


def with_a_question_between(payload: Any, turns: Sequence[Turn]) -> None:
    """Ask between the calls and their results."""
    found, at = place(payload, next(turn for turn in turns if turn.results).raw)
    found.insert(at, turns[-1].raw)


BREAKINGS: Final[tuple[Breaking, ...]] = (
    without_a_result,
    without_a_call,
    with_results_before_calls,
    with_a_result_twice,
    with_a_question_between,
)

TAKEN: Final[dict[Breaking, tuple[str, ...]]] = {
    # Nobody has told of a refusal.
    with_a_result_twice: ("openai", "responses", "deepseek", "cohere"),
    # An output is found by its id, wherever it stands.
    with_a_question_between: ("responses",),
}
"""What some providers take, broken as it is."""


@pytest.mark.parametrize("client", clients())
@pytest.mark.parametrize("breaking", BREAKINGS)
def test_a_broken_pair_is_refused(client: Client, breaking: Breaking) -> None:
    """A pair of a call and its result that is broken on the wire is found by the rules of pairs alone."""
    payload = client.payload(native(client.framework, CONVERSATION), TOOLS[client.framework])
    breaking(payload, read(payload, client.provider).said)
    found = refusals(payload, client.provider, model=client.model, subjects=["pairing"])
    assert bool(found) == (client.provider not in TAKEN.get(breaking, ()))
