"""The table of every field and default of all five recipes in the documentation is what the code says."""

from __future__ import annotations

import ast
import inspect
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ctx_core.recipes import Assistant, Chat, Phased, PhaseDefinition, Recipe, Rolling, RollingSettings, WorkspaceAgent

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = Path(__file__).parents[1] / "docs" / "recipe-fields.md"
KINDS: Final = (Recipe, Chat, Assistant, WorkspaceAgent, Rolling, Phased, RollingSettings, PhaseDefinition)
HEAD: Final = """# Every field of the five recipes

Made out of the code; `CTX_SNAPSHOTS=write .venv/bin/python -m pytest tests/test_recipe_fields.py` writes it anew. The
fields under `Recipe` are those of all five.
"""


def default(kind: type[Any], value: ast.expr | None) -> str:
    """Give a default as it is written, of a constant its value, and of a factory what it makes."""
    if value is None:
        return "(required)"
    if isinstance(value, ast.Name):
        constant = getattr(inspect.getmodule(kind), value.id)
        return f"`{constant!r}`"
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "given":
        made = value.args[0] if value.args else None
        return "(given or made)" if made is None else made_by(made)
    if not (isinstance(value, ast.Call) and ast.unparse(value.func) == "field"):
        return f"`{ast.unparse(value)}`"
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if "default" in given:
        return f"`{ast.unparse(given['default'])}`"
    if "default_factory" not in given:
        return "(required)"
    return made_by(given["default_factory"])


def made_by(factory: ast.expr) -> str:
    """Give what a factory makes."""
    if isinstance(factory, ast.Lambda):
        return f"`{ast.unparse(factory.body)}`"
    return f"`{ast.unparse(factory).partition('[')[0]}()`"


def rows(kind: type[Any]) -> Iterator[str]:
    """Give a row for each field that a class declares: its name, its default, what it means."""
    # Slots: the class is made anew, and where its source stands is asked of its module.
    module = ast.parse(inspect.getsource(inspect.getmodule(kind) or kind))
    (body,) = [node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
    known = {field.name for field in fields(kind) if field.init}
    for at, node in enumerate(body):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in known):
            continue
        after = body[at + 1]
        assert isinstance(after, ast.Expr)
        assert isinstance(after.value, ast.Constant)
        said = " ".join(str(after.value.value).split())
        written = f"| `{node.target.id}` | {default(kind, node.value)} | {said} |"
        yield written.replace("a | b", "a or b")


def page() -> str:
    """Give the page."""
    tables = [
        f"## {kind.__name__}\n\n| field | default | |\n|---|---|---|\n" + "\n".join(rows(kind)) + "\n" for kind in KINDS
    ]
    return "\n".join([HEAD, *tables])


def test_the_table_is_what_the_code_says() -> None:
    """Every field of each, with its default and its sentence."""
    if os.environ.get("CTX_SNAPSHOTS") == "write":
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_no_field_is_missing() -> None:
    """Those of the base class stand once, the others under their recipe."""
    for kind in KINDS:
        shown = "".join(rows(kind)) + "".join(rows(Recipe) if issubclass(kind, Recipe) else ())
        assert all(f"| `{field.name}` |" in shown for field in fields(kind) if field.init)
