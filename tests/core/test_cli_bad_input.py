"""The command line and input that it cannot use: status 2 and one clear line, never a traceback or a content."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ctx_core.cli import main

CONTENT = "the-content-of-a-message"
GOOD = json.dumps([{"role": "user", "content": CONTENT}])
TWO = f"{GOOD}\n{GOOD}\n"
MANY = GOOD[:-1] + ',{"role": "robot", "content": "' + CONTENT + '"}]'


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run the command line, and give the one line that it refuses with."""
    assert main(list(words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ctx-layers: ")
    assert CONTENT not in err
    return err.strip()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say a --budget in tokens, or a --model whose context window is known"),
        (["--model", "nobody-knows-it"], "the context window of 'nobody-knows-it' is not known"),
        (["--budget", "0"], "argument --budget: must be a whole number, 1 or more, found '0'"),
        (["--budget", "-5"], "argument --budget: must be a whole number, 1 or more, found '-5'"),
        (["--budget", "1.5"], "argument --budget: must be a whole number, 1 or more, found '1.5'"),
        (["--budget", "many"], "argument --budget: must be a whole number, 1 or more, found 'many'"),
        (["--budget", "9", "--reserve", "-1"], "argument --reserve: must be a whole number, 0 or more, found '-1'"),
        (["--budget", "9", "--reserve", "9"], "the reserve of 9 tokens leaves nothing of the total of 9"),
        (["--budget", "9", "--reserve", "10"], "the reserve of 10 tokens leaves nothing of the total of 9"),
        (["--budget", "9", "--line", "0"], "argument --line: must be a whole number, 1 or more, found '0'"),
        (["--budget", "9", "--line", "1", "--all"], "argument --all: not allowed with argument --line"),
        (["--budget", "9", "--bogus"], "unrecognized arguments: --bogus"),
        (["--bud", "9"], "unrecognized arguments: --bud 9"),
        (["--budget", "900", "--tools", "nowhere.json"], "nowhere.json: no such file or directory"),
        (["--budget", "900", "--html", "nowhere/page.html"], "nowhere/page.html: no such file or directory"),
        (["--budget", "900", "--html", "talk.json"], "--html talk.json would overwrite the conversations"),
    ],
)
def test_options(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An option that cannot be used is named, with what was found."""
    monkeypatch.chdir(tmp_path)
    Path("talk.json").write_text(GOOD, encoding="utf-8")

    assert said in refused(capsys, "fit", "talk.json", *options)
    assert Path("talk.json").read_text(encoding="utf-8") == GOOD


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the following arguments are required: COMMAND (see ctx-layers --help)"),
        (["fit"], "the following arguments are required: FILE (see ctx-layers fit --help)"),
        (["count", "x.json"], "the following arguments are required: --model"),
        (["shrink"], "invalid choice: 'shrink'"),
        (["demo", "--budget", "0"], "argument --budget: must be a whole number, 1 or more, found '0'"),
        (["demo", "--face", "nobody"], "no face is called 'nobody'; there are core, langchain, llamaindex"),
    ],
)
def test_commands(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that lacks something says what, and where there is help."""
    assert said in refused(capsys, *words)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("talk.json", b"", "holds no conversation"),
        ("talk.json", b" \n\n", "holds no conversation"),
        ("talk.json", b"no json", "line 1: not JSON (Expecting value, column 1)"),
        ("talk.json", b'[\n{"role": "user"\n]', "line 3: not JSON (Expecting ',' delimiter, column 1)"),
        ("talk.json", b'\n\n[\n{"role": "user"\n]', "line 5: not JSON (Expecting ',' delimiter, column 1)"),
        ("talk.json", b'[\n{"role": "user"},\n7]', "message 2 of 2: expected a message dict, found int"),
        ("talk.json", b"[" * 100_000, "line 1: not JSON that can be read (nested too deeply)"),
        ("talk.json", b"[" + b"9" * 5_000 + b"]", "line 1: not JSON that can be read (a number with too many digits)"),
        ("talk.jsonl", GOOD.encode() + b'\n{"role"\n', "line 2: not JSON (Expecting ':' delimiter, column"),
        (
            "talk.jsonl",
            b"42\n",
            'line 1: expected a list of messages, or an object with a list "messages", found a number',
        ),
        ("talk.jsonl", b'"x"\n', "found a string"),
        ("talk.jsonl", b"null\n", "found null"),
        ("talk.jsonl", b"true\n", "found true or false"),
        ("talk.jsonl", b'{"text": "x"}\n', 'found an object without "messages"'),
        ("talk.jsonl", b'{"messages": {}}\n', 'found an object with an object as "messages"'),
        ("talk.jsonl", TWO.encode() + MANY.encode(), "line 3, message 2 of 2: unknown role 'robot'; known are system,"),
        ("talk.jsonl", b'[{"content": "x"}]', "line 1, message 1 of 1: unknown role NoneType"),
        (
            "talk.jsonl",
            b'[{"role": "user", "content": 7}]',
            "line 1, message 1 of 1: content must be null, a string or",
        ),
        (
            "talk.jsonl",
            b'[{"role": "assistant", "tool_calls": 7}]',
            "message 1 of 1: tool_calls must be a list, found int",
        ),
        ("talk.jsonl", GOOD.encode() + b"\n\xff\xfe\n", "line 2: not UTF-8 text"),
        ("talk.jsonl", GOOD.encode("utf-16"), "not text: a JSON or JSON Lines file in UTF-8 is needed"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not text: a JSON or JSON Lines file in UTF-8 is needed"),
        ("talk.jsonl.gz", gzip.compress(TWO.encode(), mtime=0)[:-20], "broken gzip data after line "),
        ("talk.jsonl.gz", b"\x1f\x8b\x08\x00not gzip after all", "broken gzip data after line 0"),
        ("talk.jsonl.gz", gzip.compress(b"\0\1\2", mtime=0), "not text: a JSON or JSON Lines file in UTF-8 is needed"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "count"])
def test_files(
    command: str,
    name: str,
    data: bytes,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that cannot be read is named with the line, the message and what was expected there."""
    file = tmp_path / name
    file.write_bytes(data)
    options = ["--model", "gpt-4o"] + (["--budget", "999", "--all", "--json"] if command == "fit" else [])

    assert main([command, str(file), *options]) == 2

    err = capsys.readouterr().err
    assert err.startswith(f"ctx-layers: {file}: ")
    assert said in err
    assert err.count("\n") == 1
    assert CONTENT not in err


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        (TWO, [], "holds several conversations: choose one with --line, or take them all with --all"),
        (TWO, ["--line", "3"], "line 3 is not there: the file has 2"),
        (GOOD, ["--line", "2"], "line 2 is not there: the file has 1"),
        (f"{GOOD}\n\n{GOOD}\n", ["--line", "2"], "line 2 is empty"),
        ("[\n]", ["--line", "2"], "line 2 is not there: the file is one conversation"),
        ("", [], "holds no conversation"),
        ("", ["--line", "1"], "line 1 is not there: the file has 0"),
        ("\n\n", ["--line", "2"], "line 2 is empty"),
    ],
)
def test_which_conversation(
    data: str, options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which of several is meant must be said, and it must be there."""
    file = tmp_path / "talks"
    file.write_text(data, encoding="utf-8")

    assert refused(capsys, "fit", str(file), "--budget", "999", *options) == f"ctx-layers: {file}: {said}"


def test_other_lines_are_not_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--line`, broken lines before and after it do not matter."""
    file = tmp_path / "talks.jsonl"
    file.write_text(f"broken\n{GOOD}\nbroken\n", encoding="utf-8")

    assert main(["fit", str(file), "--budget", "999", "--line", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["messages"] == json.loads(GOOD)


def test_what_came_before_a_broken_line_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--all`, lines are given out as they are read."""
    file = tmp_path / "talks.jsonl"
    file.write_text(f"{TWO}broken\n", encoding="utf-8")

    assert main(["fit", str(file), "--budget", "999", "--all", "--json"]) == 2

    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert "line 3: not JSON" in err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "line 1: not JSON"),
        (b"7", 'expected a list of tool definitions, or an object with a list "tools", found a number'),
        (b'{"functions": []}', 'or an object with a list "tools", found an object'),
        (b'[{"type": "function"}, "look"]', "tool 2: expected an object, found a string"),
        (b"\xff", "not UTF-8 text"),
    ],
)
def test_tools(data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of tools that cannot be used is named with what is wrong."""
    tools, file = tmp_path / "tools.json", tmp_path / "talk.json"
    tools.write_bytes(data)
    file.write_text(GOOD, encoding="utf-8")

    error = refused(capsys, "count", str(file), "--model", "gpt-4o", "--tools", str(tools))
    assert error.startswith(f"ctx-layers: {tools}: ")
    assert said in error


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.json", "nowhere.json: no such file or directory"),
        (".", ".: is a directory"),
        ("two\nlines", "'two\\nlines': no such file or directory"),
        ("\0", "'\\x00': not the name of a file"),
    ],
)
def test_names(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that isn't there is named, on one line whatever it is called."""
    monkeypatch.chdir(tmp_path)

    assert refused(capsys, "fit", name, "--budget", "999") == f"ctx-layers: {said}"
