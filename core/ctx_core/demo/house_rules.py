"""What the demonstration's assistant is told, and the policies that it can look up."""

from __future__ import annotations

from typing import Final

SYSTEM: Final = """\
You are the duty assistant of Skerry Line, a small ferry company with four routes and five ships. You help the
operations desk in Kvitsund with bookings, timetables, weather, crews and passengers.

- Answer in the language of the question, in a few sentences. Times are local, 24 hours; money is in euros.
- Look things up before you state them. Call tools in parallel where one does not depend on the other.
- Before you change or refund a booking, read its fare rules, say what you will do, and wait for a yes, unless the
  desk has already asked for exactly that change.
- If a tool fails, say so. Try once more if the failure looks temporary; never report a change that was not confirmed.
- Never read out dates of birth, cabin numbers or notes about health to anyone but the desk.
- A master decides about weather. You show the forecast and the limits of the ship, and you do not advise to sail.
- Whatever changes a sailing goes into the duty log, with its number, the time and the reason."""

_DISRUPTION: Final = """\
# Policy: disruption

## 1. What counts as a disruption

A sailing is disrupted when it leaves more than 60 minutes late, does not leave at all, ends in another port, or
carries fewer people than were booked. Delays are measured at the moment the last line is let go, not at the
planned closing of the doors. A sailing that leaves early without waiting for checked-in passengers is treated as
cancelled for those who were left behind.

## 2. Who decides

The master decides whether a ship sails. The duty manager decides what happens to the passengers. Nobody at the
desk, and no system, may promise a departure that the master has not confirmed. A forecast above the limits of the
ship is passed on at once with the hour at which it is expected, and again when it changes.

## 3. First hour

Passengers are told within 20 minutes of the decision, by text message in the language of their booking and by
announcement in the terminal. The message says what happened, what they can choose, and when they will hear more.
It does not say why unless the reason is certain. Drivers who wait in the lanes are told in person.

## 4. Care

From 90 minutes of delay there are drinks and a light meal; from four hours a hot meal. If the next sailing leaves
on another day there is a room and the way there, for at most three nights at 80 euros a person when the weather is
the reason, and without a limit when it is not. People with reduced mobility, those who accompany them, families
with small children and unaccompanied minors come first, whatever fare they paid.

## 5. Another sailing

Every passenger may choose the next sailing with room on any of our routes that ends in the same region, at no
charge, within 14 days. Vehicles move with their passengers. If lane metres are short, vehicles are moved in the
order of their bookings, except that live animals, medicines and fresh fish go first. A place on another operator's
ship is bought when ours would arrive more than eight hours later.

## 6. Money back

Who does not want to travel any more gets the full price back within seven days, on the card that paid, and the way
back to the first port where that makes sense. Saver fares are no exception. A part of a return ticket that was
used is not paid back. Refunds over 500 euros need a second pair of eyes; above 2,000 the duty manager signs.

## 7. Compensation

A quarter of the price is due for a late arrival of one hour on a trip of up to four, of two on a trip of up to
eight, and of three on a longer one; half of it from twice that. None is due when the weather made the sailing
unsafe or when something could not have been foreseen by anyone. Strikes of our own people could have been. It is
paid in money, in vouchers only if the passenger asks for them, and not below six euros.

## 8. Groups

A group of ten or more has one contact, who is called and not only texted. Groups are kept together if they ask for
it, even if that means a later sailing. School groups are never split between ships, nor are a coach and its
passengers. The contact signs for the whole group; a single member can still ask for money back.

## 9. Freight

Unaccompanied trailers are moved last, except for refrigerated ones, which are plugged in at the terminal within 30
minutes and whose temperature is written down every hour. Dangerous goods stay on the quay in the marked area and
never overnight. The shipper is told by telephone before the trailer is moved.

## 10. Afterwards

The desk writes the log the same day: sailing, decision, who made it, when the first message went out, number of
people moved, refunded and housed, and what did not work. Complaints are answered within a month, and finally
within two. What passengers wrote in anger is quoted as it is, and answered kindly."""

_ANIMALS: Final = """\
# Policy: animals

## 1. Where animals travel

Dogs and cats travel in a kennel on the car deck, in a pet cabin, or on a lead in the outside area. Assistance dogs
go wherever their people go and need neither a ticket nor a muzzle. On HSC Petrel there are no kennels.

## 2. Papers

Between countries a chip, a passport and a valid rabies vaccination are needed; for Sankt Anders also a tapeworm
treatment between 24 and 120 hours old. The desk looks at the papers at check-in and refuses kindly.

## 3. Other animals

Horses and cattle travel in their own vehicles, only below five metres per second of swell wind, with someone who
looks after them. Bees travel closed, upright and last on board. Reptiles travel by arrangement."""

_DANGEROUS: Final = """\
# Policy: dangerous goods

## 1. In private cars

One full gas bottle of up to 11 kg may travel in a camper if it is closed. Spare petrol may not. Batteries of
electric cars and bicycles are not charged on board; damaged ones stay ashore.

## 2. In freight

Declarations arrive four hours before departure. Classes 1, 2.3, 6.2 and 7 are refused on passenger sailings. The
chief officer signs the stowage plan, and a copy hangs on the bridge."""

_POLICIES: Final = {"disruption": _DISRUPTION, "animals": _ANIMALS, "dangerous goods": _DANGEROUS}


def policy(topic: str) -> str:
    """Give the text of a policy, its sections numbered."""
    return _POLICIES[topic]
