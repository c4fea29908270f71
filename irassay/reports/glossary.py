"""The glossary of the page: every term in one sentence, shown on hover and in a list."""

import re
from functools import cache

from irassay.assays.profile import AGREEMENT, AXIOMS, CONSISTENCY, OTHERS, POWER, RATINGS, ROBUSTNESS

TERMS = {  # explained wherever they occur
    POWER: "The share of all pairs of systems whose difference is significant by the metric.",
    CONSISTENCY: "How similarly the metric ranks the systems on two random halves of the topics, as a mean tau.",
    ROBUSTNESS: "The share of all pairs of systems that differ significantly even in the worst case of the documents "
    "that nobody judged.",
    AGREEMENT: "How similarly the metric and the other metrics rank the systems, as a mean tau.",
    OTHERS: "How similarly the metric ranks the systems by these judgements and by the other judgements, as tau.",
    RATINGS: "The correlation of the metric's scores with users' ratings.",
    AXIOMS: "Rules that a metric should obey, such as: a more relevant result at some rank never lowers the score.",
    "may be best": "No other metric is significantly better on the criterion; usually several metrics may be best.",
    "significant": "Larger than the choice of topics alone would explain, by the test and at the level stated under "
    "Provenance.",
    "separate": "To find a significant difference between two systems.",
    "behind": "Significantly lower than another metric on a criterion.",
    "dominated": "Behind another metric on one criterion, while that metric is shown to be no more than a margin worse "
    "on all others.",
    "interval": "The values of an estimate that would be plausible with other topics like these.",
    "tau": "Kendall's rank correlation: 1 if two rankings of the systems are the same, 0 if unrelated, −1 if reversed.",
    "replication": "How often two random halves of the topics order the metric and another one in the same way.",
    "criterion": "A property of a metric that is estimated here, such as discriminative power.",
    "control": "Scores that measure nothing, or the truth of a simulation, which show what a criterion can detect.",
    "max-T": "A test of all pairs at once that compares each difference with the largest one that random signs give.",
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
HEADINGS = {  # explained only where they are headings, because sentences use the words in other senses
    "estimate": "The value of a criterion on these topics.",
    "low": "The lower end of the interval.",
    "high": "The upper end of the interval.",
    "p": "The probability of a difference at least as large if there were none, for this pair alone or as corrected by "
    "the test.",
    "effect": "The mean difference in standard deviations of the differences over topics.",
    "power": "The share of pairs of systems whose p-value is below this level.",
    "ASL area": "The area under the curve of all p-values; lower is better.",
    "threshold": "The difference of means from which on a pair is significant, for the median pair.",
    "spread": "The best mean of a system minus the worst.",
    "without worst": "The power without the tenth of the systems that have the worst mean rank.",
    "MC error": "The standard deviation of low and high over random seeds.",
    "sd": "The standard deviation.",
    "rank from": "The best rank that the system may have, given the significant differences; the worst one follows.",
    "group": "Systems that share a letter do not differ significantly.",
    "beats": "The number of systems that are significantly worse.",
    "loses to": "The number of systems that are significantly better.",
    "wins": "How often the row is ahead.",
    "losses": "How often the row is behind.",
    "p without": "The p-value without this topic.",
    "mean without": "The mean difference without this topic.",
    "SSA": "Pairs of systems for which both metrics find a significant difference in the same direction.",
    "SSD": "Pairs of systems for which both metrics find a significant difference, in opposite directions.",
    "SN": "Pairs of systems whose difference only the first metric finds significant.",
    "NS": "Pairs of systems whose difference only the second metric finds significant.",
    "NN": "Pairs of systems whose difference neither metric finds significant.",
    "SSA class": "The agreement of two metrics on significant differences, from 0 to 1: 2 SSA / (2 SSA + SN + NS).",
    "NN class": "The agreement of two metrics on differences that are not significant, from 0 to 1.",
    "median width": "How far missing judgements could move the mean of the median system.",
    "largest width": "How far missing judgements could move the mean of the system that they affect most.",
    "undecided pairs": "The share of pairs of systems whose ranges under missing judgements overlap.",
    "share of halves": "How often the metric may be best if only half of the data is used.",
    "place": "Whether the metric may be best on the criterion, or which metrics it is behind.",
    "axioms broken": "The number of axioms that the metric breaks at least once.",
    "dominated by": "The metrics that dominate this one.",
    "r": "Pearson's correlation.",
    "rho": "Spearman's rank correlation.",
    "NRMSE": "The root mean squared error of predicted ratings, as a share of the rating scale.",
    "gamma": "The share of cases without ties in which the metric agrees, minus the share in which it disagrees.",
}
GLOSSARY = TERMS | HEADINGS
FORMS = {  # other forms of terms in sentences
    AXIOMS: r"axioms?",
    "significant": r"significan(?:t|tly|ce)",
    "separate": r"separate[sd]?",
    "behind": r"behind",
    "interval": r"intervals?",
    "control": r"controls?",
    "criterion": r"criteri(?:on|a)",
    "hash": r"hash(?:es)?",
    "power": r"power [\d.]+",
    "smallest significant": r"smallest significant(?: \(.*\))?",
    "low": r"(?:(?:r|rho|gamma) )?low(?: \(topics\))?",
    "high": r"(?:(?:r|rho|gamma) )?high(?: \(topics\))?",
}


def term_of(heading: str) -> str:
    """The term that a heading is; empty if it is none.

    >>> term_of("power 0.05"), term_of("system")
    ('power', '')
    """
    return next((term for term in GLOSSARY if re.fullmatch(_form(term), heading)), "")


def with_explanations(html: str, used: set[str]) -> str:
    """Escaped text with the first occurrence of every term explained on hover; the terms are added to those `used`.

    >>> with_explanations("It is behind.", set())
    'It is <abbr title="Significantly lower than another metric on a criterion.">behind</abbr>.'
    """
    explained: set[str] = set()

    def explain(match: re.Match[str]) -> str:
        term = _terms()[match.lastgroup or ""]
        if term in explained:
            return match[0]
        explained.add(term)
        return explained_html(match[0], term)

    html = _pattern().sub(explain, html)
    used |= explained
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
