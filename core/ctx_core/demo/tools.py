"""The tool definitions that go with the demonstration, as OpenAI's API takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.demo.desk import ROUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROUTE: Final = {"type": "string", "enum": list(ROUTES), "description": "Code of the route, origin first."}
_DATE: Final = {"type": "string", "format": "date", "description": "Day of departure, as YYYY-MM-DD."}
_SAILING: Final = {"type": "string", "pattern": "^SL[0-9]{3}$", "description": "Number of the sailing."}
_REFERENCE: Final = {"type": "string", "description": "Booking reference of six characters."}
_SHIP: Final = {"type": "string", "description": "Name of the ship with its prefix."}


def _tool(name: str, description: str, *optional: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS: Final[tuple[dict[str, Any], ...]] = (
    _tool("timetable", "List a day's sailings of a route with their status and free space.", route=_ROUTE, date=_DATE),
    _tool("find_booking", "Show a booking: travellers, vehicle, fare and its history.", reference=_REFERENCE),
    _tool(
        "availability",
        "Say whether a sailing has room, and for what price.",
        "vehicle",
        sailing=_SAILING,
        date=_DATE,
        travellers={"type": "integer", "minimum": 1},
        vehicle={"type": "string", "description": "Kind of vehicle; left out if there is none."},
    ),
    _tool(
        "change_booking",
        "Move a booking to another sailing. The fare rules must have been checked before.",
        reference=_REFERENCE,
        sailing=_SAILING,
        date=_DATE,
    ),
    _tool(
        "refund",
        "Pay money back to the card that paid.",
        reference=_REFERENCE,
        amount_eur={"type": "number", "exclusiveMinimum": 0},
        reason={"type": "string"},
    ),
    _tool("forecast", "Give the marine forecast of an area, every two hours.", area={"type": "string"}, date=_DATE),
    _tool("manifest", "List everyone on board of a sailing. Long.", sailing=_SAILING, date=_DATE),
    _tool("position_log", "Give a ship's positions of a day, every four minutes. Long.", ship=_SHIP, date=_DATE),
    _tool("crew_roster", "List a ship's crew of a day and their watches.", ship=_SHIP, date=_DATE),
    _tool(
        "policy",
        "Give the full text of a policy.",
        topic={"type": "string", "enum": ["disruption", "animals", "dangerous goods"]},
    ),
    _tool(
        "notify",
        "Send a text message to the contacts of bookings.",
        references={"type": "array", "items": _REFERENCE},
        template={"type": "string", "enum": ["delay", "cancelled", "rebooked", "gate"]},
        language={"type": "string", "description": "Two letters, such as nb."},
    ),
    _tool("log_entry", "Write an entry into the duty log.", text={"type": "string"}),
)
"""What the assistant of the demonstration can call."""
