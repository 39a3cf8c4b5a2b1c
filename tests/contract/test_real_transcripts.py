"""The invariants, on real transcripts, at up to eight budgets each: a fixed tenth of them; `make replays` takes all."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from ctx_core import ContextOverflowError, HistoryPolicy, TokenCounter, ToolResultPolicy, WindowState, fit
from tests.contract.faces import FACES, Face
from tests.contract.invariants import broken, numbered
from tests.contract.shared import OpenAIMessage, some_transcripts, transcript_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BUDGETS = (100, 300, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)

AGENT = HistoryPolicy(results=ToolResultPolicy(max_tokens=2_000, clear_after_steps=5, clear_rest=True))


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    """Counts as gpt-4o does."""
    return TokenCounter.for_model("gpt-4o")


def is_whole(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> bool:
    """Whether everything went out as it is: a larger budget would only send the same again."""
    return list(map(id, source)) == list(map(id, sent))


@pytest.mark.parametrize("path", transcript_files())
@pytest.mark.parametrize("policy", [HistoryPolicy(), AGENT], ids=["turns", "results first"])
def test_every_invariant_holds_on_real_transcripts(path: Path, policy: HistoryPolicy, counter: TokenCounter) -> None:
    """Each conversation of the file is right at each budget, or is told not to fit."""
    found, sent = Counter[str](), 0
    for source in some_transcripts(path):
        for budget in BUDGETS:
            try:
                context = fit(source, budget, counter=counter, policy=policy)
            except ContextOverflowError:
                continue
            sent += 1
            found.update(
                broken(
                    source,
                    context.messages,
                    limit=budget,
                    counter=counter,
                    policy=policy,
                    report=context.report.history,
                )
            )
            if is_whole(source, context.messages):
                break
    assert not found
    assert sent


@pytest.mark.parametrize("path", transcript_files())
def test_real_transcripts_pass_whole_where_they_fit(path: Path, counter: TokenCounter) -> None:
    """Nothing real is refused at 128,000 tokens, and what fits there goes out as it came in."""
    for source in some_transcripts(path):
        context = fit(source, 1_000_000, counter=counter)
        if not (context.report.history.repairs or context.report.changes):
            assert all(mine is theirs for mine, theirs in zip(source, context.messages, strict=True))


@pytest.mark.parametrize("path", transcript_files())
@pytest.mark.parametrize("budget", [1_000, 4_000])
def test_real_transcripts_keep_their_prefix_turn_by_turn(path: Path, budget: int, counter: TokenCounter) -> None:
    """With a state, each request is right, and the beginning of the prompt moves only when a cut is reported."""
    found = Counter[str]()
    for source in some_transcripts(path):
        state, before = WindowState(), list[str]()
        ends = [at for at in range(1, len(source)) if source[at]["role"] == "assistant"]
        for end in ends[:40]:
            part = source[:end]
            if not any(message["role"] == "user" for message in part):
                continue
            try:
                context = fit(part, budget, counter=counter, policy=AGENT, state=state)
            except ContextOverflowError:
                continue
            found.update(
                broken(
                    part,
                    context.messages,
                    limit=budget,
                    counter=counter,
                    policy=AGENT,
                    remembered=True,
                    report=context.report.history,
                )
            )
            lines = [json.dumps(message) for message in context.messages]
            report = context.report.history
            if not (report.cut or report.repairs) and lines[: len(before)] != before:
                found["the prefix moved without a cut"] += 1
            state, before = context.state, lines
    assert not found


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
@pytest.mark.parametrize("path", transcript_files())
def test_every_invariant_holds_through_every_face(path: Path, face: Face, counter: TokenCounter) -> None:
    """The same through the frameworks' own messages."""
    found, sent = Counter[str](), 0
    for conversation in some_transcripts(path):
        source = numbered(face.prepare(conversation))
        for budget in BUDGETS:
            try:
                out = face.open(budget, counter, HistoryPolicy(), "raise").send(source)
            except ContextOverflowError:
                continue
            sent += 1
            found.update(broken(source, out.messages, limit=10**9, counter=counter, report=out.report.history))
            found["I1 over budget"] += out.tokens > budget
            if is_whole(source, out.messages):
                break
    assert not +found
    assert sent
