"""`ctx-layers demo`: one conversation, every face, the same requests."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core.cli import main
from ctx_core.cli.demo_command import differences
from ctx_core.demo import conversation, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRAMEWORKS = {"langchain": "langchain_core", "llamaindex": "llama_index"}
MISSING = [face for face, framework in FRAMEWORKS.items() if find_spec(framework) is None]


@pytest.fixture
def face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Installs a face: a distribution with a module of this code, and its entry point."""

    def install(name: str, code: str) -> None:
        (tmp_path / f"face_{name}.py").write_text(code, encoding="utf-8")
        folder = tmp_path / f"face_{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: face-{name}\nVersion: 1.0\n", encoding="utf-8")
        (folder / "entry_points.txt").write_text(f"[ctx_layers.demo]\n{name} = face_{name}:run\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))

    return install


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_all_faces_send_the_same() -> None:
    """The engine and both frameworks, each in its real classes, send the same messages in all requests."""
    done = subprocess.run(
        [sys.executable, "-m", "ctx_core", "demo"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    requests = sum(message["role"] == "assistant" for message in conversation())
    last = f"core, langchain and llamaindex sent the same messages in all {requests} requests."
    assert done.stdout.splitlines()[-1] == last


def test_a_line_for_every_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """Each request in which something was cut has its line, and the last request its layers."""
    assert main(["demo", "--face", "core", "--budget", "5000"]) == 0

    out = capsys.readouterr().out
    requests = list(run(conversation(), 5_000, "gpt-4o"))
    cuts = [
        [str(at), str(len(messages)), str(report.history.omitted), f"{report.used:,}"]
        for at, (messages, report) in enumerate(requests, start=1)
        if report.history.cut
    ]
    lines = [line.split() for line in out.splitlines()]
    assert len(cuts) > 3
    assert [line for line in lines if line and line[0].isdigit() and len(line) == 4] == cuts
    assert f"the layers of request {len(requests)}:" in out
    assert f"{requests[-1][1].used:,} of 5,000 tokens" in out
    assert f"Only the engine ran; there is no face to compare its {len(requests)} requests with." in out


def test_a_face_that_differs_is_status_1(face: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """A face that leaves something out is found, with the place of the first difference and no content."""
    face(
        "forgetful",
        "from ctx_core import demo\n"
        "def run(conversation, budget, counter):\n"
        "    for at, (messages, report) in enumerate(demo.run(conversation, budget, counter)):\n"
        "        yield (messages if at < 5 else messages[:-1]), report\n",
    )

    assert main(["demo", "--face", "forgetful"]) == 1

    sent = [messages for messages, _ in run(conversation(), 6_000, "gpt-4o")][5]
    last = capsys.readouterr().out.splitlines()[-1]
    assert (
        last == f"forgetful differs from core in request 6, message {len(sent)}: nothing instead of {sent[-1]['role']}"
    )


def test_a_face_that_agrees_is_named(face: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Any installed package can bring a face: it is found by its entry point."""
    face("twin", "from ctx_core.demo import run\n")

    assert main(["demo", "--face", "twin"]) == 0

    assert "core and twin sent the same messages in all " in capsys.readouterr().out


LONELY = (
    "from ctx_core.errors import MissingExtraError\n"
    "raise MissingExtraError('lonely needs a friend: pip install \"ctx-layers[lonely]\"')\n"
)


def test_a_face_without_its_framework_is_named(
    face: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A face that cannot be loaded says what to install; asked for by name, it is status 2."""
    face("lonely", LONELY)

    assert main(["demo", "--face", "lonely"]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err == 'ctx-layers: lonely is not here: lonely needs a friend: pip install "ctx-layers[lonely]"\n'


def test_frameworks_that_are_missing_stop_nothing() -> None:
    """Without any framework the engine runs alone, and each face says what to install."""
    # None in sys.modules is how Python itself marks a module that cannot be imported.
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['langchain_core', 'llama_index']))\n"
        "from ctx_core.cli import main\n"
        "sys.exit(main(['demo']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)

    assert done.returncode == 0, done.stderr
    assert 'pip install "ctx-layers[langchain]"' in done.stdout
    assert 'pip install "ctx-layers[llamaindex]"' in done.stdout
    assert "Only the engine ran" in done.stdout


def test_a_budget_that_is_too_small_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the conversation cannot fit at all, the numbers are told in one line."""
    assert main(["demo", "--face", "core", "--budget", "100"]) == 1

    err = capsys.readouterr().err
    assert err.startswith("ctx-layers: Cannot fit request within context limit.")
    assert err.count("\n") == 1


USER, ANSWER, OTHER = ({"role": role, "content": "x"} for role in ("user", "assistant", "tool"))


@pytest.mark.parametrize(
    ("requests", "place"),
    [
        ([[USER], [USER, ANSWER]], None),
        ([[USER]], "the number of requests: 1 instead of 2"),
        ([[USER], [USER, OTHER]], "request 2, message 2: tool instead of assistant"),
        ([[USER], [USER, {**ANSWER, "content": "y"}]], "request 2, message 2: assistant"),
        ([[USER], [USER]], "request 2, message 2: nothing instead of assistant"),
        ([[USER, USER], [USER]], "request 1, message 2: user instead of nothing"),
    ],
)
def test_the_first_difference(requests: list[list[dict[str, Any]]], place: str | None) -> None:
    """A difference is told by request, position and role."""
    found = differences({"core": [[USER], [USER, ANSWER]], "face": requests})

    assert found == ([] if place is None else [f"face differs from core in {place}"])
