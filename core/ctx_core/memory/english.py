"""English words: those that say nothing, and the stem of those that do.

The stem of a word need not be a word; it only has to be the same for the forms of one word. Irregular
verbs matter more than rare suffixes here: a question has "did she buy", the memory "she bought".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

STOP_WORDS: Final = frozenset(
    """
    a about after again against all also am an and any are aren as at be because been before being below between
    both but by can cannot could couldn d did didn do does doesn doing don down during each either few for from
    further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
    its itself just ll m me more most mustn my myself neither no nor not of off on once only or other our ours
    ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
    themselves then there these they this those through to too under until up upon ve very was wasn we were weren
    what when where which while who whom whose why will with won would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - easier to read than 170 quoted words
)

# Past forms and participles, the base first.
_VERBS: Final = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent
bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built
burn burnt|buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn
dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought
find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden
hold held|keep kept|know knew known|lay laid|lead led|learn learnt|leave left|lend lent|lose lost|make made
mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|stand stood
steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood
wake woke woken|wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn|write wrote written
"""
_NOUNS: Final = """
child children|foot feet|goose geese|knife knives|half halves|man men|mouse mice|person people
shelf shelves|tooth teeth|wife wives|wolf wolves|woman women
"""
_IRREGULAR: Final = {
    form: base
    for entry in (_VERBS.strip() + "|" + _NOUNS.strip()).replace("\n", "|").split("|")
    for base, *forms in (entry.split(),)
    for form in forms
}

_FORMS: Final[dict[str, tuple[str, ...]]] = {}
for _form, _base in _IRREGULAR.items():
    _FORMS[_base] = (*_FORMS.get(_base, ()), _form)

# Longest first; what is left before the suffix must have a vowel and this many letters.
_SUFFIXES: Final = (
    ("ization", "ize", 3), ("isation", "ize", 3), ("ational", "ate", 3), ("fulness", "ful", 3),
    ("iveness", "ive", 3), ("ousness", "ous", 3), ("ication", "icate", 2), ("ation", "ate", 3), ("ition", "ite", 3),
    ("ably", "able", 3), ("ibly", "ible", 3), ("ally", "al", 3), ("ment", "", 4), ("ness", "", 3),
    ("less", "", 4), ("ful", "", 4), ("ist", "", 5), ("ism", "", 5), ("ise", "ize", 3), ("ity", "", 4), ("ly", "", 3),
)  # fmt: skip
_WHOLE: Final = frozenset(("news", "lens", "series", "species", "university"))  # cut, they would be other words
_VOWELS: Final = frozenset("aeiouy")
_SHORTEST: Final = 4


@lru_cache(maxsize=65_536)
def english_stem(word: str) -> str:
    """Give the stem of a lower-case word; one that isn't made of English letters is its own stem."""
    if not (word.isascii() and word.isalpha()):
        return word
    single = word if word in _IRREGULAR else _without_plural(word)  # "shots" go where "shot" goes
    word = _IRREGULAR.get(single, single)
    if len(word) < _SHORTEST or word in _WHOLE:
        return word
    return _without_end(_without_suffix(_without_inflection(word)))


def english_forms(word: str) -> tuple[str, ...]:
    """Give beginnings that the forms of a lower-case word have: that of its stem, and its irregular forms."""
    if not (word.isascii() and word.isalpha()):
        return (word,)
    base = _IRREGULAR.get(word, word)
    stem = english_stem(base)
    # "happi" and "happy" begin alike without their last letter.
    beginning = stem[:-1] if len(stem) > _SHORTEST and not base.startswith(stem) else stem
    return tuple(dict.fromkeys((beginning, *_FORMS.get(base, ()))))


def _without_plural(word: str) -> str:
    if len(word) < _SHORTEST or word in _WHOLE:
        return word
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > _SHORTEST else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_inflection(word: str) -> str:
    for suffix in ("ing", "ied", "ed"):
        stem = word.removesuffix(suffix)
        if stem is word or stem == word or len(stem) < 2 or not _VOWELS & set(stem):  # noqa: PLR2004 - "red" is no past
            continue
        if suffix == "ied":
            return stem + "y"
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":  # noqa: PLR2004 - "running"
            return stem[:-1]
        return stem
    return word


def _without_suffix(word: str) -> str:
    for suffix, other, least in _SUFFIXES:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + other if len(stem) >= least and _VOWELS & set(stem) else word
    return word


def _without_end(word: str) -> str:
    # "hope" and "hoping", "happy" and "happi-ness" end alike.
    if len(word) >= _SHORTEST and word.endswith("e") and not word.endswith("ee"):
        word = word[:-1]
    if len(word) >= _SHORTEST and word.endswith("y") and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    if len(word) > _SHORTEST and word.endswith("ll"):
        word = word[:-1]
    return word
