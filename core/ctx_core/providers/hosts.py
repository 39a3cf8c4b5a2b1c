"""Which row a server says, by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.providers.table import PROVIDERS

if TYPE_CHECKING:
    from ctx_core.providers.provider import Provider


def row_of_host(host: str) -> Provider | None:
    """Give the row that a server is of; None where it has many providers' models, or is not known.

    Args:
        host: its name, or an address with scheme, port and path.
    """
    lowered = host.strip().lower()
    plain = lowered.partition("://")[2] or lowered
    plain = plain.partition("/")[0].rpartition("@")[2].partition(":")[0]
    return next(
        (
            row
            for row in PROVIDERS.values()
            if any(plain == known or plain.endswith((f".{known}", f"-{known}")) for known in row.hosts)
        ),
        None,
    )
