"""When to use a method, and what its answer takes for granted; shown on its page."""

from typing import NamedTuple


class Advice(NamedTuple):
    """When to use a method, and its assumptions."""

    when: str
    assumes: tuple[str, ...]


TOPICS = "The topics are a sample of those that matter, and independent of each other."
SYSTEMS = "The systems are the ones of interest. The answer need not hold for very different systems."
JUDGED = "Unjudged documents count as not relevant, unless you choose otherwise."
ADVICE = {
    "axioms": Advice(
        "You design or choose a metric, and want to know in which situations its score contradicts common sense.",
        (
            "What holds on every ranking up to the depth may be broken by a longer one.",
            "An axiom is a demand, not a fact: a metric may break it on purpose.",
        ),
    ),
    "check": Advice(
        "A system changes often, and a build should fail if search got worse. Choose the tolerance before you look.",
        (TOPICS, "No worse than the tolerance is not the same as equal. Undecided means too few topics."),
    ),
    "claim": Advice(
        "You read or write that one system beats another, and want to know what the claim rests on.",
        (TOPICS, JUDGED, "The two systems were chosen before their scores were seen."),
    ),
    "compare": Advice(
        "You have several systems on the same topics and want to say which differ. Compare all that you tried, because "
        "leaving out those that did not work makes p-values too small.",
        (
            TOPICS,
            "The default test assumes that the sign of each topic's difference could as well be the other one if two "
            "systems are equal. With few topics and skewed scores [it errs in more than 5 %](../../choose/test.md).",
            "A difference that is not significant is not shown to be zero: `--margin` tests that.",
        ),
    ),
    "diff": Advice(
        "Two tools, or a paper and your own script, give different numbers for the same runs.",
        ("The difference comes from a convention that irassay knows; otherwise it says that nothing explains it.",),
    ),
    "explain": Advice("You want to see why a ranking has its score, or to teach a metric.", ()),
    "judges": Advice(
        "You consider labels by a model, a crowd or another assessor in place of, or besides, the judgements you have.",
        (
            TOPICS,
            "The reference is right. If it is not, a judge that is better than the reference looks worse.",
            "Agreement on documents does not imply the same ranking of systems; give `--runs` to see both.",
        ),
    ),
    "plan": Advice(
        "You build a collection, or want to know whether yours can show the difference that you expect.",
        (
            "The future topics and systems vary as these do. The variance is itself estimated; its interval is given.",
            "The test is a paired t-test of two systems, unless you plan for all pairs.",
        ),
    ),
    "report": Advice(
        "You want to know which metrics suit your collection, or whether your own metric is any good.",
        (
            TOPICS,
            SYSTEMS,
            "A metric that separates more systems is more reliable, not more valid: it may separate them by something "
            "that users do not care about. Users' ratings (`--ratings`) speak to validity.",
        ),
    ),
    "score": Advice("You have runs and judgements.", (JUDGED, "A judged topic that a run lacks counts as 0.")),
    "table": Advice("You write the results section of a paper.", (TOPICS, "Each metric is tested on its own.")),
    "topics": Advice(
        "A mean differs and you want to know whether many topics contribute, or a few.",
        (TOPICS, "Looking for the topics that drive a difference is exploration; it does not test anything new."),
    ),
    "validate": Advice("Before you score: always, with files that you did not make.", ()),
    "meta agreement": Advice(
        "You want to know whether a change of metric would change which systems you call different.",
        (TOPICS, SYSTEMS, "Every pair of systems counts the same."),
    ),
    "meta alternatives": Advice(
        "You look for a metric that ranks systems like the one you report but separates more of them.",
        (
            TOPICS,
            "Half of the topics choose, and the other half test the choice. It rests on fewer topics, but the test is "
            "fair.",
        ),
    ),
    "meta consistency": Advice(
        "You want to know whether the ranking of your systems would hold on other topics.",
        (
            "Topics of the other half are like these. Both halves have half as many topics, so the tau on a new "
            "collection of full size would be higher.",
            SYSTEMS,
        ),
    ),
    "meta discrimination": Advice(
        "You want to know how many pairs of systems a metric separates, at a controlled error rate.",
        (
            TOPICS,
            SYSTEMS,
            "Discriminative power says how reliable a metric is, not whether it measures the right thing.",
        ),
    ),
    "meta dominance": Advice(
        "You want a conclusion that holds for every user, whatever the metric's discount.",
        ("Users pay no more attention to a lower rank than to a higher one.", TOPICS, JUDGED),
    ),
    "meta effort": Advice(
        "You have logs of sessions with times and clicks, and want a metric's `effort=` to come from them.",
        ("Users are independent of each other.", "Time on a page is effort spent on the result."),
    ),
    "meta fitting": Advice(
        "You have users' ratings and want to set a metric's parameter by them.",
        ("Units in different folds are independent; give users or tasks so that they are kept together.",),
    ),
    "meta fragility": Advice(
        "A difference is just significant, and you want to know whether a few judgements carry it.",
        (
            "A changed judgement takes one of the grades in use.",
            "Another assessor differs from this one as the judgements of `--other` or the confusions of `--noise` do.",
        ),
    ),
    "meta generalizability": Advice(
        "You want one number for how reliable the means of a collection are, and how many topics would be enough.",
        (
            "Systems and topics are random samples.",
            "For the intervals, effects are normal. If they are skewed, intervals are too narrow.",
        ),
    ),
    "meta intuitiveness": Advice(
        "Two complex metrics disagree, and simple ones, such as precision and subtopic recall, say what matters.",
        ("The simple metrics are the standard.", SYSTEMS),
    ),
    "meta multiverse": Advice(
        "You want to show that a claim does not depend on one choice of metric, cutoff or treatment of ties.",
        ("The grid holds the choices that a reasonable analyst could have made, no more and no less.", TOPICS),
    ),
    "meta preference": Advice(
        "People compared pairs of result lists side by side.",
        ("Choices on different topics, or by different users, are independent.",),
    ),
    "meta robustness": Advice(
        "Judgements are few, noisy or made by others, and you want to know whether the ranking of systems survives.",
        ("Judgements are removed at random, or by team, as you choose; real gaps may be less random.", SYSTEMS),
    ),
    "meta satisfaction": Advice(
        "Users rated searches, and you want the metric that predicts their ratings.",
        ("Units are independent, or users and tasks are given.", "The users are like those that you care about."),
    ),
    "meta sensitivity": Advice(
        "You want to see how much a parameter matters before you choose it.",
        ("The best value of a curve is partly luck; `meta fitting` reports it on other units.",),
    ),
    "meta similarity": Advice(
        "You want to report few metrics that say different things, or to find out whether two say the same.",
        (TOPICS, SYSTEMS),
    ),
    "meta ties": Advice(
        "Runs have many equal scores, for example because scores were rounded.",
        ("Each order of tied results is possible.",),
    ),
    "meta unanimity": Advice(
        "You want to know how much of what simple metrics agree on a complex metric captures.",
        ("The simple metrics are the standard.", SYSTEMS),
    ),
}


def advice_blocks(command: str) -> list[str]:
    """The section of a command's page; none if there is no advice."""
    if command not in ADVICE:
        return []
    when, assumes = ADVICE[command]
    assumptions = ["## What it assumes", "\n".join(f"- {each}" for each in assumes)] if assumes else []
    return ["## When to use it", when, *assumptions]
