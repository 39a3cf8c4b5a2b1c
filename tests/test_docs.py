"""The code in the documentation runs, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE), 1
    )
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
