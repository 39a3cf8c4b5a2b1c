"""What may happen to old pictures and recordings."""

from __future__ import annotations

from dataclasses import dataclass

from ctx_core.errors import BudgetError
from ctx_core.history.checks import names_in, need_from_zero
from ctx_core.history.media import KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPolicy:
    """What may happen to media in user messages and results when something is cut: words say what was there.

    Those of the question that is being answered and of the newest step stay.
    """

    keep_newest: int | None = None
    """At every cut, all media but so many of the newest are named, and stay so. None: as many as fit stay; they are
    named oldest first, and no more than it takes."""
    kinds: tuple[str, ...] = ("image", "audio", "video")
    """Which media may go: `image`, `audio`, `video`, and `document`, such as a PDF. Documents that are plain text are
    cut as texts are."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        need_from_zero("keep_newest", self.keep_newest, or_none=True)
        object.__setattr__(self, "kinds", names_in("kinds", self.kinds))
        unknown = sorted({*self.kinds} - {*KINDS})
        if unknown:
            msg = f"kinds must be of {', '.join(KINDS)}, found {', '.join(map(repr, unknown))}"
            raise BudgetError(msg)
