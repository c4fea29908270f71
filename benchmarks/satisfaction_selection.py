"""How often metrics that correlate equally with ratings are called different, by simulation.

    python benchmarks/satisfaction_selection.py [--repetitions 100]

Users rate tasks; ratings and every metric have effects of the user and of the task, so that units are not independent.
All metrics are equal. "two-way" is how `irassay meta satisfaction` decides, by the error over users and tasks;
"as if independent" takes units as independent, and so does Williams' test of the first two metrics.
"""

import argparse

import numpy as np

from irassay.stats.compare_correlations import pearson, williams
from irassay.stats.correlation_selection import correlation_selection

Floats = np.ndarray
STUDIES = ((20, 10, 2), (20, 10, 8), (30, 6, 5), (40, 4, 3), (40, 30, 2), (40, 30, 6))  # users, tasks, metrics


def study(rng: np.random.Generator, users: int, tasks: int, metrics: int) -> tuple[Floats, Floats, list[Floats]]:
    """[metric, unit] scores, [unit] ratings, and the user and the task of each unit."""
    user, task = np.repeat(np.arange(users), tasks), np.tile(np.arange(tasks), users)
    units = len(user)

    def effects(of_user: float, of_task: float) -> Floats:
        return of_user * rng.normal(size=users)[user] + of_task * rng.normal(size=tasks)[task] + rng.normal(size=units)

    truth = effects(0.6, 0.8)
    x = np.stack([truth + effects(0.5, 0.8) for _ in range(metrics)])
    return x, truth + 0.5 * rng.normal(size=units), [user, task, np.arange(units)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=100)
    repetitions = parser.parse_args().repetitions
    print(f"{repetitions} studies of equal metrics; per cent in which some metric is called different")
    for users, tasks, metrics in STUDIES:
        wrong = np.zeros(3)
        for number in range(repetitions):
            rng = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(users, tasks, metrics, number)))
            x, y, groups = study(rng, users, tasks, metrics)
            r = pearson(x, y)
            p = williams(r[0], r[1], pearson(x[0], x[1]), len(y))[1]
            sets = [correlation_selection(x, y, each, number).may_be_best for each in (groups, groups[2:])]
            wrong += [*(not each.all() for each in sets), p < 0.05]
        two_way, independent, pair = 100 * wrong / repetitions
        print(
            f"{users} users x {tasks} tasks, {metrics} metrics: two-way {two_way:.1f}, "
            f"as if independent {independent:.1f}, Williams {pair:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
