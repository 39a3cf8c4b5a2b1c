"""What was read of conversations the last time, so that what was edited since is noticed without reading it again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ctx_core.history.keys import key_at, message_key
from ctx_core.history.places import positions
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.history.state import WindowState

_MOST: Final = 20_000
"""Messages of all conversations that are held, beside those of the one that was used last."""

Seen: TypeAlias = Literal["same", "edited", "unknown"]
"""How what was left out then stands to what is there now; `unknown` where nothing was held."""


class ReadIndex:
    """Holds the messages that were left out, as the objects that they were; shareable between threads.

    May be dropped without harm: then the digest in the state is checked, which reads them once. A copy, deep or
    pickled, starts empty.
    """

    __slots__ = ("_held", "_lock", "_size")

    def __init__(self) -> None:
        """Hold nothing."""
        self._lock = Lock()
        self._held: OrderedDict[tuple[str, str], tuple[str, list[Any]]] = OrderedDict()
        self._size = 0

    def hold(self, key: str, known: str, state: WindowState, transcript: Transcript[Any]) -> None:
        """Hold what a state leaves out, unless it is held."""
        digest = state.gone_digest
        if not state.start or digest is None or self._held.get((key, known), ("",))[0] == digest:
            return
        self._replace((key, known), digest, transcript.sources(state.start))

    def seen(self, key: str, known: str, state: WindowState, transcript: Transcript[Any]) -> Seen:
        """Say whether what a state leaves out is what was held: the same objects, or others that say the same."""
        digest, held = self._held.get((key, known), ("", []))
        if digest != state.gone_digest:
            return "unknown"
        if len(held) > len(transcript):
            return "edited"
        natives = transcript.sources(len(held))
        # The comparison of lists asks for identity first, and only then for what the objects say.
        if _equal(natives, held):
            if natives[0] is not held[0] or natives[-1] is not held[-1]:
                # A checkpoint gives all of them as new objects: from now on these are the ones to be found again.
                self._replace((key, known), digest, natives)
            return "same"
        for at, before, native in zip(positions(0, len(held)), held, natives, strict=True):
            if before is native or _equal(before, native):
                continue
            if message_key(transcript.codec.read(before)) != key_at(transcript, at):
                return "edited"
        self._replace((key, known), digest, natives)
        return "same"

    def forget(self, key: str) -> None:
        """Hold nothing of the conversations under a key."""
        with self._lock:
            for place in [place for place in self._held if place[0] == key]:
                self._size -= len(self._held.pop(place)[1])

    def _replace(self, place: tuple[str, str], digest: str, natives: list[Any]) -> None:
        with self._lock:
            self._size += len(natives) - len(self._held.pop(place, ("", ()))[1])
            if natives:
                self._held[place] = (digest, natives)
            while self._size > _MOST and len(self._held) > 1:
                self._size -= len(self._held.popitem(last=False)[1][1])

    def __reduce__(self) -> tuple[type[ReadIndex], tuple[()]]:
        """Copy and pickle as an empty one."""
        return (ReadIndex, ())


def _equal(one: object, other: object) -> bool:
    """Whether objects are equal; those that cannot be compared, with an array in them, may still say the same."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - an object of the caller's may raise anything
        return False
