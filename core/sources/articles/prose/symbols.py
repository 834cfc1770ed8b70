"""Commands that stand for characters: accents, letters, punctuation, and the signs of maths."""

import unicodedata
from types import MappingProxyType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ACCENTS = MappingProxyType(
    {
        "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
        ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
        "r": "\u030a", "d": "\u0323", "b": "\u0331", "t": "\u0361",
    }
)  # fmt: skip
"""Accent commands and the combining character that each adds after its letter."""

CHARACTERS = MappingProxyType(
    {
        "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø",
        "O": "Ø", "l": "ł", "L": "Ł", "i": "i", "j": "j", "dh": "ð", "th": "þ", "dj": "đ",
        "ldots": "…", "dots": "…", "textellipsis": "…", "S": "§", "P": "¶", "copyright": "©",
        "pounds": "£", "euro": "€", "texteuro": "€", "yen": "¥", "textregistered": "®",
        "texttrademark": "™", "textdegree": "°", "degree": "°", "textmu": "µ", "dag": "†",
        "ddag": "‡", "textbullet": "•", "LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e",
        "BibTeX": "BibTeX", "textendash": "–", "textemdash": "—", "textquoteleft": "‘",
        "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”",
        "textquotesingle": "'", "textquotedbl": '"', "textasciitilde": "~", "textasciicircum": "^",
        "textbackslash": "\\", "textbar": "|", "textless": "<", "textgreater": ">",
        "textunderscore": "_", "lq": "‘", "rq": "’", "guillemotleft": "«", "guillemotright": "»",
        "slash": "/", "quad": " ", "qquad": " ", "space": " ", "newline": " ", "linebreak": " ",
        "enspace": " ", "thinspace": " ", "hfill": " ", "hfil": " ", "tab": " ",
        "ie": "i.e.", "eg": "e.g.", "etal": "et al.", "aka": "a.k.a.", "percent": "%",
        "textasteriskcentered": "*", "textsuperscript": "", "checkmark": "✓", "today": "",
        "textpm": "±", "texttimes": "×", "textdiv": "÷", "textcent": "¢", "textonehalf": "½",
    }
)  # fmt: skip
"""Commands of text and what they print."""

ESCAPED = MappingProxyType(
    {
        "&": "&", "%": "%", "#": "#", "_": "_", "$": "$", "{": "{", "}": "}", " ": " ", "\n": " ",
        "\t": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "", "-": "", "@": "", ">": " ",
        "\\": "\n",
    }
)  # fmt: skip
"""Commands of one sign that is not a letter."""

MATHS = MappingProxyType(
    {
        "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
        "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
        "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
        "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ",
        "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ",
        "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "hbar": "ħ",
        "infty": "∞", "approx": "≈", "sim": "~", "simeq": "≃", "cong": "≅", "equiv": "≡",
        "neq": "≠", "ne": "≠", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "ll": "≪",
        "gg": "≫", "lesssim": "≲", "gtrsim": "≳", "propto": "∝", "pm": "±", "mp": "∓",
        "times": "×", "cdot": "·", "div": "÷", "ast": "*", "star": "⋆", "circ": "°",
        "bullet": "•", "to": "→", "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒",
        "leftrightarrow": "↔", "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂",
        "subseteq": "⊆", "cup": "∪", "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃",
        "partial": "∂", "nabla": "∇", "ldots": "…", "dots": "…", "cdots": "⋯", "prime": "′",
        "lt": "<", "gt": ">", "odot": "⊙", "oplus": "⊕", "otimes": "⊗", "wedge": "∧",
        "vee": "∨", "neg": "¬", "mid": "|", "vert": "|", "log": "log", "exp": "exp",
        "sin": "sin", "cos": "cos", "tan": "tan", "min": "min", "max": "max", "ln": "ln",
        "Pr": "Pr", "det": "det", "quad": " ", "qquad": " ", "sqcup": "⊔", "parallel": "∥",
    }
)  # fmt: skip
"""Signs of maths that read well without maths around them."""


def accented(accent: str, letters: str) -> str:
    """The letters with the accent on the first one: ``("'", "e")`` gives ``é``."""
    if not letters:
        return ""
    return unicodedata.normalize("NFC", letters[0] + ACCENTS[accent]) + letters[1:]


MATHS_COMMANDS = frozenset(MATHS) | _words(
    "frac dfrac tfrac sqrt binom sum prod int iint oint coprod bigcup bigcap bigoplus bigotimes "
    "bigvee bigwedge lim limsup liminf sup inf max min argmax argmin log ln exp sin cos tan "
    "cot sec "
    "csc sinh cosh tanh coth arcsin arccos arctan det dim ker deg gcd hom Pr arg mod bmod pmod "
    "mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr boldsymbol bm text textrm "
    "textbf textit mbox rm bf it cal operatorname hat widehat tilde widetilde bar overline "
    "underline "
    "vec dot ddot acute grave breve check left right big Big bigg Bigg bigl bigr Bigl Bigr biggl "
    "biggr Biggl Biggr middle langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert "
    "Vert mid parallel perp quad qquad prime circ star ast dagger ddagger bullet cdot cdots ldots "
    "dots vdots ddots times div pm mp oplus otimes odot ominus wedge vee cap cup setminus subset "
    "supset subseteq supseteq in notin ni forall exists nexists neg not land lor to mapsto gets "
    "rightarrow leftarrow Rightarrow Leftarrow leftrightarrow Leftrightarrow longrightarrow "
    "Longrightarrow longmapsto hookrightarrow uparrow downarrow implies iff le leq ge geq ll "
    "gg neq "
    "ne equiv sim simeq approx cong propto prec succ preceq succeq asymp doteq models vdash infty "
    "partial nabla emptyset varnothing Re Im aleph hbar ell wp angle triangle square Box diamond "
    "top bot overset underset stackrel overbrace underbrace limits nolimits displaystyle textstyle "
    "scriptstyle phantom substack begin end colon lbrace rbrace lbrack rbrack backslash ensuremath "
    "leqslant geqslant lesssim gtrsim nmid nsubseteq subsetneq rightharpoonup rightleftharpoons "
    "mathring imath jmath varepsilon vartheta varpi varrho varsigma varphi digamma Upsilon "
    "complement ltimes rtimes bowtie smallsetminus hspace dotsc dotsb tag choose over sp sb lt gt "
    "xrightarrow iiint Arrowvert arrowvert notag"
)
"""What a formula may hold and still be read: the commands of LaTeX and amsmath."""
