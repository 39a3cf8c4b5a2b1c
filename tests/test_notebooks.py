"""What counts as a stale output of a notebook, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebooks.check import differences, main, stale

if TYPE_CHECKING:
    from pathlib import Path


def shown(**data: Any) -> list[Any]:
    """Give a cell's one result, of the content types named (`_` for `/`)."""
    content = {mime.replace("_", "/", 1): value for mime, value in data.items()}
    return [new_output("execute_result", content, execution_count=3)]


def said(text: str, name: str = "stdout") -> Any:
    """Give what a cell wrote to a stream in one go."""
    return new_output("stream", name=name, text=text)


FIGURE = shown(image_png="iVBO", text_plain="<Figure>")


@pytest.mark.parametrize(
    ("saved", "fresh", "kinds"),
    [
        pytest.param([said("12 messages")], [said("13 messages")], ["stdout differs"], id="stdout"),
        pytest.param([said("low", "stderr")], [said("high", "stderr")], ["stderr differs"], id="stderr"),
        pytest.param([said("low")], [said("low", "stderr")], ["number of outputs"] * 2, id="another-stream"),
        pytest.param(shown(text_plain="4993"), shown(text_plain="5065"), ["text/plain differs"], id="plain"),
        pytest.param(shown(text_html="<b>1</b>"), shown(text_html="<b>2</b>"), ["text/html differs"], id="html"),
        pytest.param(
            shown(application_json={"a": 1}), shown(application_json={"a": 2}), ["application/json differs"], id="data"
        ),
        pytest.param(shown(text_plain="1"), [], ["number of outputs of text/plain: 1 saved, 0 fresh"], id="gone"),
        pytest.param([], shown(text_plain="1"), ["number of outputs of text/plain: 0 saved, 1 fresh"], id="new"),
        pytest.param(FIGURE, FIGURE * 2, ["number of outputs of image/png: 1 saved, 2 fresh", "number"], id="image"),
        pytest.param(shown(image_png="iVBO"), shown(image_jpeg="/9j/"), ["number"] * 2, id="another-image"),
        pytest.param(
            [new_output("error", ename="KeyError", evalue="'a'")],
            [new_output("error", ename="KeyError", evalue="'b'")],
            ["error differs"],
            id="error",
        ),
    ],
)
def test_what_changed_is_found(saved: list[Any], fresh: list[Any], kinds: list[str]) -> None:
    """Other text, another number of outputs and another type of content are each told by their kind."""
    found = list(differences(saved, fresh))

    assert len(found) == len(kinds)
    assert all(told.startswith(kind) for told, kind in zip(found, kinds, strict=True))


@pytest.mark.parametrize(
    ("saved", "fresh"),
    [
        pytest.param(
            [new_output("execute_result", {"text/plain": "4"}, execution_count=1)],
            [new_output("execute_result", {"text/plain": "4"}, execution_count=7)],
            id="execution-count",
        ),
        pytest.param(
            shown(text_plain="<Desk at 0x7f3a5c0012d0>"), shown(text_plain="<Desk at 0x104B2E8F0>"), id="address"
        ),
        pytest.param(FIGURE, shown(image_png="AAAA", text_plain="<Figure>"), id="pixels"),
        pytest.param([said("one\n"), said("two\n")], [said("one\ntwo\n")], id="pieces-of-a-stream"),
        pytest.param(
            [said("a"), said("low", "stderr"), said("b")], [said("low", "stderr"), said("ab")], id="two-streams"
        ),
        pytest.param(
            shown(application_json={"a": 1, "b": 2}), shown(application_json={"b": 2, "a": 1}), id="order-of-keys"
        ),
        pytest.param(
            [new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "1f"}})],
            [new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "2e"}})],
            id="widget",
        ),
    ],
)
def test_what_changes_by_itself_is_not(saved: list[Any], fresh: list[Any]) -> None:
    """Counts of executions, addresses, pixels, names of widgets and the pieces of a stream are not told."""
    assert not list(differences(saved, fresh))


def test_a_number_that_looks_like_a_short_address_counts() -> None:
    """A hexadecimal number of few digits is a value, not an address."""
    assert list(differences(shown(text_plain="0x10"), shown(text_plain="0x20")))


def test_the_place_of_a_difference_is_shown() -> None:
    """Of a long text only the neighborhood of the first difference is shown, of both."""
    saved, fresh = (shown(text_plain="a" * 1_000 + number + "z" * 1_000) for number in ("41", "57"))

    (told,) = differences(saved, fresh)

    assert told.startswith("text/plain differs from character 1000:")
    assert "a41z" in told
    assert "a57z" in told
    assert len(told) < 400


def test_cells_are_numbered_like_their_prompts() -> None:
    """Only code cells count, from one."""
    cells = [new_markdown_cell("# Title"), new_code_cell("a = 1"), new_code_cell("a", outputs=shown(text_plain="1"))]
    changed = [*cells[:2], new_code_cell("a", outputs=shown(text_plain="2"))]

    (told,) = stale(new_notebook(cells=cells), new_notebook(cells=changed))

    assert told.startswith("code cell 2: text/plain")


def test_a_stale_notebook_fails_until_it_is_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check names notebook, cell, kind and command; after saving, which keeps no times of day, it passes."""
    path = tmp_path / "tour.ipynb"
    cells = [new_code_cell("print(41)"), new_code_cell("1 + 1", metadata={"execution": {"iopub.status.busy": "now"}})]
    cells[0].outputs = [said("40\n")]
    nbformat.write(new_notebook(cells=cells), path)

    assert main([str(path)]) == 1
    told = capsys.readouterr().out
    assert f"{path}: code cell 1: stdout differs" in told
    assert f"{path}: code cell 2: number of outputs of text/plain: 0 saved, 1 fresh" in told
    assert "make notebooks-save" in told

    assert main(["--save", str(path)]) == 0
    assert main([str(path)]) == 0
    assert "busy" not in path.read_text("utf-8")


def test_a_cell_that_raises_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error is told, and a notebook that raises is not saved."""
    path = tmp_path / "tour.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("{}['berth']")]), path)
    before = path.read_bytes()

    assert main(["--save", str(path)]) == 1
    told = capsys.readouterr().out
    assert f"{path}: a cell raises" in told
    assert "KeyError" in told
    assert path.read_bytes() == before
