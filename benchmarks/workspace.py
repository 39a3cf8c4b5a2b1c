# ruff: noqa: T201 - scripts are no package, and print
"""How long a workspace takes to become layers, and how much memory.

    python benchmarks/workspace.py [--path WORKSPACE] [--rounds 50] [--json OUT]

Without a path a typical one is made: SOUL.md, AGENTS.md, TOOLS.md, a memory of 60 entries and 12 skills. Cold is
a `Workspace` that has read nothing yet; warm is the same one again, as on the next turn.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "core"))

from ctx_core.workspace import Workspace  # noqa: E402 - found by the line above, installed or not

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION: Final = "Which airport does the user fly from, and what do they like to eat?"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", type=Path)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.path or _typical(Path(folder))
        assemble(Workspace(path))  # imports and compiles what is needed
        kept = Workspace(path)
        figures = {
            "cold_ms": _median_ms(lambda: assemble(Workspace(path)), arguments.rounds),
            "warm_ms": _median_ms(lambda: assemble(kept), arguments.rounds),
            "peak_kb": _peak_kb(path),
        }
    for name, value in figures.items():
        print(f"{name:<8} {value:>9.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures) + "\n")


def assemble(workspace: Workspace) -> int:
    """Do what a turn does; give the number of layers."""
    snapshot = workspace.load(QUESTION)
    return len(snapshot.layers(now=datetime.now(UTC), version="1.0"))


def _median_ms(run: Callable[[], int], rounds: int) -> float:
    seconds: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return round(1000 * median(seconds), 3)


def _peak_kb(path: Path) -> float:
    tracemalloc.start()
    assemble(Workspace(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(peak / 1024, 1)


def _typical(root: Path) -> Path:
    (root / "memory").mkdir()
    for name in ("SOUL", "AGENTS", "TOOLS"):
        (root / f"{name}.md").write_text(f"# {name}\n\n" + "Say what is known, and ask about the rest.\n" * 40)
    facts = "".join(
        f"- 2024-03-{1 + at % 28:02} The user mentioned airport {at} and dish {at * 7}\n" for at in range(60)
    )
    (root / "memory" / "MEMORY.md").write_text(f"# Memory\n\n## Travel\n\n{facts}")
    for at in range(12):
        folder = root / "skills" / f"skill-{at}"
        folder.mkdir(parents=True)
        head = f"---\nname: skill-{at}\ndescription: Does thing {at}. Use when asked for it.\n---\n"
        (folder / "SKILL.md").write_text(head + "Step by step.\n" * 300)
    return root


if __name__ == "__main__":
    main()
