"""The glossary of the page: every term in one sentence, shown on hover and in a list."""

import re
from functools import cache

from irassay.assays.criteria import AGREEMENT, AXIOMS, CONSISTENCY, OTHERS, POWER, RATINGS, ROBUSTNESS
from irassay.meta.axioms.relations import AXIOMS as AXIOMS_BY_NAME
from irassay.reports.headings import FORMS as HEADING_FORMS
from irassay.reports.headings import HEADINGS

TERMS = {  # explained wherever they occur
    POWER: "The share of all pairs of systems whose difference is significant by the metric.",
    CONSISTENCY: "How similarly the metric ranks the systems on two random halves of the topics, as a mean tau.",
    ROBUSTNESS: "The share of all pairs of systems that differ significantly as judged and also if the documents that "
    "nobody judged all favour the better or the worse system.",
    AGREEMENT: "How similarly the metric and the other metrics rank the systems, as a mean tau.",
    OTHERS: "How similarly the metric ranks the systems by these judgements and by the other judgements, as tau.",
    RATINGS: "The correlation of the metric's scores with users' ratings.",
    AXIOMS: "Rules that a metric should obey, such as: a more relevant result at some rank never lowers the score.",
    "may be best": "No other metric or judge is significantly better by the criterion; usually several may be best.",
    "significant": "Larger than the choice of topics alone would plausibly explain, by the test named beside it; the "
    "level is stated under Provenance.",
    "separate": "To find a significant difference between two systems.",
    "behind": "Significantly lower than another metric or judge by a criterion.",
    "dominated": "Behind another metric on at least one criterion, while that metric is behind on none and shown to be "
    "no more than a margin worse on all.",
    "interval": "A range of plausible values of an estimate, given how much topics differ.",
    "tau": "Kendall's rank correlation: 1 if two rankings of the systems are the same, 0 if unrelated, −1 if reversed.",
    "replication": "How often two random halves of the topics order the metric and another one in the same way.",
    "criterion": "A property of a metric that is estimated here, such as discriminative power.",
    "control": "Scores that measure nothing, or the truth of a simulation, which show what a criterion can detect.",
    "max-T": "A test of all pairs at once that compares each difference, in standard errors, with the largest one that "
    "random signs give.",
    "step-down": "Tests the largest difference first and each smaller one only among those that are left.",
    "corrected p": "The p-value after correction for the number of pairs tested.",
    "outer bounds": "Limits that a difference cannot leave whatever the missing judgements are; they may be too wide.",
    "exact bounds": "Limits of a difference that some choice of the missing judgements reaches.",
    "missing judgements": "Results of the systems whose relevance nobody judged.",
    "smallest significant": "The smallest difference of two systems' means that is significant.",
    "largest non-significant": "The largest difference of two systems' means that is not significant.",
    "ASL": "The achieved significance level: the p-value of a pair of systems.",
    "leave-one-out": "The estimate without one of the topics, for each topic in turn.",
    "hash": "A number made from the names of a system and a topic, so that it measures nothing.",
}
GLOSSARY = TERMS | HEADINGS | {axiom.title: axiom.summary for axiom in AXIOMS_BY_NAME.values()}
FORMS = {  # other forms of terms
    AXIOMS: r"axioms?",
    "significant": r"significan(?:t|tly|ce)",
    "separate": r"separate[sd]?",
    "behind": r"behind",
    "interval": r"intervals?",
    "control": r"controls?",
    "criterion": r"criteri(?:on|a)",
    "hash": r"hash(?:es)?",
}


def term_of(heading: str) -> str:
    """The term that a heading is; empty if it is none, as the name of a metric or a system.

    >>> term_of("power 0.05"), term_of("AP")
    ('power', '')
    """
    if heading in GLOSSARY:
        return heading
    return next((term for term, form in (HEADING_FORMS | FORMS).items() if re.fullmatch(form, heading)), "")


def with_explanations(html: str, terms: set[str]) -> str:
    """Escaped text with the first occurrence of every term explained on hover; they are added to these terms.

    >>> with_explanations("It is behind.", set())
    'It is <abbr title="Significantly lower than another metric or judge by a criterion.">behind</abbr>.'
    """
    explained: set[str] = set()

    def explain(match: re.Match[str]) -> str:
        term = _terms()[match.lastgroup or ""]
        if term in explained:
            return match[0]
        explained.add(term)
        return explained_html(match[0], term)

    html = _pattern().sub(explain, html)
    terms |= explained
    return html


def explained_html(html: str, term: str) -> str:
    """HTML with the explanation of a term on hover."""
    from markupsafe import escape

    return f'<abbr title="{escape(GLOSSARY[term])}">{html}</abbr>'


def _form(term: str) -> str:
    return FORMS.get(term, re.escape(term))


@cache
def _terms() -> dict[str, str]:
    """The terms by the names of their groups in the pattern, the longest first."""
    return {f"t{n}": term for n, term in enumerate(sorted(TERMS, key=len, reverse=True))}


@cache
def _pattern() -> re.Pattern[str]:
    groups = (f"(?P<{name}>{_form(term)})" for name, term in _terms().items())
    return re.compile(rf"(?<![\w-])(?:{'|'.join(groups)})(?![\w-])", re.IGNORECASE)
