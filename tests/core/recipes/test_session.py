"""Sessions as they are found on disk."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctx_core import Message
from ctx_core.recipes import session_messages

SOUND = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


@pytest.mark.parametrize(
    "stored",
    [
        SOUND,
        {"key": "cli_1", "messages": SOUND},
        json.dumps(SOUND),
        json.dumps({"messages": SOUND}).encode(),
        "\n".join(map(json.dumps, [{"_type": "metadata"}, *SOUND])),
    ],
    ids=["list", "object", "JSON of a list", "bytes of an object", "JSON lines with a head"],
)
def test_every_form_is_read(stored: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Without a warning."""
    assert session_messages(stored) == SOUND
    assert not caplog.records


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "",
        "  \n",
        b"\xff\xfe",
        "{",
        '{"role": "us',
        "[" * 100_000,
        "7",
        '"text"',
        [],
        {},
        {"messages": 3},
        [1, None, "x"],
    ],
    ids=[
        "nothing",
        "empty",
        "blank",
        "no text",
        "no JSON",
        "broken off",
        "deep",
        "a number",
        "a string",
        "no messages",
        "no list",
        "another type",
        "no message",
    ],
)
def test_an_empty_or_damaged_session_is_empty_with_one_warning(stored: Any, caplog: pytest.LogCaptureFixture) -> None:
    """And no crash."""
    assert session_messages(stored) == []
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_single_entries_that_are_no_messages_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """The others stay, and the warning says how many but not what."""
    assert session_messages([*SOUND, {"role": "user", "content": {"secret": 1}}]) == SOUND
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 3 entries of a session are no messages: left out"
    ]


def test_neutral_messages_stay() -> None:
    """The very objects."""
    messages = [Message.user("hi")]
    assert session_messages(messages)[0] is messages[0]
