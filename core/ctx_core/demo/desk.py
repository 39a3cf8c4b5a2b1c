"""The tools of a small ferry company, without the company: the same arguments always give the same result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from ctx_core.demo.house_rules import policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Route:
    """A line of the timetable."""

    origin: str
    destination: str
    first_sailing: int
    """Number of the day's first sailing; the others count on."""
    departures: tuple[str, ...]
    minutes: int
    ship: str


ROUTES: Final = {
    "KVI-MAR": Route(
        "Kvitsund", "Marøy", 101, ("06:15", "08:45", "11:30", "14:00", "16:45", "19:30", "22:10"), 55, "MF Lunde"
    ),
    "OLD-TAL": Route("Oldwick", "Port Tallis", 201, ("07:30", "13:15", "21:45"), 385, "MS Guillemot"),
    "TAL-STA": Route("Port Tallis", "Sankt Anders", 301, ("09:00", "18:20"), 250, "MS Kittiwake"),
    "MAR-OLD": Route("Marøy", "Oldwick", 401, ("05:50", "12:40", "20:05"), 140, "HSC Petrel"),
}
_FIRST: Final = (
    "Ingrid", "Tomasz", "Amélie", "Yusuf", "Haruka", "Олена", "Liam", "Zofia", "Mateo", "Priya", "Söğüt", "Noor",
    "Bjørn", "Chiara", "Wei", "Kofi", "Eilidh", "Jürgen", "Anaïs", "Oluwaseun",
)  # fmt: skip
_LAST: Final = (
    "Halvorsen", "Kowalczyk", "Moreau", "Demir", "Tanaka", "Шевченко", "O'Rourke", "Lindqvist", "García", "Raman",
    "Van der Berg", "Æbeltoft", "Rossi", "Chen", "Mensah", "MacLeod", "Schröder", "Okafor",
)  # fmt: skip
_FARES: Final = ("saver", "standard", "flex", "resident", "group")
_NOTES: Final = (
    "", "", "", "", "vegetarian meal", "wheelchair space, lift side", "travels with a dog (kennel 4)",
    "unaccompanied minor", "needs a quiet cabin", "nut allergy 🥜",
)  # fmt: skip
_VEHICLES: Final = (None, None, "car", "car with roof box", "motorcycle", "camper 6.9 m", "van 5.4 m", "bicycle")
_RANKS: Final = (
    "master", "chief officer", "second officer", "chief engineer", "second engineer", "electrician", "bosun", "AB",
    "AB", "deckhand", "chef", "steward", "steward", "shop", "purser",
)  # fmt: skip


def result(tool: str, arguments: Mapping[str, Any]) -> str:
    """Give what a tool answers, as text."""
    seed = crc32(json.dumps([tool, arguments], sort_keys=True).encode())
    found = _TOOLS[tool](Random(seed), **arguments)  # noqa: S311 - no secrets: the same story every time
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _timetable(random: Random, route: str, date: str) -> object:
    line = ROUTES[route]
    return {
        "route": route,
        "date": date,
        "sailings": [
            {
                "sailing": f"SL{line.first_sailing + at}",
                "from": line.origin,
                "to": line.destination,
                "departs": departs,
                "duration_min": line.minutes,
                "ship": line.ship,
                "status": random.choice(("on time", "on time", "on time", "boarding early", "10 min late")),
                "lane_metres_free": random.randrange(0, 420, 5),
                "cabins_free": {"inside": random.randrange(30), "outside": random.randrange(14)},
            }
            for at, departs in enumerate(line.departures)
        ],
    }


def _find_booking(random: Random, reference: str) -> object:
    travellers = random.randrange(1, 5)
    return {
        "reference": reference,
        "status": "confirmed",
        "fare": random.choice(_FARES),
        "travellers": [_person(random) for _ in range(travellers)],
        "vehicle": random.choice(_VEHICLES),
        "paid_eur": round(travellers * random.uniform(38, 210), 2),
        "contact": {"language": random.choice(("en", "de", "fr", "pl", "nb", "ja")), "sms": True},
        "history": [f"2026-02-{random.randrange(1, 28):02} {what}" for what in ("created", "paid", "seat chosen")],
    }


def _availability(random: Random, sailing: str, date: str, travellers: int, vehicle: str = "none") -> object:
    places = 30 if sailing == "SL402" else random.randrange(60, 240)  # half of SL403 moves to SL402 in the story
    return {
        "sailing": sailing,
        "date": date,
        "vehicle": vehicle,
        "free": travellers <= places,
        "places_left": places,
        "price_eur": round(travellers * random.uniform(29, 140), 2),
        "waiting_list": random.randrange(6),
    }


def _change_booking(random: Random, reference: str, sailing: str, date: str) -> object:
    confirmation = f"{random.randrange(16**8):08x}"
    return {"ok": True, "reference": reference, "sailing": sailing, "date": date, "confirmation": confirmation}


def _refund(random: Random, reference: str, amount_eur: float, reason: str) -> object:
    return {
        "ok": True,
        "reference": reference,
        "amount_eur": amount_eur,
        "reason": reason,
        "days": random.randrange(3, 8),
    }


def _forecast(random: Random, area: str, date: str) -> object:
    wind = random.randrange(6, 19)
    hours: list[object] = []
    for hour in range(0, 24, 2):
        wind = max(3, wind + random.randrange(-3, 5))
        hours.append(
            {
                "utc": f"{hour:02}:00",
                "wind_ms": wind,
                "gust_ms": wind + random.randrange(2, 9),
                "wave_m": round(wind * 0.17, 1),
                "visibility_km": random.randrange(2, 30),
            }
        )
    return {"area": area, "date": date, "issued": f"{date}T05:00Z", "hours": hours}


def _manifest(random: Random, sailing: str, date: str) -> object:
    size = random.randrange(110, 150)
    return {"sailing": sailing, "date": date, "souls_on_board": size, "people": [_person(random) for _ in range(size)]}


def _position_log(random: Random, ship: str, date: str) -> str:
    latitude, longitude, lines = 58.9, 5.4, [f"# AIS {ship} {date}, every 4 minutes: utc lat lon sog cog"]
    for minute in range(0, 1_200, 4):
        latitude += random.uniform(-0.004, 0.011)
        longitude += random.uniform(-0.006, 0.008)
        speed, course = random.uniform(12, 21), random.randrange(10, 80)
        lines.append(f"{minute // 60:02}:{minute % 60:02} {latitude:.4f} {longitude:.4f} {speed:.1f} {course:03}")
    return "\n".join(lines)


def _crew_roster(random: Random, ship: str, date: str) -> object:
    crew = [{"rank": rank, **_name(random), "on_duty": random.choice(("00-12", "12-24"))} for rank in _RANKS]
    return {"ship": ship, "date": date, "crew": crew}


def _policy(_: Random, topic: str) -> str:
    return policy(topic)


def _notify(random: Random, references: list[str], template: str, language: str) -> object:
    return {
        "sent": len(references),
        "template": template,
        "language": language,
        "batch": random.randrange(10_000, 99_999),
    }


def _log_entry(random: Random, text: str) -> object:
    return {"ok": True, "entry": random.randrange(4_000, 5_000), "characters": len(text)}


def _name(random: Random) -> dict[str, str]:
    return {"name": f"{random.choice(_FIRST)} {random.choice(_LAST)}"}


def _person(random: Random) -> dict[str, object]:
    person: dict[str, object] = {
        **_name(random),
        "born": random.randrange(1938, 2024),
        "cabin": random.randrange(501, 799),
    }
    note = random.choice(_NOTES)
    return {**person, "note": note} if note else person


_TOOLS: Final[dict[str, Callable[..., object]]] = {
    "timetable": _timetable,
    "find_booking": _find_booking,
    "availability": _availability,
    "change_booking": _change_booking,
    "refund": _refund,
    "forecast": _forecast,
    "manifest": _manifest,
    "position_log": _position_log,
    "crew_roster": _crew_roster,
    "policy": _policy,
    "notify": _notify,
    "log_entry": _log_entry,
}
