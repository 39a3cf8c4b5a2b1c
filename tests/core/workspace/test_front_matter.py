"""The head of a skill's file, valid or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core.workspace.front_matter import front_matter

GOOD = "---\nname: a\ndescription: does b\n---\nBody\n"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\n\n" + GOOD,
        "<!-- a comment -->\n" + GOOD,
        "> see also\n\n" + GOOD,
        "Intro\n\n---\n\n```yaml\n" + GOOD + "```\n",
        "---\nname: a\ndescription: does b\n  ---\nBody\n",
        "---\nname: a\ndescription: does b\n\n# Title\n",
        "---\nname: a\n<<<<<<< ours\ndescription: does b\n=======\n>>>>>>> theirs\n---\n",
        "---\nname: a\ndescription: does b\nhint: [x] [y]\n---\n",
        "---\nname: a\ndescription: does b\nmetadata:\n  {\n    'x': {,},\n  }\n---\n",
        "---\nname: a\ndescription: does b\nmade: 2026-13-45\n---\n",
        "---\nname: a\ndescription:\n  does\n  b\nmetadata: {\n---\n",
        "---\nname: 'a'\ndescription: |\n  does\n  b\nbad: [\n---\n",
        GOOD + "---\nsummary: c\n---\n",
    ],
)
def test_name_and_description_are_found(text: str) -> None:
    """Whatever is odd around them."""
    head = front_matter(text)
    assert head is not None
    assert (head.fields["name"], " ".join(head.fields["description"].split())) == ("a", "does b")


def test_an_unquoted_colon_is_text() -> None:
    """Strict YAML refuses it; people write it."""
    head = front_matter("---\nname: a\ndescription: Triggers: b, c: d\n---\n")
    assert head is not None
    assert head.fields["description"] == "Triggers: b, c: d"
    assert not head.strict


@pytest.mark.parametrize(
    "text",
    ["", "# Title\n\nText", "---\n---\n", "Text\n\n---\nkey: value\n---\n", "---\n- a\n- b\n---\n", "---\n"],
)
def test_no_head_is_none(text: str) -> None:
    """Two rules in a text are no head."""
    assert front_matter(text) is None


def test_aliases_do_not_explode() -> None:
    """A head that would unfold to gigabytes has no scalar fields to list."""
    bomb = "\n".join(f"{chr(98 + at)}: &{chr(98 + at)} [{', '.join([f'*{chr(97 + at)}'] * 9)}]" for at in range(9))
    head = front_matter(f"---\na: &a x\n{bomb}\nname: *i\ndescription: d\n---\n")
    assert head is None or len(str(head.fields)) < 1_000


@given(st.text(alphabet=st.sampled_from("-\n: name description|>[]{}'\"&*!\t#abc\u200b\x00"), max_size=200))
def test_no_text_raises(text: str) -> None:
    """Nothing that somebody wrote may end a turn."""
    front_matter("---\n" + text)
    front_matter("---\n" + "[" * 5_000 + text)
