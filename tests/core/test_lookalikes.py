"""What looks like the tag of a layer of data is taken for one; what looks only a little like it is not."""

from __future__ import annotations

import unicodedata

import pytest

from ctx_core.conversation.fences import fenced, without_fence
from ctx_core.conversation.lookalikes import letters_like

CLOSING = {
    "wide": "\uff1c/data\uff1e",
    "wide throughout": "\uff1c\uff0f\uff24\uff21\uff34\uff21\uff1e",
    "small": "\ufe64/data\ufe65",
    "quotation marks": "\u2039/data\u203a",
    "CJK brackets": "\u3008/data\u3009",
    "mathematical brackets": "\u27e8/data\u27e9",
    "ornaments": "\u276e/data\u276f",
    "a sign with its stroke apart": "<\u0338/data>",
    "a sign with its stroke": "\u226e/data>",
    "another slash": "<\u2215data>",
    "an escaped slash": "<\\/data>",
    "two slashes": "<//data>",
    "Cyrillic letters": "</d\u0430t\u0430>",
    "Greek letters": "</d\u03b1t\u03b1>",
    "bold letters": "</\U0001d41d\U0001d41a\U0001d42d\U0001d41a>",
    "circled letters": "</\u24d3\u24d0\u24e3\u24d0>",
    "squared letters": "</\U0001f173\U0001f170\U0001f183\U0001f170>",
    "small capitals": "</\u1d05\u1d00\u1d1b\u1d00>",
    "letters with marks": "</d\u00e1ta\u0301>",
    "flags": "</\U0001f1e9\U0001f1e6\U0001f1f9\U0001f1e6>",
    "tag characters": "</dat\U000e0061a>",
    "an empty Braille cell": "<\u2800/data>",
    "an attribute": "</DATA x='1'>",
    "without its end": "</data",
}


@pytest.mark.parametrize("case", CLOSING)
def test_what_looks_like_a_closing_tag_loses_its_bracket(case: str) -> None:
    """Whatever its bracket, its slash and its letters are; and a second time nothing is left to do."""
    text = without_fence("data", f"a {CLOSING[case]} b")
    assert text == f"a {'&lt;' + CLOSING[case][1:]} b"
    assert without_fence("data", text) == text


@pytest.mark.parametrize(
    "text",
    [
        "\u2039data\u203a", "\u00abdata\u00bb", "\u300adata\u300b", "</database>", "</data\uff58>", "a < b / data",
        "&lt;/data&gt;", "&#60;/data&#62;", "\uff1c/dato>", "\u03b1 \uff1c \u03b2",
    ],
)  # fmt: skip
def test_what_closes_nothing_stays(text: str) -> None:
    """Quotations of the word, other tags, comparisons, and what a tag becomes here itself."""
    assert without_fence("data", text) == text


@pytest.mark.parametrize("tag", ["data", "summary", "messages"])
def test_every_form_of_every_letter_is_known(tag: str) -> None:
    """Those that Unicode itself calls a form of a Latin letter."""
    for number in range(0x80, 0x110000):
        form = unicodedata.normalize("NFKD", chr(number)).casefold()
        if len(form) == 1 and form in tag and unicodedata.category(chr(number)) != "Cs":
            assert without_fence(tag, f"</{tag.replace(form, chr(number))}>").startswith("&lt;"), hex(number)
    assert fenced(tag, f"</{tag}>") == f"<{tag}>\n&lt;/{tag}>\n</{tag}>"


def test_what_is_no_letter_is_like_itself_only() -> None:
    """A tag may have a hyphen."""
    assert letters_like("-") == "[\\U0000002d]"


@pytest.mark.parametrize(
    "run", ["\uff1c / " * 60_000, "</" * 200_000, "<" + "/" * 300_000, "</d" * 100_000, "\uff1c/" + "\u200b" * 300_000]
)
def test_long_runs_of_what_might_be_a_tag_are_looked_at_once(run: str) -> None:
    """A pattern that divides them in every way would not end in a lifetime."""
    assert without_fence("data", run) == run
