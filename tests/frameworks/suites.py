"""The frameworks' own tests with ours in place: `python tests/frameworks/suites.py [--tenth] [--store]`.

Their source distributions of the installed versions are fetched from PyPI. What fails without ours is stored for each
version in `without.json`; of a version that is not there it is found out first. Whatever fails beside that is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED = HERE / "without.json"
FETCHED = Path(sys.prefix) / "frameworks"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_PASSED = re.compile(r"(\d+) passed")
_CALLED = re.compile(r"ours was called (\d+) times")


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tests of one package."""

    package: str
    plug: str
    """The plugin that puts ours in place."""
    paths: tuple[str, ...]
    always: bool = False
    """Whether the plugin is in place without ours too: it then gives what lets everything through."""
    expected: tuple[str, ...] = ()
    """Tests that fail with ours and are right to: each with its reason."""


SUITES = (
    Suite(package="langchain", plug="ctx_agents", paths=("tests/unit_tests/agents",)),
    Suite(package="langgraph-prebuilt", plug="ctx_react", paths=("tests/test_react_agent.py",), always=True),
    Suite(
        package="langchain-core",
        plug="ctx_histories",
        paths=("tests/unit_tests/runnables/test_history.py", "tests/unit_tests/chat_history"),
        # It looks for the note of deprecation in LangChain's class, which ours is not.
        expected=("tests/unit_tests/chat_history/test_chat_history.py::test_chat_history_deprecated[History]",),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a run."""

    failed: tuple[str, ...]
    passed: int
    called: int
    """How often ours was used."""


def fetched(suite: Suite) -> Path:
    """Give the folder of a package's source, as its installed version has it."""
    name = f"{suite.package.replace('-', '_')}-{version(suite.package)}"
    folder = FETCHED / name
    if not folder.exists():
        FETCHED.mkdir(parents=True, exist_ok=True)
        wanted = f"{suite.package}=={version(suite.package)}"
        told = ("download", "--quiet", "--no-deps", "--no-binary", ":all:", wanted)
        subprocess.run([sys.executable, "-m", "pip", *told, "--dest", FETCHED], check=True)
        with tarfile.open(FETCHED / f"{name}.tar.gz") as archive:
            archive.extractall(FETCHED, filter="data")
    return folder


def outcome(suite: Suite, *, ours: bool, tenth: bool) -> Outcome:
    """Run the tests of a suite."""
    plugs = ["ctx_absent", "ctx_tenth", *([suite.plug] if ours or suite.always else [])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(HERE / "plugs"), os.environ.get("PYTHONPATH", ""))),
        "CTX_TENTH": "1" if tenth else "0",
        "CTX_WITHOUT": "0" if ours else "1",
    }
    asked = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "-rfE", "--durations=0"]
    named = [part for plug in plugs for part in ("-p", plug)]
    command = [sys.executable, "-m", "pytest", *asked, *named, *suite.paths]
    done = subprocess.run(command, cwd=fetched(suite), env=environment, check=False, capture_output=True, text=True)
    passed = _PASSED.search(done.stdout)
    if passed is None:
        sys.stderr.write(done.stdout[-4_000:] + done.stderr[-4_000:])
        msg = f"the tests of {suite.package} did not run"
        raise RuntimeError(msg)
    called = _CALLED.search(done.stdout)
    return Outcome(
        failed=tuple(sorted(set(_FAILED.findall(done.stdout)))),
        passed=int(passed[1]),
        called=0 if called is None else int(called[1]),
    )


def known(suite: Suite, *, tenth: bool) -> list[str]:
    """Give what fails without ours: as it is stored for this version, else as it is found out now."""
    stored: dict[str, Any] = json.loads(STORED.read_text())
    found = stored.get(f"{suite.package} {version(suite.package)}")
    return list(outcome(suite, ours=False, tenth=tenth).failed) if found is None else found


def store() -> None:
    """Store what fails without ours, for the versions that are installed."""
    found = {
        f"{suite.package} {version(suite.package)}": list(outcome(suite, ours=False, tenth=False).failed)
        for suite in SUITES
    }
    STORED.write_text(json.dumps(found, indent=2) + "\n")


def new_failures(*, tenth: bool) -> int:
    """Run all suites with ours, say what came of it, and give how many tests fail that do not without."""
    new = 0
    for suite in SUITES:
        before = {*known(suite, tenth=tenth), *suite.expected}
        now = outcome(suite, ours=True, tenth=tenth)
        mine = [test for test in now.failed if test not in before]
        said = f"{suite.package}: {now.passed} as without ours, {len(mine)} not, ours was used {now.called} times"
        sys.stdout.write("\n".join((said, *mine)) + "\n")
        new += len(mine) + (now.called == 0)
    return new


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--tenth", action="store_true", help="run a fixed tenth of the tests")
    reader.add_argument("--store", action="store_true", help="store what fails without ours")
    told = reader.parse_args()
    if told.store:
        store()
    sys.exit(min(1, new_failures(tenth=told.tenth)))
