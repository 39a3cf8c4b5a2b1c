"""What providers ask of requests, as data, and which of them a request goes to."""

from ctx_core.providers.provider import Provider
from ctx_core.providers.resolve import Target, target_of
from ctx_core.providers.rules import ByClient, Confidence, Kind, Rule
from ctx_core.providers.table import PROVIDERS, UNKNOWN, provider_named

__all__ = [
    "PROVIDERS",
    "UNKNOWN",
    "ByClient",
    "Confidence",
    "Kind",
    "Provider",
    "Rule",
    "Target",
    "provider_named",
    "target_of",
]
