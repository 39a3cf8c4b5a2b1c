"""The command line as a process: streams, pipes, terminals and warnings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ctx_core

TALK = json.dumps([{"role": "user", "content": "Where is the ferry? ⛴️"}], ensure_ascii=False)
MODULE = (sys.executable, "-m", "ctx_core")


def run(*words: str, stdin: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [*MODULE, *words],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
    )


@pytest.fixture
def many(tmp_path: Path) -> str:
    """A file of 5,000 short conversations, more than a pipe holds."""
    file = tmp_path / "many.jsonl"
    file.write_text(f"{TALK}\n" * 5_000, encoding="utf-8")
    return str(file)


def test_the_module_is_the_program() -> None:
    """`python -m ctx_core` is `ctx-layers`, and so is the script that is installed."""
    script = Path(sys.executable).with_name("ctx-layers")
    said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout

    assert said == run("--version").stdout == f"ctx-layers {ctx_core.__version__}\n"


@pytest.mark.parametrize("words", [(), ("fit",), ("count",), ("demo",)])
def test_help(words: tuple[str, ...]) -> None:
    """Every command explains itself."""
    done = run(*words, "--help")

    assert done.returncode == 0
    assert done.stdout.startswith("usage: ctx-layers")


def test_standard_input_and_output() -> None:
    """What comes in through a pipe goes out through one."""
    done = run("fit", "-", "--budget", "500", "--json", stdin=TALK)

    assert json.loads(done.stdout)["messages"] == json.loads(TALK)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
def test_an_output_in_ascii(options: list[str]) -> None:
    """Where the output cannot take a character, a table has another one, and JSON escapes it."""
    done = run("fit", "-", "--budget", "500", *options, stdin=TALK, PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    if options:
        assert json.loads(done.stdout)["messages"] == json.loads(TALK)


def test_a_reader_that_has_enough_is_no_error(many: str) -> None:
    """When the reader of a pipe leaves, the program ends quietly, with the status of shells."""
    with subprocess.Popen(
        [*MODULE, "fit", many, "--all", "--budget", "500", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line() -> None:
    """An output that cannot be written is told, without a traceback."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*MODULE, "fit", "-", "--budget", "500", "--json"],
            input=TALK,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
            env={**os.environ, "PYTHONUTF8": "1"},
        )

    assert done.returncode == 2
    assert done.stderr == "ctx-layers: cannot write the output: no space left on device\n"


def test_a_closed_standard_input_is_one_line() -> None:
    """Without a standard input, `-` says so."""
    code = "import os, runpy, sys; os.close(0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", code, "-m", "ctx_core", "fit", "-", "--budget", "9"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (2, "ctx-layers: standard input: is closed\n")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
def test_the_progress_bar_is_for_terminals(options: list[str], tmp_path: Path) -> None:
    """On a terminal a bar says how far it is; elsewhere nothing moves."""
    file = tmp_path / "some.jsonl"
    file.write_text(f"{TALK}\n" * 50, encoding="utf-8")
    words = ("fit", str(file), "--all", "--budget", "500", *options)
    quiet, terminal = run(*words), run(*words, FORCE_COLOR="1")

    assert "%" not in quiet.stderr
    # FORCE_COLOR makes a terminal of both streams: where JSON goes to the same one, a bar would be in its way.
    assert ("100 % 50 conversations" in terminal.stderr) == (not options)


def test_a_vocabulary_that_is_missing_is_one_warning() -> None:
    """Without a vocabulary it counts with the safe estimate, and says so in a line."""
    code = (
        "import sys\n"
        "sys.modules['splintr'] = None\n"
        "from ctx_core.cli import main\n"
        "from ctx_core.counting import vocabulary\n"
        "def missing(name): raise OSError\n"
        "vocabulary._load = missing\n"
        "sys.exit(main(['count', '-', '--model', 'gpt-4o']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TALK, capture_output=True, encoding="utf-8", check=False)

    assert done.returncode == 0
    assert done.stderr.startswith("ctx-layers: warning: The vocabulary o200k_base is neither on disk nor to be had")
    assert done.stderr.count("\n") == 1
