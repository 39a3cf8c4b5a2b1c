"""What the recipes' estimators charge beside the texts."""

from __future__ import annotations

from typing import Final

from ctx_core.counting.framing import CallFraming, Framing, MediaFraming, MessageFraming
from ctx_core.counting.image_prices import ImagePrice

IMAGE: Final = 1_000
"""Tokens of a picture whose price is not known: the size tells nothing where the model's formula does not."""
CHAT: Final = Framing(messages=MessageFraming(per_request=0, per_message=4, per_name=0))
"""4 tokens a message, for its role and its frame."""
ASSISTANT: Final = Framing(messages=MessageFraming(per_request=3, per_message=4, per_name=0))
"""4 tokens a message, and 3 for a list of them."""
ROLLING: Final = Framing(
    messages=MessageFraming(per_request=3, per_message=4, per_name=0),
    calls=CallFraming(per_call=10),
    media=MediaFraming(images=ImagePrice(kind="flat", unit=IMAGE), image=IMAGE),
)
"""4 tokens a message, 10 a tool call beside its name and its arguments, 1,000 a picture, 3 a list."""
