"""The recipes' estimates over real chats and runs of agents, against OpenAI's vocabulary."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import TokenCounter
from ctx_core.counting.estimators import FourCharacters, Words
from ctx_core.recipes import character_counter, word_counter
from tests.contract.shared import transcript_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHARACTERS = 150_000
"""Of a file, so many are enough to know."""


def texts(value: Any) -> Iterator[str]:
    """Give every text in a conversation."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


@pytest.mark.parametrize("path", transcript_files())
@pytest.mark.parametrize("form", ["texts", "JSON", "minified JSON"])
def test_no_default_is_far_from_the_vocabulary(path: Path, form: str) -> None:
    """Not below o200k by more than 5 % in total, nor over it by more than 80 %."""
    exact, totals, left = TokenCounter.for_encoding("o200k_base"), [0, 0, 0], _CHARACTERS
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            messages = json.loads(line)["messages"]
            separators = (",", ":") if form == "minified JSON" else None
            whole = json.dumps(messages, ensure_ascii=False, separators=separators)[:_CHARACTERS]
            for text in texts(messages) if form == "texts" else [whole]:
                for at, counter in enumerate((exact, character_counter(), word_counter())):
                    totals[at] += counter.count_text(text)
                left -= len(text)
            if left <= 0:
                break
    counted, *estimated = totals
    assert all(0.95 * counted <= estimate <= 1.8 * counted for estimate in estimated), totals


@pytest.mark.parametrize(
    "text",
    [
        "Mae'r fferi olaf yn gadael am bedwar y prynhawn, ac nid oes un arall yn mynd tan bore fory.",
        "Azken ferrya arratsaldeko lauretan ateratzen da, eta hurrengoa biharko goizean bakarrik aterako da.",
        "Isikhephe sokugqibela sihamba ngentsimbi yesine emva kwemini, esilandelayo siya kuhamba kusasa ekuseni.",
        "Feri terakhir berangkat pukul empat sore dan yang berikutnya baru akan berangkat besok pagi sekali.",
        "Feri ya mwisho huondoka saa kumi jioni na nyingine haitaondoka mpaka kesho asubuhi mapema sana.",
    ],
    ids=["Welsh", "Basque", "Xhosa", "Indonesian", "Swahili"],
)
def test_prose_in_plain_letters_that_is_not_english_is_not_too_low(text: str) -> None:
    """Told by the English words that it lacks; within the bounds that hold for the files."""
    counted = TokenCounter.for_encoding("o200k_base").tokenizer.count(text)
    for counter in (character_counter(), word_counter()):
        assert 0.95 * counted <= counter.count_text(text) <= 1.8 * counted


@pytest.mark.parametrize(
    "text",
    ["word " * 100, "The last ferry leaves the pier at four, and there is no other one until tomorrow."],
    ids=["one word", "English"],
)
def test_what_the_designs_were_made_for_is_as_they_say(text: str) -> None:
    """English prose and the designs' examples have the unguarded figures."""
    assert character_counter().count_text(text) == FourCharacters().count(text)
    assert word_counter().count_text(text) == Words().count(text)
