"""tiktoken's encodings: exact, found on disk, and never in the way where they are not."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import TokenCounter
from ctx_core.counting import SafeEstimate
from ctx_core.counting.vocabulary import TiktokenTokenizer, pieces, tiktoken_encoding
from tests.contract.conversations import texts

if TYPE_CHECKING:
    from pathlib import Path

ENCODINGS = ("o200k_base", "cl100k_base")


def encoding_of(name: str) -> tiktoken.Encoding:
    """Give tiktoken's own encoding, which our loader has made sure can be loaded."""
    assert isinstance(tiktoken_encoding(name), TiktokenTokenizer)
    return tiktoken.get_encoding(name)


@pytest.mark.parametrize("name", ENCODINGS)
@given(st.text() | texts)
def test_counts_are_exact(name: str, text: str) -> None:
    """They are tiktoken's own, to the token."""
    assert tiktoken_encoding(name).count(text) == len(encoding_of(name).encode_ordinary(text))


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|> and <|im_start|>", "<|" * 20])
def test_text_that_spells_a_special_token_is_text(name: str, text: str) -> None:
    """It is neither refused nor taken for the one token that it spells."""
    assert tiktoken_encoding(name).count(text) == len(encoding_of(name).encode(text, disallowed_special=())) > 1


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "text",
    [" " * 1_000_000, "\n" * 1_000_000, "a" * 180_000, "ab" * 90_000, "中" * 60_000, "🚀" * 30_000, "\ud800" * 10],
    ids=["blanks", "lines", "letters", "pairs", "chinese", "emoji", "halves"],
)
def test_texts_that_stop_other_counters_are_counted(name: str, text: str) -> None:
    """Endless runs are counted, at no more than a token a byte."""
    assert 1 <= tiktoken_encoding(name).count(text) <= len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=25)
@given(st.lists(texts, min_size=1, max_size=4).map(" ".join), st.integers(1, 40))
def test_a_text_counted_in_pieces_is_exact(name: str, text: str, times: int) -> None:
    """Where a long text is cut, no token spans the cut."""
    long = text * (60_000 // max(1, len(text)) + times)
    assert tiktoken_encoding(name).count(long) == len(encoding_of(name).encode_ordinary(long))


@given(st.text(alphabet="ab é1\n.中", max_size=40), st.integers(0, 200))
def test_pieces_make_up_the_text(text: str, times: int) -> None:
    """Nothing is lost or doubled between them."""
    long = text * times * 100
    assert "".join(pieces(long)) == long


def test_pieces_of_a_text_without_places_to_cut_have_a_bound() -> None:
    """A million blanks are cut anyway."""
    assert max(map(len, pieces(" " * 1_000_000))) <= 400_000


def test_an_encoding_is_loaded_once() -> None:
    """The whole process shares it."""
    assert tiktoken_encoding("o200k_base") is tiktoken_encoding("o200k_base")


def test_an_encoding_is_pickled_by_name() -> None:
    """Its vocabulary does not travel."""
    data = pickle.dumps(tiktoken_encoding("o200k_base"))
    assert len(data) < 200
    assert pickle.loads(data) is tiktoken_encoding("o200k_base")  # noqa: S301 - our own bytes


_OFFLINE = """
import importlib.metadata, json, os, socket, sys, tempfile, warnings

sys.modules["splintr"] = None  # as if it were not installed
tempfile.tempdir = sys.argv[1]
calls = []

def no_network(*args, **kwargs):
    calls.append(args[:2])
    raise OSError("no network here")

socket.getaddrinfo = socket.socket.connect = socket.create_connection = no_network
found = importlib.metadata.distribution

def distribution(name):
    if name == "llama-index-core":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)

importlib.metadata.distribution = distribution
from ctx_core import TokenCounter, fit

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    counter = TokenCounter.for_model("gpt-4o")
    first = len(calls)
    counts = [counter.count_text("count me without a network " * times) for times in range(1, 200)]
    other = TokenCounter.for_model("gpt-4.1").count_text("count me")
    context = fit([{"role": "user", "content": "hi"}], 100, counter="gpt-4o")
ours = [str(one.message) for one in caught if "vocabulary" in str(one.message)]
print(json.dumps({
    "warnings": ours, "first": first, "calls": len(calls), "counts": counts, "other": other,
    "counter": context.report.counter, "cache": os.environ["TIKTOKEN_CACHE_DIR"],
}))
"""


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Count in a process without a vocabulary on disk and without a network."""
    empty: Path = tmp_path_factory.mktemp("empty")
    done = subprocess.run(
        [sys.executable, "-c", _OFFLINE, str(empty)],
        capture_output=True,
        text=True,
        check=True,
        env={"TIKTOKEN_CACHE_DIR": str(empty), "PATH": ""},
    )
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["cache"] == str(empty)
    return told


def test_without_a_vocabulary_there_is_one_warning(offline: dict[str, Any]) -> None:
    """It names the encoding and says what to do."""
    assert len(offline["warnings"]) == 1
    assert "o200k_base" in offline["warnings"][0]
    assert "TIKTOKEN_CACHE_DIR" in offline["warnings"][0]


def test_without_a_vocabulary_the_safe_estimate_counts(offline: dict[str, Any]) -> None:
    """It is named in the report."""
    expected = [SafeEstimate().count("count me without a network " * times) for times in range(1, 200)]
    assert offline["counts"] == expected
    assert offline["other"] == SafeEstimate().count("count me")
    assert offline["counter"] == "safe estimate"


def test_without_a_network_nothing_is_tried_twice(offline: dict[str, Any]) -> None:
    """The download is tried when the counter is made, and never again."""
    assert offline["first"] == offline["calls"] >= 1


def test_a_vocabulary_is_found_where_the_variable_says(tmp_path: Path) -> None:
    """A folder that has it is used, and the environment is as it was."""
    tiktoken_encoding("o200k_base")
    code = (
        "import os, sys\n"
        "from ctx_core import TokenCounter\n"
        "print(TokenCounter.for_encoding('o200k_base').count_text('tide'), 'TIKTOKEN_CACHE_DIR' in os.environ)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split()[0] == str(TokenCounter.for_encoding("o200k_base").count_text("tide"))
