"""The second half of the demonstration: a cancelled sailing, and everyone who was on it."""

# ruff: noqa: RUF001 - passengers and desk write in many scripts

from __future__ import annotations

from typing import Final

from ctx_core.demo.early_shift import DAY, NEXT
from ctx_core.demo.script import Turn, call, failing

LATE_SHIFT: Final = (
    Turn(
        "Master of the Petrel has cancelled SL403 at 20:05. Pull the disruption policy and the manifest, then tell "
        "me what we owe people.",
        "SL403 is cancelled for weather. We owe: a message within 20 minutes, drinks and a meal while they wait, the "
        "next sailing with room at no charge within 14 days or the full price back within seven, and a room at up to "
        "80 euros a person if they only leave tomorrow. No compensation is due, as the weather made the sailing "
        "unsafe. People with reduced mobility, families and minors come first; they are marked in the manifest.",
        (
            (call("policy", topic="disruption"), call("manifest", sailing="SL403", date=DAY)),
            call("timetable", route="MAR-OLD", date=NEXT),
        ),
        "The policy and the manifest first, then tomorrow's sailings.",
    ),
    Turn(
        "Send the cancellation text to the first batch: M3AA1F, M3AA2G, M3AA3H in Norwegian, M3AB7K and M3AB8L in "
        "English.",
        "Sent: three messages in Norwegian and two in English. The clock started with the master's decision, so we "
        "are within the 20 minutes.",
        (
            (
                call("notify", references=["M3AA1F", "M3AA2G", "M3AA3H"], template="cancelled", language="nb"),
                call("notify", references=["M3AB7K", "M3AB8L"], template="cancelled", language="en"),
            ),
            call("log_entry", text="SL403 cancelled by the master (wind). First messages out."),
        ),
    ),
    Turn(
        "Now move them, one by one. All five to SL402 tomorrow, 12:40, unless something is full.",
        "Four of five are on SL402 tomorrow at 12:40. M3AA3H could not be moved: the booking was open at another "
        "desk. I tried once more and it worked, so all five are moved and have their message.",
        (
            call("availability", sailing="SL402", date=NEXT, travellers=11, vehicle="car"),
            (
                call("change_booking", reference="M3AA1F", sailing="SL402", date=NEXT),
                call("change_booking", reference="M3AA2G", sailing="SL402", date=NEXT),
                failing(
                    "change_booking",
                    "booking is locked by terminal MAR-2 since 18:42; unable to write",
                    reference="M3AA3H",
                    sailing="SL402",
                    date=NEXT,
                ),
                call("change_booking", reference="M3AB7K", sailing="SL402", date=NEXT),
                call("change_booking", reference="M3AB8L", sailing="SL402", date=NEXT),
            ),
            call("change_booking", reference="M3AA3H", sailing="SL402", date=NEXT),
            (
                call("notify", references=["M3AA1F", "M3AA2G", "M3AA3H"], template="rebooked", language="nb"),
                call("notify", references=["M3AB7K", "M3AB8L"], template="rebooked", language="en"),
            ),
        ),
        "Checking the room on SL402 before I move anyone.",
    ),
    Turn(
        "Добрий вечір! Я з бронюванням U6KY4E, рейс SL403 скасовано. Зі мною двоє малих дітей. Де ми будемо ночувати?",
        "Добрий вечір! Дуже шкода, що рейс скасовано. Родини з малими дітьми мають першість: ми надаємо кімнату і "
        "дорогу до неї, а завтра ви поїдете рейсом SL401 о 05:50 або SL402 о 12:40, без доплати. Який вам зручніший?",
        (
            call("find_booking", reference="U6KY4E"),
            (
                call("availability", sailing="SL401", date=NEXT, travellers=3),
                call("availability", sailing="SL402", date=NEXT, travellers=3),
            ),
        ),
    ),
    Turn(
        "Другий, будь ласка. Дякую! 🙏",
        "Готово: U6KY4E завтра їде рейсом SL402 о 12:40. Працівник термінала проведе вас до готелю.",
        (
            call("change_booking", reference="U6KY4E", sailing="SL402", date=NEXT),
            call("log_entry", text="U6KY4E: family with small children, room needed tonight, moved to SL402 tomorrow."),
        ),
    ),
    Turn(
        "Buenas tardes, grupo escolar G8ES5T, 34 alumnos y tres profesores. ¿Pueden viajar juntos mañana?",
        "Buenas tardes. Los grupos escolares nunca se separan. Mañana SL402 ya no tiene sitio suficiente para todos, "
        "pero SL403 a las 20:05 sí. Llamo al contacto del grupo antes de cambiar nada.",
        (
            (
                call("find_booking", reference="G8ES5T"),
                call("availability", sailing="SL402", date=NEXT, travellers=37, vehicle="coach"),
                call("availability", sailing="SL403", date=NEXT, travellers=37, vehicle="coach"),
            ),
        ),
    ),
    Turn(
        "The teacher on the phone says 20:05 is fine, please move G8ES5T.",
        "G8ES5T, 37 people and their coach, is on SL403 tomorrow at 20:05, and the group's contact has the message "
        "in Spanish.",
        (
            call("change_booking", reference="G8ES5T", sailing="SL403", date=NEXT),
            call("notify", references=["G8ES5T"], template="rebooked", language="es"),
        ),
    ),
    Turn(
        "Three who only want their money: N1RF6A 142.00, N1RF7B 58.50, N1RF8C 611.20. Duty manager has OKed the big "
        "one.",
        "All three are paid back in full: 142.00, 58.50 and 611.20 euros. The last one is over 500 euros and carries "
        "the duty manager's approval in the log.",
        (
            (
                call("find_booking", reference="N1RF6A"),
                call("find_booking", reference="N1RF7B"),
                call("find_booking", reference="N1RF8C"),
            ),
            (
                call("refund", reference="N1RF6A", amount_eur=142.0, reason="SL403 cancelled"),
                call("refund", reference="N1RF7B", amount_eur=58.5, reason="SL403 cancelled"),
                call("refund", reference="N1RF8C", amount_eur=611.2, reason="SL403 cancelled"),
            ),
            call("log_entry", text="N1RF8C: refund of 611.20 EUR approved by the duty manager."),
        ),
    ),
    Turn(
        "مساء الخير، رقم الحجز A4SD9Q. هل ستبحر سفينة الساعة 21:45 إلى بورت تاليس الليلة؟",
        "مساء الخير. حتى الآن الرحلة SL203 في موعدها الساعة 21:45، لكن القبطان هو من يقرر بحسب الطقس. "
        "سنرسل لكم رسالة فور حدوث أي تغيير.",
        (
            (
                call("find_booking", reference="A4SD9Q"),
                call("timetable", route="OLD-TAL", date=DAY),
                call("forecast", area="Oldwick Roads", date=DAY),
            ),
        ),
    ),
    Turn(
        "Speaking of which: where is the Guillemot right now, did she slow down on the way back? I want the whole "
        "track.",
        "The track of MS Guillemot of today is above, every four minutes with speed and course. There are slower "
        "stretches, but no stop; whether that was the weather, the master can tell.",
        (call("position_log", ship="MS Guillemot", date=DAY),),
    ),
    Turn(
        "Hindi speaker at gate 2, I don't understand him. He wrote: मेरी बुकिंग D7IN2V है, क्या मुझे आज रात की नाव मिलेगी?",
        "He asks whether he will get tonight's boat with booking D7IN2V. For him: आपकी बुकिंग D7IN2V की पुष्टि है। "
        "नाव SL107 रात 22:10 बजे चलेगी, कृपया गेट 2 पर प्रतीक्षा करें।",
        ((call("find_booking", reference="D7IN2V"), call("timetable", route="KVI-MAR", date=DAY)),),
    ),
    Turn("thx 🙏😅 what a night", "You are nearly through it. SL107 at 22:10 is the last one on this side."),
    Turn(
        "Refrigerated trailer TRL-88 was on SL403 too. What do I have to do with it, and who was the shipper?",
        "Plug it in at the terminal within 30 minutes, write its temperature down every hour, and call the shipper "
        "before it is moved. The shipper is not in the booking F5TR1L, only the haulier; the desk has the number. I "
        "have logged the time.",
        (
            (call("policy", topic="disruption"), call("find_booking", reference="F5TR1L")),
            call("log_entry", text="TRL-88 (refrigerated, from SL403): to be plugged in, hourly temperature."),
        ),
    ),
    Turn(
        "中国旅行团的领队问:W2CN6X 明天早上 07:30 的船还开吗?他们有 26 个人。",
        "目前 SL201 明天 07:30 照常开航,W2CN6X 的预订有效。是否开航由船长根据天气决定;如有变动,"
        "我们会先打电话通知领队。",
        (
            (
                call("find_booking", reference="W2CN6X"),
                call("timetable", route="OLD-TAL", date=NEXT),
                call("forecast", area="Oldwick Roads", date=NEXT),
            ),
        ),
    ),
    Turn(
        "And Sankt Anders tomorrow? The Kittiwake people ask for their roster as well.",
        "Two sailings tomorrow on Port Tallis – Sankt Anders, SL301 at 09:00 and SL302 at 18:20, and the crew of MS "
        "Kittiwake with its watches is above.",
        ((call("timetable", route="TAL-STA", date=NEXT), call("crew_roster", ship="MS Kittiwake", date=NEXT)),),
    ),
    Turn(
        "Before I go: the manifest of SL402 tomorrow for the hotel pick-up, and check that M3AA3H and U6KY4E are "
        "still fine.",
        "Here is tomorrow's manifest of SL402, and both bookings are confirmed. For the pick-up, please give the "
        "driver names and numbers of people only.",
        (
            (
                call("manifest", sailing="SL402", date=NEXT),
                call("find_booking", reference="M3AA3H"),
                call("find_booking", reference="U6KY4E"),
            ),
        ),
    ),
    Turn(
        "Write the log for the whole thing, please, as the policy wants it.",
        "The log entry is written: SL403, cancelled by the master for wind, first message within 20 minutes, five "
        "bookings and a family moved to SL402, a school group to SL403 tomorrow, three refunds, one trailer on "
        "power. What did not work: a locked booking at terminal MAR-2 and one timeout of the payment gateway.",
        (
            failing("log_entry", "text is empty: the entry was not written", text=""),
            call(
                "log_entry",
                text="SL403 of 2026-03-14 cancelled by the master (wind). Moved: M3AA1F, M3AA2G, M3AA3H, M3AB7K, "
                "M3AB8L and U6KY4E to SL402, G8ES5T to SL403 of 2026-03-15. Refunded: N1RF6A, N1RF7B, N1RF8C. "
                "TRL-88 on power. Trouble: locked booking at MAR-2, gateway timeout.",
            ),
        ),
    ),
    Turn("Good night, and thank you 💙", "Good night! The next shift finds everything in the log. 🌊"),
)
