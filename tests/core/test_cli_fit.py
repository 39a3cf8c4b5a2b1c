"""`ctx-layers fit`: what it prints, and what it writes."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import TokenCounter, fit
from ctx_core.cli import main
from ctx_core.report.html import as_html
from tests.contract.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

Messages = list[dict[str, Any]]

AIRLINE = SHARED / "data" / "agents" / "tau_bench_airline.jsonl.gz"


def talk(turns: int, words: int = 10) -> Messages:
    """Make a conversation of so many turns, with answers of so many words."""
    return [
        {"role": "system", "content": "Be brief."},
        *(
            message
            for at in range(turns)
            for message in (
                {"role": "user", "content": f"question {at}"},
                {"role": "assistant", "content": f"answer {at} " + "word " * words},
            )
        ),
    ]


SHORT, LONG = talk(2), talk(40)
TOOL = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}


def written(path: Path, *conversations: object) -> str:
    """Write a file with a conversation a line, gzipped if its name says so."""
    text = "".join(json.dumps(conversation, ensure_ascii=False) + "\n" for conversation in conversations)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Three conversations: one that fits into 300 tokens, one that has to be cut, and one that cannot fit."""
    huge = [{"role": "user", "content": "word " * 400}]
    return written(tmp_path / "talks.jsonl", SHORT, {"messages": LONG, "source": "x"}, huge)


def test_the_table_shows_layers_and_roles(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A conversation that is cut gives the table of layers, and what went out of each role."""
    assert main(["fit", file, "--model", "gpt-4o", "--budget", "300", "--line", "2"]) == 0

    out, err = capsys.readouterr()
    report = fit(LONG, 300, counter="gpt-4o").report
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["history"][3:] == [
        f"{report.layer('history').used}",
        f"{report.history.omitted}",
        "oldest",
        "left",
        "out",
    ]
    assert f"{report.used} of 300 tokens" in out
    assert rows["user"][1] == rows["assistant"][1] == "40"
    sent = sum(int(rows[role][2]) for role in ("system", "user", "assistant"))
    assert sent == report.history.messages == len(LONG) - report.history.omitted
    assert err == ""


def test_repairs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was broken and mended is told by kind."""
    orphan = {"role": "tool", "content": "r", "tool_call_id": "nobody"}
    file = written(tmp_path / "talk.json", [SHORT[0], SHORT[1], orphan, *SHORT[2:]])

    assert main(["fit", file, "--budget", "500"]) == 0

    repairs = fit([SHORT[0], SHORT[1], orphan, *SHORT[2:]], 500).report.history.repairs
    assert repairs
    assert "repaired: " + ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in repairs.items()) in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize("budget", [300, 5_000])
def test_json_is_what_fit_gives(file: str, budget: int, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints the messages and the report of the one-call form, and nothing else."""
    assert main(["fit", file, "--model", "gpt-4o", "--budget", str(budget), "--line", "2", "--json"]) == 0

    context = fit(LONG, budget, counter="gpt-4o")
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"messages": context.messages, "report": context.report.to_dict()}


@pytest.mark.parametrize("name", ["talk.json", "talk.jsonl", "talk.jsonl.gz", "talk", "talk.txt"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["list", "object"])
def test_every_form_of_file_is_read(
    *, name: str, wrapped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list or an object, on one line, compressed or not, whatever the name."""
    file = written(tmp_path / name, {"messages": LONG} if wrapped else LONG)

    assert main(["fit", file, "--budget", "9000", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["messages"] == LONG


@pytest.mark.parametrize("which", [[], ["--line", "1"], ["--all"]], ids=["only one", "line 1", "all"])
def test_a_document_over_many_lines_is_one_conversation(
    which: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Indented JSON is read whole, with a byte order mark or without."""
    file = tmp_path / "talk.json"
    file.write_text("\ufeff" + json.dumps({"messages": LONG}, indent=2), encoding="utf-8")

    assert main(["fit", str(file), "--budget", "9000", "--json", *which]) == 0

    assert json.loads(capsys.readouterr().out)["messages"] == LONG


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_standard_input_is_read(
    *, compressed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-` reads standard input, and sees by itself whether it is compressed."""
    data = json.dumps(LONG).encode()
    stream = io.BufferedReader(io.BytesIO(gzip.compress(data) if compressed else data))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))

    assert main(["fit", "-", "--budget", "9000", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["messages"] == LONG


def test_all_sums_up(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--all` says how many fit, were cut or cannot fit; one that cannot fit stops nothing."""
    assert main(["fit", file, "--model", "gpt-4o", "--budget", "300", "--all"]) == 0

    counter = TokenCounter.for_model("gpt-4o")
    before = counter.count_messages(SHORT) + counter.count_messages(LONG)
    after = counter.count_messages(SHORT) + fit(LONG, 300, counter=counter).tokens
    assert capsys.readouterr().out.splitlines()[-1] == (
        f"3 conversations: 1 untouched, 1 trimmed, 1 cannot fit (line 3); tokens {before:,} before, {after:,} after"
    )


def test_all_names_the_first_that_cannot_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten lines are named at most, by their number in the file: blank lines count."""
    file = tmp_path / "talks.jsonl"
    file.write_text("\n" + "[]\n" * 12, encoding="utf-8")

    assert main(["fit", str(file), "--budget", "1", "--all"]) == 0

    assert "12 cannot fit (line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)" in capsys.readouterr().out


def test_all_as_json_is_an_object_a_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--all --json` every conversation has its line, and the summary is not among them."""
    assert main(["fit", file, "--model", "gpt-4o", "--budget", "300", "--all", "--json"]) == 0

    out, err = capsys.readouterr()
    first, second, third = map(json.loads, out.splitlines())
    assert first["messages"] == SHORT
    assert second["messages"] == fit(LONG, 300, counter="gpt-4o").messages
    assert list(third) == ["error"]
    assert "Max: 300 tokens" in third["error"]
    assert err.startswith("3 conversations: ")


def test_what_cannot_fit_is_status_1(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One conversation that cannot fit is told in one line, with its place and its numbers."""
    assert main(["fit", file, "--model", "gpt-4o", "--budget", "300", "--line", "3", "--json"]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"ctx-layers: {file}, line 3: Cannot fit request within context limit.")
    assert "Max: 300 tokens" in err


@pytest.mark.parametrize(
    ("options", "total", "reserve"),
    [
        (["--budget", "5000"], 5_000, 0),
        (["--budget", "5000", "--reserve", "1000"], 5_000, 1_000),
        (["--model", "gpt-4o"], 128_000, 4_096),
        (["--model", "gpt-4o", "--reserve", "0"], 128_000, 0),
        (["--model", "nobody-knows-it", "--budget", "5000"], 5_000, 0),
    ],
)
def test_the_budget(
    options: list[str], total: int, reserve: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The window is the budget or the model's own; the reserve is what is said, else that of the window."""
    assert main(["fit", written(tmp_path / "talk.json", SHORT), "--json", *options]) == 0

    report = json.loads(capsys.readouterr().out)["report"]
    assert (report["total"], report["reserve"]) == (total, reserve)


@pytest.mark.parametrize("wrapped", [False, True], ids=["list", "object"])
def test_tools_are_counted(*, wrapped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The definitions of `--tools` have a layer of their own."""
    tools = written(tmp_path / "tools.json", {"tools": [TOOL]} if wrapped else [TOOL])
    file = written(tmp_path / "talk.json", SHORT)

    assert main(["fit", file, "--model", "gpt-4o", "--budget", "5000", "--tools", tools, "--json"]) == 0

    layers = json.loads(capsys.readouterr().out)["report"]["layers"]
    used = {layer["name"]: layer["used"] for layer in layers}
    assert used["tools"] == TokenCounter.for_model("gpt-4o").count_tools([TOOL])


def test_the_page_stands_on_its_own(file: str, tmp_path: Path) -> None:
    """`--html` writes a whole page for light and dark that loads nothing and quotes no message."""
    page = tmp_path / "page.html"

    assert main(["fit", file, "--model", "gpt-4o", "--budget", "300", "--line", "2", "--html", str(page)]) == 0

    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert '<meta name="color-scheme" content="light dark">' in text
    assert as_html(fit(LONG, 300, counter="gpt-4o").report) in text
    assert not any(word in text for word in ("<script", "<link", "http:", "https:", "question 3"))


def test_the_page_of_all_has_a_section_each(file: str, tmp_path: Path) -> None:
    """With `--all` each conversation that fits has its own heading."""
    page = tmp_path / "page.html"

    assert main(["fit", file, "--budget", "300", "--all", "--html", str(page)]) == 0

    text = page.read_text(encoding="utf-8")
    assert [f"<h2>line {at}</h2>" in text for at in (1, 2, 3)] == [True, True, False]
    assert text.count("</html>") == 1


def test_a_name_is_no_markup(tmp_path: Path) -> None:
    """What the file is called is text, on the page as elsewhere."""
    file = written(tmp_path / "<b>[red]{0}.json", SHORT)
    page = tmp_path / "page.html"

    assert main(["fit", file, "--budget", "300", "--html", str(page)]) == 0

    assert "&lt;b&gt;[red]{0}.json" in page.read_text(encoding="utf-8")


def test_half_a_surrogate_pair_goes_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text that UTF-8 cannot hold comes out as it came in, escaped."""
    file = tmp_path / "talk.json"
    file.write_text('[{"role": "user", "content": "\\ud83d"}]', encoding="ascii")

    assert main(["fit", str(file), "--budget", "300", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["messages"] == [{"role": "user", "content": "\ud83d"}]


def test_an_empty_conversation_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No messages in, no messages out."""
    assert main(["fit", written(tmp_path / "talk.json", []), "--budget", "300", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["messages"] == []


@needs_shared
def test_real_transcripts_fit(capsys: pytest.CaptureFixture[str]) -> None:
    """All twenty recorded airline conversations fit into 4,000 tokens."""
    assert main(["fit", str(AIRLINE), "--all", "--model", "gpt-4o", "--budget", "4000"]) == 0

    assert (
        capsys.readouterr().out.splitlines()[-1].startswith("20 conversations: 0 untouched, 20 trimmed, 0 cannot fit;")
    )


@needs_shared
def test_real_transcripts_as_json_are_within_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line counts at most 4,000 tokens, counted from scratch."""
    assert main(["fit", str(AIRLINE), "--all", "--model", "gpt-4o", "--budget", "4000", "--json"]) == 0

    counter = TokenCounter.for_model("gpt-4o")
    sent = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(sent) == 20
    assert all(counter.count_messages(one["messages"]) == one["report"]["used"] <= 4_000 for one in sent)
