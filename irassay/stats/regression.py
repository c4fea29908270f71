"""Cross-validated regression of ratings on one metric at a time, for all metrics and folds at once."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints, scaled_to_unit
from irassay.stats.draws import blocks, generator


@dataclass(frozen=True, eq=False)
class PredictionErrors:
    """Errors of predicting unseen units, fold by fold."""

    rmse: Floats  # [metric, fold] folds of all partitions, one after another
    of_mean: Floats  # [fold] the same when the mean of the training units is predicted
    squared: Floats  # [metric] sum of squared errors over all folds
    squared_of_mean: float
    ratio: float  # mean ratio of test units to training units


def random_folds(group: Ints, folds: int, partitions: int, seed: int) -> Ints:
    """[partition, unit] the fold of every unit's group [unit]: its place in a random order, modulo the number of folds.

    Units of a group stay together. If there are no more groups than folds, each is left out once.

    >>> random_folds(np.arange(4), 2, 1, seed=0).sum().item(), random_folds(np.arange(3), 10, 10, seed=0).shape
    (2, (1, 3))
    """
    count = int(group.max()) + 1
    if count <= folds:
        return group[None].astype(np.int64)
    order = np.array([generator(seed, block).permutation(count) for block in blocks(partitions, 1)])
    fold = np.empty_like(order)
    np.put_along_axis(fold, order, np.broadcast_to(np.arange(count) % folds, order.shape), axis=1)
    return fold[:, group]


def prediction_errors(x: Floats, y: Floats, fold: Ints) -> PredictionErrors:
    """Errors of predicting y [unit] from each metric of x [metric, unit] by linear regression on the other folds.

    A metric that is constant on the training units predicts their mean.
    """
    folds = int(fold.max()) + 1
    x = scaled_to_unit(x)
    centred = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True))
    varies = spread > 1e-13 * np.abs(x).max(axis=1, keepdims=True)
    x = np.divide(centred, spread, out=np.zeros_like(centred), where=varies)
    y = y - y.mean()
    member = (fold[:, None, :] == np.arange(folds)[:, None]).astype(np.float64)  # [partition, fold, unit]
    test_size = member.sum(axis=2)
    training_size = len(y) - test_size
    of_test = member.reshape(-1, len(y)).T  # [unit, partition and fold]

    def training_mean(values: Floats) -> Floats:
        """[..., partition, fold] the mean over the units of all other folds."""
        rest = values.sum(axis=-1, keepdims=True) - values @ of_test
        return rest.reshape(*rest.shape[:-1], *training_size.shape) / training_size

    mean_x, mean_y = training_mean(x), training_mean(y)
    spread_x, shared = training_mean(x * x) - mean_x**2, training_mean(x * y) - mean_x * mean_y
    slope = np.divide(shared, spread_x, out=np.zeros_like(mean_x), where=spread_x > 1e-12)
    own = np.arange(len(fold))[:, None], fold
    guess = mean_y[own] + slope[:, *own] * (x[:, None, :] - mean_x[:, *own])  # [metric, partition, unit]
    squares = np.einsum("mpu,pfu->mpf", (guess - y) ** 2, member)
    squares_of_mean = np.einsum("pu,pfu->pf", (mean_y[own] - y) ** 2, member)
    return PredictionErrors(
        np.sqrt(squares / test_size).reshape(len(x), -1),
        np.sqrt(squares_of_mean / test_size).ravel(),
        squares.sum(axis=(1, 2)),
        float(squares_of_mean.sum()),
        float((test_size / training_size).mean()),
    )
