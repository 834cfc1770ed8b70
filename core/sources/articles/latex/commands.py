"""What the reader knows about commands and environments.

Anything that is not here is transparent: an unknown command disappears and its ``{…}`` arguments
stay as text; an unknown environment's content is read like the text around it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from core.sources.articles.prose.citations import CitationForm


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADINGS = MappingProxyType(
    {
        "part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4,
        "subparagraph": 5, "centerline": 1,
    }
)  # fmt: skip
"""Heading commands and their level in an article; in a book, sections are one level lower."""
TITLES = frozenset(
    [
        "title",
        "Title",
        "aistatstitle",
        "icmltitle",
        "mlsystitle",
        "papertitle",
        "thesistitle",
        "ThesisTitle",
        "titre",
        "titel",
        "titulo",
    ]
)
"""Commands of classes and conferences that take the title of the document."""
ABOVE_SECTIONS = frozenset({"part", "chapter", "centerline"})

SIGNATURES = MappingProxyType(
    {
        name: pattern
        for pattern, names in {
            "d": "newcounter stepcounter refstepcounter value boolean newboolean label vspace "
            "hspace "
            "includegraphics color bibliography bibliographystyle input include hypersetup "
            "footnote footnotetext thanks index todo pagestyle thispagestyle usepackage vskip "
            "author affil affiliation address email date institute keywords altaffilmark "
            "altaffiliation orcid markboth pagenumbering usetikzlibrary phantom hphantom "
            "vphantom marginpar marginnote sidenote nocite hyphenation setstretch graphicspath "
            "tablenotemark tablenotetext tablewidth tabletypesize tablecomments software "
            "facilities authornote titlerunning authorrunning subtitle leadauthor "
            "correspondingauthor authorcontributions authordeclaration equalauthors "
            "footnotemark corres fntext cortext ead pacs preprint collaboration received "
            "accepted revised affiliations ccsdesc copyrightyear acmYear acmConference acmDOI "
            "acmISBN cline cmidrule rowcolor columncolor cellcolor noalign "
            "thead fontfamily selectfont baselinestretch linespread clearcaptionsetup "
            "captionsetup externaldocument listoffigures externalbibliography ORCID runninghead "
            "shorttitle shortauthors rhead lhead chead lfoot cfoot rfoot tikz tikzset "
            "pgfplotsset ",
            "dd": "setboolean crefname Crefname setlength addtolength setcounter addtocounter "
            "rule fontsize geometry newtheorem "
            "DeclareUnicodeCharacter newlength tikzstyle markright pdfbookmark "
            "affiliationtext altaffiltext",
            "ddd": "definecolor addcontentsline contentsline definecolorset",
            "dk": "ifthenelse href textcolor colorbox hypertarget hyperlink raisebox parbox "
            "scalebox rotatebox foreignlanguage fcolorbox adjustbox multirowcell",
            "ddk": "multicolumn multirow resizebox",
            "kd": "texorpdfstring",
        }.items()
        for name in names.split()
    }
)
"""Arguments of known commands: ``d`` is dropped, ``k`` is kept; options in ``[…]`` always go."""

_CITES: Mapping[CitationForm, str] = {
    "textual": "citet Citet citealt Citealt citealp Citealp textcite Textcite newcite citeasnoun "
    "shortciteN citeN onlinecite citeA",
    "parenthetical": "citep Citep parencite Parencite autocite Autocite footcite supercite "
    "shortcite smartcite citepalias footcitetext",
    "either": "cite Cite",
}
CITES: Mapping[str, CitationForm] = MappingProxyType(
    {name: role for role, names in _CITES.items() for name in names.split()}
)
"""How a citation command stands in its sentence; other commands that cite are unknown."""

CITED_NAMES = frozenset({"citeauthor", "Citeauthor"})
CITED_YEARS = frozenset({"citeyear", "citeyearpar"})

ACRONYMS = MappingProxyType(
    {
        name: (form, plural)
        for form, plural, names in (
            ("short", False, "gls Gls acs acrshort ac glsentryshort"),
            ("short", True, "glspl Glspl acp acsp acrshortpl"),
            ("long", False, "acl acrlong glsentrylong Acl glsdesc"),
            ("long", True, "aclp acrlongpl"),
            ("full", False, "acf acrfull"),
            ("full", True, "acfp acrfullpl"),
        )
        for name in names.split()
    }
)
"""Commands that print a declared acronym: which form of it, and whether in the plural."""

BACK_MATTER = frozenset(
    {"acknowledgments", "acknowledgements", "acknowledgment", "acknowledgement", "acks", "ack",
     "funding", "contributions", "dataavailability", "conflict"}
)  # fmt: skip
"""Environments that open a part which is not about the article's subject."""

FACES_OF_GROUPS = frozenset(
    {"textbf", "textit", "emph", "textsc", "underline", "textsl", "textsf", "uline"}
)
FACES = FACES_OF_GROUPS | {"bf", "it", "em", "bfseries", "itshape", "sc", "scshape", "sl"}
"""Commands of type faces, of which a run-in heading may be made."""
LONGEST_RUN_IN = 90

LAYOUT = _words(
    "emph textbf textit texttt textsc textrm textsf textsl textmd textup textnormal textlf uline "
    "underline mbox text noindent indent bf it em tt rm sc sl sf bfseries itshape ttfamily "
    "rmfamily sffamily mdseries upshape scshape slshape normalfont small large Large LARGE huge "
    "Huge tiny footnotesize scriptsize normalsize centering raggedright raggedleft flushleft "
    "flushright newline pagebreak nopagebreak linebreak nolinebreak maketitle protect relax "
    "bgroup egroup begingroup endgroup hbox vbox url nolinkurl xspace appendix tableofcontents "
    "frontmatter mainmatter backmatter newblock allowbreak sloppy fussy null strut leavevmode "
    "unskip ignorespaces hline toprule midrule bottomrule singlespacing doublespacing "
    "onehalfspacing linenumbers nolinenumbers onecolumn twocolumn balance vfill vfil smallskip "
    "noalign break goodbreak penalty IEEEpeerreviewmaketitle printbibliography FloatBarrier "
    "cleardoublepage flushbottom raggedbottom endinput makeatletter makeatother printglossary "
    "printglossaries glsresetall acresetall ppublisher lettrine IEEEPARstart dropcap "
    "selectlanguage nobreak nobreakdash keepsilent enlargethispage footnoteref centerline section "
    "subsection qedhere qed proof IEEEraisesectionheading IEEEdisplaynontitleabstractindextext "
    "resumetoc stoptoc"
)
"""Commands that print nothing of their own and whose arguments are text."""

REFERENCES = frozenset(
    {"ref", "eqref", "cref", "Cref", "autoref", "Autoref", "vref", "nameref", "subref", "cpageref",
     "labelcref", "thref", "secref", "figref"}
)  # fmt: skip

DROPPED = frozenset(
    {"comment", "tikzpicture", "picture", "filecontents", "thebibliography", "CCSXML", "pspicture",
     "pgfpicture", "overpic", "tikzcd", "forest", "keywords", "keyword", "IEEEkeywords", "authblk",
     "axis", "asy", "feynman", "references", "biblist", "MSCcodes", "AMS", "affiliations",
     "hanging", "IEEEbiography", "IEEEbiographynophoto", "biography", "biographynophoto",
     "authorcontributions", "affiliation", "translation", "survey", "comments", "resolution"}
)  # fmt: skip
"""Environments that are no text of the article; a Chinese thesis ends with the ``translation`` or a
``survey`` of papers by others, which has a title of its own, the supervisor's ``comments`` and the
committee's ``resolution``."""
FORMULAS = frozenset(
    {"equation", "align", "eqnarray", "gather", "multline", "displaymath", "flalign", "alignat",
     "math", "dmath", "empheq", "IEEEeqnarray", "dgroup"}
)  # fmt: skip
TABLES = frozenset(
    {"tabular", "tabularx", "tabulary", "longtable", "array", "deluxetable", "supertabular",
     "tabbing", "tabu", "tblr", "longtabu", "NiceTabular", "xltabular"}
)  # fmt: skip
FLOATS = frozenset(
    {"figure", "table", "wrapfigure", "wraptable", "SCfigure", "SCtable", "sidewaysfigure",
     "sidewaystable", "floattable", "subfigure", "marginfigure", "listing", "teaserfigure",
     "scheme", "chart", "graphicalabstract", "floatingfigure", "rotatetable"}
)  # fmt: skip
CODES = frozenset({"algorithm", "algorithmic", "algorithm2e", "algorithmicx", "program", "code"})
LISTS = frozenset(
    {"itemize", "enumerate", "description", "compactitem", "compactenum", "asparaenum",
     "asparaitem", "list", "tasks", "labeling", "highlights"}
)  # fmt: skip
QUOTES = frozenset({"quote", "quotation", "verse", "displayquote", "epigraphs"})

ARGUMENTS = MappingProxyType(
    {
        "minipage": 1, "multicols": 1, "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2,
        "longtable": 1, "wrapfigure": 2, "wraptable": 2, "list": 2, "adjustbox": 1, "array": 1,
        "subfigure": 1, "spacing": 1, "deluxetable": 1, "deluxetable*": 1, "adjustwidth": 2,
        "alignat": 1, "alignat*": 1, "supertabular": 1, "tblr": 1, "tcolorbox": 0, "xltabular": 2,
        "addmargin": 1, "labeling": 1, "textblock": 1, "CJK": 2, "CJK*": 2, "otherlanguage": 1,
        "subcaptionblock": 1, "NiceTabular": 1, "tabu": 1, "longtabu": 1, "floatingfigure": 1,
        "IEEEeqnarray": 1,
    }
)  # fmt: skip
"""How many ``{…}`` arguments follow ``\\begin{…}`` and are no text."""

WORDED = MappingProxyType(
    {
        "wrapfigure": "Figure", "sidewaysfigure": "Figure", "SCfigure": "Figure",
        "wraptable": "Table", "sidewaystable": "Table", "floattable": "Table",
        "deluxetable": "Table", "longtable": "Table", "theorem": "Theorem", "lemma": "Lemma",
        "proposition": "Proposition", "corollary": "Corollary", "definition": "Definition",
        "remark": "Remark", "example": "Example", "algorithm": "Algorithm", "thm": "Theorem",
        "lem": "Lemma", "prop": "Proposition", "cor": "Corollary", "defn": "Definition",
        "listing": "Listing", "conjecture": "Conjecture", "assumption": "Assumption",
    }
)  # fmt: skip
"""Numbered environments and the word that a reference to them starts with."""
