"""All rows, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ctx_core.clean import told
from ctx_core.errors import OptionError
from ctx_core.providers.rows.anthropic import ANTHROPIC
from ctx_core.providers.rows.bedrock import BEDROCK
from ctx_core.providers.rows.chat_template import CHAT_TEMPLATE
from ctx_core.providers.rows.cohere import COHERE
from ctx_core.providers.rows.deepseek import DEEPSEEK
from ctx_core.providers.rows.gemini import GEMINI
from ctx_core.providers.rows.mistral import MISTRAL
from ctx_core.providers.rows.openai import OPENAI
from ctx_core.providers.rows.responses import RESPONSES
from ctx_core.providers.rows.unknown import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.providers.provider import Provider

_NAMED: Final = (OPENAI, RESPONSES, ANTHROPIC, GEMINI, BEDROCK, MISTRAL, DEEPSEEK, COHERE, CHAT_TEMPLATE)
UNKNOWN: Final = unknown(_NAMED)
"""What satisfies every other row."""
PROVIDERS: Final[Mapping[str, Provider]] = MappingProxyType({row.name: row for row in (*_NAMED, UNKNOWN)})
"""By the names that `provider=` takes."""


def provider_named(name: str) -> Provider:
    """Give a row by its name.

    Raises:
        OptionError: for a name that no row has; it lists those that there are.
    """
    row = PROVIDERS.get(name)
    if row is None:
        msg = f"unknown provider {told(name)}; known are {', '.join(PROVIDERS)}"
        raise OptionError(msg)
    return row
