"""What the clients would send: the harness that other tests stand on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.payloads.clients import CLIENTS, clients
from tests.payloads.conversations import ASKED, CONVERSATION, PIXEL, TOOLS, native, said, step
from tests.payloads.judge import RULES, asks, read, refusals
from tests.payloads.readers import READERS
from tests.payloads.recorder import recorded, recorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.payloads.client import Client

EITHER_ALPHABET = str.maketrans("-_", "+/")
"""Google's client writes base64 as it is written in URLs."""

each_client = pytest.mark.parametrize("client", clients())


def sent(client: Client, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give the payload of a conversation, with the tool that it calls."""
    return client.payload(native(client.framework, messages), TOOLS[client.framework])


@each_client
def test_the_payload_holds_the_conversation(client: Client) -> None:
    """Instructions, picture, calls, results, answer and question are read back, and nothing would be refused."""
    payload = sent(client, CONVERSATION)
    turns = read(payload, client.provider).turns
    said = [(turn.role, text) for turn in turns for text in map(str.strip, turn.texts) if text]
    assert said == [
        ("system", "Be brief."),
        ("user", "Compare these."),
        ("assistant", "Both are sunny."),
        ("user", ASKED),
    ]
    assert [call.name for turn in turns for call in turn.calls] == ["look", "look"]
    results = [json.dumps(result.raw) for turn in turns for result in turn.results]
    assert [place in result for place, result in zip(("oslo-is", "rome-is"), results, strict=True)] == [True, True]
    media = [json.dumps(part.raw).translate(EITHER_ALPHABET) for turn in turns for part in turn.of("media")]
    assert [PIXEL in picture for picture in media] == [True]
    assert "Tell the weather" in json.dumps(payload)
    assert refusals(payload, client.provider, model=client.model) == []
    assert asks(payload, client.provider, ASKED)


@each_client
def test_the_same_messages_give_the_same_payload(client: Client) -> None:
    """Nothing is left from one request to the next."""
    assert sent(client, CONVERSATION) == sent(client, CONVERSATION)


@each_client
def test_what_a_client_does_not_repair_is_refused(client: Client) -> None:
    """A result that is taken away in the framework's own messages is missing in the payload, or its call is."""
    broken = [*CONVERSATION[:3], *CONVERSATION[4:]]
    turns = read(sent(client, broken), client.provider).turns
    assert sum(len(turn.results) for turn in turns) == 1
    assert refusals(sent(client, broken), client.provider, model=client.model) != []


@pytest.mark.parametrize("client", [param for param in clients("langchain") if "bedrock" in str(param.id)])
def test_a_client_may_tell_of_calls_as_text(client: Client) -> None:
    """Without tools, Bedrock's client makes texts of calls and results, and its warning of it fails no test."""
    payload = client.payload(native("langchain", [said("user", "q"), *step("oslo"), said("user", ASKED)]))
    turns = read(payload, "bedrock").turns
    assert not any(turn.calls or turn.results for turn in turns)
    assert "oslo-is-sunny" in json.dumps(payload)
    assert refusals(payload, "bedrock", model=client.model) == []


@pytest.mark.parametrize("client", [param for param in clients("langchain") if "cohere" in str(param.id)])
def test_what_a_client_refuses_itself_is_raised(client: Client) -> None:
    """A client that sends nothing says why."""
    with pytest.raises(ValueError, match="last message"):
        sent(client, [said("user", "q"), said("assistant", "a")])


def test_sending_nothing_or_twice_is_a_fault() -> None:
    """What is recorded is exactly one request."""
    with pytest.raises(ValueError, match="not enough"):
        recorded(lambda _: None)


def test_the_recorder_is_on_this_machine() -> None:
    """Nothing is sent anywhere else."""
    assert recorder().server_address[0] == "127.0.0.1"


def test_every_client_has_a_judge() -> None:
    """Each provider has a reader and a row of rules, and no two clients share a name."""
    assert {client.provider for client in CLIENTS} == set(READERS) == set(RULES)
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
