"""What an installed `ctx-layers` promises before anything of it is used."""

import importlib
import importlib.metadata
import importlib.resources
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PACKAGES = ("ctx_core", "langchain_ctx", "llamaindex_ctx")
ROOT = Path(__file__).parents[1]

FRAMEWORKS = ("langchain", "langchain_core", "langgraph", "llama_index")
HEAVY = ("numpy", "pandas", "pydantic", "rich", "tiktoken")
NETWORK = ("aiohttp", "http.client", "httpx", "requests", "urllib3")


def run_python(code: str) -> str:
    """Run code in an interpreter of its own and give what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("unwanted", [FRAMEWORKS, HEAVY, NETWORK], ids=["frameworks", "heavy", "network"])
def test_importing_the_core_imports_nothing_it_can_do_without(unwanted: tuple[str, ...]) -> None:
    """`import ctx_core` leaves frameworks, heavy libraries and network clients alone."""
    loaded = run_python("import sys, ctx_core; print(*sys.modules)").split()

    assert not set(unwanted) & set(loaded)


@pytest.mark.parametrize(
    ("face", "foreign"),
    [
        ("langchain_ctx", ("llama_index", "langchain", "langgraph", "rich", "tiktoken")),
        ("llamaindex_ctx", ("langchain_core", "langchain", "langgraph", "rich")),
    ],
)
def test_a_face_imports_its_own_framework_only(face: str, foreign: tuple[str, ...]) -> None:
    """A face needs the one framework of its own extra, and nothing of the other's."""
    loaded = run_python(f"import sys, {face}; print(*sys.modules)").split()

    assert not set(foreign) & set(loaded)


@pytest.mark.parametrize("package", PACKAGES)
def test_types_are_published(package: str) -> None:
    """Each package carries the marker that lets type checkers read its annotations."""
    assert importlib.resources.files(package).joinpath("py.typed").is_file()


def test_the_version_is_one() -> None:
    """The code, the installed distribution, the project file and the changelog say the same version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = importlib.import_module("ctx_core").__version__

    assert version == project["version"]
    assert version == importlib.metadata.version("ctx-layers")
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist(package: str) -> None:
    """Every name that a package exports can be had from it, and is listed once."""
    module = importlib.import_module(package)
    names: list[str] = list(module.__all__)

    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    ("face", "framework", "extra"),
    [("langchain_ctx", "langchain_core", "langchain"), ("llamaindex_ctx", "llama_index", "llamaindex")],
)
def test_a_missing_extra_names_its_command(face: str, framework: str, extra: str) -> None:
    """A face without its framework says exactly what to install."""
    # None in sys.modules is how Python itself marks a module that cannot be imported.
    said = run_python(
        f"import sys; sys.modules[{framework!r}] = None\n"
        "from ctx_core.errors import MissingExtraError\n"
        f"try: import {face}\n"
        "except MissingExtraError as error: print(error)\n"
    )

    assert f'pip install "ctx-layers[{extra}]"' in said


def test_the_demo_finds_both_faces() -> None:
    """The faces announce their demos as entry points, and each one can be loaded."""
    found = importlib.metadata.entry_points(group="ctx_layers.demo")

    assert sorted(entry.name for entry in found) == ["langchain", "llamaindex"]
    assert all(callable(entry.load()) for entry in found)
