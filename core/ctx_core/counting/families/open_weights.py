"""What models with open weights have in common: exact text, and the frame and the tools of their chat templates."""

from __future__ import annotations

from typing import Final

from ctx_core.counting.framing import CallFraming, Framing, MediaFraming, MessageFraming, SchemaFraming, ToolFraming
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

OPEN: Final = Framing(
    messages=MessageFraming(per_request=5, per_message=5),
    calls=CallFraming(per_call=12, name_prefix=""),
    tools=ToolFraming(per_tool=0, style="json", per_request=85, in_system=False, forced=0, forced_prefix=None),
    schema=SchemaFraming(per_schema=0, per_token=0),
    media=MediaFraming(image=None, images=ImagePrice(kind="patches", unit=1.0)),
)
OPEN_WINDOWS: Final = (
    "the model cards, without what stretches them, or what several hosts have in common where that is less, after "
    "LiteLLM 1.110.2 and genai-prices 0.2.3; a single host may serve less"
)
"""Where windows are from that no single provider decides; a row that goes by something else says so."""
HOSTED: Final = Margin(tools=1.1, any_tools=40, per_call=10, per_request=5, media=1.5)
