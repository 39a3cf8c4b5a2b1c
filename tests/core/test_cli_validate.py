"""`ctx-layers validate`: what it prints, and its status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core.clean import is_clean
from ctx_core.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SOUND: dict[str, Any] = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello?"}]}
ORPHAN: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Hi."}, {"role": "tool", "tool_call_id": "c1", "content": "secret"}]
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of two requests, one of which is refused."""
    path = tmp_path / "requests.jsonl"
    path.write_text(f"{json.dumps(SOUND)}\n{json.dumps(ORPHAN)}\n", "utf-8")
    return path


def test_the_name_of_a_model_is_shown_and_not_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It stands in the request, which may be anybody's."""
    path = tmp_path / "request.json"
    path.write_text(json.dumps({**SOUND, "model": "\x1b[2J[bold]a\ud800[/]" + "b" * 300}), "utf-8")
    assert main(["validate", str(path)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert "\\x1b[2J[bold]a\\ud800[/]b" in first
    assert is_clean(first)
    assert len(first) < 300


def test_a_request_that_is_taken_ends_with_zero(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says for whom it looked."""
    assert main(["validate", str(file), "--line", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == ["OpenAI chat completions (openai), gpt-4o", "accepted"]


def test_a_refusal_is_a_row_and_status_one(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where, of what kind, and why, with nothing that was said."""
    assert main(["validate", str(file), "--line", "2", "--model", "gpt-4o"]) == 1
    out = capsys.readouterr().out
    assert "messages[1]" in out
    assert "results_called" in out
    assert "miurla/morphic#136" in out
    assert out.splitlines()[-1] == "refused, in 1 place"
    assert "secret" not in out


def test_the_provider_can_be_said(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Then the model's name is for its own rules only; as JSON it is one object."""
    assert main(["validate", str(file), "--line", "2", "--provider", "mistral", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["provider"], found["model"], found["accepted"]) == ("mistral", None, False)
    assert {refusal["kind"] for refusal in found["refusals"]} == {"ids_plain", "results_called"}


def test_a_list_of_messages_goes_with_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of messages, and one of the tools that go with them."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    talk = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    messages, tools = tmp_path / "talk.json", tmp_path / "tools.json"
    messages.write_text(json.dumps(talk), "utf-8")
    tools.write_text("[]", "utf-8")
    model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert main(["validate", str(messages), "--model", model]) == 0
    assert main(["validate", str(messages), "--model", model, "--tools", str(tools)]) == 1
    assert "tools_defined" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("7", [], "expected a request or a list of messages, found int"),
        ('["x"]', [], "message 1 of 1: expected a dict or a neutral message, found str"),
        ("{", [], "line 1"),
        ("[]\n[]", [], "holds several conversations"),
        ("[]", ["--provider", "none"], "unknown provider 'none'; known are openai"),
        ("[]", ["--line", "3"], "line 3 is not there"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, options: list[str], said: str
) -> None:
    """It names the file, and what is wrong with it."""
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8")
    assert main(["validate", str(path), *options]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_fix_is_printed_as_json_beside_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed can go on to a file; why it had to be is on standard error; the status is its own."""
    talk = [{"role": "assistant", "content": "Welcome."}, {"role": "user", "content": "Hi."}]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(talk), "utf-8")
    assert main(["validate", str(path), "--model", "claude-sonnet-4-5", "--fix"]) == 0
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert [message["role"] for message in made] == ["user", "assistant", "user"]
    assert made[1:] == talk
    assert "user_begins" in said.err


def test_what_a_fix_leaves_is_said_and_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A key that the API does not have is for the caller."""
    path = tmp_path / "request.json"
    path.write_text(json.dumps({**SOUND, "zzz": 1}), "utf-8")
    assert main(["validate", str(path), "--fix", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["fixed"]["request"] == {**SOUND, "zzz": 1}
    assert [refusal["path"] for refusal in found["fixed"]["refusals"]] == ["zzz"]


def test_system_text_that_leaves_a_list_is_printed_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As one object with both."""
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [block]},
        {"role": "user", "content": "Hi."},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(talk), "utf-8")
    assert main(["validate", str(path), "--model", "claude-sonnet-4-5", "--fix"]) == 0
    assert json.loads(capsys.readouterr().out) == {"system": "Be brief.", "messages": talk[2:]}
