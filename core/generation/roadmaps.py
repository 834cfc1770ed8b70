"""Paragraphs that say which part of the article holds what, or what will be told when.

They are about the article, in an order that nobody can know who has not read it.
"""

import re

_SAID = re.compile(
    r"\b(?:paper|article|thesis|dissertation|chapter|report|work|manuscript|remainder|rest|section"
    r"|document|study)\b[^.]{0,60}\b(?:is|are) (?:then |now )?(?:structured|organi[sz]ed|laid out"
    r"|arranged|divided) (?:as follows|as below|in|into)\b"
    r"|\b(?:results|analys[ei]s|discussion|book|notes|exposition|presentation|lectures?|appendix"
    r"|content|argument|review|text)\b[^.]{0,60}\b(?:is|are) (?:then |now )?(?:structured"
    r"|organi[sz]ed|laid out|arranged|divided) as follows\b"
    r"|\b(?:[Ww]e|I) (?:conclude|end|close|finish|begin|start|open) (?:this|the) (?:lecture|chapter"
    r"|section|subsection|paper|part|article|essay|review|discussion|survey|thesis|report|lesson)\b"
    r"|\b(?:which|as|this|that) (?:we|I) (?:will|shall) do (?:next|later|below|shortly|now)\b"
    r"|\b[Ll]et (?:us|me) (?:now|first|next|then) (?:describe|discuss|explain|introduce|present"
    r"|review|turn to|look at|summari[sz]e|outline)\b"
    r"|\b[Aa]t this point,? (?:we|I) (?:want|wish|would like) to\b"
    r"|\b[Bb]efore (?:we|I) do (?:that|so|this), (?:we|I)\b"
    r"|\b[Ii]n the (?:first|second|third|last|final|next|following) (?:part|chapter|half|lecture"
    r"|lesson|module|unit)(?: of (?:the|this) \w+)?,? (?:we|I) (?:will|shall)\b"
    r"|\b[Ii]n the (?:remainder|rest) of (?:the|this) (?:paper|article|chapter|thesis|section)\b"
    r"|(?:本文|论文|全文|本章)的?(?:内容)?(?:组织|章节|篇章|结构|内容)(?:结构|安排|如下)"
    r"|(?:本章|此章节|本节|此章)[^。]{0,40}(?:介绍|讨论|阐述|总结).*"
    r"(?:之后|然后|接着|最后|其次|同时)[^。]{0,20}(?:介绍|讨论|阐述|总结|分析)"
    r"|(?:首先|其次|再次|然后|接着|随后|最后|此外)，?(?:本文)?(?:在)?第\s?[一二三四五六七八九十\d]{1,3}\s?章"
    r"|\b(?:mémoire|thèse|article|chapitre|travail|réflexion|exposé|partie|rapport|étude|plan)\b"
    r"[^.]{0,60}\b(?:s['’]articule(?:ra)?|se (?:compose|divise|décompose|structure)"
    r"|est (?:structurée?|organisée?|divisée?|composée?)|s['’]organise(?:ra)?)\b"
    r"|\b(?:[Aa]rbeit|[Kk]apitel|[Aa]bschnitt|[Tt]hesis|[Aa]rtikel)\b[^.]{0,60}\b(?:ist|sind)"
    r" (?:wie folgt|folgendermaßen|in \w+ (?:[Tt]eile|[Kk]apitel|[Aa]bschnitte)) "
    r"(?:aufgebaut|gegliedert|strukturiert|unterteilt)\b|\bgliedert sich\b[^.]{0,30}\b(?:in \w+ "
    r"(?:[Tt]eile|[Kk]apitel|[Aa]bschnitte)|wie folgt|folgendermaßen)\b"
    r"|\b[Ww]e (?:will )?(?:begin|start) (?:by|with) [^.]{3,120},(?: and)? then "
    r"(?:discuss|explore|explain|introduce|present|describe|review|turn to|show how)\b"
    r"|\b(?:tesis|trabajo|cap[íi]tulo|art[íi]culo|memoria|documento|informe|disserta[çc][ãa]o)\b"
    r"[^.]{0,60}\b(?:se (?:estructura|organiza|divide|compone)"
    r"|está (?:estructurad|organizad|dividid)[oa])\b"
    r"|\b(?:lavoro|tesi|elaborato|articolo|relazione|trattazione|documento)\b[^.]{0,60}"
    r"\b(?:è|viene) (?:strutturat|organizzat|suddivis|articolat|divis)[oa] "
    r"(?:come segue|nel modo seguente|in (?:\w+ )?(?:capitoli|parti|sezioni))\b"
    r"|\b(?:[Pp]assiamo|[Cc]i accingiamo|[Pp]rocediamo)(?: ora| adesso| quindi)? ad? "
    r"(?:illustrare|descrivere|presentare|introdurre|analizzare|esaminare|discutere|esporre"
    r"|spiegare|trattare|vedere)\b"
    r"|\b(?:[Ww]e|I) (?:will|shall) now (?:discuss|describe|present|explain|introduce|outline"
    r"|review|turn to|summari[sz]e)\b"
    r"|(?:^|[。；，])[这该]一?(?:部分|章节|小节|节)(?:将|主要|会|重点){1,2}"
    r"(?:介绍|分析|讨论|阐述|说明|描述|给出|论述|总结)"
    r"|\b[Pp]as[ae]mos (?:ahora )?a (?:describir|presentar|explicar|analizar|exponer|introducir"
    r"|discutir|estudiar|detallar|ver)\b|\b[Pp]ass[ae]mos agora a \w+r\b"
    r"|(?:^|[。；，！？])(?:下面|接下来|以下)，?(?:我们?|本文|笔者|就|来|将|会|先|首先|分别|详细|简单|简要|主要"
    r"|以[^，。]{1,20}为例，?){0,4}(?:介绍|讨论|阐述|说明|描述|给出|分析|讲解|论述|叙述|解释)"
)
"""What says it in one sentence."""
_PART = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|Parts?) [\dIVX]"
    r"|\b(?i:cap[íi]tulos?|chapitres?|kapiteln?|abschnitte?n?|secci[óo]n(?:es)?) [\dIVX]"
    r"|第\s?[一二三四五六七八九十\d.]{1,4}\s?(?:章|节|部分)(?=[，：]|主要|首先|介绍|为|是|对|将|根据|以|研究|总结"
    r"|阐述|给出|提出|详细|分析|设计|实现|概述|简述|重点|则|中)"
)
_ENGLISH = (
    r"present|describe|discuss|introduce|review|outline|conclude|summari[sz]e|recall|explain"
    r"|cover|address|turn to|give an overview|provide an overview|offer|detail|sketch|survey"
    r"|define|examine|explore|argue|show|state|claim|mention|propose"
)
_ANNOUNCED = re.compile(
    rf"\b(?:[Ww]e|I) (?:will|shall)(?: then| also| first| next| finally| briefly| now)? "
    rf"(?:{_ENGLISH})\b"
    rf"|\b(?i:first(?:ly)?|then|next|finally|lastly|afterwards|subsequently|after (?:that|this))\b"
    rf",? (?:[Ww]e|I)(?: also| briefly| quickly| shortly| further| formally)? (?:{_ENGLISH})\b"
    rf"|\b(?:[Ww]e|I)(?: then| first| next| finally| quickly| briefly)+,? (?:{_ENGLISH})\b"
    rf"|\b(?i:first(?:ly)?|second(?:ly)?|next|then|finally|lastly|further|afterwards),? "
    rf"(?:it|this (?:thesis|paper|work|article|study)) (?:also |then )?(?:{_ENGLISH}"
    r"|analy[sz]e)(?:e?s)\b"
    r"|\b[Ii]n this (?:review|paper|article|chapter|section|essay|survey),? (?:we|I) "
    rf"(?:{_ENGLISH})\b"
    r"|\b(?:[Ww]e|I) (?:(?:will|shall) )?(?:begin|start|conclude|end|finish|close) (?:by|with) "
    r"(?:a |an |the |some )?(?:\w+ing|overview|discussion|review|description|summary"
    r"|introduction|remarks?)\b"
    r"|\b(?:[Tt]his|[Tt]he (?:next|first|second|third|last|final|following)) (?:section|chapter"
    rf"|part|paper|thesis|essay|article|report) (?:will |shall )?(?:then |also |first )?"
    rf"(?:{_ENGLISH})(?:e?s)?\b"
    r"|\b[Nn]ous allons (?:ici |maintenant |donc |d['’]abord |ensuite )?(?:étudier|présenter|voir"
    r"|montrer|décrire|aborder|analyser|introduire|discuter|expliquer|détailler|nous)\b"
    r"|\b[Nn]ous (?:nous |en |y |vous )?(?:l['’])?(?:(?!(?:se|au|pour|d|av|obtiend|trouve|verr"
    r"|saur|pourr|devr|fer|ir|viend|tiend|prend)rons\b)\w{3,})rons\b"
    r"|\b(?:[Zz]un[äa]chst|[Zz]uerst|[Dd]anach|[Aa]nschließend|[Ii]m [Aa]nschluss|[Aa]bschließend"
    r"|[Ss]chließlich|[Zz]um (?:[Ss]chluss|[Aa]bschluss)|[Ii]m [Ff]olgenden)\b[^.;]{0,160}"
    r"\b(?:vorgestellt|erläutert|beschrieben|diskutiert|eingeführt|dargestellt|behandelt"
    r"|besprochen|zusammengefasst|erklärt|präsentiert|eingegangen|thematisiert|aufgezeigt)\b"
    r"|\bsoll(?:en)? [^.;]{1,80}\b(?:vorgestellt|erläutert|beschrieben|diskutiert|dargestellt"
    r"|behandelt|erklärt|eingegangen) werden\b|\bwird auf [^.;,]{1,60} eingegangen\b"
    r"|\b(?i:present|describ|expon|expl?ic|introduc|discut|mostr|tratar|abord|detall|conclu|resum"
    r"|estudi|analiz|defin|comentar|desarroll|revis|repas|ver)\w{0,5}(?:remos|rán)\b"
    r"|\b(?i:present|descriver|illustr|introdurr|discut|mostr|tratt|analizz|conclud|espor)\w{0,4}"
    r"remo\b"
    r"|\b[Ii]n this (?:sub)?section\b"
    r"|本[章节](?:将(?:会|要|详细|首先|依次|分别|重点|主要|介绍|阐述|讨论|对)|聚焦|(?:主要|重点)(?:介绍|研究|讨论|阐述|分析))",
)
"""What will be told, in the words of six languages; two of them outline an article."""
_STEP = re.compile(
    rf"\b(?i:first(?:ly)?|then|next|finally|lastly|afterwards|subsequently),? (?:[Ww]e|I) "
    rf"(?:{_ENGLISH}|demonstrate|evaluate|frame|apply|illustrate|investigate|compare|study"
    r"|analy[sz]e|consider|establish|prove|derive|develop|validate|assess|extend|test)\b"
    rf"|\b(?:[Ww]e|I)(?: then| first| next| finally)+,? (?:{_ENGLISH}|demonstrate|evaluate|frame"
    r"|apply|illustrate|investigate|compare|study|analy[sz]e|consider|establish|prove|derive"
    r"|develop|validate|assess|extend|test)\b"
)
"""A step of an article; three of them, one of which tells, are its outline and no method."""
_TOLD = re.compile(
    r"\b(?:is|are) (?:then |also |first |finally |briefly )?(?:described|discussed|presented"
    r"|introduced|explained|outlined|summari[sz]ed|given|reviewed|explored|examined|shown)"
    r"(?=[.,;]| (?:and|as well|in (?:detail|more|brief)|including|together)\b)"
)
_IN_TURN = re.compile(r"\b(?:First(?:ly)?|Then|Next|Finally|Lastly|Furthermore|After(?:wards)?)\b")
"""An outline in the passive: three things are told, in turn."""
_CHAPTER = re.compile(
    rf"(?:^|[.?!] )(?:[Ff]inally, |[Tt]hen, |[Nn]ext, )?Chapter [\dIVX]{{1,4}} "
    rf"(?:(?:will|mainly|first|then|also|briefly) ){{0,2}}(?:{_ENGLISH}|focus|deal|look)(?:e?s)?\b"
    r"|\b(?:is|are) (?:then |mainly |first )?(?:presented|described|discussed|introduced"
    r"|summari[sz]ed) in Chapter [\dIVX]{1,4}\.(?:\s|$)"
    rf"|\b[Ii]n [Cc]hapters? [\dIVX]{{1,4}},? (?:we|I) (?:then |first |also |will )?(?:{_ENGLISH}"
    r"|develop|study|apply|turn|extend|give|provide|compare|investigate|focus|look)\b"
    r"|\b[Tt]he (?:topics?|subjects?|focus|aims?|content) of Chapter [\dIVX]{1,4} (?:is|are)\b"
)
"""What a chapter is about: the outline of a thesis gives each its own paragraph."""
_OF_A_PART = re.compile(
    r"\b(?:[Tt]his|[Tt]he (?:next|following|subsequent|previous|preceding|present|current"
    r"|final|concluding|remaining|introductory)) chapters?\b"
    r"|\b[Ii]n the chapter\b"
    r"|\b[Ee](?:ach|very) chapter (?:also )?(?:is|ends?|concludes?|begins?|starts?|closes?|opens?"
    r"|contains?|has|includes?|introduces?|presents?)\b"
    r"|\b[Tt]he chapter (?:also |then )?(?:ends?|ended|begins?|began|starts?|started|concludes?"
    r"|concluded|closes?|closed|opens?|opened|finishe[sd]|goes on|went on|will)\b"
    r"|\b(?:[Tt]he|[Oo]ur) (?:previous|preceding|next|following) part\b(?! of the)"
    r"|\b[Tt]he (?:next|following|subsequent|previous|preceding) (?:sub)?sections?\b"
    rf"|\b[Tt]his (?:sub)?section (?:(?:will|then|also) ){{0,2}}(?:{_ENGLISH}"
    r"|synthesi[sz]e|focus|develop|deal|provide|summari[sz]e)(?:e?s)?\b"
    r"|\b(?i:ce|(?:le|du|au) (?:prochain|présent)|diese[sm]?|(?:im|das) (?:nächste|folgende)n?"
    r"|este|neste|deste|nesse|questo|quest[oi]) (?i:chapitre|kapitel|cap[íi]tulo|capitolo)s?\b"
    r"|(?:本|下一|上一|前一|后续|以下各|以上各)章"
)
"""What speaks of a part of the article as a whole: to say what is in it, or what was."""
_STILL_TO_DO = re.compile(
    r"\bwill (?:then |also |first |finally |not )*be (?:analy[sz]ed|assessed|evaluated|examined"
    r"|investigated|compared|collected|recruited|measured|tested|estimated|performed|conducted"
    r"|carried out|calculated|determined|explored|validated|implemented|reported|submitted"
    r"|interviewed|invited|asked|randomi[sz]ed)\b"
    r"|\bwill be (?:exploring|looking|investigating|examining|studying|considering|discussing"
    r"|focusing|working|developing|researching)\b|\b[Ee]ach (?:\w+ )?member will\b"
)
"""What is planned for a study; two of them are a plan of research."""
_NUMBER = r"(?:(?:\d{1,2}|[A-H])(?:\.\d{1,2})*(?![\d%]|\.\d)|[IVX]{2,4}\b|[VX]\b)"
_THEOREM = re.compile(
    r"\b(?:[Tt]heorems?|[Ll]emmas?|[Pp]ropositions?|[Cc]orollar(?:y|ies)|[Dd]efinitions?|[Rr]emarks?"
    r"|[Aa]lgorithms?|[Ll]istings?|[Ee]xercises?|[Cc]laims?|[Tt]héorèmes?|[Ll]emmes?|[Cc]orollaires?"
    r"|[Dd]éfinitions?|[Rr]emarques?|[Aa]lgorithmes?|Satz|Sätze|Lemmata|Korollar|Bemerkung"
    r"|Algorithmus|[Tt]eoremas?|[Ll]emas?|[Pp]roposici(?:ón|ones)|[Dd]efinici(?:ón|ones)"
    r"|[Aa]lgoritmos?|[Tt]eorema|[Dd]efinizion[ei]|[Pp]roposizion[ei])\s(?:\d{1,3}|[A-Z]\.\d)"
    r"(?:\.\d{1,3})*(?![\d%]|\.\d|\w)"
    r"|\b(?:[Aa]ssumptions?|[Aa]xioms?|[Hh]ypothèses?|[Aa]nnahmen?|[Ss]upuesto) \(?"
    r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]{1,3}\.?\d{1,2})\b|\b[Cc]onditions? [A-Z]{1,3}\.?\d{1,2}\b"
    r"|(?:定理|引理|推论|命题|定义|算法)\s?\d{1,3}(?:[.-]\d{1,3})*(?!\s?[个种类条])"
)
"""A statement, by its number: its words stand elsewhere."""
_SECTION = re.compile(
    r"(?<!cross )(?<!cross-)\b(?i:(?:sub)?sections?|sects?\.|secs?\.|chapters?|chapt?\.|appendix"
    r"|appendices|chapitres?|annexes?|kapiteln?|abschnitte?n?|anhang|cap[íi]tulos?|capitol[oi]"
    r"|secci[óo]n(?:es)?|se[çc](?:ão|ões)|sezion[ei]|paragraf[oi]|apartados?)"
    rf"\s{_NUMBER}(?!\w| of (?:the|its|this) [A-Z])"
    rf"|\b(?:la|les|des|aux|en) parties? {_NUMBER}(?!\w)"
    r"|§+\s?\d{1,2}(?:\.\d{1,2})+|第\s?[一二三四五六七八九十\d.]{1,5}\s?[章节]"
    r"|(?<![\d.])\d{1,2}(?:\.\d{1,2})+\s?(?:小)?节|(?:章节|小节)\s?\d"
    r"|\b\d{1,2}(?:\.\d{1,2})+ (?:sub)?section\b"
    r"|[\u4e00-\u9fff]章节中(?:的|查看|介绍|说明|给出|讨论)"
    r"|\b(?:will|shall) (?:also |then )?be (?:\w+ )?(?:discussed|described|explained|presented"
    r"|shown|introduced|addressed|detailed|covered|explored|outlined|defined|treated)\b"
    r"(?: in (?:more|greater|further|some) detail)? (?:later|below|further (?:on|down))\b"
)
"""Another part of the article, by its number, or by where it will stand."""
_IN_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
_MOST_PARTS, _MOST_ANNOUNCED, _MOST_STEPS = 2, 1, 2
_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def is_roadmap(text: str) -> bool:
    """Whether a paragraph says which part of the article holds what, in which order, or what is
    still to be done."""
    if any(pattern.search(text) for pattern in (_SAID, _CHAPTER, _OF_A_PART)):
        return True
    if len(_PART.findall(text)) > (1 if _CHINESE.search(text) else _MOST_PARTS):
        return True
    told = (_ANNOUNCED, _STILL_TO_DO)
    if any(len(pattern.findall(text)) > _MOST_ANNOUNCED for pattern in told):
        return True
    if len(_TOLD.findall(text)) > _MOST_STEPS and _IN_TURN.search(text):
        return True
    return len(_STEP.findall(text)) > _MOST_STEPS and _ANNOUNCED.search(text) is not None


def names_a_section(text: str) -> bool:
    """Whether a paragraph sends its reader to a numbered section or statement, or to what is told
    later; in brackets it may."""
    return any(
        pattern.search(text) and pattern.search(_IN_BRACKETS.sub("", text))
        for pattern in (_SECTION, _THEOREM)
    )
