"""What a text shows that did not come out of its source whole, by kind of damage.

``ANYWHERE`` holds what is wrong in any text; ``IN_PROSE`` what is wrong in running text only: a
short answer, a message or a piece of code may well hold it.
"""

from collections.abc import Mapping

from core.generation.gated_patterns import GatedPatterns
from core.sources.articles.prose.damage import UNSPACED, UNSTOPPED

LONGEST = 60_000
"""So many characters of a text are looked at: a hostile file may hold megabytes."""

_LEADING = ("their", "the", "and", "between", "per", "via", "than", "our", "its")
"""Words that no sentence ends with; one that another begins with comes after it."""
_ENDED = "|".join(f"{word}[.;)]" for word in _LEADING)
_SPACE = r"[ \t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # as \s
_TWICE = "|".join(f"{word} {word}" for word in ("of", "an", "and", "for", "with", "from", "the",
                                                "to"))  # fmt: skip

_WRITTEN: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "lost_citation": (
        (  # apart, so that hardly any text in Chinese is asked
            r"，，|。，|，。(?!\.)|（[，；,;]",
            rf"，\s*{_SPACE}，|。\s*{_SPACE}，|，\s*{_SPACE}。(?!\.)|（\s*{_SPACE}[，；,;]",
        ),
        (
            r"(?<!\d),\s*,(?!,)",
            r",\s*\.(?![\w.])",
            r"(?<=\s)[(\[]\s*[,;]",
            r"(?<=\s)\(\s*\)|(?<=\s)(?<!\bis )(?<!\bare )\[\s*\]|（\s*）",
            r"[;,]\s*\)(?<!\d,\))|;\s*\]",
            r"(?<!as )\bfollows,\s+(?:it|we|they|this|the|an?)\b",
            # apart, so that hardly any text is asked: a space before such a sign is seldom, and
            # the words of an atomic group are not what a text is searched for
            rf"\b(?:{_ENDED})(?=\s|$)(?!\s\()",
            r"\b(?:design|approach|method|model|framework|proof|analysis|results|findings"
            r"|formulation|procedure|algorithm) of[.;)](?=\s|$)",
            rf"\b(?>{'|'.join(_LEADING)})\s*{_SPACE}[.;)](?=\s|$)",
            r"\b(?:e\.g\.|i\.e\.|cf\.),?\s*[.;)]|\b[Ss]ee,? e\.g\.,? (?:and|or|which|but)\b",
            r"\b(?:by|of)\s+and\s+(?!large\b|by\b|of\b)(?=(?:the|by|of|in|we|is|it|to)\b)",
            r"\(\s*(?:see(?: also)?|following|as in|by|from|and)\s*[;,.]?\s*\)",
            r"\b(?:described|proposed|introduced|presented|given|shown|developed|found)"
            r" (?:in|by)\s*[,;.](?:\s|$)",
            r"\((?:see(?: also)?|e\.g\.|cf\.|in|by|from)\s+[,;]",
            r"\((?:,\s*(?:Ch|Sec|Fig|p|pp|chap)\.\s*\d*|(?:Ch|Sec|Fig|p|pp|chap)\.)\s*\)",
            r"\b[Ss]ee (?:for (?:an?|the|more|further) \w|and references)",
            r"\bAs (?:has|have) (?:observed|shown|noted|argued|suggested|found),",
            r"\b(?P<who>[A-Z][\w’'-]{2,30})(?: et al\.?| and [A-Z][\w’'-]{1,30}|)"
            r" \(?(?P=who)(?: et al\.?| and [A-Z][\w’'-]{1,30}|),? \(?(?:19|20)\d\d",
            r"\b(?P<same>[A-Z][\w’'-]{2,30}) et al\.? and (?P=same) et al\b",
            r"(?:(?<=[.!?,] )|^)\([A-Z][\w’' &.-]{2,50}, (?:19|20)\d\d[a-z]?\)"
            r" (?:also |then |first )?(?:show|propos|demonstrat|introduc|describ|present|report"
            r"|suggest|develop|extend|argu)(?:s|es|ed|d)\b(?! (?:by|in)\b)",
        ),
    ),
    "leftover_markup": (
        (
            r"\\(?:cite|citep|citet|citealp|ref|autoref|cref|eqref|label|emph|textit|textbf|texttt"
            r"|footnote|includegraphics|item|section|gls|acrshort|xspace|url|href)\b",
            r"\\(?:begin|end)\b(?!\{(?:array|cases|[bBpvV]?matrix|smallmatrix|aligned|align|alignat"
            r"|split|gathered|gather|equation|multline|subarray)\*?\})",
            r"</p>|<p(?:\s[^<>]{0,200})?/?>(?! (?:in|of|is|and|has|to)\b)",
            r"</?(?:div|span|br|table|tr|td|li|ul|ol|sub|sup|em|strong|cite|font|script|style"
            r"|h[1-6])(?:\s[^<>]{0,200})?/?>",
            r"&(?:nbsp|amp|lt|gt|quot|ldquo|rdquo|mdash|ndash|#\d{2,6}|#x[0-9a-fA-F]{2,5});",
        ),
        (
            r"\\[A-Za-z]{2,}(?![\\:/\w])",
            r"(?<![#@/.\w-])(?!(?:mid|late|early|pre|post|non|circa|since|spring|summer|autumn|fall"
            r"|winter)-|\w+-\d{4}s?\b(?<=s))[a-z]{3,}(?:_?etal)?[:_-]?(?:19[5-9]|20[0-4])\d"
            r"[a-z]{0,14}\b(?![.]\w)",
            r"(?<![#@/.\w])[A-Z][a-z]{2,}:(?:19|20)\d\d\w{0,12}\b",
            r"\b[A-Z][a-z]{2,}(?:19[5-9]|20[0-4])\d[a-z]?(?= (?:show|found|find|report|propos"
            r"|suggest|argu|observ|describ|demonstrat|introduc|present)(?:s|es|ed|d)?\b)",
            r"(?<![\w.])@[A-Za-z]{2,}(?:_\w+)?(?::|_)?(?:19|20)\d\d\w{0,10}",
            r"\b(?:fig|figs|sec|eq|eqn|tab|tbl|thm|lem|alg|chap|app|subsec):[A-Za-z][\w:-]*"
            r"|\b(?:in|and|see|to|from|of|by|or|analy[sz]e) figs?\d{1,2}[a-z]?\b(?!\.\w)",
            r"[{}]",
            r"\b(?:citep?t?|citealp|textcite|autoref|textit|textbf|emph)\s?[\[{(]",
            r"\btext(?:it|bf|tt|sc|sf|rm)(?=[A-ZÀ-Þ])",
            r"‘[\w-]{1,40}‘|(?<!`)``(?=\w)|(?<=\w)''(?=[\s,.;])|(?<=[A-Za-z])\"[=~](?=[A-Za-z])",
            r"(?:[A-Za-z]{2}|\.)~(?=[A-Z(\d\\])",
            r"[a-z\u4e00-\u9fff）]\^(?=[，。,.;；])|\(#[a-z][\w-]*\)",
            r"\*\*(?=\w)|\]\(https?:|(?m:^#{1,6} \w)|:::",
            r"(?:^|(?<=\s))\| [^|\n]{1,60} \| [^|\n]{1,60} \|",
            r"={5,}|~{5,}|\*{5,}|#{7,}",
            r"<(?:b|i|u|code|small|tt|center)>[^<>]{1,200}</(?:b|i|u|code|small|tt|center)>",
        ),
    ),
    "missing_reference": (
        (
            r"\[(?:ref|REF|cite|CITE|citation|CITATION|[Cc]itation needed|\?{1,3}"
            r"|(?:CITATIONS?|CITES?|REFERENCES?|REFS?) (?:NEEDED|MISSING|HERE|REQUIRED))\]",
        ),
        (
            r"(?:^|(?<=[.!?] ))(?:Figure|Table|Section|Equation) (?:shows?|lists|gives|presents"
            r"|illustrates|summari[sz]es|depicts|compares|reports|displays|describes)\b",
            r"(?<=[a-z])[†‡¶](?=\s?[a-z])|(?<=[a-z][.,;])[*†‡¶](?=\s|$)",
            r"[(\s]\?\?(?=[\s).,;])|[图表式节章献]\s?(?:\?\?|？？)",
            r"\b(?:Figures?|Tables?|Sections?|Equations?) refs?\b(?! ?[\d.{(])"
            r"|\b(?:in|see|from|by|of) (?:fig|tab|eq)(?:\.(?=\s+[A-Z][a-z]|\s*$)|(?=[,;)]))",
            r"\b(?:Fig(?:ure|s?\.)|Tab(?:le|\.)|Sec(?:tion|\.)|Eq(?:uation|s?\.)|Refs?\.)\s*[(\[]?\?+",
            r"(?<=[a-z,(] )(?:Figures?|Tables?|Sections?|Equations?|Figs?\.|Eqs?\.|Secs?\.)"
            r"\s*(?:[,;)]|\.(?=\s|$)|(?:and|shows?|is|are|we)\b)",
            r"[a-z]{3}[⁰¹²³⁴⁵⁶⁷⁸⁹]{2,}(?![⁺⁻\w])|[a-z][.,;][¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]?(?=\s|$)",
            r"(?<=[A-Za-z)”’%][.,;])\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\](?=\s|$)",
            r"(?<=[a-z.,])(?<!\bis)(?<!\bare) \[\d{1,3}(?:[–-]\d{1,3}|(?:,\s?\d{1,3}){2,})?\]"
            r"(?=[\s.,;:?!)])",
            r"\b[A-Z][\w-]*(?:19|20)\d\d[a-z]?\?(?=[);,])|\(\[s\. ?d\.\]\)",
            r"\b(?:by|in|from|of|with|using) Equation (?!form|below|above)[a-z]\w{2,}",
            r"(?<=[a-z] )equation \(\s*\)|(?<=见)[图表式]\s*[，。；]",
            r"(?<=[a-z]{4})(?<!sqrt)(?<!floor)(?<!ceil)(?<!sinh)(?<!cosh)(?<!tanh)\(\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\)(?=[\s.,])",
            r"(?<=[\u4e00-\u9fff\d”）“，])(?<![到至间])\[\d{1,3}(?:\s?[,，–-]\s?\d{1,3})*\]"
            r"(?=[，。；、：）\u4e00-\u9fff])(?![到至之])",
            r" (?<=[a-z]{3}[.,”] )(?:[1-9]\d{0,2} ){1,4}(?=(?:[A-Z][a-z]+ly|In|The|This|These"
            r"|However|It|As|For|But|If|We|At|On|To|By|While|When|Although|Such|Thus|Since|There"
            r"|With|Under)\b,? )",
        ),
    ),
    "placeholder": (
        (
            r"[Ll]orem [Ii]psum(?! [a-z]+s\b)|LOREM IPSUM"
            r"|\[(?i:insert|placeholder|your)\b[^\[\]]{0,60}\]",
            r"<(?i:insert|your|placeholder)\b[^<>]{0,60}>|此处(?:插入|填写|省略)|（?待补充）?",
        ),
        (
            r"\b(?:TODO|FIXME|TBD|TBA)\b|\bX{4,}\b|\bXXX\b(?! \d)",
            r"\[[A-Z ]{3,20}\b(?:CITATIONS?|CITES?|REFS?|REFERENCES?|HERE)\b[^\]]{0,30}\]",
            r"\((?:REFS?|CITE|CITATIONS?|citations?|refs?|cite)\??\)"
            r"|\[[a-z]+, (?:[a-z]+, )*etc\.?\]",
            r"\((?:REFER[EÊ]NCIAS?|CITAR?|AGREGAR|COMPLETAR|INSERIR|INSERTAR)\b[^()]{0,80}\)",
            r"\((?:[Cc]itas?|[Cc]itar|[Cc]itaç(?:ão|ões)|[Cc]itazione|[Zz]itat)\??\)",
            r"\((?:FIG(?:URE)?S?|TABLES?|SEC(?:TION)?S?|fig(?:ure)?|table|[Rr]eference|[Ss]ource)"
            r"\s?\?+\)|\((?:FIGURE|TABLE|SECTION|YEAR|DATE|NAME|NUMBER|AUTHORS?)\)",
            r"\((?:ADD|CHECK|FIX|INSERT|UPDATE|REWRITE|FILL|EXPAND|MISSING)\b[^()]{0,80}\)",
            r"\((?:please |to )?(?:add|give|insert|needs?|find|put|more|some|cite|missing) "
            r"(?:\w+ ){0,3}(?:refs?|references?|citations?|cites?|here)\b[.?! ]{0,2}\)",
            r"\b(?:add|insert|need) (?:some )?(?:citation|ref|reference|cite)s?[.?!)](?=\s|$)",
            r"\b(?:some |this |just )(?:is )?(?:some )?(?:random|dummy|placeholder|filler|sample"
            r"|example) text\b|\b[Yy]ou can cite (?:\w+ ){0,2}(?:here|like)\b"
            r"|\b[Hh]ere (?:goes|comes) the text\b|\b[Tt]ext goes here\b",
            r"\((?:[Mm]anufacturer|[Cc]ompany|[Vv]endor|[Ss]upplier)(?: name)?, "
            r"(?:[Cc]ity|[Ll]ocation|[Ss]tate|[Cc]ountry)\b[^()]{0,40}\)",
            r"\b(?:19|20)(?:XX|xx)\b|\([Aa]uthors? et al\.?,|\bet al\.?,? (?:YEAR|XXXX)\b",
            r"\b(?:Fig(?:ure|\.)|Tab(?:le|\.)|Sec(?:tion|\.)|Eq\.) X{1,4}\b",
            r"\bset in \d{1,2}[ -]?(?:pt|point)s?\b|\b\d(?:\.\d+)? ?(?:inch(?:es)?|cm|picas?|pt)"
            r" (?:of (?:vertical |white )?space )?(?:before|after|above|below) (?:the |each )?"
            r"(?:sub)*(?:section |first )?(?:heading|title|caption|abstract)s?\b",
            r"\bXX (?:%|k?pc|[kcm]?m|[kM]?yr|Gyr|K|s|hours|days|years|times|percent)\b",
        ),
    ),
    "glued_heading": (
        (),
        (
            r"(?:^|(?<=[.!?] ))(?:\d+(?:\.\d+)*\.?\s+|[IVX]{1,4}\.\s+)?(?:Abstract|Introduction"
            r"|Background|Methods?|Materials and Methods|Methodology|Results?"
            r"|Results and Discussion|Discussion|Conclusions?|Related Works?|Summary|Experiments?"
            r"|Experimental Setup"
            r"|Evaluation|Limitations|Future Work|Appendix(?: [A-Z])?|Observations)\.?\s"
            r"(?:We|The|In|This|Our|To|A|An|It|As|For|These|Here|There|While|Although)\s",
            r"(?:^|(?<=[.!?] ))[A-Z][^.!?]{3,90}[a-z]\.\s?[–—]{1,2}\s?[A-Z]",
            r"(?:^|(?<=[.!?] ))(?:Why|How (?:it|this|we|they|to)) [^.?!:]{3,80}: (?=[A-Z][a-z]*\s)",
            r"(?:^|(?<=[.!?] ))\d+(?:\.\d+)+\.?\s+[A-Z][a-z]+(?: [A-Z]?[a-z]+){0,5} (?:We|The|In"
            r"|This|Our|To)\s",
            r"(?:[a-z]{3}(?<!\band)|\b[A-Z]|\d) (?:We|This|These|Our|However|Therefore|Moreover)"
            r" (?=[a-z]{2,}\s)|\b(?:in|see|from) [A-Z\d] The (?=[a-z]{2,}\s)",
            UNSTOPPED,
            r"(?:^|(?<=[。！？]))\s*(?:\d+(?:\.\d+)*\s*)?(?:摘要|引言|绪论|结论|讨论|方法|实验|参考文献)\s+"
            r"(?=[\u4e00-\u9fff])",
        ),
    ),
    "back_matter": (
        (),
        (
            r"\b[Ww]e (?:thank|gratefully acknowledge|are (?:very )?grateful to|wish to thank"
            r"|acknowledge (?:support|funding|financial))\b",
            r"^(?:The )?[Aa]uthors? (?:thanks?|declares?|acknowledges?|contributed equally)\b"
            r"|\bThe authors (?:thank|declare|acknowledge|would like to thank)\b",
            r"\b(?:[Gg]rants?|[Cc]ontracts?|[Aa]wards?) (?:agreement )?(?:[Nn]os?\.?|[Nn]umbers?|#)"
            r"\s?\S{0,12}\d",
            r"\b(?:supported|funded) (?:in part |partially )?(?:by|through|under)\b[^.]{0,120}"
            r"\b(?:[Gg]rants?|[Ff]ellowships?)\b",
            r"\b(?:no|any|potential|all|the following) (?:known |potential |financial )?"
            r"(?:competing|conflicts? of) (?:financial )?interests?\b"
            r"|\b(?:Competing|Conflicts? of) (?:[Ff]inancial )?[Ii]nterests?\b"
            r"|\b[Cc]reative [Cc]ommons\b|\bCC[- ]BY\b",
            r"\b[Aa]ll rights reserved\b|©|\bORCID\b|\b[Cc]orresponding author\b",
            r"\b(?:[Tt]he|[Tt]his|[Oo]ur) (?:manuscript|draft) (?:is|should be) (?:now |not yet "
            r"|almost |still |nearly )?(?:ready|complete|finished|unfinished"
            r"|being (?:written|revised))\b",
            r"\b(?:conceived|designed) (?:and \w+ )?the (?:study|experiments?|research)\b"
            r"|\bwrote the (?:paper|manuscript|first draft)\b",
            r"\breceived (?:his|her|their|the|a) (?:Ph\.?\s?D|B\.?\s?Sc?\b|M\.?\s?Sc?\b|B\.?A\b)",
            r"\bDear (?:Editors?|Dr|Prof|Reviewers?)\b|\b(?:Reviewer|Referee) ?#?\d\b",
            r"\b[\w.+-]{2,40}@[\w-]{2,40}\.[a-z]{2,6}\b",
            r"(?:^|\n)[A-ZÀ-Þ][\w’'-]+, [A-ZÀ-Þ][\w.]*[^“?!\n]{0,300}?[.,] (?:\((?:19|20)\d\d\)"
            r"|(?:19|20)\d\d)\. [“\"]|\. \d{1,3} \(\d{1,3}\): \d+[–-]\d+\.|https://doi\.org/\S+$",
            r"\blicensors?\b|\bhereby granted\b|\bwithout warranty of any kind\b",
            r"\b(?:[Aa]uthor guidelines|[Ii]nstructions (?:for|to) authors|[Cc]amera[- ]ready"
            r"|(?:class|style) files?|document ?class)\b",
            r"\b[Mm]inor (?:comments|remarks)\b|\b[Oo]verall evaluation\b"
            r"|\bsuitable for publication\b",
            r"^> ?\S|(?<=[.!?”\"] )> -",
            r"\b(?:[Ww]ir|[Ii]ch|[Vv]erfasser\w*|[Aa]utor(?:in|en|innen)?) (?:be)?dank(?:en?|t)\b"
            r"|\b(?:[Nn]ous remercions|[Jj]e remercie|[Aa]grade(?:cemos|zco|ço)"
            r"|[Rr]ingrazi(?:o|amo))\b",
            r"\b(?:AI|ChatGPT|Claude|Gemini|Grammarly|Copilot|language models?|LLMs?)\b[^.]{0,160}"
            r"\b(?:draft|edit|writ|polish|proofread|readab|wording)\w*[^.]{0,80}"
            r"\b(?:manuscript|this (?:paper|article|thesis))\b",
            r"\b[Tt]hanks? (?:very much |again )?for (?:your|these|the) \w* ?comments?\b",
            r"\b(?:address|reply to|respond to)"
            r" (?:these|your|the (?:reviewer|referee)(?:'s|s')?) comments?\b"
            r"|\b[Ww]e have (?:now )?(?:added|updated|removed|rewritten|revised)\b[^.]{0,80}"
            r"\b(?:comment|manuscript|referee|reviewer)s?\b",
            r"论文(?:工作)?表明作者|论文(?:书写|写作|撰写|行文)(?:条理|规范|符合|格式|结构)"
            r"|答辩委员会[^。]{0,30}(?:表决|同意|认为)",
            r"致谢|基金(?:项目|资助)|作者简介|通[讯信]作者|版权所有",
            r"感谢[^。；]{0,20}(?:对本(?:文|研究|论文)|悉心指导|的指导[和与]帮助)"
            r"|(?:本|该)(?:文|研究|论文|课题|工作|项目)(?:得到|受|由)[^。；]{0,40}资助",
        ),
    ),
    "affiliations": (
        (),
        (
            r"\b(?:Department|School|Faculty|Institute|Laborator(?:y|ies)|Division|College|Cent(?:re"
            r"|er)) (?:of|for) [A-Z][^.;,]{2,60}, "
            r"(?!(?:is|was|are|were|has|had|which|who|where|and)\b)"
            r"(?:[^.;,]{2,60}, )?(?:The )?[A-Z]?[^.;,]{0,40}"
            r"(?:Universit|Institute|College|Hospital|Academy|Laborator)",
            r"\bUniversity of [A-Z]\w+, [A-Z][^.;,]{2,30},? [A-Z][^.;,]{2,30}(?:, [A-Z]\w*){0,2}"
            r"\s?\d{4,6}\b",
            r"(?:大学|学院|研究所)[^。]{0,20}(?:邮编|，\s*\d{6})",
        ),
    ),
    "broken_words": (
        (
            r"[a-z]{3}[.?!](?:The|Their|They|This|These|That|It|In|All|He|She|We|But|If|However|When"
            r"|There|For|Some|As|At|After|Before|Because|Then|So|Since|While|Which|What|Except)"
            r" (?=[a-z])",
            r"\b(?:could|would|should|did|does|do|is|was|were|are|had|has|have|might|must|need)n"
            r" [’']t\b",
            rf"(?<!\w)(?:{_TWICE}|The the|An an|And and|For for|With with|From from) (?=[a-z])",
        ),
        (
            r"\b[a-z]{2,}-\s(?!(?:and|or|to|nor|than|as|but|versus|vs|over|rather|through|into|from"
            r"|with|within|via|not|if|while|which|that|instead|then|both|und|oder|et|is|are)\b)"
            r"[a-z]{3,}\b",
            r"\b(?:signi cant\w*|speci c(?:ally)?|de nition\w*|de ned?|con dence|e ective\w*"
            r"|e ects?|di eren\w+|coe cients?|classi cations?|classi ers?|arti cial\w*|bene ts?"
            r"|scienti c|identi (?:ed|es|cation)|modi (?:ed|es|cation\w*)"
            r"|(?:e|su) cien(?:t|tly|cy|cies))\b",
            r"\b(?:t he|th e|o f|w ith|wi th|tha t|an d|f or the|i n the|w e|w hich|w ere|t his"
            r"|t hat|a nd|h ave)\b",
            r"\b[A-Z]{2,5}(?:but|and|the|with|from|that|which|were|was|are)\b",
            UNSPACED,
            r"[A-Za-zà-ÿ]{2}[.?!](?:El|La|Los|Las|Un|Una|En|Le|Les|Une|Il|Lo|Gli|Der|Die|Das|Ein|Eine"
            r"|The|This|It|In|We|For) (?=[a-zà-ÿ])",
            r"(?<=[a-zà-ÿ]{3}), (?:Desde|Además|También|Aunque|Cuando|Cependant|Nous|Cette|Außerdem"
            r"|Dadurch|Tuttavia|Inoltre|Também|However|Therefore|Moreover|Furthermore|Although)"
            r"(?=,? [a-zà-ÿ])",
            r"(?<=[a-zà-ÿ]{2}) (?:Entonces|Además|También|Cependant|Néanmoins|Außerdem|Tuttavia"
            r"|Inoltre|Portanto|Furthermore|Nevertheless)(?=,? [a-zà-ÿ])",
            r"\b0, \d{1,3} ?(?:%|°C|[mckµn]?m|[mkµ]?g|m?s|[kMG]?Hz|[mk]?[VW]|mA|[kMG]?eV|ml|bar"
            r"|k?Pa|slm|mol)\b",
            r"\b(?:several|various|multiple|numerous) (?:(?:different|other|distinct|such) )?"
            r"(?!individual|general|material|animal|rational|official|professional|original|local"
            r"|potential|arrival|proposal|interval)[a-z]{3,}(?:ical|omic|etic|ous|ive|ular)\.(?=\s|$)",
            r"[a-z]{3}[.?!](?:[A-Z][a-z]{2,}(?=[\s,’])|(?:A|An|By|I|In|No|On|To) (?=[a-z]))",
            r"[a-z]{2},[a-z]{3,}(?=\s)|[a-z]{3},[A-Z][a-z]{3,}(?=\s)|[a-z]{2}\)[a-z]{3,}\s",
        ),
    ),
    "mojibake": (
        (
            r"\ufffd|锟斤拷|烫烫烫|ï»¿|ï¿½|ï¼Œ|â€[\u0080-\u009f™œ“”¦˜]?|Ã[\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
            r"|Â[\u0080-\u00bf](?=\s|\w)|Ð[°-¿][Ð Ñ]",
        ),
        (r"[\u2e80-\u2fdf][\u4e00-\u9fff]|[\u4e00-\u9fff][\u2e80-\u2fdf]",),
    ),
    "invisible_characters": (
        (
            r"[\u00ad\u200b\u2060-\u2064\ufeff\ue000-\uf8ff\ufff9-\ufffb]",
            r"[\u202a-\u202e\u2066-\u2069]",
            r"[\x00-\x08\x0b\x0e-\x1f\x7f\u0080-\u009f]",
        ),
        (),
    ),
}  # fmt: skip

KINDS = tuple(_WRITTEN)
ANYWHERE = GatedPatterns({kind: anywhere for kind, (anywhere, _) in _WRITTEN.items()})
IN_PROSE = GatedPatterns({kind: in_prose for kind, (_, in_prose) in _WRITTEN.items()})
