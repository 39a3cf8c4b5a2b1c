"""How the names of models are found for which users registered a tokenizer."""

from __future__ import annotations

import pytest

from ctx_core import OptionError, TokenCounter
from ctx_core.counting import register_tokenizer, unregister_tokenizer
from ctx_core.counting.tokenizers import CachedTokenizer


@pytest.mark.parametrize("name", ["acme-1", "ACME-1-large", "vendor/acme-1", "host:acme-1", "us.vendor.acme-1:0"])
def test_registered_prefixes_are_found_in_the_same_spellings(name: str) -> None:
    """What users register has a vendor or a host in front as well."""
    register_tokenizer("acme-", len)
    try:
        assert TokenCounter.for_model(name).count_text("four") == 4
    finally:
        unregister_tokenizer("acme-")


@pytest.mark.parametrize(
    ("prefix", "name", "fits"),
    [
        ("glm", "glm-4.5", True),
        ("glm", "GLM4", True),
        ("glm", "z-ai/glm-4.5", True),
        ("glm", "glmnet", False),
        ("glm", "docs:glm", False),
        ("o3", "o3", True),
        ("o3", "openai:o3-mini", True),
        ("o3", "O3_mini", True),
        ("o3", "o365-bot", False),
        ("o3", "my-bot:o3", False),
        ("gpt-4o", "gpt4o", True),
        ("gpt-4o", "GPT_4o", True),
        ("gpt-4o", "my-gpt-4o", True),
        ("GPT 4o", "gpt-4o-mini", True),
        ("gpt-4o", "gpt-4oo", False),
        ("gpt-4", "gpt-40", False),
        ("acme", "acmeist", False),
        ("acme", "my-acme-1", False),
        ("acme-1", "acme-10", False),
        ("acme-1.5", "acme_1-5-large", True),
        ("corp/acme", "corp/acme-2", True),
        ("corp/acme", "other/acme-2", False),
        ("acme", "ft:acme-1:org::id", True),
    ],
)
def test_registered_prefixes_are_read_as_those_of_the_table(prefix: str, name: str, *, fits: bool) -> None:
    """In whole words, in every spelling."""
    tokenizer = CachedTokenizer(len)
    register_tokenizer(prefix, tokenizer)
    try:
        assert (TokenCounter.for_model(name).tokenizer is tokenizer) is fits
    finally:
        unregister_tokenizer(prefix)
    assert TokenCounter.for_model(name).tokenizer is not tokenizer


def test_two_spellings_of_a_registered_prefix_are_one() -> None:
    """The later takes the place of the earlier, and either takes it back."""
    register_tokenizer("acme-4o", len)
    register_tokenizer("ACME4o", lambda _: 1)
    try:
        assert TokenCounter.for_model("acme_4o").count_text("four") == 1
    finally:
        unregister_tokenizer("acme 4o")
    assert TokenCounter.for_model("acme-4o").tokenizer is TokenCounter.for_model("").tokenizer


@pytest.mark.parametrize("prefix", ["", " ", "-", "/"])
def test_a_prefix_without_a_word_is_an_error(prefix: str) -> None:
    """No name begins with it."""
    with pytest.raises(OptionError, match="no letter and no digit"):
        register_tokenizer(prefix, len)
