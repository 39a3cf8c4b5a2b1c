"""Models that nobody knows, and others that are counted with a substitute: never below o200k_base, nor far above it."""

from __future__ import annotations

import json
import random
import string
from typing import TYPE_CHECKING

import pytest

from ctx_core.counting import FAMILIES, SafeEstimate, TokenCounter
from ctx_core.counting.counter import as_counter
from ctx_core.counting.families import FALLBACK
from ctx_core.counting.family import Limits
from ctx_core.counting.limited import LimitedTokenizer
from tests.core.counting.test_safe_estimate import ALPHABETS, CHATS, CODE, LETTERS, chats

if TYPE_CHECKING:
    from pathlib import Path

COUNT = TokenCounter.for_encoding("o200k_base").count_text
DICE = random.Random(11)  # noqa: S311 - fixed test data
SUBSTITUTED = ("", "claude-3-haiku", "claude-sonnet-4-5", "claude-opus-5", "moonshot-v1-8k", "llama-2-7b", "grok-4")
"""Models without a vocabulary of their own here; the first is none."""

SAMPLES = {
    "brackets around a word": "⟨x⟩ " * 1_000,
    "a letter": "п" * 5_000,
    "a bracket": "⟩" * 2_000,
    "a macron": "¯" * 5_000,
    "an index": "₁" * 2_000,
    **{f"{sign!r} times {times}": sign * times for sign in string.punctuation + " \t\n" for times in (1, 3, 17, 5_000)},
    **{f"row {row:05X}": "".join(letters) for row, letters in LETTERS.items()},
    **{
        f"words of row {row:05X}": " ".join("".join(letters[at : at + 3]) for at in range(0, len(letters), 3))
        for row, letters in LETTERS.items()
    },
    **{f"a letter of row {row:05X} alone": f"{letters[0]} " * 300 for row, letters in LETTERS.items()},
    **{
        f"random words, {name}": " ".join("".join(DICE.choices(one, k=DICE.randint(1, 12))) for _ in range(100))
        for name, one in ALPHABETS.items()
    },
    "random signs": "".join(DICE.choices(string.punctuation, k=2_000)),
}  # fmt: skip


@pytest.mark.parametrize("model", SUBSTITUTED)
def test_no_text_is_below_the_newer_vocabulary(model: str) -> None:
    """Neither bound nor estimate, of rare signs, runs, random words and letters of every row of Unicode."""
    counter = TokenCounter.for_model(model) if model else as_counter(None)
    for count in (counter.count_text, counter.without_margin.count_text):
        assert [name for name, text in SAMPLES.items() if count(text) < COUNT(text)] == []


@pytest.mark.skipif(not CHATS.is_dir(), reason="the real chats are not here")
@pytest.mark.parametrize("path", sorted(CHATS.glob("*.jsonl.gz")), ids=lambda path: path.name)
@pytest.mark.parametrize("as_json", [False, True])
def test_real_chats_are_neither_below_nor_far_above(path: Path, *, as_json: bool) -> None:
    """Without a counter no message is below, and each file is at most 1.8 times its count."""
    texts = [json.dumps({"role": "user", "content": text}) if as_json else text for text in chats(path)]
    bounds, counts = list(map(as_counter(None).count_text, texts)), list(map(COUNT, texts))
    assert [at for at, (bound, count) in enumerate(zip(bounds, counts, strict=True)) if bound < count] == []
    assert sum(bounds) <= 1.8 * sum(counts)


def test_code_and_json_are_neither_below_nor_far_above() -> None:
    """Without a counter, of any file that has more than a line or two."""
    texts = [text for path in CODE if len(text := path.read_text("utf-8", "ignore")) > 500]
    texts += [json.dumps([text.splitlines() for text in texts], indent=indent) for indent in (None, 2)]
    ratios = [as_counter(None).count_text(text) / COUNT(text) for text in texts]
    assert min(ratios) >= 1
    assert max(ratios) <= 1.8


@pytest.fixture(name="without")
def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where no vocabulary is on disk, and none can be downloaded."""
    monkeypatch.setattr("ctx_core.counting.backends._splintr", lambda _: None)
    monkeypatch.setattr("ctx_core.counting.registry._CACHES", {})
    estimate = SafeEstimate()
    for module in ("backends", "registry"):
        monkeypatch.setattr(f"ctx_core.counting.{module}.tiktoken_encoding", lambda _: estimate)


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("model", [*SUBSTITUTED, "gpt-4o", "qwen3-8b", "gemini-2.5-pro", "command-r"])
def test_without_a_vocabulary_the_safe_estimate_is_the_bound(model: str) -> None:
    """It is over the texts already: neither a row's density nor its margin is put on top."""
    text = "When does the ferry leave? 渡轮九点出发。" * 40
    assert TokenCounter.for_model(model or "nobody-knows").count_text(text) == SafeEstimate().count(text)


@pytest.mark.usefixtures("without")
def test_where_one_of_two_vocabularies_is_missing_the_safe_estimate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary alone may be far below the newer one."""
    monkeypatch.setattr("ctx_core.counting.registry.vocabulary", {"cl100k_base": Counts(5)}.get)
    assert as_counter(None).count_text("п" * 5_000) == SafeEstimate().count("п" * 5_000) > 5


class Counts:
    """A vocabulary that gives the same for every text."""

    def __init__(self, tokens: int) -> None:
        """Take what it gives."""
        self.tokens = tokens

    def count(self, text: str) -> int:  # noqa: ARG002 - the protocol's
        """Give it."""
        return self.tokens


@pytest.mark.parametrize(
    ("counted", "other", "limits", "expected"),
    [
        (10, 100, Limits(least=0.875), 88),
        (10, 101, Limits(least=0.875), 89),
        (90, 100, Limits(least=0.875, most=1.125), 90),
        (150, 100, Limits(least=0.875, most=1.125), 113),
        (150, 100, Limits(least=0.875), 150),
        (3, 1, Limits(least=0.875, most=1.125), 2),
        (0, 0, Limits(least=0.875, most=1.125), 0),
    ],
)
def test_a_substitute_stays_within_its_limits(counted: int, other: int, limits: Limits, expected: int) -> None:
    """Between so many tokens for each of the other and so many."""
    assert LimitedTokenizer(Counts(counted), Counts(other), limits).count("text") == expected


def test_every_substitute_that_is_held_to_limits_is_safe_with_them() -> None:
    """Times the density of texts, and times those of calls and tools with their margin, the least is 1 or more."""
    rows = [row for row in (*FAMILIES, FALLBACK) if row.limits is not None]
    assert len(rows) > 10
    for row in rows:
        framing, margin = row.framing, row.margin.tools
        densities = (framing.messages.per_token, framing.calls.per_token * margin, framing.tools.per_token * margin)
        assert row.limits is not None
        assert min(densities) * row.limits.least >= 1
    unlimited = [row for row in FAMILIES if row.vocabulary == "cl100k_base" and row.limits is None]
    assert {row.framing.messages.per_token for row in unlimited} == {1.0}  # whose own vocabulary it is
