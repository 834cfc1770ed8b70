"""Words that lost the space between them, found by the text's own words: no dictionary."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[A-Za-z][A-Za-z\d]*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SHORTEST = 8
_SHORTEST_HALF = 2
_KNOWN = 2  # times that each half stands alone
_RARE = 3
_OFTENER = 4
_COMPOUNDS = _words(
    "altogether anything anywhere background backward backwards bandwidth baseline benchmark "
    "blackbody blackbox bottleneck breakdown breakpoint checkpoint classroom codebase crossover "
    "database datasets datatype datatypes deadline downstream everyday everyone everything "
    "feedback feedforward fieldwork filename filesystem firsthand followup foreground "
    "framework frontend furthermore groundtruth groundwater guideline hardware headline "
    "healthcare highlight hyperparameter inbetween landmark lightcurve lightcurves "
    "lightweight likewise mainstream makefile meanwhile metadata microscale midpoint moreover "
    "multiscale namespace nevertheless nonetheless nonlinear notwithstanding nowadays "
    "otherwise ourselves override pipeline playground postprocessing preprocessing pseudocode "
    "rainfall semigroup setpoint shortcut shorthand signpost snapshot somebody something "
    "sometimes somewhat spacecraft spacetime spreadsheet standalone standpoint stepsize "
    "straightforward streamflow substring superscript themselves therefore threshold "
    "throughout throughput timeframe timeline timescale timescales timestamp timestep "
    "timesteps timetable together tradeoff tradeoffs trustworthy turnover understood upstream "
    "username viewpoint watershed waveform waveguide wavelength whenever wherever whiteboard "
    "widespread wildcard workaround workflow workflows workload workplace workshop workspace "
    "workstation worldwide worthwhile yourself "
    "anhand anstelle anstatt aufgrund imstande infolge mithilfe mithilfen sodass vonseiten "
    "zugrunde zugunsten zuhause zulasten zuliebe zumute zunutze zurande zustande zutage "
    "autour davantage sinon sobretodo porque aparte enseguida"
)
"""Words that are written together as well as apart."""

_PREFIXES = _words(
    "anti auto bi by co cross de dis down ex extra hyper in inter intra iso macro mega meta micro "
    "mini mis mono multi non off on out over photo poly post pre pro pseudo quasi re self semi sub "
    "super tri ultra un under uni up"
)
"""First halves that are written with and without a space."""
_SUFFIXES = _words(
    "able ant ate en er es ful ion ish ism ist ity ive less like or out ship ward wise"
)
"""Second halves that are ends of words as well: ``pointlike``, ``detector``, ``propiedades``."""


def joined_words(texts: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """``{"astropypackage": ("astropy", "package")}``: in lower case, with the two words.

    A word is taken for two when it stands in one sentence only, or in two or three, and elsewhere
    the two stand beside each other, or do so much more often; words that may be written in both
    ways are left out.
    """
    sentences = {s for text in texts for s in _SENTENCE.split(text)}
    words = [[word.lower() for word in _WORD.findall(sentence)] for sentence in sentences]
    counts = Counter(word for sentence in words for word in sentence)
    halves: dict[tuple[str, str], str] = {}
    for word, count in counts.items():
        if count <= _RARE and len(word) >= _SHORTEST and word not in _COMPOUNDS:
            for cut in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1):
                pair = word[:cut], word[cut:]
                if pair[0] in _PREFIXES or pair[1] in _SUFFIXES:
                    continue
                if counts[pair[0]] >= _KNOWN and counts[pair[1]] >= _KNOWN:
                    halves[pair] = word
    if not halves:
        return {}
    beside = Counter(pair for sentence in words for pair in pairwise(sentence) if pair in halves)
    return {
        halves[pair]: pair
        for pair, times in beside.items()
        if counts[halves[pair]] == 1 or times >= _OFTENER * counts[halves[pair]]
    }


def words_in(text: str) -> frozenset[str]:
    """The words of a text in lower case, as ``joined_words`` names them."""
    return frozenset(word.lower() for word in _WORD.findall(text))
