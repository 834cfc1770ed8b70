"""Words that send a reader to another part of the article, or to a figure, table or formula that
stands beside the text: an item shows neither.

The numbers of sections and figures are read elsewhere (``roadmaps``, ``fragments``); here are the
words without a number, in the languages whose paragraphs are read: English, French, German,
Spanish, Italian, Portuguese, Dutch and Chinese.
"""

import re

_OF_THE_TEXT = r"(?! (?:of|del?|da|des|du|von|van|der) )"
"""Behind a part of something else: *this section of the river*."""
_SAID_EN = (
    r"mentioned|described|discussed|noted|introduced|defined|explained|presented|stated|outlined"
    r"|shown|seen|given|listed|cited|referenced|highlighted|proposed|established|detailed"
    r"|indicated|specified|summari[sz]ed|derived|used|considered|reported|observed"
)
_SECTION = re.compile(
    # English
    r"\b(?i:this|the (?:present|current)|(?:in|of) the last) (?:sub)?section\b"
    rf"{_OF_THE_TEXT}"
    rf"|\b(?:{_SAID_EN}) (?:just |already )?(?:above|below)\b(?! (?:the|a|an|this|that|which|\d)\b)"
    r"|\b[Aa]s (?:(?:we|I|was|is|it was|has been|have been|already|previously|just|briefly|have"
    rf"|had|also) ){{0,3}}(?:{_SAID_EN}|saw|said) (?:earlier|before|previously|later)\b"
    r"|\b[Aa]s (?:earlier|previously) (?:" + _SAID_EN + r")\b"
    r"|\b(?:[Ww]e|[Ii]t|I) (?:will|shall) (?:also |then )?(?:see|show|discuss|explain|describe"
    r"|return|be (?:seen|shown)) (?:below|later)\b"
    r"|\b(?:we|I|to) (?:explain|describe|discuss|introduce|address|present) (?:\w+ )?"
    r"(?:later|below|shortly)\b"
    r"|\b(?:[Ss]ee|cf\.) (?:above|below)\b|\b(?:list|listed|given|described) hereafter\b"
    r"|\b[Tt]he (?:next|following|previous|preceding|above) (?:results? (?:shows?|says?|states?"
    r"|implies|holds?|gives?|is|are|follows?|tells?)|theorems?|lemmas?|propositions?|corollar(?:y|ies)"
    r"|definitions?|remarks?|exercises?|lectures?|paragraphs?)\b"
    r"|\b[Ii]n the (?:first|second|third|last|final|next) (?:section|chapter|part) of (?:the|this) "
    r"(?:\w+ )?(?:thesis|paper|article|report|background|study|dissertation|review|book|document)\b"
    r"|\b[Aa]bove[ -]?(?:mentioned|described|cited|named|listed|said|discussed|stated)\b"
    r"|\bthe above\b(?!-)|\b[Aa]fore(?:mentioned|said)\b|\bbelow[.,;)](?! ?\d)"
    r"|(?:^|[.?!] )Below,? (?:we|I|is|are)\b|\b[Ii]n (?:what follows\b|the following,)"
    r"|\b[Tt]he following (?:(?:sub)?sections?|chapters?|pages|discussion|explains?|describes?)\b"
    r"|\b[Aa]s (?:(?:we|I|already|just|have|has|been|was|is|it) ){0,4}(?:mentioned|noted|discussed"
    r"|stated|explained|described|indicated|highlighted|emphasi[sz]ed|argued|pointed out)"
    r"(?: above| before)?,|\b(?:we|I|as) previously (?:defined|introduced|mentioned|discussed"
    rf"|stated)\b|\b(?:{_SAID_EN}|collected|found) in (?:the|our) (?:introduction|conclusions?"
    r"|appendix|appendices|main (?:text|article|paper)|Appendix|Introduction|Discussion)\b"
    rf"|\b[Aa]s (?:we )?(?:have )?(?:{_SAID_EN}|saw) in (?:the )?(?:previous|earlier|preceding"
    r"|last) (?:sub)?(?:sections?|chapters?|parts?)\b"
    r"|\b(?:a|in|the) later (?:(?:sub)?sections?|chapters?)\b"
    r"|\b[Tt]he (?:previous|preceding|last|following|next) (?:two|three|four|few) (?:sub)?"
    r"(?:sections?|chapters?)\b"
    r"|\bthis (?:final|first|second|last|introductory) (?:chapter|section)\b"
    # French
    r"|\b(?i:cette|la (?:présente|prochaine|précédente)|les prochaines) (?:sous-)?sections?\b"
    rf"{_OF_THE_TEXT}"
    r"|\b[Dd]ans (?:cette|la première|la (?:deuxième|seconde|troisième)) (?:sous-)?partie,"
    r"|\b(?:sous-)?(?:sections?|parties?|chapitres?|paragraphes?) "
    r"(?:suivant|précédent|ultérieur)e?s?\b|\bparties? de (?:ce|cette) (?:manuscrit|thèse|mémoire"
    r"|travail|rapport|article|document|étude)\b"
    r"|\b(?i:prochaines?|précédentes?) (?:parties?|chapitres?|paragraphes?)\b"
    r"|\b(?:[Cc]omme|[Tt]el(?:le)?s? que|mentionné|décrit|présenté|évoqué|cité|indiqué|défini"
    r"|expliqué|abordé|détaillé|exposé|énoncé|vue?s?|dit|voir|[Vv]oir|reviendrons|verrons|précisé"
    r"|souligné)e?s?(?: [\w’']+){0,3} (?:plus (?:haut|bas|loin|tôt)|précédemment|auparavant)\b"
    r"(?! que\b)"
    r"|\b[Pp]récédemment (?:mentionn|décrit|présent|évoqu|cit|défini|expliqu|vue?s?|introduit)"
    r"|\b[Cc]i-(?:dessus|dessous|après|avant)\b|\bsusmentionné|\bsusdit"
    # German
    r"|\b(?i:diese[mrsn]?|(?:im|das|dem|den|der|des) (?:n[äa]chste|folgende|vorige|vorherige"
    r"|vorangegangene|vorhergehende|letzte|vorliegende|nachfolgende)[nrms]?) "
    rf"(?:Unter)?(?:[Aa]bschnitte?[ns]?|[Kk]apiteln?s?){_OF_THE_TEXT}"
    r"|\b(?i:(?:weiter |bereits |schon )?oben|weiter unten|eingangs) (?:bereits |schon |kurz )?"
    r"(?:genannt|beschrieben|erw[äa]hnt|dargestellt|gezeigt|angef[üu]hrt|erl[äa]utert|definiert"
    r"|diskutiert|vorgestellt|eingef[üu]hrt|erkl[äa]rt|aufgef[üu]hrt|angesprochen|eingegangen)"
    r"|\bin \d{1,2}(?:\.\d{1,2}){1,2}(?: (?:und|bis|oder) \d{1,2}(?:\.\d{1,2}){1,2})?"
    r"(?: (?:nach|bei|an|wird|werden|noch|näher|ausführlich|genauer|kurz)\b[^.]{0,40})? "
    r"(?:erl[äa]utert|beschrieben|dargestellt|diskutiert|vorgestellt|gezeigt|behandelt|eingef[üu]hrt)"
    r"|\b[Ss]iehe (?:oben|unten)\b|\b[Ww]ie (?:bereits |schon )?(?:weiter )?oben\b|\bs\. ?[ou]\."
    r"|\b[Ww]ie (?:bereits|schon|zuvor) (?:erw[äa]hnt|beschrieben|gesagt|genannt|dargestellt"
    r"|gezeigt|erl[äa]utert|diskutiert)|\b(?:oben|unten|nach|vor)(?:stehend|erw[äa]hnt|genannt)"
    r"(?:e[mnrs]?)?\b|\b[Oo]bige[mnrs]?\b"
    # Spanish
    r"|\b(?i:esta|la (?:presente|próxima|siguiente|anterior)|las siguientes|las próximas) "
    rf"(?:sub)?secci(?:ón|ones)\b{_OF_THE_TEXT}"
    r"|\b(?i:este|el (?:siguiente|próximo|presente|anterior)) apartado\b"
    r"|\b(?:(?:sub)?secci(?:ón|ones)|apartados?|cap[íi]tulos?|p[áa]rrafos?) "
    r"(?:anterior|siguiente|previo|posterior)(?:e?s)?\b"
    r"|\b(?i:anterior|siguiente|próximo)(?:es)? (?:cap[íi]tulo|p[áa]rrafo|apartado)s?\b"
    r"|\b(?:mencionad|descrit|citad|señalad|expuest|comentad|vist|dich|explicad|presentad"
    r"|definid|indicad)[oa]s? (?:anteriormente|arriba|más (?:arriba|abajo|adelante)|previamente)\b"
    r"|\b(?:mencionó|describió|señaló|expuso|comentó|vio|dijo|explicó|presentó|indicó|explicará|verá"
    r"|describirá|detallará) (?:(?:en|con|un|m[áa]s) \w+ ){0,2}"
    r"(?:anteriormente|arriba|más (?:arriba|abajo|adelante)|previamente)"
    r"|\b[Aa]nteriormente (?:mencionad|descrit|citad|señalad|expuest|comentad)"
    r"|\b(?:vimos|veremos|dijimos|mencionamos) (?:anteriormente|antes|más (?:arriba|adelante))"
    # Italian
    r"|\b(?i:(?:in |di )?questa|nella (?:presente|prossima|precedente|seguente|successiva)) "
    rf"(?:sotto)?sezione\b{_OF_THE_TEXT}"
    r"|\b(?:sezion[ei]|paragraf[oi]|capitol[oi]) (?:precedent|seguent|successiv)[eio]\b"
    r"|\b(?i:precedente|seguente|successivo|prossimo|questo) (?:paragrafo|capitolo)\b"
    r"|\b(?:descritt|citat|menzionat|vist|indicat|riportat|illustrat|espost|definit|dett"
    r"|accennat)[oaie] (?:sopra|sotto|in precedenza|precedentemente|più avanti)\b"
    r"|\b(?:sopra|suc)citat[oaie]\b|\b[Ss]uddett[oaie]\b|\bdi cui sopra\b"
    r"|\b[Ss]opra (?:descritt|citat|menzionat|indicat|riportat|illustrat|espost|definit)"
    # Portuguese
    r"|\b(?i:(?:n|d)?esta|(?:na|da)? ?(?:presente|próxima)) (?:sub)?sec?[cç]ç?ão\b"
    + _OF_THE_TEXT
    + r"|\b(?:(?:sub)?sec?(?:ção|ções)|capítulos?|parágrafos?) "
    r"(?:anterior(?:es)?|seguintes?|acima|abaixo)\b"
    r"|\b(?:mencionad|descrit|citad|apresentad|vist|referid|discutid|explicad|definid|dit"
    r"|indicad)[oa]s? (?:acima|abaixo|anteriormente|previamente|mais (?:acima|abaixo|adiante))\b"
    r"|\b[Aa]cima (?:mencionad|descrit|citad|apresentad|referid)|\bsupracitad"
    # Dutch
    r"|\b(?i:deze|de (?:vorige|volgende)) (?:sectie|paragraaf|deelparagraaf)\b"
    r"|\b(?i:dit|het (?:vorige|volgende)) hoofdstuk\b|\b[Hh]ier(?:boven|onder)\b"
    # Chinese
    r"|本小?节(?![日目点约奏省假气课])|[上下前]一?小?节(?=[中已将介的给提所]|，)|(?<!上)[上下前后]文(?!化|件|学|字|本|明|物|艺|章|凭|人)"
    r"|(?:前|后)面(?:的)?(?:章节|小节|已经?(?:介绍|提到|讨论|说)|所述|提到|介绍|讨论)"
    r"|如(?:前|上)所(?:述|示|言)|前述|正如(?:前面|上面|之前)"
)
_THING_FR = r"figures?|tableaux?|graphiques?|schémas?|diagrammes?|histogrammes?|courbes?|images?"
_FORMULA_FR = r"équations?|formules?|expressions?|relations?|inégalités?"
_THING_DE = (
    r"[Tt]abellen?|[Aa]bbildung(?:en)?|[Gg]ra(?:f|ph)i(?:k|ken)|[Dd]iagramme?n?s?|[Ss]chaubild\w*"
    r"|[Bb]ild(?:er)?|[Gg]leichung(?:en)?|[Ff]ormeln?"
)
_SHOWS_DE = r"zeigt|zeigen|veranschaulicht|verdeutlicht|illustriert|enthält|fasst|listet|gibt"
_THING_ES = r"tablas?|figuras?|gráfic[oa]s?|diagramas?|cuadros?|imagen|imágenes|esquemas?"
_FORMULA_ES = r"ecuaci(?:ón|ones)|fórmulas?|expresi(?:ón|ones)"
_SHOWS_ES = r"muestran?|ilustran?|presentan?|resumen?|recogen?"
_THING_IT = r"tabell[ae]|figur[ae]|grafic[oi]|diagramm[ai]|immagin[ei]|schem[ai]"
_FORMULA_IT = r"equazion[ei]|formul[ae]|espression[ei]"
_THING_PT = r"tabelas?|figuras?|gráficos?|diagramas?|quadros?|imagem|imagens|esquemas?"
_FORMULA_PT = r"equaç(?:ão|ões)|fórmulas?|expressão|expressões"
_FIGURE = re.compile(
    # English
    r"\b[Tt]h(?:is|ese) (?:passages?|excerpts?|extracts?|quotations?|quotes?)\b"
    r"|\b[Tt]he (?:first|second|third|fourth|last) (?:table|figure|plot|panel|graph|chart"
    r"|diagram) (?:is (?:the|that|an?)|shows?|lists?|gives?|presents?|displays?|contains?"
    r"|summari[sz]es?)\b"
    r"|\b[Ii]n the (?:first|second|third|fourth|last) (?:table|figure|plot|panel|graph|chart)\b"
    r"|\b[Tt]he (?:(?:first|second|third|fourth|last|left|right)(?:most)? )?(?:columns?|rows?) "
    r"(?:[“\"‘(][^”\"’)]{1,30}[”\"’)] (?:(?:and|to) [“\"‘(][^”\"’)]{1,30}[”\"’)] )?)?"
    r"(?:shows?|lists?|gives?|reports?|contains?|indicates?|presents?|labell?ed|marked"
    r"|denotes?)\b(?! that\b)|[“\"‘][^“”\"’]{1,30}[”\"’] (?:columns?|rows?)\b"
    r"|\b(?:columns?|rows?) [“\"‘][^”\"’]{1,30}[”\"’]"
    r"|\b[Ii]n the (?:first|second|third|fourth|fifth|last|next) (?:rule|row|column|equation)\b"
    r"|\b[Tt]he tables? (?:is|are) (?:separated|sorted|split|divided|organi[sz]ed|ordered"
    r"|grouped)\b"
    r"|\b(?:horizontal|vertical|diagonal) (?:(?:dashed|dotted|solid|red|black|blue|gr[ea]y) )?"
    r"lines? (?:separates?|shows?|marks?|indicates?|represents?|denotes?|is|are)\b"
    r"|\b[Tt]he (?:above|below) (?:equations?|expressions?|formulas?|formulae|figures?|tables?"
    r"|diagrams?|plots?|graphs?|code|definitions?|example|inequalit(?:y|ies)|relations?|list)\b"
    r"|\b(?:[Tt]he|this) (?:following|next|preceding|previous) (?:equations?|formulas?|formulae"
    r"|expressions?|inequalit(?:y|ies)|figures?|tables?|diagrams?|plots?|graphs?|code|listings?"
    r"|pseudo-?code)\b"
    # French
    rf"|\b(?i:ce|ces) (?:tableaux?|graphiques?|schémas?|diagrammes?|histogrammes?|courbes|images"
    r"|figures)\b"
    rf"|\b(?:{_THING_FR}|{_FORMULA_FR}|code|exemple) (?:suivante?s?|précédente?s?"
    r"|ci-(?:dessus|dessous|contre|après))\b"
    r"|\b[Cc]ette figure (?:montre|présente|illustre|représente|donne|permet)\b"
    r"|\b(?:[Ll]es|[Cc]es) (?:deux|trois|quatre|différentes) courbes\b"
    r"|\b[Oo]n voit (?:très )?(?:bien|ici|clairement|nettement)\b"
    r"|\b[Ll]e graphique (?:se trouvant|ci|montre)\b"
    r"|\b[Dd]ans (?:ce|cet) (?:passage|extrait|exemple)\b|\b[Cc]e passage (?:précis|montre|est)\b"
    r"|\b[Ll]e passage est\b|\b[Cc]et extrait\b"
    r"|\b[Cc]i-contre\b|\b(?:dans|sur) (?:cette figure|la figure|le tableau|le graphique)"
    r"(?= ?(?:,|on|nous|\.))"
    r"|\b(?:[Ll]e|[Ll]a) (?:tableau|graphique|figure|schéma|diagramme) (?:montre|présente|illustre"
    r"|récapitule|résume)\b"
    # German
    rf"|\b(?i:diese[mrn]?|(?:die|der|das|dem|den|im|in der|in den)? ?(?:n[äa]chste"
    rf"|(?:nach)?folgende|vorige|vorherige|letzte|obige|(?:oben|unten|neben|nach)stehende)[nrms]?) "
    rf"(?:{_THING_DE})\b"
    r"|\b(?i:die|das|der) (?:[Tt]abelle|[Aa]bbildung|[Gg]ra(?:f|ph)ik|[Dd]iagramm|[Ss]chaubild) "
    rf"(?:{_SHOWS_DE})\b"
    r"|\b[Ii]n der (?:Tabelle|Abbildung|Gra(?:f|ph)ik) (?:ist|sind|sieht|wird|werden|kann)\b"
    # Spanish
    rf"|\b(?i:est[ae]|estas|estos) (?:tablas?|gráfic[oa]s?|diagramas?|cuadros?)\b"
    rf"|\b(?i:siguiente|anterior)(?:s|es)? (?:{_THING_ES}|{_FORMULA_ES})\b"
    rf"|\b(?:{_THING_ES}|{_FORMULA_ES}|código|ejemplo) (?:anterior|siguiente)(?:e?s)?\b"
    rf"|\b(?i:la|el|las|los) (?:{_THING_ES}) (?:{_SHOWS_ES})\b"
    r"|\b[Ee]n (?:esta|la) figura (?:se|podemos|vemos)\b"
    # Italian
    r"|\b(?i:quest[aoie]) (?:tabell[ae]|grafic[oi]|diagramm[ai])\b"
    rf"|\b(?:{_THING_IT}|{_FORMULA_IT}) (?:precedent|seguent|successiv|sottostant|soprastant)"
    r"[eio]\b"
    rf"|\b(?i:seguent[ei]|precedent[ei]) (?:{_THING_IT}|{_FORMULA_IT})\b"
    # Portuguese
    r"|\b(?i:[nd]?est[ae]s?) (?:tabelas?|gráficos?|diagramas?|quadros?)\b"
    rf"|\b(?:{_THING_PT}|{_FORMULA_PT}|código|exemplo) (?:anterior(?:es)?|seguintes?|acima|abaixo"
    r"|a seguir|ao lado)\b"
    rf"|\b(?i:seguintes?) (?:{_THING_PT}|{_FORMULA_PT})\b"
    # Dutch
    r"|\b(?i:boven|onder)staande[nr]?\b|\b(?i:deze|de (?:vorige|volgende)) (?:tabel|figuur"
    r"|grafiek|afbeelding|vergelijking)\b"
    # Chinese
    r"|[从由在](?:该|此|上|下)?[图表]中?(?:可以|可|能|我们|看|得|发)|[如见](?:上|下|左|右)[图表]|(?<![以])[上下左右][图表](?![书像层级面格达示皮])"
    r"|(?<!地)(?<![意企版试力蓝])图中(?![心间])|(?<![代发])表中(?![国文央])|[该此][图表](?![书像层论灵形片案示达面格决彰态明演扬述率象皮])"
    r"|[上下][述列面](?:公式|方程|算式|表达式|等式|不等式|代码|图|表)|[由据从如]?[上下]式(?=[可，中所为是得表]|$)"
)


def points_to_a_section(text: str) -> bool:
    """Whether a text sends its reader to another part of the article, without naming its number:
    *in this section*, *as mentioned above*."""
    return _SECTION.search(text) is not None


def points_to_a_figure(text: str) -> bool:
    """Whether a text speaks of a figure, table or formula as one that is in sight, without naming
    its number: *the above equation*, *this table*."""
    return _FIGURE.search(text) is not None
