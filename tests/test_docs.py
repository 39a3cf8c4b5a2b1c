"""The code in the documentation runs, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {page.stem: page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
# The other sections of the README show lines out of an application of the reader's.
_README = (ROOT / "README.md").read_text("utf-8")
PAGES["README"] = "".join(
    _README.partition(f"## {name}\n")[2].partition("\n## ")[0] for name in ("Sessions", "Recipes")
)
BLOCKS = [
    pytest.param(block, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE), 1)
]
_SAID = re.compile(r"^print\(.*\)  # (.+)$", re.MULTILINE)
_PROSE = "a line for each section, and the total"


@pytest.mark.parametrize("block", BLOCKS)
def test_code_runs_and_prints_what_it_says(block: str) -> None:
    """Each block by itself, in an interpreter of its own, warnings being errors; what a comment says is printed."""
    run = subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    printed = run.stdout.splitlines()
    said = [line for line in _SAID.findall(block) if line != _PROSE]
    assert said
    assert [line for line in printed if line in said] == said
