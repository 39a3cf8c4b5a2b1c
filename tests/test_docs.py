"""The code and the commands in the documentation run, and print what it says."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]
NAMES: Final = ("README", "CONTRIBUTING", "CHANGELOG")
PAGES: Final = [*(ROOT / f"{name}.md" for name in NAMES), *sorted((ROOT / "docs").glob("*.md"))]


class Block(NamedTuple):
    """A block of a page between fences."""

    page: Path
    number: int
    language: str
    text: str

    def __str__(self) -> str:
        """The page and the block's place among its blocks, as the name of a test."""
        return f"{self.page.stem}-{self.number}"

    @property
    def prints(self) -> bool:
        """Whether it shows what it prints; else it is made of lines out of an application."""
        return re.search(r"^ *print\(", self.text, re.MULTILINE) is not None


def _blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(page, number, language, text) for number, (language, text) in enumerate(found, 1)]


BLOCKS: Final = [block for page in PAGES for block in _blocks(page)]
PYTHON: Final = [block for block in BLOCKS if block.language == "python"]
LINES: Final = [
    pytest.param(line, id=f"{block}-{at}")
    for block in BLOCKS
    if block.language == "console"
    for at, line in enumerate(block.text.splitlines(), 1)
]
_SAID: Final = re.compile(r"^print\(.*\)(?:  |\n)# (.+)$", re.MULTILINE)
_PROSE: Final = "a line for each section, and the total"
_CHAT: Final = [{"role": "user", "content": "When does the last ferry leave?"}]
_BILL: Final = {"endpoint": "chat", "model": "gpt-4o", "prompt_tokens": 14, "request": {"messages": _CHAT}}


def _run(command: list[str] | str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command, or a line as a shell reads it; everything of the project can be imported in it."""
    path = os.pathsep.join([str(ROOT / "core"), str(ROOT)])
    return subprocess.run(
        command,
        shell=isinstance(command, str),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
        **options,
    )


def test_every_block_is_of_a_known_language() -> None:
    """So that none is passed over: what is no Python and no command says that it is a text."""
    assert {block.language for block in BLOCKS} == {"python", "console", "text"}


@pytest.mark.parametrize("block", [block for block in PYTHON if block.prints], ids=str)
def test_code_runs_and_prints_what_it_says(block: Block) -> None:
    """Each block by itself, in an interpreter of its own, warnings being errors; what a comment says is printed."""
    run = _run([sys.executable, "-W", "error", "-c", block.text])
    assert run.returncode == 0, run.stderr
    printed = run.stdout.splitlines()
    said = [line for line in _SAID.findall(block.text) if line != _PROSE]
    assert said
    assert [line for line in printed if line in said] == said


@pytest.mark.parametrize("block", [block for block in PYTHON if not block.prints], ids=str)
def test_lines_out_of_an_application_run_and_what_they_make_works(block: Block) -> None:
    """With the names of an application whose models answer by themselves; chains, agents and engines are asked."""
    pytest.importorskip("llama_index.core")
    pytest.importorskip("langchain.agents")
    run = _run([sys.executable, "-m", "tests.application"], input=block.text, cwd=ROOT)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("line", LINES)
def test_commands_run(line: str, tmp_path: Path) -> None:
    """With the files that they name; of `pip` and `make`, what they name exists."""
    if line.startswith("pip install "):
        named = re.findall(r"\[([\w,]+)\]", line)
        assert named
        assert {extra for names in named for extra in names.split(",")} <= {*_extras()}
        return
    if line.startswith("make "):
        assert f"\n{line.split()[1]}:" in (ROOT / "Makefile").read_text("utf-8")
        return
    (tmp_path / "chat.json").write_text(json.dumps(_CHAT))
    (tmp_path / "request.json").write_text(json.dumps({"model": "claude-opus-5", "max_tokens": 99, "messages": _CHAT}))
    for name, row in (("runs.jsonl.gz", _CHAT), ("recorded.jsonl.gz", _BILL)):
        (tmp_path / name).write_bytes(gzip.compress(json.dumps(row).encode()))
    program, _, arguments = line.partition(" ")
    replaced = {"ctx-layers": f'"{sys.executable}" -m ctx_core', "python": f'"{sys.executable}"'}[program]
    run = _run(f"{replaced} {arguments}", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout or ">" in line


def _extras() -> list[str]:
    return metadata("ctx-layers").get_all("Provides-Extra") or []
