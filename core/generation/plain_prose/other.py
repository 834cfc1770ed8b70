"""What the grammar asks of a paragraph in a language whose words it does not know."""

import re

from core.generation.plain_prose.brackets import CROWDED, WITHOUT_TIMES
from core.generation.sentences import split_sentences

_SIGNS = re.compile(r"[\\^_|~=<>*`#@{}\[\]§¶†‡•…+$]|\.\.|--|\ufffd|https?:|www\.")
_SPACING = re.compile(
    r" [,.)”](?!\d)|[,;]-|\( |[,;:][,;:.?!]|[?!]{2}|\)\w|[,;](?=[^\W\d])|[^\W\d]{3}\d|\w\(\d"
    r"|[^\W\d]{3}[.!?][^\W\d]{2}|\s-\s|[^\W\d]{3}\((?!\w{1,3}\))"
)
_STOPPED = re.compile(r"[^\W\d_]{5,}[.!?] (?=[a-zß-öø-ÿ])")
"""A sentence that begins with a small letter: its first one is gone."""
_HEADED = re.compile(
    r"^(?:Fonte|Fuente|Quelle|Source|Nota|Anmerkung|Remarque|Tab(?:elle|ela|la|leau)|Quadro|Cuadro"
    r"|Abb(?:ildung)?|Figur[ae]?|Gr[áa](?:f|ph)i\w+)s?\b[^.:]{0,12}(?:[:.–]| [A-ZÀ-Þ])"
)
"""What stands below or above a table or a figure."""
_NO_SUBJECT = re.compile(
    r"(?:(?:Representa|Utiliza|Emplea|Consiste|Corresponde|Contiene|Proporciona|Permite|Incluye"
    r"|Describe|Indica|Realiza|Devuelve|Fornece|Permette|Fornisce)n?|Cont[ée]m"
    r"|(?:Rappresenta|Utilizza|Indica|Consisto|Contengo|Permetto|Fornisco)(?:no)?"
    r"|(?:Représent|Utilis|Contien|Permett|Consist)(?:e|ent|t)|Permet) "
)
"""A verb that a paragraph begins with: what it speaks of was the heading in the line before it."""
_BRACKETED = re.compile(r"\(([^()]*)\)")
_LABEL = re.compile(r"\b(?:[A-Z][a-z]{2,3}|[A-Z]{2,3})-\d\d[a-z]?\b|\([a-z]+(?:-[a-z]+)*-?\d+\)")
"""What is left of a citation or of a line of code that is referred to."""
_ASIDE = re.compile(
    r"\((?-i:[A-ZÀ-Þ]{4,}(?: [A-ZÀ-Þ]{3,})+)\)"
    r"|\((?:cit(?:as?|ar|er|ation|azione|[ée]|aç(?:ão|ões))|zitat|zitieren|quelle|fuente|fonte"
    r"|r[ée]f(?:érence)?|todo|tbd)[?.]{0,2}\)",
    re.IGNORECASE,
)
"""Where an author meant to cite somebody, or wrote so in capitals."""
_LOST = re.compile(
    r"\b(?:de|du|des|par|dans|chez|selon|avec|et|ou|le|les|un|une|d’|von|und|oder|im|zur|zum|beim"
    r"|del|por|según|di|della)\s?[.;)]|\b(?:de|du|des|par|dans|von|zur|zum|im|del|di),"
    r"|\b(?:de|du|des|par|dans|chez|selon) "
    r"(?:ont|a|est|sont|était|étaient|et|ou|de|du|par|montrent)\b"
    r"|\b(?:dans|aux?|par|voir|en|in|nas?|siehe|den?) (?:l[ae]s? |l[’']|den |der )?"
    r"(?:[Rr]éf(?:érence)?s?|[Rr]eferências?|[Rr]eferencias?|[Rr]eferenz(?:en)?|Refs?)[.,;)]"
    r"|\b([Ee]m|da|do|para|com|los|las|le|les|des|du|et|und|mit|von|zu|im|un|una|une|pour|dans|sur"
    r"|par|del|con|per) \1\b"
    r"|\b(?:von|durch|und|zum|zur) (?:ist|sind|war|waren|hat|haben|wird|werden|und|oder)\b"
)
"""A small word after which another one must come: what it was is gone, a citation mostly."""
_IN_A_ROLE = re.compile(
    r"(?:^|[.?!,] |\b(?:de|du|des|par|dans|chez|selon|avec|que|von|nach|bei|laut|in|di|da|por"
    r"|según|em|segundo|como|wie|comme|et|und|e|y) )"
    r"\([A-ZÀ-Þ][^();]{1,60},? (?:1[89]|20)\d\d[a-z]?\)"
)
"""A citation in brackets that its sentence needs as a word."""
_ABOUT_AUTHORS = re.compile(
    r"\b(?:[Mm](?:a|es) contributions?|[Cc]ontributions? (?:des? auteurs?|de l[’']auteur)"
    r"|[Rr]emerci\w+|financée? par|subvention\w*|[Mm]eine?m? (?:Beitrag|Dank)|[Dd]anksagung"
    r"|[Dd]anken wir|gefördert (?:von|durch)|[Aa]grade(?:zco|cemos|cimientos?)"
    r"|[Jj]e dédie|[Dd]édi(?:er|cace)|[Àà] m(?:es|on|a) (?:ch[eè]r\w*|parents|frères|sœurs|amis?"
    r"|famille|binôme|mère|père)|[Gg]ewidmet|[Dd]edico|financiad[oa] por"
    r"|[Jj]e suis (?:très )?(?:fi[eè]re?|heureu(?:x|se)|ravie?|reconnaissante?)"
    r"|[Mm](?:on|es) stages?|[Ii]ch bin (?:sehr )?(?:stolz|froh|dankbar)"
    r"|[Ii]ch (?:habe|konnte) [^.]{0,60}(?:ge|er)lern(?:t|en)"
    r"|[Ee]stoy (?:muy )?(?:orgullos|agradecid|content)[oa]|[Hh]e aprendido"
    r"|\bles voy a \w+r|\b[Vv]oy a (?:mostrar|contar|hablar|introducir)|\b[Vv]i (?:mostrer|parler"
    r"|racconter)ò|\bvais vous (?:présenter|montrer|parler|expliquer)|\bmöchte ich Ihnen\b"
    r"|[Ss]ono (?:molto )?(?:orgoglios|grat|felice)\w|[Hh]o imparato"
    r"|[Ff]ico (?:muito )?(?:feliz|grat[oa])"
    r"|[Rr]ingrazi\w+|[Aa]gradeço|[Aa]gradecemos)\b"
)
"""What a paragraph about the authors or their money says; no items are made of such."""
_FRENCH = re.compile(r"\b(?:est|les|dans|une|sont|nous)\b")
_NOT_FRENCH = re.compile(r"\b(?:che|della|gli|els|amb)\b")
_ELIDED = re.compile(
    r"\b(?!(?:qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|entr|aujourd|prud|grand)[’'])"
    r"[^\W\d_]{2,}[’'](?!s\b)[^\W\d_]",
    re.IGNORECASE,
)
"""More before an apostrophe than French elides: two words of a page that lost their space."""
_WORD = re.compile(r"[^\W\d_]{2}")
_CROSS_REFERENCE = re.compile(
    r"\b(?:[Ff]igs?|[Ff]igur\w*|[Tt]ab\w*|[Tt]ableau\w*|[Ee]qs?|[Ee]qua\w*|[Ss]e[cç][tçc]?\w*|[Aa]bb"
    r"|Abbildung\w*|[Kk]ap\w*|[Cc]ap\w*|[Cc]hap\w*|[Aa]bschnitt\w*|[Aa]nnexe?|[Aa]nhang|[Aa]p[eê]n\w*"
    r"|[Rr]efs?|[Dd][ée]fini\w*|[Pp]roposi\w*|[Tt]h?[ée]or[eè]m\w*|[Ll]emm[aes]\w*|[Cc]oroll?a\w*"
    r"|[Kk]orollar\w*|[Rr]emar\w*|Bemerkung\w*|Satz|[Hh]ypothèse\w*|[Aa]nnahme\w*|[Ee]xemples?"
    r"|[Pp]arties?|Teile?|[Ee]jemplos?|[Aa]lgorit\w*|Zeilen?|[Ll]ignes?|[Ll][íi]neas?|[Ff]ormule?s?|[Gg]leichung\w*"
    r"|[Ee]cuaci\w*)\b[. ]*\(?(?:[A-Z]\.?)?[\dIVX]|[?]"
)
_ENGLISH_REFERENCE = re.compile(
    r"\b(?:Chapters?|Equations?|Appendi(?:x|ces)|Algorithms?|Corollary|Remarks?|Examples?) "
    r"\(?[\dA-Z]\b"
)
_ENGLISH_OR_FRENCH_REFERENCE = re.compile(r"\b(?:Tables?|Sections?|Figures) \d|\bFigure \d")
"""What ``\\cref`` prints where the document's language is not known: le Chapter 2, la Figure 3."""
_FIGURE_IS_ITS_PLURAL = re.compile(r"\b(?:che|della|gli|nelle|sono)\b")
_GLUED = re.compile(
    r"[a-zà-ÿ] (?:Une?|Les?|La|Des|Ces?|Cette|Ils?|Elles?|Nous|On|Dans|Pour|Cela|Tous|Toutes?|Mais"
    r"|Ainsi|Der|Die|Das|Eine?|Dies(?:e[rs]?)?|Wir|Es|Auch|Durch|El|Los|Las|Un|En|Esta?e?|Por|Gli"
    r"|Uno|Questo|Questa|Uma?|Os|As|Para) (?=[a-zà-ÿ])"
)
"""A small word with a capital in the midst of a sentence: the beginning of another one."""
_REFUSED = (
    ("odd_signs", _SIGNS), ("odd_spacing", _SPACING), ("no_full_sentences", _STOPPED),
    ("run_in_heading", _HEADED), ("odd_brackets", _LABEL), ("odd_brackets", _IN_A_ROLE),
    ("odd_brackets", CROWDED), ("odd_brackets", _ASIDE), ("lost_words", _LOST),
    ("addressed", _ABOUT_AUTHORS), ("odd_spacing", _GLUED), ("unclear_numbers", WITHOUT_TIMES),
)  # fmt: skip
_PAIRS = (("(", ")"), ("“", "”"), ("«", "»"))
_STARTS = re.compile(r"[¿¡«“„\"'’ ]{0,3}[^\W\d_a-zß-öø-ÿ]")
_ENDS = re.compile(r"[.?!] ?[”“\"’»)]?$")


def why_not_other(text: str) -> str | None:
    """Why a paragraph shows more than plain sentences, or None: signs, spacing and brackets."""
    for reason, pattern in _REFUSED:
        if pattern.search(text):
            return reason
    if _NO_SUBJECT.match(text):
        return "run_in_heading"
    if _has_english_reference(text):
        return "other_language"
    if _ELIDED.search(text) and _FRENCH.search(text) and not _NOT_FRENCH.search(text):
        return "unknown_words"
    for match in _BRACKETED.finditer(text):
        if _CROSS_REFERENCE.search(match[1]) or not _WORD.search(match[1]):
            return "odd_brackets"
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if not _STARTS.match(sentence) or not _ENDS.search(sentence) or sentence.count(" ") < 2:
            return "no_full_sentences"
        if not _pairs_close(sentence):
            return "odd_spacing"
    return None


def _has_english_reference(text: str) -> bool:
    if _ENGLISH_REFERENCE.search(text):
        return True
    french = _FRENCH.search(text) and not _NOT_FRENCH.search(text)
    return not french and any(
        not (match[0].startswith("Figure ") and _FIGURE_IS_ITS_PLURAL.search(text))
        for match in _ENGLISH_OR_FRENCH_REFERENCE.finditer(text)
    )


def _pairs_close(sentence: str) -> bool:
    german = "„" in sentence
    return sentence.count('"') % 2 == 0 and all(
        sentence.count(opening) == sentence.count(closing)
        for opening, closing in _PAIRS
        if not german or opening != "“"
    )
