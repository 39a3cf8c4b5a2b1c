"""The package itself: what it exports, what it needs, and what it says where that is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources

import llamaindex_ctx


def isolated(code: str) -> str:
    """Run code in a fresh interpreter and give what it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_public_names_are_there() -> None:
    """All that is exported exists, and the package is typed."""
    assert all(hasattr(llamaindex_ctx, name) for name in llamaindex_ctx.__all__)
    assert resources.files(llamaindex_ctx).joinpath("py.typed").is_file()


def test_without_llamaindex_it_names_the_install() -> None:
    """The error is an `ImportError` with the exact command."""
    printed = isolated(
        "import sys\n"
        "sys.modules['llama_index'] = None\n"
        "try:\n"
        "    import llamaindex_ctx\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    assert printed.startswith("MissingExtraError")
    assert 'pip install "ctx-layers[llamaindex]"' in printed


def test_what_is_missing_within_llamaindex_is_not_hidden() -> None:
    """A broken installation is reported as what it is."""
    printed = isolated(
        "import sys\n"
        "sys.modules['filetype'] = None\n"
        "try:\n"
        "    import llamaindex_ctx\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error.name)\n"
    )
    assert printed == "ModuleNotFoundError filetype"


def test_it_needs_no_other_framework() -> None:
    """Nothing of LangChain is imported with it."""
    printed = isolated(
        "import sys, llamaindex_ctx\nprint([name for name in sys.modules if name.startswith('langchain')])"
    )
    assert printed == "[]"
