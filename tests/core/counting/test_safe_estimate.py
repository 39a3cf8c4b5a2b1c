"""The estimate without a vocabulary: not too low in any script, and not far too high."""

from __future__ import annotations

import base64
import gzip
import json
import random
import string
import uuid
from pathlib import Path
from unicodedata import category

import pytest

import ctx_core
from ctx_core.counting import SafeEstimate, TokenCounter

CHATS = Path(__file__).parents[4] / "shared" / "data" / "chats"
COUNT = TokenCounter.for_encoding("o200k_base").count_text
DICE = random.Random(7)  # noqa: S311 - fixed test data

SAMPLES = {
    "chinese": "今天下午三点我们在会议室讨论新的预算方案，请大家提前准备好材料。" * 5,
    "japanese": "会議は午後三時に始まります。資料を忘れずに持ってきてください。" * 5,
    "korean": "회의는 오후 세 시에 시작합니다. 자료를 잊지 말고 가져와 주세요. " * 5,
    "arabic": "يبدأ الاجتماع في الساعة الثالثة بعد الظهر، ولا تنسوا إحضار الأوراق. " * 5,
    "hindi": "बैठक दोपहर तीन बजे शुरू होगी, कृपया कागज़ात साथ लाना न भूलें। " * 5,
    "thai": "การประชุมเริ่มเวลาบ่ายสามโมง กรุณาอย่าลืมนำเอกสารมาด้วย " * 5,
    "russian": "Совещание начнётся в три часа дня, не забудьте взять документы. " * 5,
    "rare han": "".join(chr(DICE.randrange(0x4E00, 0xA000)) for _ in range(500)),
    "rare hangul": "".join(chr(DICE.randrange(0xAC00, 0xD7A4)) for _ in range(500)),
    "traditional chinese": "會議將於下午三點開始，請各位同仁務必攜帶相關資料並準時出席。" * 5,
    "ids": " ".join(f"call_{DICE.getrandbits(64):x}" for _ in range(50)),
    "tibetan": "བོད་སྐད་ནི་བོད་མིའི་སྐད་ཡིག་ཡིན།" * 5,
    "blank": " ",
    "emoji": "🚀🎉🔥✨🙏💡" * 20,
    "columns of numbers": "\n".join(f"{at:2} {at * at:5} {at**3:7}" for at in range(40)),
    "numbers": " ".join(str(DICE.getrandbits(64)) for _ in range(50)),
    "uuids": " ".join(str(uuid.UUID(int=DICE.getrandbits(128))) for _ in range(30)),
    "base64": base64.b64encode(DICE.randbytes(2_000)).decode(),
    "code": Path(__file__).read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("script", SAMPLES)
def test_no_script_is_estimated_too_low(script: str) -> None:
    """The estimate is not under o200k_base, whatever is written."""
    assert SafeEstimate().count(SAMPLES[script]) >= COUNT(SAMPLES[script])


def chats(path: Path) -> list[str]:
    """Give the texts of a file of chats."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    contents = [message["content"] for line in lines for message in json.loads(line)["messages"]]
    return [text for text in contents if isinstance(text, str) and text]


@pytest.mark.skipif(not CHATS.is_dir(), reason="the real chats are not here")
@pytest.mark.parametrize("path", sorted(CHATS.glob("*.jsonl.gz")), ids=lambda path: path.name)
@pytest.mark.parametrize("as_json", [None, 0, 2])
def test_real_chats_are_neither_under_nor_far_over(path: Path, as_json: int | None) -> None:
    """No message is under, and each file is at most 1.8 times its count, as text and as JSON."""
    texts = chats(path)
    if as_json is not None:
        messages = [{"role": "user", "content": text} for text in texts]
        texts = [json.dumps(message, ensure_ascii=False, indent=as_json or None) for message in messages]
    estimates, counts = list(map(SafeEstimate().count, texts)), list(map(COUNT, texts))
    assert [at for at, (estimate, count) in enumerate(zip(estimates, counts, strict=True)) if estimate < count] == []
    assert sum(estimates) <= 1.8 * sum(counts)


CODE = sorted(Path(json.__file__).parents[1].glob("*.py"))[:40] + sorted(Path(ctx_core.__file__).parent.glob("*/*.py"))


def test_code_is_neither_under_nor_far_over() -> None:
    """No file of Python's own library or of this package."""
    texts = [path.read_text("utf-8", "ignore") for path in CODE]
    ratios = [SafeEstimate().count(text) / COUNT(text) for text in texts if len(text) > 500]
    assert len(ratios) > 100
    assert min(ratios) >= 1
    assert max(ratios) <= 1.8


@pytest.mark.parametrize("indent", [None, 2, 8, 40])
def test_json_is_neither_under_nor_far_over(indent: int | None) -> None:
    """Numbers, ids, names and flags, with blanks or without."""
    rows = [
        {"id": DICE.getrandbits(60), "price": DICE.random(), "name": DICE.choice(("anna", "bob")), "paid": at % 2 == 0}
        for at in range(100)
    ]
    for separators in (None, (",", ":")):
        text = json.dumps(rows, indent=indent, separators=separators)
        assert 1 <= SafeEstimate().count(text) / COUNT(text) <= 1.8


BLANKS = (" ", "\t", "\n", "\r", "\r\n", " \t", "\n ", "\t \n", "  \n", " \r\n", "\n\t", "\u00a0", "\u3000", "\u2028")


@pytest.mark.parametrize("times", [1, 2, 3, 7, 40, 100, 1_000])
@pytest.mark.parametrize("unit", [*BLANKS, *map(chr, range(32)), "\x7f", "\x85", "\u200b"], ids=repr)
def test_runs_of_what_is_not_seen_are_not_under(unit: str, times: int) -> None:
    """Blanks, tabs, line ends and control characters, alone and between words."""
    for text in (unit * times, f"a{unit * times}b", f"{unit * times}9", f"x\n{unit * times}(", f"({unit * times}"):
        assert SafeEstimate().count(text) >= COUNT(text)


@pytest.mark.parametrize("unit", string.punctuation)
@pytest.mark.parametrize("times", [1, 2, 3, 5, 16, 40, 333])
def test_runs_of_a_sign_are_not_under(unit: str, times: int) -> None:
    """As lines are drawn, and brackets are nested."""
    for text in (unit * times, f"word{unit * times}", f"{unit * times}\n" * 3):
        assert SafeEstimate().count(text) >= COUNT(text)


@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 8, 15, 40, 64, 100, 150])
def test_deep_indentation_is_not_under(blank: str, depth: int) -> None:
    """In front of a word, a sign and a number."""
    text = "".join(f"{blank * depth}{line}\n" for line in ("x = 1", "return", "}", "12", "# so") * 12)
    assert SafeEstimate().count(text) >= COUNT(text)


ALPHABETS = {
    "small": string.ascii_lowercase,
    "capital": string.ascii_uppercase,
    "both": string.ascii_letters,
    "with digits": string.ascii_letters + string.digits,
    "hexadecimal": string.hexdigits,
    "consonants": "bcdfghjklmnpqrstvwxz",
    "german": "abcdefghijklmnopqrstuvwxyzäöüß",
    "polish": "aąbcćdeęfghijklłmnńoópqrsśtuvwxyzźż",
    "vietnamese": "aăâbcdđeêghiklmnoôơpqrstuưvxyáàảãạấầẩẫậ",
    "russian": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "greek": "αβγδεζηθικλμνξοπρστυφχψως",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "thai": "กขคฆงจฉชซญดตถทธนบปผฝพฟภมยรลวศษสหอฮ",
    "devanagari": "अआइईउऊएऐओकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "georgian": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
    "armenian": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփք",
    "kana": "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん",
}


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize(("shortest", "longest"), [(1, 3), (3, 8), (8, 14), (30, 60)])
def test_words_of_random_letters_are_not_under(alphabet: str, shortest: int, longest: int) -> None:
    """Names, keys and codes in any script; words have many rare letters then, and many consonants side by side."""
    letters = ALPHABETS[alphabet]
    words = ["".join(DICE.choices(letters, k=DICE.randint(shortest, longest))) for _ in range(200)]
    for text in (" ".join(words), "\n".join(words), "_".join(words), " ".join(word.title() for word in words)):
        assert SafeEstimate().count(text) >= COUNT(text)


LETTERS = {
    row: letters
    for row in range(0x80, 0x32000, 0x80)
    if (letters := [chr(code) for code in range(row, row + 0x80) if category(chr(code)).startswith("L")])
}


def test_letters_of_every_row_of_unicode_are_not_under() -> None:
    """In order, at random, and in words: 128 characters are a block, or a part of one."""
    under: list[str] = []
    for row, letters in LETTERS.items():
        words = " ".join("".join(DICE.choices(letters, k=DICE.randint(1, 8))) for _ in range(60))
        drawn = "".join(DICE.choices(letters, k=400))
        for name, text in {
            "order": "".join(letters),
            "random": drawn,
            "words": words,
            "apart": " ".join(letters),
        }.items():
            if SafeEstimate().count(text) < COUNT(text):
                under.append(f"{row:05X} {name}")
    assert len(LETTERS) > 500
    assert under == []


def test_a_letter_again_and_again_is_not_under() -> None:
    """Of every row of Unicode: what is frequent beside others is not frequent beside itself."""
    runs = [letter * times for letters in LETTERS.values() for letter in letters[::40] for times in (4, 30, 300)]
    assert [text[0] for text in runs if SafeEstimate().count(text) < COUNT(text)] == []


SEEN = [
    chr(code)
    for first, end, step in ((0xA0, 0x3400, 1), (0x4E00, 0xA000, 29), (0xA000, 0xFFFE, 7), (0x10000, 0x20000, 61))
    for code in range(first, end, step)
    if category(chr(code)) not in {"Cn", "Co", "Cs"}
]


@pytest.mark.parametrize("pattern", ["{0} ", "{0}", "{0},", "({0})", "{0}\n", "{0}{0} ", "{0}{0}\t", "a{0}"])
def test_a_character_alone_or_doubled_is_not_under(pattern: str) -> None:
    """A letter that is no part of a word, a mark on no letter, a rare sign: such texts are made of nothing else."""
    under = [one for one in SEEN if SafeEstimate().count(pattern.format(one) * 60) < COUNT(pattern.format(one) * 60)]
    assert len(SEEN) > 8_000
    assert under == []


@pytest.mark.parametrize("between", ["", " ", "\n\t", ", ", "a"])
def test_few_letters_of_a_row_are_not_under(between: str) -> None:
    """Two or five of them, doubled and in words: what all of the row have in common is not theirs."""
    under: list[str] = []
    for row, letters in LETTERS.items():
        dice = random.Random(row)  # noqa: S311 - fixed test data, whichever tests run before
        for few in (dice.sample(letters, min(2, len(letters))), dice.sample(letters, min(5, len(letters))), letters):
            words = ["".join(dice.choices(few, k=dice.randint(1, 8))) for _ in range(60)]
            for name, parts in {"doubled": [letter * 2 for letter in few] * 6, "words": words}.items():
                text = between.join(parts)
                if SafeEstimate().count(text) < COUNT(text):
                    under.append(f"{row:05X} {name}")
    assert under == []


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_one_word_alone_is_not_under(alphabet: str) -> None:
    """A message of a single name or key, however badly its letters divide."""
    words = ["".join(DICE.choices(ALPHABETS[alphabet], k=DICE.randint(1, 24))) for _ in range(400)]
    assert [word for word in words if SafeEstimate().count(word) < COUNT(word)] == []


@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize("between", ["", " ", "_", "\n"])
def test_one_word_again_and_again_is_not_under(length: int, between: str) -> None:
    """Of random letters or signs, with blanks or without: what words have in common is not its own."""
    for alphabet in (string.ascii_lowercase, string.ascii_uppercase, string.punctuation, ALPHABETS["russian"]):
        for _ in range(100):
            text = between.join(["".join(DICE.choices(alphabet, k=length))] * 40)
            assert SafeEstimate().count(text) >= COUNT(text)


@pytest.mark.parametrize("unit", ["a", " ", "中", "\u200b", "aB", "a1", "+", "\n"])
def test_long_runs_are_estimated(unit: str) -> None:
    """A run of a million characters has an estimate that grows with it."""
    counted = [SafeEstimate().count(unit * n) for n in (10_000, 1_000_000)]
    assert 0 < counted[0] < counted[1]
