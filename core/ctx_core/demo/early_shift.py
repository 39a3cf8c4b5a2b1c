"""The first half of the demonstration: a calm Saturday morning that ends with a gale warning."""

from __future__ import annotations

from typing import Final

from ctx_core.demo.script import Turn, call, failing

DAY: Final = "2026-03-14"
NEXT: Final = "2026-03-15"

EARLY_SHIFT: Final = (
    Turn(
        "Morning! ☕ Just took over from the night shift. What does today look like between Kvitsund and Marøy?",
        "Good morning! Seven sailings today, SL101 at 06:15 to SL107 at 22:10, all with MF Lunde and 55 minutes "
        "each. Nothing is cancelled; the list above has the free lane metres.",
        (call("timetable", route="KVI-MAR", date=DAY),),
    ),
    Turn(
        "And the weather for the crossing, please. Compare with tomorrow.",
        "I have both days, every two hours. Today stays within the limits of MF Lunde until the evening; tomorrow "
        "begins with more wind and higher waves. The master has the same figures.",
        ((call("forecast", area="Marøysund", date=DAY), call("forecast", area="Marøysund", date=NEXT)),),
        "Both days at once:",
    ),
    Turn(
        "A passenger is at the counter, booking K7TQ2M. She wants to go at 11:30 instead of 08:45. Can she?",
        "Yes: SL103 at 11:30 has room, and her fare allows a change on the day. I have not changed anything yet. "
        "Shall I move K7TQ2M to SL103?",
        (
            call("find_booking", reference="K7TQ2M"),
            call("availability", sailing="SL103", date=DAY, travellers=1),
        ),
    ),
    Turn(
        "Yes please.",
        "Done: K7TQ2M now sails with SL103 at 11:30 today, confirmed.",
        (call("change_booking", reference="K7TQ2M", sailing="SL103", date=DAY),),
    ),
    Turn(
        "Guten Morgen, hier ist ein Herr mit Wohnmobil und zwei Hunden, Buchung R4XX9A. Wo fahren die Hunde mit, und "
        "braucht er für Sankt Anders besondere Papiere?",
        "Die Hunde können im Zwinger auf dem Autodeck, in einer Tierkabine oder an der Leine im Außenbereich "
        "mitfahren. Für Sankt Anders braucht er Chip, Pass, gültige Tollwutimpfung und eine Bandwurmbehandlung, die "
        "24 bis 120 Stunden alt ist. Bitte beim Check-in die Papiere zeigen lassen.",
        ((call("find_booking", reference="R4XX9A"), call("policy", topic="animals")),),
    ),
    Turn(
        "Who is the master of the Guillemot today? And is there an electrician on board, the galley has a dead outlet.",
        "The roster above has the master and the electrician of MS Guillemot with their watches. I have put the dead "
        "outlet in the galley into the duty log.",
        (
            call("crew_roster", ship="MS Guillemot", date=DAY),
            call("log_entry", text="MS Guillemot: dead outlet in the galley, passed on to the electrician."),
        ),
    ),
    Turn(
        "I need the full manifest of SL201, coast guard drill at 09:00 and they want names.",
        "Here is the whole manifest of SL201 of today, the number of souls on board at the top. The notes are for "
        "the desk and the coast guard only, some are about health.",
        (call("manifest", sailing="SL201", date=DAY),),
        "This will be long.",
    ),
    Turn(
        "ok. how many wheelchair spaces are in that list, and is the lift on the Guillemot working again?",
        "The manifest marks every wheelchair space with its note, lift side. About the lift I have no tool that "
        "could tell me; the chief officer would know. I can put the question into the duty log.",
    ),
    Turn(
        "Bonjour, une famille de quatre avec un van de 5,4 m veut aller d'Oldwick à Port Tallis demain. Le matin ou "
        "l'après-midi, qu'est-ce qui est le moins cher ?",
        "Les deux départs ont de la place pour quatre personnes et un van : SL201 à 07:30 et SL202 à 13:15. Les prix "
        "sont dans les réponses ci-dessus ; SL203 à 21:45 est aussi possible, avec une cabine.",
        (
            (
                call("availability", sailing="SL201", date=NEXT, travellers=4, vehicle="van 5.4 m"),
                call("availability", sailing="SL202", date=NEXT, travellers=4, vehicle="van 5.4 m"),
                call("availability", sailing="SL203", date=NEXT, travellers=4, vehicle="van 5.4 m"),
            ),
        ),
    ),
    Turn(
        "Refund for B2WN8D please, 86.40, she was double charged. I have checked it with accounting.",
        "The first attempt timed out at the payment gateway and nothing was paid; the second went through. B2WN8D "
        "gets 86.40 euros back on the card that paid.",
        (
            call("find_booking", reference="B2WN8D"),
            failing(
                "refund",
                "payment gateway timed out after 30 s; the refund was not made (code 504, safe to try again)",
                reference="B2WN8D",
                amount_eur=86.4,
                reason="double charge",
            ),
            call("refund", reference="B2WN8D", amount_eur=86.4, reason="double charge"),
        ),
    ),
    Turn(
        "Four people on standby for SL104 at 14:00, two with cars. Put them in order of who can still go.",
        "All four can go. By the time of their bookings the order is S1BY4A, S1BY5B, S1BY6C, S1BY7D; the two cars "
        "need ten lane metres together, which SL104 has.",
        (
            call("availability", sailing="SL104", date=DAY, travellers=4, vehicle="car"),
            (
                call("find_booking", reference="S1BY4A"),
                call("find_booking", reference="S1BY5B"),
                call("find_booking", reference="S1BY6C"),
                call("find_booking", reference="S1BY7D"),
            ),
        ),
    ),
    Turn(
        "good. confirm all four and send them to the gate",
        "Confirmed for SL104 at 14:00: S1BY4A, S1BY5B, S1BY6C and S1BY7D. All four have the message with their gate.",
        (
            (
                call("change_booking", reference="S1BY4A", sailing="SL104", date=DAY),
                call("change_booking", reference="S1BY5B", sailing="SL104", date=DAY),
                call("change_booking", reference="S1BY6C", sailing="SL104", date=DAY),
                call("change_booking", reference="S1BY7D", sailing="SL104", date=DAY),
            ),
            call("notify", references=["S1BY4A", "S1BY5B", "S1BY6C", "S1BY7D"], template="gate", language="en"),
        ),
    ),
    Turn("You're a star 🌟🌟", "Happy to help. I have the next hours' sailings in view if anything moves. ⛴️"),
    Turn(
        "おはようございます。予約番号 H9JP3C のお客様が、マーロイ発オールドウィック行きの船にお弁当を忘れたそうです。"
        "今日の便の乗組員は誰ですか?",
        "おはようございます。HSC Petrel の本日の乗組員表と予約 H9JP3C を確認しました。"
        "忘れ物はパーサーにお問い合わせください。当直日誌にも記録しました。",
        (
            (call("find_booking", reference="H9JP3C"), call("crew_roster", ship="HSC Petrel", date=DAY)),
            call("log_entry", text="HSC Petrel: lunch box left on board, booking H9JP3C, purser to be asked."),
        ),
    ),
    Turn(
        "Coast guard asks where the Kittiwake was yesterday between 03:00 and 05:00 UTC. Do we have the track?",
        "Yes, the positions of MS Kittiwake of 13 March, every four minutes, are above; the two hours they ask for "
        "are in the first third. Shall I write into the log that we handed it out?",
        (call("position_log", ship="MS Kittiwake", date="2026-03-13"),),
    ),
    Turn(
        "yes, log it",
        "Logged: track of MS Kittiwake of 13 March, 03:00 to 05:00 UTC, handed to the coast guard.",
        (call("log_entry", text="Track of MS Kittiwake, 2026-03-13 03:00-05:00 UTC, handed to the coast guard."),),
    ),
    Turn(
        "Dzień dobry! Klient z rezerwacją P5LK7Z pyta, czy może zabrać butlę gazową 11 kg w kamperze i naładować "
        "rower elektryczny na pokładzie.",
        "Dzień dobry! Jedna pełna, zakręcona butla do 11 kg w kamperze jest dozwolona. Rowerów elektrycznych nie "
        "wolno ładować na pokładzie, a uszkodzone akumulatory zostają na lądzie.",
        ((call("policy", topic="dangerous goods"), call("find_booking", reference="P5LK7Z")),),
    ),
    Turn(
        "God dag! Kunde med booking V3NB6S vil vite om hun kan ta MF Lunde i morgen tidlig med sykkel, og hva det "
        "koster.",
        "God dag! Ja, det er plass på SL101 kl. 06:15 og SL102 kl. 08:45 i morgen, og sykkelen kan være med på "
        "begge. Prisene står over. Skal jeg flytte V3NB6S?",
        (
            call("find_booking", reference="V3NB6S"),
            (
                call("availability", sailing="SL101", date=NEXT, travellers=1, vehicle="bicycle"),
                call("availability", sailing="SL102", date=NEXT, travellers=1, vehicle="bicycle"),
            ),
        ),
    ),
    Turn("Nei takk, hun tenker på det.", "Helt i orden. V3NB6S står som før."),
    Turn(
        "The met office just called, something is coming in. Latest for Outer Skerries and Tallis Bight?",
        "Both forecasts are above. The wind grows through the afternoon in both areas, with gusts well above the "
        "mean. The limits of HSC Petrel are the first to be reached; its master and the duty manager should see this "
        "now.",
        ((call("forecast", area="Outer Skerries", date=DAY), call("forecast", area="Tallis Bight", date=DAY)),),
        "Looking at both areas.",
    ),
)
