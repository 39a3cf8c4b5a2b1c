"""Importing the package."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import langchain_ctx
from langchain_ctx.demo import run

WITHOUT_LANGCHAIN = """
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "langchain_core" else real(name, *rest)
try:
    import langchain_ctx
except ImportError as error:
    print(type(error).__name__, error)
"""


def python(code: str) -> str:
    """Run code in an interpreter of its own and give what it prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("name", [*langchain_ctx.__all__, "ContextMiddleware", "ContextNode"])
def test_every_public_name_is_there(name: str) -> None:
    """Each name of `__all__` can be had, and has a docstring."""
    assert getattr(langchain_ctx, name).__doc__


def test_other_names_are_not() -> None:
    """A name that doesn't exist is an ordinary AttributeError."""
    with pytest.raises(AttributeError, match="'Nothing'"):
        _ = langchain_ctx.Nothing


def test_histories_are_imported_only_when_used() -> None:
    """LangChain's deprecated module of chat histories is left alone until somebody wants a history."""
    code = "import sys, langchain_ctx; print('langchain_core.chat_history' in sys.modules)"
    assert python(code) == "False"


def test_only_langchain_core_is_needed() -> None:
    """Neither LangChain itself nor LangGraph nor the other framework is imported."""
    code = (
        "import sys; from langchain_ctx import *; "
        "print([name for name in ('langchain', 'langgraph', 'llama_index', 'numpy') if name in sys.modules])"
    )
    assert python(code) == "[]"


WITHOUT_AGENTS = """
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "langgraph" else real(name, *rest)
import langchain_ctx
from langchain_ctx import *
try:
    langchain_ctx.ContextMiddleware
except ImportError as error:
    print(type(error).__name__, error)
"""


def test_missing_agents_name_the_extra() -> None:
    """Without LangGraph all else is there, and what is for agents says what to install."""
    said = python(WITHOUT_AGENTS)
    assert said.startswith("MissingExtraError langchain_ctx.ContextMiddleware needs langchain and langgraph")
    assert said.endswith('pip install "ctx-layers[agents]"')


def test_missing_langchain_names_the_extra() -> None:
    """Without langchain-core the error says what to install."""
    assert python(WITHOUT_LANGCHAIN) == (
        'MissingExtraError langchain_ctx needs langchain-core: pip install "ctx-layers[langchain]"'
    )


def test_the_demo_is_an_entry_point() -> None:
    """The command line finds the demonstration by name."""
    (found,) = entry_points(group="ctx_layers.demo", name="langchain")
    assert found.load() is run
