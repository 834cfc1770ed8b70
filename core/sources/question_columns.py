"""Names of the columns in which files of questions have their parts, as ``plain_name`` gives them,
the surest first: those of data sets, then those that people write in other languages."""

import re

QUESTIONS_ELSEWHERE = (
    *("frage", "fragetext", "fragestellung", "aufgabe", "pregunta", "enunciado", "énoncé"),
    *("domanda", "quesito", "pergunta", "questão", "vraag", "pytanie", "вопрос", "質問", "問題"),
    *("問題文", "設問", "题面", "질문", "문제", "soru", "câuhỏi"),
)
"""The question in other languages."""
QUESTIONS = (
    *("question.stem", "question", "questionstem", "stem", "query", "ctx", "goal", "problem"),
    *("questiontext", "querytext", "sent1", "prompt", "sentence", "题干", "题目", "问题", "input"),
    *("text", "content", "文本", *QUESTIONS_ELSEWHERE),
)
CALLED_QUESTION = re.compile(
    r"question|\bfrage|pregunta|domanda|pergunta|вопрос|题(?!目录)|問|질문|\bstem\b|\bprompt\b"
)
"""In longer names of the question; they count only beside options and a key."""
PASSAGES = (
    *("passage", "context", "article", "support", "background", "paragraph", "story", "fact1"),
    *("contexttext", "premise", "body", "scenario", "document", "材料", "阅读材料", "文章"),
    *("contexts", "text", "content", "文本", "lesetext", "texte", "texto", "testo", "本文", "지문"),
)
"""Columns of the text that a question is about."""
LISTS = (
    *("options", "choices", "question.choices", "candidates", "endings", "mc1targets"),
    *("answerchoices", "targetscores", "选项", "antwortmöglichkeiten", "optionen", "opciones"),
    *("opzioni", "opções", "alternativas", "варианты", "вариантыответа", "選択肢", "보기"),
    *("선택지", "answers"),
)
CALLED_OPTIONS = re.compile(
    r"(?:possible|given|multiplechoice|mc|mcq|answer|question)*"
    r"(?:options?|choices?|candidates?|alternatives?|(?<=possible)answers?)(?:list|texts?|map|dict)?"
)
"""Other names of what lists options."""
ANSWERS_ELSEWHERE = (
    *("antwort", "antworten", "richtigeantwort", "lösung", "lösungen", "réponse", "bonneréponse"),
    *("respuesta", "respuestacorrecta", "risposta", "rispostacorretta", "resposta"),
    *("respostacorreta", "gabarito", "antwoord", "odpowiedź", "ответ", "правильныйответ", "答え"),
    *("正解", "解答", "回答", "정답", "답", "답변", "cevap", "đápán"),
)
"""The right answer in other languages."""
KEYS = (
    *("key", "answerkey", "correctoption", "label", "answer", "answeridx", "answerindex"),
    *("correctanswer", "correct", "cop", "gold", "goldlabel", "goldanswer", "groundtruth"),
    *("target",),
    *("correctoptions", "correctchoice", "correctchoices", "rightoption", "rightanswer"),
    *("correctanswer(s)", "答案", "正确答案", "标准答案", "正确选项", *ANSWERS_ELSEWHERE),
    *("richtig", "correcta", "corretta", "answers"),
)
CALLED_KEY = re.compile(
    r"(?:(?:correct|right|gold|true|best|answer|key|option|choice|label|solution)+)"
    r"(?:id|idx|index|letter|no|num|number|pos|position|key|label|choice|option)"
)
"""Other names of keys; they count only where they name one of the options."""
CALLED_RIGHT = re.compile(
    r"(?<!in)correct|правильн|верн(?:ый|ого)|richtig|juste|bonneréponse|correct[ao]|corret[ao]"
    r"|정답|正确|正解"
)
"""In longer names of keys (“Number of the correct answer”); they count as the others do."""
RATIONALES = (
    *("rationale", "explanation", "solution", "analysis", "exp", "cotcontent", "解析", "解释"),
    *("other.solution", "begründung", "erklärung", "explication", "explicación", "spiegazione"),
    *("explicação", "пояснение", "解説", "해설"),
)

_REMARK = re.compile(r"\s[-–—]\s.*", re.DOTALL)  # "Question - max 120 characters"


def is_called_key(plain: str) -> bool:
    """Whether a plain name that is none of ``KEYS`` may be one of keys."""
    return bool(CALLED_KEY.fullmatch(plain) or CALLED_RIGHT.search(plain))


def plain_name(column: str) -> str:
    """A column's name as names are compared: without case, spaces, lines, hyphens and what is
    remarked behind a dash."""
    bare = _REMARK.sub("", column.strip()) or column
    return re.sub(r"[\s_-]+", "", bare).casefold() or column
