"""Execute notebooks and compare what their cells give with the outputs saved in them.

    python notebooks/check.py [--save] NOTEBOOK…

Not compared: execution counts, memory addresses, where a stream's text stood among the other outputs of its cell, and
the content of images and widgets. Whatever else changes between runs has to be made to stay in the notebook.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nbformat import NotebookNode

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b", re.IGNORECASE)
# The pixels of a plot are another machine's, and the names of widgets are drawn anew: that there is one must do.
_OPAQUE = re.compile(r"image/|application/vnd\.jupyter\.widget")
_BEFORE, _AFTER = 30, 70


def by_kind(outputs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Sort the outputs of a cell by stream or type of content, in their order; of each, the text that is compared."""
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    streams: defaultdict[str, str] = defaultdict(str)
    for output in outputs:
        if output["output_type"] == "stream":
            streams[output["name"]] += output["text"]
        elif output["output_type"] == "error":
            kinds["error"].append(f"{output['ename']}: {output['evalue']}")
        else:
            for mime, content in output["data"].items():
                text = content if isinstance(content, str) else json.dumps(content, sort_keys=True)
                kinds[mime].append("" if _OPAQUE.match(mime) else text)
    kinds.update((name, [text]) for name, text in streams.items())
    return {kind: [_ADDRESS.sub("0x…", text) for text in texts] for kind, texts in kinds.items()}


def differences(saved: Sequence[Mapping[str, Any]], fresh: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say of two lists of outputs of one cell in which kinds they differ, and where."""
    before, after = by_kind(saved), by_kind(fresh)
    for kind in sorted({*before, *after}):
        olds, news = before.get(kind, []), after.get(kind, [])
        if len(olds) != len(news):
            yield f"number of outputs of {kind}: {len(olds)} saved, {len(news)} fresh"
        for was, now in zip(olds, news, strict=False):
            if was != now:
                same = next(at for at, (old, new) in enumerate(zip_longest(was, now)) if old != new)
                part = slice(max(0, same - _BEFORE), same + _AFTER)
                yield f"{kind} differs from character {same}:\n    saved {was[part]!r}\n    fresh {now[part]!r}"


def stale(saved: Mapping[str, Any], fresh: Mapping[str, Any]) -> Iterator[str]:
    """Say which code cells, numbered from 1 like the notebook's prompts, have other outputs than are saved."""
    pairs = zip(saved["cells"], fresh["cells"], strict=True)
    codes = [(old, new) for old, new in pairs if old["cell_type"] == "code"]
    for number, (old, new) in enumerate(codes, 1):
        for difference in differences(old["outputs"], new["outputs"]):
            yield f"code cell {number}: {difference}"


def read(path: Path) -> NotebookNode:
    """Give the notebook as it is saved."""
    # nbformat has no annotations.
    notebook = nbformat.read(path, as_version=4)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return cast("NotebookNode", notebook)


def executed(path: Path) -> NotebookNode:
    """Give the notebook with what its cells give now, executed in its own folder, and without the times of day."""
    notebook = read(path)
    for cell in notebook["cells"]:
        cell["metadata"].pop("execution", None)
    resources = {"metadata": {"path": str(path.parent)}}
    return NotebookClient(notebook, record_timing=False, resources=resources).execute()


def problems(path: Path, *, save: bool = False) -> list[str]:
    """Execute a notebook, keep its outputs or compare them, and say what is wrong with it."""
    try:
        fresh = executed(path)
    except CellExecutionError as error:
        return [f"a cell raises\n{error}"]
    if save:
        nbformat.write(fresh, path)  # pyright: ignore[reportUnknownMemberType]  # as above
        return []
    return list(stale(read(path), fresh))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the notebooks, or keep their fresh outputs; 1 if a cell raises or is stale."""
    parser = argparse.ArgumentParser(description="Execute notebooks and compare their outputs with the saved ones.")
    parser.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", type=Path)
    parser.add_argument("--save", action="store_true", help="keep the fresh outputs in the files instead")
    options = parser.parse_args(arguments)
    found = 0
    for path in options.notebooks:
        print(f"{path}: executing", flush=True)
        for problem in problems(path, save=options.save):
            found += 1
            print(f"{path}: {problem}", flush=True)
    if found and not options.save:
        print("See whether the fresh outputs are right; `make notebooks-save` keeps them in the notebooks.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
